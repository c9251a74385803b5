"""Whatever is in the log, the fold has an answer, and no cent is made or lost."""

import random
import re

from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from floorbook.games.thirteen_cards.arrangement import Arrangement
from floorbook.money import MovementKind
from floorbook.table.events import Decision, Event, Fact, SuspensionResolved
from floorbook.table.state import Evaluation, TableState, decode, encode, obligation_id
from floorbook.table.step import Step
from floorbook.table.thirteen_cards.state import RESTING
from floorbook.wire import floor, movement
from tests.unit.table.model import Model
from tests.unit.table.nonsense import FACTS, Nonsense
from tests.unit.table.playing import PIT, PIT2, Table, balances
from tests.unit.table.test_model import Acting, replayed


def writable(before: TableState, event: Event, taken: Step) -> None:
    """What comes out can be written: state, floor record and movements."""
    assert decode(encode(taken.state), TableState) == taken.state
    assert floor.encode(taken, event)
    for one in taken.effects.movements:
        assert movement.decode(movement.encode(one)) == one
    if taken.verdict.refusal is not None:
        assert re.fullmatch(r"[A-Z][A-Z_]+", taken.verdict.refusal.code)
        assert not taken.effects.movements


def follow(table: Table) -> Model:
    """Return a model that stands where the table does, from which sensible acts can be chosen."""
    model, game = Model(table.banker), table.game
    model.phase = str(game.phase)
    model.bets = [[b.bet_id, b.player_id, b.gate, b.unit_minor, b.units] for b in game.bets]
    model.cuts, model.holders, model.dice = len(game.cuts), dict(game.holders), game.dice
    model.places = list(game.places)
    model.hands = {gate: set(hand) for gate, hand in enumerate(game.hands)}
    banker = game.banker
    model.lanes = Arrangement(banker.front, banker.middle, banker.back) if banker else None
    model.laid = {one.gate: one.elapsed_ms for one in game.laid}
    return model


def go_on(table: Table, rng: random.Random) -> None:
    """Do what somebody would do to bring the table forward."""
    owed = [o for o in table.state.obligations if isinstance(o, Evaluation)]
    if table.state.game is None:
        table.send(PIT, table.terms())
    elif table.state.causes and rng.random() < 0.5:
        cause = table.state.causes[0].cause_id
        decision = Decision.CONTINUE_AT if cause.startswith("hole") else Decision.RESUME
        at = table.sequences.get(cause.split("/")[1], 0) + 1
        table.send(rng.choice((PIT, PIT2)), SuspensionResolved(decision, cause, at))
    elif owed and rng.random() < 0.5:
        table.answer(obligation_id(table.state, owed[0]), table.judged(owed[0]))
    else:
        table.send(*Acting(table, follow(table)).go_on(rng))


def play_nonsense(seed: int, length: int = 150) -> Table:
    """Return a table at which sense and nonsense were reported in turns."""
    rng = random.Random(seed)
    table = Table(seed=seed)
    table.checks.append(writable)
    if rng.random() < 0.9:
        table.open(players=3)
    nonsense = Nonsense(table, rng)
    for _ in range(length):
        if rng.random() < 0.6:
            go_on(table, rng)
            continue
        event, before = nonsense.event(), table.state.sources
        if table.take(event).state.sources != before:
            table.sequences[event.equipment_id] = event.sequence
            table.boots[event.equipment_id] = event.boot
    return table


# Without shrinking: a smaller seed is no simpler game.
@settings(max_examples=15, deadline=None, phases=[Phase.explicit, Phase.generate])
@given(st.integers(0, 1 << 32))
def test_every_event_has_an_answer(seed: int) -> None:
    table = play_nonsense(seed)
    found = balances(table.movements)
    assert sum(found.values()) == 0
    playing = table.state.game is not None and table.game.phase not in RESTING
    if not playing and not table.state.obligations:
        assert "layout" not in found
    assert [m.number for m in table.movements] == list(range(1, len(table.movements) + 1))
    assert replayed(table, lambda event: event) == encode(table.state)


def test_the_nonsense_reaches_everything() -> None:
    codes: set[str] = set()
    kinds: set[MovementKind] = set()
    applied: set[type[Fact]] = set()
    for seed in range(25):
        table = play_nonsense(seed)
        kinds |= {one.kind for one in table.movements}
        for event, taken in zip(table.log, table.steps, strict=True):
            if taken.verdict.refusal:
                codes.add(taken.verdict.refusal.code)
            else:
                applied.add(type(event.fact))
    assert kinds >= {MovementKind.HOLD, MovementKind.SETTLEMENT, MovementKind.RELEASE}
    assert codes >= {"SUSPENDED", "CONFLICT", "SEQUENCE_GAP", "NOT_ALLOWED", "UNKNOWN_EQUIPMENT"}
    assert len(applied) > len(FACTS) // 2, applied
