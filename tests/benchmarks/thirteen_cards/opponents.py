"""Prints the sample of opponents that `balanced.py` is written with: what the house way lays in each lane.

python -m tests.benchmarks.thirteen_cards.opponents
"""

from random import Random

from floorbook.games.thirteen_cards.arranging import house_way
from floorbook.games.thirteen_cards.cards import PACK
from floorbook.games.thirteen_cards.config import Config
from floorbook.games.thirteen_cards.lanes import LANES, OFFICIAL

HANDS = 20_000
SAMPLE = 200  # strengths kept of each lane, as many hands apart
SEED = 1989


def main() -> None:
    random, config = Random(SEED), Config()
    fixed, laid = 0, []
    for _ in range(HANDS):
        found = house_way(tuple(random.sample(PACK, 13)), config)
        if found.special:
            fixed += 1
        else:
            laid.append(found.laid.strengths(OFFICIAL))
    print(f"fixed combinations: {fixed} of {HANDS}")
    for lane, strengths in zip(LANES, zip(*laid, strict=True), strict=True):
        ordered = sorted(strengths)
        middles = (len(ordered) * (2 * number + 1) // (2 * SAMPLE) for number in range(SAMPLE))
        print(f'"{lane}":', " ".join(f"{ordered[place]:x}" for place in middles))


if __name__ == "__main__":
    main()
