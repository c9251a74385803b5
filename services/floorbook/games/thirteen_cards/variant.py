"""What the variants share (B0): how one hand is seen, and how two hands meet lane by lane."""

from collections.abc import Callable, Mapping, Sequence

import msgspec

from floorbook.games.thirteen_cards.arrangement import Arrangement, Hand, in_order
from floorbook.games.thirteen_cards.config import Config
from floorbook.games.thirteen_cards.lane_order import Lane, Order
from floorbook.games.thirteen_cards.lanes import FOUL, LANES, Ranking, class_id
from floorbook.games.thirteen_cards.patterns import tally
from floorbook.games.thirteen_cards.specials import Row, Rows, Special, find_special


class Variant(msgspec.Struct, frozen=True):
    """How one rule set differs from the others."""

    id: str
    cites: tuple[str, ...]  # the text it comes from, and how two hands are decided
    specials: Rows
    ranking: Ranking | None  # None where whole hands are compared and nothing is arranged
    order: Callable[[Config], Order]
    compared: tuple[str, ...] = LANES  # the lanes that count
    declinable: bool = False  # whether a special may be played as an ordinary hand (TV-60)


class Shown(msgspec.Struct, frozen=True):
    """A hand as it is shown: special, in order, or fouled."""

    gate: int
    status: str  # ok or foul
    special: Special | None
    lanes: Mapping[str, Lane]  # what meets other hands; foul lanes of a fouled hand
    cites: tuple[str, ...]

    @property
    def special_id(self) -> str | None:
        """Return the special's id as results name it."""
        return self.special.id if self.special else None

    @property
    def fouled(self) -> bool:
        """Return whether all lanes count as the smallest (TV-03)."""
        return self.status == "foul"


_FOULED = {lane: Lane((), FOUL) for lane in LANES}


def show_all(hands: Sequence[Hand], variant: Variant, config: Config) -> list[Shown]:
    """Return how every hand of a round is seen."""
    rows = variant.specials(config)
    return [_show(hand, rows, variant, config) for hand in hands]


def _show(hand: Hand, rows: tuple[Row, ...], variant: Variant, config: Config) -> Shown:
    """Return how a hand is seen. A special is never fouled; its lanes do not matter (TV-58)."""
    special = find_special(tally(hand.cards), rows) if hand.cards is not None else None
    declined: tuple[str, ...] = ()
    if special and variant.declinable and not hand.declared:
        special, declined = None, ("TV-60",)
    if special:
        return Shown(hand.gate, "ok", special, _FOULED, special.cites)
    if hand.laid is None or variant.ranking is None:
        return Shown(hand.gate, "foul", None, _FOULED, (*declined, "TV-57", "TV-03"))
    strengths = hand.laid.strengths(variant.ranking)
    if not in_order(strengths, config.equal_lanes_foul):
        why = "TV-37" if variant.id == "banker_xianggong" else "TV-04"
        equal = (why,) if in_order(strengths, strict=False) else ()
        return Shown(hand.gate, "foul", None, _FOULED, (*declined, "ENC-0", *equal, "TV-03"))
    return Shown(hand.gate, "ok", None, _lanes(hand.laid, strengths), (*declined, "ENC-0"))


def _lanes(laid: Arrangement, strengths: tuple[int, int, int]) -> dict[str, Lane]:
    front, middle, back = strengths
    return {
        "front": Lane(laid.front, front),
        "middle": Lane(laid.middle, middle),
        "back": Lane(laid.back, back),
    }


class Meeting(msgspec.Struct, frozen=True):
    """One lane of one hand against the same lane of another."""

    lane: str
    a: int  # strengths
    b: int
    sign: int  # 1 if `a` is larger, -1 if `b` is, 0 if they are equal

    @property
    def classes(self) -> tuple[str, str]:
        """Return both classes as results name them."""
        return class_id(self.a), class_id(self.b)

    @property
    def by_suit(self) -> bool:
        """Return whether equal ranks were settled by suit."""
        return self.a == self.b and self.sign != 0

    @property
    def won_with(self) -> int:
        """Return the winner's strength."""
        return self.a if self.sign > 0 else self.b


def meet(a: Shown, b: Shown, variant: Variant, config: Config) -> tuple[Meeting, ...]:
    """Return how two hands meet in the lanes that count."""
    order = variant.order(config)
    return tuple(_meet(lane, a.lanes[lane], b.lanes[lane], order) for lane in variant.compared)


def _meet(lane: str, a: Lane, b: Lane, order: Order) -> Meeting:
    return Meeting(lane, a.strength, b.strength, sign(order(a, b)))


def sign(number: int) -> int:
    """Return 1, 0 or -1."""
    return (number > 0) - (number < 0)
