"""Who must pay for everybody, and who gets a claimed tile: what holds whatever was played."""

from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from floorbook.games.mahjong.claims import Claim, ClaimAction, Offer, decide
from floorbook.games.mahjong.config import Config
from floorbook.games.mahjong.hand import Declared, Holding, Setting, Win
from floorbook.games.mahjong.liability import Case, Facts, Liability, liability
from floorbook.games.mahjong.melds import Meld
from floorbook.games.mahjong.tiles import TILE_OF, Tile
from floorbook.games.mahjong.variant import SIMPLIFIED, TRADITIONAL

FOUR = ("E", "S", "W", "N")
CHICKEN = frozenset({"CHICKEN"})


def hand(codes: str) -> tuple[Tile, ...]:
    return tuple(TILE_OF[code] for code in codes.split())


def won(tile: str, source: str | None = "W", *melds: Meld) -> Declared:
    """South's win on a discard, or self-drawn."""
    win = Win("discard", source) if source else Win("self_draw")
    return Declared("S", (), melds, TILE_OF[tile], win)


def liable(
    declared: Declared, facts: Facts, codes: frozenset[str] = CHICKEN, **flags: Any
) -> Liability:
    return liability(Case(Setting(TRADITIONAL, Config(**flags), FOUR, "E"), declared, codes, facts))


BROKEN = hand("3s 3s 3s 1m 4m 7m 2p 5p 8p E S W N C")
READY_OTHERWISE = hand("3s 1s 2s 3s 4m 5m 6m 7p 8p 9p E E 2m 3m")


def test_breaking_a_triplet_needs_exactly_three() -> None:
    assert liable(won("3s"), Facts(BROKEN)).rules == ("LIA-T5",)
    four = hand("3s 3s 3s 3s 4m 7m 2p 5p 8p E S W N C")
    assert liable(won("3s"), Facts(four)).rules == ()
    assert liable(won("3s", None), Facts(BROKEN)).rules == ()


def test_a_wrong_set_makes_nobody_ready() -> None:
    discarder = hand("3s 4s 5s 1p 1p 7p 8p E")
    pongs = tuple(Meld("pong", hand(f"{t} {t} {t}"), source="N") for t in ("4m", "9m"))
    assert liable(won("3s"), Facts(discarder, pongs)).rules == ("LIA-T6",)
    wrong = (pongs[0], Meld("pong", hand("9m 9m 8m"), source="N"))
    assert liable(won("3s"), Facts(discarder, wrong)).rules == ()


def test_discarding_one_of_two_dead_honours_is_free() -> None:
    discarder = hand("E S 1m 4m 7m 2p 5p 8p 6m 9m 6p 3s 7s 1s")
    visible = hand("E E E S S S")
    assert liable(won("E"), Facts(discarder, visible=visible)).rules == ()
    assert liable(won("3s"), Facts(discarder, visible=visible)).rules == ("LIA-T4",)
    assert liable(won("3s"), Facts(discarder)).rules == ()  # what lay open is not known


def test_all_terminals_exempt_but_an_exemption_alone_is_not_named() -> None:
    terminals = frozenset({"ALL_TERMINALS"})
    owed = liable(won("3s"), Facts(BROKEN), terminals)
    assert (owed.liable, owed.rules, owed.exempted_by) == (None, ("LIA-T5",), ("EXM-T9",))
    assert liable(won("3s"), Facts(), terminals) == Liability()


def test_a_live_honour_exempts_all_but_big_hands_where_the_house_says_so() -> None:
    melds = tuple(Meld("pong", hand(f"{t} {t} {t}"), source="E") for t in "CF")
    discarder = hand("B B B 1m 4m 7m 2p 5p 8p E S W N 9s")
    facts, codes = Facts(discarder, visible=()), frozenset({"BIG_DRAGONS"})
    exempt = liable(won("B", "W", *melds), facts, codes)
    assert (exempt.liable, exempt.rules) == (None, ("LIA-T3", "LIA-T5"))
    strict = liable(won("B", "W", *melds), facts, codes, live_honour_exempts_big_hands=False)
    assert (strict.liable, strict.exempted_by) == ("W", ("EXM-T10",))
    # What is left of the other rules does not count.
    only = liable(won("B"), facts, CHICKEN, live_honour_exempts_big_hands=False)
    assert (only.liable, only.rules) == (None, ("LIA-T5",))


def test_feeding_the_twelfth_tile_lasts_a_go_round() -> None:
    melds = tuple(
        Meld("pong", hand(f"{t} {t} {t}"), source=s)
        for t, s in zip(("1s", "3s", "5s", "7s"), ("E", "E", "W", "N"), strict=True)
    )
    codes = frozenset({"FULL_FLUSH"})
    drawn = won("9s", None, *melds)
    for turns, seat in ((0, "N"), (1, "N"), (2, None), (None, None)):
        assert liable(drawn, Facts(turns_since_fourth_meld=turns), codes).liable == seat
    concealed = (*melds[:3], Meld("kong", hand("7s 7s 7s 7s"), open=False))
    facts = Facts(turns_since_fourth_meld=0)
    assert liable(won("9s", None, *concealed), facts, codes) == Liability()
    assert (
        liable(won("9s", None, *concealed), facts, codes, concealed_kong_landed=True) == Liability()
    )


def test_the_simplified_game_wants_both_conditions() -> None:
    setting = Setting(SIMPLIFIED, Config(), FOUR, "E")
    both = Case(setting, won("3s"), CHICKEN, Facts(hand("3s 3s 3s 8p 8p")))
    assert liability(both).rules == ("LIA-S2",)
    not_ready = Case(setting, won("3s"), CHICKEN, Facts(hand("3s 3s 3s 1p 5m")))
    assert liability(not_ready).rules == ("LIA-S2",)  # ready without 1p or 5m
    after_it = Case(setting, won("3s"), CHICKEN, Facts(hand("3s 3s 3s 4s 5s")))
    assert liability(after_it).rules == ("LIA-S2",)  # it was complete


discards = st.sampled_from(["3s", "E", "C"])


@given(st.integers(0, 2**32), st.booleans(), st.booleans())
def test_less_known_never_makes_liable(seed: int, knows_held: bool, knows_open: bool) -> None:
    random = Random(seed)
    wall = [tile for tile in range(34) for _ in range(4)]
    near = random.sample(range(34), 6)
    drawn = random.sample([t for t in wall if t in near] if random.random() < 0.5 else wall, 24)
    held, visible = tuple(drawn[:14]), tuple(drawn[14:])
    declared = Declared("S", (), (), held[0], Win("discard", "W"))
    known = liable(declared, Facts(held, visible=visible))
    less = liable(
        declared, Facts(held if knows_held else None, visible=visible if knows_open else None)
    )
    assert set(less.rules) <= set(known.rules)
    for owed in (known, less):
        assert owed.liable in (None, "W")
        assert owed.rules or not owed.exempted_by
        assert (owed.liable is None) is (not owed.rules or bool(owed.exempted_by))


# Claims

ACTIONS: tuple[ClaimAction, ...] = ("win", "kong", "pong", "chow")


@given(st.integers(0, 2**32))
def test_the_order_in_which_claims_came_does_not_matter(seed: int) -> None:
    random = Random(seed)
    setting = Setting(TRADITIONAL, Config(), FOUR, "E")
    near = [tile for tile in range(9) for _ in range(4)] + list(range(27, 34)) * 3
    random.shuffle(near)
    holdings = {seat: Holding(tuple(near[13 * i : 13 * i + 13])) for i, seat in enumerate("SWN")}
    offer = Offer("discard", "E", near[39])
    claims = [
        Claim(seat, random.choice(ACTIONS), tuple(random.sample(holdings[seat].concealed, 2)))
        for seat in random.sample("SWN", random.randint(0, 3))
    ]
    wall = random.choice([0, 1, 60])
    decided = decide(setting, offer, wall, holdings, claims)
    again = decide(setting, offer, wall, holdings, claims[::-1])
    assert (decided.outcome, decided.seat) == (again.outcome, again.seat)
    assert set(decided.rejected) == set(again.rejected)
    prevailed = decided.outcome not in ("draw", "exhausted")
    assert len(decided.rejected) == len(claims) - prevailed


@pytest.mark.parametrize("action", ACTIONS)
def test_nobody_claims_his_own_tile(action: ClaimAction) -> None:
    setting = Setting(TRADITIONAL, Config(), FOUR, "E")
    offer = Offer("discard", "E", 0)
    decided = decide(setting, offer, 60, {}, [Claim("E", action)])
    assert decided.outcome == "draw"
    assert [each.reason for each in decided.rejected] == ["own_tile"]
