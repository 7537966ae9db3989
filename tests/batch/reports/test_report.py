from __future__ import annotations

from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from chunking.batch.reports import report
from chunking.batch.reports.report import (
    Block,
    BulletList,
    CommandLine,
    Paragraph,
    ReportFigure,
    ReportSection,
    ReportTable,
)

NASTY = "<script>alert(1)</script> ![x](http://evil.example) **b** | www.evil.example & `c`"


def sections(text: str) -> list[ReportSection]:
    blocks: list[Block] = [
        Paragraph(text),
        ReportTable(["head", text], [[text, "1"]]),
        BulletList([text]),
        CommandLine(text),
    ]
    return [
        ReportSection(text, 1, blocks),
        ReportSection("Figure", 2, [ReportFigure("<svg></svg>", "plots/a.svg", text)]),
    ]


class _Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)


def tags(html: str) -> list[str]:
    found = _Tags()
    found.feed(html)
    return found.tags


def test_text_of_data_is_never_markup_in_html() -> None:
    made = report.html(sections(NASTY))
    assert tags(made) == tags(report.html(sections("plain")))
    assert "default-src 'none'" in made
    assert "alert(1)&lt;/script&gt;" in made


MARKS = st.text(st.sampled_from("ab1 _*~`#>+-=.)!|[](){}<>&;:/@$^\\\"'"), max_size=20)


@given(st.text(st.characters(codec="utf-8"), max_size=30) | MARKS, st.sampled_from(["a", "_", "-", "1", "#"]))
def test_text_of_data_is_never_markup_in_markdown(text: str, first: str) -> None:
    text = f"{first}{text}z"
    reader = MarkdownIt("gfm-like", {"linkify": False})
    tokens = reader.parse(report.escaped(text))
    assert [token.type for token in tokens] == ["paragraph_open", "inline", "paragraph_close"]
    assert {child.type for child in tokens[1].children or []} <= {"text", "text_special"}
    assert "".join(child.content for child in tokens[1].children or []) == report._printable(text)


@pytest.mark.parametrize(
    "text", ["recall@1000", "-0.9", "+0.3", "p = 0.05", "structural:alpha=0.3;preset=reference", "snake_case", "a > b"]
)
def test_text_that_markdown_leaves_alone_is_left_alone(text: str) -> None:
    assert report.escaped(text) == text


@pytest.mark.parametrize("text", ["_a_", "a@b.example", "http://b.example", "www.b.example", "&lt;", "$x$", "~a~"])
def test_text_that_markdown_would_read_is_escaped(text: str) -> None:
    assert "\\" in report.escaped(text)


def test_the_shape_of_the_markdown_does_not_depend_on_texts() -> None:
    reader = MarkdownIt("gfm-like", {"linkify": False})

    def shape(text: str) -> list[str]:
        return [token.type for token in reader.parse(report.markdown(sections(text)))]

    for text in (NASTY, "1. one", "# head", "- item", "---", "===", "> quote", "    code", "```", "~~~~"):
        assert shape(text) == shape("plain")
