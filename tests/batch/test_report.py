from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from chunking.batch.report import ChunkSizes, DataSetResult, RunReport
from chunking.report import markdown
from chunking.retrieval.reports.summary import summarize
from tests.report.test_html import Tags
from tests.retrieval.reports.test_report import made

NASTY = "<script>alert(1)</script> ![x](http://evil.example) **b** | www.evil.example & `c`"


def run_report(text: str) -> RunReport:
    """A report of a data set, a strategy and a note of that name, with figures."""
    found = summarize(made(["whole", "paragraph"], 9))
    strategies = {f"{text}{number}": row for number, row in enumerate(found.strategies.values())}
    quality = replace(found, strategies=strategies, verdict=text, pairs={})
    sizes = {text: ChunkSizes(text, 1, Counter({1: 1}))}
    return RunReport({text: DataSetResult(text, sizes, quality)}, [text], text)


def test_text_of_data_is_never_markup_in_html() -> None:
    page = run_report(NASTY).html()
    assert [tag for tag, _ in Tags(page).tags] == [tag for tag, _ in Tags(run_report("plain").html()).tags]
    assert "default-src 'none'" in page
    assert "alert(1)&lt;/script&gt;" in page


MARKS = st.text(st.sampled_from("ab1 _*~`#>+-=.)!|[](){}<>&;:/@$^\\\"'"), max_size=20)


@given(st.text(st.characters(codec="utf-8"), max_size=30) | MARKS, st.sampled_from(["a", "_", "-", "1", "#"]))
def test_text_of_data_is_never_markup_in_markdown(text: str, first: str) -> None:
    text = f"{first}{text}z"
    reader = MarkdownIt("gfm-like", {"linkify": False})
    tokens = reader.parse(markdown.escape(text))
    assert [token.type for token in tokens] == ["paragraph_open", "inline", "paragraph_close"]
    assert {child.type for child in tokens[1].children or []} <= {"text", "text_special"}
    assert "".join(child.content for child in tokens[1].children or []) == markdown.printable(text)


@pytest.mark.parametrize(
    "text", ["recall@1000", "-0.9", "+0.3", "p = 0.05", "structural:alpha=0.3;preset=reference", "snake_case", "a > b"]
)
def test_text_that_markdown_leaves_alone_is_left_alone(text: str) -> None:
    assert markdown.escape(text) == text


@pytest.mark.parametrize("text", ["_a_", "a@b.example", "http://b.example", "www.b.example", "&lt;", "$x$", "~a~"])
def test_text_that_markdown_would_read_is_escaped(text: str) -> None:
    assert "\\" in markdown.escape(text)


def test_the_shape_of_the_markdown_does_not_depend_on_texts() -> None:
    reader = MarkdownIt("gfm-like", {"linkify": False})

    def shape(text: str) -> list[str]:
        return [token.type for token in reader.parse(run_report(text).markdown())]

    for text in (NASTY, "1. one", "# head", "- item", "---", "===", "> quote", "    code", "```", "~~~~"):
        assert shape(text) == shape("plain")
