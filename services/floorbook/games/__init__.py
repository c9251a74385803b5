"""The rules of the games, as pure functions: no clock, no random, no input or output.

A game knows what a hand is worth. It knows no table, no account and no protobuf.
"""
