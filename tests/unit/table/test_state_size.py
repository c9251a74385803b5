"""A table's state is written at every event: it must stay small."""

from floorbook.table.events import Event, SettledRoundCorrected
from floorbook.table.state import TableState, encode
from floorbook.table.step import Step
from floorbook.table.thirteen_cards import facts
from floorbook.table.thirteen_cards.shapes import CorrectedGate, ThirteenCardsCorrection
from tests.unit.table.playing import DEALER, PIT, SEATS, Table


def test_a_full_table_stays_small() -> None:
    """Eight seats, twelve bets, thirteen sources.

    Only between the last hand and the settlement is it more than two kilobytes: the table then owes
    an evaluation, and the request repeats the hands.
    """
    sizes: dict[str, int] = {}

    def measure(before: TableState, event: Event, taken: Step) -> None:
        if taken.state.game is not None:
            phase = str(taken.state.game.phase)
            sizes[phase] = max(sizes.get(phase, 0), len(encode(taken.state)))

    table = Table().open(players=len(SEATS))
    table.checks.append(measure)
    for number in range(2):
        table.to_betting()
        for index in range(12):
            player = f"p{1 + index % 8}"
            table.bet(f"bet-{number}-{index}", player, 1 + index % 3, 10_000, 1 + index % 3)
        table.lock()
        table.deal()
        table.open_banker()
        for gate in (1, 2, 3):
            table.set(gate, after_ms=20_000)
        table.settle()
    assert sizes.pop("COMPLETE") < 3_500
    assert max(sizes.values()) < 1_500, sizes
    assert len(encode(table.records[1])) < 4_500


def test_the_largest_round_can_be_stored_at_once() -> None:
    """A state and a corrected round go in one request to the broker, which takes a megabyte."""
    table = Table().open()
    table.to_betting()
    for index in range(200):
        gate = 1 + index % 3
        guest = f"{index:_>40}"
        bet = facts.BetPlaced(f"{index:B>40}", guest, gate, 10**15, 3)
        table.does(DEALER, bet)
    table.lock()
    table.deal()
    table.open_banker()
    table.signal()
    sizes = [len(encode(table.state))]
    table.settle()
    late = ThirteenCardsCorrection((CorrectedGate(1, None),))
    for _ in range(3):
        table.does(PIT, SettledRoundCorrected("T1/1", "TEST", "", late))
        sizes.append(len(encode(table.state)) + len(encode(table.records[1])))
        table.settle()
    sizes.append(len(encode(table.state)) + len(encode(table.records[1])))
    assert max(sizes) < 300_000, sizes
