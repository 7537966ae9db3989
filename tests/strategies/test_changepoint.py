from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chunking import explain, samples, sentences, strategies
from chunking.signals import Signals
from chunking.strategies.base import Segmentation
from chunking.strategies.changepoint import ChangepointParameters
from chunking.workspace import Workspace


@cache
def sample(name: str = "field-guide-to-backups") -> Workspace:
    known = samples.load(name)
    return Workspace(known.document, known=known.known)


def made(vectors: np.ndarray, units: list[str] | None = None) -> Workspace:
    """A text of that many short sentences with given vectors."""
    found = sentences.from_units(units or [f"Word{place} goes here." for place in range(len(vectors))])
    return Workspace(found.document, known=(found, vectors.astype(np.float32)))


def topics(sizes: list[int], seed: int = 3) -> tuple[np.ndarray, list[int]]:
    random = np.random.default_rng(seed)
    rows = np.repeat(random.standard_normal((len(sizes), 48)), sizes, axis=0)
    rows = rows + 0.3 * random.standard_normal(rows.shape)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True), (np.cumsum(sizes)[:-1] - 1).tolist()


def signals_of(result: Segmentation) -> Signals:
    assert result.signals is not None
    return result.signals


def cut_gaps(result: Segmentation) -> list[int]:
    return [chunk.cut.gap for chunk in result.chunks if chunk.cut and chunk.cut.gap is not None]


@pytest.mark.parametrize("alpha", [0.3, 1.0])
def test_planted_topics_are_found_without_being_told_how_many(alpha: float) -> None:
    vectors, gaps = topics([7, 5, 11, 6, 9, 8])
    result = strategies.run("changepoint", made(vectors), ChangepointParameters(alpha=alpha))
    assert cut_gaps(result) == gaps
    assert {chunk.cut.driver for chunk in result.chunks if chunk.cut} == {"semantic"}


@settings(deadline=None)
@given(
    st.integers(2, 40),
    st.sampled_from((0.0, 0.01, 0.3, 0.77, 1.0)),
    st.sampled_from((0.0, 50.0, 80.0, 97.5)),
    st.integers(0, 12),
    st.integers(0, 2**32 - 1),
)
def test_the_score_exceeds_the_threshold_exactly_where_it_cuts(
    n: int, alpha: float, percentile: float, boundaries: int, seed: int
) -> None:
    random = np.random.default_rng(seed)
    vectors = random.standard_normal((n, 6))
    units = [random.choice(["- item.", "So it goes:", "Words here.", "Is it?", "But no."]) for _ in range(n)]
    workspace = made(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), units)
    params = ChangepointParameters(alpha=alpha, percentile=percentile, boundaries=boundaries)
    result = strategies.run("changepoint", workspace, params)
    signals = signals_of(result)
    threshold = signals.threshold
    assert cut_gaps(result) == np.flatnonzero(threshold.score > threshold.value).tolist()
    assert threshold.score is signals.fused
    expected = alpha * signals.semantic + (1 - alpha) * signals.structural
    assert signals.fused == pytest.approx(expected, abs=1e-4)
    for chunk in result.chunks[1:]:
        assert chunk.cut and chunk.cut.reason == "distance" and chunk.cut.score is not None
        assert chunk.cut.threshold is not None and chunk.cut.score > chunk.cut.threshold
    if boundaries:
        assert len(result.chunks) - 1 == min(boundaries, n - 1)


@pytest.mark.parametrize("name", samples.names())
def test_boundaries_ask_for_exactly_so_many(name: str) -> None:
    workspace = sample(name)
    for wanted in (1, 3, 7):
        result = strategies.run("changepoint", workspace, ChangepointParameters(boundaries=wanted))
        assert len(result.chunks) == wanted + 1
        assert not result.warnings


def test_the_percentile_is_the_share_that_is_not_cut() -> None:
    workspace = sample()
    gaps = len(workspace.offsets)
    for percentile in (50.0, 80.0, 90.0, 99.0):
        result = strategies.run("changepoint", workspace, ChangepointParameters(percentile=percentile))
        assert len(result.chunks) - 1 == pytest.approx(gaps * (1 - percentile / 100), abs=2)
        assert signals_of(result).threshold.label.startswith("price of a boundary, ")


def test_alpha_zero_is_structure_alone() -> None:
    workspace = sample()
    signals = signals_of(strategies.run("changepoint", workspace, ChangepointParameters(alpha=0.0)))
    assert signals.fused == pytest.approx(signals.structural, abs=1e-9)
    assert signals.semantic.max() > 0.5, "what meaning would make of it is still shown"


def test_identical_sentences_and_few_are_one_chunk() -> None:
    same = np.tile(np.array([[0.6, 0.8]]), (30, 1))
    result = strategies.run("changepoint", made(same, ["The same again."] * 30))
    assert len(result.chunks) == 1 and any("one chunk" in warning for warning in result.warnings)
    for n in (1, 2):
        found = strategies.run("changepoint", made(np.eye(2)[:n]))
        assert len(found.chunks) == 1 and found.warnings


def test_what_no_tie_decides_is_the_same_again() -> None:
    vectors = np.tile(np.eye(2), (20, 1))
    first = strategies.run("changepoint", made(vectors), ChangepointParameters(percentile=60))
    second = strategies.run("changepoint", made(vectors), ChangepointParameters(percentile=60))
    assert first.chunks == second.chunks
    assert np.array_equal(signals_of(first).fused, signals_of(second).fused)


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 60), st.integers(30, 200), st.integers(0, 3), st.sampled_from(("sentences", "tokens")))
def test_limits_are_kept_and_every_change_is_told(minimum: int, maximum: int, overlap: int, unit: str) -> None:
    workspace = sample()
    if unit == "tokens":
        overlap *= 5
    if minimum > maximum - overlap:
        minimum = maximum - overlap
    params = ChangepointParameters(min_tokens=minimum, max_tokens=maximum, overlap=overlap, overlap_unit=unit)
    result = strategies.run("changepoint", workspace, params)
    starts = [chunk.overlap.start if chunk.overlap else chunk.start for chunk in result.chunks]
    whole = [workspace.document.text[start : chunk.end] for start, chunk in zip(starts, result.chunks, strict=True)]
    assert max(workspace.grid.counter.count(whole)) <= maximum
    signals = signals_of(result)
    own = set(np.flatnonzero(signals.threshold.exceeded).tolist())
    kept = set(cut_gaps(result))
    assert set(result.suppressed_gaps) == own - kept
    told = sum(int(note.split()[0]) for chunk in result.chunks for note in chunk.notes if "given up" in note)
    assert told == len(own - kept)
    verdicts = explain.verdicts(result)
    for gap, verdict in enumerate(verdicts):
        expected = ("cut" if gap in own else "forced") if gap in kept else ("merged" if gap in own else "not cut")
        assert verdict == expected


def test_the_minimum_is_reached_where_it_can_be() -> None:
    vectors, _ = topics([3, 2, 9, 2, 3, 12, 2, 2, 8])
    workspace = made(vectors)
    result = strategies.run("changepoint", workspace, ChangepointParameters(min_tokens=25, max_tokens=90))
    assert all(25 <= chunk.tokens <= 90 for chunk in result.chunks)
    assert len(result.chunks) > 2


def test_the_ledger_of_every_gap_adds_up() -> None:
    workspace = sample()
    result = strategies.run("changepoint", workspace)
    for gap in range(len(workspace.offsets)):
        ledger = explain.ledger(result, gap)
        assert ledger.fused == pytest.approx(0.35 * ledger.semantic + 0.65 * ledger.structural, abs=1e-5)
        assert (ledger.margin > 0) == (ledger.verdict == "cut")
        assert sum(share.share for share in ledger.shares) + ledger.clipped == pytest.approx(ledger.structural)
        assert ledger.alpha_flips is None and ledger.amount_flip is None


def test_headings_are_kept_with_what_they_head() -> None:
    workspace = sample()
    result = strategies.run("changepoint", workspace)
    last_lines = [chunk.text.rstrip().splitlines()[-1] for chunk in result.chunks]
    assert not [line for line in last_lines if line.startswith("#")]


def test_a_window_is_told() -> None:
    random = np.random.default_rng(0)
    vectors = random.standard_normal((2_100, 4))
    result = strategies.run("changepoint", made(vectors / np.linalg.norm(vectors, axis=1, keepdims=True)))
    assert any("no chunk of more than 1,997 sentences" in warning for warning in result.warnings)
