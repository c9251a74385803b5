"""The evaluator: `games` behind gRPC, its client for the table processor, and the conformance tool.

It keeps nothing: the same question has the same answer from every replica and after every restart.
"""
