"""Macau Mahjong (麻雀): the traditional (傳統) and the simplified (簡易) game."""

from floorbook.games.mahjong.rule_sets import rule_sets

__all__ = ["rule_sets"]
