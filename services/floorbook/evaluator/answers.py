"""Decides what can come of a question to the evaluator, and what server and client agree on."""

import msgspec

# Trailing metadata of a refused Evaluate call: the code alone, for programs.
CODE_METADATA = "floorbook-code"
BAD_REQUEST = "BAD_REQUEST"
UNKNOWN_RULES_VERSION = "UNKNOWN_RULES_VERSION"

MOST_INPUT_BYTES = 1024 * 1024
MOST_IN_BATCH = 1_000
# What a batch may hold with everything around the inputs; gRPC itself refuses more.
MOST_MESSAGE_BYTES = 8 * 1024 * 1024


class Answer(msgspec.Struct, frozen=True):
    """The result as JSON, by which rules it was judged, and the articles and rulings behind it."""

    rule_set: str
    rules_version: str
    result: str
    explanation: tuple[str, ...]


class Refusal(msgspec.Struct, frozen=True):
    """The rules do not allow the question: asking again gives the same refusal."""

    code: str
    detail: str


class VersionUnknown(msgspec.Struct, frozen=True):
    """The evaluator does not know this version of the rules: another one, or a newer one, may."""

    detail: str


class Unavailable(msgspec.Struct, frozen=True):
    """Nobody answered in time: whoever asked asks again. `code` is the gRPC status, by name."""

    reason: str
    code: str


def input_too_large(length: int) -> Refusal:
    """Return the refusal of an input of `length` bytes, which is more than may be sent."""
    return Refusal(
        BAD_REQUEST, f"The input has {length} bytes; at most {MOST_INPUT_BYTES} are allowed."
    )
