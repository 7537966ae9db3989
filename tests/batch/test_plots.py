from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunking.batch import plots
from chunking.report.svg import SvgFigure
from chunking.retrieval.reports import figures, summary

NAME = "<b>&\"'"


def found(rows: Mapping[str, tuple[float, tuple[float, float] | None, float]]) -> dict[str, Any]:
    return {
        "primary": "nDCG@10",
        "strategies": {
            name: {"nDCG@10": value, "nDCG@10_interval": interval, "chunks": {"number": 3, "median": median}}
            for name, (value, interval, median) in rows.items()
        },
    }


def shapes(figure: SvgFigure, kind: str, name: str) -> list[ElementTree.Element]:
    root = ElementTree.fromstring(figure.file)
    return [each for each in root.iter(f"{{http://www.w3.org/2000/svg}}{kind}") if each.get("class") == name]


@given(
    st.dictionaries(
        st.sampled_from(["a", "b", "c", NAME]), st.tuples(st.floats(0, 1), st.none(), st.floats(1, 9000)), min_size=1
    )
)
def test_every_strategy_is_a_point_inside_the_figure(rows: dict[str, tuple[float, None, float]]) -> None:
    for figure in (plots.comparison(found(rows), "nDCG@10"), figures.pareto(found(rows), "nDCG@10")):
        points = shapes(figure, "circle", "dot")
        assert len(points) == len(rows)
        assert all(0 <= float(point.get("cx", "")) <= 860 for point in points)
        assert all(0 <= float(point.get("cy", "")) <= figure.height for point in points)
    assert len(shapes(plots.comparison(found({"a": (0.5, (0.4, 0.6), 10)}), "nDCG@10"), "path", "bar")) == 1


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
    found = summary.sizes(plots.expand(Counter(tokens)))
    assert (found["number"], found["min"], found["max"]) == (len(tokens), min(tokens), max(tokens))
    assert found["tokens"] == sum(tokens)
    assert found["mean"] == pytest.approx(np.mean(tokens), abs=1e-3)
    assert found["median"] == np.median(tokens)
    assert found["deviation"] == pytest.approx(np.std(tokens), abs=1e-3)
    assert sum(found["histogram"]["counts"]) == len(tokens)


def test_no_chunk_has_no_size() -> None:
    assert summary.sizes(plots.expand(Counter())) == {"number": 0}
