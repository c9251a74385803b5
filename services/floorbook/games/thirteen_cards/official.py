"""How a round of the Macau ordinance is settled (rule set `thirteen_cards`, Art.7 to Art.11)."""

from collections.abc import Mapping, Sequence

import msgspec

from floorbook.games.rule_set import once
from floorbook.games.thirteen_cards.arrangement import Arrangement, Hand, in_order
from floorbook.games.thirteen_cards.cards import Card
from floorbook.games.thirteen_cards.config import Config
from floorbook.games.thirteen_cards.fixed import FIXED_UNITS, fixed_combination
from floorbook.games.thirteen_cards.lanes import (
    LANES,
    OFFICIAL,
    ROYAL_FLUSH,
    class_id,
    class_of,
    lane_units,
)
from floorbook.games.thirteen_cards.money import Stake, payout


class Judged(msgspec.Struct, frozen=True):
    """A hand, looked at by itself: in time, in order, and whether it is a fixed combination."""

    status: str  # ok, foul or timeout
    special: str | None
    strengths: tuple[int, int, int] | None  # None if it was not laid in time
    cites: tuple[str, ...]


class LaneResult(msgspec.Struct, frozen=True):
    """Who won one lane, with how many units."""

    lane: str
    player_class: str
    banker_class: str
    winner: str
    units: int


class BankerResult(msgspec.Struct, frozen=True):
    """How the banker's own hand is judged."""

    gate: int
    status: str
    special: str | None
    cites: tuple[str, ...]


class GateResult(msgspec.Struct, frozen=True):
    """How one player gate stands against the banker, and by which rules."""

    gate: int
    status: str
    special: str | None
    lanes: tuple[LaneResult, ...]
    player_units: int
    banker_units: int
    outcome: str
    cites: tuple[str, ...]


class BetResult(msgspec.Struct, frozen=True):
    """What one bet gets back, and by which rules."""

    bet_id: str
    gate: int
    stake: int
    outcome: str
    prize: int
    commission: int
    returned: int
    cites: tuple[str, ...]


class Settlement(msgspec.Struct, frozen=True):
    """A settled round."""

    banker: BankerResult
    gates: tuple[GateResult, ...]
    bets: tuple[BetResult, ...]
    banker_net: int


class VoidRound(msgspec.Struct, frozen=True):
    """A round that the table abandoned: every stake goes back (TC-45)."""

    bets: tuple[BetResult, ...]
    banker_net: int


def settle(
    banker: Hand, players: Sequence[Hand], bets: Sequence[Stake], config: Config
) -> Settlement:
    """Return what every gate and bet of one round comes to.

    `players` are the gates to report, by number: those with bets or an arrangement (TC-46).
    """
    bank = judge_banker(banker, config)
    gates = tuple(against_banker(hand.gate, judge(hand, config), bank, config) for hand in players)
    outcomes = {gate.gate: gate.outcome for gate in gates}
    paid = tuple(pay(bet, outcomes[bet.gate], config) for bet in bets)
    return Settlement(
        banker=BankerResult(banker.gate, bank.status, bank.special, bank.cites),
        gates=gates,
        bets=paid,
        banker_net=sum(bet.stake - bet.returned for bet in paid),
    )


def void(bets: Sequence[Stake], config: Config) -> VoidRound:
    """Return every stake in full (TC-45)."""
    return VoidRound(bets=tuple(pay(bet, "void", config) for bet in bets), banker_net=0)


def is_foul(
    front: Sequence[Card], middle: Sequence[Card], back: Sequence[Card], config: Config
) -> bool:
    """Return whether a laid hand is fouled (擺烏龍, Art.7): out of order and not exempt (TC-19)."""
    laid = Arrangement(tuple(front), tuple(middle), tuple(back))
    return judge_laid(laid, config).status == "foul"


def judge_banker(hand: Hand, config: Config) -> Judged:
    """Return how the banker's hand stands; no clock runs for him."""
    assert hand.laid is not None, "the banker has arranged"
    return judge_laid(hand.laid, config)


def judge(hand: Hand, config: Config) -> Judged:
    """Return how a player's hand stands by itself.

    Late is late whatever the cards are (TC-11); at exactly the limit it is in time (TC-09).
    """
    if hand.laid is None:
        return Judged("timeout", None, None, ("Art.2(d)", "TC-11"))
    if hand.elapsed_ms > config.arrange_limit_ms:
        return Judged("timeout", None, None, ("Art.2(d)", "TC-09", "TC-11"))
    return judge_laid(hand.laid, config)


def judge_laid(laid: Arrangement, config: Config) -> Judged:
    """Return whether lanes are in order and whether they are a fixed combination."""
    strengths = laid.strengths(OFFICIAL)
    special = fixed_combination(laid.cards, laid, config)
    order = order_cites(strengths)
    if in_order(strengths, config.equal_lanes_foul):
        return Judged("ok", special, strengths, FIXED_CITES[special] if special else order)
    if special and config.fixed_exempt_from_foul:
        return Judged("ok", special, strengths, (*FIXED_CITES[special], "TC-19"))
    return Judged("foul", None, strengths, (*order, "TC-19") if special else order)


def order_cites(strengths: tuple[int, int, int]) -> tuple[str, ...]:
    """Return the rules of the order test; TC-16 only where two lanes are equal."""
    if in_order(strengths, strict=False) and not in_order(strengths, strict=True):
        return ("Art.7", "TC-16")
    return ("Art.7",)


FIXED_CITES: Mapping[str, tuple[str, ...]] = {
    "dragon": ("Art.9-I", "TC-20"),
    "six_and_a_half_pairs": ("Art.9-I", "TC-21"),
    "three_flushes": ("Art.9-I", "TC-22"),
    "three_straights": ("Art.9-I", "TC-23"),
}


def against_banker(gate: int, player: Judged, bank: Judged, config: Config) -> GateResult:
    """Return how a gate stands against the banker: the first line of A7 that applies decides."""
    decided = without_lanes(player, bank)
    if decided is None:
        return by_lanes(gate, player, bank, config)
    outcome, cites = decided
    return GateResult(
        gate=gate,
        status=player.status,
        special=player.special,
        lanes=(),
        player_units=FIXED_UNITS if outcome == "win" else 0,
        banker_units=FIXED_UNITS if outcome == "lose" else 0,
        outcome=outcome,
        cites=once(player.cites, cites),
    )


def without_lanes(player: Judged, bank: Judged) -> tuple[str, tuple[str, ...]] | None:
    """Return the outcome by lines 1 to 6 of A7 and its rules, or None if lanes are compared."""
    match player.status, bank.status:
        case "timeout", _:
            return "lose", ("Art.2(d)", "TC-11", "TC-34")
        case "foul", "foul":
            return "lose", ("Art.7", "TC-34", "TC-36")
        case "foul", _:
            return "lose", ("Art.7", "TC-34")
        case _, "foul":
            return "win", ("Art.7", "TC-35", "TC-34")
    match player.special, bank.special:
        case None, None:
            return None
        case None, _:
            return "lose", ("Art.9-I",)
        case _, None:
            return "win", ("Art.9-I",)
        case _:
            return "tie", ("Art.9-I", "TC-24")


def by_lanes(gate: int, player: Judged, bank: Judged, config: Config) -> GateResult:
    """Return how a gate stands lane by lane: more units win, equal units tie (Art.8, TC-32)."""
    assert player.strengths is not None, "a hand in time has lanes"
    assert bank.strengths is not None, "the banker has lanes"
    lanes: list[LaneResult] = []
    cites: list[str] = []
    won = lost = 0
    multiplied: tuple[str, ...] = ()
    for lane, ours, banks in zip(LANES, player.strengths, bank.strengths, strict=True):
        result = compare_lane(lane, ours, banks)
        lanes.append(result)
        cites += lane_cites(ours, banks)
        if result.winner == "player":
            won += result.units
        else:
            lost += result.units
            multiplied = ("TC-31",) if result.units > 1 else multiplied
    outcome = "win" if won > lost else "lose"
    if won == lost:
        outcome = "lose" if config.equal_totals == "banker" else "tie"
    total = ("Art.8", "TC-32") if won == lost else ("Art.8",)
    return GateResult(
        gate, player.status, player.special, tuple(lanes), won, lost, outcome,
        once(player.cites, tuple(cites), multiplied, total),
    )  # fmt: skip


def compare_lane(lane: str, player: int, bank: int) -> LaneResult:
    """Return who wins a lane; equal lanes are the banker's (夾棍, Art.10).

    The winner scores the units of his own class, the banker too (TC-31).
    """
    wins = player > bank
    return LaneResult(
        lane=lane,
        player_class=class_id(player),
        banker_class=class_id(bank),
        winner="player" if wins else "banker",
        units=lane_units(lane, player if wins else bank),
    )


# The classes of Art.9-II are numbered from the largest, ours from the smallest.
_ARTICLES = tuple(f"Art.9-II.{ROYAL_FLUSH + 1 - number}" for number in range(ROYAL_FLUSH + 1))


def lane_cites(player: int, bank: int) -> tuple[str, ...]:
    """Return the rules that decide one lane: the winner's class, and what settles equal classes."""
    article = _ARTICLES[class_of(max(player, bank))]
    if player == bank:
        return (article, "Art.10")
    return (article, "Art.6") if class_of(player) == class_of(bank) else (article,)


_BET_CITES: Mapping[str, tuple[str, ...]] = {
    "win": ("Art.11", "TC-38", "TC-39", "TC-40", "TC-42"),
    "tie": ("Art.11", "TC-41"),
    "lose": ("Art.11",),
    "void": ("TC-45",),
}


def pay(bet: Stake, outcome: str, config: Config) -> BetResult:
    """Return what one bet gets back by the `outcome` of its gate (TC-42)."""
    paid = payout(bet.amount, outcome, config)
    return BetResult(
        bet.bet_id, bet.gate, bet.amount, outcome,
        paid.prize, paid.commission, paid.returned, _BET_CITES[outcome],
    )  # fmt: skip


def explain_settlement(settled: Settlement) -> tuple[str, ...]:
    """Return the rules behind a settlement: the banker's hand, each gate, then each bet."""
    return once(
        settled.banker.cites,
        *(gate.cites for gate in settled.gates),
        *(bet.cites for bet in settled.bets),
    )
