"""Thirteen Cards (十三張): the Macau ordinance and its variants."""

from floorbook.games.thirteen_cards.rule_sets import rule_sets

__all__ = ["rule_sets"]
