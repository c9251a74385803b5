"""Cycles of simulated mahjong hands: every one ends, no stake is overdrawn, and the rules' own log agrees.

The short version plays some dozen hands with the demo's people; the long one ten thousand, and says how
fast a table folds.
"""

import time
from collections import Counter
from typing import Any

import pytest

from floorbook.games.mahjong.variant import SIMPLIFIED, TRADITIONAL
from floorbook.money import net
from floorbook.table.state import encode
from tests.unit.table.mahjong_cycles import Cycle, Hand, folded_again
from tests.unit.table.playing import balances

GAMES = ((TRADITIONAL.id, 4), *((SIMPLIFIED.id, players) for players in (2, 3, 4)))
# With every way of the house's own among them: by the number of the cycle.
TERMS: tuple[dict[str, Any], ...] = (
    {},
    {"charge_percent": 5},
    {"charge_minor": 7, "flags": {"win_limit": "total", "dealer_multiplier": 2}},
    {"flags": {"void_win_is_false_win": True, "dealer_keeps_without_winner": False}},
    {"flags": {"added_kong_only_when_drawn": False, "faan_cap": 5, "base_units": [1, 2, 4, 8]}},
)
TEN_THOUSAND = 10_000
ONE_IN = 400  # acts is wrong


def cycle_of(game: tuple[str, int], seed: int) -> Cycle:
    return Cycle(*game, seed, one_in=ONE_IN, **TERMS[seed % len(TERMS)])


def agrees(hand: Hand) -> None:
    """Fail unless the fold, the evaluator and the rules' log say the same of a hand."""
    asked, answered, logged = hand.asked, hand.answered, hand.logged
    if "status" not in answered:
        assert answered["outcome"] == "exhausted"
        assert logged == {"status": "draw"}
        return
    same = ["status", "payments", "net"]
    assert logged["seat"] == asked["seat"]
    if answered["status"] == "win":
        same += ["form", "decomposition", "faan", "raw", "total"]
        assert [logged[name] for name in ("win_tile", "win", "facts")] == [
            asked[name] for name in ("win_tile", "win", "facts")
        ]
        owed = {name: logged[name] for name in ("liable", "rules", "exempted_by")}
        assert owed == answered["liability"]
    else:
        same.append("reason")
    assert {name: logged[name] for name in same} == {name: answered[name] for name in same}


def keeps_every_cent(cycle: Cycle, hand: Hand) -> None:
    """Fail unless all sums of a hand are zero and nobody has less than nothing."""
    chips = cycle.table.mj.chips
    assert sum(hand.answered.get("net", {}).values()) == 0
    assert min(chips.values()) >= 0
    assert sum(chips.values()) + cycle.charged == sum(cycle.put_up.values())
    for movement in cycle.table.steps[-1].effects.movements:
        assert sum(net(movement.transfers).values()) == 0


def test_simulated_hands_end_and_agree_with_the_rules_own_log() -> None:
    happened: Counter[str] = Counter()
    for seed, game in enumerate((*GAMES, GAMES[0])):
        cycle = cycle_of(game, seed)
        cycle.every_event(cycle.keeps_every_tile)
        for _ in range(4):
            hand = cycle.hand()
            agrees(hand)
            keeps_every_cent(cycle, hand)
        booked = balances(cycle.table.movements)
        assert booked.pop("charge", 0) == cycle.charged
        lost = {who: cycle.put_up[who] - cycle.table.mj.chips[who] for who in cycle.players}
        assert {f"player/{who}": -amount for who, amount in lost.items() if amount} == booked
        assert encode(folded_again(cycle.table.log)) == encode(cycle.table.state)
        happened += cycle.happened
    assert happened["win"] > happened["false_win"]
    for what in ("PONG", "CHOW", "WinDeclared", "WIN"):
        assert happened[what], what


@pytest.mark.slow
@pytest.mark.timeout(0)
def test_ten_thousand_simulated_hands() -> None:
    happened: Counter[str] = Counter()
    hands = events = cycles = 0
    folding = playing = 0.0
    seed = 0
    while hands < TEN_THOUSAND:
        game = GAMES[seed % len(GAMES)]
        cycle = cycle_of(game, seed)
        started = time.perf_counter()
        # A whole cycle, and what its dealers keep.
        while not cycle.cycles:
            hand = cycle.hand()
            agrees(hand)
            keeps_every_cent(cycle, hand)
            cycle.keeps_every_tile()
            hands += 1
        playing += time.perf_counter() - started
        started = time.process_time()
        again = folded_again(cycle.table.log)
        folding += time.process_time() - started
        assert encode(again) == encode(cycle.table.state)
        events += len(cycle.table.log)
        cycles += cycle.cycles
        happened += cycle.happened
        seed += 1
    # Of processor time, so that whoever else uses the machine does not count.
    rate = events / folding
    print(f"\n{hands} hands in {cycles} cycles, {events} events, played in {playing:.0f} s")
    print(f"folded again at {rate:.0f} events a second of one processor, without Kafka")
    print(", ".join(f"{name} {count}" for name, count in sorted(happened.items())))
    # No wall runs out: these players always finish. The model's do not (test_mahjong_model.py).
    for what in ("win", "false_win", "KONG", "PongWithdrawn", "HandLookedAt"):
        assert happened[what], what
