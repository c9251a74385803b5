"""Macau Mahjong at simulated tables: what players know, how they play, what goes wrong on purpose."""
