"""Every expression on the floor's page finds what exists, and the page answers its five questions."""

import re

from tests.unit import expressions
from tests.unit.expressions import PROMETHEUS

PAGE = (PROMETHEUS / "consoles" / "floor.html").read_text(encoding="utf-8")
QUERIES = dict(re.findall(r"\{\{ \$(\w+) := query `([^`]*)` \}\}", PAGE))
QUESTIONS = (
    "Is the floor being paid?",
    "Which table is late?",
    "Is any money unbalanced?",
    "Which device is silent?",
    "Is anything stuck?",
)


def test_every_expression_finds_what_exists() -> None:
    assert len(QUERIES) == PAGE.count("query ")
    # What Prometheus itself says of alerts is no metric of ours.
    asked = {
        name: text for name, text in QUERIES.items() if not text.startswith("sort_desc(ALERTS")
    }
    assert len(asked) == len(QUERIES) - 1
    found = {name: expressions.faults(text) for name, text in asked.items()}
    assert {name: faults for name, faults in found.items() if faults} == {}


def test_everything_asked_is_shown() -> None:
    for name in QUERIES:
        assert len(re.findall(rf"\${name}\b", PAGE)) > 1, name


def test_a_label_that_is_shown_is_one_that_its_answer_has() -> None:
    for name, inside in re.findall(r"\{\{ range \$number, \$each := \$(\w+) \}\}(.*)", PAGE):
        if name != "alerts":
            shown = set(re.findall(r"\$each\.Labels\.(\w+)", inside))
            assert shown
            assert shown <= expressions.labels_of_result(QUERIES[name])


def test_each_question_is_answered_and_what_is_not_known_is_not_called_well() -> None:
    for question in QUESTIONS:
        answers = re.findall(rf'args "(\w*)" "{re.escape(question)}" "([^"]+)"', PAGE)
        assert {kind for kind, _ in answers} >= {"good", "bad", ""}, question
        assert ("", "Unknown") in answers, question


def test_silence_is_what_the_alert_calls_so() -> None:
    (limit,) = re.findall(r"> (\d+)$", expressions.alerts()["DeviceSilent"]["expr"])
    assert re.findall(r"> (\d+)\)$", QUERIES["silent"]) == [limit]
