"""Decides what the records of the streams come to, each fact once however often it is written.

Derived records name the event behind them: its offset, and their index among what it brought about. Within a
topic's partition these only grow, so what is not above the last one seen is a repeat. Records in quarantine
have no such order and are known by what they name, within a window.

Rounds are counted by event and nothing is taken back: a round that is voided after its settlement is counted
as settled and as void. Money comes from two streams: what is held from the movements, and what the house wins
from the ledger's entries, because there a reversal has postings of its own and needs no memory.
"""

import hashlib
from collections import OrderedDict, defaultdict, deque

from msgspec import Struct, field

from floorbook import ids, money
from floorbook.money import Movement, MovementKind
from floorbook.topics import Place
from floorbook.wire.quarantine import Quarantined

Position = tuple[int, int]
"""Offset of an event, and the index of a record among what the event brought about."""
RuleSet = tuple[str, str]
"""A game and one of its rule sets."""
WINDOW = 10_000
"""Records of quarantine that are remembered at once."""
WINDOW_KEPT = 100
"""Of those, how many a partition's mark carries over a restart."""

BEFORE_SETTLEMENT = "before_settlement"
AFTER_SETTLEMENT = "after_settlement"

_MARK = "1/"  # the form of a mark; another form is not understood
# What finance reads names accounts; these endings and beginnings say what is the house's.
_TABLE, _BANKS = "table/", ("/" + money.BANK, "/" + money.COBANK)
_COMMISSION, _CHARGE = f"house/{money.COMMISSION}/", f"house/{money.CHARGE}/"


class Folded(Struct, frozen=True, gc=False):
    """What is counted of a floor record: an event as it was folded.

    `refusal` is empty unless the event was refused for the first time, `void` unless it made a round void.
    """

    position: Position
    rule_set: RuleSet
    refusal: str = ""
    opened: bool = False
    void: str = ""


class Booked(Struct, frozen=True, gc=False):
    """What is counted of a journal entry; `settled_after_microseconds` only of a settlement."""

    position: Position
    kind: MovementKind
    rule_set: RuleSet
    currency: str
    postings: tuple[tuple[str, int], ...] = ()
    settled_after_microseconds: int | None = None


Counts = defaultdict[tuple[str, ...], int]
"""Numbers by the values of a metric's labels, in the catalogue's order."""


def _counts() -> Counts:
    return defaultdict(int)


class Tally(Struct):
    """Figures to be added to what is shown; the fields are named after the catalogue's metrics."""

    rounds_opened: Counts = field(default_factory=_counts)
    rounds_settled: Counts = field(default_factory=_counts)
    rounds_void: Counts = field(default_factory=_counts)
    reversals: Counts = field(default_factory=_counts)
    bets: Counts = field(default_factory=_counts)
    handle: Counts = field(default_factory=_counts)
    handle_released: Counts = field(default_factory=_counts)
    house_win: Counts = field(default_factory=_counts)
    commission: Counts = field(default_factory=_counts)
    charge: Counts = field(default_factory=_counts)
    movements: Counts = field(default_factory=_counts)
    entries: Counts = field(default_factory=_counts)
    refusals: Counts = field(default_factory=_counts)
    quarantined: Counts = field(default_factory=_counts)
    records: Counts = field(default_factory=_counts)
    repeats: Counts = field(default_factory=_counts)
    unreadable: Counts = field(default_factory=_counts)
    own_quarantined: Counts = field(default_factory=_counts)
    settled_after_microseconds: list[tuple[RuleSet, int]] = field(default_factory=list)


class Count:
    """What has been read and is not shown yet, and what has been seen, by partition."""

    def __init__(self) -> None:
        """Return a count that has seen nothing."""
        self.tally = Tally()
        self._seen: dict[Place, Position] = {}
        self._window: OrderedDict[str, None] = OrderedDict()
        self._kept: dict[Place, deque[str]] = {}

    def take(self) -> Tally:
        """Return the figures so far; counting begins anew, what was seen stays seen."""
        taken, self.tally = self.tally, Tally()
        return taken

    def forget(self) -> None:
        """Return after forgetting figures and all that was seen, as when partitions are assigned anew."""
        self.tally = Tally()
        self._seen.clear()
        self._window.clear()
        self._kept.clear()

    def mark(self, place: Place) -> str:
        """Return what was seen in a partition as a short text, to be kept beside its offset."""
        if place in self._kept:
            return _MARK + ",".join(self._kept[place])
        offset, index = self._seen.get(place, (-1, -1))
        return f"{_MARK}{offset}.{index}" if offset >= 0 else _MARK

    def resume(self, place: Place, mark: str, *, ordered: bool = True) -> bool:
        """Return whether `mark` is understood; go on from there, or as if nothing had been seen.

        The records of quarantine are not `ordered`.
        """
        if not mark.startswith(_MARK):
            return not mark
        text = mark.removeprefix(_MARK)
        if not ordered:
            for one in text.split(",") if text else ():
                self._remember(place, one)
            return True
        if not text:
            return True
        offset, _, index = text.partition(".")
        if not (offset.isdecimal() and index.isdecimal()):
            return False
        self._seen[place] = (int(offset), int(index))
        return True

    def folded(self, place: Place, record: Folded) -> None:
        """Return after counting an event as the floor sees it."""
        if not self._is_new(place, record.position):
            return
        if record.refusal:
            self.tally.refusals[(record.refusal,)] += 1
        if record.opened:
            self.tally.rounds_opened[record.rule_set] += 1
        if record.void:
            self.tally.rounds_void[(*record.rule_set, record.void)] += 1

    def movement(self, place: Place, movement: Movement) -> None:
        """Return after counting what a table wants booked."""
        if not self._is_new(place, (movement.offset, movement.index)):
            return
        tally = self.tally
        rule_set = (movement.game, movement.rule_set)
        tally.movements[(movement.kind.value,)] += 1
        match movement.kind:
            case MovementKind.HOLD:
                # What a bank or co-bank puts up is no bet, whoever's it is.
                held = [t.amount for t in movement.transfers if money.is_bet(t)]
                tally.bets[rule_set] += len(held)
                tally.handle[(movement.game, movement.currency)] += sum(held)
            case MovementKind.RELEASE:
                tally.handle_released[(movement.game, movement.currency)] += sum(
                    t.amount for t in movement.transfers if money.is_bet(t)
                )
            case MovementKind.SETTLEMENT:
                if movement.movement_id == ids.settlement_id(movement.round_id, 1):
                    tally.rounds_settled[rule_set] += 1
            case MovementKind.REVERSAL:
                tally.reversals[rule_set] += 1

    def entry(self, place: Place, entry: Booked) -> None:
        """Return after counting what the ledger booked.

        All kinds of entries count for the house's accounts: what its bank puts on the layout at the lock
        is missing there until the settlement gives it back.
        """
        if not self._is_new(place, entry.position):
            return
        tally = self.tally
        tally.entries[(entry.kind.value,)] += 1
        purse = (entry.rule_set[0], entry.currency)
        for account, amount in entry.postings:
            if account.startswith(_TABLE) and account.endswith(_BANKS):
                tally.house_win[purse] += amount
            elif account.startswith(_COMMISSION):
                tally.commission[purse] += amount
            elif account.startswith(_CHARGE):
                tally.charge[purse] += amount
        if entry.settled_after_microseconds is not None:
            tally.settled_after_microseconds.append(
                (entry.rule_set, entry.settled_after_microseconds)
            )

    def quarantined(self, place: Place, record: Quarantined) -> None:
        """Return after counting what somebody could not read.

        What lies in no topic is counted whenever it is reported: nothing else tells two apart.
        """
        if record.topic:
            known = _fingerprint(record)
            if known in self._window:
                self.tally.repeats[(place[0],)] += 1
                return
            self._remember(place, known)
        self.tally.quarantined[(record.topic, record.reason)] += 1

    def _is_new(self, place: Place, position: Position) -> bool:
        if position <= self._seen.get(place, (-1, -1)):
            self.tally.repeats[(place[0],)] += 1
            return False
        self._seen[place] = position
        return True

    def _remember(self, place: Place, known: str) -> None:
        self._window[known] = None
        if len(self._window) > WINDOW:
            self._window.popitem(last=False)
        self._kept.setdefault(place, deque(maxlen=WINDOW_KEPT)).append(known)


def _fingerprint(record: Quarantined) -> str:
    named = f"{record.topic}\t{record.partition}\t{record.offset}\t{record.reason}"
    return hashlib.blake2b(named.encode(), digest_size=6).hexdigest()
