"""The order of pairs, proved on all 496 selections of two tiles against the ordinance's tables."""

import json
from collections import Counter
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from floorbook.games.pai_kau.config import Config
from floorbook.games.pai_kau.phrases import english_name
from floorbook.games.pai_kau.ranking import Pair, pair_of, pairs, stronger
from floorbook.games.pai_kau.setting import final_setting, house_way, splits
from floorbook.games.pai_kau.tiles import (
    GROUP_OF,
    INDEX_OF,
    NAME_OF,
    POINTS_OF,
    RANK_OF,
    SET,
    rest_of_set,
)
from floorbook.games.rule_set import as_result

TABLES: dict[str, Any] = json.loads((Path(__file__).parent / "pai_kau_tables.json").read_text())
ROWS: list[dict[str, Any]] = TABLES["table2"] + TABLES["supplementary"]
ROW_OF = {
    frozenset(tiles) if tiles[0] != tiles[1] else frozenset(tiles[:1]): row
    for row in ROWS
    for tiles in row["combinations"]
}
SELECTIONS = [pair_of(a, b) for a, b in combinations(SET, 2)]


def row_of(pair: Pair) -> dict[str, Any]:
    return ROW_OF[frozenset(pair.tiles)]


def test_tiles_are_those_of_table_one() -> None:
    assert len(SET) == TABLES["counts"]["physical_tiles"] == 32
    for tile in TABLES["tiles"]:
        code = tile["code"]
        assert SET.count(code) == tile["copies"]
        assert POINTS_OF[code] == tile["points"]
        assert GROUP_OF[code] == tile["group"]
        assert RANK_OF[tile["group"]] == tile["table1_rank"]
        assert INDEX_OF[code] == tile["index"]
        assert NAME_OF[tile["group"]] == tile["name_zh"]
    assert len(INDEX_OF) == len(TABLES["tiles"])


def test_every_selection_has_the_rank_of_the_tables() -> None:
    for pair in SELECTIONS:
        row = row_of(pair)
        assert as_result(pair) == {
            "tiles": sorted(pair.tiles, key=INDEX_OF.__getitem__),
            **{
                name: row[name]
                for name in ("row", "label", "order", "kind", "points", "high_tile", "name_zh")
            },
        }


def test_every_row_is_reached_by_as_many_selections_as_the_tables_count() -> None:
    reached = Counter(pair.label for pair in SELECTIONS)
    assert reached == {row["label"]: row["physical_count"] for row in ROWS}
    assert set(range(1, 112)) == {pair.row for pair in SELECTIONS} - {0}
    assert sum(pair.row == 0 for pair in SELECTIONS) == 14


def test_all_selections_fall_into_one_strict_order_of_118_ranks() -> None:
    assert sorted({pair.order for pair in SELECTIONS}) == list(range(1, 119))
    assert sorted({row["order"] for row in ROWS}) == list(range(1, 119))


def test_every_comparison_is_that_of_the_tables() -> None:
    orders = [(pair, int(row_of(pair)["order"])) for pair in SELECTIONS]
    compared = 0
    for a, order_a in orders:
        for b, order_b in orders:
            expected = 1 if order_a < order_b else -1 if order_b < order_a else 0
            assert stronger(a, b) == expected, (a, b)
            compared += 1
    assert compared == 496 * 496


def test_classes_are_as_many_as_the_proof_says() -> None:
    kinds = Counter(pair.kind for pair in SELECTIONS)
    assert kinds == {"supreme": 1, "pair": 15, "tin-gau-wong": 4, "gong": 16, "points": 460}
    points = Counter(pair.points for pair in SELECTIONS if pair.kind == "points")
    assert [points[value] for value in range(9, -1, -1)] == [
        *(44, 50, 46, 52, 46),
        *(50, 48, 50, 42, 32),
    ]


def test_a_pair_is_the_same_in_either_order_of_its_tiles() -> None:
    assert all(pairs()[a, b] is pairs()[b, a] for a, b in pairs())
    assert len({frozenset(tiles) for tiles in pairs()}) == TABLES["counts"]["code_pairs"]


@pytest.mark.parametrize("tiles", [("63", "63"), ("42", "42"), ("21", "21")])
def test_two_tiles_that_one_set_does_not_hold_are_no_pair(tiles: tuple[str, str]) -> None:
    assert tiles not in pairs()


def test_names_in_english_are_those_of_the_tables() -> None:
    assert {row["label"]: row["name_en"] for row in ROWS} == {
        pair.label: english_name(as_result(pair)) for pair in SELECTIONS
    }


def test_house_way_has_the_strongest_back_and_then_the_strongest_front() -> None:
    for hand in combinations(SET[::2] + SET[1::6], 4):
        ways = splits(hand)
        assert len(ways) in (2, 3)
        assert all(way.back.order <= way.front.order for way in ways)
        assert all(sorted((*way.front.tiles, *way.back.tiles)) == sorted(hand) for way in ways)
        best = min((way.back.order, way.front.order) for way in ways)
        assert (ways[0].back.order, ways[0].front.order) == best
        assert len(set(ways)) == len(ways)


def test_every_split_stands_and_its_reverse_is_set_again() -> None:
    for hand in combinations(SET[::3], 4):
        for way in splits(hand):
            laid = final_setting(hand, way.front.tiles, way.back.tiles, Config())
            assert (laid.front, laid.back, laid.reset) == (way.front, way.back, False)
            turned = final_setting(hand, way.back.tiles, way.front.tiles, Config())
            if way.front.order == way.back.order:
                assert not turned.reset  # equal pairs are legal either way
                continue
            assert turned.reset_reason == "back_smaller"
            assert (turned.front, turned.back) == (house_way(hand).front, house_way(hand).back)
            swapped = final_setting(
                hand, way.back.tiles, way.front.tiles, Config(reset_method="swap")
            )
            assert (swapped.front, swapped.back) == (way.front, way.back)


def test_where_the_back_must_be_the_strongest_only_such_splits_stand() -> None:
    strict = Config(set_rule="back_maximal", reset_method="swap")
    for hand in combinations(SET[1::3], 4):
        best = house_way(hand)
        for way in splits(hand):
            laid = final_setting(hand, way.front.tiles, way.back.tiles, strict)
            if way.back.order == best.back.order:
                assert (laid.front, laid.back, laid.reset) == (way.front, way.back, False)
            else:
                assert laid.reset_reason == "back_not_maximal"
                assert (laid.front, laid.back) == (best.front, best.back)
            # The pairs are never only exchanged under the strict rule.
            turned = final_setting(hand, way.back.tiles, way.front.tiles, strict)
            if way.front.order != way.back.order:
                assert (turned.front, turned.back) == (best.front, best.back)


def test_what_a_set_holds_beside_a_hand() -> None:
    for hand in (SET[:4], SET[3:30:9]):
        assert sorted((*hand, *rest_of_set(hand))) == sorted(SET)
