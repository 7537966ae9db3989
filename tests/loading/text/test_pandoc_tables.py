"""Tables of Pandoc in Markdown."""

from __future__ import annotations

import pytest

from chunking.loading import from_text
from tests.loading.checks import check_document, shapes

GRID = "+------+-------+\n| Leaf | Price |\n+======+=======+\n| - a  | 2     |\n| - b  |       |\n+------+-------+"
LINES = (
    "------------------------------\n Leaf    Price\n of tea\n------- ---------\nGreen    2\n         or so\n\n"
    "Black    3\n------------------------------"
)
WITHOUT_HEADER = "------- -----\nGreen   2\n\nBlack   3\n------- -----"
SIMPLE = "Leaf    Price\n------- -----\nGreen   2\nBlack   3"


def blocks(text: str) -> list[tuple[str, int, str]]:
    document = from_text(text, language="en", format="markdown")
    check_document(document)
    return shapes(document)


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("table", [GRID, LINES, WITHOUT_HEADER, SIMPLE], ids=["grid", "lines", "headless", "simple"])
def test_a_table_is_one_block(table: str, end: str) -> None:
    text = f"# Tea\n\nAbove\n\n{table}\n\nBelow\n".replace("\n", end)
    assert blocks(text)[1:] == [
        ("paragraph", 0, "Above"),
        ("table", 0, table.replace("\n", end)),
        ("paragraph", 0, "Below"),
    ]
    assert blocks(table)[0][0] == "table"
    quoted = "".join(f"> {line}\n" for line in table.split("\n"))
    assert [kind for kind, *_ in blocks(f"{quoted}\nBelow\n")] == ["table", "paragraph"]


def test_indented_tables_and_those_in_items() -> None:
    assert blocks("   Leaf  Price\n  -----  -----\n  Green  2\n")[0][0] == "table"
    assert [kind for kind, *_ in blocks(f"- Tea\n\n  {GRID}\n".replace("\n+", "\n  +").replace("\n|", "\n  |"))] == [
        "list_item",
        "table",
    ]


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("Title\n-----\n\ntext\n\n---\n\nmore\n", ["heading", "paragraph", "paragraph"]),
        ("one\n\n- - -\n\ntwo\n", ["paragraph", "paragraph"]),
        ("+ a\n+ b\n", ["list_item", "list_item"]),
        ("+---+\n| a |\n\nb\n", ["paragraph", "paragraph"]),
        ("    +---+\n    | a |\n    +---+\n", ["code"]),
        ("    Leaf  Price\n    ----  -----\n    Green 2\n", ["code"]),
        ("-----\nNo columns\n\n-----\n\nx\n", ["paragraph", "paragraph"]),
        ("-----\n a\nb\n\nnever closed\n", ["paragraph", "paragraph"]),
        ("Leaf  Price\n----- -----\n\nx\n", ["paragraph", "paragraph"]),
    ],
)
def test_what_is_no_table_stays_what_it_is(text: str, kinds: list[str]) -> None:
    assert [kind for kind, *_ in blocks(text)] == kinds
