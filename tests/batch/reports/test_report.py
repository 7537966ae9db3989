from __future__ import annotations

from html.parser import HTMLParser

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


@given(st.text(st.characters(codec="utf-8"), max_size=30))
def test_text_of_data_is_never_markup_in_markdown(text: str) -> None:
    text = f"a{text}z"
    reader = MarkdownIt("gfm-like", {"linkify": False})
    tokens = reader.parse(report.escaped(text))
    assert [token.type for token in tokens] == ["paragraph_open", "inline", "paragraph_close"]
    assert {child.type for child in tokens[1].children or []} <= {"text", "text_special"}
    assert "".join(child.content for child in tokens[1].children or []) == report._printable(text)


def test_the_shape_of_the_markdown_does_not_depend_on_texts() -> None:
    reader = MarkdownIt("gfm-like", {"linkify": False})

    def shape(text: str) -> list[str]:
        return [token.type for token in reader.parse(report.markdown(sections(text)))]

    for text in (NASTY, "1. one", "# head", "- item", "---", "===", "> quote", "    code", "```", "~~~~"):
        assert shape(text) == shape("plain")
