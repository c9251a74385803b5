"""Decides how the simulation misbehaves: what is sent wrong, lost, repeated or refused, and what must come of it.

Every trick says in the tally what it has done, so that nothing is left unexplained in the end.
"""

from collections.abc import Awaitable, Callable
from typing import Final

from floorbook.demo import people
from floorbook.demo.casino import LEAST_UNIT_MINOR, chance
from floorbook.demo.client import Act, Stranger
from floorbook.demo.devices import OwnLine
from floorbook.demo.play import Actor, AtTable, Conduct, RoundIsVoid, SettledRound
from floorbook.demo.script import Script, Trick
from floorbook.demo.terminals import NotTaken
from floorbook.games.thirteen_cards.arrangement import Arrangement
from floorbook.gateway.frames import ETX, STX
from floorbook.gateway.refusals import Reason
from floorbook.table.events import (
    Decision,
    DiceThrown,
    Fact,
    RoundVoided,
    SettledRoundCorrected,
    SettledRoundVoided,
    ShuffleSealed,
    SuspensionResolved,
    ThrowFault,
    ThrowVoid,
)
from floorbook.table.state import CORRECTABLE, CauseKind
from floorbook.table.thirteen_cards import facts
from floorbook.table.thirteen_cards.shapes import CorrectedGate, ThirteenCardsCorrection

HURRIED_LIMIT_MS: Final = 1_500
"""The time for arranging at tables that misbehave: nobody wants to wait five minutes for who is late."""

_NOISE: Final = b"\xff\x00\x55"
_BAD_FRAME: Final = STX + b"no frame at all, but long enough for one" + ETX

Knock = Callable[[Act], Awaitable[object]]


class Mischief(Conduct):
    """Conduct in which the tricks of a round's script happen."""

    hurried = True

    def __init__(self, knock: Knock | None = None) -> None:
        """Return the conduct; `knock` sends an act with a token that nobody has."""
        self._knock = knock

    async def before_bets(self, at: AtTable, script: Script) -> None:
        """Return when the tricks of a table that is open for bets are done."""
        for trick, play in (
            (Trick.NOISE, _noise),
            (Trick.UNREADABLE, _unreadable),
            (Trick.STRANGER, self._stranger),
            (Trick.DUPLICATE, _duplicates),
            (Trick.WRONG_ACT, _wrong_acts),
            (Trick.RESTART, _restart),
        ):
            if trick in script.tricks:
                await play(at, script)
        if Trick.VOID in script.tricks and _coin(script, Trick.VOID):
            _count(at, Trick.VOID)
            await at.void("GUESTS_QUARREL")

    async def before_throw(self, at: AtTable, script: Script) -> None:
        """Return when the tricks between lock and throw are done."""
        if Trick.WRONG_ACT in script.tricks:
            player = at.players[0]
            late = facts.BetPlaced("late", player.person_id, _other_gate(at), LEAST_UNIT_MINOR, 1)
            await _refused(at, player, late, "BETS_LOCKED")
        if Trick.VOID_THROW in script.tricks:
            _count(at, Trick.VOID_THROW)
            cocked = ThrowVoid(ThrowFault.COCKED, (*script.dice[:3], 0))
            await at.must_read(await at.dice.report(cocked))

    async def throw(self, at: AtTable, script: Script) -> None:
        """Return when the table has taken the valid throw."""
        if Trick.GAP in script.tricks:
            await _gap(at, script)
        else:
            await super().throw(at, script)
        if Trick.VOID in script.tricks and not _coin(script, Trick.VOID):
            _count(at, Trick.VOID)
            await at.void("TABLE_CLEARED")

    async def after_deal(self, at: AtTable, script: Script, cards: list[tuple[str, int]]) -> bool:
        """Return whether the deal stands after a misdeal was found."""
        if not script.tricks & {Trick.MISDEAL, Trick.REDEAL}:
            return True
        # Two neighbours in the order of dealing lie at each other's gate.
        place = chance(script.seed, "misdeal").randrange(len(cards) - 1)
        (first, gate), (second, next_gate) = cards[place : place + 2]
        cards = [*cards[:place], (first, next_gate), (second, gate), *cards[place + 2 :]]
        recoverable = Trick.REDEAL not in script.tricks
        _count(at, Trick.MISDEAL if recoverable else Trick.REDEAL)
        dealt = tuple(facts.DealtCard(*each) for each in cards)
        await at.must(at.dealer, facts.MisdealReported(dealt, recoverable))
        seen, phase = at.dealer.seen, "DEALT" if recoverable else "REDEAL"
        await seen.until("the misdeal's end", lambda: seen.phase == phase)
        return recoverable

    def lays(
        self, at: AtTable, script: Script, gate: int, cards: tuple[str, ...], banker: Arrangement
    ) -> Arrangement | None:
        """Return how the holder lays his cards; the holder of the first gate may foul or be late."""
        if gate == min(at.dealer.seen.holders):
            if Trick.LATE in script.tricks:
                _count(at, Trick.LATE)
                return None
            if Trick.FOUL in script.tricks:
                _count(at, Trick.FOUL)
                return people.fouls(cards, at.rules)
        return super().lays(at, script, gate, cards, banker)

    async def after_round(self, at: AtTable, script: Script) -> None:
        """Return when settled rounds are corrected and voided."""
        choice = chance(script.seed, "afterwards")
        for trick, play in ((Trick.CORRECTED, _correct), (Trick.VOID_SETTLED, _void_settled)):
            # A table has a round for each script, and keeps the last ones.
            kept = [one for one in at.settled if script.number - one.number < CORRECTABLE]
            if trick in script.tricks and kept:
                _count(at, trick)
                await play(at, choice.choice(kept))

    async def _stranger(self, at: AtTable, script: Script) -> None:
        if self._knock is None:
            return
        _count(at, Trick.STRANGER)
        person = at.dealer.terminal.person
        act = Act(
            at.table.table_id,
            person.equipment_id,
            1,
            1,
            person.person_id,
            person.role,
            facts.PackShuffled(),
        )
        try:
            await self._knock(act)
        except Stranger:
            at.tally.wrong_sent[Reason.UNKNOWN_CLIENT] += 1
        else:
            at.tally.faults.append(f"{at.table.table_id}: a gateway let a stranger in")


async def _noise(at: AtTable, script: Script) -> None:
    for device in (at.shuffler, at.dice):
        if isinstance(device.line, OwnLine) and device.line.send_bytes(_NOISE + _BAD_FRAME):
            _count(at, Trick.NOISE)
            at.tally.bad_frames += 2


async def _unreadable(at: AtTable, script: Script) -> None:
    _count(at, Trick.UNREADABLE)
    # With the round's number in it no two of them are alike.
    nine = DiceThrown((1,) * 6 + tuple((script.number >> shift) & 255 for shift in (16, 8, 0)))
    short_root = ShuffleSealed(b"", script.number & 0xFFFF)
    for device, fact in ((at.dice, nine), (at.shuffler, short_root)):
        await _not_taken_reading(at, device.report_in_vain(fact), Reason.UNREADABLE_FACT)
    player = at.players[0]
    bad_id = facts.BetPlaced("no id!", player.person_id, 1, LEAST_UNIT_MINOR, 1)
    for each, reason in ((bad_id, Reason.UNREADABLE_FACT), (Fact(), Reason.UNKNOWN_FACT)):
        try:
            code = await player.terminal.act(each)
        except NotTaken as fault:
            at.tally.wrong_sent[fault.reason] += 1
            code = fault.reason
        if code != reason:
            at.tally.faults.append(
                f"{at.table.table_id}: an unreadable act was answered {code or 'applied'}"
            )


async def _not_taken_reading(at: AtTable, refusing: Awaitable[str], reason: str) -> None:
    found = await refusing
    if found != reason:
        at.tally.faults.append(
            f"{at.table.table_id}: an unreadable reading was answered {found or 'taken'}"
        )
    at.tally.wrong_sent[found] += 1


async def _duplicates(at: AtTable, script: Script) -> None:
    _count(at, Trick.DUPLICATE)
    for device in (at.shuffler, at.dice):
        await device.repeat()
    for actor in (at.dealer, at.players[0]):
        told = await actor.terminal.repeat()
        first = at.tally.told[told.event_id]
        if not told.known or told.refusal != first:
            at.tally.faults.append(
                f"{told.event_id} was answered {first or 'applied'} first and then "
                f"{told.refusal or 'applied'}{'' if told.known else ', as if it were new'}"
            )


async def _wrong_acts(at: AtTable, script: Script) -> None:
    """Return when two acts were refused, each for its own reason."""
    _count(at, Trick.WRONG_ACT)
    first, second = at.players[0], at.players[1]
    seen = first.seen
    await seen.until("the bets to open", lambda: seen.phase == "BETTING")
    gate, unit = _other_gate(at), LEAST_UNIT_MINOR
    banker = at.table.banker_gate

    def bet(by: Actor, gate: int, unit: int, units: int) -> Fact:
        return facts.BetPlaced("wrong", by.person_id, gate, unit, units)

    wrong: list[tuple[Actor, Fact, str]] = [
        (first, bet(first, banker, unit, 1), "BET_ON_BANKER"),
        (first, bet(first, 7, unit, 1), "UNKNOWN_GATE"),
        (first, bet(first, gate, unit, 4), "BAD_BET"),
        (first, bet(first, gate, 1, 1), "BAD_BET"),
        (first, bet(second, gate, unit, 1), "NOT_ALLOWED"),
        (first, facts.PackBoxed(), "NOT_ALLOWED"),
        (first, facts.BetWithdrawn("nothing", first.person_id), "UNKNOWN_BET"),
        (first, facts.PlaceTaken(first.person_id), "HAS_PLACE"),
        (first, facts.HandTaken(gate, first.person_id), "WRONG_PHASE"),
        (at.dealer, facts.PackCut("", 20), "WRONG_PHASE"),
        (at.dealer, facts.BankerOpened(), "WRONG_PHASE"),
        (at.dealer, RoundVoided("WHY_NOT"), "NOT_ALLOWED"),
        (at.pit, SettledRoundVoided(f"{at.table.table_id}/999999", "WHY"), "UNKNOWN_ROUND"),
    ]
    for actor, fact, code in chance(script.seed, "wrong").sample(wrong, 2):
        await _refused(at, actor, fact, code)


async def _refused(at: AtTable, actor: Actor, fact: Fact, code: str) -> None:
    found = await actor.terminal.act(fact)
    if found != code:
        raise at.fault(
            f"{type(fact).__name__} of {actor.person_id} was to be refused with {code} and was "
            f"{found or 'applied'}"
        )


async def _restart(at: AtTable, script: Script) -> None:
    """Return when a device has started again; a shuffler has lost its deck, and the round is void."""
    _count(at, Trick.RESTART)
    remembers = chance(script.seed, "remembers").random() < 0.5
    if _coin(script, Trick.RESTART):
        await at.must_read(await at.dice.restart(remembers=remembers))
        return
    await at.must_read(await at.shuffler.restart(remembers=remembers))
    await at.void("DECK_LOST")


async def _gap(at: AtTable, script: Script) -> None:
    """Return when a lost reading was found again or given up, and the valid throw is taken."""
    _count(at, Trick.GAP)
    dice, pit = at.dice, at.pit
    dice.lose()
    # Within one connection a gateway takes no hole: a device loses readings when it loses its line.
    dice.line.reopen()
    event_id = await dice.report(DiceThrown(script.dice))
    at.tally.lost_readings[event_id] = "SEQUENCE_GAP"
    code = await at.dealer.seen.outcome(event_id)
    if code != "SEQUENCE_GAP":
        raise at.fault(f"a reading after a lost one was {code or 'applied'}")
    hole = f"{CauseKind.HOLE}/{dice.equipment_id}/{dice.boot}"
    await pit.seen.until("the suspension", lambda: hole in pit.seen.causes)
    way = chance(script.seed, "gap").randrange(3)
    if way == 0:
        await _continue_at(at, hole, dice.sequence)
        await dice.repeat()
    elif way == 1:
        await dice.find(ThrowVoid(ThrowFault.LOW_CONFIDENCE, (0, 0, 0, 0)))
        await dice.repeat()
    else:
        try:
            await at.void("THROW_LOST")
        except RoundIsVoid:
            await _continue_at(at, hole, dice.sequence + 1)
            raise
    seen = at.dealer.seen
    await seen.until("the throw after the hole", lambda: seen.first_gate is not None)


async def _continue_at(at: AtTable, cause: str, sequence: int) -> None:
    await at.must(at.pit, SuspensionResolved(Decision.CONTINUE_AT, cause, sequence, "demo"))


async def _correct(at: AtTable, settled: SettledRound) -> None:
    """Return when a settled round was settled again with one gate as it really lay."""
    choice = chance(settled.round_id, at.pit.terminal.sequence)
    gate = choice.choice(settled.gates)
    late = gate != at.table.banker_gate and choice.random() < 0.5
    cards = settled.cards[gate]
    laid = None if late else people.fouls(cards, at.rules)
    seen, round_id = at.pit.seen, settled.round_id
    before = at.tally.evaluations[round_id]
    await seen.until("the settlement", lambda: seen.evaluations[round_id] >= before)
    correction = ThirteenCardsCorrection((CorrectedGate(gate, laid),))
    await at.must(at.pit, SettledRoundCorrected(round_id, "READ_WRONG", "demo", correction))
    at.tally.evaluations[round_id] += 1
    await seen.until("the new settlement", lambda: seen.evaluations[round_id] > before)


async def _void_settled(at: AtTable, settled: SettledRound) -> None:
    """Return when a settled round is void."""
    await at.must(at.pit, SettledRoundVoided(settled.round_id, "FOUND_LATER", "demo"))
    at.settled.remove(settled)
    at.tally.rounds_settled -= 1
    at.tally.rounds_void += 1


def _other_gate(at: AtTable) -> int:
    return (at.table.banker_gate + 1) % 4


def _coin(script: Script, trick: Trick) -> bool:
    return chance(script.seed, "coin", trick.name).random() < 0.5


def _count(at: AtTable, trick: Trick) -> None:
    at.tally.tricks[trick.name.lower()] += 1
