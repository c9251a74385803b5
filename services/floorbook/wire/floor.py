"""Floor records on the wire: what became of an event, and what of it is shown to whom."""

from types import MappingProxyType
from typing import Any

from floorbook.table import effects
from floorbook.table.effects import Disclosure, Shown, Verdict
from floorbook.table.events import Event, Fact
from floorbook.table.state import TableState, round_id_of
from floorbook.table.step import Step, game_of
from floorbook.v1 import floor_pb2
from floorbook.wire import codec, envelope
from floorbook.wire.game import GameWire

_OWN: MappingProxyType[type[Any], str] = MappingProxyType(
    {
        effects.RoundOpened: "round_opened",
        effects.Suspended: "suspended",
        effects.Resumed: "resumed",
        effects.TableView: "state",
    }
)
_GAMES: MappingProxyType[type[Any], GameWire] = MappingProxyType(
    {game.shown: game for game in envelope.WIRES}
)
"""A game's disclosures, by what they hold."""


def encode(step: Step, event: Event) -> bytes:
    """Return the record of the topic floor for one folded event."""
    state = step.state
    game = game_of(state)
    return floor_pb2.FloorRecord(
        table_id=event.table_id,
        partition=event.partition,
        offset=event.offset,
        fold_schema=envelope.FOLD_SCHEMA,
        folded=floor_pb2.EventFolded(
            event_id=event.event_id,
            fact=envelope.name_of(event.fact),
            verdict=_verdict(step.verdict),
            round_id=round_id_of(state),
            phase=game.phase(state) if game else "CLOSED",
            table_time_ms=state.table_time_ms,
            rule_set=_rule_set(state),
            disclosures=[_disclosure(one) for one in step.effects.disclosures],
            secret=event.fact.secret,
        ),
    ).SerializeToString()


def encode_announcement(partition: int, watermark: int) -> bytes:
    """Return the record by which the processor says which schema it folds."""
    return floor_pb2.FloorRecord(
        partition=partition,
        offset=watermark,
        fold_schema=envelope.FOLD_SCHEMA,
        announced=floor_pb2.FoldAnnounced(),
    ).SerializeToString()


def _rule_set(state: TableState) -> str:
    return state.terms.rule_set if state.terms else ""


def _verdict(verdict: Verdict) -> dict[str, Any]:
    if verdict.forgotten:
        return {"outcome": floor_pb2.OUTCOME_KNOWN, "known": True}
    if verdict.refusal is None:
        return {"outcome": floor_pb2.OUTCOME_APPLIED, "known": verdict.known}
    return {
        "outcome": floor_pb2.OUTCOME_REFUSED,
        "reason": verdict.refusal.code,
        "rules": verdict.refusal.rules,
        "known": verdict.known,
    }


def _disclosure(disclosure: Disclosure) -> dict[str, Any]:
    field, content = _shown(disclosure.shown)
    return {
        "audiences": [
            {"kind": int(audience.kind), "player_id": audience.player_id}
            for audience in disclosure.audiences
        ],
        field: content,
    }


def _shown(shown: Shown) -> tuple[str, dict[str, Any]]:
    """Return the field of Disclosure and its content."""
    if (game := _GAMES.get(type(shown))) is not None:
        return game.field, game.write(shown)
    if isinstance(shown, Fact):
        return envelope.name_of(shown), codec.builtins(shown)
    return _OWN[type(shown)], codec.builtins(shown)
