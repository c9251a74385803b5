"""Measurements of Thirteen Cards: speed beside other libraries, and how well a hand is laid blindly."""
