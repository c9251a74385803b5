"""What comparing pairs costs: two look-ups in the table of pairs at most, and the rule of 3.1 never again."""

from collections.abc import Iterator, Mapping
from itertools import combinations
from random import Random

import pytest

from floorbook.games.pai_kau import ranking
from floorbook.games.pai_kau.config import Config
from floorbook.games.pai_kau.operations import operations
from floorbook.games.pai_kau.ranking import Pair, pair_of, rank_of, stronger
from floorbook.games.pai_kau.reading import read_round
from floorbook.games.pai_kau.settle import settle
from floorbook.games.pai_kau.tiles import SET
from floorbook.games.rule_set import Evaluated

Tiles = tuple[str, str]


class Counting(Mapping[Tiles, Pair]):
    """The table of pairs, which counts how often it is asked."""

    def __init__(self, table: Mapping[Tiles, Pair]) -> None:
        self.table = table
        self.asked = 0

    def __getitem__(self, tiles: Tiles) -> Pair:
        self.asked += 1
        return self.table[tiles]

    def __iter__(self) -> Iterator[Tiles]:
        raise AssertionError("nobody goes over the table")

    def __len__(self) -> int:
        raise AssertionError("nobody measures the table")


@pytest.fixture
def table(monkeypatch: pytest.MonkeyPatch) -> Counting:
    counting = Counting(ranking.pairs())
    monkeypatch.setattr(ranking, "pairs", lambda: counting)

    def refuse(a: str, b: str) -> object:
        raise AssertionError("the rule is applied once, when the table is made")

    monkeypatch.setattr(ranking, "rank_of", refuse)
    return counting


def test_any_two_pairs_are_compared_by_two_lookups(table: Counting) -> None:
    every = list(combinations(SET, 2))
    others = Random(1).choices(every, k=len(every))
    for one, other in zip(every, others, strict=True):
        before = table.asked
        found = stronger(pair_of(*one), pair_of(*other))
        assert table.asked - before == 2
        # `rank_of` as it was imported here, before the fixture took the module's away.
        by_rule = rank_of(*one).strength, rank_of(*other).strength
        assert found == (by_rule[0] < by_rule[1]) - (by_rule[0] > by_rule[1])


def test_a_hand_against_the_bankers_takes_two_lookups_for_each_of_two_comparisons(
    table: Counting,
) -> None:
    asked = {
        "player": {"front": ["63", "22"], "back": ["66", "66"]},
        "banker": {"front": ["42", "41"], "back": ["11", "54"]},
    }
    assert isinstance(operations()["compare_hands"](asked), Evaluated)
    assert table.asked == 4


def test_a_settlement_takes_no_more_than_two_lookups_a_comparison(table: Counting) -> None:
    """Eight hands are held against their own backs, seven gates twice against the banker."""
    asked = {
        "gates": 8,
        "banker": {"gate": 1, "player_id": "p1", "stake": 1_000},
        "throws": [{"values": [1, 2, 3, 4]}],
        "hands": [
            {
                "gate": gate,
                "tiles": SET[4 * gate - 4 : 4 * gate],
                "front": SET[4 * gate - 4 : 4 * gate - 2],
                "back": SET[4 * gate - 2 : 4 * gate],
            }
            for gate in range(1, 9)
        ],
        "bets": [{"gate": gate, "player_id": "p2", "amount": 100} for gate in range(2, 9)],
    }
    round_ = read_round(asked)
    before = table.asked
    settled = settle(round_, Config())
    set_again = settled.banker_hand.reset + sum(gate.reset for gate in settled.gates)
    # Whoever sets a hand again looks at all of its three splits.
    assert table.asked - before <= 2 * (8 + 2 * 7) + 6 * set_again
