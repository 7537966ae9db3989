"""What is a sentence in each kind of block."""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunking.document import Block, BlockKind, Document
from chunking.sentences import RULES, gap_offsets, split


@pytest.mark.parametrize("kind", ["caption", "footnote", "paragraph", "quote", "list_item"])
def test_prose_is_split(kind: BlockKind) -> None:
    text = "[1] One is here. Two is there."
    level = 1 if kind in ("quote", "list_item") else 0
    document = Document(text, (Block(kind, 0, len(text), level=level, content=4),), language="de")
    assert split(document).texts == ("One is here.", "Two is there.")


def test_what_a_speaker_says_begins_after_the_name_and_a_cut_before_it() -> None:
    text = "Ann Lee: It is late. Let us go.\nBo: Not yet."
    blocks = (
        Block("speaker_turn", 0, 31, content=9, title="Ann Lee"),
        Block("speaker_turn", 32, len(text), content=36, title="Bo"),
    )
    sentences = split(Document(text, blocks, language="de"))
    assert sentences.texts == ("It is late.", "Let us go.", "Not yet.")
    assert [text[offset:][:4] for offset in gap_offsets(sentences).tolist()] == ["Let ", "Bo: "]


def rows(text: str, format_: str = "csv") -> list[str]:
    return list(split(Document(text, (Block("table", 0, len(text)),), format=format_), RULES).texts)


def test_rows_of_html_in_markdown_are_those_of_the_outer_table() -> None:
    inner = "<tr>\n<td><table><tr><td>b</td></tr><tr><td>c</td></tr></table></td>\n</tr>"
    text = f"<table>\n<caption>Stock</caption>\n<TR><td>a<tr class='x'><td></td></tr>\n{inner}\n<tr><td>d\n</table>"
    assert rows(text, "markdown") == [
        "<table>\n<caption>Stock</caption>", "<TR><td>a", "<tr class='x'><td></td></tr>", inner, "<tr><td>d\n</table>",
    ]  # fmt: skip


def test_a_quoted_line_end_does_not_end_a_row() -> None:
    text = 'id,note\n1,"two\nlines, ""quoted"""\r\n2,5" disk\n3,"x"'
    assert rows(text) == ["id,note", '1,"two\nlines, ""quoted"""', '2,5" disk', '3,"x"']
    assert rows(text, "text") == ["id,note", '1,"two', 'lines, ""quoted"""', '2,5" disk', '3,"x"']
    assert rows('a;b\n"1\n2";3\n4;5') == ["a;b", '"1\n2";3', "4;5"]
    assert rows("a,b\n-,--\n1,2") == ["a,b", "-,--", "1,2"]


def test_a_quotation_that_never_ends_is_none() -> None:
    assert rows('a,b\n1,"open\n2,3') == ["a,b", '1,"open', "2,3"]
    assert len(rows('a,"b\n' * 100_001)) > 1


CELLS = st.text('ab,;"\n\r 1', max_size=6)


@given(st.integers(2, 4).flatmap(lambda width: st.lists(st.lists(CELLS, min_size=width, max_size=width), min_size=1)))
def test_rows_are_those_of_the_csv_module(table: list[list[str]]) -> None:
    table = [["x", *row] for row in table]  # a first cell that is neither blank nor quoted, so that no row is trimmed
    file = io.StringIO(newline="")
    csv.writer(file, quoting=csv.QUOTE_ALL, lineterminator="\n").writerows(table)
    text = file.getvalue().rstrip("\n")
    found = rows(text)
    assert [next(csv.reader([*row.splitlines(keepends=True)])) for row in found] == table


def test_rules_between_the_rows_of_a_latex_table_are_read_in_linear_time() -> None:
    """A row that begins as thousands of rules and is none is a sentence; white space could belong to either side."""
    rules = "\\hline \\cmidrule(lr){2-3} " * 2_000
    for text, sentences in ((f"a & b\n{rules}\nc & d", ("a & b", "c & d")), (f"{rules}a & b", (f"{rules}a & b",))):
        document = Document(text, (Block("table", 0, len(text)),), format="latex", language="en")
        assert split(document, RULES).texts == sentences
