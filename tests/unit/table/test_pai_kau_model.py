"""Whatever people do at a Pai Kau table, in whatever order, it is what the plain model of 5.1 says."""

import json
import random

import msgspec.inspect as look
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from msgspec import Struct

from floorbook.games.pai_kau.setting import house_way
from floorbook.games.pai_kau.tiles import SET, rest_of_set
from floorbook.money import MovementKind
from floorbook.table import events
from floorbook.table.events import Fact
from floorbook.table.pai_kau import facts
from floorbook.table.pai_kau.state import PaiKau
from floorbook.table.state import Evaluation, encode, obligation_id
from floorbook.wire import envelope
from tests.unit.table.nonsense import Nonsense
from tests.unit.table.pai_kau_model import LOCKED, Model
from tests.unit.table.pai_kau_playing import PaiKauTable, by, dealt, filled
from tests.unit.table.playing import PIT, PIT2, balances
from tests.unit.table.test_model import EVERY_CHECK, replayed

PLAYERS = ("p1", "p2", "p3", "p4", "p5")


class Acting:
    """Makes acts, sensible and not, for a table as the model knows it."""

    def __init__(self, model: Model) -> None:
        self.model = model

    def do(self, name: str, rng: random.Random) -> Fact:
        """Return what somebody does."""
        fact: Fact = getattr(self, name)(rng)
        return fact

    def near(self, rng: random.Random) -> Fact:
        """Return an act that belongs to the phase, sensible or not."""
        return self.do(rng.choice(NEAR.get(self.model.phase, ("void", "expose"))), rng)

    def go_on(self, rng: random.Random) -> Fact:
        """Return the act that brings the round forward."""
        model = self.model
        match model.phase:
            case "SHUFFLED":
                return self._before_betting(rng)
            case "BETTING" if not model.stake:
                most = max(model.minimum, rng.choice((100, 1_000)))
                return facts.StakePosted(model.banker, most)
            case "BETTING" if len(model.bets) < 2:
                free = [g for g in range(1, model.gates + 1) if g != model.gate]
                busy = (model.banker, *(c[0] for c in model.cobanks))
                who = rng.choice([p for p in PLAYERS if p not in busy] or ["p9"])
                return facts.BetChanged(rng.choice(free), who, rng.choice((50, 200, 777)))
            case "BETTING" if not model.head:
                return facts.HeadTilesPut(model.banker)
            case "BETTING":
                return facts.DiceShaken(model.banker)
            case "LOCKED":
                return events.DiceThrown(tuple(rng.randint(1, 6) for _ in range(4)))
            case "DEALT":
                return self._dealt(rng)
            case "PLAYERS_SETTING":
                return self._lay(min(model.waiting()))
            case "BANKER_SETTING" if model.gate not in model.done:
                return self._lay(model.gate)
            case "BANKER_SETTING":
                return facts.PairsOpened()
            case _:
                return facts.TilesCarriedOver() if model.used else facts.TilesShuffled()

    def _before_betting(self, rng: random.Random) -> Fact:
        model = self.model
        if not model.gates:
            return facts.GatesAnnounced(8 if model.gate > 4 or rng.random() < 0.3 else 4)
        if model.banker:
            missing = sorted(model.last_bettors - model.consents)
            if model.rounds_done >= 2 and missing:
                if rng.random() < 0.5:
                    return facts.BankLeft("")
                return facts.ConsentGiven(missing[0])
            return facts.BettingOpened()
        if rng.random() < 0.3:
            return self.answer(rng)
        if model.next_banker():
            return facts.BankAssigned()
        who = rng.choice(sorted(model.has_bet) or PLAYERS)
        return facts.BankAnswered(rng.randint(1, model.gates), who, True)

    def shuffle(self, rng: random.Random) -> Fact:
        return facts.TilesShuffled(rng.random() < 0.3)

    def carry(self, rng: random.Random) -> Fact:
        return facts.TilesCarriedOver()

    def announce(self, rng: random.Random) -> Fact:
        return facts.GatesAnnounced(rng.choice((4, 4, 8, 8, 5, 0)))

    def leave(self, rng: random.Random) -> Fact:
        return facts.BankLeft(rng.choice((self.model.banker, "", "p2")))

    def consent(self, rng: random.Random) -> Fact:
        return facts.ConsentGiven(rng.choice(PLAYERS))

    def answer(self, rng: random.Random) -> Fact:
        who = rng.choice((*PLAYERS, "p8", "p8", ""))  # p8 never bets
        return facts.BankAnswered(rng.randint(0, 9), who, rng.random() < 0.7)

    def assign(self, rng: random.Random) -> Fact:
        return facts.BankAssigned()

    def open_bets(self, rng: random.Random) -> Fact:
        return facts.BettingOpened()

    def bet(self, rng: random.Random) -> Fact:
        amount = rng.choice((0, -1, 1, 100, 100, 250, 10**15, 10**15 + 1))
        return facts.BetChanged(rng.randint(0, 5), rng.choice((*PLAYERS, "")), amount)

    def stake(self, rng: random.Random) -> Fact:
        who = self.model.banker if rng.random() < 0.8 else "p2"
        amount = rng.choice((0, 1, 500, self.model.minimum, self.model.minimum - 1, 10**15 + 1))
        return facts.StakePosted(who, amount)

    def back(self, rng: random.Random) -> Fact:
        who = rng.choice(("p4", "p5", "floor", "", self.model.banker))
        amount = rng.choice((0, 100, 300, 300, 10**15 + 1))
        return facts.CoBankPosted(who, amount, who == "floor", rng.choice((0, 0, 0, 1, 2, 9)))

    def move(self, rng: random.Random) -> Fact:
        return facts.TilesMoved(rng.choice((*PLAYERS, self.model.banker or "p1")))

    def head(self, rng: random.Random) -> Fact:
        return facts.HeadTilesPut(rng.choice((self.model.banker, "p2")))

    def shake(self, rng: random.Random) -> Fact:
        return facts.DiceShaken(rng.choice((self.model.banker, "p2")))

    def throw(self, rng: random.Random) -> Fact:
        return events.DiceThrown(rng.choice(((1, 2, 3, 4), (6, 6, 6, 6), (0, 1, 1, 1), (1, 2))))

    def cocked(self, rng: random.Random) -> Fact:
        return events.ThrowVoid(events.ThrowFault.COCKED, (1, 2, 0, 4))

    def deal(self, rng: random.Random) -> Fact:
        fact = self._dealt(rng)
        hands = list(fact.hands)
        if hands and rng.random() < 0.5:
            i = rng.randrange(len(hands))
            wrong = rng.choice(
                (
                    facts.DealtHand(9, hands[i].tiles),
                    facts.DealtHand(hands[i].gate, hands[i].tiles[:3]),
                    facts.DealtHand(hands[i].gate, ("42",) * 4),
                    facts.DealtHand(hands[i].gate, ("24", *hands[i].tiles[1:])),
                )
            )
            hands[i] = wrong
        return facts.TilesDealt(tuple(hands))

    def expose(self, rng: random.Random) -> Fact:
        return facts.TileExposed(rng.randint(1, 4))

    def lay(self, rng: random.Random) -> Fact:
        model = self.model
        gate = rng.randint(0, 5)
        who = model.holders().get(gate, "p1") if rng.random() < 0.8 else rng.choice(PLAYERS)
        tiles = model.hands.get(rng.choice((gate, gate, gate, 1))) or list(SET[:4])
        a, b, c, d = rng.sample(tiles, 4)
        front, back = rng.choice((((a, b), (c, d)),) * 4 + (((a,), (b, c, d)), ((), ())))
        return facts.PairsSet(gate, who, front, back)

    def give_up(self, rng: random.Random) -> Fact:
        return facts.PairsNotSet(rng.randint(0, 5))

    def open_pairs(self, rng: random.Random) -> Fact:
        return facts.PairsOpened()

    def void(self, rng: random.Random) -> Fact:
        return events.RoundVoided("TEST")

    def _lay(self, gate: int) -> Fact:
        way = house_way(self.model.hands[gate])
        who = self.model.holders().get(gate, self.model.banker)
        return facts.PairsSet(gate, who, way.front.tiles, way.back.tiles)

    def _dealt(self, rng: random.Random) -> facts.TilesDealt:
        rest = rest_of_set(self.model.used)
        order = rng.sample(rest, len(rest))
        return facts.TilesDealt(
            tuple(
                facts.DealtHand(gate, tuple(order[4 * gate - 4 : 4 * gate]))
                for gate in range(1, self.model.gates + 1)
                if 4 * gate <= len(order)
            )
        )


RESTING_ACTS = ("shuffle", "carry", "leave", "consent")
SETTING_ACTS = ("lay", "lay", "lay", "give_up", "expose", "open_pairs")
NEAR = {
    "IDLE": RESTING_ACTS,
    "SETTLED": RESTING_ACTS,
    "VOID": RESTING_ACTS,
    "SHUFFLED": ("announce", "leave", "consent", "answer", "answer", "assign", "open_bets"),
    "BETTING": ("bet", "bet", "bet", "stake", "back", "back", "move", "head", "shake"),
    "LOCKED": ("throw", "cocked", "bet"),
    "DEALT": ("deal", "expose"),
    "PLAYERS_SETTING": SETTING_ACTS,
    "BANKER_SETTING": SETTING_ACTS,
}
"""What is done in a phase; elsewhere all of it is out of phase."""
ACTS = (
    *("go_on",) * 30,
    *("near",) * 20,
    *dict.fromkeys(act for acts in NEAR.values() for act in acts),
    *("void", "judge"),
)


def same_as(table: PaiKauTable, model: Model) -> None:
    """The table stands as the model says."""
    game = table.pk
    assert table.phase == model.phase
    assert game.opening == model.opening
    if game.turn is None:
        assert not model.banker
    else:
        turn = (game.turn.gate, game.turn.player_id, game.turn.rounds_done)
        assert turn == (model.gate, model.banker, model.rounds_done)
        assert game.turn.minimum_stake == model.minimum
    assert game.last_gate == model.last_gate
    assert set(game.has_bet) == model.has_bet
    assert set(game.last_bettors) == model.last_bettors
    assert set(game.consents) == model.consents
    assert sorted(game.used_tiles) == sorted(model.used)
    assert [[b.gate, b.player_id, b.amount] for b in game.bets] == model.bets
    assert [[c.id, c.stake, c.house, c.gate] for c in game.cobanks] == model.cobanks
    assert game.stake == model.stake
    assert {laid.gate for laid in game.laid} == model.done
    assert len(table.state.obligations) == (model.phase == "OPENED")
    found = balances(table.movements)
    assert sum(found.values()) == 0
    assert found.get("layout", 0) == (model.held if model.phase in LOCKED else 0)


def both_do(table: PaiKauTable, model: Model, name: str, rng: random.Random) -> str:
    """Return the code, the same of table and model, of one act; or play the evaluator's part."""
    if name in ("go_on", "judge") and model.phase == "OPENED":
        before = balances(table.movements)
        answer = table.judged()
        assert isinstance(answer, events.RoundEvaluated), answer
        taken = table.answer(table.owed_id(), answer)
        assert taken.verdict.refusal is None, "the evaluator's answer always fits"
        result = json.loads(answer.result)
        _paid(before, balances(table.movements), result, model)
        model.settled(result)
    elif name != "judge":
        fact = Acting(model).do(name, rng)
        code = table.code(by(table, fact), fact)
        assert code == model.take(fact), fact
        return code
    return ""


def _paid(before: dict[str, int], after: dict[str, int], result: dict, model: Model) -> None:  # type: ignore[type-arg]
    """Everybody has what the evaluator said, and the chips he had on the layout."""
    gets = {f"player/{model.banker}": model.stake}
    parties = {model.banker: f"player/{model.banker}"}
    for who, amount, house, _ in model.cobanks:
        parties[who] = "cobank" if house else f"player/{who}"
        gets[parties[who]] = gets.get(parties[who], 0) + amount
    for _, who, amount in model.bets:
        gets[f"player/{who}"] = gets.get(f"player/{who}", 0) + amount
    for bank in result["banks"]:
        gets[parties[bank["id"]]] += bank["delta"]
    for one in result["players"]:
        gets[f"player/{one['player_id']}"] += one["delta"]
    gets["commission"] = result["house"]["commission"]
    gets["layout"] = -model.held
    for party in {*before, *after, *gets}:
        assert after.get(party, 0) - before.get(party, 0) == gets.get(party, 0), party


@settings(max_examples=60)
@given(acts=st.lists(st.tuples(st.sampled_from(ACTS), st.integers(0, 1 << 32)), max_size=90))
def test_a_table_does_what_the_rules_say(acts: list[tuple[str, int]]) -> None:
    table = PaiKauTable().open()
    table.checks += EVERY_CHECK
    model = Model()
    for name, seed in acts:
        both_do(table, model, name, random.Random(seed))
        same_as(table, model)
    assert replayed(table) == encode(table.state)


def test_the_acts_reach_every_phase_and_code() -> None:
    """Random acts that never got far would prove nothing."""
    codes: set[str] = set()
    phases: set[str] = set()
    kinds: set[MovementKind] = set()
    longest = 0
    rng = random.Random(1)
    for _ in range(50):
        table, model = PaiKauTable().open(), Model()
        for _ in range(160):
            codes.add(both_do(table, model, rng.choice(ACTS), rng))
            phases.add(model.phase)
            longest = max(longest, model.rounds_done)
            same_as(table, model)
        kinds |= {one.kind for one in table.movements}
    assert phases == {
        "IDLE", "SHUFFLED", "BETTING", "LOCKED", "DEALT", "PLAYERS_SETTING", "BANKER_SETTING",
        "OPENED", "SETTLED", "VOID",
    }  # fmt: skip
    assert longest >= 3
    assert codes == {
        "", "WRONG_PHASE", "TILES_REMAIN", "NO_TILES_REMAIN", "BAD_GATE", "FOUR_GATES_ONLY",
        "BANKER_OUTSIDE", "BANK_VACANT", "NOT_BANKER", "TURN_NOT_OVER", "NO_PLAYER", "BANK_TAKEN",
        "GATES_MISSING", "BAD_ID", "NEVER_BET", "NO_CANDIDATE", "CONSENT_MISSING", "BETS_LOCKED",
        "BET_ON_BANKER_GATE", "BANKER_BETS", "COBANKER_BETS", "BAD_AMOUNT", "STAKE_BELOW_MINIMUM",
        "MOVING_OVER", "STAKE_MISSING", "HEAD_TILES_OUT", "HEAD_TILES_MISSING", "BAD_DICE",
        "BAD_TILES", "PLAYERS_NOT_SET", "ALREADY_SET", "NOT_HOLDER", "BAD_ARRANGEMENT",
        "BANKER_NOT_SET",
    }  # fmt: skip


class PaiKauNonsense(Nonsense):
    """Makes what is well typed out of chance, and of what stands at a Pai Kau table."""

    table: PaiKauTable

    def fact(self) -> Fact:
        """Return any common fact or fact of the game, with any content."""
        made = self._made(look.type_info(self.rng.choice(KINDS_OF_FACT)))
        assert isinstance(made, Fact)
        return made

    def _struct(self, kind: look.StructType) -> Struct:
        made = super()._struct(kind)
        if isinstance(made, facts.TilesDealt) and self.rng.random() < 0.7:
            game = self.table.state.game
            if isinstance(game, PaiKau) and game.gates:
                return dealt(filled({}, game.gates, game.used_tiles))
        return made

    def _text(self, kind: look.StrType) -> str:
        if kind.max_length == 8:
            return self.rng.choice((*SET, "6x", ""))
        return super()._text(kind)


KINDS_OF_FACT: tuple[type[Fact], ...] = (
    *envelope.COMMON.values(),
    *envelope.GAMES["pai_kau"].values(),
    events.UnknownFact,
)


def play_nonsense(seed: int, length: int = 200) -> PaiKauTable:
    """Return a table at which sense and nonsense were reported in turns."""
    rng = random.Random(seed)
    table = PaiKauTable(seed=seed)
    if rng.random() < 0.9:
        table.open()
    nonsense = PaiKauNonsense(table, rng)
    for _ in range(length):
        if rng.random() < 0.65:
            _sense(table, rng)
            continue
        event, before = nonsense.event(), table.state.sources
        if table.take(event).state.sources != before:
            table.sequences[event.equipment_id] = event.sequence
            table.boots[event.equipment_id] = event.boot
    return table


def _sense(table: PaiKauTable, rng: random.Random) -> None:
    """Do what somebody would do to bring the table forward."""
    owed = [o for o in table.state.obligations if isinstance(o, Evaluation)]
    if table.state.game is None:
        table.send(PIT, table.terms())
    elif table.state.causes:
        cause = table.state.causes[0].cause_id
        hole = cause.startswith("hole")
        decision = events.Decision.CONTINUE_AT if hole else events.Decision.RESUME
        at = table.sequences.get(cause.split("/")[1], 0) + 1
        table.send(rng.choice((PIT, PIT2)), events.SuspensionResolved(decision, cause, at))
    elif owed:
        table.answer(obligation_id(table.state, owed[0]), table.judged(owed[0]))
    elif isinstance(table.state.game, PaiKau):
        fact = Acting(follow(table)).go_on(rng)
        table.send(by(table, fact), fact)
    else:
        table.send(PIT, events.TableClosed())


def follow(table: PaiKauTable) -> Model:
    """Return the model of a table as it stands, as far as going on needs it."""
    game, model = table.pk, Model()
    model.phase, model.opening, model.last_gate = table.phase, game.opening, game.last_gate
    if game.turn is not None:
        model.gate, model.banker = game.turn.gate, game.turn.player_id
        model.rounds_done, model.minimum = game.turn.rounds_done, game.turn.minimum_stake
    model.has_bet, model.used = set(game.has_bet), list(game.used_tiles)
    model.last_bettors, model.consents = set(game.last_bettors), set(game.consents)
    model.gates, model.stake, model.head = game.gates, game.stake, game.head_tiles_out
    model.answers = {one.player_id: (one.gate, one.accepts) for one in game.answers}
    model.bets = [[bet.gate, bet.player_id, bet.amount] for bet in game.bets]
    model.cobanks = [[c.id, c.stake, c.house, c.gate] for c in game.cobanks]
    model.hands = {gate: list(hand) for gate, hand in enumerate(game.hands, 1)}
    model.done = {laid.gate for laid in game.laid}
    return model


# Without shrinking: a smaller seed is no simpler game.
@settings(max_examples=15, phases=[Phase.explicit, Phase.generate])
@given(seed=st.integers(0, 1 << 32))
def test_every_event_has_an_answer(seed: int) -> None:
    table = play_nonsense(seed)
    found = balances(table.movements)
    assert sum(found.values()) == 0
    game = table.state.game
    if not (isinstance(game, PaiKau) and table.phase in LOCKED) and not table.state.obligations:
        assert "layout" not in found
    assert [m.number for m in table.movements] == list(range(1, len(table.movements) + 1))
    assert replayed(table, lambda event: event) == encode(table.state)


def test_the_nonsense_goes_as_far_as_settlements() -> None:
    kinds: set[MovementKind] = set()
    applied: set[type[Fact]] = set()
    for seed in range(15):
        table = play_nonsense(seed)
        kinds |= {one.kind for one in table.movements}
        for event, taken in zip(table.log, table.steps, strict=True):
            if taken.verdict.refusal is None:
                applied.add(type(event.fact))
    assert kinds >= {MovementKind.HOLD, MovementKind.SETTLEMENT}
    assert len(applied) > len(KINDS_OF_FACT) // 2, applied
