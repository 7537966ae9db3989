"""The sizes by default, on real documents."""

from __future__ import annotations

import pytest

from chunking import samples, strategies
from chunking.chunks import leaves
from chunking.chunks.sizes import SCRAPS
from chunking.workspace import DocumentAnalysis


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
