"""Thirteen Cards in the demonstration: what chance brings, what its people do, and what goes wrong."""
