"""A second scorer of mahjong, slow and written from sections 6 to 11 of the rules and from nothing else.

It works on tile codes, tries every way to split a hand and asks each element by its definition. A
request goes in as the evaluator gets it, and what sections 8 to 11 say of it comes out.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

ORDER = [f"{n}{suit}" for suit in "smp" for n in "123456789"] + list("ESWNCFB")
WINDS, DRAGONS = ["E", "S", "W", "N"], ["C", "F", "B"]
HONOURS = WINDS + DRAGONS
TERMINALS = ["1s", "9s", "1m", "9m", "1p", "9p"]
DEFAULTS: dict[str, Any] = {
    "unit": 1,
    "base_units": [1, 2, 4],
    "discarder_multiplier": 2,
    "other_multiplier": 1,
    "self_draw_multiplier": 2,
    "false_win_multiplier": 2,
    "dealer_multiplier": 1,
    "win_limit": "per_opponent",
    "faan_cap": 2,
    "mixed_terminals": "tiles",
    "kankan_self_draw_only": False,
    "live_honour_exempts_big_hands": True,
    "concealed_kong_landed": False,
    "break_triplet_liable_when_ready": False,
    "void_win_is_false_win": False,
}
ROW = [
    *("DRAGON_C", "DRAGON_F", "DRAGON_B", "ROUND_WIND", "SEAT_WIND", "DOUBLE_WIND"),
    *("LITTLE_DRAGONS", "BIG_DRAGONS", "LITTLE_WINDS", "BIG_WINDS"),
    *("PLAIN", "ALL_TRIPLETS", "CONCEALED_TRIPLETS"),
    *("HALF_FLUSH", "HALF_FLUSH_PLAIN", "FULL_FLUSH"),
    *("MIXED_TERMINALS", "ALL_TERMINALS", "ALL_HONOURS", "THIRTEEN_ORPHANS"),
    *("ROB_KONG", "KONG_WIN", "KONG_ON_KONG", "LAST_TILE", "HEAVENLY", "EARTHLY"),
]
TWO_FAAN = {
    *("DOUBLE_WIND", "BIG_DRAGONS", "BIG_WINDS", "CONCEALED_TRIPLETS", "HALF_FLUSH_PLAIN"),
    *("FULL_FLUSH", "ALL_TERMINALS", "ALL_HONOURS", "THIRTEEN_ORPHANS"),
    *("KONG_ON_KONG", "HEAVENLY", "EARTHLY"),
}
BY_CIRCUMSTANCE = ROW[-6:]

Set = tuple[str, str]
"""chow or pong, and the lowest tile."""


def chow_of(low: str) -> list[str]:
    """Return the three tiles of a chow."""
    rank = int(low[0])
    return [f"{rank + step}{low[1]}" for step in range(3)]


def splits(tiles: list[str]) -> Iterator[tuple[str, list[Set]]]:
    """Yield every pair with sets that tiles can be split into, some of them more than once."""
    held = Counter(tiles)
    for pair in held:
        if held[pair] >= 2:
            for sets in sets_of(held - Counter([pair, pair])):
                yield pair, sets


def sets_of(held: Counter[str]) -> Iterator[list[Set]]:
    """Yield every way to take tiles apart into sets."""
    if not held:
        yield []
        return
    low = min(held, key=ORDER.index)
    if held[low] >= 3:
        for rest in sets_of(held - Counter([low] * 3)):
            yield [("pong", low), *rest]
    if low not in HONOURS and int(low[0]) <= 7 and all(held[t] for t in chow_of(low)):
        for rest in sets_of(held - Counter(chow_of(low))):
            yield [("chow", low), *rest]


def is_orphans(tiles: list[str]) -> bool:
    """Return whether tiles are thirteen orphans."""
    return len(tiles) == 14 and set(tiles) == {*TERMINALS, *HONOURS}


def is_winning(traditional: bool, tiles: list[str], melds: int) -> bool:
    """Return whether concealed tiles are the rest of a winning shape."""
    sets = (4 if traditional else 1) - melds
    if traditional and not melds and is_orphans(tiles):
        return True
    return len(tiles) == 3 * sets + 2 and any(True for _ in splits(tiles))


def is_ready(traditional: bool, tiles: list[str], melds: list[Mapping[str, Any]]) -> bool:
    """Return whether some tile completes a hand that does not hold all four of it."""
    held = Counter(tiles)
    for meld in melds:
        held.update(meld["tiles"])
    kinds = ORDER if traditional else [*ORDER[:27], "F"]
    return any(
        held[kind] < 4 and is_winning(traditional, [*tiles, kind], len(melds)) for kind in kinds
    )


class Scorer:
    """One declared win."""

    def __init__(self, rule_set: str, request: Mapping[str, Any]) -> None:
        """Return the scorer of a request."""
        self.traditional = rule_set == "mahjong.traditional"
        self.config = {**DEFAULTS, **request.get("config", {})}
        self.seat, self.round = request["seat"], request["round_wind"]
        self.seats: list[str] = [seat for seat in WINDS if seat in request["seats"]]
        self.concealed: list[str] = request["concealed"]
        self.melds: list[Mapping[str, Any]] = request["melds"]
        self.tile: str = request["win_tile"]
        self.win: Mapping[str, Any] = request["win"]
        self.barred = request.get("barred", False)
        self.facts: Mapping[str, Any] = request.get("facts", {})
        self.stakes: dict[str, int] = {seat: request["stakes"][seat] for seat in self.seats}
        self.all_tiles = [*self.concealed, self.tile, *(t for m in self.melds for t in m["tiles"])]

    def answer(self) -> dict[str, Any]:
        """Return what the rules say, as far as sections 8 to 11 go."""
        status, reason = self.status()
        result: dict[str, Any] = {"status": status, "reason": reason}
        liability: dict[str, Any] = {"liable": None, "rules": [], "exempted_by": []}
        payments: list[dict[str, Any]] = []
        if status == "win":
            result |= self.best()
            codes = [one["code"] for one in result["faan"]]
            liability = self.liability(codes)
            payments = self.win_payments(result["total"], liability["liable"])
        elif status == "false_win":
            payments = self.false_win_payments()
        net = dict.fromkeys(self.seats, 0)
        for one in payments:
            net[one["from"]] -= one["paid"]
            net[one["to"]] += one["paid"]
        return result | {"liability": liability, "payments": payments, "net": net}

    # Status

    def status(self) -> tuple[str, str | None]:
        """Return what a declared win is (13.3)."""
        if self.barred:
            return ("false_win" if self.config["void_win_is_false_win"] else "void"), "barred"
        if not all(self.is_valid(meld) for meld in self.melds):
            return "false_win", "meld_invalid"
        sets = 4 if self.traditional else 1
        if len(self.melds) > sets or len(self.concealed) != 3 * (sets - len(self.melds)) + 1:
            return "false_win", "tile_count"
        if is_winning(self.traditional, [*self.concealed, self.tile], len(self.melds)):
            return "win", None
        return "false_win", "shape"

    def is_valid(self, meld: Mapping[str, Any]) -> bool:
        """Return whether a set can have been declared."""
        tiles, source = meld["tiles"], meld["from"]
        others = [seat for seat in self.seats if seat != self.seat]
        upper = self.seats[self.seats.index(self.seat) - 1]
        if meld["kind"] == "chow":
            low = min(tiles, key=ORDER.index, default="E")
            is_chow = low not in HONOURS and int(low[0]) <= 7 and sorted(tiles) == chow_of(low)
            open_ = meld["open"] and not meld["added"] and source == upper
            return bool(self.traditional and is_chow and open_)
        if len(set(tiles)) != 1:
            return False
        if meld["kind"] == "pong":
            open_ = meld["open"] and not meld["added"] and source in others
            return bool(self.traditional and len(tiles) == 3 and open_)
        if meld["kind"] != "kong" or len(tiles) != 4:
            return False
        if not meld["open"]:
            return source is None and not meld["added"]
        return source in others and (self.traditional or not meld["added"])

    # Faan

    def best(self) -> dict[str, Any]:
        """Return the split that counts, and its faan (section 10)."""
        tiles = [*self.concealed, self.tile]
        if self.traditional and not self.melds and is_orphans(tiles):
            (pair,) = [tile for tile, count in Counter(tiles).items() if count == 2]
            return self.valued("thirteen_orphans", pair, [], self.elements(pair, [], orphans=True))
        found = []
        for pair, sets in splits(tiles):
            codes = self.elements(pair, sets)
            ordered = sorted((ORDER.index(low), kind == "chow") for kind, low in sets)
            key = (-self.worth(codes), ORDER.index(pair), ordered)
            found.append((key, pair, sets, codes))
        _, pair, sets, codes = min(found, key=lambda one: one[0])
        return self.valued("standard", pair, sets, codes)

    def worth(self, codes: list[str]) -> int:
        """Return the sum of faan before the cap."""
        return sum(2 if code in TWO_FAAN else 1 for code in codes)

    def valued(self, form: str, pair: str, sets: list[Set], codes: list[str]) -> dict[str, Any]:
        """Return a split and its faan as the evaluator writes them."""
        laid = [f"{m['kind']}:{min(m['tiles'], key=ORDER.index)}" for m in self.melds]
        own = sorted(sets, key=lambda one: (ORDER.index(one[1]), one[0] == "chow"))
        raw = self.worth(codes)
        faan = [{"code": code, "faan": 2 if code in TWO_FAAN else 1} for code in codes]
        return {
            "form": form,
            "decomposition": {
                "sets": laid + [f"{kind}:{low}" for kind, low in own],
                "pair": pair,
            },
            "faan": faan or [{"code": "CHICKEN", "faan": 0}],
            "raw": raw,
            "total": min(raw, self.config["faan_cap"]),
        }

    def elements(self, pair: str, sets: list[Set], *, orphans: bool = False) -> list[str]:
        """Return the codes of all that holds, in the order of the table (sections 8 and 9)."""
        if not self.traditional:
            last = ["LAST_TILE"] if self.win["last_tile"] else []
            return (["FORTUNE_TILE"] if self.tile == "F" else []) + last
        holds = self.by_circumstance()
        if orphans:
            holds.add("THIRTEEN_ORPHANS")
        else:
            every = [*self.declared(), *sets]
            holds |= self.by_honours(pair, every) | self.by_shape(pair, every)
        return [code for code in ROW if code in holds]

    def declared(self) -> list[Set]:
        """Return declared sets, kongs as triplets."""
        return [
            ("chow" if m["kind"] == "chow" else "pong", min(m["tiles"], key=ORDER.index))
            for m in self.melds
        ]

    def by_circumstance(self) -> set[str]:
        """Return what the winning tile is worth."""
        win = self.win
        return {
            code
            for code, holds in {
                "ROB_KONG": win["kind"] == "robbed_kong",
                "KONG_WIN": win["kong_chain"] == 1,
                "KONG_ON_KONG": win["kong_chain"] >= 2,
                "LAST_TILE": win["last_tile"],
                "HEAVENLY": win["heavenly"],
                "EARTHLY": win["earthly"],
            }.items()
            if holds
        }

    def by_honours(self, pair: str, sets: list[Set]) -> set[str]:
        """Return what triplets of honours are worth."""
        triplets = {low for kind, low in sets if kind == "pong"}
        holds = {f"DRAGON_{dragon}" for dragon in DRAGONS if dragon in triplets}
        if self.round == self.seat:
            holds |= {"DOUBLE_WIND"} if self.seat in triplets else set()
        else:
            holds |= {"ROUND_WIND"} if self.round in triplets else set()
            holds |= {"SEAT_WIND"} if self.seat in triplets else set()
        for name, family in (("DRAGONS", DRAGONS), ("WINDS", WINDS)):
            have = [tile for tile in family if tile in triplets]
            if len(have) == len(family):
                holds.add(f"BIG_{name}")
            elif len(have) == len(family) - 1 and pair in family:
                holds.add(f"LITTLE_{name}")
        return holds

    def by_shape(self, pair: str, sets: list[Set]) -> set[str]:
        """Return what the kinds of sets and of tiles are worth."""
        kinds = {kind for kind, _ in sets}
        suits = {tile[1] for tile in self.all_tiles if tile not in HONOURS}
        honours = any(tile in HONOURS for tile in self.all_tiles)
        worthless = pair not in (*DRAGONS, self.round, self.seat)
        plain = kinds == {"chow"} and worthless
        half = len(suits) == 1 and honours
        holds = set()
        if plain and half:
            holds.add("HALF_FLUSH_PLAIN")
        elif plain or half:
            holds.add("PLAIN" if plain else "HALF_FLUSH")
        if kinds == {"pong"}:
            nothing_open = not any(meld["open"] for meld in self.melds)
            drawn = self.win["kind"] == "self_draw" or not self.config["kankan_self_draw_only"]
            holds.add("CONCEALED_TRIPLETS" if nothing_open and drawn else "ALL_TRIPLETS")
        if len(suits) == 1 and not honours:
            holds.add("FULL_FLUSH")
        if not suits:
            holds.add("ALL_HONOURS")
        elif set(self.all_tiles) <= set(TERMINALS):
            holds.add("ALL_TERMINALS")
        if suits and honours and self.is_mixed(pair, sets):
            holds.add("MIXED_TERMINALS")
        return holds

    def is_mixed(self, pair: str, sets: list[Set]) -> bool:
        """Return whether all is terminals and honours, by tiles or set by set."""
        if self.config["mixed_terminals"] == "tiles":
            return set(self.all_tiles) <= {*TERMINALS, *HONOURS}
        parts = [chow_of(low) if kind == "chow" else [low] for kind, low in sets] + [[pair]]
        return all(set(part) & {*TERMINALS, *HONOURS} for part in parts)

    # Liability

    def liability(self, codes: list[str]) -> dict[str, Any]:
        """Return who must pay for everybody (11.4)."""
        rules = self.traditional_rules(codes) if self.traditional else self.simplified_rules()
        exempted = self.exemptions(codes) if rules else []
        left = rules if not exempted else []
        if exempted == ["EXM-T10"] and not self.config["live_honour_exempts_big_hands"]:
            left = [rule for rule in rules if rule == "LIA-T3"]
        liable = None
        if left:
            liable = self.melds[-1]["from"] if left == ["LIA-T2"] else self.win["from"]
        return {"liable": liable, "rules": rules, "exempted_by": exempted}

    def traditional_rules(self, codes: list[str]) -> list[str]:
        """Return the rules of the traditional game that hold."""
        fed = self.win["kind"] in ("discard", "robbed_kong")
        landed = [m for m in self.melds if m["open"] or self.config["concealed_kong_landed"]]
        turns = self.facts.get("turns_since_fourth_meld")
        dragons = sum(m["tiles"][0] in DRAGONS for m in landed)
        winds = sum(m["tiles"][0] in WINDS for m in landed)
        late = turns is not None and turns <= 1
        twelve = len(landed) == 4 and late and self.melds[-1]["from"] is not None
        return [
            rule
            for rule, holds in {
                "LIA-T1": fed and "FULL_FLUSH" in codes and len(landed) >= 3,
                "LIA-T2": self.win["kind"] == "self_draw" and "FULL_FLUSH" in codes and twelve,
                "LIA-T3": fed
                and (
                    ("BIG_DRAGONS" in codes and dragons >= 2)
                    or ("BIG_WINDS" in codes and winds >= 3)
                ),
                "LIA-T4": self.keeps_dead(HONOURS),
                "LIA-T5": self.breaks_triplet()
                and (
                    self.config["break_triplet_liable_when_ready"]
                    or not self.ready_without(self.tile)
                ),
                "LIA-T6": self.not_called(),
            }.items()
            if holds
        ]

    def simplified_rules(self) -> list[str]:
        """Return the rules of the simplified game that hold."""
        rules = ["LIA-S1"] if self.keeps_dead(["F"]) else []
        return rules + (["LIA-S2"] if self.not_called() and self.breaks_triplet() else [])

    @property
    def held(self) -> list[str] | None:
        """Return what the discarder had concealed, if he discarded and it is known."""
        known: list[str] | None = self.facts.get("discarder_concealed")
        return known if self.win["kind"] == "discard" else None

    def keeps_dead(self, honours: list[str]) -> bool:
        """Return whether the discarder kept the last copy of an honour."""
        visible = self.facts.get("visible")
        if self.held is None or visible is None:
            return False
        dead = [tile for tile in honours if self.held.count(tile) == 1 and visible.count(tile) == 3]
        return bool(dead) and self.tile not in dead

    def breaks_triplet(self) -> bool:
        """Return whether the discarder had exactly three of the tile."""
        return self.held is not None and self.held.count(self.tile) == 3

    def ready_without(self, tile: str) -> bool:
        """Return whether the discarder is ready after discarding `tile`."""
        assert self.held is not None
        rest = list(self.held)
        rest.remove(tile)
        return is_ready(self.traditional, rest, self.facts.get("discarder_melds") or [])

    def not_called(self) -> bool:
        """Return whether a win or readiness was given up."""
        if self.held is None:
            return False
        if is_winning(self.traditional, self.held, len(self.facts.get("discarder_melds") or [])):
            return True
        otherwise = any(self.ready_without(u) for u in set(self.held) - {self.tile})
        return otherwise and not self.ready_without(self.tile)

    def exemptions(self, codes: list[str]) -> list[str]:
        """Return the exemptions that hold."""
        visible = self.facts.get("visible")
        known = self.win["kind"] == "discard" and visible is not None
        live = known and self.tile not in (visible or [])
        if not self.traditional:
            return ["EXM-S4"] if live and self.tile == "F" else []
        rules = ["EXM-T9"] if {"ALL_HONOURS", "ALL_TERMINALS"} & set(codes) else []
        return rules + (["EXM-T10"] if live and self.tile in HONOURS else [])

    # Money

    def others(self) -> list[str]:
        """Return the other seats, from the declaring one's right on."""
        place = self.seats.index(self.seat)
        return self.seats[place + 1 :] + self.seats[:place]

    def units(self, faan: int) -> int:
        """Return the money for so many faan."""
        units: list[int] = self.config["base_units"]
        return int(self.config["unit"]) * units[min(faan, len(units) - 1)]

    def share(self, seat: str, faan: int) -> int:
        """Return what a loser owes before limits."""
        if self.win["kind"] == "self_draw":
            name = "self_draw_multiplier"
        else:
            name = "discarder_multiplier" if seat == self.win["from"] else "other_multiplier"
        dealer = self.config["dealer_multiplier"] if "E" in (self.seat, seat) else 1
        return int(self.units(faan) * self.config[name] * dealer)

    def win_payments(self, faan: int, liable: str | None) -> list[dict[str, Any]]:
        """Return who pays for a win (11.2)."""
        shares = {seat: self.share(seat, faan) for seat in self.others()}
        capital = self.stakes[self.seat]
        total = self.config["win_limit"] == "total"
        if liable is not None:
            due = sum(shares.values())
            most = min(due, capital) if total else sum(min(s, capital) for s in shares.values())
            paid = {liable: min(most, self.stakes[liable])}
            owed = {liable: due}
        else:
            owed, paid = shares, {}
            first = [seat for seat in shares if seat == self.win["from"]]
            for seat in first + [seat for seat in shares if seat not in first]:
                left = capital - sum(paid.values()) if total else capital
                paid[seat] = min(shares[seat], self.stakes[seat], left)
        return [
            {"from": seat, "to": self.seat, "due": due, "paid": paid[seat]}
            for seat, due in owed.items()
            if due > 0
        ]

    def false_win_payments(self) -> list[dict[str, Any]]:
        """Return what a false win costs (11.3)."""
        left = self.stakes[self.seat]
        payments = []
        for seat in self.others():
            faan = 2 if self.traditional and "E" in (self.seat, seat) else 1
            due = self.units(faan) * self.config["false_win_multiplier"]
            paid = min(due, left)
            left -= paid
            if due:
                payments.append({"from": self.seat, "to": seat, "due": due, "paid": paid})
        return payments
