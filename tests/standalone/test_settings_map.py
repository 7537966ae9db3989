"""The map of settings in the page: each cell is what the strategy gives at that setting."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from chunking import samples, strategies
from chunking.chunks.constraints import FREE
from chunking.comparison import report
from chunking.reference import Reference
from chunking.signals import thresholds
from chunking.signals.distances import fuse
from chunking.standalone import StandalonePage
from chunking.strategies.gaps import StructuralParameters
from chunking.tuning.landscape import PERCENTILES, landscape
from chunking.tuning.plane import nearest, plane
from chunking.workspace import DocumentAnalysis
from tests.pages.conftest import Ask
from tests.standalone.test_engine import data_of

NAMES = ["harbour-report", "field-guide-to-backups", "urban-heat-article", "remote-work-policy"]


def opened(name: str) -> tuple[DocumentAnalysis, tuple[int, ...], StandalonePage]:
    sample = samples.load(name)
    workspace = DocumentAnalysis(sample.document)
    setting = strategies.parse("structural")
    entries = [report.entry(setting, setting.run(workspace))]
    page = StandalonePage(workspace, report.make(workspace, entries, Reference(sample.boundaries)), "sample.md")
    return workspace, sample.boundaries, page


@pytest.mark.parametrize("name", NAMES)
def test_agreement_and_counts_are_those_of_the_plane(ask: Ask, name: str) -> None:
    workspace, gold, page = opened(name)
    found = ask("settings", page=data_of(page), judge={"by": "people", "target": 150})
    made = strategies.run("structural", workspace, StructuralParameters()).signals
    assert made is not None
    gaps = page.comparison.reference_gaps
    assert len(gaps) == len(gold)
    kept = workspace.constraints.at(workspace.offsets) != FREE
    known = plane(landscape(made.semantic, made.structural, kept=kept), reference=gaps)
    columns = [nearest(known.percentiles, 100 - share) for share in found["shares"]]
    assert len(found["rows"]) == 101 and found["shares"][-1] == 30
    assert np.array_equal(found["counts"], known.maps["boundaries"].values[:, columns])
    assert np.allclose(found["rows"], known.maps["f1"].values[:, columns], atol=1e-6)
    assert found["best"]["value"] == pytest.approx(known.maps["f1"].values[:, columns].max())
    row, column = known.cell(found["best"]["place"]["alpha"], found["best"]["place"]["percentile"])
    assert known.maps["f1"].values[row, column] == pytest.approx(found["best"]["value"])


@pytest.mark.parametrize("name", ["harbour-report", "remote-work-policy"])
@pytest.mark.parametrize("target", [60, 150])
def test_the_share_near_a_size_is_that_of_the_chunks(ask: Ask, target: int, name: str) -> None:
    workspace, _, page = opened(name)
    found = ask("settings", page=data_of(page), judge={"by": "size", "target": target})
    for alpha, place in ((0, 3), (35, 20), (70, 41), (100, 59)):
        percentile = 100 - found["shares"][place]
        made = strategies.parse(f"structural:preset=unlimited;alpha={alpha / 100};percentile={percentile}").run(
            workspace
        )
        tokens = np.array([chunk.tokens for chunk in made.chunks])
        near = (tokens >= round(target / 1.5)) & (tokens <= round(target * 1.5))
        assert found["rows"][alpha][place] == pytest.approx(tokens[near].sum() / tokens.sum())


CURVES = st.integers(2, 60).flatmap(
    lambda gaps: st.tuples(*(st.lists(st.integers(0, 40), min_size=gaps, max_size=gaps) for _ in range(2)))
)


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(CURVES, st.integers(0, 100), st.data())
def test_a_taken_gap_is_just_a_boundary(
    ask: Ask, drawn: tuple[list[int], list[int]], alpha: int, data: st.DataObject
) -> None:
    semantic, structural = (np.array(values) / 40 for values in drawn)
    fused = fuse(semantic, structural, alpha / 100)
    gap = data.draw(st.integers(0, len(fused) - 1))
    percentile = ask("just_below", fused=fused.tolist(), gap=gap)["percentile"]

    def cut(at: float) -> bool:
        return bool(thresholds.apply("percentile", at, fused).exceeded[gap])

    if percentile is None:
        assert not cut(PERCENTILES[0])
        return
    at = PERCENTILES.tolist().index(percentile)
    assert cut(percentile)
    assert at + 1 == len(PERCENTILES) or not cut(PERCENTILES[at + 1])
