"""Acts, sensible and not, for a table of a variant as its model knows it."""

import random
from collections.abc import Sequence

from floorbook.games.thirteen_cards.arrangement import Arrangement
from floorbook.games.thirteen_cards.cards import PACK
from floorbook.table import events
from floorbook.table.events import Fact
from floorbook.table.thirteen_cards import facts
from tests.unit.table.playing import DEALER, DICE, PIT, SEATS, SHOE, Table, fouled, laid
from tests.unit.table.variant_model import VariantModel
from tests.unit.table.variants import in_turn

PLAYERS = ("p1", "p2", "p3", "p4")
SPECIALS: tuple[str, ...] = (
    "As Kd Qh Jc Ts 9d 8h 7c 6s 5d 4h 3c 2s",  # a dragon
    "Ac Ad Kc Kh Qc Qd Jd Jh 9c 9h 8c 8d 4s",  # six pairs and a half
    "9s 9h 9c 9d As Kd Qh Jc 7s 5d 4h 3c 2s",  # four of a kind
    "Ah Kh Qh Jh Th 9h 8h 7h 6h 5h 4h 3h 2h",  # a suited dragon
)

Doing = tuple[str, Fact]


class VariantActing:
    """Makes acts for one table."""

    def __init__(self, table: Table, model: VariantModel) -> None:
        self.table = table
        self.model = model

    def do(self, name: str, rng: random.Random) -> Doing:
        """Return who does what."""
        doing: Doing = getattr(self, name)(rng)
        return doing

    def go_on(self, rng: random.Random) -> Doing:
        """Return the act that brings the round forward."""
        model = self.model
        free = [gate for gate in range(4) if gate not in model.players()]
        away = [player for player in PLAYERS if player not in model.seats.values()]
        short = len(model.players()) < 2 or (model.banked and model.banker not in model.players())
        match model.phase:
            case "BETTING" if short and rng.random() < 0.3:
                return DEALER, facts.DealStarted()
            case "IDLE" | "SETTLED" | "VOID" | "SHUFFLED" | "BETTING" if short and free and away:
                return SEATS[away[0]], facts.PlaceTaken(away[0], rng.choice(free))
            case "SHUFFLED" if not (model.banked or model.unit):
                return DEALER, facts.UnitSet(100)
            case "SHUFFLED":
                return DEALER, facts.PackBoxed()
            case "BETTING" if len(model.bets) < 2:
                gates = [gate for gate in model.seats if gate != model.banker]
                if gates:
                    player, bet_id = rng.choice(PLAYERS), f"g{rng.randint(1, 1 << 30)}"
                    bet = facts.BetPlaced(bet_id, player, rng.choice(gates), stake_minor=100)
                    return SEATS[player], bet
                return DEALER, facts.DealStarted()
            case "BETTING":
                return DEALER, facts.DealStarted()
            case "DEALING":
                return rng.choice((DEALER, SHOE)), facts.PackDealt(self._dealt(rng))
            case "DEALT":
                gate = model.waiting()[0]
                return self._set(gate, laid(model.hands[gate]), rng.random() < 0.8)
            case _:
                return DEALER, facts.PackShuffled()

    def place(self, rng: random.Random) -> Doing:
        player = rng.choice(PLAYERS)
        gate = rng.choice((0, 1, 2, 3, 4, None))
        return SEATS[player], facts.PlaceTaken(player, gate)

    def leave(self, rng: random.Random) -> Doing:
        player = rng.choice(PLAYERS)
        return SEATS[player], facts.PlaceLeft(player)

    def shuffle(self, rng: random.Random) -> Doing:
        return DEALER, facts.PackShuffled()

    def cut(self, rng: random.Random) -> Doing:
        return DEALER, facts.PackCut("", rng.choice((9, 10, 42, 43)))

    def box(self, rng: random.Random) -> Doing:
        return DEALER, facts.PackBoxed()

    def unit(self, rng: random.Random) -> Doing:
        return DEALER, facts.UnitSet(rng.choice((-1, 0, 1, 250)))

    def bet(self, rng: random.Random) -> Doing:
        player, units = rng.choice(PLAYERS), rng.choice((0, 0, 0, 1))
        stake = rng.choice((0, 1, 70, 100))
        bet_id = f"b{rng.randint(1, 9)}"
        bet = facts.BetPlaced(bet_id, player, rng.randint(0, 4), units, units, stake)
        return SEATS[player], bet

    def withdraw(self, rng: random.Random) -> Doing:
        bet_id, player = self._bet(rng)
        return SEATS[player], facts.BetWithdrawn(bet_id, player)

    def move(self, rng: random.Random) -> Doing:
        bet_id, player = self._bet(rng)
        return SEATS[player], facts.BetMoved(bet_id, player, rng.randint(0, 4))

    def start(self, rng: random.Random) -> Doing:
        return DEALER, facts.DealStarted()

    def deal(self, rng: random.Random) -> Doing:
        dealt = list(self._dealt(rng))
        match rng.randint(0, 5):
            case 0 if dealt:
                dealt[0] = facts.DealtCard(dealt[0].card, rng.randint(0, 4))
            case 1 if len(dealt) > 1:
                dealt[1] = facts.DealtCard(dealt[0].card, dealt[1].gate)
            case 2:
                dealt = [facts.DealtCard(one.card, (one.gate + 1) % 5) for one in dealt]
        return DEALER, facts.PackDealt(tuple(dealt))

    def expose(self, rng: random.Random) -> Doing:
        return DEALER, facts.CardExposed(rng.randint(0, 3))

    def misdeal(self, rng: random.Random) -> Doing:
        return DEALER, facts.MisdealReported((), rng.random() < 0.5)

    def official(self, rng: random.Random) -> Doing:
        """Return an act that no variant has."""
        hand = laid(PACK[:13])
        return rng.choice(
            (
                (DEALER, facts.BankerArranged(hand)),
                (DEALER, facts.BankerOpened()),
                (SEATS["p1"], facts.HandTaken(1, "p1")),
                (DEALER, facts.ShakeStarted("house")),
                (DICE, events.DiceThrown((1, 2, 3, 4))),
                (DICE, events.ThrowVoid(events.ThrowFault.COCKED)),
            )
        )

    def lay(self, rng: random.Random) -> Doing:
        gate = rng.choice((*range(4), *range(4), 4))
        hand = self.model.hands.get(gate) or tuple(PACK[:13])
        good = laid(hand)
        lanes = rng.choice(
            (
                good,
                fouled(hand),
                None,
                None,
                laid(self.model.hands.get((gate + 1) % 4) or tuple(PACK[:13])),
                Arrangement(good.front[:2], good.middle, (*good.back, good.front[2])),
                Arrangement((good.front[0],) * 3, good.middle, good.back),
                Arrangement(("1s", *good.front[1:]), good.middle, good.back[:1]),
            )
        )
        return self._set(gate, lanes, rng.random() < 0.5)

    def not_set(self, rng: random.Random) -> Doing:
        return DEALER, facts.HandNotSet(rng.randint(0, 4))

    def void(self, rng: random.Random) -> Doing:
        return PIT, events.RoundVoided("TEST")

    def _set(self, gate: int, lanes: Arrangement | None, declare: bool) -> Doing:
        player = self.model.playing.get(gate, "p1")
        where = DEALER if player == "house" else SEATS[player]
        return where, facts.HandSet(lanes, gate, player, declare)

    def _bet(self, rng: random.Random) -> tuple[str, str]:
        if self.model.bets and rng.random() < 0.8:
            bet_id, player, *_ = rng.choice(self.model.bets)
            return bet_id, player
        return "b1", rng.choice(PLAYERS)

    def _dealt(self, rng: random.Random) -> tuple[facts.DealtCard, ...]:
        gates: Sequence[int] = sorted(self.model.playing) or (0, 1)
        if rng.random() < 0.4:
            special = tuple(rng.choice(SPECIALS).split())
            rest = rng.sample([card for card in PACK if card not in special], 39)
            first, *others = rng.sample(list(gates), len(gates))
            return (
                *(facts.DealtCard(card, first) for card in special),
                *in_turn(rest[: 13 * len(others)], others or gates)[: 13 * len(others)],
            )
        return in_turn(rng.sample(PACK, 52), gates)


ACTS = ("go_on",) * 16 + (
    "place", "place", "leave", "shuffle", "cut", "box", "unit", "bet", "bet", "withdraw", "move",
    "start", "deal", "deal", "expose", "misdeal", "official", "lay", "lay", "lay", "lay",
    "not_set", "not_set", "void", "judge", "judge",
)  # fmt: skip


def both_do(acting: VariantActing, name: str, pause: int, rng: random.Random) -> str:
    """Return the code, the same of table and model, of one act; or play the evaluator's part."""
    table, model = acting.table, acting.model
    if name in ("go_on", "judge") and model.phase == "COMPLETE":
        table.settle()
        model.phase = "SETTLED"
        return ""
    if name == "judge":
        return ""
    equipment, fact = acting.do(name, rng)
    code = table.code(equipment, fact, after_ms=pause)
    assert code == model.take(fact), (fact, code)
    return code
