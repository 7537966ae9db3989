from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunking.document import Document
from chunking.loading import from_text
from chunking.loading.text.csv import blocks
from tests.loading.checks import check_document

PROSE = (
    'The kettle boils fast, and it is "quiet" too. Still, the lid is loose; I would not buy it for that price again.'
)
CELLS = st.text(st.characters(exclude_categories=("Cs", "Cc")), max_size=12) | st.sampled_from([PROSE, "a\nb", "1.5"])


def table(rows: list[list[str]], delimiter: str = ",", end: str = "\r\n") -> str:
    file = io.StringIO(newline="")
    csv.writer(file, delimiter=delimiter, lineterminator=end).writerows(rows)
    return file.getvalue()


def load(text: str) -> Document:
    return from_text(text, "a.csv", "csv", "en")


def words(document: Document) -> list[tuple[str, str, str]]:
    return [(block.kind, block.title, document.text[block.content : block.end]) for block in document.blocks]


@given(
    st.integers(2, 4).flatmap(lambda n: st.lists(st.lists(CELLS, min_size=n, max_size=n), min_size=2, max_size=8)),
    st.sampled_from(",;\t|"),
    st.sampled_from(["\n", "\r\n", "\r"]),
)
def test_any_table_keeps_the_contract_and_loses_no_word(rows: list[list[str]], delimiter: str, end: str) -> None:
    document = load(table(rows, delimiter, end))
    check_document(document)
    inside = {offset for block in document.blocks for offset in range(block.start, block.end)}
    if document.format == "csv":
        assert all(offset in inside for offset, char in enumerate(document.text) if char.isalnum())


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_a_table_of_data_is_one_table(delimiter: str) -> None:
    text = table([["id", "name"], *([str(n), f"cup {n}, or two"] for n in range(5))], delimiter)
    document = load("\n" + text)
    assert words(document) == [("table", "", text.strip())]


def test_delimiters_in_quotes_are_none() -> None:
    text = 'a;b\n"1,2,3,4";x\n"1,2,3,4";y\n"1,2,3,4";z\n'
    assert [block.kind for block in blocks(text) or ()] == ["table"]
    assert [block.kind for block in blocks('a|b\n"x|y\nz"|1\nq|2\n') or ()] == ["table"]


def test_rows_with_prose_are_documents() -> None:
    rows = [["id", "product", "review", "stars"]]
    rows += [[str(n), f"Kettle {n}", "" if n == 2 else f"{PROSE}\n\n{PROSE}", f"stars: {n}"] for n in range(4)]
    document = load(table(rows, ";"))
    doubled = PROSE.replace('"', '""')
    assert words(document) == [
        ("table", "", "id;product;review;stars"),
        ("heading", "[1] Kettle 0", "0;Kettle 0"),
        ("paragraph", "", doubled),
        ("paragraph", "", doubled),
        ("table", "", "stars: 0"),
        ("heading", "[2] Kettle 1", "1;Kettle 1"),
        ("paragraph", "", doubled),
        ("paragraph", "", doubled),
        ("table", "", "stars: 1"),
        ("heading", "[3] Kettle 2", "2;Kettle 2;;stars: 2"),
        ("heading", "[4] Kettle 3", "3;Kettle 3"),
        ("paragraph", "", doubled),
        ("paragraph", "", doubled),
        ("table", "", "stars: 3"),
    ]
    assert document.heading_path(document.text.index("stars: 1")) == ("[2] Kettle 1",)


def test_prose_in_the_first_column_is_under_its_row_too() -> None:
    document = load(table([["text", "label"], [PROSE, "good"], [PROSE, "bad"]]))
    assert [(kind, title) for kind, title, _ in words(document)] == [
        ("table", ""), ("heading", "[1]"), ("paragraph", ""), ("table", ""),
        ("heading", "[2]"), ("paragraph", ""), ("table", ""),
    ]  # fmt: skip
    assert words(document)[1][2] == ""


def test_a_quotation_mark_that_is_never_closed_swallows_nothing() -> None:
    text = 'id,name\n1,"cup\n' + "".join(f"{n},pot\n" for n in range(3000))
    assert words(load(text)) == [("table", "", text.strip())]


@pytest.mark.parametrize(
    "text",
    ["Some words, and more.\nNo columns at all\nor, well, some, here\n", "one\ntwo\nthree\n", '"', "x" * 200_000],
)
def test_what_is_no_table_is_none(text: str) -> None:
    assert blocks(text) is None
    assert load(text).format == "text"


def test_a_cell_may_be_larger_than_the_module_reads() -> None:
    text = "a,b\n" + "1," + "x" * 200_000 + "\n2,y\n"
    document = load(text)
    check_document(document)
