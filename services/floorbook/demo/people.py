"""Decides how simulated people play what they are shown: how they lay cards and who shakes the dice."""

from collections.abc import Sequence

from floorbook.games.rule_set import Refused
from floorbook.games.thirteen_cards.arrangement import Arrangement
from floorbook.games.thirteen_cards.arranging import best_response, house_way
from floorbook.games.thirteen_cards.config import Config, config_of
from floorbook.games.thirteen_cards.holders import Bet, Holders, holders
from floorbook.games.thirteen_cards.official import is_foul, judge_laid
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


def fouls(cards: Sequence[str], rules: Config) -> Arrangement:
    """Return lanes that run the wrong way (擺烏龍), if the cards can be laid so.

    The house way with middle and back exchanged, or else front cards taken for the back ones.
    """
    laid = banker_lays(cards, rules)
    wrong = Arrangement(laid.front, laid.back, laid.middle)
    return wrong if is_foul(wrong.front, wrong.middle, wrong.back, rules) else laid


def who_acts(bets: Sequence[BetPlaced], places: Sequence[str]) -> Holders:
    """Return who shakes and who holds, as everybody at the table can work out from the bets."""
    seated = frozenset(places)
    return holders(
        [
            Bet(b.bet_id, b.player_id, b.gate, b.unit_minor, b.units, b.player_id in seated)
            for b in bets
        ]
    )
