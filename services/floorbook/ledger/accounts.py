"""Decides on which account a party of a movement stands.

Nothing but the ledger knows accounts. A positive posting is into the account. Win by game, table or day
is a report over postings and no account.
"""

from floorbook import money

_PLAYER = money.player("")


def account(party: str, table_id: str, game: str) -> str:
    """Return the account of `party` in a movement of a table that plays `game`.

    >>> account("layout", "T1", "mahjong"), account("commission", "T1", "pai_kau")
    ('table/T1/layout', 'house/commission/pai_kau')
    """
    if party.startswith(_PLAYER):
        return party  # what a player was given or gave spans tables
    match party:
        case money.LAYOUT | money.BANK | money.COBANK:
            return f"table/{table_id}/{party}"
        case money.COMMISSION | money.CHARGE:
            return f"house/{party}/{game}"
        case _:
            raise ValueError(f"{party!r} is no party: such a movement is refused when it is read")


def layout(table_id: str) -> str:
    """Return the account that is zero whenever no round of the table is locked or under correction."""
    return f"table/{table_id}/{money.LAYOUT}"
