from __future__ import annotations

from pathlib import Path

import pytest

from chunking.document import Block
from chunking.loading import load
from chunking.loading.text import rst
from chunking.loading.text.rst import MAX_NESTING
from tests import shared_data
from tests.loading.checks import check_blocks

PEP = Path(__file__).resolve().parents[3].parent / "shared" / "data" / "documents" / "pep-0572.rst"


def checked(text: str) -> list[Block]:
    """The blocks of a text, which hold what every loader's do."""
    return check_blocks(text, rst.blocks(text) or ())


def shapes(text: str) -> list[tuple[str, int, str]]:
    return [(block.kind, block.level, text[block.content : block.end]) for block in checked(text)]


def kinds(text: str) -> list[str]:
    return [block.kind for block in checked(text)]


def test_titles_have_levels_by_their_styles() -> None:
    text = "=====\n Top\n=====\n\nOne\n===\n\nTwo\n---\n\nThree\n~~~~~\n\nOther two\n---------\n\n====\nNext\n====\n"
    assert shapes(text) == [
        ("heading", 1, "Top"),
        ("heading", 2, "One"),
        ("heading", 3, "Two"),
        ("heading", 4, "Three"),
        ("heading", 3, "Other two"),
        ("heading", 1, "Next"),
    ]


def test_an_overline_is_inside_and_an_underline_outside() -> None:
    text = "===\nTop\n===\n\nLow\n---\n"
    assert [text[block.start : block.end] for block in checked(text)] == ["===\nTop", "Low"]


def test_short_underlines_and_transitions() -> None:
    assert shapes("A longer title\n----\n\na\n\n------\n\nb\n\nNot a title\n--\n") == [
        ("heading", 1, "A longer title"),
        ("paragraph", 0, "a"),
        ("paragraph", 0, "b"),
        ("paragraph", 0, "Not a title\n--"),
    ]


def test_a_numbered_title_is_no_item() -> None:
    assert kinds("1. Begin\n========\n\n1. one\n2. two\n\nA. Bee was\nhere.\n") == [
        "heading", "list_item", "list_item", "paragraph",
    ]  # fmt: skip


def test_lists_nest() -> None:
    text = "- a\n- b\n  goes on\n\n  more\n\n  1. deep\n\n     #. deeper\n\n- c\nafter\n"
    assert shapes(text) == [
        ("list_item", 1, "a"),
        ("list_item", 1, "b\n  goes on"),
        ("list_item", 1, "more"),
        ("list_item", 2, "deep"),
        ("list_item", 3, "deeper"),
        ("list_item", 1, "c"),
        ("paragraph", 0, "after"),
    ]


def test_markers_on_one_line_and_alone() -> None:
    text = "- - both\n\n-\n  below\n"
    blocks = checked(text)
    assert [(block.level, text[block.start : block.content]) for block in blocks] == [(2, "- - "), (1, "-\n  ")]


def test_terms_fields_and_options_are_with_what_describes_them() -> None:
    text = (
        "term : kind\n    It is.\n\n    More.\n\n:Author: Me\n:Empty:\n:Long:\n    Below.\n\n"
        "-a, --all  Every one.\n--file=F\n    Which.\n"
    )
    assert shapes(text) == [
        ("list_item", 1, "term : kind\n    It is."),
        ("list_item", 1, "More."),
        ("list_item", 1, "Author: Me"),
        ("list_item", 1, "Empty:"),
        ("list_item", 1, "Long:\n    Below."),
        ("list_item", 1, "-a, --all  Every one."),
        ("list_item", 1, "--file=F\n    Which."),
    ]


def test_a_term_described_by_something_else_stands_alone() -> None:
    assert shapes("term\n    - item\n\nother\n    .. code::\n\n        x\n") == [
        ("list_item", 1, "term"),
        ("list_item", 2, "item"),
        ("list_item", 1, "other"),
        ("code", 0, "x"),
    ]


def test_literal_blocks() -> None:
    text = "Look::\n\n    a\n\n      b\n\nafter\n\n::\n\n  c\n\nQuoted::\n\n> d\n> e\n\nend::\n"
    assert shapes(text) == [
        ("paragraph", 0, "Look::"),
        ("code", 0, "a\n\n      b"),
        ("paragraph", 0, "after"),
        ("code", 0, "c"),
        ("paragraph", 0, "Quoted::"),
        ("code", 0, "> d\n> e"),
        ("paragraph", 0, "end::"),
    ]


def test_code_directives_and_doctests() -> None:
    text = ".. code-block:: python\n   :linenos:\n\n   x = 1\n\n   y\n\n.. math:: a + b\n\n>>> f()\n1\n\nend\n"
    blocks = checked(text)
    assert shapes(text) == [
        ("code", 0, "x = 1\n\n   y"),
        ("code", 0, "a + b"),
        ("code", 0, ">>> f()\n1"),
        ("paragraph", 0, "end"),
    ]
    assert blocks[0].start == 0


def test_quotes() -> None:
    assert shapes("Said:\n\n    One.\n\n        Two.\n\n    -- Me\n\n.. epigraph::\n\n   Three.\n") == [
        ("paragraph", 0, "Said:"),
        ("quote", 1, "One."),
        ("quote", 2, "Two."),
        ("quote", 1, "-- Me"),
        ("quote", 1, "Three."),
    ]


def test_tables() -> None:
    grid = "+---+---+\n| a | b |\n+===+===+\n| 1 |   |\n+---+---+"
    simple = "==  ==\na   b\n==  ==\n1   2\n\n3   4\n==  =="
    made = ".. csv-table:: Cups\n   :header: a, b\n\n   1, 2\n   3, 4\n\n.. list-table::\n\n   * - a\n     - b\n"
    text = f"{grid}\n\n{simple}\n\n{made}"
    assert shapes(text) == [
        ("table", 0, grid),
        ("table", 0, simple),
        ("caption", 0, "Cups"),
        ("table", 0, "1, 2\n   3, 4"),
        ("table", 0, "* - a\n     - b"),
    ]


def test_a_table_that_never_ends_is_text() -> None:
    assert kinds("==  ==\na   b\n\nmore\n") == ["paragraph", "paragraph"]


def test_notes_captions_and_admonitions() -> None:
    text = (
        ".. [1] First\n   note.\n\n   Its end.\n\n.. [Bee2001] A book.\n\n"
        ".. figure:: a.png\n   :width: 3\n\n   A cup.\n\n"
        ".. warning:: Hot!\n   Really.\n   :class: x\n\n   - burn\n\nend\n"
    )
    assert shapes(text) == [
        ("footnote", 0, "First\n   note."),
        ("footnote", 0, "Its end."),
        ("footnote", 0, "A book."),
        ("caption", 0, "A cup."),
        ("paragraph", 0, "Hot!\n   Really."),
        ("list_item", 1, "burn"),
        ("paragraph", 0, "end"),
    ]


def test_what_shows_nothing_is_in_no_block() -> None:
    text = (
        ".. _target: http://x\n.. a comment\n   goes on\n\n   and on\n\n"
        ".. |s| replace:: words\n\n.. include:: secret.txt\n\n"
        "..\n\n__ http://y\n\n.. image:: a.png\n   :alt: none\n\nshown\n"
    )
    assert shapes(text) == [("paragraph", 0, "shown")]


def test_the_header_of_a_pep() -> None:
    assert shapes("PEP: 9999\nTitle: Cups\n  of tea\nStatus: Hot\n\nTea\n===\n") == [
        ("list_item", 1, "PEP: 9999"),
        ("list_item", 1, "Title: Cups\n  of tea"),
        ("list_item", 1, "Status: Hot"),
        ("heading", 1, "Tea"),
    ]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_every_line_end(end: str) -> None:
    text = end.join(["Tea", "===", "", "- a", "- b\u2028c", "", "x::", "", "  y", ""])
    assert shapes(text) == [
        ("heading", 1, "Tea"),
        ("list_item", 1, "a"),
        ("list_item", 1, "b\u2028c"),
        ("paragraph", 0, "x::"),
        ("code", 0, "y"),
    ]


@pytest.mark.parametrize("line", ["{pad}- a\n\n", "{pad}a\n\n", "{pad}.. note:: a\n\n", "{pad}a\n", "{pad}:f: a\n\n"])
def test_deep_nesting_neither_fails_nor_loses_words(line: str) -> None:
    depth = 400
    text = "".join(line.format(pad=" " * (2 * level)) for level in range(depth))
    blocks = checked(text)
    assert max(block.level for block in blocks) <= MAX_NESTING
    assert sum(text[block.start : block.end].count("a") for block in blocks) == depth


needs_pep = pytest.mark.skipif(not PEP.is_file(), reason=shared_data.MISSING)


@needs_pep
def test_a_real_pep() -> None:
    document = load(PEP.read_bytes(), PEP.name)
    assert document.format == "rst"
    lines = document.text.splitlines()
    for level, mark in ((1, "="), (2, "-"), (3, "^")):
        underlines = sum(set(line) == {mark} and len(line) > 3 for line in lines)
        assert [block.level for block in document.headings].count(level) == underlines
    assert document.heading_path(document.text.index("I have another example"))[-1] == "A numeric example"
    found = [block.kind for block in document.blocks]
    assert found.count("footnote") == 3
    assert found.count("code") > 50
    assert all("=====" not in document.slice((block.start, block.end)) for block in document.blocks)
