"""What is read out to the floor: said in both languages, and said of what was decided."""

import json
from pathlib import Path
from string import Formatter
from typing import Any

import pytest

from floorbook.games.game import Evaluated, Language, evaluate, explain
from floorbook.games.pai_kau.phrases import CHINESE, ENGLISH

VECTORS: dict[str, dict[str, Any]] = {
    vector["id"]: vector
    for vector in json.loads((Path(__file__).parents[2] / "vectors" / "pai_kau.json").read_text())[
        "vectors"
    ]
}


def read_out(vector: str, language: Language) -> list[str]:
    request = VECTORS[vector]["input"]
    answer = evaluate("pai_kau", "1", request)
    assert isinstance(answer, Evaluated)
    return explain("pai_kau", request, answer, language)


def places(sentence: str) -> set[str | None]:
    return {name for _, name, _, _ in Formatter().parse(sentence)} - {None}


def test_both_languages_can_say_the_same() -> None:
    assert set(CHINESE.sentences) == set(ENGLISH.sentences)
    for name, sentence in ENGLISH.sentences.items():
        assert places(CHINESE.sentences[name]) == places(sentence), name
    for names in ("lanes", "sides", "resets"):
        assert set(getattr(CHINESE, names)) == set(getattr(ENGLISH, names))


@pytest.mark.parametrize("language", ["en", "zh-Hant"])
def test_every_answer_can_be_read_out(language: Language) -> None:
    for vector in VECTORS.values():
        if "error" not in vector["expected"]:
            lines = read_out(vector["id"], language)
            assert lines, vector["id"]
            assert all(line and "{" not in line and "None" not in line for line in lines)


def test_everything_a_settlement_cites_is_read_out() -> None:
    for vector in VECTORS.values():
        if vector["input"]["op"] != "settle_round" or "error" in vector["expected"]:
            continue
        said = "\n".join(read_out(vector["id"], "en"))
        for cite in vector["expected"]["explanation"]:
            assert cite in said, (vector["id"], cite)


def test_a_settlement_is_read_out_in_order() -> None:
    assert read_out("pk-149", "en") == [
        "The dice show 6: gate 2 is dealt first, gate 2 is the head gate. (A2.2, PK-17)",
        "Gates are dealt in the order 2, 3, 4, 1 and settled in the order 2, 3, 4. (A2.3, PK-20)",
        "Four gates were dealt; the 16 tiles left over are for the next round. (A2.4, PK-33)",
        "The banker at gate 1 has in front Red Head seven (紅頭七, row 46)"
        " and behind Long Gown pair (長衫寶, row 7).",
        "Gate 2 is held by ann. (A3.2, PK-34)",
        "Gate 2, front pair: the player has Heaven eight (天牌八, row 30),"
        " the banker Red Head seven (紅頭七, row 46); the player wins.",
        "Gate 2, back pair: the player has Man pair (人牌寶, row 4),"
        " the banker Long Gown pair (長衫寶, row 7); the player wins.",
        "Gate 2 wins. (A9.2, A6.3)",
        "Gate 3 is held by bob. (A3.2, PK-34)",
        "Gate 3, front pair: the player has Goose four (娥牌四, row 69),"
        " the banker Red Head seven (紅頭七, row 46); the banker wins.",
        "Gate 3, back pair: the player has Plum seven (梅牌七, row 42),"
        " the banker Long Gown pair (長衫寶, row 7); the banker wins.",
        "Gate 3 loses. (A6.3)",
        "Gate 4 is held by cat. (A3.2, PK-34)",
        "Gate 4, front pair: the player has Bench nine (板凳九, row 26),"
        " the banker Red Head seven (紅頭七, row 46); the player wins.",
        "Gate 4, back pair: the player has Heaven-Nine King (天九皇, row 17),"
        " the banker Long Gown pair (長衫寶, row 7); the banker wins.",
        "Gate 4 is a push. (A6.3)",
        "Bet of ann on gate 2: 1,000, number 1, wins 1,000, commission 50;"
        " 1,950 goes to the player. (A2.3, PK-44, A8, PK-29)",
        "Of this, main banker bank pays 1,000.",
        "Bet of bob on gate 3: 2,000, number 2, loses 2,000; 0 goes back. (A2.3)",
        "Of this, main banker bank takes 2,000.",
        "Bet of cat on gate 4: a push, 500 goes back. (A6.3)",
        "Over the round main banker bank, stake 10,000, takes 2,000 and pays 1,000, commission 50;"
        " 10,950 is left. (A5.3, A8, PK-29)",
        "The house takes a commission of 100. (A8)",
        "The banker's next stake is at least 10,950. (A5.4, PK-31)",
    ]


@pytest.mark.parametrize(
    ("vector", "language", "line"),
    [
        (
            "pk-199",
            "en",
            "The croupier set the hand at gate 2:"
            " the back pair was smaller than the front pair. (A6.2, PK-12)",
        ),
        ("pk-199", "zh-Hant", "2號門由荷官代擺：後對細過前對。（A6.2、PK-12）"),
        (
            "pk-149",
            "zh-Hant",
            "2號門前對：閒家天牌八（表二第30項），庄家紅頭七（表二第46項），閒家勝。",
        ),
        ("pk-149", "zh-Hant", "其中正庄bank賠1,000。"),
        ("pk-159", "en", "The stakes covered 599 of 600; 1 was not in play."),
        (
            "pk-153",
            "en",
            "Void throws before the valid one: 1; all four dice were thrown again. (A2.5, PK-18)",
        ),
        ("pk-190", "en", "Of this, co-bank HOUSE takes 400."),
        ("pk-226", "en", "A stake of 0 is too low: the least is 1. (A5.4, PK-31)"),
        ("pk-237", "zh-Hant", "無人做庄，不派牌。（A5.1、A5.2、PK-38、PK-53、PK-46）"),
    ],
)
def test_what_decided_is_said(vector: str, language: Language, line: str) -> None:
    assert line in read_out(vector, language)


def test_a_deal_says_nothing_of_the_tiles_left_over() -> None:
    wall = VECTORS["pk-114"]["input"]["wall"]
    said = "\n".join(read_out("pk-114", "en"))
    dealt = [tile for tile in said.split() if tile.strip(".") in wall]
    assert len(dealt) == 16


def test_amounts_are_written_as_the_table_writes_them() -> None:
    request = VECTORS["pk-149"]["input"]
    answer = evaluate("pai_kau", "1", request)
    assert isinstance(answer, Evaluated)
    lines = explain("pai_kau", request, answer, "en", lambda minor: f"MOP {minor}")
    assert "The house takes a commission of MOP 100. (A8)" in lines
