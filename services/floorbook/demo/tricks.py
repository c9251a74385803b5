"""Decides what can go wrong on purpose at any table, whatever is played: lines, devices, terminals, strangers.

Every trick says in the tally what must come of it, so that nothing is left unexplained in the end.
"""

from collections.abc import Sequence
from typing import Any, Final

from floorbook.demo.at_table import Actor, AtTable, RoundIsVoid
from floorbook.demo.casino import chance
from floorbook.demo.client import Act, Stranger
from floorbook.demo.devices import Device, OwnLine
from floorbook.demo.terminals import NotTaken
from floorbook.gateway.frames import ETX, STX
from floorbook.gateway.refusals import Reason
from floorbook.table.events import (
    Decision,
    Fact,
    SettledRoundCorrected,
    SettledRoundVoided,
    SourceStarted,
    SuspensionResolved,
)
from floorbook.table.state import CauseKind

Lost = tuple[Fact, str]
"""A reading that was lost, and the code with which it is refused if it is found; empty if it is not."""

_NOISE: Final = b"\xff\x00\x55"
_BAD_FRAME: Final = STX + b"no frame at all, but long enough for one" + ETX


def noise(at: AtTable[Any]) -> bool:
    """Return whether bytes that are no frame were sent: only devices on lines of their own can."""
    sent = False
    for device in at.devices.values():
        if isinstance(device.line, OwnLine) and device.line.send_bytes(_NOISE + _BAD_FRAME):
            at.tally.bad_frames += 2
            sent = True
    return sent


async def unreadable_reading(at: AtTable[Any], device: Device, fact: Fact) -> None:
    """Return when a gateway has refused a reading that nobody can read."""
    found = await device.report_in_vain(fact)
    if found != Reason.UNREADABLE_FACT:
        at.tally.faults.append(
            f"{at.table.table_id}: an unreadable reading was answered {found or 'taken'}"
        )
    at.tally.wrong_sent[found] += 1


async def unreadable_act(at: AtTable[Any], actor: Actor[Any], fact: Fact, reason: str) -> None:
    """Return when a gateway has refused an act that nobody can read, for that reason."""
    try:
        code = await actor.terminal.act(fact)
    except NotTaken as fault:
        at.tally.wrong_sent[fault.reason] += 1
        code = fault.reason
    if code != reason:
        at.tally.faults.append(
            f"{at.table.table_id}: an unreadable act was answered {code or 'applied'}"
        )


async def stranger(at: AtTable[Any]) -> bool:
    """Return whether somebody knocked whom the registry does not know: there must be gateways."""
    if at.place.knock is None:
        return False
    person = at.dealer.terminal.person
    act = Act(
        at.table.table_id,
        person.equipment_id,
        1,
        1,
        person.person_id,
        person.role,
        SourceStarted(),
    )
    try:
        await at.place.knock(act)
    except Stranger:
        at.tally.wrong_sent[Reason.UNKNOWN_CLIENT] += 1
    else:
        at.tally.faults.append(f"{at.table.table_id}: a gateway let a stranger in")
    return True


async def duplicates(at: AtTable[Any], actors: Sequence[Actor[Any]]) -> None:
    """Return when every device and these people have sent their last reading or act once more."""
    for device in at.devices.values():
        await device.repeat()
    for actor in actors:
        told = await actor.terminal.repeat()
        first = at.tally.told[told.event_id]
        if not told.known or told.refusal != first:
            at.tally.faults.append(
                f"{told.event_id} was answered {first or 'applied'} first and then "
                f"{told.refusal or 'applied'}{'' if told.known else ', as if it were new'}"
            )


async def gap(at: AtTable[Any], device: Device, fact: Fact, lost: Lost, seed: str) -> None:
    """Return when a lost reading was found again or given up, and the one after it is taken.

    The supervisor may void the round instead, which raises `RoundIsVoid`.
    """
    pit = at.pit
    device.lose()
    # Within one connection a gateway takes no hole: a device loses readings when it loses its line.
    device.line.reopen()
    event_id = await device.report(fact)
    at.tally.lost_readings[event_id] = "SEQUENCE_GAP"
    code = await at.dealer.seen.outcome(event_id)
    if code != "SEQUENCE_GAP":
        raise at.fault(f"a reading after a lost one was {code or 'applied'}")
    hole = f"{CauseKind.HOLE}/{device.equipment_id}/{device.boot}"
    await pit.seen.until("the suspension", lambda: hole in pit.seen.causes)
    way = chance(seed, "gap").randrange(3)
    if way == 0:
        await _continue_at(at, hole, device.sequence)
    elif way == 1:
        reading, refused = lost
        found = await device.find(reading)
        if refused:
            at.tally.lost_readings[found] = refused
    else:
        try:
            await at.void("READING_LOST")
        except RoundIsVoid:
            await _continue_at(at, hole, device.sequence + 1)
            raise
    await device.repeat()
    seen = at.dealer.seen
    await seen.until("the reading after the hole", lambda: not seen.folded.get(event_id))


async def _continue_at(at: AtTable[Any], cause: str, sequence: int) -> None:
    await at.must(at.pit, SuspensionResolved(Decision.CONTINUE_AT, cause, sequence, "demo"))


async def corrected(at: AtTable[Any], correction: SettledRoundCorrected) -> None:
    """Return when a settled round was settled again as it really was."""
    seen, round_id = at.pit.seen, correction.round_id
    before = at.tally.evaluations[round_id]
    await seen.until("the settlement", lambda: seen.evaluations[round_id] >= before)
    await at.must(at.pit, correction)
    at.tally.evaluations[round_id] += 1
    await seen.until("the new settlement", lambda: seen.evaluations[round_id] > before)


async def void_settled(at: AtTable[Any], round_id: str) -> None:
    """Return when a settled round is void."""
    await at.must(at.pit, SettledRoundVoided(round_id, "FOUND_LATER", "demo"))
    at.tally.rounds_settled -= 1
    at.tally.rounds_void += 1
