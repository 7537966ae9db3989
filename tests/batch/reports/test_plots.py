from __future__ import annotations

from collections import Counter
from xml.etree import ElementTree

from hypothesis import given
from hypothesis import strategies as st

from chunking.batch.reports import plots

NAME = "<b>&\"'"


def found(rows: dict[str, tuple[float, tuple[float, float] | None, float]]) -> dict[str, object]:
    return {
        "primary": "nDCG@10",
        "strategies": {
            name: {"nDCG@10": value, "nDCG@10_interval": interval, "chunks": {"number": 3, "median": median}}
            for name, (value, interval, median) in rows.items()
        },
    }


def shapes(svg: str, kind: str, name: str) -> list[ElementTree.Element]:
    root = ElementTree.fromstring(svg)
    return [each for each in root.iter(f"{{http://www.w3.org/2000/svg}}{kind}") if each.get("class") == name]


@given(
    st.dictionaries(
        st.sampled_from(["a", "b", "c", NAME]), st.tuples(st.floats(0, 1), st.none(), st.floats(1, 9000)), min_size=1
    )
)
def test_every_strategy_is_a_point_inside_the_figure(rows: dict[str, tuple[float, None, float]]) -> None:
    for svg in (plots.comparison(found(rows), "nDCG@10"), plots.pareto(found(rows), "nDCG@10")):  # type: ignore[arg-type]
        points = shapes(svg, "circle", "dot")
        assert len(points) == len(rows)
        height = float(ElementTree.fromstring(svg).get("viewBox", "").split()[3])
        assert all(0 <= float(point.get("cx", "")) <= 860 for point in points)
        assert all(0 <= float(point.get("cy", "")) <= height for point in points)
    assert len(shapes(plots.comparison(found({"a": (0.5, (0.4, 0.6), 10)}), "nDCG@10"), "path", "bar")) == 1


@given(st.dictionaries(st.integers(0, 5000), st.integers(1, 50), max_size=20))
def test_bars_hold_every_chunk_once(counts: dict[int, int]) -> None:
    svg = plots.sizes({NAME: Counter(counts), "empty": Counter()})
    bars = shapes(svg, "rect", "held")
    shown = [(bar.findtext("{*}title") or "").split(": ")[1].removesuffix(" chunks") for bar in bars]
    assert sum(int(each.replace(",", "")) for each in shown) == sum(counts.values())


@given(st.integers(0, 10**6))
def test_two_bins_a_doubling(largest: int) -> None:
    edges = plots.bins(largest)
    assert edges[-1] > largest
    assert edges[:8] == [0, 1, 2, 3, 4, 6, 8, 12][: len(edges)]
    assert all(4 * edge == edges[place + 2] * 2 for place, edge in enumerate(edges[:-2]) if edge > 1)
