"""What is read out to the floor: said in both languages, and said of what was decided."""

from string import Formatter
from typing import Any

import pytest

from floorbook.games.game import Evaluated, Language, evaluate, explain
from floorbook.games.mahjong.articles import TEXTS
from floorbook.games.mahjong.cites import ERROR_CITES
from floorbook.games.mahjong.patterns import (
    CHICKEN,
    ORPHANS_PATTERNS,
    SIMPLIFIED_PATTERNS,
    TRADITIONAL_PATTERNS,
)
from floorbook.games.mahjong.phrases import CHINESE, ENGLISH
from floorbook.games.mahjong.settle import FAULT_CITES, LIABILITY_CITES

from .test_mahjong_vectors import VECTORS

BY_ID = {vector["id"]: vector for vector in VECTORS}


def answered(vector: dict[str, Any]) -> tuple[dict[str, Any], Evaluated]:
    request = {"op": vector["op"], **vector["input"]}
    answer = evaluate(vector["rule_set"], "1", request)
    assert isinstance(answer, Evaluated)
    return request, answer


def read_out(vector_id: str, language: Language) -> list[str]:
    request, answer = answered(BY_ID[vector_id])
    return explain(BY_ID[vector_id]["rule_set"], request, answer, language)


def places(sentence: str) -> set[str | None]:
    return {name for _, name, _, _ in Formatter().parse(sentence)} - {None}


def test_both_languages_can_say_the_same() -> None:
    assert set(CHINESE.sentences) == set(ENGLISH.sentences)
    for name, sentence in ENGLISH.sentences.items():
        # A pattern comes with its Chinese name; English needs its own beside it.
        assert places(CHINESE.sentences[name]) == places(sentence) - {"pattern"}, name
    for names in ("seats", "tiles", "suits", "sets", "reasons", "rules"):
        assert set(getattr(CHINESE, names)) == set(getattr(ENGLISH, names))


@pytest.mark.parametrize("language", ["en", "zh-Hant"])
def test_every_answer_can_be_read_out_with_every_rule_once(language: Language) -> None:
    for vector in VECTORS:
        request, answer = answered(vector)
        lines = explain(vector["rule_set"], request, answer, language)
        assert lines, vector["id"]
        assert all(line and "{" not in line and "None" not in line for line in lines)
        said = "\n".join(lines)
        for cite in answer.explanation:
            assert cite in said, (vector["id"], cite)


def test_a_win_is_read_out_in_order() -> None:
    assert read_out("T-LOG-013", "en") == [
        "South wins, self-drawn on 2 bamboo. (RULE-FACTS, RULE-STATUS, RULE-WINSHAPE)",
        "The hand: chow from 1 bamboo, triplet of 5 bamboo, chow from 7 bamboo,"
        " triplet of 6 bamboo; pair of 2 bamboo. (MJ-01, RULE-BEST)",
        "full flush (清一色): 2 faan. (FULL_FLUSH)",
        "Together 2 faan. (FAAN-SUM)",
        "Reason to pay for everybody: fed the fourth set of a full flush that was self-drawn"
        " within a go-round. (LIA-T2, MJ-38, MJ-40)",
        "West pays for everybody.",
        "These payments follow the house's table of units and multipliers."
        " (PAY-BASE, MJ-32, PAY-LIABLE, MJ-37)",
        "West pays South 24.",
        "Over the hand East neither gains nor loses.",
        "Over the hand South gains 24.",
        "Over the hand West loses 24.",
        "Over the hand North neither gains nor loses.",
    ]


def test_a_false_win_is_read_out_in_chinese() -> None:
    assert read_out("T-LOG-031", "zh-Hant")[:3] == [
        "北家食詐糊：不成糊牌。（RULE-FACTS, RULE-STATUS, RULE-WINSHAPE, RULE-SETS, MJ-48, MJ-31）",
        "賠付按本枱之單位及倍數表。（FALSE-T8, MJ-49）",
        "北家賠東家8。",
    ]


def test_an_answer_says_what_its_rules_mean() -> None:
    for vector in VECTORS:
        if vector["op"] != "win":
            continue
        _, answer = answered(vector)
        assert [each["id"] for each in answer.result["explain"]] == list(answer.explanation)
        assert all(each["text"] for each in answer.result["explain"])


def test_every_rule_of_a_settlement_has_its_words() -> None:
    patterns = (*TRADITIONAL_PATTERNS, *ORPHANS_PATTERNS, *SIMPLIFIED_PATTERNS, CHICKEN)
    tables = (FAULT_CITES, LIABILITY_CITES, ERROR_CITES)
    cited = {cite for table in tables for cites in table.values() for cite in cites}
    cited |= {cite for pattern in patterns for cite in pattern.cites}
    assert cited | set(LIABILITY_CITES) <= set(TEXTS)


def test_amounts_are_written_as_the_table_writes_them() -> None:
    request, answer = answered(BY_ID["T-PAY-013"])
    lines = explain("mahjong.traditional", request, answer, "en", lambda units: f"MOP {units}.00")
    assert "North owes South MOP 8.00 and pays MOP 5.00: that is as far as stakes go." in lines
