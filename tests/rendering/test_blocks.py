from __future__ import annotations

import pytest

from chunking.document import Block, Document
from chunking.loading import FORMATS, load
from chunking.rendering import has_layout, render
from tests.fuzz import seeds
from tests.rendering.checks import check, outline


def lines(data: str, name: str) -> list[str]:
    return outline(load(data.encode(), name))


@pytest.mark.parametrize("format", FORMATS)
def test_the_invariants_hold_in_every_format(format: str) -> None:
    for data in seeds.seeds(format):
        document = load(data, f"x{seeds.suffixes(format)[0]}")
        rendering = check(document)
        if not document.is_markdown and document.format not in ("notebook", "rst"):
            hidden = "".join(document.text[start:end] for start, end, _ in rendering.substitutions)
            assert not any(map(str.isalpha, hidden)), "only marks are hidden, and the numbers of items"


def test_lists_of_html_nest_by_level_and_count_by_tag() -> None:
    html = "<ul><li>a<ol><li>b<p>c<li>d</ol><li>e</ul><p>f<ol><li>g</ol>"
    assert lines(html, "x.html") == [
        "list: abcde",
        "  item: abcd",
        "    paragraph: a",
        "    list 1: bcd",
        "      item 1: bc",
        "        paragraph: b",
        "        paragraph: c",
        "      item 2: d",
        "        paragraph: d",
        "  item: e",
        "    paragraph: e",
        "paragraph: f",
        "list 1: g",
        "  item 1: g",
        "    paragraph: g",
    ]


def test_letters_of_html_are_shown_as_those_of_other_documents() -> None:
    html = "<ol type=a><li>one<p>more<li>two</ol><ol style='list-style: none'><li>plain</ol><ol start=4><li>four</ol>"
    assert lines(html, "x.html") == [
        "list: a.onemoreb.twoplain",
        "  item -1: a.onemore",
        "    marker: a.",
        "    paragraph: one",
        "    paragraph: more",
        "  item -1: b.two",
        "    marker: b.",
        "    paragraph: two",
        "  item: plain",
        "    paragraph: plain",
        "list 1: four",
        "  item 4: four",
        "    paragraph: four",
    ]


def test_quotes_nest_by_level() -> None:
    html = "<blockquote>a<blockquote>b</blockquote>c</blockquote><p>d"
    assert lines(html, "x.html") == [
        "quote: abc", "  paragraph: a", "  quote: b", "    paragraph: b", "  paragraph: c", "paragraph: d",
    ]  # fmt: skip


def test_rows_have_their_cells_in_columns_though_some_are_empty() -> None:
    html = "<table><tr><td><td>a<td>b<tr><td>c<td><td>d<tr><td>e</table>"
    assert lines(html, "x.html") == [
        "table 3: abcde",
        "  row: ab",
        "    cell 2: a",
        "    cell 3: b",
        "  row: cd",
        "    cell 1: c",
        "    cell 3: d",
        "  row: e",
        "    cell 1: e",
    ]


def test_numbers_and_bullets_are_marks_and_others_are_shown() -> None:
    text = (
        "Rules of the house:\n\n1. One\n2. Two\n\nParts of it:\n\n- a\n- b\n\nMore of them:\n\n(a) first\n(b) second\n"
    )
    assert [line for line in lines(text, "x.txt") if "item" in line or "marker" in line] == [
        "  item 1: One", "  item 2: Two", "  item: a", "  item: b",
        "  item -1: (a)first", "    marker: (a)", "  item -1: (b)second", "    marker: (b)",
    ]  # fmt: skip


def test_code_keeps_the_indentation_of_its_lines_but_not_what_they_share() -> None:
    document = load(b"Tea\n===\n\nThis::\n\n    if x:\n        y()\n\nEnd.\n", "x.rst")
    code = next(each for each in check(document).elements if each.kind == "code")
    assert document.text[code.start : code.end] == "    if x:\n        y()"
    assert "if x:\n    y()" in render(document).shown(document.text)


def test_a_notebook_is_read_as_markdown_and_python() -> None:
    document = load(seeds.seeds("notebook")[0], "x.ipynb")
    assert outline(document)[:6] == [
        "heading 1: Sums",
        "paragraph: Two and two. Then more.",
        "code: print(2 + 2)",
        "  token <builtin>: print",
        "  token <number>: 2",
        "  token <number>: 2",
    ]


def test_programs_and_data_are_code_as_a_whole() -> None:
    assert lines("def f():\n    return 1\n", "x.py")[:2] == ["code: def f(): return 1", "  token <keyword>: def"]
    assert lines("a: 1\n", "x.yaml")[0] == "code: a: 1"


def test_values_are_a_table_without_quotation_marks() -> None:
    assert lines('name,price\n"Tea, ""green""",2\n', "x.csv") == [
        "table 2: namepriceTea, \"green\"2", "  row: nameprice", "    header 1: name", "    header 2: price",
        "  row: Tea, \"green\"2", "    cell 1: Tea, \"green\"", "    cell 2: 2",
    ]  # fmt: skip


def test_what_no_block_has_is_shown_if_it_has_words() -> None:
    document = Document(
        "a\n\n***\n\nlost words\n\nb", (Block("paragraph", 0, 1), Block("paragraph", 20, 21)), format="text"
    )
    assert outline(document) == ["paragraph: a", "source: *** lost words", "paragraph: b"]


def test_only_documents_with_layout_and_of_some_length_offer_it() -> None:
    assert has_layout(load(b"# a\n", "x.md"))
    assert has_layout(load(b"<h1>a</h1>", "x.html"))
    assert has_layout(load(b"x = 1\n", "x.py"))
    assert not has_layout(load(b"One line.\n\nAnother.\n", "x.txt"))
    assert not has_layout(load(b"# a\n" + (b"b" * 99 + b"\n") * 20_001, "x.md"))
    assert not has_layout(load(rb"\documentclass{a}\begin{document}\section{Tea}\end{document}", "x.tex"))
