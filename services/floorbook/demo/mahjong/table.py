"""Decides what a simulated mahjong table is opened with, who sits at it, and whose chips lie where.

What all at the table work out for themselves after a hand is worked out here too: who deals next, and
how many chips everybody has. The next hand must begin just so.
"""

from collections import deque
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from floorbook.demo.at_table import Actor, AtTable, Place
from floorbook.demo.casino import LEAST_UNIT_MINOR
from floorbook.demo.devices import Device
from floorbook.demo.mahjong.seen import Known, MahjongSeen
from floorbook.games.mahjong.config import Config, config_of
from floorbook.games.mahjong.rounds import NextHand, Outcome, Played, next_hand
from floorbook.games.mahjong.seats import DEALER, Seat
from floorbook.games.mahjong.tiles import CODES
from floorbook.games.mahjong.variant import SIDES, variant_of
from floorbook.table.events import TableOpened
from floorbook.table.mahjong import facts
from floorbook.table.mahjong.paid import Result, charge_of, result_of
from floorbook.table.mahjong.shapes import MahjongOptions, MahjongWin
from floorbook.table.mahjong.shown import MahjongResult

HURRIED_LIMIT_MS: Final = 2_500
"""The time to think at tables that misbehave, for those who never answer."""
HANDS_OF_A_CYCLE: Final = 16

_CHIPS: Final = 100 * LEAST_UNIT_MINOR
_FEW_CHIPS: Final = 20 * LEAST_UNIT_MINOR
_MANY_CHIPS: Final = 200 * LEAST_UNIT_MINOR
_HANDS_REMEMBERED: Final = 5
# By the table's number: nothing, so much a hand, or a percentage of what the winner wins.
_CHARGES: Final = (
    MahjongOptions(),
    MahjongOptions(charge_minor=LEAST_UNIT_MINOR // 20),
    MahjongOptions(charge_percent=5),
)


class SettledHand(Struct, frozen=True):
    """A hand that was settled, by its round and its number at the table, and how it ended.

    `other_win` is a win that somebody else could have declared on the tile that ended it.
    """

    round_id: str
    number: int
    declared: bool
    other_win: MahjongWin | None


class MahjongTable(AtTable[MahjongSeen]):
    """A table of one of the two games with its people and devices."""

    def __init__(self, place: Place[MahjongSeen]) -> None:
        """Return the table with everybody at it, not yet open."""
        super().__init__(place)
        self.variant = variant_of(place.table.rule_set)
        self.flags: dict[str, object] = {"unit": LEAST_UNIT_MINOR}
        config = config_of(self.flags)
        assert isinstance(config, Config), "our own flags"
        self.config = config
        charge = _CHARGES[(place.table.number - 1) % len(_CHARGES)]
        limit = HURRIED_LIMIT_MS if place.misbehave else 0
        self.options = replace(charge, claim_limit_ms=limit, minimum_chips_minor=LEAST_UNIT_MINOR)
        self.chips: dict[str, int] = {}
        self.next = NextHand(0, DEALER, 1)
        self.settled: deque[SettledHand] = deque(maxlen=_HANDS_REMEMBERED)

    @property
    def shuffler(self) -> Device:
        """Return the tile machine, which builds and seals the wall."""
        return self.devices["shuffler"]

    @property
    def terms(self) -> TableOpened:
        """Return the fact that opens the table."""
        return replace(self.table.opened(self.flags), mahjong=self.options)

    # Places and chips

    async def take_places(self) -> None:
        """Return when all players sit with chips in front of them, and the first dealer is named."""
        for place in range(len(self.players)):
            await self.sit(place)
        await self.name_dealer()

    async def sit(self, place: int) -> None:
        """Return when the player of a side of the table sits there with chips."""
        player = self.players[place]
        await self.must(player, facts.SeatTaken(player.person_id, place))
        self.chips[player.person_id] = 0
        await self.add_chips(player, _CHIPS)

    async def leave(self, player: Actor[MahjongSeen]) -> None:
        """Return when a player has left with his chips."""
        await self.must(player, facts.SeatLeft(player.person_id))
        del self.chips[player.person_id]

    async def name_dealer(self) -> None:
        """Return when it is said who deals the next hand."""
        following = self.next
        fact = facts.DealerNamed(following.dealer, following.round_wind, following.hand_in_round)
        await self.must(self.dealer, fact)

    async def add_chips(self, player: Actor[MahjongSeen], amount: int) -> None:
        """Return when a player has put more chips in front of himself."""
        await self.must(player, facts.ChipsAdded(player.person_id, amount))
        self.chips[player.person_id] += amount

    async def see_to_chips(self) -> None:
        """Return when nobody has too few chips to play on, and who has many has taken some away."""
        for player in self.players:
            amount = self.chips[player.person_id]
            if amount < _FEW_CHIPS:
                await self.add_chips(player, _CHIPS)
                self.note("chips_added")
            elif amount > _MANY_CHIPS:
                await self.must(player, facts.ChipsTaken(player.person_id, _CHIPS))
                self.chips[player.person_id] -= _CHIPS
                self.note("chips_taken")

    async def close(self) -> None:
        """Return when all have left with their chips and the table is closed."""
        for player in self.players:
            await self.leave(player)
        await super().close()

    # What people know

    def at_seat(self, seat: Seat) -> Actor[MahjongSeen]:
        """Return the player who has a seat in this hand."""
        return self.player(self.dealer.seen.seats[seat])

    def known(self, player: Actor[MahjongSeen]) -> Known:
        """Return what a player knows of the hand."""
        return player.seen.known(self.variant, self.config, player.person_id)

    async def is_up_to_date(self, *actors: Actor[MahjongSeen]) -> None:
        """Return when these people have seen all that the croupier has seen of the hand."""
        croupier = self.dealer.seen
        round_id, steps = croupier.round_id, croupier.steps
        for actor in actors:
            seen = actor.seen
            await seen.until(
                f"step {steps} of {round_id}",
                lambda seen=seen: seen.round_id == round_id and seen.steps >= steps,  # type: ignore[misc]
            )

    # From hand to hand

    def check_begun(self) -> None:
        """Return if the hand has begun as all expected after the last one; or raise the fault."""
        begun, following = self.dealer.seen.begun, self.next
        assert begun is not None, "waited for"
        players = [each.person_id for each in self.players]
        seated = (*players[following.dealer :], *players[: following.dealer])
        wanted = (
            following.round_wind,
            following.hand_in_round,
            [(seat, who, self.chips[who]) for seat, who in zip(SIDES, seated, strict=False)],
        )
        found = (
            begun.round_wind,
            begun.hand_in_round,
            [(each.seat, each.player_id, each.chips_minor) for each in begun.seats],
        )
        if found != wanted:
            raise self.fault(f"the hand begins with {found}, expected was {wanted}")

    def settle(self, shown: MahjongResult) -> Result:
        """Return the settlement that was shown, once chips and dealer are what they then are."""
        result = result_of(shown.result)
        seats = self.dealer.seen.seats
        for seat, net in result.net.items():
            self.chips[seats[seat]] += net
        outcome: Outcome = "draw"
        winner = None
        if result.status == "win":
            seat, outcome = self.dealer.seen.winner, "win"
            self.chips[seats[seat]] -= charge_of(
                self.options.charge_minor, self.options.charge_percent, result.net[seat]
            )
            winner = (self.next.dealer + SIDES.index(seat)) % len(self.players)
        elif result.status == "false_win":
            outcome = "false_win"
        before = self.next
        played = Played(
            len(self.players),
            before.dealer,
            before.round_wind,
            before.hand_in_round,
            outcome,
            winner,
        )
        self.next = next_hand(self.config, played)
        if self.next.cycle_complete:
            self.note("cycles_complete")
        return result

    async def other_win(self) -> MahjongWin | None:
        """Return a win as it might have been another seat's, if somebody's discard was claimed for one.

        Only the supervisor is shown all hands, once the hand is over.
        """
        seen = self.pit.seen
        await self.is_up_to_date(self.pit)
        offer = seen.offer
        if offer is None or offer.kind != "discard" or not seen.winner:
            return None
        others = (
            hand for seat, hand in seen.hands.items() if seat not in (offer.seat, seen.winner)
        )
        for hand in others:
            tile = CODES[offer.tile]
            return MahjongWin(hand.seat, hand.concealed, hand.sets, tile, "discard", offer.seat)
        return None
