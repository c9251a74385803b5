"""Decides which layouts are open: with money that a round put there and has not taken away again.

Between rounds a layout is zero, so one that stays open is an alarm. What was open before this process began is
not known and not counted: finding out would mean adding up all postings at every start.
"""

from floorbook.ledger.accounts import layout
from floorbook.ledger.journal import Entry
from floorbook.money import MovementKind

# By these a round puts money on the layout: at the lock, or again when its settlement is taken back.
_OPENING = (MovementKind.HOLD, MovementKind.REVERSAL)


class OpenLayouts:
    """The rounds whose entries, since one was opened here, leave something on the layout."""

    def __init__(self) -> None:
        """Return no open layout."""
        self._rounds: dict[str, dict[str, int]] = {}  # table, round, minor units

    def note(self, entry: Entry) -> None:
        """Return after adding what `entry` puts on or takes from its table's layout."""
        rounds = self._rounds.get(entry.table_id, {})
        if entry.round_id not in rounds and entry.kind not in _OPENING:
            return
        name = layout(entry.table_id)
        moved = sum(posting.amount for posting in entry.postings if posting.account == name)
        left = rounds.get(entry.round_id, 0) + moved
        if left:
            self._rounds.setdefault(entry.table_id, rounds)[entry.round_id] = left
            return
        rounds.pop(entry.round_id, None)
        if not rounds:
            self._rounds.pop(entry.table_id, None)

    def tables(self) -> int:
        """Return how many tables have an open layout."""
        return len(self._rounds)

    def clear(self) -> None:
        """Return after forgetting all, as when other partitions are assigned."""
        self._rounds.clear()
