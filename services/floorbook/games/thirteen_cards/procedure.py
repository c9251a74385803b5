"""What a table of each rule set does in a round: dice, bets, banker, arranging (A12, B10)."""

import msgspec


class Procedure(msgspec.Struct, frozen=True):
    """The steps of a round that not every rule set has."""

    dice: bool = False  # the dice choose the first gate, bets are locked when they are shaken
    banker: bool = False  # one gate plays against all others
    banker_opens_first: bool = False  # players arrange knowing the banker's hand, against a clock
    bets: bool = False  # anybody may bet on player gates; else a unit is agreed and seats play
    arranged: bool = True  # hands are laid in three lanes
    declinable: bool = False  # a special is announced or declined (TV-60)
    special_is_laid: bool = False  # a hand with a special is not waited for (TV-10, TV-58)


_SEATS = Procedure()
_WHOLE_HANDS = Procedure(arranged=False)
_SPECIALS_OPEN = Procedure(special_is_laid=True)
_BANKER_GAME = Procedure(banker=True, bets=True, declinable=True)

_PROCEDURES = {
    "thirteen_cards": Procedure(dice=True, banker=True, banker_opens_first=True, bets=True),
    "compare_size": _SEATS,
    "no_arranging": _SPECIALS_OPEN,
    "declare": _SPECIALS_OPEN,
    "hundred_change": _WHOLE_HANDS,
    "shaoxing": _WHOLE_HANDS,
    "compare_size_2": _SEATS,
    "declare_2": _BANKER_GAME,
    "banker_xianggong": _BANKER_GAME,
    "four_player": Procedure(declinable=True),
}


def procedure_of(rule_set: str) -> Procedure:
    """Return the steps of a round of `rule_set`, which must be one of Thirteen Cards."""
    return _PROCEDURES[rule_set]
