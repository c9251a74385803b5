"""Thirteen Cards (十三張) at the table: what may happen next, who may see it, who pays whom."""
