"""Taiwan Pai Kau (臺灣牌九), Macau Ordinance 15/90/M."""

from floorbook.games.pai_kau.rule_sets import rule_sets

__all__ = ["rule_sets"]
