"""That the time for counting tokens grows with the text: tokens are counted in the process of a server too."""

from __future__ import annotations

import time

import numpy as np
import pytest

from chunking.tokens import SpanTokens, get_tokenizer, tokenizer_names
from tests.runtime import pump

EXPONENT = 1.4
"""Highest growth that passes; merging the pairs of a run again and again has 2."""

QUICK = 0.1
"""Processor seconds of the larger text below which it freezes nobody."""

UNITS = ("a", "A", "1", " ", "\n", " \n", "\r\n", "é", "漢", "😀", "!", "-", "_", "'s", "a ", "a\u0301", "\ud800")
"""Runs that meet each part of the patterns of the tokenizers, and long tokens of each script."""


def cost(tokenizer: str, unit: str, size: int, run: int) -> float:
    """Return the processor time for the table of a text of repeats of a unit, and for its count."""
    counter = get_tokenizer(tokenizer)
    text = unit * (size // len(unit)) + "x" * run  # another text each time, which no cache has
    started = time.thread_time()
    spans = SpanTokens(text, np.array([0, len(text) // 2, len(text)]), counter)
    spans.span_counts([0, 1], [1, 2])
    counter.count([text])
    return time.thread_time() - started


def check_growth(tokenizer: str, unit: str, size: int) -> None:
    cost(tokenizer, unit, 1_000, 1)  # so that what is loaded once is not measured
    growth, _ = pump.exponent(lambda length, run: cost(tokenizer, unit, length, run), size, QUICK)
    assert growth <= EXPONENT


@pytest.mark.parametrize("unit", UNITS, ids=repr)
@pytest.mark.parametrize("tokenizer", tokenizer_names())
def test_the_time_for_counting_tokens_grows_with_the_text(tokenizer: str, unit: str) -> None:
    check_growth(tokenizer, unit, 65_536)


@pytest.mark.extended
@pytest.mark.parametrize("unit", pump.CHARACTERS, ids=repr)
@pytest.mark.parametrize("tokenizer", tokenizer_names())
def test_the_time_for_counting_long_runs_grows_with_them(tokenizer: str, unit: str) -> None:
    check_growth(tokenizer, unit, 262_144)
