from __future__ import annotations

import sys

import pytest

from chunking import loading
from chunking.document import Document
from chunking.loading import from_text
from chunking.loading.text.markdown.marks import MAX_NESTING


def load(text: str) -> Document:
    return from_text(text, language="en")


def shapes(text: str) -> list[tuple[str, int, str]]:
    document = load(text)
    return [(block.kind, block.level, text[block.content : block.end]) for block in document.blocks]


def test_headings_of_both_kinds() -> None:
    text = "# One #\n\nTwo\n===\n\nThree\nlines\n---\n\n###### Six\n####### seven\n#nospace\n"
    assert shapes(text) == [
        ("heading", 1, "One #"),
        ("heading", 1, "Two"),
        ("heading", 2, "Three\nlines"),
        ("heading", 6, "Six"),
        ("paragraph", 0, "####### seven\n#nospace"),
    ]


def test_markers_are_inside_the_block() -> None:
    text = "  ## Head\n\n -  item\n\n>  quoted\n"
    assert [text[block.start : block.content] for block in load(text).blocks] == ["## ", "-  ", ">  "]


def test_an_empty_heading_has_no_words() -> None:
    (block,) = load("intro [x]\n\n#\n").blocks[1:]
    assert (block.kind, block.content) == ("heading", block.end)


def test_fences_are_whole_and_hide_headings() -> None:
    text = "```py\n# not a heading\n\n- no item\n```\n\n~~~\nopen\n# still code\n\n"
    assert shapes(text) == [
        ("code", 0, "```py\n# not a heading\n\n- no item\n```"),
        ("code", 0, "~~~\nopen\n# still code"),
    ]


def test_indented_code() -> None:
    assert shapes("para\n\n    # a\n\n    b\n\npara\n") == [
        ("paragraph", 0, "para"),
        ("code", 0, "# a\n\n    b"),
        ("paragraph", 0, "para"),
    ]


def test_lists_nest_and_keep_other_blocks() -> None:
    text = "- a\n  - b\n    continued\n\n    ```\n    x\n    ```\n\n  more of a\n1. n\n\n   # h\n"
    assert shapes(text) == [
        ("list_item", 1, "a"),
        ("list_item", 2, "b\n    continued"),
        ("code", 0, "```\n    x\n    ```"),
        ("list_item", 1, "more of a"),
        ("list_item", 1, "n"),
        ("heading", 1, "h"),
    ]


def test_quotes_nest() -> None:
    text = "> a\n> b\nlazy\n>\n> > c\n>\n> - d\n"
    assert shapes(text) == [("quote", 1, "a\n> b\nlazy"), ("quote", 2, "c"), ("list_item", 1, "d")]


def test_a_marker_alone_belongs_to_the_block_below_it() -> None:
    text = "before\n\n-\n  words\n"
    block = load(text).blocks[1]
    assert (text[block.start : block.content], text[block.content : block.end]) == ("-\n  ", "words")


def test_tables_are_one_block_even_in_a_list() -> None:
    text = "| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n\nafter\n\n- | c | d |\n  |---|---|\n  | 5 | 6 |\n"
    assert shapes(text) == [
        ("table", 0, "| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |"),
        ("paragraph", 0, "after"),
        ("table", 0, "| c | d |\n  |---|---|\n  | 5 | 6 |"),
    ]


def test_what_shows_nothing_is_no_block() -> None:
    text = "a\n\n---\n\n[ref]: http://example.com\n\n<!-- a comment -->\n\n<hr>\n\nb\n"
    assert [shape[2] for shape in shapes(text)] == ["a", "b"]


def test_headings_of_html_are_headings_with_what_is_around_them() -> None:
    words = '\n  <a href="#">Pumps &amp; <em>valves</em></a>\n</H1>'
    part = "<div>\nBefore.\n<h3>Usage</h3>\n<p>Use it.</p>\n</div>"
    text = f'<H1 align="center">{words}\n\nThey move.\n\n{part}\n\nSee <h4>none</h4> here.\n'
    assert shapes(text) == [
        ("heading", 1, words),
        ("paragraph", 0, "They move."),
        ("code", 0, "<div>\nBefore."),
        ("heading", 3, "Usage</h3>"),
        ("code", 0, "<p>Use it.</p>\n</div>"),
        ("paragraph", 0, "See <h4>none</h4> here."),
    ]
    document = loading.from_text(text, "readme.md")
    assert document.heading_path(text.index("Use it")) == ("Pumps & valves", "Usage")


@pytest.mark.parametrize("html", ["<h1><img src='a.png'></h1>", "<h2>Open", "<!-- <h1>Old</h1> --><b>New.</b>"])
def test_html_without_a_heading_of_words_has_none(html: str) -> None:
    assert not [shape for shape in shapes(f"{html}\n\nText.\n") if shape[0] == "heading"]


def test_html_with_words_is_kept_whole() -> None:
    html = "<div>\n<b>Two.</b> Sentences.\n</div>"
    assert shapes(f"{html}\n\nb\n")[0] == ("code", 0, html)


@pytest.mark.parametrize("blank", ["", "\n"])
def test_a_table_of_html_is_a_table(blank: str) -> None:
    table = f"<table>\n{blank}<tr><td>1</td></tr>\n{blank}    <tr><td>2</td></tr>\n</table>"
    assert shapes(f"{table}\n\nb\n") == [("table", 0, table), ("paragraph", 0, "b")]
    layout = "<table><tr><td>\n\n# Left\n\n</td></tr></table>\n"
    assert ("heading", 1, "Left") in shapes(layout)
    unclosed = "<table>\n<tr><td>a</td>\n\nb\n"
    assert shapes(unclosed)[-1] == ("paragraph", 0, "b")


def test_text_after_a_comment_is_text() -> None:
    assert shapes("<!-- md:default --> This option\ndecides.\n") == [
        ("paragraph", 0, "This option"),
        ("paragraph", 0, "decides."),
    ]


def test_front_matter_is_code_and_a_rule_is_not_front_matter() -> None:
    assert shapes("---\ntitle: x\n\ntags: [a]\n---\n# H\n") == [
        ("code", 0, "---\ntitle: x\n\ntags: [a]\n---"),
        ("heading", 1, "H"),
    ]
    assert [kind for kind, _, _ in shapes("---\n\nJust text.\n\n---\n\nMore.\n")] == ["paragraph", "paragraph"]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_toml_is_front_matter_if_it_has_a_key_or_a_table(end: str) -> None:
    for key in ('title = "x"', "[params]", "'quoted' = 1"):
        front = end.join(["+++", "# a comment", "", key, "a = 1", "+++"])
        assert shapes(f"{front}{end}# H{end}") == [("code", 0, front), ("heading", 1, "H")]
    assert [kind for kind, *_ in shapes(end.join(["+++", "Just text.", "+++", "# H"]))] == ["paragraph", "heading"]


@pytest.mark.parametrize(
    ("line", "title"),
    [
        ("# Closed ##", "Closed"),
        ("# Learning C#", "Learning C#"),
        ("# Learning C\\#", "Learning C\\#"),
        ("# Named {#anchor}", "Named"),
        ("# Named { .lead #anchor } #", "Named"),
        ("# Sets {a, b}", "Sets {a, b}"),
        ("Learning C #\n===", "Learning C #"),
    ],
)
def test_the_title_of_a_heading_has_neither_closing_marks_nor_attributes(line: str, title: str) -> None:
    document = load(f"{line}\n\nText.\n")
    assert document.heading_path(len(document.text) - 2) == (title,)


def test_hashes_close_headings_of_markdown_alone() -> None:
    document = loading.load(b"<h1>Learning C #</h1><p>Text.</p>", "a.html")
    assert document.heading_path(len(document.text) - 1) == ("Learning C #",)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_offsets_hold_for_every_line_ending_and_nul(end: str) -> None:
    text = end.join(["---", "a: b", "---", "# H\0", "", "- i\u2028j", "  k", "", "> q"])
    document = load(text)
    assert [text[block.content : block.end] for block in document.blocks] == [
        end.join(["---", "a: b", "---"]), "H\0", f"i\u2028j{end}  k", "q",
    ]  # fmt: skip


@pytest.mark.parametrize("marker", ["> ", "- ", "1. ", "> - "])
def test_deep_nesting_neither_fails_nor_loses_words(marker: str) -> None:
    assert sys.getrecursionlimit() <= 10_000
    text = marker * 3000 + "deep\n\nafter\n"
    blocks = load(text).blocks
    assert "deep" in text[blocks[0].start : blocks[0].end]
    assert blocks[0].level <= MAX_NESTING
    assert text[blocks[-1].start : blocks[-1].end] == "after"


def test_nesting_by_lines_loses_no_words() -> None:
    text = "\n".join(f"{'  ' * depth}- w{depth}" for depth in range(60))
    covered = "".join(text[block.start : block.end] + "\n" for block in load(text).blocks)
    assert all(f"- w{depth}\n" in covered for depth in range(60))


def test_many_headings_and_long_lines() -> None:
    document = load("".join(f"# H{number}\n\nText {number}.\n\n" for number in range(10_000)))
    assert len(document.headings) == 10_000
    assert document.heading_path(len(document.text) - 1) == ("H9999",)
    (block,) = load("*[`<&" * 200_000).blocks
    assert (block.kind, block.start, block.end) == ("paragraph", 0, 1_000_000)


@pytest.mark.parametrize(
    "front",
    [
        '{\n  "title": "Kiln",\n  "draft": false\n}',
        ';;;\n{ "title": "Kiln" }\n;;;',
        '---json\n{ "title": "Kiln" }\n---',
        '---toml\ntitle = "Kiln"\n---',
        "---yaml\n# a comment\n---",
        "---\nmeta title: Kiln\nauthor name: Ott\n---",
        "title: Kiln\ntags:\n  - clay\n- fire\ndate: 2020-01-01\n---",
    ],
)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_front_matter_of_other_systems(front: str, end: str) -> None:
    front = front.replace("\n", end)
    expected = [("code", 0, front), ("heading", 1, "H"), ("paragraph", 0, "x")]
    assert shapes(f"{front}{end}{end}# H{end}{end}x{end}") == expected


def test_front_matter_may_follow_blank_lines() -> None:
    text = "\n \n---\ntitle: Kiln\n---\n\n# H\n"
    assert shapes(text) == [("code", 0, "---\ntitle: Kiln\n---"), ("heading", 1, "H")]


@pytest.mark.parametrize(
    "text",
    [
        "---\n- Note: read this.\n- Read that.\n---\n\nx\n",
        "title: Kiln\n---\n\nx\n",
        "{name} is a name: {other}\n\nx\n",
        "{}\n\nx\n",
        '{ "a": 1 } and words\n\nx\n',
    ],
)
def test_lists_titles_and_braces_are_no_front_matter(text: str) -> None:
    assert "code" not in [kind for kind, _, _ in shapes(text)]


@pytest.mark.parametrize("end", ["\r\n", "\n", "\r"])
def test_front_matter_that_never_begins_is_read_in_linear_time(end: str) -> None:
    """Where CRLF could be one line end or two, sixty blank lines were 2⁶⁰ ways to fail."""
    for line in ("", "# comment", " \t"):
        assert shapes(f"---{end}" + f"{line}{end}" * 5_000 + "x")[-1][2] == "x"


def test_front_matter_is_found_behind_comments_and_blank_lines() -> None:
    for end in ("\r\n", "\n", "\r"):
        text = end.join(["---", "# comment", " ", "", "title: Tea", "---", "Text."])
        assert shapes(text) == [("code", 0, text[: text.index("Text.")].rstrip()), ("paragraph", 0, "Text.")]


def test_titles_have_neither_badges_nor_anchors_nor_attributes() -> None:
    text = (
        '# A <Badge type="info" /> {#a}\n\n## <a name="b"></a>B\n\n## 9.1 { id="9.1" }\n\n## `<Badge />`\n\n'
        "## Vec<T> and C\n\n## <!-- x -->D\n"
    )
    document = from_text(text, format="markdown", language="en")
    titles = [document.heading_path(heading.start)[-1] for heading in document.headings]
    assert titles == ["A", "B", "9.1", "`<Badge />`", "Vec<T> and C", "D"]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize(
    "prose",
    [
        "Note: this is about tea.\nIt is about water, too.",
        "Note: this is about tea and about water.",
        "Warning: hot\n\nThe water is hot, as everybody who has made tea will know",
    ],
)
def test_prose_between_rules_is_no_front_matter(prose: str, end: str) -> None:
    text = f"---\n{prose}\n\n---\n\nx\n".replace("\n", end)
    assert {kind for kind, *_ in shapes(text)} == {"paragraph"}


@pytest.mark.parametrize("front", ["title: A note on tea and water.", "Title: Tea", "a: b\n# remark\n- c\nd e f: g"])
def test_keys_between_rules_are_front_matter(front: str) -> None:
    assert shapes(f"---\n{front}\n---\nx\n")[0] == ("code", 0, f"---\n{front}\n---")
