"""A hand as it is played: whole random hands, and each turn of the state machine."""

from random import Random
from typing import Any, get_args

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from floorbook.games.game import Evaluated, evaluate
from floorbook.games.mahjong.claims import (
    Claim,
    Offer,
    decide,
    legal_claims,
    may_close_early,
)
from floorbook.games.mahjong.config import Config
from floorbook.games.mahjong.distance import shanten
from floorbook.games.mahjong.hand import Holding, Setting
from floorbook.games.mahjong.melds import Meld, tiles_of
from floorbook.games.mahjong.play import (
    Act,
    ActKind,
    Play,
    applied,
    dealt,
    facts_of,
    holding_of,
    is_exhausted,
    refusal,
    turn_of,
)
from floorbook.games.mahjong.results import win_request
from floorbook.games.mahjong.seats import Seat, next_seat, others_from, seating
from floorbook.games.mahjong.settle import settle
from floorbook.games.mahjong.sight import seen_melds, shown_at_the_end, shows_its_tile
from floorbook.games.mahjong.tiles import CODES, COPIES, TILE_OF, Tile, codes_of
from floorbook.games.mahjong.turns import legal_in_turn, without
from floorbook.games.mahjong.variant import SIMPLIFIED, TRADITIONAL, VARIANTS, Variant, variant_of
from floorbook.games.mahjong.wall import (
    dealt_places,
    draw_order,
    front_place,
    tail_place,
)

ACTS: tuple[ActKind, ...] = get_args(ActKind)


def tile(code: str) -> Tile:
    return TILE_OF[code]


def hand(codes: str) -> tuple[Tile, ...]:
    return tuple(TILE_OF[code] for code in codes.split())


class Table:
    """A table that plays whole hands by itself: everybody does something legal, by chance."""

    def __init__(self, variant: Variant, players: int, seed: int) -> None:
        self.random = Random(seed)
        seats = seating(variant, ["E", "S", "W", "N"][:players])
        assert seats is not None
        self.setting = Setting(variant, Config(), seats, "E")
        self.wall = [kind for kind in variant.kinds for _ in range(COPIES)]
        self.random.shuffle(self.wall)
        self.fronts = self.replacements = 0
        places = dealt_places(variant, seats)
        hands = tuple(tuple(self.wall[place] for place in places[seat]) for seat in seats)
        self.play = dealt(self.setting, hands)
        self.hands = dict(zip(seats, hands, strict=True))
        self.acts: list[Act] = []

    def do(self, act: Act) -> None:
        assert refusal(self.setting, self.play, act) is None, act
        self.play = applied(self.setting, self.play, act)
        self.acts.append(act)

    def front(self) -> Tile:
        place = front_place(
            self.setting.variant, len(self.setting.seats), self.fronts, self.replacements
        )
        self.fronts += 1
        return self.wall[place]

    def tail(self) -> Tile:
        place = tail_place(
            self.setting.variant, len(self.setting.seats), self.fronts, self.replacements
        )
        self.replacements += 1
        return self.wall[place]

    def run(self) -> None:
        while self.play.phase != "ended" and not (is_exhausted(self.play) and not self.claims()):
            if self.play.phase == "turn":
                self.take_turn()
            elif self.play.phase == "replace":
                self.do(Act("replacement", self.play.seat, self.tail()))
            else:
                self.close_window()

    def take_turn(self) -> None:
        play = self.play
        legal = legal_in_turn(self.setting, turn_of(self.setting, play))
        if legal.win:
            self.do(Act("win", play.seat))
        elif legal.added_kong:
            self.do(Act("added_kong", play.seat, legal.added_kong[0]))
        elif legal.concealed_kong:
            self.do(Act("concealed_kong", play.seat, legal.concealed_kong[0]))
        else:
            self.do(Act("discard", play.seat, self.nearest(legal.discard)))

    def nearest(self, discards: tuple[Tile, ...]) -> Tile:
        """A discard that leaves the hand nearest to winning; now and then any."""
        if self.random.random() < 0.1:
            return self.random.choice(discards)
        holding = holding_of(self.setting, self.play, self.play.seat)
        declared = tiles_of(holding.melds)

        def left(discard: Tile) -> tuple[int, float]:
            rest = without(holding.concealed, discard)
            distance = shanten(self.setting.variant, rest, declared, len(holding.melds))
            return distance, self.random.random()

        return min(discards, key=left)

    def claims(self) -> list[Claim]:
        offer = self.play.offer
        assert offer is not None
        found = []
        for seat in others_from(self.setting.seats, offer.seat):
            holding = holding_of(self.setting, self.play, seat)
            legal = legal_claims(self.setting, offer, self.play.wall_remaining, holding, seat)
            if legal.win:
                found.append(Claim(seat, "win"))
            elif legal.kong and self.random.random() < 0.7:
                found.append(Claim(seat, "kong"))
            elif legal.pong and self.random.random() < 0.4:
                found.append(Claim(seat, "pong"))
            elif legal.chows and self.random.random() < 0.3:
                found.append(Claim(seat, "chow", self.random.choice(legal.chows)))
        return found

    def close_window(self) -> None:
        offer = self.play.offer
        assert offer is not None
        holdings = dict(zip(self.setting.seats, self.play.holdings, strict=True))
        claims = self.claims()
        decided = decide(self.setting, offer, self.play.wall_remaining, holdings, claims)
        match decided.outcome:
            case "win" | "kong" | "pong" | "chow":
                assert decided.seat is not None
                (claim,) = [claim for claim in claims if claim.seat == decided.seat]
                self.do(Act(decided.outcome, claim.seat, tiles=claim.tiles))
            case "draw":
                assert decided.seat is not None
                self.do(Act("draw", decided.seat, self.front()))
            case "kong_stands":
                self.do(Act("replacement", offer.seat, self.tail()))
            case _:
                raise AssertionError(decided)

    def tiles(self) -> list[Tile]:
        """Every tile outside the wall."""
        play = self.play
        held = [t for h in play.holdings for t in (*h.concealed, *tiles_of(h.melds))]
        return [*held, *play.face_up, *([play.offer.tile] if play.offer else [])]

    def log(self, stakes: int) -> dict[str, Any]:
        """What happened, as the evaluator is asked about it."""
        return {
            "op": "hand_log",
            "seats": list(self.setting.seats),
            "round_wind": "E",
            "start": {"hands": {seat: codes_of(tiles) for seat, tiles in self.hands.items()}},
            "events": [event(act) for act in self.acts],
            "stakes": dict.fromkeys(self.setting.seats, stakes),
        }


def event(act: Act) -> dict[str, Any]:
    told: dict[str, Any] = {"type": act.kind, "seat": act.seat}
    if act.tile is not None:
        told["tile"] = CODES[act.tile]
    if act.tiles:
        told["tiles"] = codes_of(act.tiles)
    return told


@st.composite
def played_hands(draw: st.DrawFn) -> Table:
    variant = draw(st.sampled_from(VARIANTS))
    table = Table(variant, draw(st.sampled_from(variant.seat_counts)), draw(st.integers(0, 2**32)))
    table.run()
    return table


@settings(max_examples=25)
@given(played_hands())
def test_a_hand_keeps_all_its_tiles(table: Table) -> None:
    variant, play = table.setting.variant, table.play
    out = table.tiles()
    assert len(out) + play.wall_remaining == variant.wall_size
    assert max(out.count(kind) for kind in set(out)) <= COPIES
    for seat in table.setting.seats:
        holding = holding_of(table.setting, play, seat)
        whole = len(holding.concealed) + 3 * len(holding.melds)
        assert whole in (variant.hand_size, variant.hand_size + 1)
    if play.ended is None:
        assert play.wall_remaining == 0
    # A table stores it: what is read back is the same, and small.
    stored = msgspec.msgpack.encode(play)
    assert msgspec.msgpack.decode(stored, type=Play) == play
    assert len(stored) < 600


@settings(max_examples=25)
@given(played_hands(), st.integers(0, 30))
def test_the_log_of_a_hand_is_judged_as_it_was_played(table: Table, stakes: int) -> None:
    answer = evaluate(table.setting.variant.id, "1", table.log(stakes))
    assert isinstance(answer, Evaluated), answer
    result, ended = answer.result, table.play.ended
    if ended is None:
        assert result == {"status": "draw"}
        return
    money = dict.fromkeys(table.setting.seats, stakes)
    settlement = settle(table.setting, ended.declared, ended.facts, money)
    assert result["status"] == "win"
    assert result["seat"] == ended.declared.seat
    assert result["liable"] == settlement.liability.liable
    assert sum(result["net"].values()) == 0
    # The facts of a log are those with which the same win can be asked about alone.
    alone = win_request(table.setting, ended.declared, ended.facts, money)
    same = evaluate(table.setting.variant.id, "1", alone)
    assert isinstance(same, Evaluated), same
    for key in ("status", "faan", "total", "payments", "net", "decomposition"):
        assert same.result[key] == result[key]
    assert same.result["liability"]["rules"] == result["rules"]
    assert same.result["liability"]["exempted_by"] == result["exempted_by"]


@settings(max_examples=25)
@given(played_hands(), st.data())
def test_any_act_at_any_time_is_refused_or_taken(table: Table, data: st.DataObject) -> None:
    setting, upto = table.setting, data.draw(st.integers(0, len(table.acts)))
    play = dealt(setting, tuple(table.hands.values()))
    for act in table.acts[:upto]:
        play = applied(setting, play, act)
    seat = data.draw(st.sampled_from(setting.seats))
    kind = data.draw(st.sampled_from(ACTS))
    chosen = data.draw(st.sampled_from(setting.variant.kinds))
    act = Act(kind, seat, chosen, (chosen, min(chosen + 1, 33)))
    reason = refusal(setting, play, act)
    if reason is None:
        after = applied(setting, play, act)
        assert after != play or kind == "look"
        assert len(after.holdings) == len(play.holdings)


# Step by step

FOUR = ("E", "S", "W", "N")
TABLE = Setting(TRADITIONAL, Config(), FOUR, "E")
JUNK = "1m 3s 6s 9s 1p 4p 7p 2p 5p 8p E S W"


def start(**hands: str) -> Play:
    """The dealer's turn with 14 tiles, and what the others hold."""
    held = {"E": f"{JUNK} N", "S": JUNK, "W": JUNK, "N": JUNK} | hands
    return dealt(TABLE, tuple(hand(held[seat]) for seat in FOUR))


def after(play: Play, *acts: Act, setting: Setting = TABLE) -> Play:
    for act in acts:
        assert refusal(setting, play, act) is None, act
        play = applied(setting, play, act)
    return play


def test_the_dealer_does_not_draw_first() -> None:
    play = start()
    assert refusal(TABLE, play, Act("draw", "E", tile("8m"))) == "out_of_order"
    assert refusal(TABLE, play, Act("discard", "S", tile("1m"))) == "out_of_order"
    assert refusal(TABLE, play, Act("discard", "E", tile("2m"))) == "tiles_not_held"


def test_a_pong_skips_seats_and_gives_no_draw() -> None:
    play = after(start(W="1m 1m 2s 3s 4s 5s 6s 7s 8s 9s C C F"), Act("discard", "E", tile("1m")))
    taken = after(play, Act("pong", "W"))
    assert (taken.phase, taken.seat, taken.began, taken.drawn) == ("turn", "W", "pong", None)
    assert taken.face_up == ()
    assert refusal(TABLE, taken, Act("win", "W")) == "not_drawn"
    assert refusal(TABLE, taken, Act("concealed_kong", "W", tile("2s"))) == "not_drawn"
    following = after(taken, Act("discard", "W", tile("2s")), Act("draw", "N", tile("B")))
    assert following.face_up == (tile("2s"),)


def test_a_withdrawn_pong_bars_and_is_the_seats_answer() -> None:
    play = after(start(W="1m 1m 2s 3s 4s 5s 6s 7s 8s 9s C C F"), Act("discard", "E", tile("1m")))
    assert refusal(TABLE, play, Act("pong_withdrawn", "N")) == "tiles_not_held"
    barred = after(play, Act("pong_withdrawn", "W"))
    assert refusal(TABLE, barred, Act("pong", "W")) == "out_of_order"
    assert refusal(TABLE, barred, Act("win", "W")) == "barred"
    assert holding_of(TABLE, after(barred, Act("draw", "S", tile("B"))), "W").barred


def test_a_barred_win_is_a_false_one_where_the_house_says_so() -> None:
    strict = Setting(TRADITIONAL, Config(void_win_is_false_win=True), FOUR, "E")
    play = after(start(W="1m 1m 2s 3s 4s 5s 6s 7s 8s 9s C C F"), Act("discard", "E", tile("1m")))
    ended = after(play, Act("pong_withdrawn", "W"), Act("win", "W"), setting=strict).ended
    assert ended is not None
    assert (ended.verdict.status, ended.verdict.reason) == ("false_win", "barred")


def test_who_looked_at_a_hand_declares_no_kong() -> None:
    play = after(start(W="1m 1m 1m 3s 4s 5s 6s 7s 8s 9s C C F"), Act("look", "W"))
    play = after(play, Act("discard", "E", tile("1m")))
    assert refusal(TABLE, play, Act("kong", "W")) == "no_kong"
    assert refusal(TABLE, play, Act("pong", "W")) is None


def test_an_added_kong_stands_when_its_replacement_is_drawn() -> None:
    play = after(
        start(S="1m 1m 2s 3s 4s 5s 6s 7s 8s 9s C C F", W="2m 3m 2s 3s 4s 5s 6s 7s 9p 9p 9p C C"),
        Act("discard", "E", tile("1m")),
        Act("pong", "S"),
        Act("discard", "S", tile("F")),
        Act("draw", "W", tile("B")),
        Act("discard", "W", tile("B")),
        Act("draw", "N", tile("B")),
        Act("discard", "N", tile("B")),
        Act("draw", "E", tile("B")),
        Act("discard", "E", tile("B")),
        Act("draw", "S", tile("1m")),
        Act("added_kong", "S", tile("1m")),
    )
    assert refusal(TABLE, play, Act("pong", "W")) == "not_allowed"
    assert refusal(TABLE, play, Act("draw", "W", tile("9s"))) == "out_of_order"
    robbed = after(play, Act("win", "W"))
    assert robbed.ended is not None
    assert robbed.ended.declared.win.kind == "robbed_kong"
    assert robbed.ended.verdict.status == "win"
    assert [meld.kind for meld in holding_of(TABLE, robbed, "S").melds] == ["pong"]
    stands = after(play, Act("replacement", "S", tile("9s")))
    (kong,) = holding_of(TABLE, stands, "S").melds
    assert (kong.kind, kong.added, kong.source) == ("kong", True, "E")
    assert stands.kong_chain == 1


def test_after_the_last_tile_only_a_win_is_left() -> None:
    last = Play(
        holdings=(Holding(hand(JUNK)), Holding(hand(JUNK)), Holding(), Holding(hand("1m 1m"))),
        wall_remaining=1,
        phase="claims",
        seat="W",
        offer=Offer("discard", "W", tile("9m")),
        first_discard=False,
    )
    play = after(last, Act("draw", "N", tile("2m")))
    assert refusal(TABLE, play, Act("concealed_kong", "N", tile("1m"))) == "wall_empty"
    play = after(play, Act("discard", "N", tile("2m")))
    assert is_exhausted(play)
    assert refusal(TABLE, play, Act("draw", "E", tile("3m"))) == "wall_empty"
    assert refusal(TABLE, play, Act("chow", "E", tiles=hand("1m 3m"))) == "wall_empty"
    assert refusal(TABLE, play, Act("win", "E")) is None


def test_nothing_follows_the_end() -> None:
    play = after(start(), Act("win", "E"))
    assert play.ended is not None
    assert (play.ended.verdict.status, play.ended.verdict.reason) == ("false_win", "shape")
    for kind in ACTS:
        assert refusal(TABLE, play, Act(kind, "E", tile("1m"))) == "hand_over"


def test_facts_are_those_before_the_discard() -> None:
    play = after(
        start(W="1m 1m 2s 3s 4s 5s 6s 7s 8s 9s C C F"),
        Act("discard", "E", tile("1m")),
        Act("pong", "W"),
        Act("discard", "W", tile("F")),
        Act("draw", "N", tile("B")),
        Act("discard", "N", tile("9s")),
    )
    facts = facts_of(TABLE, play, "W")
    assert facts.discarder_concealed == tuple(sorted(hand(f"{JUNK} B")))
    assert facts.visible == tuple(sorted(hand("1m 1m 1m F")))
    assert facts.turns_since_fourth_meld is None


# Who sees what


def test_a_view_never_holds_what_a_seat_may_not_see() -> None:
    hidden = [kind for kind in ACTS if not shows_its_tile(kind)]
    assert hidden == ["draw", "replacement", "concealed_kong"]
    kong = Meld("kong", hand("F F F F"), open=False)
    pong = Meld("pong", hand("1m 1m 1m"), source="N")
    assert seen_melds((kong, pong), own=True) == (kong, pong)
    assert seen_melds((kong, pong), own=False) == (None, pong)


def test_only_who_declared_a_win_shows_his_hand() -> None:
    play = after(start(W=JUNK), Act("discard", "E", tile("1m")))
    assert shown_at_the_end(play) is None
    assert shown_at_the_end(after(play, Act("win", "W"))) == "W"


# Closing a window early


def ready(codes: str) -> Holding:
    return Holding(hand(codes))


WAITING = "2s 3s 4s 5m 6m 7m 6p 7p 8p 5p 5p 2m 3m"  # for 1m and 4m


@pytest.mark.parametrize(
    ("claims", "unanswered", "closes"),
    [
        ([], ["S", "W", "N"], False),
        ([], [], True),
        ([Claim("S", "win")], ["W", "N"], True),  # nobody is nearer
        ([Claim("W", "win")], ["N"], True),
        ([Claim("N", "win")], ["S", "W"], False),  # West could win before North
        ([Claim("N", "win")], ["S"], False),  # South has none, which the others must not learn
        ([Claim("N", "win")], [], True),
        ([Claim("S", "pong")], ["N"], False),  # anybody can still declare a win
    ],
)
def test_a_window_closes_early_only_if_nothing_can_change(
    claims: list[Claim], unanswered: list[Seat], closes: bool
) -> None:
    holdings = {"S": ready(JUNK), "W": ready(WAITING), "N": ready(WAITING)}
    if claims[:1] == [Claim("S", "win")]:
        holdings["S"] = ready(WAITING)
    offer = Offer("discard", "E", tile("1m"))
    assert may_close_early(TABLE, offer, 60, holdings, claims, unanswered) is closes


def test_what_a_seat_may_claim() -> None:
    offer = Offer("discard", "E", tile("4s"))
    own = Holding(hand("2s 3s 5s 6s 4s 4s 4s 1m 4m 7m E S W"))
    legal = legal_claims(TABLE, offer, 60, own, "S")
    assert (legal.win, legal.kong, legal.pong) == (False, True, True)
    assert [tuple(codes_of(pair)) for pair in legal.chows] == [
        ("2s", "3s"),
        ("3s", "5s"),
        ("5s", "6s"),
    ]
    assert legal_claims(TABLE, offer, 60, own, "W").chows == ()
    simple = Setting(SIMPLIFIED, Config(), FOUR, "E")
    legal = legal_claims(simple, offer, 60, Holding(hand("4s 4s 4s 3s")), "S")
    assert (legal.kong, legal.pong, legal.chows) == (True, False, ())


# The wall


@pytest.mark.parametrize("variant", VARIANTS, ids=lambda variant: variant.id)
@settings(max_examples=20)
@given(seed=st.integers(0, 2**32))
def test_every_place_of_the_wall_is_taken_once(variant: Variant, seed: int) -> None:
    random = Random(seed)
    count = random.choice(variant.seat_counts)
    taken = [place for own in dealt_places(variant, FOUR[:count]).values() for place in own]
    fronts = replacements = 0
    while len(taken) < variant.wall_size:
        if random.random() < 0.8:
            taken.append(front_place(variant, count, fronts, replacements))
            fronts += 1
        else:
            taken.append(tail_place(variant, count, fronts, replacements))
            replacements += 1
    assert sorted(taken) == list(range(variant.wall_size))


def test_replacements_come_from_the_top_of_the_last_stack() -> None:
    order = draw_order(TRADITIONAL, (4, 4, 5))
    places = [tail_place(TRADITIONAL, 4, 0, number) for number in range(4)]
    assert [order[place] for place in places] == ["E13T", "E13B", "E12T", "E12B"]


@pytest.mark.parametrize("variant", VARIANTS, ids=lambda variant: variant.id)
def test_a_game_is_found_by_its_id(variant: Variant) -> None:
    assert variant_of(variant.id) is variant


def test_seats_are_filled_from_the_dealer_on() -> None:
    assert seating(SIMPLIFIED, ["W", "E", "S"]) == ("E", "S", "W")
    assert seating(SIMPLIFIED, ["E", "S", "N"]) is None
    assert seating(TRADITIONAL, ["E", "S", "W"]) is None
    assert next_seat(("E", "S", "W"), "W") == "E"
