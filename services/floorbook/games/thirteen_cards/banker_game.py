"""How a round is settled in which a player is the banker (B7 `declare_2`, B8 `banker_xianggong`)."""

from collections.abc import Callable, Sequence

import msgspec

from floorbook.games.rule_set import once
from floorbook.games.thirteen_cards.arrangement import Hand
from floorbook.games.thirteen_cards.config import Config
from floorbook.games.thirteen_cards.lanes import lane_units
from floorbook.games.thirteen_cards.money import Stake
from floorbook.games.thirteen_cards.variant import (
    Meeting,
    Shown,
    Variant,
    meet,
    show_all,
    sign,
)


class LaneResult(msgspec.Struct, frozen=True):
    """Who won one lane, and what the winner scores."""

    lane: str
    player_class: str
    banker_class: str
    winner: str
    units: int


class BankerResult(msgspec.Struct, frozen=True):
    """How the banker's hand was seen."""

    gate: int
    status: str
    special: str | None
    cites: tuple[str, ...]


class GateResult(msgspec.Struct, frozen=True):
    """How one player gate stands against the banker, and by which rules."""

    gate: int
    status: str
    special: str | None
    decided_by: str
    lanes: tuple[LaneResult, ...]
    units: int
    cites: tuple[str, ...]


class BetResult(msgspec.Struct, frozen=True):
    """What one bet wins or loses; it may be more than the stake."""

    bet_id: str
    gate: int
    stake: int
    units: int
    net: int
    cites: tuple[str, ...]


class Settlement(msgspec.Struct, frozen=True):
    """A settled round."""

    banker: BankerResult
    gates: tuple[GateResult, ...]
    bets: tuple[BetResult, ...]
    banker_net: int


class Verdict(msgspec.Struct, frozen=True):
    """What a gate wins or loses against the banker, in units or multiples of the bet."""

    units: int
    lanes: tuple[LaneResult, ...]
    cites: tuple[str, ...]

    @property
    def decided_by(self) -> str:
        """Return `lanes` or, if no lane was looked at, `special`."""
        return "lanes" if self.lanes else "special"


Against = Callable[[Shown, Shown, Variant, Config], Verdict]


def settle(
    banker: Hand,
    players: Sequence[Hand],
    bets: Sequence[Stake],
    against: Against,
    variant: Variant,
    config: Config,
) -> Settlement:
    """Return what every gate and bet comes to; there is no commission."""
    bank, *shown = show_all([banker, *players], variant, config)
    gates = tuple(_gate(player, bank, against, variant, config) for player in shown)
    units = {gate.gate: gate.units for gate in gates}
    paid = tuple(_pay(bet, units[bet.gate], variant) for bet in bets)
    return Settlement(
        banker=BankerResult(bank.gate, bank.status, bank.special_id, bank.cites),
        gates=gates,
        bets=paid,
        banker_net=-sum(bet.net for bet in paid),
    )


def _gate(
    player: Shown, bank: Shown, against: Against, variant: Variant, config: Config
) -> GateResult:
    verdict = against(player, bank, variant, config)
    return GateResult(
        gate=player.gate,
        status=player.status,
        special=player.special_id,
        decided_by=verdict.decided_by,
        lanes=verdict.lanes,
        units=verdict.units,
        cites=once(player.cites, variant.cites, verdict.cites),
    )


def _pay(bet: Stake, units: int, variant: Variant) -> BetResult:
    return BetResult(bet.bet_id, bet.gate, bet.amount, units, units * bet.amount, variant.cites)


def by_declare_2(player: Shown, bank: Shown, variant: Variant, config: Config) -> Verdict:
    """Return how a gate stands by ENC-7: the higher special, else the net of three lanes."""
    ours = player.special.level if player.special else 0
    banks = bank.special.level if bank.special else 0
    if ours or banks:
        if ours == banks:
            return Verdict(0, (), ("TV-27",))
        higher = player.special if ours > banks else bank.special
        assert higher is not None, "the higher of two specials is one"
        return Verdict(higher.value if ours > banks else -higher.value, (), higher.cites)
    # The banker has the privilege (同樣的牌，莊家比閒家大, TV-30), over two fouls too (TV-31).
    lanes = tuple(_lane(met, met.sign or -1) for met in meet(player, bank, variant, config))
    cites = ("TV-31",) if player.fouled or bank.fouled else ("TV-28", "TV-30")
    if config.pay_by == "sign":
        return Verdict(sign(net_of(lanes)), lanes, (*cites, "TV-29"))
    return Verdict(net_of(lanes), lanes, (*cites, "TV-29"))


def by_banker_xianggong(player: Shown, bank: Shown, variant: Variant, config: Config) -> Verdict:
    """Return how a gate stands by ENC-B: the first line of B8 that applies decides."""
    if player.special:
        # If both announce, the banker pays the player even when his own is worth more (TV-40).
        cites = (*player.special.cites, "TV-40") if bank.special else player.special.cites
        return Verdict(player.special.value, (), cites)
    if bank.special:
        return Verdict(-bank.special.value, (), bank.special.cites)
    meetings = meet(player, bank, variant, config)
    if player.fouled and bank.fouled:
        return Verdict(0, tuple(_lane(met, 0) for met in meetings), ("TV-36",))
    # Equal lanes are left over only where the top card alone is compared: the banker's (TV-34).
    lanes = tuple(_lane(met, met.sign or -1) for met in meetings)
    return Verdict(net_of(lanes), lanes, _xianggong_cites(player, bank, meetings, config))


def _xianggong_cites(
    player: Shown, bank: Shown, meetings: Sequence[Meeting], config: Config
) -> tuple[str, ...]:
    if player.fouled or bank.fouled:
        return ("TV-36",)
    if config.tie_break_mode == "top_card_banker":
        return ("TV-33", "TV-34")
    return ("TV-33", "TV-35") if any(met.by_suit for met in meetings) else ("TV-33",)


def _lane(met: Meeting, winner: int) -> LaneResult:
    """Return one lane with its winner: 1 the player, -1 the banker, 0 nobody.

    The winner scores by his own class; a fouled lane that wins is worth 1 (TV-31).
    """
    player_class, banker_class = met.classes
    won_with = met.a if winner > 0 else met.b
    return LaneResult(
        lane=met.lane,
        player_class=player_class,
        banker_class=banker_class,
        winner={1: "player", -1: "banker", 0: "draw"}[winner],
        units=lane_units(met.lane, won_with) if winner else 0,
    )


def net_of(lanes: Sequence[LaneResult]) -> int:
    """Return the player's units less the banker's (把賠率相加減)."""
    signs = {"player": 1, "banker": -1, "draw": 0}
    return sum(signs[lane.winner] * lane.units for lane in lanes)
