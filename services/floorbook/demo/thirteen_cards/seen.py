"""Decides what one viewer of a Thirteen Cards table knows of its round: what he was shown and nothing else."""

from msgspec.structs import replace

from floorbook.demo.seen import Seen, Update
from floorbook.games.thirteen_cards.arrangement import Arrangement
from floorbook.table import events
from floorbook.table.effects import RoundOpened, Shown, TableView
from floorbook.table.thirteen_cards import facts
from floorbook.table.thirteen_cards.shown import HandShown, RoundShown, ThirteenCardsShown
from floorbook.table.thirteen_cards.state import Phase


class CardsSeen(Seen):
    """What one viewer has been shown of places, bets and hands."""

    def __init__(self, who: str, patience_seconds: float = 60.0) -> None:
        """Return a viewer who has seen nothing and waits at most so long for anything."""
        super().__init__(who, patience_seconds)
        self.places: list[str] = []
        self.seats: dict[int, str] = {}
        self.unit_minor = 0
        self.bets: dict[str, facts.BetPlaced] = {}
        self.holders: dict[int, str] = {}
        self.first_gate: int | None = None
        self.cards: dict[int, tuple[str, ...]] = {}
        self.laid: dict[int, Arrangement] = {}
        self.results: dict[str, RoundShown] = {}

    def hear(self, update: Update) -> None:
        """Return after forgetting what a misdeal has undone."""
        if update.fact == "misdeal_reported" and not update.refusal:
            # What was laid, and in a re-deal what was dealt, no longer stands; what does is shown again.
            self.laid.clear()
            if update.phase == Phase.REDEAL:
                self.cards.clear()

    def learn(self, update: Update, shown: Shown) -> None:
        """Return after learning from one thing shown."""
        match shown:
            case RoundOpened():
                self._new_round()
            case TableView():
                self._begin(shown)
            case ThirteenCardsShown():
                self._learn_of_game(shown)
            case _:
                pass  # events.* that change nothing of what people need

    def gates_of(self, player_id: str) -> tuple[int, ...]:
        """Return the gates at which a player sits: one or none."""
        return tuple(gate for gate, who in self.seats.items() if who == player_id)

    def _new_round(self) -> None:
        self.bets, self.holders, self.first_gate = {}, {}, None
        self.cards, self.laid = {}, {}

    def _begin(self, view: TableView) -> None:
        self._new_round()
        game = view.thirteen_cards
        if game is None:
            return
        self.places = list(game.places)
        self.seats = {each.gate: each.player_id for each in game.seats}
        self.unit_minor = game.unit_minor
        self.bets = {bet.bet_id: bet for bet in game.bets}
        if game.holders is not None:
            self.holders = {each.gate: each.player_id for each in game.holders.holders}
        if game.first_gate is not None:
            self.first_gate = game.first_gate.gate
        for hand in game.hands:
            self._hand(hand)

    def _learn_of_game(self, shown: ThirteenCardsShown) -> None:
        if shown.fact is not None:
            self._fact(shown.fact)
        if shown.hand is not None:
            self._hand(shown.hand)
        if shown.holders is not None:
            self.holders = {each.gate: each.player_id for each in shown.holders.holders}
        if shown.first_gate is not None:
            self.first_gate = shown.first_gate.gate
        if shown.round is not None:
            self.results[self.round_id] = shown.round

    def _fact(self, fact: events.Fact) -> None:
        match fact:
            case facts.PlaceTaken(player_id, None):
                self.places.append(player_id)
            case facts.PlaceTaken(player_id, int(gate)):
                self.seats = dict(sorted({**self.seats, gate: player_id}.items()))
            case facts.PlaceLeft(player_id):
                self.places = [each for each in self.places if each != player_id]
                self.seats = {gate: who for gate, who in self.seats.items() if who != player_id}
            case facts.UnitSet(unit_minor):
                self.unit_minor = unit_minor
            case facts.BetPlaced(bet_id):
                self.bets[bet_id] = fact
            case facts.BetWithdrawn(bet_id):
                del self.bets[bet_id]
            case facts.BetMoved(bet_id, _, gate):
                self.bets[bet_id] = replace(self.bets.pop(bet_id), gate=gate)
            case _:
                pass

    def _hand(self, hand: HandShown) -> None:
        if hand.cards:
            self.cards[hand.gate] = hand.cards
        if hand.arrangement is not None:
            self.laid[hand.gate] = hand.arrangement
