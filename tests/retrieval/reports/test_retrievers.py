"""Which way to search won, in words that follow the intervals."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from chunking.__main__ import main
from chunking.retrieval.evaluate import RetrievalRow
from chunking.retrieval.reports import summary, table
from chunking.retrieval.reports.results import RetrieverComparison
from chunking.retrieval.search.passages import Passages
from chunking.retrieval.search.ranking import Method, Rankings
from chunking.retrieval.significance import differences
from chunking.runtime.arrays import Float64
from tests.retrieval.made import TOOLS, any_set, word_counts  # noqa: F401
from tests.retrieval.questions.test_folders import lines


def row(strategy: str, method: Method, values: Float64) -> RetrievalRow:
    return RetrievalRow(f"{strategy} · {method}", strategy, method, {"recall": values}, Rankings((), ()), {})


def passages(tokens: int, begin: int = 0) -> Passages:
    """Three passages of a strategy; those of another begin elsewhere."""
    some, nothing = np.full(3, tokens, dtype=np.int64), np.zeros(3, dtype=np.int64)
    return Passages("", nothing, nothing + begin, nothing + begin, nothing, tokens=some)


RANDOM = np.random.default_rng(1)
BASE = RANDOM.normal(0.5, 0.1, 200)


def test_a_single_way_to_search_is_not_compared() -> None:
    assert summary.by_retriever([row("a", "dense", BASE)], "recall", None) is None


def test_the_better_way_to_search_is_named() -> None:
    rows = [row(name, "dense", BASE) for name in "ab"] + [row(name, "bm25", BASE + 0.1) for name in "ab"]
    found = summary.by_retriever(rows, "recall", None)
    assert isinstance(found, RetrieverComparison)
    assert found.means["bm25"] == pytest.approx(found.means["dense"] + 0.1)
    (said,) = table._winner(found)
    assert "BM25 is significantly better than dense search." in said
    turned = summary.by_retriever(rows[::-1], "recall", None)
    assert "BM25 is significantly better than dense search." in table._winner(turned)[0]


def test_ways_to_search_that_cannot_be_told_apart_are_not_ranked() -> None:
    rows = [row("a", "dense", BASE), row("a", "bm25", BASE + RANDOM.normal(0, 0.3, 200))]
    (said,) = table._winner(summary.by_retriever(rows, "recall", None))
    assert "No significant difference between" in said
    assert "better" not in said


def test_pairs_of_equal_size_and_equal_search_are_counted() -> None:
    rows = [row("a", "dense", BASE), row("b", "dense", BASE + 0.2), row("c", "dense", BASE), row("a", "bm25", BASE)]
    pairs = differences({each.name: each.values["recall"] + RANDOM.normal(0, 0.01, 200) for each in rows})
    sizes = {"a": passages(100), "b": passages(120, 1), "c": passages(300, 2)}
    counts = summary.equal_sizes(rows, sizes, pairs)
    assert (counts.pairs, counts.different) == (1, 1)
    assert "1 of 1 differ significantly." in table._equal_sizes(counts)[0]
    alike = summary.equal_sizes(rows, {name: passages(100, begin) for begin, name in enumerate("abc")}, pairs)
    assert (alike.pairs, alike.different) == (3, 2)
    assert "2 of 3 differ significantly; the others differ by at most" in table._equal_sizes(alike)[0]
    variants = summary.equal_sizes(rows, dict.fromkeys("abc", passages(100)), pairs)
    assert variants.pairs == 0, "what is embedded or returned makes no other strategy"
    assert table._equal_sizes(summary.equal_sizes(rows[:1], {"a": passages(1)}, [])) == []


# --- what the encoder has to do with it ------------------------------------------------------------------------------


@pytest.fixture
def german(tmp_path: Path) -> Path:
    text = "Der Wärter steigt am Abend die neunzig Stufen hinauf und zündet die Lampe an."
    lines(tmp_path / "docs.jsonl", [{"_id": "a", "text": text, "lang": "de"}])
    lines(tmp_path / "queries.jsonl", [{"_id": "1", "text": "Wie viele Stufen?", "doc_id": "a", "spans": [[33, 40]]}])
    return tmp_path


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, dict[str, Any], str]:
    code = main(["evaluate", "retrieval", *arguments])
    out, err = capsys.readouterr()
    return code, json.loads(out) if out else {}, err


def test_an_encoder_of_another_language_is_warned_of(german: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, found, err = run(capsys, str(german), "--strategies", "whole", "--encoder", "static")
    assert "was trained on English; 1 of 1 documents are in other languages (German 1)" in err
    assert found["language_notes"] and found["language_notes"][0] in found["notes"]
    _, found, err = run(capsys, str(german), "--strategies", "whole", "--retriever", "bm25")
    assert found["language_notes"] == [] and "trained on" not in err


def test_bm25_alone_names_no_encoder(german: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = (str(german), "--strategies", "whole", "--retriever", "bm25")
    _, found, _ = run(capsys, *words)
    assert found["encoder"] is None
    code, _, err = run(capsys, *words, "--encoder", "static")
    assert code == 2 and "'static' would not be used" in err
    code, _, err = run(capsys, *words, "--encoder", "nobody/knows")
    assert code == 2 and "Unknown encoder 'nobody/knows'" in err


def test_bm25_with_a_strategy_that_embeds_names_what_the_encoder_does(
    german: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = (str(german), "--strategies", "structural", "--retriever", "bm25", "--encoder", "static")
    _, found, _ = run(capsys, *words)
    assert (found["encoder"], found["boundary_encoders"]) == (None, ["static"])
    assert main(["evaluate", "retrieval", *words, "--format", "table"]) == 0
    assert "BM25, boundaries by static," in capsys.readouterr().out
