from __future__ import annotations

import json

from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from chunking.loading import from_text, load
from chunking.loading.text.markdown import has_words
from chunking.rendering import render
from chunking.rendering.markdown import cells
from tests.examples import examples
from tests.rendering.checks import check, outline, part


def lines(text: str) -> list[str]:
    return outline(from_text(text, language="en"))


def test_headings_lose_their_marks_and_underlines() -> None:
    assert lines("# One ##\n\nTwo\n===\n\n### C#\n") == ["heading 1: One", "heading 1: Two", "heading 3: C#"]


def test_headings_of_html_are_headings_and_the_rest_of_it_is_code() -> None:
    text = (
        '<h1 align="center">The <b>mill</b> &amp; more</h1>\n<p>Small.</p>\n\n<div>\n<h2>\n<img> Tides</h2>\n</div>\n'
    )
    shown = lines(text + "\n> <h2>In a quote</h2>\n")
    assert [line for line in shown if not line.startswith("  token")] == [
        "heading 1: The mill & more",
        "code <html>: <p>Small.</p>",
        "heading 2: Tides",
        "quote: <h2>In a quote</h2>",
        "  code <html>: <h2>In a quote</h2>",
        "    token <name>: h2",
        "    token <name>: h2",
    ]


def test_a_picture_whose_bytes_are_excluded_is_one_still() -> None:
    bytes_of_it = "iVBORw0KGgo" * 40
    document = load(f"# Pump\n\n![From above](data:image/png;base64,{bytes_of_it})\n\nNext.\n".encode(), "a.md")
    check(document)
    assert outline(document) == [
        "heading 1: Pump", "paragraph: From above", "  image <data:image/png;base64,>: From above", "paragraph: Next.",
    ]  # fmt: skip
    cell = {"cell_type": "markdown", "metadata": {}, "source": f"![A](data:image/png;base64,{bytes_of_it})\n\nSo."}
    notebook = load(
        json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [cell]}).encode(), "a.ipynb"
    )
    check(notebook)
    assert outline(notebook)[-3:] == ["paragraph: A", "  image <data:image/png;base64,>: A", "paragraph: So."]


def test_inline_marks_become_elements() -> None:
    assert lines("a *b* **c `d`** ~~e~~ ***f*** 2 * 3 snake_case_name\n") == [
        "paragraph: a b c d e f 2 * 3 snake_case_name",
        "  emphasis: b",
        "  strong: c d",
        "    literal: d",
        "  deleted: e",
        "  emphasis: f",
        "    strong: f",
    ]


def test_links_show_their_words_and_images_their_description() -> None:
    text = (
        'See [the *tea*](http://a.example "t"), <http://b.example>, [r], ![a pot](pot.png).\n\n[r]: http://c.example\n'
    )
    assert lines(text) == [
        "paragraph: See the tea, http://b.example, r, a pot.",
        "  link <http://a.example>: the tea",
        "    emphasis: tea",
        "  link <http://b.example>: http://b.example",
        "  link <http://c.example>: r",
        "  image <pot.png>: a pot",
        "source: [r]: http://c.example",
    ]


def test_an_address_that_a_browser_would_run_is_no_link() -> None:
    assert lines("[x](javascript:alert(1))\n") == ["paragraph: [x](javascript:alert(1))"]


def test_escapes_and_entities_show_their_character_at_its_place() -> None:
    document = from_text(r"1 \* 2 &amp; 3 &#65; \q")
    rendering = check(document)
    assert rendering.shown(document.text) == r"1 * 2 & 3 A \q"
    assert [(each.start, each.end, each.text) for each in rendering.substitutions] == [
        (2, 3, ""), (7, 12, "&"), (15, 20, "A"),
    ]  # fmt: skip


def test_lines_break_where_the_source_says_so() -> None:
    assert lines("a  \nb\\\nc<br>d\ne\n") == ["paragraph: a bcd e", *["  break: "] * 3]


def test_tags_of_formatting_are_marks_and_others_are_words() -> None:
    assert lines("<b>a</b> <your-key> <script>b</script>\n") == ["paragraph: a <your-key> <script>b</script>"]


def test_lists_nest_count_and_have_boxes() -> None:
    assert lines("3. a\n   - b\n   - [x] c\n\n     more\n4. [ ] d\n") == [
        "list 1: ab☑ cmore☐ d",
        "  item 3: ab☑ cmore",
        "    paragraph: a",
        "    list: b☑ cmore",
        "      item: b",
        "        paragraph: b",
        "      item -1: ☑ cmore",
        "        paragraph: ☑ c",
        "        paragraph: more",
        "  item -1: ☐ d",
        "    paragraph: ☐ d",
    ]


def test_quotes_lose_the_mark_of_each_line() -> None:
    assert lines("> a *b\n> c* d\n> > e\n") == [
        "quote: a b c de",
        "  paragraph: a b c d",
        "    emphasis: b c",
        "  quote: e",
        "    paragraph: e",
    ]


def test_tables_have_cells_at_their_places() -> None:
    text = "| a | b \\| c |\n|---|:-:|\n| `1` | |\n|  | 2\n\nend\n"
    assert lines(text) == [
        "table 2: ab | c12",
        "  row: ab | c",
        "    header 1: a",
        "    header 2: b | c",
        "  row: 1",
        "    cell 1: 1",
        "      literal: 1",
        "  row: 2",
        "    cell 2: 2",
        "paragraph: end",
    ]


def test_a_table_in_a_quote_in_a_list() -> None:
    assert lines("- > a | b\n  > --|--\n  > 1 | 2\n")[2:] == [
        "    quote: ab12",
        "      table 2: ab12",
        "        row: ab",
        "          header 1: a",
        "          header 2: b",
        "        row: 12",
        "          cell 1: 1",
        "          cell 2: 2",
    ]


def test_cells_are_divided_as_the_parser_divides_them() -> None:
    assert cells("| a | b |") == [(0, 4), (4, 8)]
    assert cells("a | b") == [(0, 2), (2, 5)]
    assert cells("  |a|", 2) == [(2, 4)]
    assert cells(r"|a \| b||") == [(0, 7), (7, 8)]


def test_code_keeps_its_lines_and_has_tokens() -> None:
    assert lines('- a\n\n  ```python\n  def f():\n      return "x"\n  ```\n')[3:] == [
        '    code <python>: def f(): return "x"',
        "      token <keyword>: def",
        "      token <name>: f",
        "      token <keyword>: return",
        '      token <string>: "',
        "      token <string>: x",
        '      token <string>: "',
    ]
    document = from_text("> ```\n> a\n>\n>   b\n> ```\n")
    assert render(document).shown(document.text) == "a\n\n  b"


def test_indented_code_of_tabs() -> None:
    assert lines("- a\n\n\t\tif x:\n\t\t\ty()\n")[3] == "    code: if x: y()"


def test_front_matter_rules_and_comments() -> None:
    assert lines("---\na: b\n---\n\nx\n\n***\n\n<!-- a note -->\n\n<!-- -->\n") == [
        "code <yaml>: --- a: b ---",
        "  token <name>: a",
        "  token <string>: b",
        "paragraph: x",
        "rule: ",
        "source: <!-- a note -->",
    ]


def test_line_ends_of_other_systems() -> None:
    assert lines("# a\r\n\r\n- b\r\n  c\r\n\r\n```\r\nd\r\n```\r\n") == [
        "heading 1: a", "list: b c", "  item: b c", "    paragraph: b c", "code: d",
    ]  # fmt: skip


def test_a_long_paragraph_is_shown_without_its_marks() -> None:
    text = "*" + "[" * 12_000 + "*"
    assert lines(text) == [f"paragraph: {text}"]


def test_nested_brackets_take_no_time() -> None:
    """The parser is quadratic in them; below the limit that is bearable."""
    document = from_text("[" * 4_000 + "a" + "](b)" * 4_000)
    assert check(document).elements


MARKS = [
    "*", "**", "_", "__", "~~", "`", "``", "[", "]", "(", ")", "![", "](", "](u)", "<", ">", "<b>", "</b>", "<br>",
    "&amp;", "&", "\\", "|", "\\|", "a", "b c", "é", "𝒳", " ", "  ", "\n", "\n\n", "\n    ", "\t", "- ", "1. ", "> ",
    "# ", "## ", "\n---\n", "\n===\n", "\n|-|-|\n", "\n```\n", "\n~~~py\n", "[r]: u\n", "[r]", "<!--", "-->", "http://x",
    "\r\n", "\0", ".", "[x] ",
]  # fmt: skip


WORDS = ("image", "text", "text_special", "code_inline")
TEXTS = st.lists(st.sampled_from(MARKS), max_size=40).map("".join)


def seen(tokens: list[Token]) -> str:
    """What the parser's own renderer would show, without white space."""
    words = ""
    for token in tokens:
        if token.type in ("fence", "code_block") or (token.type == "html_block" and has_words(token.content)):
            words += token.content
        elif token.type == "inline":
            for child in token.children or ():
                tag = child.type == "html_inline" and child.content.strip("</>").strip() not in ("b", "br")
                words += child.content if tag or child.type in WORDS else ""
    return squeezed(words)


def squeezed(text: str) -> str:
    # Of five tildes the parser moves the odd one behind the deleted words.
    return "".join(text.replace("\ufffd", "\0").replace("~", "").split())


@settings(max_examples=examples(500), deadline=None)
@given(TEXTS)
def test_the_words_are_those_of_the_parser(text: str) -> None:
    """What is hidden is exactly what the parser takes for syntax; what is shown is at its place in the text."""
    document = from_text("x\n\n" + text)
    rendering = check(document)
    parser = MarkdownIt("commonmark", {"maxNesting": 1000}).enable(["table", "strikethrough"])
    words = ""
    place = 0
    for each in rendering.elements:
        if each.kind == "source":
            words += part(document.text, rendering, place, each.start)
            place = each.end
    words += part(document.text, rendering, place, len(document.text))
    boxes = words.replace("☐", "[ ]").replace("☑", "[x]")
    assert squeezed(boxes) == seen(parser.parse(document.text))


def test_tables_of_pandoc_are_shown_as_they_are_aligned() -> None:
    table = "+---+---+\n| a | b |\n+---+---+"
    assert lines(f"Above\n\n{table}\n") == ["paragraph: Above", f"code: {' '.join(table.split())}"]
