"""Each map, cell by cell, against the strategy's own rule and the measures of agreement."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from chunking import samples, strategies
from chunking.chunks.constraints import FREE
from chunking.comparison import agreement
from chunking.errors import ChunkscopeError
from chunking.reference import reference_gaps
from chunking.runtime.arrays import Float64, Int64
from chunking.signals.distances import fuse
from chunking.strategies.gaps import StructuralParameters, structural_signals
from chunking.tokens import SpanTokens, get_tokenizer
from chunking.tuning import plane as maps
from chunking.tuning.landscape import PERCENTILES, landscape
from chunking.tuning.plane import depths, nearest, plane
from chunking.workspace import DocumentAnalysis

TWENTIETHS = st.integers(0, 20)
CURVES = st.lists(st.tuples(TWENTIETHS, TWENTIETHS), min_size=0, max_size=40)
SOME_ALPHAS = np.array([0.0, 0.03, 0.05, 0.4, 0.5, 1.0])
SOME_PERCENTILES = np.array([0.0, 10.0, 50.0, 57.0, 75.0, 90.0, 99.9, 100.0])


def curves(pairs: list[tuple[int, int]]) -> tuple[Float64, Float64]:
    semantic, structural = (np.array([pair[side] / 20 for pair in pairs], dtype=np.float64) for side in (0, 1))
    return semantic, structural


def cuts(semantic: Float64, structural: Float64, alpha: float, percentile: float) -> Int64:
    """The rule itself."""
    fused = fuse(semantic, structural, alpha)
    return np.flatnonzero(fused > np.percentile(fused, percentile)) if len(fused) else np.zeros(0, dtype=np.int64)


@given(CURVES, st.data())
@example([], None)
def test_every_cell_is_what_the_rule_gives_there(pairs: list[tuple[int, int]], data: st.DataObject | None) -> None:
    semantic, structural = curves(pairs)
    gaps = len(pairs)
    chosen = data.draw(st.sets(st.integers(0, gaps - 1))) if data and gaps else set()
    gold = np.array(sorted(chosen), dtype=np.int64)
    found = plane(landscape(semantic, structural, SOME_ALPHAS), SOME_PERCENTILES, reference=gold)
    assert set(found.maps) == {"boundaries", "stable", "f1", "pk"}
    values = {name: known.values for name, known in found.maps.items()}
    assert all(value.shape == (6, 8) and value.dtype == np.float32 for value in values.values())
    for row, alpha in enumerate(SOME_ALPHAS.tolist()):
        near = [other for other in SOME_ALPHAS.tolist() if abs(other - alpha) <= maps.NUDGE + 1e-9]
        for column, percentile in enumerate(SOME_PERCENTILES.tolist()):
            here = cuts(semantic, structural, alpha, percentile)
            assert values["boundaries"][row, column] == len(here)
            f1 = agreement.boundary_f1(gold, here)
            assert values["f1"][row, column] == np.float32(f1)
            assert values["pk"][row, column] == np.float32(agreement.METRICS["pk"].of(gold, here, gaps + 1))
            sets = [set(cuts(semantic, structural, other, percentile).tolist()) for other in near]
            kept = len(set.intersection(*sets))
            if len(here):
                assert values["stable"][row, column] == np.float32(kept / len(here))
            else:
                assert np.isnan(values["stable"][row, column])


@settings(max_examples=30)
@given(CURVES, st.data())
def test_the_largest_chunk_is_that_of_the_cuts(pairs: list[tuple[int, int]], data: st.DataObject) -> None:
    semantic, structural = curves(pairs)
    sizes = data.draw(st.lists(st.integers(1, 9), min_size=len(pairs) + 1, max_size=len(pairs) + 1))
    parts = [" ".join(["word"] * size) + ". " for size in sizes]
    text = "".join(parts)
    tokens = SpanTokens(text, np.cumsum([0, *map(len, parts)]), get_tokenizer())
    found = plane(landscape(semantic, structural, SOME_ALPHAS), SOME_PERCENTILES, tokens=tokens).maps["largest"].values
    for row, alpha in enumerate(SOME_ALPHAS.tolist()):
        for column, percentile in enumerate(SOME_PERCENTILES.tolist()):
            here = cuts(semantic, structural, alpha, percentile) + 1
            bounds = np.concatenate(([0], here, [len(parts)]))
            assert found[row, column] == tokens.span_counts(bounds[:-1], bounds[1:]).max()


@pytest.mark.parametrize("name", samples.names())
def test_on_real_documents_the_cells_are_those_of_the_strategy(name: str) -> None:
    sample = samples.load(name)
    workspace = DocumentAnalysis(sample.document)
    signals = structural_signals(workspace, StructuralParameters())
    gold = reference_gaps(sample.boundaries, workspace.offsets, workspace.sentences)
    kept = workspace.constraints.at(workspace.offsets) != FREE
    whole = landscape(signals.semantic, signals.structural, kept=kept)
    found = plane(whole, tokens=workspace.cut_points.tokens, reference=gold)
    assert found.maps["f1"].values.shape == (101, 500)
    for alpha, percentile in ((0.0, 90.0), (0.05, 95.0), (0.37, 86.3), (0.4, 90.0), (1.0, 57.0), (1.0, 99.9)):
        run = strategies.parse(f"structural:preset=unlimited;alpha={alpha};percentile={percentile}").run(workspace)
        assert run.signals is not None
        here = np.array([chunk.cut.gap for chunk in run.chunks if chunk.cut], dtype=np.int64)
        cell = found.cell(alpha, percentile)
        assert found.maps["boundaries"].values[cell] == len(here)
        assert found.maps["largest"].values[cell] == max(chunk.tokens for chunk in run.chunks)
        assert found.maps["f1"].values[cell] == np.float32(agreement.boundary_f1(gold, here))
        assert found.maps["pk"].values[cell] == np.float32(agreement.METRICS["pk"].of(gold, here, len(signals) + 1))


@given(CURVES)
def test_depths_are_those_of_every_percentile_of_the_control(pairs: list[tuple[int, int]]) -> None:
    semantic, structural = curves(pairs)
    deep = depths(landscape(semantic, structural, np.array([0.4])), PERCENTILES)[0]
    fused = fuse(semantic, structural, 0.4)
    if len(fused):
        exceeded = fused[None] > np.percentile(fused, PERCENTILES)[:, None]
        assert deep.tolist() == exceeded.sum(axis=0).tolist()
        assert all((exceeded[:depth, gap]).all() for gap, depth in enumerate(deep.tolist()))


def test_nearest_takes_the_first_of_two() -> None:
    values = np.array([0.0, 0.5, 1.0])
    assert [nearest(values, wanted) for wanted in (-1, 0.2, 0.25, 0.3, 0.75, 7)] == [0, 0, 0, 1, 1, 2]


def test_what_does_not_fit_is_refused() -> None:
    curve = np.linspace(0, 1, 5)
    known = landscape(curve, curve)
    tokens = SpanTokens("One two.", np.array([0, 4, 8]), get_tokenizer())
    refused: tuple[Callable[[], object], ...] = (
        lambda: plane(known, np.array([90.0, 50.0])),
        lambda: plane(known, np.array([50.0, 101.0])),
        lambda: plane(known, np.zeros(0)),
        lambda: plane(known, tokens=tokens),
        lambda: plane(known, reference=np.array([5])),
        lambda: plane(known, reference=np.array([-1])),
        lambda: plane(known, reference=np.array([2, 1])),
        lambda: plane(known, reference=np.array([0.5])),
    )
    for bad in refused:
        with pytest.raises(ChunkscopeError):
            bad()
