"""The exported figure of lanes: every boundary of every entry, at its character."""

from __future__ import annotations

import pytest

from chunking import DocumentAnalysis, Models, from_text, samples, strategies
from chunking.alignment.pieces import Piece
from chunking.comparison import report
from chunking.reference import NO_REFERENCE, Reference
from chunking.report.lanes import REFERENCE_TITLE, SYMBOLS, lanes_figure
from chunking.report.theme import DARK, ENTRY_ROLES, LIGHT, ROLES

SETTINGS = ("structural", "heading", "fixed_size")


@pytest.fixture(scope="module")
def compared() -> report.Comparison:
    sample = samples.load("harbour-report")
    workspace = DocumentAnalysis(sample.document)
    settings = [strategies.parse(line) for line in SETTINGS]
    entries = [report.entry(setting, setting.run(workspace)) for setting in settings]
    return report.make(workspace, entries, Reference(sample.boundaries))


def test_every_boundary_is_in_its_row(compared: report.Comparison) -> None:
    data = lanes_figure(compared)["data"]
    assert [trace["name"] for trace in data[:4]] == [
        REFERENCE_TITLE,
        *(f"{i} · {e.title}" for i, e in enumerate(compared.entries, 1)),
    ]
    assert data[0]["x"].tolist() == list(compared.reference.complete_boundaries)
    for trace, entry in zip(data[1:], compared.entries, strict=False):
        assert trace["x"].tolist() == entry.offsets.tolist()
        assert set(trace["y"]) == {trace["name"]}
        assert len(trace["customdata"]) == len(entry.offsets)


def test_the_counts_are_those_of_the_entries_that_cut(compared: report.Comparison) -> None:
    votes = next(trace for trace in lanes_figure(compared)["data"] if trace["type"] == "bar")
    known = {int(offset): 0 for offset in votes["x"]}
    for cuts in compared.cuts:
        for gap in cuts.gaps.tolist():
            known[int(compared.offsets[gap])] += 1
    assert known == dict(zip(votes["x"].tolist(), votes["y"].tolist(), strict=True))


def test_the_curve_is_that_of_the_first_with_one(compared: report.Comparison) -> None:
    signals = compared.entries[0].segmentation.signals
    assert signals is not None
    *_, line, threshold = lanes_figure(compared)["data"]
    assert line["y"] is signals.fused and threshold["y"] == [signals.threshold.value] * 2
    without = report.Comparison(compared.sentences, compared.offsets, compared.entries[1:], NO_REFERENCE)
    assert all(trace.get("yaxis") != "y3" for trace in lanes_figure(without)["data"])


@pytest.mark.parametrize("palette", [LIGHT, DARK])
def test_plotly_accepts_it(compared: report.Comparison, palette: object) -> None:
    objects = pytest.importorskip("plotly.graph_objects")
    assert len(objects.Figure(lanes_figure(compared, palette)).data) >= 6  # type: ignore[arg-type]


def test_lost_text_is_a_line_and_titles_are_no_markup() -> None:
    workspace = DocumentAnalysis(
        from_text("One is here. Two is there. Three is gone."), Models("char-ngrams", splitter="rules")
    )
    entry = report.own_entry(workspace, "<b>mine</b>", [Piece("One is here."), Piece("Three is gone.")])
    found = lanes_figure(report.make(workspace, [entry]), ROLES)["data"]
    assert "&lt;b&gt;mine&lt;/b&gt;" in found[0]["name"]
    (lost,) = (trace for trace in found if trace["name"].endswith("in no chunk"))
    assert workspace.document.text[lost["x"][0] : lost["x"][1]].strip() == "Two is there."


def test_kinds_that_share_a_colour_differ_in_shape() -> None:
    looks = {(ENTRY_ROLES[kind], SYMBOLS[kind]) for kind in ENTRY_ROLES}
    assert len(looks) == len(ENTRY_ROLES)
