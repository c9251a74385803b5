"""That the page of the rules has everything that the code refers to."""

import re
from pathlib import Path

from floorbook.games import thirteen_cards
from floorbook.games.thirteen_cards.config import FLAGS

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "rules" / "thirteen-cards.md").read_text(encoding="utf-8")
CODE = "\n".join(
    file.read_text(encoding="utf-8")
    for file in sorted((ROOT / "services" / "floorbook").rglob("*.py"))
    if "thirteen_cards" in file.as_posix()
)


def test_every_ruling_has_its_line() -> None:
    lines = re.findall(r"^\| (T[CV]-\d\d) \|", PAGE, re.MULTILINE)
    assert lines == [
        *(f"TC-{number:02}" for number in range(1, 52)),
        *(f"TV-{number:02}" for number in range(1, 63)),
    ]


def test_whatever_the_code_cites_is_on_the_page() -> None:
    cited = set(re.findall(r"\b(?:T[CV]-\d\d|ENC-\w)\b", CODE))
    ranges = {f"ENC-{number}" for number in range(1, 8)}
    assert not {cite for cite in cited - ranges if cite not in PAGE}


def test_every_flag_operation_and_rule_set_is_on_the_page() -> None:
    names = {flag for flags in FLAGS.values() for flag in flags}
    for rule_set in thirteen_cards.rule_sets():
        names |= {rule_set.id, *rule_set.operations["1"]}
    assert not {name for name in names if f"`{name}`" not in PAGE}


def test_every_code_of_a_refusal_is_on_the_page() -> None:
    reading = ROOT / "services" / "floorbook" / "games" / "thirteen_cards" / "reading.py"
    codes = set(re.findall(r'"([A-Z]+_[A-Z_]+)"', reading.read_text(encoding="utf-8")))
    assert codes
    assert not {code for code in codes if f"`{code}`" not in PAGE}
