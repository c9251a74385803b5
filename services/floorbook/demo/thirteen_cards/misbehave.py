"""Decides how a Thirteen Cards table misbehaves: what is sent wrong, lost, repeated or refused, and what comes of it.

Every trick says in the tally what it has done, so that nothing is left unexplained in the end.
"""

from floorbook.demo import tricks
from floorbook.demo.at_table import Actor
from floorbook.demo.casino import LEAST_UNIT_MINOR, chance
from floorbook.demo.devices import Device
from floorbook.demo.thirteen_cards import people
from floorbook.demo.thirteen_cards.people import Laying
from floorbook.demo.thirteen_cards.play import Conduct
from floorbook.demo.thirteen_cards.script import Script, Trick
from floorbook.demo.thirteen_cards.seen import CardsSeen
from floorbook.demo.thirteen_cards.table import CardTable, SettledRound
from floorbook.games.thirteen_cards.arrangement import Arrangement
from floorbook.gateway.refusals import Reason
from floorbook.table.events import (
    DiceThrown,
    Fact,
    RoundVoided,
    SettledRoundCorrected,
    SettledRoundVoided,
    ThrowFault,
    ThrowVoid,
)
from floorbook.table.state import CORRECTABLE
from floorbook.table.thirteen_cards import facts
from floorbook.table.thirteen_cards.shapes import CorrectedGate, ThirteenCardsCorrection
from floorbook.table.thirteen_cards.state import Phase
from floorbook.table.thirteen_cards.terms import HOUSE

Wrong = tuple[Actor[CardsSeen], Fact, str]
"""Who does something wrong, what, and the code with which it must be refused."""


class Mischief(Conduct):
    """Conduct in which the tricks of a round's script happen."""

    hurried = True

    async def before_lock(self, at: CardTable, script: Script) -> None:
        """Return when the tricks of a table with its pack boxed are done."""
        if Trick.NOISE in script.tricks and tricks.noise(at):
            _count(at, Trick.NOISE)
        if Trick.UNREADABLE in script.tricks:
            await _unreadable(at, script)
        if Trick.STRANGER in script.tricks and await tricks.stranger(at):
            _count(at, Trick.STRANGER)
        if Trick.DUPLICATE in script.tricks:
            _count(at, Trick.DUPLICATE)
            await tricks.duplicates(at, _who_has_acted(at))
        if Trick.WRONG_ACT in script.tricks:
            await _wrong_acts(at, script)
        if Trick.RESTART in script.tricks:
            await _restart_in_round(at, script)
        if Trick.VOID in script.tricks and _coin(script, Trick.VOID):
            _count(at, Trick.VOID)
            await at.void("GUESTS_QUARREL")

    async def after_lock(self, at: CardTable, script: Script) -> None:
        """Return when the tricks between the lock and what follows it are done."""
        if Trick.WRONG_ACT in script.tricks and at.steps.bets:
            player, gate = at.players[0], _other_gate(at)
            late = _bet("late", player.person_id, gate, LEAST_UNIT_MINOR, at)
            await at.must_refuse(player, late, "BETS_LOCKED")
        if Trick.VOID_THROW in script.tricks:
            _count(at, Trick.VOID_THROW)
            cocked = ThrowVoid(ThrowFault.COCKED, (*script.dice[:3], 0))
            await at.must_read(await at.devices["dice"].report(cocked))

    async def reads(self, at: CardTable, script: Script, device: Device, fact: Fact) -> None:
        """Return when the table has taken the reading that the round waits for, lost ones or not."""
        if Trick.GAP not in script.tricks:
            await super().reads(at, script, device, fact)
            return
        _count(at, Trick.GAP)
        lost: tricks.Lost = (ThrowVoid(ThrowFault.LOW_CONFIDENCE, (0, 0, 0, 0)), "")
        if not at.steps.dice:
            # Of another deck, and too late for it: the fold has no use for that one.
            lost = (script.decks[1].sealed, "WRONG_PHASE")
        await tricks.gap(at, device, fact, lost, script.seed)

    async def before_deal(self, at: CardTable, script: Script) -> None:
        """Return when the last moment before the first card has passed."""
        if Trick.VOID in script.tricks and not _coin(script, Trick.VOID):
            _count(at, Trick.VOID)
            await at.void("TABLE_CLEARED")

    async def after_deal(self, at: CardTable, script: Script, cards: list[tuple[str, int]]) -> bool:
        """Return whether the deal stands after a misdeal was found."""
        if not script.tricks & {Trick.MISDEAL, Trick.REDEAL}:
            return True
        if at.dealer.seen.phase != Phase.DEALT:
            return True  # nobody had anything to lay: the round is over
        recoverable = Trick.REDEAL not in script.tricks
        _count(at, Trick.MISDEAL if recoverable else Trick.REDEAL)
        fact = facts.MisdealReported(recoverable=recoverable)
        if not at.steps.dice and recoverable:
            await at.must_refuse(at.dealer, fact, "HAND_SEEN")
            return True
        if at.steps.dice:
            # Two neighbours in the order of dealing lie at each other's gate.
            place = chance(script.seed, "misdeal").randrange(len(cards) - 1)
            (first, gate), (second, next_gate) = cards[place : place + 2]
            cards = [*cards[:place], (first, next_gate), (second, gate), *cards[place + 2 :]]
            dealt = tuple(facts.DealtCard(*each) for each in cards)
            fact = facts.MisdealReported(dealt, recoverable)
        await at.must(at.dealer, fact)
        phase = Phase.DEALT if recoverable else Phase.REDEAL
        # Whoever still looked at the cards of a deal that is void would lay those.
        for actor in (at.dealer,) if recoverable else (at.dealer, *at.players):
            seen = actor.seen
            await seen.until("the misdeal's end", lambda seen=seen: seen.phase == phase)  # type: ignore[misc]
        return recoverable

    def answers(
        self, at: CardTable, script: Script, gate: int, cards: tuple[str, ...], banker: Arrangement
    ) -> Arrangement | None:
        """Return how the holder lays his cards; the holder of the first gate may foul or be late."""
        laying = _spoiled(at, script, gate, cards)
        if laying is not None:
            return laying.lanes
        return super().answers(at, script, gate, cards, banker)

    def sets(
        self, at: CardTable, script: Script, gate: int, cards: tuple[str, ...]
    ) -> Laying | None:
        """Return how a hand is set; that of the first gate may be fouled or not be set."""
        laying = _spoiled(at, script, gate, cards)
        if laying is not None:
            return laying if laying.lanes is not None else None
        return super().sets(at, script, gate, cards)

    async def after_round(self, at: CardTable, script: Script) -> None:
        """Return when a shuffler has started again, and settled rounds are corrected and voided."""
        restarts = Trick.RESTART in script.tricks and _coin(script, Trick.RESTART)
        if restarts and not at.steps.dice:
            _count(at, Trick.RESTART)
            await _restart(at, script, at.shuffler)
        choice = chance(script.seed, "afterwards")
        for trick, play in ((Trick.CORRECTED, _correct), (Trick.VOID_SETTLED, _void_settled)):
            # A table has a round for each script, and keeps the last ones.
            kept = [one for one in at.settled if script.number - one.number < CORRECTABLE]
            if trick in script.tricks and kept:
                _count(at, trick)
                await play(at, choice.choice(kept))


def _spoiled(at: CardTable, script: Script, gate: int, cards: tuple[str, ...]) -> Laying | None:
    """Return how the first gate that a player holds is spoiled, without lanes if he is late; or None."""
    held = [each for each, holder in at.dealer.seen.holders.items() if holder != HOUSE]
    if gate != min(held, default=None):
        return None
    if Trick.LATE in script.tricks:
        _count(at, Trick.LATE)
        return Laying(None)
    if Trick.FOUL in script.tricks:
        _count(at, Trick.FOUL)
        return Laying(people.fouls(at.rule_set, cards, at.rules))
    return None


async def _unreadable(at: CardTable, script: Script) -> None:
    _count(at, Trick.UNREADABLE)
    if (dice := at.devices.get("dice")) is not None:
        # With the round's number in it no two of them are alike. A shuffler's would be quarantined
        # without its bytes, and one that was sent again would count twice.
        nine = DiceThrown((1,) * 6 + tuple((script.number >> shift) & 255 for shift in (16, 8, 0)))
        await tricks.unreadable_reading(at, dice, nine)
    player = at.players[0]
    bad_id = facts.BetPlaced("no id!", player.person_id, 1, LEAST_UNIT_MINOR, 1)
    await tricks.unreadable_act(at, player, bad_id, Reason.UNREADABLE_FACT)
    await tricks.unreadable_act(at, player, Fact(), Reason.UNKNOWN_FACT)


def _who_has_acted(at: CardTable) -> list[Actor[CardsSeen]]:
    """Return the dealer and a player: who has a place has taken it himself."""
    return [at.dealer, *_seated(at)[:1]]


def _seated(at: CardTable) -> list[Actor[CardsSeen]]:
    seen = at.dealer.seen
    here = {*seen.places, *seen.seats.values()}
    return [each for each in at.players if each.person_id in here]


async def _wrong_acts(at: CardTable, script: Script) -> None:
    """Return when two acts were refused, each for its own reason."""
    _count(at, Trick.WRONG_ACT)
    first = _seated(at)[0]
    second = next(each for each in at.players if each is not first)
    boxed = (Phase.BETTING, Phase.DEALING)
    await first.seen.until("the pack in the box", lambda: first.seen.phase in boxed)
    wrong = _wrong_everywhere(at, first)
    if at.steps.bets:
        wrong += _wrong_bets(at, first, second)
    else:
        wrong += [
            (
                first,
                facts.BetPlaced("b", first.person_id, 1, 0, 0, LEAST_UNIT_MINOR),
                "WRONG_PHASE",
            ),
            (at.dealer, facts.DealStarted(), "WRONG_PHASE"),
            (at.dealer, facts.UnitSet(LEAST_UNIT_MINOR), "WRONG_PHASE"),
            (first, facts.UnitSet(LEAST_UNIT_MINOR), "NOT_ALLOWED"),
        ]
    if not at.steps.dice:
        wrong += [
            (at.dealer, facts.ShakeStarted(first.person_id), "WRONG_PHASE"),
            (at.dealer, facts.HandNotSet(first.seen.gates_of(first.person_id)[0]), "WRONG_PHASE"),
        ]
    for actor, fact, code in chance(script.seed, "wrong").sample(wrong, 2):
        await at.must_refuse(actor, fact, code)


def _wrong_everywhere(at: CardTable, first: Actor[CardsSeen]) -> list[Wrong]:
    return [
        (first, facts.PackBoxed(), "NOT_ALLOWED"),
        (first, facts.PlaceTaken(first.person_id), "HAS_PLACE"),
        (first, facts.HandTaken(_other_gate(at), first.person_id), "WRONG_PHASE"),
        (at.dealer, facts.PackCut("", 20), "WRONG_PHASE"),
        (at.dealer, facts.BankerOpened(), "WRONG_PHASE"),
        (at.dealer, RoundVoided("WHY_NOT"), "NOT_ALLOWED"),
        (at.pit, SettledRoundVoided(f"{at.table.table_id}/999999", "WHY"), "UNKNOWN_ROUND"),
    ]


def _wrong_bets(at: CardTable, first: Actor[CardsSeen], second: Actor[CardsSeen]) -> list[Wrong]:
    gate, unit, me = _other_gate(at), LEAST_UNIT_MINOR, first.person_id
    other_kind = facts.BetPlaced("wrong", me, gate, unit, 4)
    if at.steps.dice:
        nothing = facts.BetPlaced("wrong", me, gate, stake_minor=unit)
    else:
        nothing = facts.BetPlaced("wrong", me, gate)
    return [
        (first, _bet("wrong", me, at.banker_gate, unit, at), "BET_ON_BANKER"),
        (first, _bet("wrong", me, 7, unit, at), "UNKNOWN_GATE"),
        (first, other_kind, "BAD_BET"),
        (first, nothing, "BAD_BET"),
        (first, _bet("wrong", me, gate, 1, at), "BAD_BET"),
        (first, _bet("wrong", second.person_id, gate, unit, at), "NOT_ALLOWED"),
        (first, facts.BetWithdrawn("nothing", me), "UNKNOWN_BET"),
    ]


async def _restart_in_round(at: CardTable, script: Script) -> None:
    """Return when a device has started again; a shuffler has lost its deck, and the round is void."""
    harmless = _coin(script, Trick.RESTART)
    if harmless and not at.steps.dice:
        return  # between this round and the next
    _count(at, Trick.RESTART)
    device = at.devices["dice"] if harmless else at.shuffler
    await _restart(at, script, device)
    if not harmless:
        await at.void("DECK_LOST")


async def _restart(at: CardTable, script: Script, device: Device) -> None:
    remembers = chance(script.seed, "remembers").random() < 0.5
    await at.must_read(await device.restart(remembers=remembers))


async def _correct(at: CardTable, settled: SettledRound) -> None:
    """Return when a settled round was settled again with one gate as it really lay.

    Where nothing is laid there is nothing that could have been read wrong.
    """
    choice = chance(settled.round_id, at.pit.terminal.sequence)
    gate = choice.choice(settled.gates)
    if not at.steps.arranged:
        correction = ThirteenCardsCorrection((CorrectedGate(gate),))
        fact = SettledRoundCorrected(settled.round_id, "READ_WRONG", "demo", correction)
        await at.must_refuse(at.pit, fact, "NOTHING_CORRECTED")
        return
    must_lie = at.steps.banker_opens_first and gate == at.banker_gate
    late = not must_lie and choice.random() < 0.5
    laid = None if late else people.fouls(at.rule_set, settled.cards[gate], at.rules)
    correction = ThirteenCardsCorrection((CorrectedGate(gate, laid),))
    await tricks.corrected(
        at, SettledRoundCorrected(settled.round_id, "READ_WRONG", "demo", correction)
    )


async def _void_settled(at: CardTable, settled: SettledRound) -> None:
    """Return when a settled round is void."""
    await tricks.void_settled(at, settled.round_id)
    at.settled.remove(settled)


def _bet(bet_id: str, player_id: str, gate: int, amount: int, at: CardTable) -> facts.BetPlaced:
    """Return a bet of one unit, or a stake."""
    if at.steps.dice:
        return facts.BetPlaced(bet_id, player_id, gate, amount, 1)
    return facts.BetPlaced(bet_id, player_id, gate, stake_minor=amount)


def _other_gate(at: CardTable) -> int:
    """Return a gate on which a bet may lie."""
    if at.steps.dice:
        return (at.banker_gate + 1) % 4
    return next(gate for gate in at.dealer.seen.seats if gate != at.banker_gate)


def _coin(script: Script, trick: Trick) -> bool:
    return chance(script.seed, "coin", trick.name).random() < 0.5


def _count(at: CardTable, trick: Trick) -> None:
    at.count(trick.name.lower())
