from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chunking import explain, samples, sentences, strategies
from chunking.chunks import NO_LIMITS, Chunk
from chunking.loading import from_text
from chunking.signals.signals import Signals
from chunking.strategies.base import Segmentation
from chunking.strategies.changepoint import SEARCHED, SEARCHED_ANEW, ChangepointParameters, supported
from chunking.strategies.changepoint_tree import ChangepointTreeParameters
from chunking.workspace import DocumentAnalysis
from tests.vectors import topic_gaps, topics, unit


@cache
def sample(name: str = "field-guide-to-backups") -> DocumentAnalysis:
    known = samples.load(name)
    return DocumentAnalysis(known.document)


def made(vectors: np.ndarray, units: list[str] | None = None) -> DocumentAnalysis:
    """A text of that many short sentences with given vectors."""
    found = sentences.from_units(units or [f"Word{place} goes here." for place in range(len(vectors))])
    return DocumentAnalysis(found.document, precomputed=(found, vectors.astype(np.float32)))


def unlimited(**values: Any) -> ChangepointParameters:
    """Return parameters without limits, so that the boundaries are those of the method."""
    return ChangepointParameters(**{**NO_LIMITS, **values})


def signals_of(result: Segmentation) -> Signals:
    assert result.signals is not None
    return result.signals


def cut_gaps(result: Segmentation) -> list[int]:
    return [chunk.cut.gap for chunk in result.chunks if chunk.cut and chunk.cut.gap is not None]


@pytest.mark.parametrize("alpha", [0.3, 1.0])
def test_planted_topics_are_found_without_being_told_how_many(alpha: float) -> None:
    sizes = [7, 5, 11, 6, 9, 8]
    vectors, gaps = topics(sizes), topic_gaps(sizes)
    result = strategies.run("changepoint", made(vectors), unlimited(alpha=alpha))
    assert set(cut_gaps(result)) < set(gaps) and len(cut_gaps(result)) >= 3, "cautious, and never beside a topic"
    result = strategies.run("changepoint", made(vectors), unlimited(alpha=alpha, boundaries=5))
    assert cut_gaps(result) == gaps
    assert {chunk.cut.driver for chunk in result.chunks if chunk.cut} == {"semantic"}


@settings(deadline=None)
@given(st.integers(2, 60), st.sampled_from((0.0, 0.35, 1.0)), st.integers(0, 2**32 - 1))
def test_each_step_from_coarse_to_fine_never_has_fewer_boundaries(n: int, alpha: float, seed: int) -> None:
    random = np.random.default_rng(seed)
    vectors = random.standard_normal((n, 6))
    workspace = made(unit(vectors))
    levels = np.arange(-3.0, 3.5, 0.5)
    counts = [
        len(cut_gaps(strategies.run("changepoint", workspace, unlimited(alpha=alpha, fineness=level))))
        for level in levels.tolist()
    ]
    assert counts == sorted(counts)


def test_a_step_from_coarse_to_fine_doubles_the_boundaries_of_any_document() -> None:
    for name in ("field-guide-to-backups", "harbour-report"):
        workspace = sample(name)
        number = supported(workspace).number
        for level in (-1.0, 0.0, 1.0):
            result = strategies.run("changepoint", workspace, unlimited(fineness=level))
            assert len(cut_gaps(result)) == pytest.approx(number * 2**level, rel=0.15, abs=1.5), (name, level)
            assert signals_of(result).supported == supported(workspace)


def test_a_number_that_is_given_overrides_coarse_to_fine() -> None:
    for overriding, idle in (({"percentile": 80.0}, {"fineness"}), ({"boundaries": 4}, {"fineness", "percentile"})):
        params = unlimited(fineness=2.0, **overriding)
        assert params.inactive == idle
        plain = unlimited(**overriding)
        assert cut_gaps(strategies.run("changepoint", sample(), params)) == cut_gaps(
            strategies.run("changepoint", sample(), plain)
        )


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
    workspace = made(unit(vectors), units)
    params = unlimited(alpha=alpha, percentile=percentile, boundaries=boundaries)
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
        result = strategies.run("changepoint", workspace, unlimited(boundaries=wanted))
        assert len(result.chunks) == wanted + 1
        assert not result.warnings


def test_the_percentile_is_the_share_that_is_not_cut() -> None:
    workspace = sample()
    gaps = len(workspace.offsets)
    for percentile in (50.0, 80.0, 90.0, 99.0):
        result = strategies.run("changepoint", workspace, unlimited(percentile=percentile))
        assert len(result.chunks) - 1 == pytest.approx(gaps * (1 - percentile / 100), abs=2)
        assert signals_of(result).threshold.label.startswith("boundary penalty, ")


def test_alpha_zero_is_structure_alone() -> None:
    workspace = sample()
    signals = signals_of(strategies.run("changepoint", workspace, unlimited(alpha=0.0)))
    assert signals.fused == pytest.approx(signals.structural, abs=1e-9)
    assert signals.semantic.max() > 0.5, "what meaning would make of it is still shown"


def test_identical_sentences_and_few_are_one_chunk() -> None:
    same = np.tile(np.array([[0.6, 0.8]]), (30, 1))
    result = strategies.run("changepoint", made(same, ["The same again."] * 30), unlimited())
    assert len(result.chunks) == 1 and any("one chunk" in warning for warning in result.warnings)
    for n in (1, 2):
        found = strategies.run("changepoint", made(np.eye(2)[:n]), unlimited())
        assert len(found.chunks) == 1 and found.warnings


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
    assert max(workspace.cut_points.counter.count(whole)) <= maximum
    signals = signals_of(result)
    own = set(np.flatnonzero(signals.threshold.exceeded).tolist())
    kept = set(cut_gaps(result))
    held = own & set(np.flatnonzero(workspace.constraints.at(workspace.offsets)).tolist())
    assert set(result.suppressed_gaps) == own - held - kept and set(result.kept_gaps) == held - kept
    for words, omitted in (("dropped to keep", own - held - kept), ("left out, to keep together", held - kept)):
        told = sum(int(note.split()[0]) for chunk in result.chunks for note in chunk.notes if words in note)
        assert told == len(omitted)
    verdicts = explain.verdicts(result)
    for gap, verdict in enumerate(verdicts):
        left_out = "kept" if gap in held else "merged" if gap in own else "not cut"
        assert verdict == (("cut" if gap in own - held else "forced") if gap in kept else left_out)


def test_the_minimum_is_reached_where_it_can_be() -> None:
    workspace = made(topics([3, 2, 9, 2, 3, 12, 2, 2, 8]))
    result = strategies.run("changepoint", workspace, ChangepointParameters(min_tokens=25, max_tokens=90))
    assert all(25 <= chunk.tokens <= 90 for chunk in result.chunks)
    assert len(result.chunks) > 2


def test_the_ledger_of_every_gap_adds_up() -> None:
    workspace = sample()
    result = strategies.run("changepoint", workspace, unlimited())
    for gap in range(len(workspace.offsets)):
        ledger = explain.explain_gap(result, gap)
        assert ledger.fused == pytest.approx(0.35 * ledger.semantic + 0.65 * ledger.structural, abs=1e-5)
        assert (ledger.margin > 0) == (ledger.verdict == "cut")
        assert sum(share.share for share in ledger.shares) + ledger.clipped == pytest.approx(ledger.structural)
        assert ledger.amount_flip is None


def test_headings_are_kept_with_what_they_head() -> None:
    workspace = sample()
    result = strategies.run("changepoint", workspace)
    last_lines = [chunk.text.rstrip().splitlines()[-1] for chunk in result.chunks]
    assert not [line for line in last_lines if line.startswith("#")]


def test_a_window_is_told() -> None:
    random = np.random.default_rng(0)
    vectors = random.standard_normal((2_100, 4))
    result = strategies.run("changepoint", made(unit(vectors)), unlimited())
    assert any("chunks of at most 1,997 sentences" in warning for warning in result.warnings)


@st.composite
def documents(draw: st.DrawFn, least: int = 2) -> DocumentAnalysis:
    """Documents with topics of their own, whose sentences now and then say something of structure."""
    n = draw(st.integers(least, 40))
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    centres = random.standard_normal((n, 6))[np.sort(random.integers(0, draw(st.integers(1, n)), n))]
    vectors = centres + draw(st.sampled_from((0.1, 0.5, 2.0))) * random.standard_normal((n, 6))
    units = [random.choice(["- item.", "So it goes:", "Words here.", "Is it?", "But no."]) for _ in range(n)]
    return made(unit(vectors), units)


alphas = st.sampled_from((0.0, 0.35, 0.77, 1.0))


@settings(deadline=None)
@given(documents(), alphas, st.sampled_from((0, 0, 3)), st.data())
def test_with_the_numbers_that_the_ledger_names_the_gap_is_decided_otherwise(
    workspace: DocumentAnalysis, alpha: float, boundaries: int, data: st.DataObject
) -> None:
    params = unlimited(alpha=alpha, boundaries=boundaries)
    result = strategies.run("changepoint", workspace, params)
    gap = data.draw(st.integers(0, len(workspace.offsets) - 1))
    ledger, now = explain.explain_gap(result, gap), gap in cut_gaps(result)
    flips = ledger.count_flips
    assert flips and flips.now == len(result.chunks) - 1 and flips.gaps == len(workspace.offsets)
    assert flips.fewer is None or flips.fewer < flips.now
    assert flips.more is None or flips.more > flips.now
    if now:
        assert flips.fewer is not None, "with none at all it is not cut"
    for number in (flips.fewer, flips.more):
        # At α = 0 equal structure leaves open which gaps are cut; 0 asks for the automatic number.
        if number and alpha:
            other = strategies.run("changepoint", workspace, unlimited(alpha=alpha, boundaries=number))
            assert (gap in cut_gaps(other)) != now


@settings(deadline=None)
@given(documents(), alphas, st.sampled_from((0, 0, 3)), st.data())
def test_where_the_ledger_says_that_alpha_flips_a_gap_it_does(
    workspace: DocumentAnalysis, alpha: float, boundaries: int, data: st.DataObject
) -> None:
    def cut(value: float) -> bool:
        params = unlimited(alpha=min(max(value, 0.0), 1.0), boundaries=boundaries)
        return gap in cut_gaps(strategies.run("changepoint", workspace, params))

    gap = data.draw(st.integers(0, len(workspace.offsets) - 1))
    flips = explain.explain_gap(
        strategies.run("changepoint", workspace, unlimited(alpha=alpha, boundaries=boundaries)), gap
    ).alpha_flips
    assert flips is not None and not flips.exact
    for flip in (flips.below, flips.above):
        # Narrowed to 0.0005: on one side of it the gap is decided otherwise.
        assert flip is None or (not cut(alpha)) in {cut(flip - 0.0005), cut(flip), cut(flip + 0.0005)}
    assert flips.below is not None or cut(0.0) == cut(alpha)
    assert flips.above is not None or cut(1.0) == cut(alpha)


def test_a_long_document_is_not_divided_again_and_again() -> None:
    random = np.random.default_rng(1)
    for n, params, alphas_known, counts_known in (
        (SEARCHED + 1, unlimited(), False, False),
        (SEARCHED_ANEW + 1, unlimited(), False, True),
        (SEARCHED_ANEW + 1, unlimited(percentile=90.0), False, True),
        (SEARCHED_ANEW, unlimited(), True, True),
    ):
        vectors = random.standard_normal((n, 4))
        result = strategies.run("changepoint", made(unit(vectors)), params)
        ledger = explain.explain_gap(result, 5)
        assert (ledger.alpha_flips is not None) == alphas_known
        assert (ledger.count_flips is not None) == counts_known


# --- topics and sub-topics -----------------------------------------------------------------------------------------


def levels(result: Segmentation) -> tuple[list[Chunk], list[Chunk]]:
    """The parents and the leaves."""
    parents = [chunk for chunk in result.chunks if chunk.parent is None]
    return parents, [chunk for chunk in result.chunks if chunk.parent is not None]


@settings(deadline=None)
@given(
    documents(1),
    alphas,
    st.sampled_from((0.0, 50.0, 80.0)),
    st.sampled_from((0.0, 1.0, 2.0, 3.5, 20.0)),
    st.sampled_from(((0, 0), (0, 9), (12, 0), (8, 20))),
    st.integers(0, 2),
)
def test_topics_hold_whole_sub_topics(
    workspace: DocumentAnalysis, alpha: float, percentile: float, subtopics: float, sizes: tuple[int, int], overlap: int
) -> None:
    """Both levels tile the text, every topic begins with a sub-topic, and the leaves are those of ``changepoint``."""
    given_params = {"alpha": alpha, "percentile": percentile, "min_tokens": sizes[0], "max_tokens": sizes[1]}
    params = ChangepointTreeParameters(**given_params, subtopics=subtopics, overlap=overlap)  # type: ignore[arg-type]
    result = strategies.run("changepoint_tree", workspace, params)
    plain = strategies.run("changepoint", workspace, ChangepointParameters(**given_params))  # type: ignore[arg-type]
    parents, leaves = levels(result)
    for level in (parents, leaves):
        bounds = [0, *(chunk.end for chunk in level)]
        assert [chunk.start for chunk in level] == bounds[:-1] and bounds[-1] == len(workspace.document.text)
    assert {parent.start for parent in parents} <= {leaf.start for leaf in leaves}
    if not sizes[1]:  # a maximum also counts the overlap
        assert [leaf.start for leaf in leaves] == [chunk.start for chunk in plain.chunks]
    assert [chunk.index for chunk in result.chunks] == list(range(len(result.chunks)))
    for leaf in leaves:
        holder = result.chunks[leaf.parent or 0]
        assert holder.parent is None and holder.start <= leaf.start and leaf.end <= holder.end
        assert leaf.overlap is None or leaf.overlap.start >= holder.start
        if sizes[1]:
            start = leaf.overlap.start if leaf.overlap else leaf.start
            assert workspace.cut_points.counter.count([workspace.document.text[start : leaf.end]])[0] <= sizes[1]
    opened = {parent.start for parent in parents}
    for chunk in result.chunks:
        if chunk.cut and chunk.cut.gap is not None:
            assert chunk.cut.detail == ("topic" if chunk.start in opened else "sub-topic")
    for parent in parents[1:]:
        assert parent.cut and parent.cut.reason == "distance" and parent.cut.score is not None
        assert parent.cut.threshold is not None and parent.cut.score > parent.cut.threshold
    # A leaf that was cut inside a sentence can open no topic.
    cuts = sum(leaf.cut is not None and leaf.cut.gap is not None for leaf in leaves)
    if subtopics:
        assert len(parents) == max(round((cuts + 1) / subtopics), 1) or not cuts


def test_the_highest_headings_open_topics() -> None:
    """Where headings show the levels, they are what counts, however alike the text under them is."""
    lines = []
    for topic in range(4):
        lines.append(f"# Part {topic}")
        for sub in range(3):
            lines += [f"## Section {topic}.{sub}", *(f"Sentence {place} of it is here." for place in range(6))]
    document = from_text("\n\n".join(lines), "levels.md", "markdown", "en")
    found = sentences.split(document, "rules")
    random = np.random.default_rng(2)
    vectors = unit(random.standard_normal((len(found), 32)))
    workspace = DocumentAnalysis(document, precomputed=(found, vectors.astype(np.float32)))
    parents, leaves = levels(strategies.run("changepoint_tree", workspace))
    assert [parent.text.lstrip().splitlines()[0] for parent in parents] == [f"# Part {topic}" for topic in range(4)]
    assert len(leaves) > len(parents)


def test_one_topic_is_said_to_be_one() -> None:
    params = ChangepointTreeParameters(subtopics=3.0, boundaries=2, min_tokens=0, soft_min_tokens=0)
    result = strategies.run("changepoint_tree", made(topics([6, 5, 7])), params)
    parents, leaves = levels(result)
    assert len(parents) == 1 and len(leaves) == 3
    assert result.warnings == (
        "No cut exceeds the topic penalty, so the document is one topic with all of its sub-topics.",
    )
