"""What is read out to the floor: said in both languages, and said of what was decided."""

import json
from pathlib import Path
from string import Formatter
from typing import Any

import pytest

from floorbook.games.game import Evaluated, Language, evaluate, explain
from floorbook.games.thirteen_cards import specials
from floorbook.games.thirteen_cards.config import Config
from floorbook.games.thirteen_cards.lanes import CLASSES
from floorbook.games.thirteen_cards.phrases import CHINESE, CHINESE_OF_VARIANTS, ENGLISH

VECTORS: dict[str, dict[str, Any]] = {
    vector["id"]: vector
    for vector in json.loads(
        (Path(__file__).parents[2] / "vectors" / "thirteen_cards.json").read_text()
    )
}
ROWS = (
    specials.no_arranging,
    specials.declare,
    specials.hundred_change,
    specials.shaoxing,
    specials.declare_2,
    specials.banker_xianggong,
    specials.four_player,
)


def read_out(vector: dict[str, Any], language: Language) -> list[str]:
    answer = evaluate(vector["rule_set"], "1", vector["input"])
    assert isinstance(answer, Evaluated)
    return explain(vector["rule_set"], vector["input"], answer, language)


def test_both_languages_can_say_the_same() -> None:
    for chinese in (CHINESE, CHINESE_OF_VARIANTS):
        assert set(chinese.sentences) == set(ENGLISH.sentences)
        for name, sentence in ENGLISH.sentences.items():
            assert places(chinese.sentences[name]) == places(sentence), name
        for names in ("lanes", "classes", "specials", "sides"):
            assert set(getattr(chinese, names)) == set(getattr(ENGLISH, names))


def places(sentence: str) -> set[str | None]:
    return {name for _, name, _, _ in Formatter().parse(sentence)} - {None}


def test_everything_a_result_can_hold_has_a_name() -> None:
    assert set(ENGLISH.classes) == set(CLASSES)
    known = {row.id for rows in ROWS for row in rows(Config())}
    official = {"dragon", "six_and_a_half_pairs", "three_flushes", "three_straights"}
    assert set(ENGLISH.specials) == known | official


@pytest.mark.parametrize("language", ["en", "zh-Hant"])
def test_every_answer_can_be_read_out(language: Language) -> None:
    for vector in VECTORS.values():
        if "error" not in vector["expected"]:
            lines = read_out(vector, language)
            assert lines, vector["id"]
            assert all(line and "{" not in line and "None" not in line for line in lines)


def test_a_settlement_is_read_out_in_order() -> None:
    assert read_out(VECTORS["of-set-02"], "en") == [
        "The banker's hand at gate 0 is in order. (Art.7)",
        "Gate 1, front lane: the player has a high card (AJ5), the banker a high card (KQ9);"
        " the player wins 1 unit.",
        "Gate 1, middle lane: the player has one pair (KT662), the banker one pair (AJ884);"
        " the banker wins 1 unit.",
        "Gate 1, back lane: the player has two pairs (QQ993), the banker three of a kind (77732);"
        " the banker wins 1 unit.",
        "Gate 1 loses with 1 unit against 2 units."
        " (Art.7, Art.9-II.10, Art.6, Art.9-II.9, Art.9-II.7, Art.8)",
        "Bet b1 on gate 1: the stake of 100 is lost. (Art.11)",
        "The banker wins 100 in all.",
    ]


def test_the_same_settlement_in_chinese() -> None:
    lines = read_out(VECTORS["of-set-02"], "zh-Hant")
    assert lines[1] == "1號門頭道：閒家大牌（AJ5），莊家大牌（KQ9），閒家勝，得1注。"
    assert lines[-1] == "莊家共贏100。"


def test_amounts_are_written_as_the_table_writes_them() -> None:
    vector = VECTORS["of-pay-20"]
    answer = evaluate("thirteen_cards", "1", vector["input"])
    assert isinstance(answer, Evaluated)
    lines = explain("thirteen_cards", vector["input"], answer, "en", lambda minor: f"MOP {minor}")
    assert "MOP 200" in lines[0]


@pytest.mark.parametrize(
    ("vector", "line"),
    [
        ("of-set-65", "Gate 1 was not arranged in time and loses. (Art.2(d), TC-11, TC-34)"),
        (
            "of-set-56",
            "Gate 1 loses to the banker's fixed combination, six and a half pairs."
            " (Art.7, TC-16, Art.9-I)",
        ),
        ("fp-40", "Gate 0 wins 24 units: 240 less a service fee of 9 is 231."),
        ("of-hold-07", "Gate 3 is held by the dealer."),
    ],
)
def test_what_decided_is_said(vector: str, line: str) -> None:
    assert line in read_out(VECTORS[vector], "en")
