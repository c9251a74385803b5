"""Whatever is in the log, the fold has an answer, and no cent is made or lost."""

import random
import re

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from floorbook.games.thirteen_cards.arrangement import Arrangement
from floorbook.money import MovementKind
from floorbook.table.events import Decision, Event, Fact, SuspensionResolved
from floorbook.table.state import Evaluation, TableState, decode, encode, obligation_id
from floorbook.table.step import Step
from floorbook.table.thirteen_cards.play import RULE_SETS
from floorbook.table.thirteen_cards.state import RESTING
from floorbook.wire import floor, movement
from tests.unit.table.model import Model
from tests.unit.table.nonsense import FACTS, Nonsense
from tests.unit.table.playing import PIT, PIT2, Table, balances
from tests.unit.table.test_model import Acting, Doing, replayed
from tests.unit.table.variant_acting import VariantActing
from tests.unit.table.variant_model import VariantModel
from tests.unit.table.variants import VariantTable


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


def follow_variant(table: Table, rule_set: str) -> VariantModel:
    """Return the same for a variant."""
    model, game = VariantModel(rule_set, table.banker), table.game
    model.phase, model.unit, model.again = str(game.phase), game.unit_minor, game.redealing
    model.seats, model.playing = dict(game.seats), dict(game.holders)
    model.bets = [(b.bet_id, b.player_id, b.gate, b.stake) for b in game.bets]
    model.hands = {gate: hand for gate, hand in enumerate(game.hands) if hand}
    model.laid = {one.gate: (one.lanes is not None, one.declare) for one in game.laid}
    return model


def sensible(table: Table, rng: random.Random) -> Doing:
    """Return the act that brings the round forward, of whatever rule set."""
    assert table.state.terms is not None
    rule_set = table.state.terms.rule_set
    if rule_set == "thirteen_cards":
        return Acting(table, follow(table)).go_on(rng)
    return VariantActing(table, follow_variant(table, rule_set)).go_on(rng)


def go_on(table: Table, rng: random.Random) -> None:
    """Do what somebody would do to bring the table forward."""
    owed = [o for o in table.state.obligations if isinstance(o, Evaluation)]
    if table.state.game is None:
        table.send(PIT, table.terms(rule_set=rng.choice(RULE_SETS)))
    elif table.state.causes and rng.random() < 0.5:
        cause = table.state.causes[0].cause_id
        decision = Decision.CONTINUE_AT if cause.startswith("hole") else Decision.RESUME
        at = table.sequences.get(cause.split("/")[1], 0) + 1
        table.send(rng.choice((PIT, PIT2)), SuspensionResolved(decision, cause, at))
    elif owed and rng.random() < 0.5:
        table.answer(obligation_id(table.state, owed[0]), table.judged(owed[0]))
    else:
        table.send(*sensible(table, rng))


def play_nonsense(seed: int, rule_set: str = "thirteen_cards", length: int = 150) -> Table:
    """Return a table at which sense and nonsense were reported in turns."""
    rng = random.Random(seed)
    official = rule_set == "thirteen_cards"
    table: Table = Table(seed=seed) if official else VariantTable(rule_set, seed=seed)
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
@pytest.mark.parametrize("rule_set", RULE_SETS)
@settings(max_examples=4, phases=[Phase.explicit, Phase.generate])
@given(seed=st.integers(0, 1 << 32))
def test_every_event_has_an_answer(rule_set: str, seed: int) -> None:
    table = play_nonsense(seed, rule_set)
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
    for seed in range(30):
        table = play_nonsense(seed, RULE_SETS[seed % 3 and seed % len(RULE_SETS)])
        kinds |= {one.kind for one in table.movements}
        for event, taken in zip(table.log, table.steps, strict=True):
            if taken.verdict.refusal:
                codes.add(taken.verdict.refusal.code)
            else:
                applied.add(type(event.fact))
    assert kinds >= {MovementKind.HOLD, MovementKind.SETTLEMENT, MovementKind.RELEASE}
    assert codes >= {"SUSPENDED", "CONFLICT", "SEQUENCE_GAP", "NOT_ALLOWED", "UNKNOWN_EQUIPMENT"}
    assert len(applied) > len(FACTS) // 2, applied
