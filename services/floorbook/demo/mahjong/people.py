"""Decides how simulated people play a mahjong hand: by what they know, towards the nearest win. Pure.

Good enough to finish hands, no more: they discard what they need least, and claim what brings them
nearer. `mood` is chance, so that no two play alike. What they do wrong on purpose is here too.
"""

import random
from collections.abc import Iterator, Sequence
from typing import Final

from msgspec.structs import replace

from floorbook.demo.mahjong.seen import Known
from floorbook.games.mahjong.claims import Claim, claim_refusal, legal_claims
from floorbook.games.mahjong.distance import lacking
from floorbook.games.mahjong.melds import tiles_of
from floorbook.games.mahjong.tiles import CODES, COPIES, SUITED, Tile, codes_of, counts_of
from floorbook.games.mahjong.turns import Turn, legal_in_turn, turn_refusal, without
from floorbook.table.events import Fact
from floorbook.table.mahjong import facts
from floorbook.table.mahjong.facts import TileClaim

_PASSES_A_WIN: Final = 0.03
_STAYS_CONCEALED: Final = 0.15
_KEEPS_FOUR: Final = 0.1
_COPY, _NEXT, _NEXT_BUT_ONE = 6, 3, 1  # what a tile is worth beside an equal one, a neighbour


# In one's own turn


def turn_of(known: Known) -> Turn:
    """Return a player's own turn, as far as it decides what he may do."""
    return Turn(
        known.seat, known.holding, known.began, known.drawn, wall_remaining=known.wall_remaining
    )


def plays(known: Known, mood: random.Random) -> Fact:
    """Return what a player does in his turn: win, declare a kong, or discard."""
    who, legal = known.player_id, legal_in_turn(known.setting, turn_of(known))
    if legal.win and mood.random() >= _PASSES_A_WIN:
        return facts.WinDeclared(who)
    for tile in legal.concealed_kong:
        if _is_no_worse(known, (tile,) * COPIES) and mood.random() >= _KEEPS_FOUR:
            return facts.ConcealedKongDeclared(who, CODES[tile])
    for tile in legal.added_kong:
        if mood.random() >= _KEEPS_FOUR:
            return facts.AddedKongDeclared(who, CODES[tile])
    return facts.TileDiscarded(who, CODES[_needed_least(known, mood)])


def lacks(known: Known, gone: tuple[Tile, ...] = (), more_melds: int = 0) -> int:
    """Return how many tiles a player lacks without the tiles `gone`, declared as so many sets or not."""
    own = known.holding
    concealed = counts_of(own.concealed)
    declared = counts_of(tiles_of(own.melds))
    for tile in gone:
        concealed[tile] -= 1
        if more_melds:
            declared[tile] += 1
    return lacking(known.setting.variant, concealed, declared, len(own.melds) + more_melds)


def _is_no_worse(known: Known, four: tuple[Tile, ...]) -> bool:
    return lacks(known, four, 1) <= lacks(known)


def _needed_least(known: Known, mood: random.Random) -> Tile:
    """Return the tile without which a player lacks least, and of such tiles the least useful one."""
    held, gone = counts_of(known.holding.concealed), counts_of(known.open_tiles)
    kinds = [tile for tile, count in enumerate(held) if count]
    return min(
        kinds, key=lambda tile: (lacks(known, (tile,)), _use(tile, held, gone), mood.random())
    )


def _use(tile: Tile, held: Sequence[int], gone: Sequence[int]) -> int:
    """Return how much goes with a tile: copies and neighbours, in hand or to be hoped for."""
    use = _COPY * (held[tile] - 1) - gone[tile]
    if tile < SUITED:
        for distance, worth in ((1, _NEXT), (2, _NEXT_BUT_ONE)):
            for other in (tile - distance, tile + distance):
                if other // 9 == tile // 9:
                    use += 2 * worth * min(held[other], 1) + worth * (gone[other] < COPIES)
    return use


# On somebody's tile


def answers(known: Known, mood: random.Random) -> facts.TileClaimed:
    """Return what a player says to an offered tile: the best that he may claim, or a pass."""
    offer, own, seat = known.offer, known.holding, known.seat
    assert offer is not None, "there is a tile to claim"
    legal = legal_claims(known.setting, offer, known.wall_remaining, own, seat)
    if legal.win and mood.random() >= _PASSES_A_WIN:
        return facts.TileClaimed(TileClaim.WIN, known.player_id)
    if not (legal.kong or legal.pong or legal.chows) or mood.random() < _STAYS_CONCEALED:
        return passes(known)
    # A kong brings a tile more, so it need not bring the hand nearer.
    ways: list[tuple[int, TileClaim, tuple[Tile, ...]]] = [(lacks(known), TileClaim.PASS, ())]
    if legal.kong:
        ways.append((_with_set(known, (offer.tile,) * 3) - 1, TileClaim.KONG, ()))
    if legal.pong:
        ways.append((_with_set(known, (offer.tile,) * 2), TileClaim.PONG, ()))
    for pair in legal.chows:
        ways.append((_with_set(known, pair), TileClaim.CHOW, pair))
    _, claim, tiles = min(ways, key=lambda way: way[0])
    return facts.TileClaimed(claim, known.player_id, tuple(codes_of(tiles)))


def passes(known: Known) -> facts.TileClaimed:
    """Return that a player does not want the tile."""
    return facts.TileClaimed(TileClaim.PASS, known.player_id)


def _with_set(known: Known, own: tuple[Tile, ...]) -> int:
    """Return how many tiles a player lacks once he has declared a set of `own` and the offered tile."""
    assert known.offer is not None, "there is a tile to claim"
    holding = known.holding
    declared = counts_of((*tiles_of(holding.melds), *own, known.offer.tile))
    concealed = counts_of(without(holding.concealed, *own))
    return lacking(known.setting.variant, concealed, declared, len(holding.melds) + 1)


# Errors


def may_win_falsely(known: Known) -> bool:
    """Return whether a win that a player declared in his turn would be taken, and be a false one."""
    turn = turn_of(known)
    taken = turn_refusal(known.setting, turn, "win") is None
    return taken and not legal_in_turn(known.setting, turn).win


def would_claim_falsely(known: Known) -> bool:
    """Return whether a player's win claim on the offered tile would be a false one."""
    return _refused(known, facts.TileClaimed(TileClaim.WIN, known.player_id)) == "not_a_win"


def wrong_claims(known: Known, mood: random.Random) -> facts.TileClaimed | None:
    """Return a claim of a set that cannot stand (上牌或碰牌而拈錯), None if all could."""
    ways = [
        facts.TileClaimed(TileClaim.CHOW, known.player_id, tiles) for tiles in _pairs(known, mood)
    ]
    ways += [
        facts.TileClaimed(TileClaim.PONG, known.player_id),
        facts.TileClaimed(TileClaim.KONG, known.player_id),
    ]
    wrong = [each for each in ways if _refused(known, each)]
    return mood.choice(wrong) if wrong else None


def _pairs(known: Known, mood: random.Random) -> Iterator[tuple[str, ...]]:
    """Yield two own tiles, and one that would be a chow's with one that is none."""
    held = known.holding.concealed
    if len(held) > 1:
        yield tuple(codes_of(mood.sample(held, 2)))
    tile = known.offer.tile if known.offer else 0
    if tile < SUITED and tile % 9 <= 6:
        yield (CODES[tile + 1], CODES[tile + 2])


def _refused(known: Known, said: facts.TileClaimed) -> str | None:
    """Return why a claim would not stand when its window closes, None for one that would."""
    offer = known.offer
    assert offer is not None, "there is a tile to claim"
    codes = {code: tile for tile, code in enumerate(CODES)}
    own = tuple(codes[code] for code in said.tiles)
    actions = {TileClaim.CHOW: "chow", TileClaim.PONG: "pong", TileClaim.KONG: "kong"}
    claim = Claim(known.seat, actions.get(said.claim, "win"), own)  # type: ignore[arg-type]
    return claim_refusal(known.setting, offer, known.wall_remaining, known.holding, claim)


def may_pong(known: Known) -> bool:
    """Return whether a player could rightly call pong (碰)."""
    return _refused(known, facts.TileClaimed(TileClaim.PONG, known.player_id)) is None


# Under a penalty


def four_of(known: Known) -> Tile | None:
    """Return a tile of which a player could declare a concealed kong if he were not forbidden to."""
    if known.drawn is None or not known.wall_remaining:
        return None
    held = known.holding.concealed
    return next((tile for tile in held if held.count(tile) == COPIES), None)


def would_win_if_not_barred(known: Known) -> bool:
    """Return whether a barred player could win now, were he not barred (PEN-CALLPONG)."""
    if not known.holding.barred:
        return False
    free = replace(known, holding=replace(known.holding, barred=False))
    if free.offer is not None:
        return _refused(free, facts.TileClaimed(TileClaim.WIN, free.player_id)) is None
    return legal_in_turn(free.setting, turn_of(free)).win
