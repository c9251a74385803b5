"""A plain model of a mahjong table, written from sections 2 to 7 and 11 of the rules and from nothing else.

It knows one table whose acts all come from those who may do them, and says of each whether it is
taken and what then holds. It keeps lists and sets of tile codes and changes them in place; what a
hand is worth it asks the slow scorer.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from floorbook.table import events
from floorbook.table.events import Fact
from floorbook.table.mahjong import facts
from floorbook.table.mahjong.facts import TileClaim
from tests.unit.games import slow_mahjong as slow

RESTING = ("IDLE", "SETTLED", "VOID")
PLAYING = ("TURN", "CLAIMS", "DRAWING", "REPLACING")
SEATS = "ESWN"
CLAIM = {
    TileClaim.PASS: "pass",
    TileClaim.CHOW: "chow",
    TileClaim.PONG: "pong",
    TileClaim.KONG: "kong",
    TileClaim.WIN: "win",
}
CHANGES = (
    facts.SeatTaken,
    facts.SeatLeft,
    facts.ChipsAdded,
    facts.ChipsTaken,
    facts.DealerNamed,
)
MOST = 10**15


class Model:
    """What the rules say of one table."""

    def __init__(self, rule_set: str, flags: dict[str, Any], percent: int, limited: bool) -> None:
        """Return a table just opened, where nobody sits."""
        self.rule_set, self.flags, self.percent, self.limited = rule_set, flags, percent, limited
        self.traditional = rule_set == "mahjong.traditional"
        kinds = slow.ORDER if self.traditional else [*slow.ORDER[:27], "F"]
        self.kinds = kinds
        self.whole = Counter(dict.fromkeys(kinds, 4))
        self.phase = "IDLE"
        self.places: dict[int, str] = {}
        self.chips: dict[str, int] = {}
        self.dealer: int | None = None
        self.wind, self.number = "E", 1
        self._new_hand()

    def _new_hand(self) -> None:
        self.players: dict[str, str] = {}  # by seat
        self.dice: Sequence[int] = ()
        self.wall: list[int] = []  # positions in the order in which they are drawn
        self.hands: dict[str, list[str]] = {}
        self.melds: dict[str, list[dict[str, Any]]] = {}
        self.fourth: dict[str, int | None] = {}  # turns begun since the fourth set
        self.face_up: list[tuple[str, str]] = []
        self.offer: tuple[str, str, str] | None = None  # discard or added_kong, seat, tile
        self.answers: dict[str, tuple[str, Sequence[str]]] = {}
        self.turn, self.drawn, self.chain = "E", "", 0
        self.dealt_only = True  # the dealer has done nothing yet
        self.discards = 0
        self.barred: set[str] = set()
        self.no_kong: set[str] = set()
        self.asked: dict[str, Any] | None = None  # the declared win

    # Wall

    @property
    def size(self) -> int:
        """Return how many tiles there are."""
        return self.whole.total()

    def due(self) -> list[int]:
        """Return the positions that are opened next."""
        if self.phase == "BROKEN":
            return sorted(position for hand in self.deal().values() for position in hand)
        if self.phase == "DRAWING":
            return self.wall[:1]
        return [self._tail()]

    def _tail(self) -> int:
        """Return the topmost tile of the last stack; tops have even positions."""
        last = self.wall[-1]
        return last - 1 if last % 2 and last - 1 in self.wall else last

    def deal(self) -> dict[str, list[int]]:
        """Return the positions of every hand, in the order in which they are taken (section 4)."""
        order, seats = list(self.wall), list(self.players)
        hands: dict[str, list[int]] = {seat: [] for seat in seats}
        for _ in range(3 if self.traditional else 2):
            for seat in seats:
                many = 4 if self.traditional else 2
                hands[seat] += order[:many]
                del order[:many]
        if self.traditional:
            hands["E"] += [order[0], order[4]]
            for seat, position in zip("SWN", order[1:4], strict=True):
                hands[seat].append(position)
        else:
            hands["E"].append(order[0])
        return hands

    def _break(self) -> None:
        """Lay out the order of drawing (section 3)."""
        total, stacks = sum(self.dice), self.size // 8
        side = "ESWN"[(total - 1) % 4]
        start = 2 * ("ENWS".index(side) * stacks + total)
        self.wall = [(start + n) % self.size for n in range(self.size)]

    # What is taken

    def take(self, fact: Fact, opened: Sequence[str] = ()) -> str:
        """Return the code with which an act is refused; "" once it is taken.

        `opened` are the faces behind the positions of an opening.
        """
        code = self._code(fact)
        if not code:
            self._change(fact, opened)
        return code

    def _code(self, fact: Fact) -> str:
        match fact:
            case facts.SeatTaken() | facts.SeatLeft() | facts.ChipsAdded() | facts.ChipsTaken():
                return self._seat_code(fact) if self.phase in RESTING else "WRONG_PHASE"
            case facts.DealerNamed(place, wind, number):
                if self.phase not in RESTING:
                    return "WRONG_PHASE"
                if place not in self.places:
                    return "UNKNOWN_PLACE"
                fits = wind in ("E", "S", "W", "N") and 1 <= number <= len(self.places)
                return "" if fits else "BAD_HAND"
            case events.ShuffleSealed(_, positions):
                return self._wall_code(positions)
            case events.DiceThrown(values):
                if self.phase != "BUILT":
                    return "WRONG_PHASE"
                many = 3 if self.traditional else 2
                good = len(values) == many and all(1 <= value <= 6 for value in values)
                return "" if good else "BAD_DICE"
            case events.DeckOpened():
                return "" if self.phase in ("BROKEN", "DRAWING", "REPLACING") else "WRONG_PHASE"
            case events.RoundVoided():
                return "WRONG_PHASE" if self.phase in RESTING else ""
            case _:
                return self._act_code(fact)

    def _seat_code(self, fact: Fact) -> str:
        match fact:
            case facts.SeatTaken(player, place):
                if player in self.chips:
                    return "HAS_PLACE"
                if place > 3:
                    return "UNKNOWN_PLACE"
                return "PLACE_TAKEN" if place in self.places else ""
            case facts.SeatLeft(player):
                return "" if player in self.chips else "NO_PLACE"
            case facts.ChipsAdded(player, amount):
                most = MOST - self.chips.get(player, 0)
            case facts.ChipsTaken(player, amount):
                most = self.chips.get(player, 0)
            case _:
                raise AssertionError(fact)
        if player not in self.chips:
            return "NO_PLACE"
        return "" if 0 < amount <= most else "BAD_AMOUNT"

    def _wall_code(self, positions: int) -> str:
        if self.phase not in RESTING:
            return "WRONG_PHASE"
        if positions != self.size:
            return "BAD_DECK"
        if len(self.places) not in ((4,) if self.traditional else (2, 3, 4)):
            return "NOT_ENOUGH_PLAYERS"
        if self.dealer is None:
            return "DEALER_MISSING"
        return "" if all(self.chips.values()) else "STAKE_MISSING"

    def _act_code(self, fact: Fact) -> str:
        """Return why an act of the hand is refused (RULE-REFUSE)."""
        if self.phase in ("COMPLETE", "SETTLED", "VOID"):
            return "HAND_OVER"
        if self.phase not in PLAYING:
            return "OUT_OF_ORDER"
        seat = self.seat_of(getattr(fact, "player_id", ""))
        if not seat:
            return "NO_PLACE"
        match fact:
            case facts.HandLookedAt() | facts.PlayerBarred():
                return ""
            case facts.TileClaimed(claim, _, own):
                return self._answer_code(seat, claim, own)
            case facts.PongWithdrawn():
                said = self.answers.get(seat, ("pong", ()))[0]
                if self.phase != "CLAIMS" or self._offerer == seat or said != "pong":
                    return "OUT_OF_ORDER"
                return self.why_not(seat, "pong", ()).upper()
        if self.phase != "TURN" or seat != self.turn:
            return "OUT_OF_ORDER"
        tile = getattr(fact, "tile", self.kinds[0])
        if tile not in self.kinds:
            return "UNKNOWN_TILE"
        return self._turn_code(fact, seat, tile)

    def _answer_code(self, seat: str, claim: TileClaim, own: Sequence[str]) -> str:
        if self.phase != "CLAIMS" or self._offerer == seat or seat in self.answers:
            return "OUT_OF_ORDER"
        if any(tile not in self.kinds for tile in own):
            return "UNKNOWN_TILE"
        return "NOT_A_SET" if own and claim is not TileClaim.CHOW else ""

    def _turn_code(self, fact: Fact, seat: str, tile: str) -> str:
        held = self.hands[seat].count(tile)
        match fact:
            case facts.TileDiscarded():
                return "" if held else "TILES_NOT_HELD"
            case facts.WinDeclared():
                if not self.drawn:
                    return "NOT_DRAWN"
                return "BARRED" if seat in self.barred and not self._barred_is_false else ""
            case facts.AddedKongDeclared() if not self.traditional:
                return "NOT_ALLOWED"
        if not self.drawn:
            return "NOT_DRAWN"
        if not self.wall:
            return "WALL_EMPTY"
        if seat in self.no_kong:
            return "NO_KONG"
        if isinstance(fact, facts.ConcealedKongDeclared):
            return "" if held == 4 else "TILES_NOT_HELD"
        if not held or self._pong(seat, tile) is None:
            return "TILES_NOT_HELD"
        only_drawn = self.flags.get("added_kong_only_when_drawn", True)
        return "NOT_JUST_DRAWN" if only_drawn and tile != self.drawn else ""

    @property
    def _barred_is_false(self) -> bool:
        return bool(self.flags.get("void_win_is_false_win", False))

    @property
    def _offerer(self) -> str:
        assert self.offer is not None
        return self.offer[1]

    def _pong(self, seat: str, tile: str) -> dict[str, Any] | None:
        for meld in self.melds[seat]:
            if meld["kind"] == "pong" and meld["tiles"][0] == tile:
                return meld
        return None

    def seat_of(self, player: str) -> str:
        """Return the seat of a player in this hand, or nothing."""
        return next((seat for seat, who in self.players.items() if who == player), "")

    def after(self, seat: str) -> list[str]:
        """Return all other seats, from the right of one on."""
        seats = list(self.players)
        place = seats.index(seat)
        return seats[place + 1 :] + seats[:place]

    # Claims

    def why_not(self, seat: str, claim: str, own: Sequence[str]) -> str:
        """Return why a claim is not legal, or nothing (13.4)."""
        assert self.offer is not None
        kind, offerer, tile = self.offer
        if claim != "win" and kind == "added_kong":
            return "not_allowed"
        if claim in ("chow", "pong") and not self.traditional:
            return "not_allowed"
        if claim == "win":
            if seat in self.barred and not self._barred_is_false:
                return "barred"
            return "" if self.would_win(seat) else "not_a_win"
        if not self.wall:
            return "wall_empty"
        if claim == "kong" and seat in self.no_kong:
            return "no_kong"
        hand = self.hands[seat]
        if claim == "chow":
            if self.after(offerer)[0] != seat:
                return "not_next_seat"
            three = sorted([tile, *own], key=slow.ORDER.index)
            is_chow = three[0] not in slow.HONOURS and int(three[0][0]) <= 7
            if not is_chow or three != slow.chow_of(three[0]):
                return "not_a_set"
            return "" if all(one in hand for one in own) else "tiles_not_held"
        enough = hand.count(tile) == 3 if claim == "kong" else hand.count(tile) >= 2
        return "" if enough else "tiles_not_held"

    def would_win(self, seat: str) -> bool:
        """Return whether the tile between the players makes a seat's hand a right win."""
        assert self.offer is not None
        tiles = [*self.hands[seat], self.offer[2]]
        complete = slow.is_winning(self.traditional, tiles, len(self.melds[seat]))
        return complete and seat not in self.barred

    def decide(self) -> tuple[str, str]:
        """Return how the window ends and for whom (RULE-PRIORITY)."""
        assert self.offer is not None
        kind, offerer, _ = self.offer
        order = self.after(offerer)
        why = {
            seat: self.why_not(seat, *said)
            for seat, said in self.answers.items()
            if said[0] != "pass"
        }
        for wanted in ("", "not_a_win"):
            for seat in order:
                if why.get(seat) == wanted and self.answers[seat][0] == "win":
                    return ("win" if not wanted else "false_win"), seat
        for claim in (("kong", "pong"), ("chow",)):
            for seat in order:
                if why.get(seat) == "" and self.answers[seat][0] in claim:
                    return self.answers[seat][0], seat
        if kind == "added_kong":
            return "kong_stands", offerer
        return ("draw", order[0]) if self.wall else ("exhausted", "")

    def _may_close(self) -> bool:
        order = self.after(self._offerer)
        if all(seat in self.answers for seat in order):
            return True
        outcome, winner = self.decide()
        if outcome != "win":
            return False
        nearer = order[: order.index(winner)]
        # Whether one of them could win must not show in when the window closes.
        return all(seat in self.answers for seat in nearer)

    def close(self) -> None:
        """Go on after the window."""
        outcome, seat = self.decide()
        assert self.offer is not None
        kind, offerer, tile = self.offer
        own = list(self.answers[seat][1]) if seat in self.answers else []
        match outcome:
            case "draw":
                self.phase = "DRAWING"
            case "kong_stands":
                self.phase = "REPLACING"
            case "exhausted":
                self.phase = "COMPLETE"
            case "win" | "false_win":
                self._end(seat, kind, offerer, tile)
            case _:
                own = own if outcome == "chow" else [tile] * (3 if outcome == "kong" else 2)
                self.offer = None
                self._begin(seat)
                self._lay(seat, outcome, [tile, *own], own, offerer)
                self.phase = "TURN"
                if outcome == "kong":
                    self.chain, self.phase = 1, "REPLACING"

    # What changes

    def _change(self, fact: Fact, opened: Sequence[str]) -> None:
        seat = self.seat_of(getattr(fact, "player_id", ""))
        match fact:
            case facts.SeatTaken(player, place):
                self.places[place], self.chips[player] = player, 0
            case facts.SeatLeft(player):
                place = next(at for at, who in self.places.items() if who == player)
                del self.places[place], self.chips[player]
                self.dealer = None if self.dealer == place else self.dealer
            case facts.ChipsAdded(player, amount):
                self.chips[player] += amount
            case facts.ChipsTaken(player, amount):
                self.chips[player] -= amount
            case facts.DealerNamed(place, wind, number):
                self.dealer, self.wind, self.number = place, wind, number
            case events.ShuffleSealed():
                self._new_hand()
                self.phase = "BUILT"
                order = sorted(self.places)
                first = order.index(self.dealer if self.dealer is not None else -1)
                around = order[first:] + order[:first]
                self.players = dict(
                    zip(SEATS, (self.places[place] for place in around), strict=False)
                )
            case events.DiceThrown(values):
                self.dice, self.phase = values, "BROKEN"
                self._break()
            case events.DeckOpened():
                self._opened(opened)
            case events.RoundVoided():
                self.phase = "VOID"
            case facts.HandLookedAt():
                self.no_kong.add(seat)
            case facts.PlayerBarred():
                self.barred.add(seat)
            case facts.TileClaimed(claim, _, own):
                self.answers[seat] = (CLAIM[claim], own)
                self._answered()
            case facts.PongWithdrawn():
                self.barred.add(seat)
                self.answers[seat] = ("pass", ())
                self._answered()
            case _:
                self._acted(fact, seat)

    def _answered(self) -> None:
        if self._may_close():
            self.close()

    def _acted(self, fact: Fact, seat: str) -> None:
        match fact:
            case facts.WinDeclared():
                self._end(seat, "self_draw", None, self.drawn)
                return
            case facts.TileDiscarded(_, tile):
                self.hands[seat].remove(tile)
                self._open("discard", seat, tile)
                self.discards += 1
            case facts.AddedKongDeclared(_, tile):
                self.hands[seat].remove(tile)
                self._open("added_kong", seat, tile)
            case facts.ConcealedKongDeclared(_, tile):
                self._lay(seat, "kong", [tile] * 4, [tile] * 4, None)
                self.chain += 1
                self.phase = "REPLACING"
        self.dealt_only = False

    def _open(self, kind: str, seat: str, tile: str) -> None:
        self.offer, self.answers, self.phase = (kind, seat, tile), {}, "CLAIMS"

    def _begin(self, seat: str) -> None:
        turns = self.fourth[seat]
        self.fourth[seat] = None if turns is None else turns + 1
        self.turn, self.drawn, self.chain = seat, "", 0

    def _lay(
        self, seat: str, kind: str, tiles: list[str], own: list[str], source: str | None
    ) -> None:
        for tile in own:
            self.hands[seat].remove(tile)
        self.melds[seat].append(
            {
                "kind": kind,
                "tiles": sorted(tiles, key=slow.ORDER.index),
                "open": source is not None,
                "from": source,
                "added": False,
            }
        )
        if len(self.melds[seat]) == 4:
            self.fourth[seat] = 0

    def _opened(self, opened: Sequence[str]) -> None:
        if self.phase == "BROKEN":
            faces = dict(zip(self.due(), opened, strict=True))
            deal = self.deal()
            self.hands = {seat: [faces[p] for p in hand] for seat, hand in deal.items()}
            self.melds = {seat: [] for seat in deal}
            self.fourth = dict.fromkeys(deal)
            self.wall = [p for p in self.wall if p not in faces]
            self.drawn, self.phase = self.hands["E"][-1], "TURN"
            return
        (tile,) = opened
        self.wall.remove(self.due()[0])
        if self.phase == "DRAWING":
            assert self.offer is not None
            _, offerer, discarded = self.offer
            self.face_up.append((offerer, discarded))
            self.offer = None
            self._begin(self.after(offerer)[0])
        elif self.offer is not None:
            _, offerer, added = self.offer
            pong = self._pong(offerer, added)
            assert pong is not None
            pong |= {"kind": "kong", "tiles": [added] * 4, "added": True}
            self.offer = None
            self.chain += 1
        self.hands[self.turn].append(tile)
        self.drawn, self.phase = tile, "TURN"

    def _end(self, seat: str, kind: str, source: str | None, tile: str) -> None:
        """End the hand with a declared win, and keep what the evaluator is asked (RULE-FACTS)."""
        concealed = list(self.hands[seat])
        known: dict[str, Any] = {
            "discarder_concealed": None,
            "discarder_melds": None,
            "visible": None,
            "turns_since_fourth_meld": self.fourth[seat],
        }
        if kind == "self_draw":
            concealed.remove(tile)
        elif kind == "discard":
            assert source is not None
            open_sets = [m["tiles"] for melds in self.melds.values() for m in melds if m["open"]]
            lie = [t for _, t in self.face_up] + [t for three in open_sets for t in three]
            known["discarder_concealed"] = in_order([*self.hands[source], tile])
            known["discarder_melds"] = [dict(m) for m in self.melds[source]]
            known["visible"] = in_order(lie)
        self.asked = {
            "seats": list(self.players),
            "round_wind": self.wind,
            "seat": seat,
            "concealed": concealed,
            "melds": [dict(m) for m in self.melds[seat]],
            "win_tile": tile,
            "win": {
                "kind": "robbed_kong" if kind == "added_kong" else kind,
                "from": source,
                "kong_chain": self.chain if kind == "self_draw" else 0,
                "last_tile": kind == "self_draw" and not self.wall and not self.dealt_only,
                "heavenly": kind == "self_draw" and self.dealt_only,
                "earthly": kind == "discard" and self.discards == 1,
            },
            "barred": seat in self.barred,
            "facts": known,
            "stakes": {at: self.chips[who] for at, who in self.players.items()},
            "config": self.flags,
        }
        self.phase = "COMPLETE"

    # After the hand

    def settle(self) -> tuple[dict[str, int], int]:
        """Return what every player gets beside his chips, and the house's charge."""
        gets, charge, outcome, winner = dict.fromkeys(self.players, 0), 0, "draw", ""
        if self.asked is not None:
            said = slow.Scorer(self.rule_set, self.asked).answer()
            outcome, gets = said["status"], said["net"]
            if outcome == "win":
                winner = self.asked["seat"]
                charge = gets[winner] * self.percent // 100
                gets[winner] -= charge
        for seat, amount in gets.items():
            self.chips[self.players[seat]] += amount
        self.phase = "SETTLED"
        self._pass_deal(outcome, winner)
        return gets, charge

    def _pass_deal(self, outcome: str, winner: str) -> None:
        """Say who deals next (section 5)."""
        keeps = self.flags.get("dealer_keeps_without_winner", True)
        if winner == "E" or (outcome != "win" and keeps):
            return
        order = sorted(self.places)
        assert self.dealer is not None
        self.dealer = order[(order.index(self.dealer) + 1) % len(order)]
        self.number += 1
        if self.number > len(order):
            self.number = 1
            self.wind = {"E": "S", "S": "W", "W": "N", "N": "E"}[self.wind]


def in_order(tiles: list[str]) -> list[str]:
    """Return tiles in tile order."""
    return sorted(tiles, key=slow.ORDER.index)
