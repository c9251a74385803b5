"""Measures Macau Mahjong: hands valued and shanten beside the library `mahjong`, and events folded."""
