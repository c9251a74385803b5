"""Whatever is dealt, bet and posted: money is conserved, and no bank goes beyond its stake.

The settlement is also played against a plain model that offers every bet to the banks chip by chip.
"""

import random
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from floorbook.games.game import Evaluated, evaluate
from floorbook.games.pai_kau.banks import fee
from floorbook.games.pai_kau.config import FLAGS, Config
from floorbook.games.pai_kau.tiles import SET

LARGEST = 10**15


@st.composite
def rounds(draw: st.DrawFn, largest: int = LARGEST, ample: bool = False) -> dict[str, Any]:
    """A round that may be settled, with all flags, void throws, co-banks and both four-gate deals."""
    gates = draw(st.sampled_from((4, 8)))
    banker = draw(st.integers(1, gates))
    tiles = list(SET)
    draw(st.randoms(use_true_random=False)).shuffle(tiles)
    hands: list[dict[str, Any]] = []
    for gate in range(1, gates + 1):
        hand = tiles[(gate - 1) * 4 : gate * 4]
        laid = {"front": hand[:2], "back": hand[2:]} if draw(st.booleans()) else {}
        hands.append({"gate": gate, "tiles": hand, **laid})
    amounts = st.integers(1, largest)
    others = [gate for gate in range(1, gates + 1) if gate != banker]
    places = draw(
        st.lists(
            st.tuples(st.sampled_from(others), st.sampled_from("abcdef")), unique=True, max_size=12
        )
    )
    throw = draw(st.lists(st.integers(1, 6), min_size=4, max_size=4))
    return {
        "op": "settle_round",
        "gates": gates,
        "banker": {
            "gate": banker,
            "player_id": "bank",
            "stake": LARGEST if ample else draw(amounts),
        },
        "cobanks": []
        if ample
        else [
            {
                "id": f"co{number}",
                "stake": draw(amounts),
                "house": draw(st.booleans()),
                "gate": draw(st.sampled_from((0, *others))),
            }
            for number in range(draw(st.integers(0, 3)))
        ],
        "throws": [{"void": True}] * draw(st.integers(0, 2)) + [{"values": throw}],
        "hands": hands,
        "bets": [
            {"gate": gate, "player_id": player, "amount": draw(amounts)} for gate, player in places
        ],
        "used_tiles": tiles[16:] if gates == 4 and draw(st.booleans()) else [],
        "config": {flag: draw(st.sampled_from(values)) for flag, values in FLAGS.items()},
    }


def settle(request: Mapping[str, Any]) -> dict[str, Any]:
    answer = evaluate("pai_kau", "1", request)
    assert isinstance(answer, Evaluated), answer
    return answer.result


@given(st.one_of(rounds(), rounds(largest=300)))
def test_money_is_conserved_and_no_bank_goes_beyond_its_stake(request: dict[str, Any]) -> None:
    result = settle(request)
    players = sum(player["delta"] for player in result["players"])
    banks = sum(bank["delta"] for bank in result["banks"])
    assert players + banks + result["house"]["commission"] == 0
    for bank in result["banks"]:
        assert -bank["stake"] <= bank["net"] <= bank["stake"]
        assert bank["remaining"] == bank["stake"] + bank["net"] - bank["commission"] >= 0
        parts = [
            (bet["outcome"], part["amount"])
            for bet in result["bets"]
            for part in bet["parts"]
            if part["bank"] == bank["id"]
        ]
        assert sum(amount for outcome, amount in parts if outcome == "banker") == bank["won"]
        assert sum(amount for outcome, amount in parts if outcome == "player") == bank["lost"]
    for bet in result["bets"]:
        assert sum(part["amount"] for part in bet["parts"]) == bet["covered"] <= bet["amount"]
        assert all(part["amount"] > 0 for part in bet["parts"])
        assert 0 <= bet["commission"] <= bet["won"]
        assert bet["delta"] == bet["won"] - bet["commission"] - bet["lost"]
        assert bet["returned"] == bet["amount"] - bet["lost"]
    assert result["min_next_stake"] == result["banks"][0]["remaining"]


@given(rounds(largest=300))
def test_a_house_cobank_pays_no_commission_and_a_tied_one_backs_its_gate_only(
    request: dict[str, Any],
) -> None:
    result = settle(request)
    posted = {cobank["id"]: cobank for cobank in request["cobanks"]}
    for bank in result["banks"]:
        if bank["id"] in posted and posted[bank["id"]]["house"]:
            assert bank["commission"] == 0
    for bet in result["bets"]:
        for part in bet["parts"]:
            if part["bank"] != "bank":
                assert posted[part["bank"]]["gate"] in (0, bet["gate"])


@given(rounds(largest=LARGEST // 100, ample=True), st.randoms(use_true_random=False))
def test_the_order_of_bets_does_not_matter_while_the_stake_is_ample(
    request: dict[str, Any], shuffler: random.Random
) -> None:
    shuffled = list(request["bets"])
    shuffler.shuffle(shuffled)
    one, other = settle(request), settle({**request, "bets": shuffled})
    for part in ("players", "banks", "house", "banker_hand"):
        assert one[part] == other[part]
    assert by_place(one) == by_place(other)


def by_place(result: Mapping[str, Any]) -> dict[tuple[int, str], tuple[int, int]]:
    return {
        (bet["gate"], bet["player_id"]): (bet["delta"], bet["covered"]) for bet in result["bets"]
    }


@given(rounds(largest=60))
def test_settlement_is_that_of_a_model_that_moves_chip_by_chip(request: dict[str, Any]) -> None:
    result = settle(request)
    outcomes = {gate["gate"]: gate["outcome"] for gate in result["gates"]}
    covered, won, lost = chip_by_chip(request, result["settle_order"], outcomes)
    assert [bet["covered"] for bet in result["bets"]] == covered
    for bank in result["banks"]:
        assert (bank["won"], bank["lost"]) == (won[bank["id"]], lost[bank["id"]])


def chip_by_chip(
    request: Mapping[str, Any], settle_order: Sequence[int], outcomes: Mapping[int, str]
) -> tuple[list[int], dict[str, int], dict[str, int]]:
    """How much of each bet is covered, and what each bank wins and loses."""
    flags, bets = request["config"], request["bets"]
    banks = [("bank", request["banker"]["stake"], 0)]
    banks += [(bank["id"], bank["stake"], bank["gate"]) for bank in request["cobanks"]]
    won, lost = ({name: 0 for name, _, _ in banks} for _ in range(2))

    def place(number: int) -> tuple[int, ...]:
        bet = bets[number]
        paid_late = flags["settlement_passes"] == "take_then_pay" and (
            outcomes[bet["gate"]] == "player"
        )
        size = -bet["amount"] if flags["within_gate_order"] == "amount_desc" else 0
        return (int(paid_late), settle_order.index(bet["gate"]), size, number)

    covered = [0] * len(bets)
    for number in sorted(range(len(bets)), key=place):
        gate, outcome = bets[number]["gate"], outcomes[bets[number]["gate"]]
        for _ in range(bets[number]["amount"] if outcome != "push" else 0):
            for name, stake, tied in banks:
                if tied not in (0, gate):
                    continue
                won_too, lost_too = (lost, won) if flags["cap_mode"] == "net" else ({}, {})
                if outcome == "banker" and won[name] - won_too.get(name, 0) < stake:
                    won[name] += 1
                elif outcome == "player" and lost[name] - lost_too.get(name, 0) < stake:
                    lost[name] += 1
                else:
                    continue
                covered[number] += 1
                break
    return covered, won, lost


@given(st.one_of(rounds(largest=300), rounds()))
def test_the_explanation_names_what_had_a_part_and_nothing_else(request: dict[str, Any]) -> None:
    result = settle(request)
    flags = request["config"]
    hands = [result["banker_hand"], *result["gates"]]
    final = [hand[side] for hand in hands for side in ("front", "back")]
    live = [bet for bet in result["bets"] if bet["outcome"] != "push"]
    houses = {cobank["id"] for cobank in request["cobanks"] if cobank["house"]}
    bases = [bet["won"] for bet in result["bets"]]
    if flags["bank_commission"] == "net":
        bases += [max(0, bank["net"]) for bank in result["banks"] if bank["id"] not in houses]
    gates = [bet["gate"] for bet in request["bets"]]
    wrongly = any(hand["reset_reason"].startswith("back") for hand in hands)
    present = {
        "A2.2": True,
        "A2.3": True,
        "A6.3": True,
        "A2.4": request["gates"] == 4,
        "A2.5": len(request["throws"]) > 1,
        "A3.2": any(gates.count(gate) > 1 for gate in gates),
        "A5.3": any(bet["covered"] < bet["amount"] for bet in live),
        "A5.5": any(part["bank"] != "bank" for bet in live for part in bet["parts"]),
        "A6.2": wrongly,
        "PK-12": wrongly,
        "A8": result["house"]["commission"] > 0,
        "A9.1": any(
            "tie" in (gate["front_result"], gate["back_result"]) for gate in result["gates"]
        ),
        "A9.2": any({"42", "21"} & set(pair["tiles"]) and pair["row"] != 1 for pair in final),
        "PK-01": any(pair["row"] == 0 for pair in final),
        "PK-16": any(hand["reset_reason"] == "not_set" for hand in hands),
        "PK-24": any(0 < bet["covered"] < bet["amount"] for bet in live),
        "PK-30": any(5 * base % 100 for base in bases),
    }
    assert result["explanation"] == sorted(cite for cite, is_there in present.items() if is_there)


@given(st.integers(0, LARGEST), st.sampled_from(FLAGS["commission_rounding"]))
def test_commission_is_five_per_cent_within_one_minor_unit(winnings: int, rounding: Any) -> None:
    taken = fee(winnings, Config(commission_rounding=rounding))
    over = 100 * taken - 5 * winnings  # hundredths of a minor unit above five per cent
    assert {"down": -100 < over <= 0, "half_up": -50 < over <= 50, "up": 0 <= over < 100}[rounding]


def round_of(**changed: Any) -> dict[str, Any]:
    """Gates 2 and 3 win, gate 4 loses; gate 2 is the head gate."""
    return {
        "op": "settle_round",
        "gates": 4,
        "banker": {"gate": 1, "player_id": "bank", "stake": 100},
        "throws": [{"values": [3, 1, 1, 1]}],
        "hands": [
            {"gate": 1, "tiles": ["31", "33", "22", "65"]},  # Bench five behind, Goose zero
            {"gate": 2, "tiles": ["66", "66", "11", "11"]},
            {"gate": 3, "tiles": ["44", "44", "55", "55"]},
            {"gate": 4, "tiles": ["64", "61", "51", "52"]},
        ],
        "bets": [],
        **changed,
    }


def test_every_part_names_the_bank_that_paid_or_took_it() -> None:
    result = settle(
        round_of(
            cobanks=[
                {"id": "tied", "stake": 30, "gate": 3},
                {"id": "house", "stake": 1_000, "house": True},
            ],
            bets=[
                {"gate": 2, "player_id": "ann", "amount": 80},
                {"gate": 3, "player_id": "ben", "amount": 70},
            ],
        )
    )
    assert [bet["parts"] for bet in result["bets"]] == [
        [{"bank": "bank", "amount": 80}],
        [
            {"bank": "bank", "amount": 20},
            {"bank": "tied", "amount": 30},
            {"bank": "house", "amount": 20},
        ],
    ]
    assert result["bets"][1]["cites"] == ["A2.3", "PK-44", "A5.5", "PK-26", "A8", "PK-29", "PK-30"]
    assert [(bank["id"], bank["remaining"]) for bank in result["banks"]] == [
        ("bank", 0),
        ("tied", 0),
        ("house", 980),
    ]
    assert result["house"] == {"commission": 7, "cobank_delta": -20, "total": -13}


@pytest.mark.parametrize(
    ("gate", "cites"),
    [(2, ["PK-16", "PK-13", "A6.3"]), (3, ["A6.2", "PK-12", "A6.3"])],
)
def test_a_gate_cites_why_it_was_set_again(gate: int, cites: list[str]) -> None:
    request = round_of()
    request["hands"][2] |= {"front": ["44", "44"], "back": ["55", "55"]}
    found = next(one for one in settle(request)["gates"] if one["gate"] == gate)
    assert found["cites"] == cites


def test_a_reset_banker_cites_that_he_is_bound_too() -> None:
    request = round_of()
    request["hands"][0] |= {"front": ["22", "65"], "back": ["31", "33"]}
    hand = settle(request)["banker_hand"]
    assert hand["reset_reason"] == "back_smaller"
    assert hand["cites"] == ["A6.2", "PK-12", "PK-14"]
