"""How the floor says what the rules decide, in English and in the ordinance's Chinese."""

from collections.abc import Mapping
from typing import Any

import msgspec


class Phrases(msgspec.Struct, frozen=True):
    """One language: names of what results hold, and sentences with places for them."""

    pair: str  # a pair by its name and its row
    lanes: Mapping[str, str]
    sides: Mapping[str, str]
    resets: Mapping[str, str]
    sentences: Mapping[str, str]
    cites: str
    list_separator: str


# English names of groups; Chinese ones come with every pair.
TILES: Mapping[str, str] = {
    "TIN": "Heaven",
    "DEI": "Earth",
    "YAN": "Man",
    "NGO": "Goose",
    "MUI": "Plum",
    "CHS": "Long Gown",
    "BAN": "Bench",
    "FU": "Axe",
    "HUNG": "Red Head",
    "GOK": "High-Leg Seven",
    "LING": "Ling-Lam Six",
    "C9": "Mixed Nine",
    "C8": "Mixed Eight",
    "C7": "Mixed Seven",
    "C5": "Mixed Five",
}
# Rows that are not named after the high tile, as in Chinese (PK-05, PK-06).
_ODD_ROWS: Mapping[str, str] = {
    "37": "Mixed eight",
    "47": "Mixed seven",
    "56": "Mixed six",
    "105": "Mixed Five one",
}
_POINTS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")


def english_name(pair: Mapping[str, Any]) -> str:
    """Return the English name of a pair of a result."""
    match pair["kind"]:
        case "supreme":
            return "Supreme pair"
        case "pair":
            return f"{TILES[pair['high_tile']]} pair"
        case "tin-gau-wong":
            return "Heaven-Nine King"
        case "gong":
            return f"{TILES[pair['high_tile']]} gong"
    odd = _ODD_ROWS.get(pair["label"])
    return odd or f"{TILES[pair['high_tile']]} {_POINTS[pair['points']]}"


ENGLISH = Phrases(
    pair="{english} ({chinese}, row {row})",
    lanes={"front": "front pair", "back": "back pair"},
    sides={"player": "the player wins", "banker": "the banker wins", "tie": "a tie"},
    resets={
        "not_set": "it was not set",
        "back_smaller": "the back pair was smaller than the front pair",
        "back_not_maximal": "a larger back pair was possible",
    },
    sentences={
        "void_throws": "Void throws before the valid one: {count}; all four dice were thrown again.",
        "dice": "The dice show {total}: gate {first} is dealt first, gate {head} is the head gate.",
        "dealt_first": "The dice show {total}: gate {first} is dealt first.",
        "order": "Gates are dealt in the order {dealt} and settled in the order {settled}.",
        "four_gates": "Four gates were dealt; the {left} tiles left over are for the next round.",
        "four_gates_second": "Four gates were dealt from the tiles left over; all are shuffled next.",
        "banker_hand": "The banker at gate {gate} has in front {front} and behind {back}.",
        "reset": "The croupier set the hand at gate {gate}: {why}.",
        "held": "Gate {gate} is held by {holder}.",
        "not_held": "Nobody bets on gate {gate}.",
        "met": "Gate {gate}, {lane}: the player has {player}, the banker {banker}; {winner}.",
        "gate_player": "Gate {gate} wins.",
        "gate_banker": "Gate {gate} loses.",
        "gate_push": "Gate {gate} is a push.",
        "bet_push": "Bet of {player} on gate {gate}: a push, {amount} goes back.",
        "bet_player": "Bet of {player} on gate {gate}: {amount}, number {seq}, wins {won}, commission {commission}; {received} goes to the player.",
        "bet_banker": "Bet of {player} on gate {gate}: {amount}, number {seq}, loses {lost}; {returned} goes back.",
        "paid_by": "Of this, {bank} pays {amount}.",
        "taken_by": "Of this, {bank} takes {amount}.",
        "uncovered": "The stakes covered {covered} of {amount}; {left} was not in play.",
        "bank": "Over the round {bank}, stake {stake}, takes {won} and pays {lost}, commission {commission}; {remaining} is left.",
        "main": "main banker {id}",
        "cobank": "co-bank {id}",
        "house_commission": "The house takes a commission of {amount}.",
        "house_cobanks_won": "The house's co-banks win {amount}.",
        "house_cobanks_lost": "The house's co-banks lose {amount}.",
        "next_stake": "The banker's next stake is at least {amount}.",
        "ranked": "{tiles} is {pair}, number {order} in the order of pairs.",
        "compared": "{a} meets {b}: {winner}.",
        "a": "the first is larger",
        "b": "the second is larger",
        "tie": "they tie",
        "dealt": "Gate {gate} gets {tiles}.",
        "split": "Possible: in front {front}, behind {back}.",
        "set": "The hand is in front {front} and behind {back}.",
        "set_again": "The croupier set it: {why}.",
        "hands": "Front: {front}; back: {back}.",
        "hand_player": "The player's hand wins.",
        "hand_banker": "The banker's hand wins.",
        "hand_push": "The hands are a push.",
        "stake_allowed": "A stake of {amount} stands: it is not below {minimum}.",
        "stake_too_low": "A stake of {amount} is too low: the least is {minimum}.",
        "turn_goes_on": "After {rounds} rounds the banker may bank once more.",
        "turn_over": "After {rounds} rounds the bank goes on: not everybody agreed to one more.",
        "banks_next": "The bank goes to {player} at gate {gate}.",
        "nobody_banks": "Nobody takes the bank; no round is dealt.",
    },
    cites=" ({})",
    list_separator=", ",
)

CHINESE = Phrases(
    pair="{chinese}（表二第{row}項）",
    lanes={"front": "前對", "back": "後對"},
    sides={"player": "閒家勝", "banker": "庄家勝", "tie": "和"},
    resets={
        "not_set": "未有擺牌",
        "back_smaller": "後對細過前對",
        "back_not_maximal": "後對未有擺到最大",
    },
    sentences={
        "void_throws": "有效一擲之前有{count}擲作廢（翹骰或跌盅外），四粒骰全部再搖。",
        "dice": "骰子共{total}點：由{first}號門起派牌，{head}號門為頭門。",
        "dealt_first": "骰子共{total}點：由{first}號門起派牌。",
        "order": "派牌次序為{dealt}，殺賠次序為{settled}。",
        "four_gates": "派四門；餘下{left}隻牌留作下一局使用。",
        "four_gates_second": "以餘下的牌派四門；下一局全部重新洗牌。",
        "banker_hand": "庄家（{gate}號門）前對為{front}，後對為{back}。",
        "reset": "{gate}號門由荷官代擺：{why}。",
        "held": "{gate}號門由{holder}持牌。",
        "not_held": "{gate}號門無人下注。",
        "met": "{gate}號門{lane}：閒家{player}，庄家{banker}，{winner}。",
        "gate_player": "{gate}號門贏。",
        "gate_banker": "{gate}號門輸。",
        "gate_push": "{gate}號門和。",
        "bet_push": "{player}在{gate}號門的注：和局，退回{amount}。",
        "bet_player": "{player}在{gate}號門的注：{amount}，第{seq}注，彩金{won}，抽水{commission}，共取回{received}。",
        "bet_banker": "{player}在{gate}號門的注：{amount}，第{seq}注，輸去{lost}，退回{returned}。",
        "paid_by": "其中{bank}賠{amount}。",
        "taken_by": "其中{bank}殺{amount}。",
        "uncovered": "賭注只足以應付{amount}中的{covered}；其餘{left}不計輸贏。",
        "bank": "{bank}，賭注{stake}：殺{won}，賠{lost}，抽水{commission}，餘下{remaining}。",
        "main": "正庄{id}",
        "cobank": "幫庄{id}",
        "house_commission": "場方抽水{amount}。",
        "house_cobanks_won": "場方幫庄贏{amount}。",
        "house_cobanks_lost": "場方幫庄輸{amount}。",
        "next_stake": "庄家下一局的賭注不得少於{amount}。",
        "ranked": "{tiles}為{pair}，大小排第{order}。",
        "compared": "{a}對{b}：{winner}。",
        "a": "前者大",
        "b": "後者大",
        "tie": "和",
        "dealt": "{gate}號門派得{tiles}。",
        "split": "可擺：前對{front}，後對{back}。",
        "set": "前對為{front}，後對為{back}。",
        "set_again": "由荷官代擺：{why}。",
        "hands": "前對：{front}；後對：{back}。",
        "hand_player": "閒家勝。",
        "hand_banker": "庄家勝。",
        "hand_push": "和局。",
        "stake_allowed": "賭注{amount}有效，不少於{minimum}。",
        "stake_too_low": "賭注{amount}不足，不得少於{minimum}。",
        "turn_goes_on": "已做庄{rounds}局，可再做一局。",
        "turn_over": "已做庄{rounds}局，未得各門客人同意，須關庄。",
        "banks_next": "由{gate}號門{player}做庄。",
        "nobody_banks": "無人做庄，不派牌。",
    },
    cites="（{}）",
    list_separator="、",
)
