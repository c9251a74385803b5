"""Decides how a Pai Kau table misbehaves: what is sent wrong, lost, repeated or refused, and what comes of it.

Every trick says in the tally what it has done, so that nothing is left unexplained in the end.
"""

from floorbook import ids
from floorbook.demo import tricks
from floorbook.demo.at_table import Actor
from floorbook.demo.casino import LEAST_UNIT_MINOR, chance
from floorbook.demo.devices import Device
from floorbook.demo.pai_kau import people
from floorbook.demo.pai_kau.people import Pairs
from floorbook.demo.pai_kau.play import Conduct, Hands
from floorbook.demo.pai_kau.script import Script, Trick, Wall
from floorbook.demo.pai_kau.seen import TilesSeen
from floorbook.demo.pai_kau.table import SettledRound, TileTable
from floorbook.games.pai_kau.gates import FOUR_GATE_TILES
from floorbook.games.pai_kau.tiles import SET, Tile
from floorbook.gateway.refusals import Reason
from floorbook.table.events import (
    Decision,
    DiceThrown,
    Fact,
    ReadingCorrected,
    RoundVoided,
    SettledRoundCorrected,
    SettledRoundVoided,
    SuspensionResolved,
    ThrowFault,
    ThrowVoid,
)
from floorbook.table.pai_kau import facts
from floorbook.table.pai_kau.shapes import CorrectedHand, PaiKauCorrection
from floorbook.table.state import CORRECTABLE, CauseKind

Wrong = tuple[Actor[TilesSeen], Fact, str]
"""Who does something wrong, what, and the code with which it must be refused."""


class Mischief(Conduct):
    """Conduct in which the tricks of a round's script happen."""

    async def before_lock(self, at: TileTable, script: Script) -> None:
        """Return when the tricks of a table with bets lying are done."""
        if Trick.NOISE in script.tricks and tricks.noise(at):
            _count(at, Trick.NOISE)
        if Trick.UNREADABLE in script.tricks:
            await _unreadable(at, script)
        if Trick.STRANGER in script.tricks and await tricks.stranger(at):
            _count(at, Trick.STRANGER)
        if Trick.DUPLICATE in script.tricks:
            _count(at, Trick.DUPLICATE)
            bettor = next(each for each in at.players if each is not at.banker)
            await tricks.duplicates(at, [at.dealer, at.banker, bettor])
        if Trick.WRONG_ACT in script.tricks:
            await _wrong_acts(at, script)
        if Trick.RESTART in script.tricks:
            await _restart(at, script)
        if Trick.VOID in script.tricks and _coin(script, Trick.VOID):
            _count(at, Trick.VOID)
            await at.void("GUESTS_QUARREL")

    async def after_lock(self, at: TileTable, script: Script) -> None:
        """Return when the tricks between the shake and the throw that counts are done."""
        if Trick.WRONG_ACT in script.tricks:
            late = facts.BetChanged(_other_gate(at), at.players[0].person_id, LEAST_UNIT_MINOR)
            await at.must_refuse(at.players[0], late, "BETS_LOCKED")
        if Trick.VOID_THROW in script.tricks:
            _count(at, Trick.VOID_THROW)
            cocked = ThrowVoid(ThrowFault.COCKED, (*script.dice[:3], 0))
            await at.must_read(await at.devices["dice"].report(cocked))

    async def reads(self, at: TileTable, script: Script, device: Device, fact: Fact) -> None:
        """Return when the table has taken the reading that the round waits for, lost ones or not."""
        if Trick.MISREAD in script.tricks:
            # Put right in `before_deal`: one die was read wrong.
            fact = DiceThrown((script.dice[0] % 6 + 1, *script.dice[1:]))
        if Trick.GAP not in script.tricks:
            await super().reads(at, script, device, fact)
            return
        _count(at, Trick.GAP)
        lost = (ThrowVoid(ThrowFault.LOW_CONFIDENCE, (0, 0, 0, 0)), "")
        await tricks.gap(at, device, fact, lost, script.seed)

    async def before_deal(self, at: TileTable, script: Script) -> None:
        """Return when wrong dice are put right and the last moment before the deal has passed."""
        if Trick.MISREAD in script.tricks:
            _count(at, Trick.MISREAD)
            dice = at.devices["dice"]
            read = ids.event_id(dice.table_id, dice.equipment_id, dice.boot, dice.sequence)
            right = DiceThrown(script.dice)
            await at.must(at.pit, ReadingCorrected(read, "MISREAD", "demo", right))
        if Trick.VOID in script.tricks and not _coin(script, Trick.VOID):
            _count(at, Trick.VOID)
            await at.void("TABLE_CLEARED")

    async def opens(self, at: TileTable, script: Script, wall: Wall, positions: range) -> None:
        """Return when the machine has opened what is dealt, perhaps after opening what is not."""
        if Trick.WRONG_OPENING in script.tricks:
            _count(at, Trick.WRONG_OPENING)
            everything = range(len(SET))
            wrong = range(FOUR_GATE_TILES) if positions == everything else everything
            event_id = await at.machine.report(wall.opened(wrong))
            at.tally.lost_readings[event_id] = "OPENING_MISMATCH"
            found = await at.dealer.seen.outcome(event_id)
            if found != "OPENING_MISMATCH":
                raise at.fault(f"an opening of what is not dealt was {found or 'applied'}")
            await _resume(at, event_id)
        await super().opens(at, script, wall, positions)

    async def deals(self, at: TileTable, script: Script, hands: Hands) -> None:
        """Return when a deal that is not as the wall was opened has been found and put right."""
        if Trick.MISDEAL not in script.tricks or not at.is_sealed:
            return
        gates = chance(script.seed, "misdeal").sample(sorted(hands), 2)
        if set(hands[gates[0]]) == set(hands[gates[1]]):
            return  # nobody could tell
        _count(at, Trick.MISDEAL)
        wrong = {**hands, gates[0]: hands[gates[1]], gates[1]: hands[gates[0]]}
        dealt = facts.TilesDealt(tuple(facts.DealtHand(*each) for each in wrong.items()))
        await at.must_refuse(at.dealer, dealt, "DEALT_NOT_AS_OPENED")
        await _resume(at, _last_act(at, at.dealer))

    def sets(
        self, at: TileTable, script: Script, gate: int, tiles: tuple[Tile, ...]
    ) -> Pairs | None:
        """Return how a gate is laid; that of one holder, or the banker's, may be fouled or not set."""
        holders = sorted(at.dealer.seen.holders or {})
        spoiled = chance(script.seed, "spoils").choice([at.bank.gate, *holders])
        if gate == spoiled and Trick.LATE in script.tricks:
            _count(at, Trick.LATE)
            return None
        if gate == spoiled and Trick.FOUL in script.tricks:
            _count(at, Trick.FOUL)
            return people.fouls(tiles)
        return super().sets(at, script, gate, tiles)

    async def after_round(self, at: TileTable, script: Script) -> None:
        """Return when settled rounds are corrected and voided."""
        choice = chance(script.seed, "afterwards")
        for trick, play in ((Trick.CORRECTED, _correct), (Trick.VOID_SETTLED, _void_settled)):
            # A table has a round for each script, and keeps the last ones.
            kept = [one for one in at.settled if script.number - one.number < CORRECTABLE]
            if trick in script.tricks and kept:
                _count(at, trick)
                await play(at, choice.choice(kept))


async def _resume(at: TileTable, event_id: str) -> None:
    """Return when the supervisor has seen why the table stands still, and lets it go on."""
    cause = f"{CauseKind.OPENING}/{event_id}"
    await at.pit.seen.until("the suspension", lambda: cause in at.pit.seen.causes)
    await at.must(at.pit, SuspensionResolved(Decision.RESUME, cause, 0, "demo"))


async def _unreadable(at: TileTable, script: Script) -> None:
    _count(at, Trick.UNREADABLE)
    # With the round's number in it no two of them are alike.
    many = DiceThrown((1,) * 6 + tuple((script.number >> shift) & 255 for shift in (16, 8, 0)))
    await tricks.unreadable_reading(at, at.devices["dice"], many)
    player = at.players[0]
    bad_id = facts.BetChanged(_other_gate(at), "no id!", LEAST_UNIT_MINOR)
    await tricks.unreadable_act(at, player, bad_id, Reason.UNREADABLE_FACT)
    await tricks.unreadable_act(at, player, Fact(), Reason.UNKNOWN_FACT)


async def _wrong_acts(at: TileTable, script: Script) -> None:
    """Return when three acts were refused, each for its own reason."""
    _count(at, Trick.WRONG_ACT)
    for actor, fact, code in chance(script.seed, "wrong").sample(_wrong(at), 3):
        await at.must_refuse(actor, fact, code)


def _wrong(at: TileTable) -> list[Wrong]:
    seen, bank = at.dealer.seen, at.bank
    unit, gate, stake = LEAST_UNIT_MINOR, _other_gate(at), seen.stake_minor
    banker = at.banker
    bettor = at.player(next(iter(seen.bets))[1])
    other = next(each for each in at.players if each not in (banker, bettor))
    me = bettor.person_id
    unknown = SettledRoundVoided(f"{at.table.table_id}/999999", "WHY")
    wrong: list[Wrong] = [
        (bettor, facts.BetChanged(bank.gate, me, unit), "BET_ON_BANKER_GATE"),
        (bettor, facts.BetChanged(at.gates + 1, me, unit), "BAD_GATE"),
        (bettor, facts.BetChanged(gate, me, unit - 1), "OUTSIDE_LIMITS"),
        (bettor, facts.BetChanged(gate, other.person_id, unit), "NOT_ALLOWED"),
        (bettor, facts.CoBankPosted(me, unit), "COBANKER_BETS"),
        (bettor, facts.CoBankPosted(people.HOUSE_CO_BANK, unit, house=True), "NOT_ALLOWED"),
        (bettor, facts.HeadTilesPut(me), "NOT_BANKER"),
        (bettor, facts.StakePosted(me, unit), "NOT_BANKER"),
        (bettor, facts.PairsOpened(), "NOT_ALLOWED"),
        (banker, facts.BetChanged(gate, bank.player_id, unit), "BANKER_BETS"),
        (banker, facts.StakePosted(bank.player_id, 0), "BAD_AMOUNT"),
        (banker, facts.DiceShaken(bank.player_id), "HEAD_TILES_MISSING"),
        (banker, facts.BankLeft(bank.player_id), "WRONG_PHASE"),
        (at.dealer, facts.PairsOpened(), "WRONG_PHASE"),
        (at.dealer, facts.BankAssigned(), "WRONG_PHASE"),
        (at.dealer, facts.TilesShuffled(), "WRONG_PHASE"),
        (at.dealer, RoundVoided("WHY_NOT"), "NOT_ALLOWED"),
        (at.pit, unknown, "UNKNOWN_ROUND"),
    ]
    if 1 < bank.minimum_stake_minor <= stake:
        less = facts.StakePosted(bank.player_id, bank.minimum_stake_minor - 1)
        wrong.append((banker, less, "STAKE_BELOW_MINIMUM"))
    return wrong


async def _restart(at: TileTable, script: Script) -> None:
    """Return when a device has started again; the machine has lost its wall, and the round is void."""
    _count(at, Trick.RESTART)
    harmless = _coin(script, Trick.RESTART)
    device = at.devices[chance(script.seed, "which").choice(("dice", "reader"))]
    remembers = chance(script.seed, "remembers").random() < 0.5
    restarted = device if harmless else at.machine
    await at.must_read(await restarted.restart(remembers=remembers))
    if not harmless:
        await at.void("WALL_LOST")


async def _correct(at: TileTable, settled: SettledRound) -> None:
    """Return when a settled round was settled again with one gate as it really lay.

    Of the last round the supervisor also says what the banker's next stake may be: a correction
    mirrors money, and the layout is as it is (A5.4).
    """
    choice = chance(settled.round_id, at.pit.terminal.sequence)
    gate = choice.choice(sorted(settled.tiles))
    late = choice.random() < 0.5
    front, back = ((), ()) if late else people.fouls(settled.tiles[gate])
    correction = PaiKauCorrection((CorrectedHand(gate, (), front, back),))
    fact = SettledRoundCorrected(settled.round_id, "READ_WRONG", "demo", pai_kau=correction)
    seen, round_id = at.dealer.seen, settled.round_id
    seen.results.pop(round_id, None)
    await tricks.corrected(at, fact)
    await seen.until("the new result", lambda: round_id in seen.results)
    left = seen.results.pop(round_id).min_next_stake
    if _is_last(at, settled):
        await _say_who_banks(at, at.bank.rounds_done, left)


async def _void_settled(at: TileTable, settled: SettledRound) -> None:
    """Return when a settled round is void; of the last one nothing is left for the next."""
    await tricks.void_settled(at, settled.round_id)
    at.settled.remove(settled)
    if not _is_last(at, settled):
        return
    before = settled.bank
    await _say_who_banks(at, before.rounds_done, before.minimum_stake_minor)
    seen = at.dealer.seen
    if seen.held_over:
        await at.must(at.pit, facts.HeldTilesCorrected((), "ROUND_VOID", "demo"))
        await seen.until("the tiles to be mixed again", lambda: not seen.held_over)


def _is_last(at: TileTable, settled: SettledRound) -> bool:
    """Return whether no round was played after that one, so that its banker still banks."""
    return at.dealer.seen.round_id == settled.round_id


async def _say_who_banks(at: TileTable, rounds_done: int, least: int) -> None:
    bank = at.bank
    who = (bank.gate, bank.player_id, rounds_done, least)
    await at.must(at.pit, facts.BankCorrected(*who, 0, "CORRECTED", "demo"))
    await at.dealer.seen.outcome(_last_act(at, at.pit))


def _last_act(at: TileTable, actor: Actor[TilesSeen]) -> str:
    """Return the event id of what somebody did last."""
    terminal = actor.terminal
    station = terminal.person.equipment_id
    return ids.event_id(at.table.table_id, station, terminal.boot, terminal.sequence)


def _other_gate(at: TileTable) -> int:
    """Return a gate on which bets may lie."""
    return at.bank.gate % at.gates + 1


def _coin(script: Script, trick: Trick) -> bool:
    return chance(script.seed, "coin", trick.name).random() < 0.5


def _count(at: TileTable, trick: Trick) -> None:
    at.count(trick.name.lower())
