"""Records of rounds are stored before the state: after a crash between them all comes out the same.

What is folded again then finds records that hold the effects of events that the state does not know
yet, and must neither refuse nor book anything else than it did the first time.
"""

from floorbook.table import events
from floorbook.table.effects import Verdict
from floorbook.table.refuse import Recall
from floorbook.table.state import ROUNDS_KEPT, RoundRecord, TableState
from floorbook.table.step import step
from floorbook.table.thirteen_cards.shapes import CorrectedGate, ThirteenCardsCorrection
from tests.unit.table.playing import DEALER, PIT, Table


def test_what_is_folded_again_beside_newer_records_comes_out_the_same() -> None:
    table = Table().open()
    states: list[TableState] = []
    records: list[dict[int, RoundRecord]] = []
    table.checks.append(lambda before, event, taken: states.append(before))
    table.checks.append(lambda before, event, taken: records.append(dict(table.records)))
    start = len(table.log)
    late = ThirteenCardsCorrection((CorrectedGate(1, None),))
    correction = events.SettledRoundCorrected("T1/1", "MISREAD", "", late)
    void = events.SettledRoundVoided("T1/1", "TEST")
    assert table.code(PIT, void) == "UNKNOWN_ROUND"
    table.to("COMPLETE")
    assert table.code(PIT, void) == "ROUND_NOT_SETTLED"
    first_id, answer = table.owed_id(), table.judged()
    table.settle()
    assert table.answer(first_id, answer).verdict == Verdict(known=True)
    table.does(PIT, correction)
    assert table.code(PIT, correction) == "ROUND_UNDER_CORRECTION"
    table.settle()
    table.does(PIT, correction)
    table.settle()
    table.does(PIT, void)
    assert table.code(PIT, void) == "ROUND_VOID"
    table.does(DEALER, events.ViewAsked())
    log, steps = table.log[start:], table.steps[start:]
    for stored in range(len(log)):
        for written in range(stored, len(log)):
            state, kept = states[stored], dict(records[written])
            for event, once in zip(log[stored:], steps[stored:], strict=True):
                again = step(state, event, Recall(kept))
                assert again == once
                state = again.state
                kept |= {one.round_number % ROUNDS_KEPT: one for one in again.effects.records}
