"""Who pays what: nothing is made or lost, and every limit holds."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from floorbook.games.mahjong.config import LARGEST_AMOUNT, Config, config_of
from floorbook.games.mahjong.hand import WinKind
from floorbook.games.mahjong.payment import (
    Won,
    false_win_payments,
    net,
    share,
    win_payments,
)
from floorbook.games.mahjong.seats import others_from
from floorbook.games.mahjong.variant import SIMPLIFIED, TRADITIONAL
from floorbook.games.rule_set import Refused

SEATS = ("E", "S", "W", "N")
small = st.integers(0, 5)
configs = st.builds(
    Config,
    unit=st.integers(1, 50),
    base_units=st.lists(st.integers(0, 9), min_size=1, max_size=4).map(tuple),
    discarder_multiplier=small,
    other_multiplier=small,
    self_draw_multiplier=small,
    false_win_multiplier=small,
    dealer_multiplier=small,
    win_limit=st.sampled_from(["per_opponent", "total"]),
)


@st.composite
def tables(draw: st.DrawFn) -> dict[str, int]:
    seats = SEATS[: draw(st.integers(2, 4))]
    return {seat: draw(st.integers(0, 400)) for seat in seats}


@st.composite
def wins(draw: st.DrawFn) -> tuple[Won, dict[str, int]]:
    stakes = draw(tables())
    winner = draw(st.sampled_from(sorted(stakes)))
    others = sorted(set(stakes) - {winner})
    kinds: tuple[WinKind, ...] = ("self_draw", "discard", "robbed_kong")
    kind = draw(st.sampled_from(kinds))
    source = None if kind == "self_draw" else draw(st.sampled_from(others))
    liable = draw(st.sampled_from([None, source or others[0]]))
    return Won(winner, draw(st.integers(0, 4)), kind, source, liable), stakes


@given(configs, wins())
def test_a_win_moves_money_and_makes_none(config: Config, case: tuple[Won, dict[str, int]]) -> None:
    won, stakes = case
    payments = win_payments(config, won, stakes)
    result = net(stakes, payments)
    assert sum(result.values()) == 0
    assert list(result) == list(stakes)
    assert all(result[seat] >= -stakes[seat] for seat in stakes)
    assert all(seat == won.winner or amount <= 0 for seat, amount in result.items())
    assert all(0 <= p.paid <= p.due and p.due > 0 and p.to == won.winner for p in payments)


@given(configs, wins())
def test_the_winners_capital_limits(config: Config, case: tuple[Won, dict[str, int]]) -> None:
    won, stakes = case
    gained = net(stakes, win_payments(config, won, stakes))[won.winner]
    opponents = 1 if config.win_limit == "total" else len(stakes) - 1
    assert gained <= opponents * stakes[won.winner]
    if won.liable is None and config.win_limit == "per_opponent":
        paid = win_payments(config, won, stakes)
        assert all(payment.paid <= stakes[won.winner] for payment in paid)


@given(configs, wins())
def test_everybody_who_can_pays_in_full(config: Config, case: tuple[Won, dict[str, int]]) -> None:
    won, _ = case
    rich = dict.fromkeys(case[1], LARGEST_AMOUNT)
    payments = win_payments(config, won, rich)
    assert all(payment.paid == payment.due for payment in payments)
    shares = [share(config, won, seat) for seat in others_from(tuple(rich), won.winner)]
    assert sum(payment.due for payment in payments) == sum(shares)
    if won.liable is not None:
        assert {payment.payer for payment in payments} <= {won.liable}


@given(configs, wins())
def test_what_is_due_does_not_depend_on_money(
    config: Config, case: tuple[Won, dict[str, int]]
) -> None:
    won, stakes = case
    rich = dict.fromkeys(stakes, LARGEST_AMOUNT)
    due = [(p.payer, p.due) for p in win_payments(config, won, stakes)]
    assert due == [(p.payer, p.due) for p in win_payments(config, won, rich)]


@given(configs, tables(), st.sampled_from([TRADITIONAL, SIMPLIFIED]), st.data())
def test_a_false_win_costs_the_offender_alone(
    config: Config, stakes: dict[str, int], variant: object, data: st.DataObject
) -> None:
    offender = data.draw(st.sampled_from(sorted(stakes)))
    rules = TRADITIONAL if variant is TRADITIONAL else SIMPLIFIED
    payments = false_win_payments(rules, config, offender, stakes)
    result = net(stakes, payments)
    assert sum(result.values()) == 0
    assert -stakes[offender] <= result[offender] <= 0
    assert all(amount >= 0 for seat, amount in result.items() if seat != offender)
    # Who is nearer to his right is paid in full before the next gets anything.
    assert all(one.paid == one.due or not other.paid for one, other in pairwise(payments))


def test_a_winner_without_money_wins_nothing_under_liability() -> None:
    stakes = {"E": 0, "S": 50, "W": 50, "N": 50}
    won = Won("E", 2, "discard", "S", liable="S")
    for config in (Config(win_limit="per_opponent"), Config(win_limit="total")):
        (payment,) = win_payments(config, won, stakes)
        assert (payment.due, payment.paid) == (16, 0)


@pytest.mark.parametrize(
    "flags",
    [
        {"unit": LARGEST_AMOUNT},
        {"unit": 10**8, "base_units": [10**8]},
        {"unit": 10**6, "base_units": [10**6], "dealer_multiplier": 1000},
    ],
)
def test_no_hand_can_cost_more_than_can_be_booked(flags: dict[str, object]) -> None:
    refused = config_of(flags)
    assert isinstance(refused, Refused)
    assert refused.code == "BAD_CONFIG"


@pytest.mark.parametrize("field", sorted(set(Config.__struct_fields__)))
@pytest.mark.parametrize("value", [-1, 1.0, "x", None, [], {}, [True], [-1]])
def test_no_flag_takes_everything(field: str, value: object) -> None:
    refused = config_of({field: value})
    assert isinstance(refused, Refused)
    assert refused.code == "BAD_CONFIG"
    assert field in refused.detail
