"""Decides how simulated people play what they are shown: how they lay cards and who shakes the dice."""

import random
from collections.abc import Mapping, Sequence
from functools import cache

from msgspec import Struct
from msgspec.structs import replace

from floorbook.games.rule_set import Refused
from floorbook.games.thirteen_cards.arrangement import Arrangement, in_order
from floorbook.games.thirteen_cards.arranging import best_response, house_way
from floorbook.games.thirteen_cards.config import Config, config_of
from floorbook.games.thirteen_cards.holders import Bet, Holders, holders
from floorbook.games.thirteen_cards.lanes import Ranking
from floorbook.games.thirteen_cards.official import is_foul, judge_laid
from floorbook.games.thirteen_cards.procedure import procedure_of
from floorbook.games.thirteen_cards.variants import AGAINST_BANKER, HEAD_TO_HEAD, special_of
from floorbook.table.thirteen_cards.facts import BetPlaced


def rules_of(rule_set: str, flags: dict[str, object]) -> Config:
    """Return the rules that people at the table know."""
    found = config_of(rule_set, flags)
    if isinstance(found, Refused):
        raise ValueError(found.detail)
    return found


def banker_lays(cards: Sequence[str], rules: Config) -> Arrangement:
    """Return how the house lays its hand, not knowing any other."""
    return house_way(tuple(cards), rules).laid


def player_lays(cards: Sequence[str], banker: Arrangement, rules: Config) -> Arrangement:
    """Return the best answer to the banker's open hand."""
    bank = judge_laid(banker, rules)
    if bank.status == "foul":
        return banker_lays(cards, rules)  # whatever is in order wins
    return best_response(tuple(cards), bank, rules).laid


class Laying(Struct, frozen=True):
    """How a hand is set: in lanes, or announced as the special hand it is; or that is declined."""

    lanes: Arrangement | None
    declare: bool = True


def lays(rule_set: str, cards: Sequence[str], rules: Config) -> Arrangement:
    """Return how somebody lays a hand of a variant, knowing no other: in order if that can be."""
    # No lanes out of order are exempt in the variants (ENC-0).
    found = house_way(tuple(cards), replace(rules, fixed_exempt_from_foul=False)).laid
    if not fouls_by(rule_set, found, rules):
        return found
    # One ranking puts A2345 last: such a straight belongs in the middle.
    turned = Arrangement(found.front, found.back, found.middle)
    return found if fouls_by(rule_set, turned, rules) else turned


def sets(rule_set: str, cards: Sequence[str], rules: Config, mood: random.Random) -> Laying:
    """Return how somebody sets his hand of a variant; a special hand by his mood (TV-60)."""
    laid = lays(rule_set, cards, rules)
    if special_of(rule_set, tuple(cards), rules) is None:
        return Laying(laid)
    declinable = procedure_of(rule_set).declinable
    ways = [Laying(None), Laying(laid)]
    if declinable:
        ways.append(Laying(laid, declare=False))
    return mood.choice(ways)


def is_waited_for(rule_set: str, cards: Sequence[str], rules: Config) -> bool:
    """Return whether a hand has to be set at all (TV-10, TV-58)."""
    steps = procedure_of(rule_set)
    if steps.special_is_laid and special_of(rule_set, tuple(cards), rules) is not None:
        return False
    return steps.arranged


def fouls(rule_set: str, cards: Sequence[str], rules: Config) -> Arrangement:
    """Return lanes that run the wrong way (擺烏龍), if the cards can be laid so.

    What is in order with middle and back exchanged.
    """
    official = procedure_of(rule_set).dice
    laid = banker_lays(cards, rules) if official else lays(rule_set, cards, rules)
    wrong = Arrangement(laid.front, laid.back, laid.middle)
    return wrong if fouls_by(rule_set, wrong, rules) else laid


def fouls_by(rule_set: str, laid: Arrangement, rules: Config) -> bool:
    """Return whether lanes run the wrong way by the rule set's own order of lanes."""
    if procedure_of(rule_set).dice:
        return is_foul(laid.front, laid.middle, laid.back, rules)
    return not in_order(laid.strengths(_rankings()[rule_set]), rules.equal_lanes_foul)


@cache
def _rankings() -> Mapping[str, Ranking]:
    """Return how each variant with lanes ranks them."""
    variants = [variant for variant, _ in (*HEAD_TO_HEAD, *AGAINST_BANKER)]
    return {each.id: each.ranking for each in variants if each.ranking is not None}


def who_acts(bets: Sequence[BetPlaced], places: Sequence[str]) -> Holders:
    """Return who shakes and who holds, as everybody at the table can work out from the bets."""
    seated = frozenset(places)
    return holders(
        [
            Bet(b.bet_id, b.player_id, b.gate, b.unit_minor, b.units, b.player_id in seated)
            for b in bets
        ]
    )
