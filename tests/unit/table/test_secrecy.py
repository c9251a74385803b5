"""No card is seen by anybody before the last line of A12 lets him see it."""

import random
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from floorbook.games.thirteen_cards.cards import PACK
from floorbook.table import events
from floorbook.table.effects import EVERYBODY, Disclosure, audience_of
from floorbook.table.events import Event, Role, ViewAsked
from floorbook.table.game import games
from floorbook.table.refuse import NOTHING_KEPT
from floorbook.table.state import TableState
from floorbook.table.step import Step, step
from floorbook.table.thirteen_cards import facts
from floorbook.table.thirteen_cards.shapes import CorrectedGate, ThirteenCardsCorrection
from floorbook.table.thirteen_cards.shown import HandShown, ThirteenCardsShown
from floorbook.table.thirteen_cards.state import ThirteenCards
from floorbook.table.thirteen_cards.terms import waited_for
from tests.unit.table.model import Model
from tests.unit.table.playing import DEALER, PIT, SEATS, Table, dealt, laid
from tests.unit.table.test_model import ACTS, PAUSES, Acting, both_do
from tests.unit.table.test_variants_model import at_a_table
from tests.unit.table.variant_acting import ACTS as VARIANT_ACTS
from tests.unit.table.variant_acting import both_do as variant_do
from tests.unit.table.variants import VARIANTS, VariantTable

CARDS = frozenset(PACK)

Viewer = tuple[Role, str]
VIEWERS: tuple[Viewer, ...] = (
    (Role.DEALER, "d1"),
    (Role.SUPERVISOR, "s1"),
    *((Role.PLAYER, player) for player in SEATS),
    (Role.PLAYER, "stranger"),
    (Role.PLAYER, "house"),
    (Role.DEVICE, ""),
)


def cards_in(value: Any) -> Iterator[str]:
    """Yield every card that is written anywhere in `value`, JSON text included."""
    if isinstance(value, str):
        if value in CARDS:
            yield value
        elif value.startswith(("{", "[")):
            yield from cards_in(msgspec.json.decode(value))
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from cards_in(key)
            yield from cards_in(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from cards_in(inner)
    elif isinstance(value, msgspec.Struct):
        for name in value.__struct_fields__:
            yield from cards_in(getattr(value, name))


class Watch:
    """Looks over every shoulder: what each viewer is shown must be what he may have seen by then.

    Who may know what is kept here by itself, from the acts that the table took.
    """

    def __init__(self) -> None:
        self.allowed: dict[Viewer, set[str]] = {viewer: set() for viewer in VIEWERS}
        self.shown: dict[Viewer, set[str]] = {viewer: set() for viewer in VIEWERS}

    def __call__(self, before: TableState, event: Event, taken: Step) -> None:
        after = taken.state
        if taken.verdict.refusal is None and not taken.verdict.known:
            self._learn(before, event, after)
        for viewer in VIEWERS:
            audiences = (EVERYBODY, audience_of(*viewer))
            for disclosure in taken.effects.disclosures:
                if any(one in disclosure.audiences for one in audiences):
                    self._look(viewer, disclosure.shown, event)
            asked = Event(
                after.table_id,
                ViewAsked(),
                viewer[0],
                event.observe_time_ms,
                "gateway",
                person_id=viewer[1],
                offset=event.offset + 1,
            )
            view = step(after, asked, NOTHING_KEPT)
            assert view.state is after
            for disclosure in view.effects.disclosures:
                assert disclosure.audiences == (audience_of(*viewer),)
                self._look(viewer, disclosure.shown, event)

    def _learn(self, before: TableState, event: Event, after: TableState) -> None:
        """Widen what each may know by what `event` lets him see, by the last line of A12."""
        game, fact = after.game, event.fact
        if not isinstance(game, ThirteenCards):
            return
        if isinstance(fact, events.SettledRoundCorrected | events.SettledRoundVoided):
            # The hands of a settled round are open; what is said of them may be seen by all.
            self._allow(VIEWERS, set(cards_in(fact)))
        if after.round_number != before.round_number or game.phase == "REDEAL":
            # A new deal: nobody knows anything of it.
            for cards in (*self.allowed.values(), *self.shown.values()):
                cards.clear()
        hands = [set(hand) for hand in game.hands]
        if not hands:
            return
        assert after.terms is not None
        assert after.terms.thirteen_cards is not None
        dealers = [viewer for viewer in VIEWERS if viewer[0] is Role.DEALER]
        if game.phase in ("COMPLETE", "SETTLED"):
            self._allow(VIEWERS, set().union(*hands))
        if after.terms.rule_set != "thirteen_cards":
            # From the deal each sees his own hand (B10); the house's is the dealer's.
            for gate, holder in game.holders.items():
                mine = (Role.PLAYER, holder)
                self._allow(dealers if holder == "house" else [mine], hands[gate])
            return
        banker = after.terms.thirteen_cards.banker_gate
        if game.phase in ("DEALT", "OPENED"):
            self._allow(dealers, hands[banker])
        if game.phase == "OPENED":
            self._allow(VIEWERS, hands[banker])
            for gate, holder in game.holders.items():
                bettors = {bet.player_id for bet in game.bets if bet.gate == gate} - {"house"}
                seers = [
                    v
                    for v in VIEWERS
                    if v[0] is Role.PLAYER and v[1] in {*bettors, holder} - {"house"}
                ]
                if gate in game.taken:
                    self._allow(seers, hands[gate])
                if holder == "house":
                    self._allow(dealers, hands[gate])

    def _allow(self, viewers: Any, cards: set[str]) -> None:
        for viewer in viewers:
            self.allowed[viewer] |= cards

    def _look(self, viewer: Viewer, shown: object, event: Event) -> None:
        seen = set(cards_in(shown))
        self.shown[viewer] |= seen
        early = seen - self.allowed[viewer]
        assert not early, f"{viewer} sees {early} after {event.fact}"


@pytest.mark.parametrize("seed", range(4))
def test_nobody_sees_a_card_early_whatever_is_done(seed: int) -> None:
    rng = random.Random(seed)
    table = Table(seed=seed).open(players=4)
    table.checks.append(Watch())
    model = Model()
    model.places += ("p1", "p2", "p3", "p4")
    model.time = table.state.table_time_ms
    acting = Acting(table, model)
    for _ in range(120):
        both_do(acting, rng.choice(ACTS), rng.choice(PAUSES), rng)


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("rule_set", VARIANTS)
def test_nobody_sees_a_card_early_in_a_variant(rule_set: str, seed: int) -> None:
    rng = random.Random(seed)
    acting = at_a_table(rule_set, seed)
    acting.table.checks.append(Watch())
    for _ in range(100):
        variant_do(acting, rng.choice(VARIANT_ACTS), rng.choice(PAUSES), rng)


@pytest.mark.parametrize("rule_set", VARIANTS)
def test_each_sees_his_own_hand_until_all_are_open(rule_set: str) -> None:
    watch = Watch()
    table = VariantTable(rule_set, seed=3).open(3)
    table.checks.append(watch)
    table.to("DEALING")
    assert not any(watch.shown.values())
    table.deal()
    holders, hands = table.game.holders, [set(hand) for hand in table.game.hands]
    everything = set().union(*hands)
    while table.phase == "DEALT":
        for gate, holder in holders.items():
            viewer = (Role.DEALER, "d1") if holder == "house" else (Role.PLAYER, holder)
            assert watch.shown[viewer] == hands[gate]
        assert not watch.shown[Role.PLAYER, "stranger"]
        assert not watch.shown[Role.SUPERVISOR, "s1"]
        table.lay(waited_for(table.state)[0])
    assert all(watch.shown[viewer] == everything for viewer in VIEWERS)


def test_a_leak_in_a_variant_would_be_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    game = games()["four_player"]
    honest = game.disclose

    def leaking(before: TableState, event: Event, after: TableState) -> list[Disclosure]:
        shown = list(honest(before, event, after))
        if isinstance(event.fact, facts.HandSet) and isinstance(after.game, ThirteenCards):
            hand = HandShown(1, after.game.hands[1])
            shown.append(Disclosure((audience_of(Role.DEALER, ""),), ThirteenCardsShown(hand=hand)))
        return shown

    monkeypatch.setattr(game, "disclose", leaking)
    table = VariantTable("four_player").open(3)
    table.checks.append(Watch())
    table.to("DEALT")
    with pytest.raises(AssertionError, match="sees"):
        table.lay(0)


def scripted(table: Table) -> Watch:
    """Return what was seen of a whole round with a sealed pack, a re-deal and a house-held gate."""
    watch = Watch()
    table.checks.append(watch)
    table.to("BETTING")
    table.bet("b1", "p1", 1, 100, 3)
    table.bet("b2", "p2", 1, 100, 1)
    table.bet("b3", "p2", 2, 100, 2)
    table.does(DEALER, facts.BetPlaced("b4", "p9", 3, 100, 1))
    table.lock()
    table.deal()
    table.open_banker()
    table.void_deal()
    table.to_betting()
    table.deal()
    return watch


def test_each_sees_what_he_may_when_he_may() -> None:
    table = Table().open()
    watch = scripted(table)
    dealer, supervisor, stranger = (
        (Role.DEALER, "d1"),
        (Role.SUPERVISOR, "s1"),
        (Role.PLAYER, "stranger"),
    )
    p1, p2, p3 = ((Role.PLAYER, player) for player in ("p1", "p2", "p3"))
    hands = [set(hand) for hand in table.game.hands]
    assert watch.shown[dealer] == hands[0]
    assert not any(watch.shown[viewer] for viewer in VIEWERS if viewer != dealer)
    table.open_banker()
    assert watch.shown[dealer] == hands[0] | hands[3]
    assert watch.shown[p1] == watch.shown[stranger] == watch.shown[supervisor] == hands[0]
    table.does(SEATS["p1"], facts.HandTaken(1, "p1"))
    assert watch.shown[p1] == watch.shown[p2] == hands[0] | hands[1]
    assert watch.shown[p3] == watch.shown[supervisor] == hands[0]
    table.set(2)
    assert watch.shown[p2] == hands[0] | hands[1] | hands[2]
    assert watch.shown[p1] == hands[0] | hands[1]
    table.set(3)
    assert watch.shown[dealer] == hands[0] | hands[3]
    table.set(1)
    assert all(watch.shown[viewer] == set(PACK) for viewer in VIEWERS)
    table.settle()
    table.to("DEALT")
    assert watch.shown[dealer] == set(table.game.hands[0])
    assert watch.shown[stranger] == set()


def test_a_late_gate_is_open_after_the_signal() -> None:
    table = Table().open()
    watch = Watch()
    table.checks.append(watch)
    table.to("OPENED")
    table.signal()
    assert watch.shown[Role.PLAYER, "stranger"] == set(PACK)


def test_a_void_round_keeps_its_cards() -> None:
    table = Table().open()
    watch = Watch()
    table.checks.append(watch)
    table.to("OPENED")
    table.does(PIT, events.RoundVoided("TEST"))
    assert watch.shown[Role.PLAYER, "stranger"] == set(table.game.hands[0])


def test_what_was_refused_is_not_shown() -> None:
    table = Table().open()
    table.checks.append(Watch())
    table.to("OPENED")
    hand = laid(table.game.hands[2])
    correction = ThirteenCardsCorrection((CorrectedGate(2, hand),))
    for fact in (
        events.SettledRoundCorrected("T1/1", "TEST", "", correction),
        events.TableClosed(),
    ):
        refused = table.send(PIT, fact)
        assert refused.verdict.refusal is not None
        assert refused.effects.disclosures == ()
    report = facts.MisdealReported(dealt(table.order()), recoverable=False)
    assert table.send(DEALER, report).effects.disclosures == ()


def test_a_suspended_table_shows_no_more() -> None:
    table = Table().open()
    table.checks.append(Watch())
    table.to("OPENED")
    table.does(PIT, events.TableSuspended("TEST"))
    assert table.code(SEATS["p1"], facts.HandTaken(1, "p1")) == "SUSPENDED"


@pytest.mark.parametrize("who", ["banker", "gate", "pack"])
def test_a_leak_would_be_noticed(who: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The watch itself is watched: a hand shown to the wrong people, or too early, must fail."""
    game = games()["thirteen_cards"]
    honest = game.disclose

    def leaking(before: TableState, event: Event, after: TableState) -> list[Disclosure]:
        shown = list(honest(before, event, after))
        now = after.game
        assert isinstance(now, ThirteenCards)
        everybody = (EVERYBODY,)
        if who == "banker" and isinstance(event.fact, facts.BankerArranged):
            shown.append(Disclosure(everybody, ThirteenCardsShown(hand=HandShown(0, now.hands[0]))))
        if who == "gate" and isinstance(event.fact, facts.BankerOpened):
            holder = audience_of(Role.PLAYER, "p2")
            shown.append(Disclosure((holder,), ThirteenCardsShown(hand=HandShown(1, now.hands[1]))))
        if who == "pack" and isinstance(event.fact, events.DeckOpened):
            shown.append(Disclosure((audience_of(Role.SUPERVISOR, ""),), event.fact))
        return shown

    monkeypatch.setattr(game, "disclose", leaking)
    table = Table().open()
    table.checks.append(Watch())
    with pytest.raises(AssertionError, match="sees"):
        table.to("OPENED")
