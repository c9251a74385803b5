"""Decides how a Pai Kau table's people and devices play a round, each acting on what he was shown (A2 to A6).

What goes wrong on purpose is the conduct's; the proper one does nothing.
"""

import asyncio

from floorbook.demo.at_table import Actor
from floorbook.demo.casino import chance
from floorbook.demo.devices import Device
from floorbook.demo.pai_kau import people
from floorbook.demo.pai_kau.people import Pairs, WishedBet
from floorbook.demo.pai_kau.script import Script, Wall
from floorbook.demo.pai_kau.seen import TilesSeen
from floorbook.demo.pai_kau.table import SettledRound, TileTable
from floorbook.games.pai_kau.gates import FOUR_GATE_TILES, hands_of
from floorbook.games.pai_kau.tiles import HAND_SIZE, Tile
from floorbook.table.events import DiceThrown, Fact
from floorbook.table.pai_kau import facts
from floorbook.table.pai_kau.shown import PaiKauBank
from floorbook.table.pai_kau.state import Phase

Hands = dict[int, tuple[Tile, ...]]

_NEW_TILES = 0.15  # in place of the sixteen that are held over
_ASKED_AFTER_SHUFFLE = 0.5
_MOVES_TILES = 0.25
_EXPOSED = 0.05
_READER = 0.5  # the tile reader reports the deal, and not the dealer
_HELPED = 0.2


class Conduct:
    """How people and devices behave where they could do otherwise; this one is proper."""

    async def before_lock(self, at: TileTable, script: Script) -> None:
        """Return when bets and stakes lie and the round is about to be locked."""

    async def after_lock(self, at: TileTable, script: Script) -> None:
        """Return when the dice may be thrown."""

    async def reads(self, at: TileTable, script: Script, device: Device, fact: Fact) -> None:
        """Return when the table has taken the reading that the round waits for."""
        await at.must_read(await device.report(fact))

    async def before_deal(self, at: TileTable, script: Script) -> None:
        """Return when the wall may be opened."""

    async def opens(self, at: TileTable, script: Script, wall: Wall, positions: range) -> None:
        """Return when the machine has opened what is dealt of the sealed wall, and nothing else."""
        await at.must_read(await at.machine.report(wall.opened(positions)))

    async def deals(self, at: TileTable, script: Script, hands: Hands) -> None:
        """Return when the tiles are about to be reported as they lie."""

    def sets(
        self, at: TileTable, script: Script, gate: int, tiles: tuple[Tile, ...]
    ) -> Pairs | None:
        """Return front and back as the tiles of a gate are laid; None if nobody lays them."""
        return people.lays(tiles, chance(script.seed, "mood", gate))

    async def after_round(self, at: TileTable, script: Script) -> None:
        """Return when whatever concerns settled rounds is done."""


async def play_round(at: TileTable, script: Script, conduct: Conduct) -> None:
    """Return when the round is settled; a round that becomes void raises `RoundIsVoid`."""
    asked_late = chance(script.seed, "asked").random() < _ASKED_AFTER_SHUFFLE
    if not asked_late:
        await at.go_on_or_leave(script.seed)
    before, seen = at.dealer.seen.round_id, at.dealer.seen
    carried_over = await _lay_tiles(at, script)
    await seen.until("the new round", lambda: seen.round_id != before)
    if asked_late:
        await at.go_on_or_leave(script.seed)
    await at.must(at.dealer, facts.GatesAnnounced(at.gates))
    await at.fill_bank(script.seed)
    bank = at.bank
    await at.must(at.dealer, facts.BettingOpened())
    await _bet(at, script)
    await conduct.before_lock(at, script)
    await _move_tiles(at, script)
    await _lock(at)
    await conduct.after_lock(at, script)
    await conduct.reads(at, script, at.devices["dice"], DiceThrown(script.dice))
    await _deal(at, script, conduct, carried_over=carried_over)
    await _set_hands(at, script, conduct)
    await _settle(at, script, bank, second_of_pair=carried_over)


async def _lay_tiles(at: TileTable, script: Script) -> bool:
    """Return whether the tiles of the last round lie used: else a wall is stacked and sealed."""
    held_over = at.dealer.seen.held_over
    new = held_over and chance(script.seed, "new").random() < _NEW_TILES
    if held_over and not new:
        await at.must(at.dealer, facts.TilesCarriedOver())
        return True
    if new:
        at.note("new_tiles")
    await at.must(at.dealer, facts.TilesShuffled(new_tiles=new))
    await at.must_read(await at.machine.report(script.wall.sealed))
    at.wall, at.tiles, at.is_sealed = script.wall, script.wall.faces, True
    return False


async def _bet(at: TileTable, script: Script) -> None:
    """Return when bets, stake and co-banks lie, as the dealer has seen them."""
    mood, bank = chance(script.seed, "bets"), at.bank
    gates = [gate for gate in range(1, at.gates + 1) if gate != bank.gate]
    players = {each.person_id: at.home(each) for each in at.players if each is not at.banker}
    backing = people.backers(tuple(players), mood)
    betting = {who: home for who, home in players.items() if who not in backing}
    wished = people.bets(betting, gates, mood)
    # In this order: who came first decides ties.
    for bet in (*wished, *people.changes(wished, mood)):
        await _place(at, bet)
    for posted in people.co_banks(backing, gates, mood):
        who = at.dealer if posted.house else at.player(posted.co_bank_id)
        await at.must(who, posted)
        at.note("co_bank_of_the_house" if posted.house else "co_bank_of_a_customer")
    seen = at.banker.seen
    lying = len({(bet.player_id, bet.gate) for bet in wished})
    await seen.until("all bets", lambda: len(seen.bets) == lying)
    assert seen.bank is not None, "he banks"
    stake = people.stake(seen.bank, seen.bets, mood)
    await at.must(at.banker, facts.StakePosted(bank.player_id, stake))


async def _place(at: TileTable, bet: WishedBet) -> None:
    player = at.player(bet.player_id)
    seen = player.seen
    round_id = at.dealer.seen.round_id
    await seen.until(
        "the bets to open", lambda: seen.round_id == round_id and seen.phase == Phase.BETTING
    )
    await at.must(player, facts.BetChanged(bet.gate, bet.player_id, bet.amount_minor))


async def _move_tiles(at: TileTable, script: Script) -> None:
    """Return when players and then the banker have moved tiles by hand (A2.6), or nobody has."""
    mood = chance(script.seed, "moves")
    if mood.random() >= _MOVES_TILES:
        return
    others = [each for each in at.players if each is not at.banker]
    movers = mood.sample(others, mood.randint(0, 2))
    if not movers or mood.random() < 0.5:
        movers.append(at.banker)
    for mover in movers:
        await at.must(mover, facts.TilesMoved(mover.person_id))
        # A hand's worth goes from somewhere in the wall to its head.
        place = mood.randrange(len(at.tiles) // HAND_SIZE) * HAND_SIZE
        taken = at.tiles[place : place + HAND_SIZE]
        at.tiles = (*taken, *at.tiles[:place], *at.tiles[place + HAND_SIZE :])
    at.is_sealed = False
    at.note("tiles_moved")


async def _lock(at: TileTable) -> None:
    """Return when the banker shakes: bets, stakes and holders stand, and the dealer has seen them."""
    banker, seen = at.banker, at.dealer.seen
    await at.must(banker, facts.HeadTilesPut(banker.person_id))
    await at.must(banker, facts.DiceShaken(banker.person_id))
    await seen.until("the holders of the gates", lambda: seen.holders is not None)


async def _deal(at: TileTable, script: Script, conduct: Conduct, *, carried_over: bool) -> None:
    """Return when the tiles of every gate are reported, and of a sealed wall were opened before."""
    seen, mood = at.dealer.seen, chance(script.seed, "deal")
    await seen.until("the first gate", lambda: seen.first_gate is not None)
    await conduct.before_deal(at, script)
    if at.is_sealed:
        assert at.wall is not None, "sealed"
        await conduct.opens(at, script, at.wall, dealt_positions(at.gates, carried_over))
    hands = hands_of(at.gates, at.bank.gate, script.dice, at.tiles)
    at.tiles = at.tiles[at.gates * HAND_SIZE :]
    if mood.random() < _EXPOSED:
        await at.must(at.dealer, facts.TileExposed(mood.randint(1, at.gates)))
        at.note("tile_exposed")
    await conduct.deals(at, script, hands)
    dealt = facts.TilesDealt(tuple(facts.DealtHand(*each) for each in hands.items()))
    if mood.random() < _READER:
        await at.must_read(await at.devices["reader"].report(dealt))
    else:
        await at.must(at.dealer, dealt)


def dealt_positions(gates: int, carried_over: bool) -> range:
    """Return which positions of the sealed wall a round deals.

    >>> dealt_positions(4, False), dealt_positions(4, True)
    (range(0, 16), range(16, 32))
    """
    first = FOUR_GATE_TILES if carried_over else 0
    return range(first, first + gates * HAND_SIZE)


async def _set_hands(at: TileTable, script: Script, conduct: Conduct) -> None:
    """Return when every gate with bets is laid or left to the dealer, and then the banker's."""
    holders, banker_gate = at.dealer.seen.holders, at.bank.gate
    assert holders is not None, "locked"
    async with asyncio.TaskGroup() as group:
        for gate, holder in holders.items():
            group.create_task(_set_hand(at, script, conduct, gate, at.player(holder)))
    await _set_hand(at, script, conduct, banker_gate, at.banker)


async def _set_hand(
    at: TileTable, script: Script, conduct: Conduct, gate: int, holder: Actor[TilesSeen]
) -> None:
    """Return when a gate is laid by whoever holds it, from the tiles that he was shown."""
    seen, round_id = holder.seen, at.dealer.seen.round_id
    await seen.until(
        f"the tiles of gate {gate}", lambda: seen.round_id == round_id and gate in seen.hands
    )
    pairs = conduct.sets(at, script, gate, seen.hands[gate].tiles)
    if pairs is None:
        await at.must(at.dealer, facts.PairsNotSet(gate))
        return
    who, mood = holder, chance(script.seed, "helps", gate)
    if holder is at.banker and mood.random() < _HELPED:
        # The banker shows his tiles to a friend, who lays them (A3.3).
        who = mood.choice([each for each in at.players if each is not holder])
        at.note("banker_helped")
    await at.must(who, facts.PairsSet(gate, who.person_id, *pairs))


async def _settle(at: TileTable, script: Script, bank: PaiKauBank, *, second_of_pair: bool) -> None:
    """Return when the pairs are open and the dealer has been shown the result of the round."""
    seen = at.dealer.seen
    round_id = seen.round_id
    await at.must(at.dealer, facts.PairsOpened())
    await seen.until("the settlement", lambda: round_id in seen.results)
    result = seen.results.pop(round_id)
    at.tally.evaluations[round_id] = 1
    for what in people.told_of(result, second_of_pair=second_of_pair):
        at.note(what)
    tiles = {gate: hand.tiles for gate, hand in seen.hands.items()}
    at.settled.append(SettledRound(round_id, script.number, bank, tiles))
