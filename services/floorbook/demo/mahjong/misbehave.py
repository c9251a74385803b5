"""Decides how a mahjong table misbehaves: what is sent wrong, lost, claimed falsely or refused, and what comes of it.

Every trick says in the tally what it has done, so that nothing is left unexplained in the end.
"""

from floorbook.demo import tricks
from floorbook.demo.at_table import RoundIsVoid
from floorbook.demo.casino import chance
from floorbook.demo.devices import Device
from floorbook.demo.mahjong import people
from floorbook.demo.mahjong.play import TOO_LATE, Conduct, Machine, Player, mood_of
from floorbook.demo.mahjong.script import Script, Trick
from floorbook.demo.mahjong.seen import Known
from floorbook.demo.mahjong.table import MahjongTable, SettledHand
from floorbook.games.mahjong.tiles import CODES
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
from floorbook.table.mahjong import facts
from floorbook.table.mahjong.facts import TileClaim
from floorbook.table.mahjong.shapes import MahjongCorrection
from floorbook.table.state import CORRECTABLE, CauseKind

Wrong = tuple[Player, Fact, str]
"""Who does something wrong, what, and the code with which it must be refused."""


class Mischief(Conduct):
    """Conduct in which the tricks of a hand's script happen, each once and when its moment has come."""

    hurried = True

    def __init__(self) -> None:
        """Return the conduct of one table before its first hand."""
        self._turn = 0
        self._left: set[Trick] = set()

    def _comes(self, script: Script, trick: Trick) -> bool:
        """Return whether a trick is still to come and may come now."""
        return trick in self._left and self._turn >= script.moments[trick]

    def _does(self, at: MahjongTable, trick: Trick) -> None:
        self._left.discard(trick)
        at.count(trick.name.lower())

    # Before the deal

    async def before_hand(self, at: MahjongTable, script: Script) -> None:
        """Return when somebody has left and come back."""
        self._turn, self._left = 0, set(script.tricks)
        if Trick.LEFT in self._left:
            self._does(at, Trick.LEFT)
            place = chance(script.seed, "leaves").randrange(len(at.players))
            await at.leave(at.players[place])
            await at.sit(place)
            if place == at.next.dealer:
                await at.name_dealer()

    async def before_throw(self, at: MahjongTable, script: Script) -> None:
        """Return when the tricks of a table with its wall built are done."""
        if Trick.NOISE in self._left and tricks.noise(at):
            self._does(at, Trick.NOISE)
        if Trick.UNREADABLE in self._left:
            self._does(at, Trick.UNREADABLE)
            await _unreadable(at, script)
        if Trick.STRANGER in self._left and await tricks.stranger(at):
            self._does(at, Trick.STRANGER)
        if Trick.DUPLICATE in self._left:
            self._does(at, Trick.DUPLICATE)
            await tricks.duplicates(at, [at.dealer, at.players[0]])
        if Trick.RESTART in self._left:
            self._does(at, Trick.RESTART)
            await _restart(at, script)

    async def throws(self, at: MahjongTable, script: Script) -> None:
        """Return when the dice lie as they are counted, at the first throw or later."""
        dice = at.devices["dice"]
        if Trick.VOID_THROW in self._left:
            self._does(at, Trick.VOID_THROW)
            cocked = ThrowVoid(ThrowFault.COCKED, (*script.dice[:-1], 0))
            await at.must_read(await dice.report(cocked))
        if Trick.MISREAD_DICE not in self._left:
            await super().throws(at, script)
            return
        self._does(at, Trick.MISREAD_DICE)
        misread = await dice.report(DiceThrown(tuple(face % 6 + 1 for face in script.dice)))
        await at.must_read(misread)
        right = DiceThrown(script.dice)
        await at.must(at.pit, ReadingCorrected(misread, "MISREAD", "demo", right))

    # Tiles from the wall

    async def reads(self, at: MahjongTable, script: Script, device: Device, fact: Fact) -> None:
        """Return when the table has taken the reading that the hand waits for, lost ones or not."""
        of_dice = _coin(script, Trick.GAP)
        comes = Trick.GAP in self._left if of_dice else self._comes(script, Trick.GAP)
        if not comes or of_dice != (device is at.devices["dice"]):
            await super().reads(at, script, device, fact)
            return
        self._does(at, Trick.GAP)
        void_throw = ThrowVoid(ThrowFault.LOW_CONFIDENCE, (0,) * at.variant.dice)
        # Of another wall, and too late for it: the fold has no use for that one.
        too_late = script.other_wall.sealed
        lost: tricks.Lost = (void_throw, "") if of_dice else (too_late, "WRONG_PHASE")
        await tricks.gap(at, device, fact, lost, script.seed)

    async def draws(
        self, at: MahjongTable, script: Script, machine: Machine, *, front: bool
    ) -> None:
        """Return when the next tile is taken; one that was not sealed makes the hand void."""
        if self._comes(script, Trick.OTHER_TILE):
            self._does(at, Trick.OTHER_TILE)
            await _other_tile(at, machine.other_tile(script.other_wall, front=front))
        await super().draws(at, script, machine, front=front)

    # Turns and claims

    async def before_turn(self, at: MahjongTable, script: Script, player: Player) -> None:
        """Return when what goes wrong before a player acts has gone wrong."""
        self._turn += 1
        if self._comes(script, Trick.WRONG_ACT):
            self._does(at, Trick.WRONG_ACT)
            await _wrong_acts(at, script, player)
        if self._comes(script, Trick.VOID):
            self._does(at, Trick.VOID)
            await at.void("GUESTS_QUARREL")
        if self._comes(script, Trick.LOOKED):
            self._does(at, Trick.LOOKED)
            await at.must(at.dealer, facts.HandLookedAt(player.person_id))
            await player.seen.until("the penalty", lambda: player.seen.seat in player.seen.no_kong)
        if self._comes(script, Trick.BARRED):
            self._does(at, Trick.BARRED)
            await at.must(at.pit, facts.PlayerBarred(player.person_id, "LOOKED", "demo"))
            await player.seen.until("the bar", lambda: player.seen.seat in player.seen.barred)
        await _tries_in_vain(at, player)

    async def plays(self, at: MahjongTable, script: Script, player: Player) -> Fact:
        """Return what a player does in his turn; he may declare a win that is none."""
        if self._comes(script, Trick.FALSE_WIN) and people.may_win_falsely(at.known(player)):
            self._does(at, Trick.FALSE_WIN)
            return facts.WinDeclared(player.person_id)
        return await super().plays(at, script, player)

    async def answers(
        self, at: MahjongTable, script: Script, player: Player
    ) -> facts.TileClaimed | None:
        """Return what a player says to an offered tile, and has not said yet."""
        known = at.known(player)
        if self._comes(script, Trick.WITHDRAWN_PONG) and people.may_pong(known):
            self._does(at, Trick.WITHDRAWN_PONG)
            await _withdraw(at, player)
            return None
        if self._comes(script, Trick.SILENT):
            self._does(at, Trick.SILENT)
            return None
        if self._comes(script, Trick.FALSE_CLAIM) and people.would_claim_falsely(known):
            self._does(at, Trick.FALSE_CLAIM)
            return facts.TileClaimed(TileClaim.WIN, player.person_id)
        if self._comes(script, Trick.WRONG_SET):
            wrong = people.wrong_claims(known, mood_of(at, script, player))
            if wrong is not None:
                self._does(at, Trick.WRONG_SET)
                return wrong
        if people.would_win_if_not_barred(known):
            at.note("barred_claim")
            return facts.TileClaimed(TileClaim.WIN, player.person_id)
        return await super().answers(at, script, player)

    def all_at_once(self, at: MahjongTable, script: Script) -> bool:
        """Return whether all answer without a thought for each other."""
        if Trick.RUSH in self._left:
            self._does(at, Trick.RUSH)
        return Trick.RUSH in script.tricks

    async def after_hand(self, at: MahjongTable, script: Script) -> None:
        """Return when settled hands are corrected and void."""
        choice = chance(script.seed, "afterwards")
        for trick, play in ((Trick.CORRECTED, _correct), (Trick.VOID_SETTLED, _void_settled)):
            # A table has a hand for each script, and keeps the last ones.
            kept = [one for one in at.settled if script.number - one.number < CORRECTABLE]
            if trick in script.tricks and kept:
                self._does(at, trick)
                await play(at, choice.choice(kept))


async def _unreadable(at: MahjongTable, script: Script) -> None:
    # With the hand's number in it no two of them are alike. A machine's would be quarantined
    # without its bytes, and one that was sent again would count twice.
    nine = DiceThrown((1,) * 6 + tuple((script.number >> shift) & 255 for shift in (16, 8, 0)))
    await tricks.unreadable_reading(at, at.devices["dice"], nine)
    player = at.players[0]
    bad_id = facts.TileDiscarded("no id!", "1s")
    await tricks.unreadable_act(at, player, bad_id, Reason.UNREADABLE_FACT)
    await tricks.unreadable_act(at, player, Fact(), Reason.UNKNOWN_FACT)


async def _restart(at: MahjongTable, script: Script) -> None:
    """Return when a device has started again; a machine has lost its wall, and the hand is void."""
    harmless = _coin(script, Trick.RESTART)
    device = at.devices["dice"] if harmless else at.shuffler
    remembers = chance(script.seed, "remembers").random() < 0.5
    await at.must_read(await device.restart(remembers=remembers))
    if not harmless:
        await at.void("DECK_LOST")


async def _other_tile(at: MahjongTable, opened: Fact) -> None:
    """Never return: a tile that was not sealed suspends the table, and the hand is void."""
    event_id = await at.shuffler.report(opened)
    at.tally.lost_readings[event_id] = "OPENING_MISMATCH"
    code = await at.dealer.seen.outcome(event_id)
    if code != "OPENING_MISMATCH":
        raise at.fault(f"a tile that was not sealed was {code or 'taken'}")
    cause = f"{CauseKind.OPENING}/{event_id}"
    await at.pit.seen.until("the suspension", lambda: cause in at.pit.seen.causes)
    try:
        await at.void("OTHER_TILE")
    except RoundIsVoid:
        await at.must(at.pit, SuspensionResolved(Decision.RESUME, cause, 0, "demo"))
        raise


async def _withdraw(at: MahjongTable, player: Player) -> None:
    """Return when a player has called pong and not carried it out, if there was time for it."""
    for fact in (
        facts.TileClaimed(TileClaim.PONG, player.person_id),
        facts.PongWithdrawn(player.person_id),
    ):
        code = await player.terminal.act(fact)
        if code and code not in TOO_LATE:
            raise at.fault(f"{type(fact).__name__} of {player.person_id} was refused: {code}")


async def _tries_in_vain(at: MahjongTable, player: Player) -> None:
    """Return when a player under a penalty was refused what it forbids, if he could do it else."""
    known = at.known(player)
    if known.holding.no_kong and (tile := people.four_of(known)) is not None:
        at.note("kong_refused")
        kong = facts.ConcealedKongDeclared(player.person_id, CODES[tile])
        await at.must_refuse(player, kong, "NO_KONG")
    if people.would_win_if_not_barred(known):
        at.note("win_refused")
        await at.must_refuse(player, facts.WinDeclared(player.person_id), "BARRED")


async def _wrong_acts(at: MahjongTable, script: Script, player: Player) -> None:
    """Return when three acts were refused, each for its own reason."""
    other = next(each for each in at.players if each is not player)
    known, me = at.known(player), player.person_id
    wrong = _wrong_tiles(known, player, other)
    wrong += [
        (player, facts.TileClaimed(TileClaim.PASS, me), "OUT_OF_ORDER"),
        (player, facts.PongWithdrawn(me), "OUT_OF_ORDER"),
        (player, facts.SeatLeft(me), "WRONG_PHASE"),
        (player, facts.ChipsTaken(me, 1), "WRONG_PHASE"),
        (at.dealer, facts.DealerNamed(0, "E", 1), "WRONG_PHASE"),
        (player, facts.HandLookedAt(me), "NOT_ALLOWED"),
        (at.dealer, facts.PlayerBarred(me, "WHY"), "NOT_ALLOWED"),
        (at.dealer, RoundVoided("WHY_NOT"), "NOT_ALLOWED"),
        (at.pit, SettledRoundVoided(f"{at.table.table_id}/999999", "WHY"), "UNKNOWN_ROUND"),
    ]
    for actor, fact, code in chance(script.seed, "wrong").sample(wrong, 3):
        await at.must_refuse(actor, fact, code)


def _wrong_tiles(known: Known, player: Player, other: Player) -> list[Wrong]:
    me, held = player.person_id, set(known.holding.concealed)
    own = CODES[known.holding.concealed[0]]
    absent = next(CODES[tile] for tile in known.setting.variant.kinds if tile not in held)
    wrong: list[Wrong] = [
        (other, facts.TileDiscarded(other.person_id, own), "OUT_OF_ORDER"),
        (other, facts.TileDiscarded(me, own), "NOT_ALLOWED"),
        (player, facts.TileDiscarded(me, "9x"), "UNKNOWN_TILE"),
        (player, facts.TileDiscarded(me, absent), "TILES_NOT_HELD"),
    ]
    if known.drawn is None:
        wrong.append((player, facts.WinDeclared(me), "NOT_DRAWN"))
    return wrong


def _coin(script: Script, trick: Trick) -> bool:
    return chance(script.seed, "coin", trick.name).random() < 0.5


async def _correct(at: MahjongTable, settled: SettledHand) -> None:
    """Return when a hand was settled again: its win was another seat's, or barred.

    An exhausted wall has no win that could have been barred.
    """
    other_win = chance(settled.round_id, at.pit.terminal.sequence).random() < 0.5
    if settled.other_win is not None and other_win:
        correction = MahjongCorrection(win=settled.other_win)
    else:
        correction = MahjongCorrection(barred=True)
    fact = SettledRoundCorrected(settled.round_id, "READ_WRONG", "demo", mahjong=correction)
    if settled.declared:
        await tricks.corrected(at, fact)
    else:
        await at.must_refuse(at.pit, fact, "NOTHING_CORRECTED")


async def _void_settled(at: MahjongTable, settled: SettledHand) -> None:
    """Return when a settled hand is void."""
    await tricks.void_settled(at, settled.round_id)
    at.settled.remove(settled)
