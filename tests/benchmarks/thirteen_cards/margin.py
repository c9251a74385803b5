"""Prints how many units the balanced way is ahead of the house way, as banker and as player.

    python -m tests.benchmarks.thirteen_cards.margin [HANDS]

Each deal is played both ways round: the same two hands, one laid the balanced way and one the house
way, on either side of the table. Margins are banker's or player's units less the other's, by A7.
"""

import sys
from collections.abc import Sequence
from math import sqrt
from random import Random

from floorbook.games.thirteen_cards.arrangement import Arrangement
from floorbook.games.thirteen_cards.arranging import house_way
from floorbook.games.thirteen_cards.balanced import balanced_way
from floorbook.games.thirteen_cards.cards import PACK
from floorbook.games.thirteen_cards.config import Config
from floorbook.games.thirteen_cards.official import against_banker, judge_laid

HANDS = 4_000
SEED = 51
WITHIN = 1.96  # standard errors: 95 times of 100


def margin(player: Arrangement, banker: Arrangement, config: Config) -> tuple[int, str]:
    """Return the player's units less the banker's, and his outcome."""
    result = against_banker(1, judge_laid(player, config), judge_laid(banker, config), config)
    return result.player_units - result.banker_units, result.outcome


def main(hands: int) -> None:
    random, config = Random(SEED), Config()
    rows: dict[str, list[tuple[int, str]]] = {
        "balanced banker, house player": [],
        "house banker, balanced player": [],
        "house banker, house player": [],
    }
    for _ in range(hands):
        dealt = random.sample(PACK, 26)
        banker, player = tuple(dealt[:13]), tuple(dealt[13:])
        house_bank, house_play = (house_way(cards, config).laid for cards in (banker, player))
        balanced_bank, balanced_play = balanced_way(banker, config), balanced_way(player, config)
        lost = margin(house_play, balanced_bank, config)
        against = {"win": "lose", "lose": "win", "tie": "tie"}
        rows["balanced banker, house player"].append((-lost[0], against[lost[1]]))
        rows["house banker, balanced player"].append(margin(balanced_play, house_bank, config))
        rows["house banker, house player"].append(margin(house_play, house_bank, config))
    print(f"{hands:,} deals, seed {SEED}; units ahead per hand, with the 95% interval")
    for name, played in rows.items():
        side = "player's" if name == "house banker, house player" else "balanced side's"
        mean, error = interval([units for units, _ in played])
        outcomes = [outcome for _, outcome in played]
        shares = ", ".join(
            f"{outcome} {outcomes.count(outcome) / hands:.1%}" for outcome in ("win", "tie", "lose")
        )
        print(f"{name:31} {side:15} {mean:+.3f} ± {WITHIN * error:.3f}   {shares}")


def interval(values: Sequence[int]) -> tuple[float, float]:
    """Return the mean of `values` and its standard error."""
    mean = sum(values) / len(values)
    variance = sum((value - mean) ** 2 for value in values) / (len(values) - 1)
    return mean, sqrt(variance / len(values))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else HANDS)
