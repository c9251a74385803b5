"""That two scorers, written apart from the same rules, agree on hands nobody thought of."""

from collections import Counter
from collections.abc import Iterable
from random import Random
from typing import Any

import pytest

from floorbook.games.game import Evaluated, evaluate
from tests.unit.games import slow_mahjong as slow

GAMES = ("mahjong.traditional", "mahjong.simplified")
SUITED, HONOURS = slow.ORDER[:27], slow.HONOURS
FLAGS: dict[str, list[Any]] = {
    "unit": [1, 7],
    "base_units": [[1, 2, 4], [1], [0, 3], [1, 1, 1, 9]],
    "discarder_multiplier": [0, 2, 3],
    "other_multiplier": [0, 1],
    "self_draw_multiplier": [1, 2],
    "false_win_multiplier": [0, 2],
    "dealer_multiplier": [1, 2],
    "win_limit": ["per_opponent", "total"],
    "faan_cap": [0, 1, 2, 99],
    "mixed_terminals": ["tiles", "melds"],
    "kankan_self_draw_only": [False, True],
    "live_honour_exempts_big_hands": [False, True],
    "concealed_kong_landed": [False, True],
    "break_triplet_liable_when_ready": [False, True],
    "void_win_is_false_win": [False, True],
}


class Hand:
    """One declared win of chance: mostly right, and of kinds that make it worth something."""

    def __init__(self, rule_set: str, seed: int) -> None:
        """Return the hand of a seed."""
        self.rng = random = Random(seed)
        self.traditional = rule_set == "mahjong.traditional"
        self.kinds = slow.ORDER if self.traditional else [*SUITED, "F"]
        self.sets = 4 if self.traditional else 1
        self.left = Counter(dict.fromkeys(self.kinds, 4))
        self.seats = list("ESWN"[: 4 if self.traditional else random.randint(2, 4)])
        self.seat = random.choice(self.seats)
        self.upper = self.seats[self.seats.index(self.seat) - 1]
        self.others = [seat for seat in self.seats if seat != self.seat]

    def request(self) -> dict[str, Any]:
        """Return the hand as the evaluator is asked about it."""
        random = self.rng
        concealed, melds = self.tiles()
        random.shuffle(concealed)
        tile = concealed.pop()
        if random.random() < 0.1:
            self.spoil(concealed, melds)
        win = self.way(melds)
        names = random.sample(sorted(FLAGS), random.randint(0, 6))
        return {
            "op": "win",
            "seats": self.seats,
            "round_wind": random.choice("ESWN"),
            "seat": self.seat,
            "concealed": concealed,
            "melds": melds,
            "win_tile": tile,
            "win": win,
            "barred": random.random() < 0.03,
            "facts": self.facts(tile, melds, win),
            "stakes": {seat: random.choice([0, 3, 20, 10_000]) for seat in self.seats},
            "config": {name: random.choice(FLAGS[name]) for name in names},
        }

    def tiles(self) -> tuple[list[str], list[dict[str, Any]]]:
        """Return the concealed tiles of a winning hand, and its declared sets."""
        random = self.rng
        if self.traditional and random.random() < 0.04:
            orphans = [*slow.TERMINALS, *HONOURS]
            hand = [*orphans, random.choice(orphans)]
            if Counter(hand) <= self.left:
                return self.take(hand), []
        suit = random.choice("smp")
        own = [tile for tile in SUITED if tile[1] == suit]
        wanted = random.choice(
            [
                self.kinds,
                SUITED,
                own,
                [*own, *HONOURS],
                HONOURS,
                [*slow.TERMINALS, *HONOURS],
                slow.TERMINALS,
                [*slow.DRAGONS, "2s", "3s", "4s", "5s"],
                [*slow.WINDS, "7p", "8p", "9p"],
            ]
        )
        wanted = [tile for tile in wanted if tile in self.kinds]
        chows_only = random.random() < 0.25 and len(set(wanted) & set(SUITED)) > 6
        laid = random.choice([0, 0, 1, 2, 3, 4]) if self.traditional else random.randint(0, 1)
        concealed: list[str] = []
        melds: list[dict[str, Any]] = []
        while len(concealed) + 3 * len(melds) < 3 * self.sets:
            one = self.one_set(wanted, chows_only)
            if len(melds) < laid and (meld := self.laid(one)) is not None:
                melds.append(meld)
            else:
                concealed += one
        pairs = [tile for tile in wanted if self.left[tile] >= 2] or [
            tile for tile in self.kinds if self.left[tile] >= 2
        ]
        return concealed + self.take([random.choice(pairs)] * 2), melds

    def take(self, tiles: list[str]) -> list[str]:
        """Return tiles that are now gone from the wall."""
        assert Counter(tiles) <= self.left, "there are no more of it"
        self.left -= Counter(tiles)
        return tiles

    def one_set(self, wanted: list[str], chows_only: bool) -> list[str]:
        """Return a set of tiles that are left."""
        ways = [[tile] * 3 for tile in wanted if not chows_only]
        ways += [
            chow
            for tile in wanted
            if tile not in HONOURS and int(tile[0]) <= 7
            for chow in [slow.chow_of(tile)]
            if set(chow) <= set(wanted)
        ]
        ways = [way for way in ways if all(self.left[t] >= n for t, n in Counter(way).items())]
        return self.take(self.rng.choice(ways or [[t] * 3 for t in self.kinds if self.left[t] > 2]))

    def laid(self, tiles: list[str]) -> dict[str, Any] | None:
        """Return a set as it can have been declared, or None where the game knows none."""
        random, source = self.rng, self.rng.choice(self.others)
        if len(set(tiles)) > 1:
            if not self.traditional:
                return None
            shuffled = random.sample(tiles, 3)
            return meld("chow", shuffled, self.upper)
        if self.left[tiles[0]] and (random.random() < 0.4 or not self.traditional):
            four = tiles + self.take(tiles[:1])
            if random.random() < 0.4:
                return meld("kong", four, None, open_=False)
            return meld("kong", four, source, added=self.traditional and random.random() < 0.5)
        return meld("pong", tiles, source) if self.traditional else None

    def way(self, melds: list[dict[str, Any]]) -> dict[str, Any]:
        """Return a way in which the tile can have come."""
        random = self.rng
        kongs = sum(one["kind"] == "kong" for one in melds)
        win = {"kong_chain": 0, "last_tile": False, "heavenly": False, "earthly": False}
        kind = random.choice(["self_draw", "discard", "discard", "robbed_kong"])
        if kind == "self_draw":
            win["kong_chain"] = random.randint(0, kongs)
            win["last_tile"] = random.random() < 0.2
            if self.seat == "E" and not melds and not win["last_tile"]:
                win["heavenly"] = random.random() < 0.3
            return {"kind": kind, "from": None, **win}
        source = random.choice(self.others)
        if kind == "discard" and source == "E" and not melds:
            win["earthly"] = random.random() < 0.3
        return {"kind": kind, "from": source, **win}

    def facts(self, tile: str, melds: list[dict[str, Any]], win: dict[str, Any]) -> dict[str, Any]:
        """Return what may be known of the discarder, who is often near to winning himself."""
        random = self.rng
        facts: dict[str, Any] = {"turns_since_fourth_meld": None}
        if len(melds) == 4:
            facts["turns_since_fourth_meld"] = random.choice([None, 0, 1, 2])
        if win["kind"] == "discard" and random.random() < 0.8:
            held, sets = self.discarder(tile)
            facts |= {"discarder_concealed": held, "discarder_melds": sets}
        if random.random() < 0.8:
            face_up = [t for t in self.left.elements() if random.random() < 0.3]
            if random.random() < 0.4:
                alone = [t for t in HONOURS if facts.get("discarder_concealed", []).count(t) == 1]
                face_up += [t for t in alone for _ in range(3 - face_up.count(t))]
            shown = [t for one in melds if one["open"] for t in one["tiles"]]
            facts["visible"] = list(at_most_four([*shown, *face_up]))
        return facts

    def discarder(self, tile: str) -> tuple[list[str], list[dict[str, Any]]]:
        """Return what the discarder held, the tile among it."""
        random = self.rng
        other = Hand("mahjong.traditional" if self.traditional else "mahjong.simplified", 0)
        other.rng, other.left, other.kinds = random, self.left, self.kinds
        other.seats, other.others, other.upper = self.seats, self.others, self.upper
        held, sets = other.tiles()
        if random.random() < 0.5:
            # Some of it is chance: three of the tile itself, or anything.
            for _ in range(random.randint(0, 2)):
                if held and self.left[tile]:
                    self.left[held.pop(random.randrange(len(held)))] += 1
                    held += self.take([tile])
        held[random.randrange(len(held))] = tile
        return held, sets

    def spoil(self, concealed: list[str], melds: list[dict[str, Any]]) -> None:
        """Make something wrong of a right hand."""
        random = self.rng
        left = list(self.left.elements())
        match random.randrange(3):
            case 0 if concealed:
                concealed[random.randrange(len(concealed))] = random.choice(left)
            case 1 if melds:
                random.choice(melds)["from"] = random.choice([*self.seats, None])
            case _:
                concealed.append(random.choice(left))


def meld(
    kind: str, tiles: list[str], source: str | None, *, open_: bool = True, added: bool = False
) -> dict[str, Any]:
    """Return a declared set as it is written."""
    return {"kind": kind, "tiles": tiles, "open": open_, "from": source, "added": added}


def at_most_four(tiles: Iterable[str]) -> Iterable[str]:
    """Yield tiles, of no kind more than there are."""
    seen: Counter[str] = Counter()
    for tile in tiles:
        seen[tile] += 1
        if seen[tile] <= 4:
            yield tile


def compare(rule_set: str, seeds: Iterable[int]) -> Counter[str]:
    """Return what came up in hands about which both scorers say the same."""
    seen: Counter[str] = Counter()
    for seed in seeds:
        request = Hand(rule_set, seed).request()
        found = evaluate(rule_set, "1", request)
        assert isinstance(found, Evaluated), (seed, found)
        result = {key: value for key, value in found.result.items() if key != "explain"}
        if result["status"] == "error":
            # A tile that was robbed counts four times; a spoiled hand may be no hand at all.
            assert result["reason"] in ("too_many_copies", "bad_win"), (seed, result)
            seen["error"] += 1
            continue
        slowly = slow.Scorer(rule_set, request).answer()
        assert result == slowly, (seed, request)
        seen[f"{result['status']} {result['reason'] or ''}"] += 1
        seen.update(one["code"] for one in result.get("faan", ()))
        liability = result["liability"]
        seen.update([*liability["rules"], *liability["exempted_by"]])
    return seen


@pytest.mark.parametrize("rule_set", GAMES)
def test_two_scorers_agree(rule_set: str) -> None:
    assert compare(rule_set, range(300))["win "] > 200


@pytest.mark.slow
@pytest.mark.parametrize("rule_set", GAMES)
def test_two_scorers_agree_on_many_hands(rule_set: str) -> None:
    seen = compare(rule_set, range(1_000, 13_000))
    print(f"\n{rule_set}: {dict(seen.most_common())}")
    assert EXPECTED[rule_set] <= set(seen), EXPECTED[rule_set] - set(seen)


STATUSES = {"win ", "false_win shape", "false_win meld_invalid", "false_win tile_count"}
EXPECTED = {
    "mahjong.traditional": {
        *slow.ROW,
        *STATUSES,
        *("CHICKEN", "void barred", "false_win barred"),
        *(f"LIA-T{number}" for number in range(1, 7)),
        *("EXM-T9", "EXM-T10"),
    },
    "mahjong.simplified": {
        *STATUSES,
        *("FORTUNE_TILE", "LAST_TILE", "CHICKEN", "void barred", "false_win barred"),
        *("LIA-S1", "LIA-S2", "EXM-S4"),
    },
}
