"""Whatever people do at a table, in whatever order, it is what the plain model of A12 says."""

import random
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from floorbook.games.thirteen_cards.arrangement import Arrangement
from floorbook.money import MovementKind
from floorbook.table import events
from floorbook.table.effects import Verdict
from floorbook.table.events import Event, Fact
from floorbook.table.refuse import Recall
from floorbook.table.state import (
    ROUNDS_KEPT,
    RoundRecord,
    TableState,
    decode,
    encode,
    fresh,
)
from floorbook.table.step import Step, step
from floorbook.table.thirteen_cards import facts
from floorbook.wire import envelope, movement
from tests.unit.table.model import THE_PACK, Model
from tests.unit.table.playing import (
    DEALER,
    DICE,
    PIT,
    SEATS,
    Table,
    balances,
    cards,
    dealt,
    fouled,
    laid,
)

PLAYERS = ("p1", "p2", "p3", "p4")
SOME_HAND = cards("As Ks Qs Js Ts 9s 8s 7s 6s 5s 4s 3s 2s")

Doing = tuple[str, Fact]


class Acting:
    """Makes acts, sensible and not, for a table as the model knows it."""

    def __init__(self, table: Table, model: Model) -> None:
        self.table = table
        self.model = model

    def do(self, name: str, rng: random.Random) -> Doing:
        """Return who does what."""
        doing: Doing = getattr(self, name)(rng)
        return doing

    def go_on(self, rng: random.Random) -> Doing:
        """Return the act that brings the round forward."""
        match self.model.phase:
            case "SHUFFLED":
                return self.box(rng) if self.model.cuts else (DEALER, facts.PackCut("", 20))
            case "BETTING" if len(self.model.bets) < 2:
                player, bet_id = rng.choice(PLAYERS), f"g{rng.randint(1, 1 << 30)}"
                return SEATS[player], facts.BetPlaced(bet_id, player, rng.randint(1, 3), 100, 2)
            case "BETTING":
                return DEALER, facts.ShakeStarted(self.model.shaker())
            case "LOCKED":
                return DICE, events.DiceThrown(tuple(rng.randint(1, 6) for _ in range(4)))
            case "DEALING":
                return DEALER, facts.PackDealt(dealt(self._shuffled(rng), self.model.dice))
            case "DEALT" if self.model.lanes is None:
                return DEALER, facts.BankerArranged(laid(self._hand(self.model.banker)))
            case "DEALT":
                return DEALER, facts.BankerOpened()
            case "OPENED":
                gate = min(set(self.model.holders) - set(self.model.laid))
                return self._set(gate, laid(self._hand(gate)))
            case _:
                return DEALER, facts.PackShuffled()

    def place(self, rng: random.Random) -> Doing:
        player = rng.choice(PLAYERS)
        return SEATS[player], facts.PlaceTaken(player)

    def leave(self, rng: random.Random) -> Doing:
        player = rng.choice(PLAYERS)
        return SEATS[player], facts.PlaceLeft(player)

    def shuffle(self, rng: random.Random) -> Doing:
        return DEALER, facts.PackShuffled()

    def cut(self, rng: random.Random) -> Doing:
        return DEALER, facts.PackCut("", rng.choice((9, 10, 30, 42, 43)))

    def box(self, rng: random.Random) -> Doing:
        return DEALER, facts.PackBoxed()

    def bet(self, rng: random.Random) -> Doing:
        player = rng.choice(PLAYERS)
        gate = rng.choice((0, 1, 1, 2, 2, 3, 3, 4))
        unit, units = rng.choice((0, 100, 100, 300)), rng.choice((0, 1, 2, 3, 3, 4))
        return SEATS[player], facts.BetPlaced(f"b{rng.randint(1, 9)}", player, gate, unit, units)

    def withdraw(self, rng: random.Random) -> Doing:
        bet_id, player = self._bet(rng)
        return SEATS[player], facts.BetWithdrawn(bet_id, player)

    def move(self, rng: random.Random) -> Doing:
        bet_id, player = self._bet(rng)
        return SEATS[player], facts.BetMoved(bet_id, player, rng.randint(0, 4))

    def shake(self, rng: random.Random) -> Doing:
        return DEALER, facts.ShakeStarted(rng.choice((*PLAYERS, "house")))

    def throw(self, rng: random.Random) -> Doing:
        values = rng.choice(((1, 2, 3, 4), (6, 6, 6, 6), (0, 1, 1, 1), (1, 2, 3)))
        return rng.choice((DICE, DEALER)), events.DiceThrown(values)

    def cocked(self, rng: random.Random) -> Doing:
        return DICE, events.ThrowVoid(events.ThrowFault.COCKED)

    def deal(self, rng: random.Random) -> Doing:
        order = self._shuffled(rng)
        if rng.random() < 0.2:
            order[1] = order[0]
        wrong = {card: rng.randint(0, 4) for card in rng.sample(order, rng.choice((0, 1, 3)))}
        return DEALER, facts.PackDealt(dealt(order, self.model.dice or (1, 1, 1, 1), 0, wrong))

    def expose(self, rng: random.Random) -> Doing:
        return DEALER, facts.CardExposed(rng.randint(0, 3))

    def misdeal(self, rng: random.Random) -> Doing:
        order = list(self.table.order()) if self.model.hands else sorted(THE_PACK)
        if rng.random() < 0.2:
            i, j = rng.sample(range(52), 2)
            order[i], order[j] = order[j], order[i]
        wrong = {card: rng.randint(0, 3) for card in rng.sample(order, rng.choice((0, 1, 1, 2)))}
        report = dealt(order, self.model.dice or (1, 1, 1, 1), 0, wrong)
        return DEALER, facts.MisdealReported(report, rng.random() < 0.7)

    def arrange(self, rng: random.Random) -> Doing:
        return DEALER, facts.BankerArranged(self._lanes(self.model.banker, rng))

    def open(self, rng: random.Random) -> Doing:
        return DEALER, facts.BankerOpened()

    def take(self, rng: random.Random) -> Doing:
        gate = rng.randint(0, 4)
        player = self.model.holders.get(gate, "p1") if rng.random() < 0.8 else "p2"
        where = DEALER if player == "house" else SEATS[player]
        return where, facts.HandTaken(gate, player)

    def lay(self, rng: random.Random) -> Doing:
        gate = rng.randint(0, 4)
        return self._set(gate, self._lanes(gate, rng))

    def void(self, rng: random.Random) -> Doing:
        return PIT, events.RoundVoided("TEST")

    def _set(self, gate: int, lanes: Arrangement) -> Doing:
        player = self.model.holders.get(gate, "p1")
        return (DEALER if player == "house" else SEATS[player]), facts.HandSet(lanes, gate, player)

    def _hand(self, gate: int) -> tuple[str, ...]:
        hand = self.model.hands.get(gate)
        return tuple(sorted(hand)) if hand else SOME_HAND

    def _lanes(self, gate: int, rng: random.Random) -> Arrangement:
        good = laid(self._hand(gate))
        return rng.choice(
            (
                good,
                good,
                fouled(self._hand(gate)),
                laid(self._hand((gate + 1) % 4)),
                laid(self._hand((gate + 2) % 4)),
                Arrangement(good.front[:2], good.middle, (*good.back, good.front[2])),
                Arrangement((good.front[0],) * 3, good.middle, good.back),
                Arrangement(("1s", *good.front[1:]), good.middle, good.back[:1]),
            )
        )

    def _bet(self, rng: random.Random) -> tuple[str, str]:
        if self.model.bets and rng.random() < 0.8:
            bet_id, player, *_ = rng.choice(self.model.bets)
            return str(bet_id), str(player)
        return "b1", rng.choice(PLAYERS)

    def _shuffled(self, rng: random.Random) -> list[str]:
        return rng.sample(sorted(THE_PACK), 52)


ACTS = ("go_on",) * 14 + (
    "place", "leave", "shuffle", "cut", "box", "bet", "withdraw", "move", "shake", "throw",
    "cocked", "deal", "expose", "deal", "misdeal", "misdeal", "arrange", "arrange", "open", "take", "take", "lay", "lay", "lay",
    "lay", "void", "signal", "late_signal", "judge", "judge",
)  # fmt: skip
PAUSES = (0, 100, 100, 100, 20_000, 150_000, -3_000)


def same_as(table: Table, model: Model) -> None:
    """The table stands as the model says."""
    game = table.game
    assert table.phase == model.phase
    assert game.places == tuple(model.places)
    bets = [[b.bet_id, b.player_id, b.gate, b.unit_minor, b.units] for b in game.bets]
    assert bets == model.bets
    if model.locked:
        assert game.holders == model.holders
    if model.phase not in ("VOID", "IDLE"):
        assert {gate: set(hand) for gate, hand in enumerate(game.hands)} == model.hands
        assert set(game.taken) == model.taken
        assert {one.gate: one.elapsed_ms for one in game.laid} == model.laid
        assert (game.banker is None) == (model.lanes is None)
    owed = sorted(type(one).__name__ for one in table.state.obligations)
    assert owed == {"OPENED": ["Timer"], "COMPLETE": ["Evaluation"]}.get(model.phase, [])
    found = balances(table.movements)
    assert sum(found.values()) == 0
    assert found.get("layout", 0) == (model.stake if model.locked else 0)


def only_the_source_counts(before: TableState, event: Event, taken: Step) -> None:
    """A refused event changes nothing but its source's counter and the place in the log."""
    if taken.verdict.refusal is None or taken.state is before:
        return
    after = replace(taken.state, sources=before.sources, offset=before.offset)
    assert encode(after) == encode(before)
    assert taken.effects == type(taken.effects)()
    changed = [s for s in taken.state.sources if s not in before.sources]
    assert [s.equipment_id for s in changed] == [event.equipment_id]


def stored_is_whole(before: TableState, event: Event, taken: Step) -> None:
    """The state comes back from its stored form as it was, and has but one."""
    stored = encode(taken.state)
    assert decode(stored, TableState) == taken.state
    assert encode(decode(stored, TableState)) == stored
    for record in taken.effects.records:
        assert decode(encode(record), RoundRecord) == record


def ledger_can_read(before: TableState, event: Event, taken: Step) -> None:
    """What is to be booked can be, under the next numbers."""
    for index, one in enumerate(taken.effects.movements):
        assert one.number == before.movements + index + 1
        assert (one.offset, one.index) == (event.offset, index)
        assert movement.decode(movement.encode(one)) == one
    assert taken.state.movements == before.movements + len(taken.effects.movements)


def folded_again_is_known(before: TableState, event: Event, taken: Step) -> None:
    """The same event once more, later in the log, changes nothing and gets the same verdict."""
    if not event.equipment_id:
        return
    again = step(taken.state, replace(event, offset=event.offset + 1), Recall({}))
    assert again.state is taken.state
    assert again.verdict == Verdict(taken.verdict.refusal, known=True)


EVERY_CHECK = (only_the_source_counts, stored_is_whole, ledger_can_read, folded_again_is_known)


def from_the_wire(event: Event) -> Event:
    """Return the event as it is read after it was written."""
    value = envelope.encode(event)
    read = envelope.decode(value, event.table_id.encode(), event.partition, event.offset)
    assert isinstance(read, Event)
    return read


def replayed(table: Table, reading: Callable[[Event], Event] = from_the_wire) -> bytes:
    """Return the state that the log gives when it is read into nothing."""
    state = fresh(table.table_id, 0)
    records: dict[int, RoundRecord] = {}
    for event in table.log:
        taken = step(state, reading(event), Recall(records))
        state = taken.state
        records |= {one.round_number % ROUNDS_KEPT: one for one in taken.effects.records}
    assert records == table.records
    return encode(state)


def both_do(acting: Acting, name: str, pause: int, rng: random.Random) -> str:
    """Return the code, the same of table and model, of one act; or play the clock's or evaluator's part."""
    table, model = acting.table, acting.model
    if name in ("go_on", "judge") and model.phase == "COMPLETE":
        table.settle()
        model.phase, model.time = "SETTLED", table.state.table_time_ms
    elif name == "signal" and model.phase == "OPENED":
        table.signal()
        model.signal(table.now_ms)
    elif name == "late_signal":
        before = table.state
        stale = f"T1/{before.round_number}/timer/{model.openings - 1}"
        late = table.answer(stale, events.TimerExpired())
        assert late.verdict.refusal is not None
        assert late.verdict.refusal.code == "STALE_TIMER"
        assert table.state is before
    elif name not in ("judge", "signal"):
        equipment, fact = acting.do(name, rng)
        code = table.code(equipment, fact, after_ms=pause)
        assert code == model.take(fact, table.now_ms), fact
        return code
    return ""


@pytest.mark.parametrize("reject", [False, True])
@settings(max_examples=60)
@given(
    acts=st.lists(
        st.tuples(st.sampled_from(ACTS), st.sampled_from(PAUSES), st.integers(0, 1 << 32)),
        max_size=90,
    )
)
def test_a_table_does_what_the_rules_say(reject: bool, acts: list[tuple[str, int, int]]) -> None:
    flags = '{"banker_foul":"reject"}' if reject else "{}"
    table = Table().open(players=4, flags=flags)
    table.checks += EVERY_CHECK
    model = Model(reject=reject)
    model.places += PLAYERS
    model.time = table.state.table_time_ms
    acting = Acting(table, model)
    for name, pause, seed in acts:
        both_do(acting, name, pause, random.Random(seed))
        same_as(table, model)
    assert replayed(table) == encode(table.state)


def test_the_acts_reach_every_phase_and_code() -> None:
    """Random acts that never got far would prove nothing."""
    codes: set[str] = set()
    phases: set[str] = set()
    kinds: set[MovementKind] = set()
    rng = random.Random(5)
    for _ in range(30):
        table = Table().open(players=4)
        model = Model()
        model.places += PLAYERS
        model.time = table.state.table_time_ms
        acting = Acting(table, model)
        for _ in range(120):
            codes.add(both_do(acting, rng.choice(ACTS), rng.choice(PAUSES), rng))
            phases.add(model.phase)
        kinds |= {one.kind for one in table.movements}
    assert phases == {
        "IDLE", "SHUFFLED", "BETTING", "LOCKED", "DEALING", "DEALT", "OPENED", "COMPLETE",
        "SETTLED", "VOID", "REDEAL",
    }  # fmt: skip
    assert codes >= {
        "", "WRONG_PHASE", "HAS_PLACE", "NO_PLACE", "BAD_CUT", "CUT_MISSING", "BETS_LOCKED",
        "UNKNOWN_GATE", "BET_ON_BANKER", "BAD_BET", "UNKNOWN_BET", "NOT_SHAKER", "BAD_DICE",
        "BAD_DECK", "NO_MISDEAL", "HAND_SEEN", "CARDS_TAKEN", "BAD_CARD", "BAD_LANE_SIZE",
        "DUPLICATE_CARD", "CARDS_MISMATCH", "BANKER_NOT_ARRANGED", "BANKER_NOT_OPENED", "TIME_UP",
        "NOT_HOLDER", "ALREADY_SET",
    }  # fmt: skip
    assert kinds == {MovementKind.HOLD, MovementKind.SETTLEMENT, MovementKind.RELEASE}
