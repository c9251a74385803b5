"""Decides what one question comes to: text in, text out, with `games` in between.

Here JSON ends: the games see plain values, and whoever asks sees text in one canonical form.
"""

from typing import Any

import msgspec

from floorbook.evaluator.answers import (
    BAD_REQUEST,
    MOST_INPUT_BYTES,
    Answer,
    Refusal,
    VersionUnknown,
    input_too_large,
)
from floorbook.games import game

# Part of a refusal travels in HTTP/2 headers, which are small; a detail may quote what was sent.
MOST_DETAIL_CHARACTERS = 500


def read(text: str) -> dict[str, Any] | Refusal:
    """Return the JSON object in `text`, or why there is none."""
    encoded = text.encode()
    if len(encoded) > MOST_INPUT_BYTES:
        return input_too_large(len(encoded))
    try:
        found = msgspec.json.decode(encoded)
    except msgspec.DecodeError as fault:
        return Refusal(BAD_REQUEST, f"The input is not JSON: {fault}.")
    except RecursionError:
        return Refusal(BAD_REQUEST, "The input is nested too deeply.")
    if not isinstance(found, dict):
        return Refusal(BAD_REQUEST, "The input is JSON, but not an object.")
    return found


def judge(
    rule_set: str, rules_version: str, question: dict[str, Any]
) -> Answer | Refusal | VersionUnknown:
    """Return what `question` comes to under one version of one rule set."""
    match game.evaluate(rule_set, rules_version, question):
        case game.Evaluated(result, explanation):
            text = msgspec.json.encode(result, order="deterministic").decode()
            return Answer(rule_set, rules_version, text, explanation)
        case game.Refused(code, detail):
            return Refusal(code, _short(detail))
        case game.UnknownVersion(_, version, known):
            return VersionUnknown(
                _short(
                    f"Version {version!r} of the rule set {rule_set} is not known here; "
                    f"known are {', '.join(known)}."
                )
            )


def _short(detail: str) -> str:
    if len(detail) <= MOST_DETAIL_CHARACTERS:
        return detail
    return detail[: MOST_DETAIL_CHARACTERS - 1] + "…"
