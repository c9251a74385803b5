"""What can be shown of a Pai Kau round; who may see it is decided in disclose.py."""

from msgspec import Struct

from floorbook.table.events import Fact
from floorbook.table.pai_kau.facts import BankAnswered, BetChanged, CoBankPosted


class PaiKauHand(Struct, frozen=True):
    """A gate's tiles, and its pairs once laid."""

    gate: int
    tiles: tuple[str, ...] = ()
    front: tuple[str, ...] = ()
    back: tuple[str, ...] = ()


class PaiKauHolder(Struct, frozen=True):
    """One gate's holder."""

    gate: int
    player_id: str


class PaiKauHolders(Struct, frozen=True):
    """Who holds the gates with bets."""

    holders: tuple[PaiKauHolder, ...] = ()


class PaiKauFirstGate(Struct, frozen=True):
    """The gate that is dealt first."""

    gate: int


class PaiKauBank(Struct, frozen=True):
    """Who banks, how many rounds already, and the least his next stake may be."""

    gate: int
    player_id: str
    rounds_done: int
    minimum_stake_minor: int


class PaiKauDone(Struct, frozen=True):
    """A gate is laid, or left to the croupier; its tiles are not shown."""

    gate: int


class PaiKauResult(Struct, frozen=True):
    """A settled round: the evaluator's result and the articles and rulings behind it."""

    result: str
    explanation: tuple[str, ...] = ()
    round_id: str = ""


class PaiKauShown(Struct, frozen=True):
    """One thing shown; exactly one field is given."""

    fact: Fact | None = None
    hand: PaiKauHand | None = None
    holders: PaiKauHolders | None = None
    first_gate: PaiKauFirstGate | None = None
    bank: PaiKauBank | None = None
    done: PaiKauDone | None = None
    result: PaiKauResult | None = None


class PaiKauState(Struct, frozen=True):
    """What one viewer may see of the table."""

    gates: int = 0
    bank: PaiKauBank | None = None
    last_gate: int = 0
    opening: bool = False
    answers: tuple[BankAnswered, ...] = ()
    consents: tuple[str, ...] = ()
    consents_missing: tuple[str, ...] = ()
    used_tiles: tuple[str, ...] = ()
    carried_over: bool = False
    bets: tuple[BetChanged, ...] = ()
    stake_minor: int = 0
    co_banks: tuple[CoBankPosted, ...] = ()
    moved_by: tuple[str, ...] = ()
    banker_moved: bool = False
    head_tiles_out: bool = False
    holders: PaiKauHolders | None = None
    void_throws: int = 0
    dice: tuple[int, ...] = ()
    first_gate: PaiKauFirstGate | None = None
    hands: tuple[PaiKauHand, ...] = ()
    done: tuple[int, ...] = ()
    may_bank: tuple[str, ...] = ()
    sealed: bool = False
