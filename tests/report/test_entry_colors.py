"""The same strategy has the same colour in every figure, on pages and in exports."""

from __future__ import annotations

import re

import pytest

from chunking import DocumentAnalysis, Models, from_text, strategies
from chunking.comparison import report
from chunking.report import html as markup
from chunking.report.lanes import lanes_figure, sizes_figure
from chunking.report.theme import DARK, ENTRY_ROLES, LIGHT, ROLES, Palette
from chunking.standalone import StandalonePage
from pages.shared.evaluate import passages
from pages.shared.learn import lanes, texts
from pages.shared.learn.agreement import chance_figure
from tests.retrieval.reports.test_figures import found

TEXT = "# Tea\n\nBoil the water. Wait a little.\n\n# Bread\n\nKnead the dough. Let it rise. Bake it.\n"
KINDS: tuple[report.Kind, ...] = ("strategy", "peer", "yours")


@pytest.fixture(scope="module")
def workspace() -> DocumentAnalysis:
    return DocumentAnalysis(from_text(TEXT), Models("char-ngrams", splitter="rules"))


@pytest.fixture(scope="module")
def compared(workspace: DocumentAnalysis) -> report.Comparison:
    """An entry of each kind."""
    made = strategies.parse("heading").run(workspace)
    return report.make(workspace, [report.ComparisonEntry(kind, kind, kind, made) for kind in KINDS])


def test_strategies_have_one_colour() -> None:
    assert ENTRY_ROLES["strategy"] == ENTRY_ROLES["peer"]
    for palette in (LIGHT, DARK):
        assert len({getattr(palette, ENTRY_ROLES[kind]) for kind in ("strategy", "yours", "gold")}) == 3


def test_lanes_and_sizes_have_the_colours(compared: report.Comparison) -> None:
    for palette in (LIGHT, DARK, ROLES):
        boxes = sizes_figure(compared, "cl100k_base", palette)["data"]
        expected = [getattr(palette, ENTRY_ROLES[kind]) for kind in KINDS]
        assert [box["line"]["color"] for box in boxes] == expected
        assert [box["marker"]["color"] for box in boxes] == expected
        assert [row["marker"]["color"] for row in lanes_figure(compared, palette)["data"][:3]] == expected


def test_exports_have_the_colours(workspace: DocumentAnalysis, compared: report.Comparison) -> None:
    html = StandalonePage(workspace, compared, "text.md").html
    classes = re.findall(r'<div class="lane (\w+)">', html)
    assert classes == [ENTRY_ROLES[kind] for kind in KINDS]
    assert re.search(r"\.lane path \{[^}]*stroke: var\(--role, var\(--fused\)\)", html)
    for name in {*classes} - {"fused"}:
        assert f".{name} {{ --role: var(--{name}); }}" in html
    marks = re.findall(r"(?:\.track i|\.figure )\.(?:bar|dot) \{[^}]*: var\(--(\w+)\)", markup.style("body"))
    assert marks == [ENTRY_ROLES["strategy"]] * 4


def test_pages_have_the_colours(compared: report.Comparison) -> None:
    role: Palette = getattr(ROLES, ENTRY_ROLES["strategy"])
    summary = found({"best": (0.5, 0.9, 100), "other": (0.5, 0.5, 200)})
    _, others, front = passages.pareto(summary, "mean", "Tokens")["data"]
    assert (others["text"], front["text"]) == (["other"], ["best"])
    assert others["marker"]["color"] == front["marker"]["color"] == role
    assert others["marker"]["symbol"] != front["marker"]["symbol"]
    gaps = compared.cuts[0].gaps
    assert f"var(--cs-{ENTRY_ROLES['strategy']})" in lanes.boundary_lane("heading", gaps, 4)
    lines = chance_figure(compared.offsets / 100, {"you": 0.2, "strategy": 0.5}, texts.load("en"))["layout"]["shapes"]
    assert lines[1]["line"]["color"] == role
