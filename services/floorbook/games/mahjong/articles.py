"""What every rule says that can stand behind a settlement, in a few words (13.2, `explain`)."""

from collections.abc import Mapping, Sequence
from functools import cache

from floorbook.games.mahjong.patterns import (
    CHICKEN,
    ORPHANS_PATTERNS,
    SIMPLIFIED_PATTERNS,
    TRADITIONAL_PATTERNS,
)

TEXTS: dict[str, str] = {
    "RULE-CONFIG": "the table's flags and what they may be",
    "RULE-SEATS": "who sits where",
    "RULE-TILES": "the tiles of the game, four of each kind",
    "RULE-FACTS": "the facts follow from the events of the hand",
    "RULE-STATUS": "a declared win is an error, void, false, or a win",
    "RULE-WINSHAPE": "sets and a pair win, or thirteen orphans",
    "RULE-SETS": "chow, pong and kong",
    "RULE-BEST": "the split with the most faan counts",
    "RULE-ROB": "the tile of an added kong may be won on",
    "FAAN-SUM": "faan are added, up to the cap",
    "PAY-BASE": "unit, units for the faan, multiplier of the share",
    "PAY-LIMIT": "nobody wins or pays more than there is capital for",
    "PAY-LIABLE": "the liable seat pays all shares",
    "PEN-CALLPONG": "who calls a pong and does not take it cannot win",
    "FALSE-T7": "a wrong set that is not corrected makes a win false",
    "FALSE-T8": "a false win: two faan to or from the dealer, one to each other player",
    "FALSE-S3": "a false win: one faan to everybody",
    "LIA-T1": "fed a full flush with nine tiles on the table",
    "LIA-T2": "fed the twelfth tile of a full flush: liable for a go-round",
    "LIA-T3": "fed big dragons or big winds whose sets lay open",
    "LIA-T4": "held back a dead honour",
    "LIA-T5": "broke a concealed triplet without being ready",
    "LIA-T6": "gave up a win or being ready",
    "LIA-S1": "held back the dead Green Dragon",
    "LIA-S2": "gave up a win or being ready, and broke a triplet",
    "EXM-T9": "all honours and all terminals exempt everybody",
    "EXM-T10": "a live honour exempts who discards it",
    "EXM-S4": "a live Green Dragon exempts who discards it",
    "MJ-01": "the word lost in the text is set: four sets and a pair",
    "MJ-02": "the lost name is concealed triplets",
    "MJ-07": "seats are filled from the dealer on; a round has a hand for each player",
    "MJ-15": "any triplet counts, called or concealed",
    "MJ-19": "without any element it is a chicken hand",
    "MJ-20": "a half flush may hold any honours",
    "MJ-21": "all elements add, up to the cap",
    "MJ-22": "mixed terminals: which tiles must be terminals or honours",
    "MJ-23": "nothing open on the table makes triplets concealed",
    "MJ-24": "any chows make a plain hand, whatever the wait",
    "MJ-25": "heavenly before any kong; earthly on the dealer's first discard only",
    "MJ-26": "kongs one after the other in one turn",
    "MJ-27": "self-drawn only; a replacement tile can be the last",
    "MJ-28": "heavenly, earthly and kong wins have no faan in the simplified game",
    "MJ-29": "the winning tile itself must be the Green Dragon",
    "MJ-30": "elements add in the simplified game too, up to the cap",
    "MJ-31": "the list of winning hands is closed: no seven pairs",
    "MJ-32": "money per faan and shares are the house's table",
    "MJ-33": "the dealer counts double only where the house says so",
    "MJ-34": "the winner's capital limits, for each opponent or altogether",
    "MJ-35": "what a payer has not got is lost to the winner",
    "MJ-36": "each relieved share has its own limit, then the liable seat's stake",
    "MJ-37": "the liable seat pays the shares of all",
    "MJ-38": "a concealed kong is not on the table, unless the house says so",
    "MJ-39": "the robbed seat pays like a discarder",
    "MJ-40": "a go-round lasts to the end of the winner's next turn",
    "MJ-41": "any winning tile; two dragon or three wind sets at least",
    "MJ-42": "dead: three copies visible, the fourth in the discarder's hand",
    "MJ-43": "a triplet of exactly three; who is ready afterwards is free",
    "MJ-44": "both a win and being ready, judged at the discard",
    "MJ-45": "all honours and all terminals only",
    "MJ-46": "over all rules, unless the house keeps big hands apart",
    "MJ-47": "both conditions together",
    "MJ-48": "shape, number of tiles, or an impossible declared set",
    "MJ-49": "a false win costs full shares, to everybody seated",
    "MJ-50": "only the offender's stake limits, paid from his right on",
    "MJ-51": "who wins with a set still wrong has a false win",
    "MJ-52": "a barred win is void, or false where the house says so",
    "MJ-56": "one liable seat, which pays once",
    "MJ-57": "a concealed chow is a set in the simplified game",
    "MJ-59": "thirteen orphans have no declared sets",
}


@cache
def _texts() -> Mapping[str, str]:
    every = (*TRADITIONAL_PATTERNS, *ORPHANS_PATTERNS, *SIMPLIFIED_PATTERNS, CHICKEN)
    return TEXTS | {pattern.code: f"{pattern.chinese}: {pattern.faan} faan" for pattern in every}


def explained(cites: Sequence[str]) -> list[dict[str, str]]:
    """Return `cites` in order, each with what it says."""
    texts = _texts()
    return [{"id": cite, "text": texts[cite]} for cite in cites]
