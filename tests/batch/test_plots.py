from __future__ import annotations

from collections import Counter
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunking.batch import plots
from chunking.report.svg import SvgFigure
from chunking.retrieval.reports import figures
from chunking.retrieval.reports.results import Sizes
from tests.retrieval.reports.test_figures import ROWS, found

NAME = "<b>&\"'"


def shapes(figure: SvgFigure, kind: str, name: str) -> list[ElementTree.Element]:
    root = ElementTree.fromstring(figure.file)
    return [each for each in root.iter(f"{{http://www.w3.org/2000/svg}}{kind}") if each.get("class") == name]


@given(ROWS)
def test_every_strategy_is_a_point_inside_the_figure(rows: dict[str, tuple[float, float, float]]) -> None:
    summary = found(rows)
    for figure in (plots.comparison(summary), figures.pareto(summary, summary.primary)):
        points = shapes(figure, "circle", "dot")
        assert len(points) == len(rows)
        assert all(0 <= float(point.get("cx", "")) <= 860 for point in points)
        assert all(0 <= float(point.get("cy", "")) <= figure.height for point in points)
    assert len(shapes(plots.comparison(summary), "path", "bar")) == len(rows)


@given(st.dictionaries(st.integers(0, 5000), st.integers(1, 50), max_size=20))
def test_bars_hold_every_chunk_once(counts: dict[int, int]) -> None:
    bars = shapes(plots.sizes({NAME: Counter(counts), "empty": Counter()}), "rect", "held")
    shown = [(bar.findtext("{*}title") or "").split(": ")[1].removesuffix(" chunks") for bar in bars]
    assert sum(int(each.replace(",", "")) for each in shown) == sum(counts.values())


@given(st.integers(0, 10**6))
def test_two_bins_a_doubling(largest: int) -> None:
    edges = plots.bins(largest)
    assert edges[-1] > largest
    assert edges[:8] == [0, 1, 2, 3, 4, 6, 8, 12][: len(edges)]
    assert all(4 * edge == edges[place + 2] * 2 for place, edge in enumerate(edges[:-2]) if edge > 1)


@given(st.lists(st.integers(0, 70_000), min_size=1, max_size=30))
def test_counts_say_what_the_chunks_do(tokens: list[int]) -> None:
    sizes = Sizes.of(plots.expand(Counter(tokens)))
    assert (sizes.number, sizes.min, sizes.max) == (len(tokens), min(tokens), max(tokens))
    assert sizes.tokens == sum(tokens)
    assert sizes.mean == pytest.approx(np.mean(tokens), abs=1e-3)
    assert sizes.median == np.median(tokens)
    assert sizes.deviation == pytest.approx(np.std(tokens), abs=1e-3)


def test_no_chunk_has_no_size() -> None:
    assert Sizes.of(plots.expand(Counter())).as_dict() == {"number": 0}
