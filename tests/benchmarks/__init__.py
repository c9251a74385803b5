"""Measurements: how fast, and how well. Run by hand, one at a time; nothing here passes or fails by the clock."""
