from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chunking.document import Document
from chunking.errors import ChunkscopeError
from chunking.strategies.base import Segmentation
from chunking.strategies.layout.markdown import STRATEGIES, MarkdownParameters
from chunking.tokens import get_tokenizer
from chunking.workspace import DocumentAnalysis, Models
from tests.examples import examples
from tests.strategies.checks import BLOCKS, check_layout, details

ANY = st.text(st.characters(exclude_categories=()), max_size=80)


def run(text: str, kind: str = "text", name: str = "x", **params: Any) -> Segmentation:
    workspace = DocumentAnalysis(Document(text, BLOCKS[kind](text), name, kind), Models(splitter="rules"))
    return STRATEGIES[0].run(workspace, MarkdownParameters(**params))


REASONS = {"heading", "block"}
FENCE = "```py\nx = 1\n\n# no heading\n\ny = 2\n```\n"
TABLE = "| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n"
LIST = "- one\n\n  more of one\n\n  ```\n  code in one\n  ```\n\n- two\n  - three\n"
PIECES = [
    FENCE,
    TABLE,
    LIST,
    "# A\n",
    "## B\n",
    "A few words here.\n",
    "Title\n=====\n",
    "> quoted\n",
    "It says:\n",
    "* * *\n",
]
sources = st.lists(st.one_of(st.sampled_from(PIECES), ANY.map(lambda text: text + "\n")), max_size=12).map("\n".join)


@settings(max_examples=examples(150))
@given(st.lists(st.sampled_from(PIECES), max_size=14).map("\n".join), st.integers(1, 60))
def test_code_tables_and_lists_are_whole_and_no_heading_is_last(text: str, size: int) -> None:
    result = run(text, "markdown", size=size)
    starts = {chunk.start for chunk in result.chunks}
    for piece in (FENCE, TABLE, LIST):
        place = text.find(piece)
        while place >= 0:
            assert not starts & set(range(place + 1, place + len(piece.rstrip())))
            place = text.find(piece, place + 1)
    for left, right in zip(result.chunks, result.chunks[1:], strict=False):
        last = [block for block in result.document.blocks if left.start <= block.start < left.end][-1]
        # A heading may only be last where one that is not below it follows, and together they do not fit.
        if last.kind == "heading":
            following = next(block for block in result.document.blocks if block.start >= right.start)
            assert following.kind == "heading"
            assert following.level <= last.level
            assert get_tokenizer().count([text[left.start : right.end]])[0] > size


def test_blocks_are_packed_and_the_highest_heading_is_cut() -> None:
    paragraph = "Some words that fill a paragraph.\n\n"
    text = (
        "# One\n\n"
        + paragraph * 2
        + "## Two\n\n"
        + paragraph
        + "# Three\n\n"
        + paragraph
        + "## Four\n\n"
        + paragraph * 2
    )
    result = run(text, "markdown", size=50)
    assert [chunk.text.split("\n")[0] for chunk in result.chunks] == ["# One", "# Three"]
    assert details(result) == ["h1"]
    assert len(run(text, "markdown").chunks) == 1


def test_a_block_over_the_size_stays_whole_and_says_so() -> None:
    text = "Before.\n\n" + TABLE + "| 5 | 6 |\n" * 40 + "\nAfter.\n"
    result = run(text, "markdown", size=30)
    assert [chunk.text[:4] for chunk in result.chunks] == ["Befo", "| a ", "Afte"]
    assert details(result) == ["table", "paragraph"]
    assert result.chunks[1].notes == ("the table kept whole, exceeds the size of 30 tokens",)
    assert "1 chunk exceeds the size" in result.warnings[0]
    limited = run(text, "markdown", size=30, max_tokens=30)
    check_layout(limited, text, REASONS, 30)
    assert len(limited.chunks) > 3
    assert not limited.warnings


def test_a_line_with_a_colon_stays_with_what_it_announces() -> None:
    words = "A sentence of some length is here.\n\n"
    text = words * 2 + "It is this:\n\n" + FENCE + "\n" + words * 3
    # The code alone would not fit after what is before it, and its announcement would.
    size = int(get_tokenizer().count([words * 2 + "It is this:\n\n"])[0]) + 3
    result = run(text, "markdown", size=size)
    assert [chunk.text.split("\n")[0] for chunk in result.chunks][1] == "It is this:"
    assert FENCE in result.chunks[1].text


def test_a_block_after_a_list_is_not_in_it() -> None:
    result = run("- one\n- two\n\n```\ncode\n```\n", "markdown", size=1)
    assert details(result) == ["code"]


@pytest.mark.parametrize(
    "wrong", [{"size": 10, "min_tokens": 20}, {"size": 10, "overlap": 10, "overlap_unit": "tokens"}]
)
def test_contradictions_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ChunkscopeError):
        MarkdownParameters(**wrong)
