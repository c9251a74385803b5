"""That the page of the rules has everything that the code refers to."""

import re
from pathlib import Path

from floorbook.games import mahjong
from floorbook.games.mahjong.articles import TEXTS
from floorbook.games.mahjong.cites import REFUSAL_CITES
from floorbook.games.mahjong.config import Config
from floorbook.games.mahjong.patterns import (
    CHICKEN,
    ORPHANS_PATTERNS,
    SIMPLIFIED_PATTERNS,
    TRADITIONAL_PATTERNS,
)
from floorbook.games.mahjong.tiles import CODES

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "rules" / "mahjong.md").read_text(encoding="utf-8")
CODE = {
    file.name: file.read_text(encoding="utf-8")
    for file in sorted((ROOT / "services" / "floorbook").rglob("*.py"))
    if "mahjong" in file.as_posix()
}


def test_every_ruling_has_its_line() -> None:
    lines = re.findall(r"^\| (MJ-\d\d) \|", PAGE, re.MULTILINE)
    assert lines == [f"MJ-{number:02}" for number in range(1, 64)]


def test_whatever_the_code_cites_is_on_the_page() -> None:
    words = r"\b(?:MJ-\d\d|(?:RULE|PAY|FALSE|PEN|LIA|EXM|FAAN)-[A-Z0-9]+|WAITS|SHANTEN)\b"
    cited = {cite for text in CODE.values() for cite in re.findall(words, text)} | set(TEXTS)
    assert len(cited) > 100
    assert not {cite for cite in cited if cite not in PAGE}


def test_every_element_has_its_line() -> None:
    patterns = (*TRADITIONAL_PATTERNS, *ORPHANS_PATTERNS, *SIMPLIFIED_PATTERNS, CHICKEN)
    assert not {one.code for one in patterns if f"`{one.code}`" not in PAGE}


def test_every_flag_operation_reason_and_rule_set_is_on_the_page() -> None:
    names = {*Config.__struct_fields__, *REFUSAL_CITES, *CODES[-7:]}
    for rule_set in mahjong.rule_sets():
        names |= {rule_set.id, *rule_set.operations["1"]}
    assert not {name for name in names if f"`{name}`" not in PAGE}


def test_every_code_of_a_refusal_is_on_the_page() -> None:
    read = ("reading.py", "reading_play.py", "operations.py", "config.py")
    codes = {code for name in read for code in re.findall(r'"([A-Z]+_[A-Z_]+)"', CODE[name])}
    assert len(codes) > 10
    assert not {code for code in codes if f"`{code}`" not in PAGE}
