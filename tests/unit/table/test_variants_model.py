"""Whatever people do at a variant's table, in whatever order, it is what the plain model of B10 says."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from floorbook.money import MovementKind
from floorbook.table.state import encode
from tests.unit.table.playing import Table, balances
from tests.unit.table.test_model import EVERY_CHECK, replayed
from tests.unit.table.variant_acting import ACTS, VariantActing, both_do
from tests.unit.table.variant_model import VariantModel
from tests.unit.table.variants import VARIANTS, VariantTable

PAUSES = (0, 100, 20_000, -3_000)


def at_a_table(rule_set: str, seed: int = 1) -> VariantActing:
    """Return acting for a table whose players have not sat down and have set no unit."""
    table = VariantTable(rule_set, seed=seed).open(players=0, unit=False)
    return VariantActing(table, VariantModel(rule_set))


def same_as(table: Table, model: VariantModel) -> None:
    """The table stands as the model says."""
    game = table.game
    assert table.phase == model.phase
    assert game.seats == model.seats
    assert list(game.seats) == sorted(game.seats)
    assert game.unit_minor == model.unit
    assert [(b.bet_id, b.player_id, b.gate, b.stake) for b in game.bets] == model.bets
    if model.locked:
        assert game.holders == model.playing
    if model.phase not in ("VOID", "IDLE"):
        hands = {gate: hand for gate, hand in enumerate(game.hands) if hand}
        assert hands == model.hands
        laid = {one.gate: (one.lanes is not None, one.declare) for one in game.laid}
        assert laid == model.laid
    owed = [type(one).__name__ for one in table.state.obligations]
    assert owed == (["Evaluation"] if model.phase == "COMPLETE" else [])
    found = balances(table.movements)
    assert sum(found.values()) == 0
    assert found.get("layout", 0) == (model.stake if model.locked else 0)


@pytest.mark.parametrize("rule_set", VARIANTS)
@settings(max_examples=15)
@given(
    acts=st.lists(
        st.tuples(st.sampled_from(ACTS), st.sampled_from(PAUSES), st.integers(0, 1 << 32)),
        max_size=80,
    )
)
def test_a_table_does_what_the_rules_say(rule_set: str, acts: list[tuple[str, int, int]]) -> None:
    acting = at_a_table(rule_set)
    acting.table.checks += EVERY_CHECK
    for name, pause, seed in acts:
        both_do(acting, name, pause, random.Random(seed))
        same_as(acting.table, acting.model)
    assert replayed(acting.table) == encode(acting.table.state)


def test_the_acts_reach_every_phase_and_code() -> None:
    """Random acts that never got far would prove nothing."""
    codes: set[str] = set()
    phases: set[str] = set()
    kinds: set[MovementKind] = set()
    rng = random.Random(7)
    for rule_set in VARIANTS:
        for seed in range(4):
            acting = at_a_table(rule_set, seed)
            for _ in range(120):
                codes.add(both_do(acting, rng.choice(ACTS), rng.choice(PAUSES), rng))
                phases.add(acting.model.phase)
            kinds |= {one.kind for one in acting.table.movements}
    assert phases == {
        "IDLE", "SHUFFLED", "BETTING", "DEALING", "DEALT", "COMPLETE", "SETTLED", "VOID", "REDEAL",
    }  # fmt: skip
    assert codes >= {
        "", "WRONG_PHASE", "HAS_PLACE", "NO_PLACE", "GATE_TAKEN", "BAD_CUT", "BETS_LOCKED",
        "UNKNOWN_GATE", "BET_ON_BANKER", "BAD_BET", "UNKNOWN_BET", "UNIT_MISSING",
        "NOT_ENOUGH_GATES", "BANKER_MISSING", "BAD_DECK", "HAND_SEEN", "NOT_HOLDER",
        "ALREADY_SET", "NO_SPECIAL", "BAD_CARD", "BAD_LANE_SIZE", "DUPLICATE_CARD",
        "CARDS_MISMATCH",
    }  # fmt: skip
    assert kinds == {MovementKind.HOLD, MovementKind.SETTLEMENT, MovementKind.RELEASE}
