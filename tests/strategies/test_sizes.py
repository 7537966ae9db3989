"""The sizes by default, on real documents."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chunking import from_text, samples, strategies
from chunking.chunks import leaves
from chunking.chunks.sizes import SCRAPS
from chunking.workspace import DocumentAnalysis, Models
from tests.examples import examples


def opened(name: str) -> DocumentAnalysis:
    sample = samples.load(name)
    return DocumentAnalysis(sample.document)


@pytest.mark.parametrize("name", samples.names())
@pytest.mark.parametrize("strategy", ["structural", "changepoint", "changepoint_tree"])
def test_by_default_chunks_fit_a_small_encoder_none_is_a_scrap_and_none_ends_with_a_heading(
    strategy: str, name: str
) -> None:
    workspace = opened(name)
    chunks = leaves(strategies.run(strategy, workspace).chunks)
    assert all(SCRAPS <= chunk.tokens <= 256 for chunk in chunks)
    document = workspace.document
    ends = {chunk.end for chunk in chunks[:-1]}
    for heading in (block for block in document.blocks if block.kind == "heading"):
        rest = document.text[heading.end :]
        assert heading.end + len(rest) - len(rest.lstrip()) not in ends


def test_a_minimum_that_joins_scraps_gives_way_to_any_maximum() -> None:
    chunks = strategies.parse("structural:max_tokens=12").run(opened("harbour-report")).chunks
    assert max(chunk.tokens for chunk in chunks) == 12


CUTTING = ("recursive", "heading_limited", "paragraph", "section", "markdown", "hierarchical")
"""Strategies that cut where the text says so, and where the maximum does."""


WORDS = st.sampled_from(["Boats sail.", "At noon", "a chart", "# Tides", "- rope", "x" * 40])
SPACES = st.sampled_from([" ", "\n", "\n\n", "\n\n\n    ", "\r\n\r\n"])
SPACED = st.lists(st.tuples(WORDS, SPACES), max_size=60).map(lambda pairs: "".join(map("".join, pairs)))
"""Texts of short sentences with blank lines and indents between them."""


@settings(max_examples=examples(150), deadline=None)
@given(SPACED, st.sampled_from(CUTTING), st.integers(12, 40))
def test_no_chunk_is_white_space_alone_and_each_keeps_the_maximum(text: str, strategy: str, maximum: int) -> None:
    workspace = DocumentAnalysis(from_text(text), Models("char-ngrams", splitter="rules"))
    smaller = "min_tokens=5;" if strategy == "paragraph" else ""
    made = strategies.parse(f"{strategy}:{smaller}overlap=0;max_tokens={maximum}").run(workspace)
    chunks = leaves(made.chunks)
    assert "".join(chunk.text for chunk in chunks) == workspace.document.text
    if workspace.document.text.strip():
        assert not [chunk.text for chunk in chunks if chunk.text.isspace()]
    assert all(chunk.tokens <= maximum for chunk in chunks)


@pytest.mark.parametrize("name", samples.names())
def test_white_space_behind_a_separator_is_no_chunk(name: str) -> None:
    made = strategies.parse("recursive:max_tokens=20").run(opened(name))
    assert not [chunk.text for chunk in made.chunks if chunk.text.isspace()]
    assert all(chunk.indexed_tokens <= 20 for chunk in made.chunks)
