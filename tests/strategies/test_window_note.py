"""Windows that do not overlap, and what is said of those that do."""

from __future__ import annotations

import numpy as np
import pytest

from chunking import strategies
from chunking.loading import from_text
from chunking.strategies.gaps import window_note
from chunking.workspace import Tools, Workspace

SEMANTIC = ("percentile", "standard_deviation", "interquartile", "gradient")


@pytest.mark.parametrize("name", SEMANTIC)
def test_overlapping_windows_have_a_note_and_the_preset_has_none(name: str) -> None:
    assert "miss the gap" in window_note(strategies.parse(name).params)
    assert window_note(strategies.parse(f"{name}:preset=blocks").params) == ""
    assert window_note(strategies.parse(f"{name}:window=0").params) == ""


def test_other_strategies_have_no_note() -> None:
    assert window_note(strategies.parse("structural:window=1").params) == ""
    assert window_note(strategies.parse("whole").params) == ""


@pytest.mark.parametrize("name", SEMANTIC)
def test_the_preset_compares_the_blocks_that_the_fused_strategy_compares(name: str) -> None:
    words = ["tea", "oven", "lamp", "boat", "rope", "mast"]
    text = " ".join(f"{word.capitalize()} is here. It is {word}." for word in words)
    workspace = Workspace(from_text(text, language="en"), Tools("char-ngrams"))
    blocks = strategies.parse(f"{name}:preset=blocks").run(workspace).signals
    fused = strategies.parse("structural:alpha=1;block=3").run(workspace).signals
    assert blocks is not None and fused is not None
    assert np.array_equal(blocks.semantic, fused.semantic)
