"""What a complete round comes to (12.4): how every hand counts, who wins, who pays whom."""

from collections.abc import Mapping, Sequence

import msgspec

from floorbook.games.pai_kau.banks import (
    Bank,
    Covered,
    Part,
    bank_base,
    banks_of,
    cover,
    fee,
    is_rounded,
)
from floorbook.games.pai_kau.comparison import BANKER, PLAYER, PUSH, TIE, compare_hands
from floorbook.games.pai_kau.config import Config
from floorbook.games.pai_kau.gates import GateOrder, gate_order, holders
from floorbook.games.pai_kau.ranking import Pair
from floorbook.games.pai_kau.round import Bet, Round
from floorbook.games.pai_kau.setting import BACK_NOT_MAXIMAL, NOT_SET, Setting, final_setting
from floorbook.games.pai_kau.tiles import CHICKENS, Tile, rest_of_set
from floorbook.games.rule_set import once


class BankerHand(msgspec.Struct, frozen=True):
    """The banker's hand as it counts."""

    front: Pair
    back: Pair
    reset: bool
    reset_reason: str
    cites: tuple[str, ...]


class GateResult(msgspec.Struct, frozen=True):
    """One player gate as it counts, how it stands against the banker, and by which rules."""

    gate: int
    holder: str
    front: Pair
    back: Pair
    reset: bool
    reset_reason: str
    front_result: str
    back_result: str
    outcome: str
    cites: tuple[str, ...]


class BetResult(msgspec.Struct, frozen=True):
    """What one bet wins or loses, and which bank took or paid each part of it."""

    gate: int
    player_id: str
    amount: int
    outcome: str
    seq: int
    covered: int
    won: int
    lost: int
    commission: int
    returned: int
    delta: int
    parts: tuple[Part, ...]
    cites: tuple[str, ...]


class BankResult(msgspec.Struct, frozen=True):
    """What one bank wins or loses, and what is left of its stake."""

    id: str
    stake: int
    won: int
    lost: int
    net: int
    commission: int
    delta: int
    remaining: int
    cites: tuple[str, ...]


class PlayerResult(msgspec.Struct, frozen=True):
    """What one bettor wins or loses over all his bets."""

    player_id: str
    delta: int


class HouseResult(msgspec.Struct, frozen=True):
    """What the house (場方) takes, and what its own co-banks win or lose."""

    commission: int
    cobank_delta: int
    total: int


class Settlement(msgspec.Struct, frozen=True):
    """A settled round."""

    dice_total: int
    first_gate: int
    head_gate: int
    deal_order: tuple[int, ...]
    settle_order: tuple[int, ...]
    banker_hand: BankerHand
    gates: tuple[GateResult, ...]
    bets: tuple[BetResult, ...]
    banks: tuple[BankResult, ...]
    players: tuple[PlayerResult, ...]
    house: HouseResult
    min_next_stake: int
    leftover_tiles: tuple[Tile, ...]
    must_deal_four_next: bool


def settle(round_: Round, config: Config) -> Settlement:
    """Return what every gate, bet, bank and player comes to, and the house."""
    order = gate_order(round_.gates, round_.banker.gate, round_.dice, config)
    settings = {
        hand.gate: final_setting(hand.tiles, hand.front, hand.back, config) for hand in round_.hands
    }
    gates = _gates(round_, order, settings)
    outcomes = {gate.gate: gate.outcome for gate in gates}
    banks = banks_of(round_)
    covered = cover(round_.bets, outcomes, order.settle_order, banks, config)
    main = banks[0].id
    bets = tuple(
        _bet(bet, outcomes[bet.gate], by, main, config)
        for bet, by in zip(round_.bets, covered, strict=True)
    )
    paid = tuple(_bank(bank, config) for bank in banks)
    leftover = _leftover(round_)
    return Settlement(
        dice_total=order.dice_total,
        first_gate=order.first_gate,
        head_gate=order.head_gate,
        deal_order=order.deal_order,
        settle_order=order.settle_order,
        banker_hand=_banker_hand(settings[round_.banker.gate]),
        gates=gates,
        bets=bets,
        banks=paid,
        players=_players(bets),
        house=_house(bets, paid, banks),
        min_next_stake=paid[0].remaining,
        leftover_tiles=leftover,
        must_deal_four_next=bool(leftover),
    )


# Hands and gates


def _banker_hand(setting: Setting) -> BankerHand:
    cites = hand_cites(setting)
    if setting.reset and setting.reset_reason != NOT_SET:
        cites = (*cites, "PK-14")
    return BankerHand(setting.front, setting.back, setting.reset, setting.reset_reason, cites)


def _gates(
    round_: Round, order: GateOrder, settings: Mapping[int, Setting]
) -> tuple[GateResult, ...]:
    held = holders(round_.bets)
    banker = settings[round_.banker.gate]
    return tuple(
        _gate(gate, held.get(gate, ""), settings[gate], banker) for gate in order.settle_order
    )


def _gate(gate: int, holder: str, setting: Setting, banker: Setting) -> GateResult:
    compared = compare_hands(setting.front, setting.back, banker.front, banker.back)
    tied = TIE in (compared.front_result, compared.back_result)
    return GateResult(
        gate=gate,
        holder=holder,
        front=setting.front,
        back=setting.back,
        reset=setting.reset,
        reset_reason=setting.reset_reason,
        front_result=compared.front_result,
        back_result=compared.back_result,
        outcome=compared.outcome,
        cites=(*hand_cites(setting), "A6.3", *(("A9.1",) if tied else ())),
    )


def hand_cites(setting: Setting) -> tuple[str, ...]:
    """Return the rules behind how a hand counts."""
    cites: tuple[str, ...] = ()
    if setting.reset:
        if setting.reset_reason == NOT_SET:
            cites = ("PK-16", "PK-13")
        elif setting.reset_reason == BACK_NOT_MAXIMAL:
            cites = ("A6.2", "PK-11", "PK-12")
        else:
            cites = ("A6.2", "PK-12")
    return once(cites, pair_cites(setting.front), pair_cites(setting.back))


def pair_cites(pair: Pair) -> tuple[str, ...]:
    """Return the rules that a pair needs beside the tables: the chickens, and the missing rows."""
    if pair.kind == "supreme" or not CHICKENS.intersection(pair.tiles):
        return ()
    return ("A9.2",) if pair.row else ("A9.2", "PK-01")


def _leftover(round_: Round) -> tuple[Tile, ...]:
    """Return what a first four-gate deal leaves, in canonical order: the wall stays secret (5.2)."""
    if round_.gates != 4 or round_.used_tiles:
        return ()
    return rest_of_set([tile for hand in round_.hands for tile in hand.tiles])


# Money


def _bet(bet: Bet, outcome: str, by: Covered, main: str, config: Config) -> BetResult:
    """Return a bet's result (11.3): what is not covered was not in play (PK-24)."""
    covered = by.amount
    won = covered if outcome == PLAYER else 0
    lost = covered if outcome == BANKER else 0
    commission = fee(won, config)  # bet by bet, never netted (PK-29)
    return BetResult(
        gate=bet.gate,
        player_id=bet.player_id,
        amount=bet.amount,
        outcome=outcome,
        seq=by.seq,
        covered=covered,
        won=won,
        lost=lost,
        commission=commission,
        returned=bet.amount - lost,
        delta=won - commission - lost,
        parts=by.parts,
        cites=_bet_cites(bet, outcome, by, main, config),
    )


def _bet_cites(bet: Bet, outcome: str, by: Covered, main: str, config: Config) -> tuple[str, ...]:
    if outcome == PUSH:
        return ("A6.3",)
    cites = ["A2.3"] if outcome == BANKER else ["A2.3", "PK-44"]
    covered = by.amount
    if covered < bet.amount:
        cites.append("A5.3")
        if covered:
            cites.append("PK-24")
    if any(part.bank != main for part in by.parts):
        cites += ("A5.5", "PK-26")
    if outcome == PLAYER and covered:
        cites += _fee_cites(covered, config)
    return tuple(cites)


def _fee_cites(winnings: int, config: Config) -> tuple[str, ...]:
    """Return the rules behind a fee: none is cited where there is nothing to take."""
    if is_rounded(winnings):
        return ("A8", "PK-29", "PK-30")
    return ("A8", "PK-29")


def _bank(bank: Bank, config: Config) -> BankResult:
    """Return a bank's result (11.5); the commission is on its net of the round (PK-29)."""
    net = bank.won - bank.lost
    base = bank_base(bank, config)
    commission = fee(base, config)
    cites: tuple[str, ...] = ("A5.3",)
    if base:
        cites = (*cites, *_fee_cites(base, config))
    elif net > 0:
        cites = (*cites, "PK-28" if bank.house else "PK-29")
    return BankResult(
        id=bank.id,
        stake=bank.stake,
        won=bank.won,
        lost=bank.lost,
        net=net,
        commission=commission,
        delta=net - commission,
        remaining=bank.stake + net - commission,
        cites=cites,
    )


def _players(bets: Sequence[BetResult]) -> tuple[PlayerResult, ...]:
    deltas: dict[str, int] = {}
    for bet in bets:
        deltas[bet.player_id] = deltas.get(bet.player_id, 0) + bet.delta
    return tuple(PlayerResult(player, delta) for player, delta in sorted(deltas.items()))


def _house(
    bets: Sequence[BetResult], paid: Sequence[BankResult], banks: Sequence[Bank]
) -> HouseResult:
    commission = sum(bet.commission for bet in bets) + sum(bank.commission for bank in paid)
    own = sum(result.delta for result, bank in zip(paid, banks, strict=True) if bank.house)
    return HouseResult(commission, own, commission + own)


# What was applied


def applied(round_: Round, settled: Settlement) -> tuple[str, ...]:
    """Return the rules that had a part in a round, in order of application (12.4)."""
    gates, bets, banker = settled.gates, settled.bets, settled.banker_hand
    cited = {
        *banker.cites,
        *(cite for gate in gates for cite in gate.cites),
        *(cite for bet in bets for cite in bet.cites),
        *(cite for bank in settled.banks for cite in bank.cites if cite != "A5.3"),
    }
    present = {
        "A2.2": True,
        "A2.3": True,
        "A2.4": round_.gates == 4,
        "A2.5": round_.void_throws > 0,
        "A3.2": len({bet.gate for bet in bets}) < len(bets),
        "A6.3": True,
        "A8": settled.house.commission > 0,
    }
    return tuple(cite for cite in _IN_ORDER if present.get(cite, cite in cited))


_IN_ORDER = (
    *("A2.4", "A2.5", "A2.2", "A2.3", "A3.2", "PK-16", "A6.2", "PK-12", "A9.2", "PK-01"),
    *("A6.3", "A9.1", "A5.3", "PK-24", "A5.5", "A8", "PK-30"),
)
