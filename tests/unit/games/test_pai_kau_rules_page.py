"""That the page of the rules has everything that the code refers to, and its tables are the code's."""

import re
from pathlib import Path

from floorbook.games.pai_kau.config import FLAGS
from floorbook.games.pai_kau.operations import operations
from floorbook.games.pai_kau.ranking import pairs
from floorbook.games.pai_kau.tiles import INDEX_OF, POINTS_OF, TABLE_I

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "rules" / "pai-kau.md").read_text(encoding="utf-8")
PACKAGE = ROOT / "services" / "floorbook"
CODE = "\n".join(
    file.read_text(encoding="utf-8")
    for file in sorted(PACKAGE.rglob("*.py"))
    if "pai_kau" in file.as_posix()
)


def test_every_ruling_has_its_line() -> None:
    lines = re.findall(r"^\| (PK-\d\d) \|", PAGE, re.MULTILINE)
    assert lines == [f"PK-{number:02}" for number in range(1, 54)]


def test_whatever_the_code_cites_is_on_the_page() -> None:
    cited = set(re.findall(r'"((?:PK-\d\d)|(?:A\d(?:\.\d)?))"', CODE))
    assert len(cited) > 40
    assert not {cite for cite in cited if not re.search(rf"\b{re.escape(cite)}\b", PAGE)}


def test_every_flag_with_its_values_and_every_operation_is_on_the_page() -> None:
    for flag, values in FLAGS.items():
        assert f"| `{flag}` | {', '.join(f'`{value}`' for value in values)} |" in PAGE
        assert f"`{flag}` {', '.join(values)} |" in PAGE, "beside the ruling"
    assert not {name for name in operations() if f"| `{name}` |" not in PAGE}


def test_every_code_of_a_refusal_is_on_the_page() -> None:
    reading = (PACKAGE / "games" / "pai_kau" / "reading.py").read_text(encoding="utf-8")
    codes = set(re.findall(r'"([A-Z]+_[A-Z_]+)"', reading))
    assert codes
    assert not {code for code in codes if f"`{code}`" not in PAGE}


def test_the_tiles_are_the_codes() -> None:
    row = re.compile(
        r"^\| (\d+) \| `(\w+)` \| ([\d ]+) \| [A-Za-z -]+ ([^ |]+)(?: \(.*\))? \| (\d) \|$"
    )
    found = [match.groups() for line in PAGE.splitlines() if (match := row.match(line))]
    assert found == [
        (str(rank), group, " ".join(tiles), name, str(POINTS_OF[tiles[0]]))
        for rank, (group, name, tiles) in enumerate(TABLE_I, start=1)
    ]


def test_every_rank_is_on_the_page_in_order_with_its_tiles() -> None:
    """Read as a person would: any tile before the plus with any behind it."""
    table = PAGE.partition("| | ranks |\n| --- | --- |\n")[2].partition("\n\n")[0]
    ranks = [
        cell.split(" ")
        for line in table.splitlines()
        for cell in line.split("|")[2].strip().split(" · ")
    ]
    by_order = {pair.order: pair for pair in pairs().values()}
    assert [[label, name] for label, name, _ in ranks] == [
        [by_order[order].label, by_order[order].name_zh] for order in range(1, 119)
    ]
    for order, (_, _, tiles) in enumerate(ranks, start=1):
        ones, others = (part.split("/") for part in tiles.split("+"))
        listed = {
            tuple(sorted((one, other), key=INDEX_OF.__getitem__))
            for one in ones
            for other in others
        }
        assert listed == {pair.tiles for pair in pairs().values() if pair.order == order}
