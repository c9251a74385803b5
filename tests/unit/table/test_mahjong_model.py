"""Whatever people do at a mahjong table, in whatever order, it is what the plain model of section 7 says."""

import json
import random
from collections import Counter
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from floorbook.games.mahjong.tiles import CODES
from floorbook.table import events
from floorbook.table.events import Fact
from floorbook.table.mahjong import facts
from floorbook.table.mahjong.facts import TileClaim
from floorbook.table.state import encode
from tests.unit.games import slow_mahjong as slow
from tests.unit.table.mahjong_model import PLAYING, RESTING, Model, in_order
from tests.unit.table.mahjong_playing import MahjongTable, arranged, every_tile, wall
from tests.unit.table.playing import DEALER, DICE, PIT, SHUFFLER, balances
from tests.unit.table.test_model import replayed

GAMES = (("mahjong.traditional", 4), *(("mahjong.simplified", n) for n in (2, 3, 4)))
FLAGS: tuple[dict[str, Any], ...] = (
    {},
    {"void_win_is_false_win": True, "added_kong_only_when_drawn": False},
    {"dealer_keeps_without_winner": False, "win_limit": "total", "unit": 9},
)
PLAYERS = ("p1", "p2", "p3", "p4")
LIMIT_MS = 2_000


class Both:
    """A table and the model of it, and people who do something, sensible or not."""

    def __init__(self, seed: int) -> None:
        """Return both, just opened, with players and chips."""
        rng = random.Random(seed)
        rule_set, players = rng.choice(GAMES)
        flags, percent = rng.choice(FLAGS), rng.choice((0, 0, 7))
        self.limited = rng.random() < 0.5
        self.table = MahjongTable(seed=seed).open(
            players,
            rule_set=rule_set,
            flags=json.dumps(flags),
            charge_percent=percent,
            claim_limit_ms=LIMIT_MS if self.limited else 0,
        )
        self.model = Model(rule_set, flags, percent, self.limited)
        for fact in [one.fact for one in self.table.log]:
            if isinstance(fact, facts.SeatTaken | facts.ChipsAdded | facts.DealerNamed):
                assert not self.model.take(fact)
        self.lazy = False  # nobody claims or declares anything
        self.faces: list[str] = []
        self.codes: Counter[str] = Counter()
        self.ends: Counter[str] = Counter()

    # Acts

    def do(self, rng: random.Random) -> None:
        """Do something: mostly what brings the hand forward, else whatever comes to mind."""
        before = self.table.state.game
        model = self.model
        if model.phase == "COMPLETE" and rng.random() < 0.7:
            self._settle()
            return
        if model.phase == "CLAIMS" and self.limited and rng.random() < 0.1:
            self.table.signal()
            model.close()
            return
        fact = self._sensible(rng) if self.lazy or rng.random() < 0.7 else self._any(rng)
        opened: tuple[str, ...] = ()
        if isinstance(fact, events.DeckOpened):
            opened = tuple(one.face for one in fact.openings)
        code = self.table.code(self._by(fact), fact)
        assert code == model.take(fact, opened), fact
        self.codes[code] += 1
        if code:
            assert self.table.state.game == before, "what is refused changes nothing"

    def _by(self, fact: Fact) -> str:
        match fact:
            case events.ShuffleSealed() | events.DeckOpened():
                return SHUFFLER
            case events.DiceThrown():
                return DICE
            case events.RoundVoided() | facts.PlayerBarred():
                return PIT
            case _:
                return DEALER

    def _settle(self) -> None:
        table, model = self.table, self.model
        asked, before = json.loads(table.owed().request), balances(table.movements)
        if model.asked is None:
            assert asked["op"] == "priority"
        else:
            said = {name: asked[name] for name in model.asked}
            assert said | {"concealed": 0} == model.asked | {"concealed": 0}
            assert in_order(said["concealed"]) == in_order(model.asked["concealed"])
        stakes = {who: model.chips[who] for who in model.players.values()}
        table.settle()
        gets, charge = model.settle()
        after = balances(table.movements)
        for seat, who in model.players.items():
            party = f"player/{who}"
            assert after.get(party, 0) - before.get(party, 0) == gets[seat] + stakes[who]
        assert after.get("charge", 0) - before.get("charge", 0) == charge
        self.ends[model.asked["win"]["kind"] if model.asked else "exhausted"] += 1
        several = [said for said, _ in model.answers.values() if said == "win"]
        self.ends["several claims"] += len(several) > 1

    def _sensible(self, rng: random.Random) -> Fact:
        model = self.model
        match model.phase:
            case "BUILT":
                return events.DiceThrown(self.table.throw)
            case "BROKEN" | "DRAWING" | "REPLACING":
                assert self.table.deck is not None
                return self.table.deck.opened(model.due())
            case "TURN":
                return self._turn(rng)
            case "CLAIMS":
                return self._claim(rng)
            case "COMPLETE":
                return facts.TileDiscarded("p1", "1s")
            case _ if any(not chips for chips in model.chips.values()):
                broke = next(who for who, chips in model.chips.items() if not chips)
                return facts.ChipsAdded(broke, 500)
            case _ if len(model.places) < 2 or (model.traditional and len(model.places) < 4):
                place = next(at for at in range(4) if at not in model.places)
                return facts.SeatTaken(next(p for p in PLAYERS if p not in model.chips), place)
            case _ if model.dealer is None:
                return facts.DealerNamed(min(model.places), "N", len(model.places))
            case _:
                return self._wall(rng)

    def _wall(self, rng: random.Random) -> Fact:
        """Return a wall that deals hands near to winning, and short of nothing."""
        seats = "ESWN"[: len(self.model.places)]
        left = every_tile(self.table.variant)
        rng.shuffle(left)
        hands: dict[str, list[str]] = {}
        for seat in seats:
            hands[seat] = []
            for _ in range(self.table.variant.sets - rng.randint(0, 1)):
                pool = [tile for tile in left if left.count(tile) >= 3 or tile not in slow.HONOURS]
                hands[seat] += _set_of(pool, rng)
                for tile in hands[seat][-3:]:
                    left.remove(tile)
        faces = arranged(self.table.variant, self.table.throw, hands, seats=seats)
        if rng.random() < 0.3:
            faces = left + [tile for hand in hands.values() for tile in hand]
            rng.shuffle(faces)
        self.table.deck, self.faces = wall(rng, faces), faces
        return events.ShuffleSealed(self.table.deck.root, len(faces))

    def _turn(self, rng: random.Random) -> Fact:
        model = self.model
        who, hand = model.players[model.turn], model.hands[model.turn]
        if self.lazy:
            return facts.TileDiscarded(who, rng.choice(hand))
        complete = slow.is_winning(model.traditional, hand, len(model.melds[model.turn]))
        if complete and rng.random() < 0.7:
            return facts.WinDeclared(who)
        fours = [tile for tile in set(hand) if hand.count(tile) == 4]
        if fours and rng.random() < 0.7:
            return facts.ConcealedKongDeclared(who, min(fours))
        added = [m["tiles"][0] for m in model.melds[model.turn] if m["tiles"][0] in hand]
        if added and rng.random() < 0.7:
            return facts.AddedKongDeclared(who, rng.choice(added))
        alone = [tile for tile in hand if hand.count(tile) == 1] or hand
        return facts.TileDiscarded(who, rng.choice(alone))

    def _claim(self, rng: random.Random) -> Fact:
        model = self.model
        assert model.offer is not None
        silent = [seat for seat in model.after(model.offer[1]) if seat not in model.answers]
        seat = rng.choice(silent)
        others = any(said == "win" for said, _ in model.answers.values())
        if not self.lazy and rng.random() < (0.4 if others else 0.02):
            return facts.TileClaimed(TileClaim.WIN, model.players[seat])  # right or not
        who, hand, tile = model.players[seat], model.hands[seat], model.offer[2]
        ways: list[tuple[TileClaim, tuple[str, ...]]] = []
        if model.would_win(seat):
            ways.append((TileClaim.WIN, ()))
        if hand.count(tile) >= 2:
            ways += [(TileClaim.PONG, ()), (TileClaim.KONG, ())]
        if tile not in slow.HONOURS:
            near = [f"{int(tile[0]) + step}{tile[1]}" for step in (-2, -1, 1, 2)]
            ways += [(TileClaim.CHOW, tuple(near[at : at + 2])) for at in range(3)]
        ways = [way for way in ways if set(way[1]) <= set(hand)]
        if ways and rng.random() < 0.6 and not self.lazy:
            return facts.TileClaimed(ways[0][0], who, ways[0][1])
        return facts.TileClaimed(TileClaim.PASS, who)

    def _any(self, rng: random.Random) -> Fact:
        who = rng.choice((*PLAYERS, "p9"))
        if self.model.phase in PLAYING and rng.random() < 0.6:
            seat = self.model.turn
            who = self.model.players[seat] if self.model.phase == "TURN" else who
        tile = rng.choice([*CODES, *CODES, "9x"])
        own = tuple(rng.choice(CODES) for _ in range(2))
        place, amount = rng.choice((0, 1, 2, 3, 4)), rng.choice((0, 1, 300, 5_000, 10**15))
        claim = rng.choice(list(TileClaim))
        every: list[Fact] = [
            facts.TileDiscarded(who, tile),
            facts.ConcealedKongDeclared(who, tile),
            facts.AddedKongDeclared(who, tile),
            facts.WinDeclared(who) if rng.random() < 0.2 else facts.PongWithdrawn(who),
            facts.TileClaimed(claim, who, own if claim is TileClaim.CHOW else ()),
            facts.TileClaimed(claim, who, own if rng.random() < 0.5 else ()),
            facts.PongWithdrawn(who),
            facts.HandLookedAt(who),
            events.DiceThrown(rng.choice(((1, 2), (1, 2, 3), (0, 1, 1)))),
            events.ShuffleSealed(b"r" * 32, rng.choice((136, 112, 1))),
        ]
        if rng.random() < 0.1:
            every = [facts.PlayerBarred(who, "TEST", ""), events.RoundVoided("TEST", "")]
        if self.model.phase in RESTING:
            every = [
                facts.SeatTaken(who, place),
                facts.SeatLeft(who),
                facts.ChipsAdded(who, amount),
                facts.ChipsTaken(who, amount),
                facts.DealerNamed(place, rng.choice(("E", "S", "N", "C")), rng.choice((1, 2, 5))),
                facts.TileDiscarded(who, tile),
                events.RoundVoided("TEST", ""),
            ]
        fact = rng.choice(every)
        if isinstance(fact, events.ShuffleSealed) and self.model.phase in RESTING:
            return facts.SeatLeft("p9")
        return fact

    # What holds

    def same(self) -> None:
        """Fail unless the table stands as the model does, and no tile is lost."""
        game, model = self.table.mj, self.model
        assert game.phase == model.phase
        assert game.places == model.places
        assert game.chips == model.chips
        assert (game.dealer_place, game.round_wind, game.hand_in_round) == (
            model.dealer,
            model.wind,
            model.number,
        )
        if model.phase not in PLAYING:
            return
        play, seats = self.table.play, list(model.players)
        assert play.wall_remaining == len(model.wall)
        hands = {
            seat: in_order([CODES[tile] for tile in holding.concealed])
            for seat, holding in zip(seats, play.holdings, strict=True)
        }
        assert hands == {seat: in_order(hand) for seat, hand in model.hands.items()}
        for seat, holding in zip(seats, play.holdings, strict=True):
            sets = [
                (m.kind, [CODES[t] for t in m.tiles], m.open, m.source, m.added)
                for m in holding.melds
            ]
            assert sets == [tuple(meld.values()) for meld in model.melds[seat]]
            assert holding.barred == (seat in model.barred)
            assert holding.no_kong == (seat in model.no_kong)
            assert holding.turns_since_fourth_meld == model.fourth[seat]
        lie = list(zip(game.discarders, (CODES[tile] for tile in play.face_up), strict=True))
        assert lie == model.face_up
        offer = play.offer
        assert model.offer == (offer and (offer.kind, offer.seat, CODES[offer.tile]))
        if model.phase == "TURN":
            drawn = "" if play.drawn is None else CODES[play.drawn]
            assert (play.seat, drawn, play.kong_chain) == (model.turn, model.drawn, model.chain)
        self._keeps_every_tile()

    def _keeps_every_tile(self) -> None:
        game, play = self.table.mj, self.table.play
        there = Counter(self.faces[position] for position in self.model.wall)
        for holding in play.holdings:
            there.update(CODES[tile] for tile in holding.concealed)
            there.update(CODES[tile] for meld in holding.melds for tile in meld.tiles)
        there.update(CODES[tile] for tile in play.face_up)
        if play.offer is not None:
            there[CODES[play.offer.tile]] += 1
        assert there == self.model.whole
        assert len(game.answers) == len(self.model.answers) or game.phase != "CLAIMS"


def _set_of(pool: list[str], rng: random.Random) -> list[str]:
    """Return a set of tiles that are in the pool."""
    while True:
        tile = rng.choice(pool)
        chow = tile not in slow.HONOURS and int(tile[0]) <= 7
        ways = [[tile] * 3, *([slow.chow_of(tile)] if chow else [])]
        way = rng.choice(ways)
        if not Counter(way) - Counter(pool):
            return way


class WholeHands(RuleBasedStateMachine):
    """Hands of chance, one act after the other, at a table and in the model of it."""

    both: Both

    @initialize(seed=st.integers(0, 1 << 32))
    def opened(self, seed: int) -> None:
        """Open the table."""
        self.both = Both(seed)

    @rule(seeds=st.lists(st.integers(0, 1 << 32), min_size=1, max_size=12))
    def acts(self, seeds: list[int]) -> None:
        """Do some things."""
        for seed in seeds:
            self.both.do(random.Random(seed))
            self.both.same()

    @invariant()
    def conserves_chips(self) -> None:
        """Fail if money is lost, or the layout holds what it should not."""
        found = balances(self.both.table.movements)
        assert sum(found.values()) == 0
        model = self.both.model
        held = model.phase in (*PLAYING, "COMPLETE")
        stakes = [model.chips[who] for who in model.players.values()] if held else []
        assert found.get("layout", 0) == sum(stakes)

    def teardown(self) -> None:
        """Fail unless the log gives the same state again."""
        if hasattr(self, "both"):
            assert replayed(self.both.table) == encode(self.both.table.state)


TestWholeHands = WholeHands.TestCase
TestWholeHands.settings = settings(max_examples=12, stateful_step_count=25)


def test_the_acts_reach_every_end_and_code() -> None:
    """Random acts that never got far would prove nothing."""
    codes: Counter[str] = Counter()
    ends: Counter[str] = Counter()
    rng = random.Random(5)
    for seed in range(40):
        both = Both(seed)
        for _ in range(220):
            both.do(rng)
            both.same()
        codes += both.codes
        ends += both.ends
    assert all(ends[way] > 5 for way in ("self_draw", "discard", "several claims")), ends
    assert set(codes) >= {
        "", "WRONG_PHASE", "HAS_PLACE", "NO_PLACE", "PLACE_TAKEN", "UNKNOWN_PLACE", "BAD_AMOUNT",
        "BAD_HAND", "BAD_DICE", "HAND_OVER", "OUT_OF_ORDER", "UNKNOWN_TILE", "NOT_A_SET",
        "TILES_NOT_HELD", "NOT_DRAWN", "NOT_ALLOWED", "BARRED", "NO_KONG",
    }, codes  # fmt: skip


def test_a_wall_is_played_out() -> None:
    both, rng = Both(seed=3), random.Random(3)
    both.lazy = True
    while not both.ends:
        both.do(rng)
        both.same()
    assert both.ends["exhausted"] == 1
    assert not both.model.wall
