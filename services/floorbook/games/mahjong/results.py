"""How typed answers look as JSON (13.2, 13.4)."""

from collections.abc import Sequence
from typing import Any

from floorbook.games.mahjong.faan import Valued
from floorbook.games.mahjong.hand import Declared, Setting, Win, declared_sets
from floorbook.games.mahjong.liability import Facts, Liability
from floorbook.games.mahjong.melds import Meld
from floorbook.games.mahjong.payment import Payment, Stakes, net
from floorbook.games.mahjong.splits import CHOW
from floorbook.games.mahjong.tiles import CODES, codes_of

Result = dict[str, Any]


def faan_result(declared: Declared, valued: Valued) -> Result:
    """Return a winning hand's split and faan."""
    declared_kinds = [meld.kind for meld in declared.melds]
    concealed_kinds = ["chow" if form == CHOW else "pong" for _, form in valued.concealed_sets]
    sets = (*declared_sets(declared.melds), *valued.concealed_sets)
    return {
        "form": valued.form,
        "decomposition": {
            "sets": [
                f"{kind}:{CODES[tile]}"
                for kind, (tile, _) in zip(declared_kinds + concealed_kinds, sets, strict=True)
            ],
            "pair": CODES[valued.pair],
        },
        "faan": [{"code": p.code, "faan": p.faan} for p in valued.patterns],
        "raw": valued.raw,
        "total": valued.total,
    }


def liability_result(owed: Liability) -> Result:
    """Return who is liable and why."""
    return {
        "liable": owed.liable,
        "rules": list(owed.rules),
        "exempted_by": list(owed.exempted_by),
    }


def payment_result(stakes: Stakes, payments: Sequence[Payment]) -> Result:
    """Return who pays whom, and what that is for everybody; it sums to zero."""
    return {
        "payments": [{"from": p.payer, "to": p.to, "due": p.due, "paid": p.paid} for p in payments],
        "net": net(stakes, payments),
    }


def win_request(
    setting: Setting, declared: Declared, facts: Facts, stakes: Stakes | None = None
) -> Result:
    """Return what the evaluator is asked about a win that ended a hand (13.1, RULE-FACTS).

    The flags are not among it: whoever asks adds them as `config`.
    """
    request: Result = {
        "op": "win",
        "seats": list(setting.seats),
        "round_wind": setting.round_wind,
        "seat": declared.seat,
        "concealed": codes_of(declared.concealed),
        "melds": [_meld(meld) for meld in declared.melds],
        "win_tile": CODES[declared.win_tile],
        "win": win_result(declared.win),
        "barred": declared.barred,
        "facts": facts_result(facts),
    }
    return request if stakes is None else request | {"stakes": dict(stakes)}


def win_result(win: Win) -> Result:
    """Return how the winning tile came, all six fields."""
    return {
        "kind": win.kind,
        "from": win.source,
        "kong_chain": win.kong_chain,
        "last_tile": win.last_tile,
        "heavenly": win.heavenly,
        "earthly": win.earthly,
    }


def facts_result(facts: Facts) -> Result:
    """Return the four facts; the discarder's are null unless a discard won (13.4)."""
    held, visible = facts.discarder_concealed, facts.visible
    return {
        "discarder_concealed": None if held is None else codes_of(held),
        "discarder_melds": None if held is None else [_meld(m) for m in facts.discarder_melds],
        "visible": None if visible is None else codes_of(visible),
        "turns_since_fourth_meld": facts.turns_since_fourth_meld,
    }


def _meld(meld: Meld) -> Result:
    return {
        "kind": meld.kind,
        "tiles": codes_of(sorted(meld.tiles)),
        "open": meld.open,
        "from": meld.source,
        "added": meld.added,
    }
