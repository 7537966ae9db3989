"""An evaluation tells what it is at, and can be stopped."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from chunking import strategies
from chunking.retrieval import evaluate as engine
from chunking.retrieval.evaluate import RetrievalEvaluation, RetrievalOptions, evaluate
from chunking.retrieval.reports.summary import summarize
from chunking.retrieval.search import index
from chunking.retrieval.search.bm25 import BM25
from tests.retrieval.made import TOOLS, any_set, word_counts

__all__ = ["word_counts"]

pytestmark = pytest.mark.usefixtures("word_counts")
SETTINGS = {name: strategies.parse(name) for name in ("sentence:max_tokens=20;overlap=0", "whole")}
OPTIONS = RetrievalOptions(("dense", "bm25"), tools=TOOLS)


@pytest.mark.parametrize("seed", range(6))
def test_questions_that_are_measured_one_by_one_have_the_same_values(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = any_set(seed)
    together = evaluate(known, SETTINGS, OPTIONS)
    monkeypatch.setattr(engine, "_TOGETHER", 1)
    for one, other in zip(evaluate(known, SETTINGS, OPTIONS).rows, together.rows, strict=True):
        assert list(one.values) == list(other.values)
        assert all(np.array_equal(one.values[name], other.values[name]) for name in one.values)


class Stop(Exception):
    """What a progress bar raises to end the work."""


@pytest.mark.parametrize("step", ["searching whole · bm25", "measuring whole · dense", "cutting", "strategies"])
def test_every_step_is_told_and_can_be_where_it_stops(step: str) -> None:
    told = []

    def tell(what: str, done: int, total: int) -> None:
        assert 0 <= done <= total
        told.append(what)
        if what == step:
            raise Stop

    with pytest.raises(Stop):
        evaluate(any_set(0), SETTINGS, OPTIONS, tell=tell)
    assert told.count(step) == 1


def test_what_is_made_of_the_values_is_told_and_can_be_stopped() -> None:
    found: RetrievalEvaluation = evaluate(any_set(1), SETTINGS, OPTIONS)
    for step in ("differences, by measure", "intervals, by row"):

        def tell(what: str, done: int, total: int, step: str = step) -> None:
            assert done < total
            if what == step:
                raise Stop

        with pytest.raises(Stop):
            summarize(found, tell=tell)


def test_a_ranking_that_several_methods_combine_is_made_once(monkeypatch: pytest.MonkeyPatch) -> None:
    known, options = any_set(2), RetrievalOptions(("dense", "bm25", "hybrid"), tools=TOOLS)
    alone = {
        method: evaluate(known, SETTINGS, RetrievalOptions((method,), tools=TOOLS)).rows for method in options.methods
    }
    made: list[str] = []
    originals: dict[str, Callable[..., Any]] = {"BM25.of_texts": BM25.of_texts, "index.search": index.search}
    for name, original in originals.items():

        def counted(*args: Any, original: Callable[..., Any] = original, name: str = name) -> Any:
            made.append(name)
            return original(*args)

        monkeypatch.setattr(f"chunking.retrieval.evaluate.{name}", counted)
    rows = evaluate(known, SETTINGS, options).rows
    assert sorted(made) == ["BM25.of_texts"] * len(SETTINGS) + ["index.search"] * len(SETTINGS)
    for number, row in enumerate(rows):
        single = alone[row.method][number // len(options.methods)]
        assert all(map(np.array_equal, row.hits.passages, single.hits.passages))
        assert all(map(np.array_equal, row.hits.scores, single.hits.scores))
