"""Figures of an evaluation of retrieval."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree

from hypothesis import given
from hypothesis import strategies as st

from chunking.retrieval.reports import figures
from tests.report.test_html import Tags

SHARES = st.floats(0, 1)
NAMES = st.sampled_from(["a", "b", "c", "<b>&\"'"])


@given(st.dictionaries(st.text(max_size=3), st.tuples(*[st.integers(0, 5)] * 2)))
def test_the_front_holds_those_that_none_beats(given: dict[str, tuple[int, int]]) -> None:
    points = {name: (float(size), float(value)) for name, (size, value) in given.items()}
    front = figures.front(points)
    for name, (size, value) in points.items():
        beaten = [
            other
            for other, (less, more) in points.items()
            if less <= size and more >= value and (less < size or more > value)
        ]
        assert (name in front) != bool(beaten)


def found(rows: dict[str, tuple[float, float, float]]) -> dict[str, Any]:
    """An evaluation with recall within 500 and 1,000 tokens, and the mean size, by row."""
    known = {
        name: {
            "setting": name,
            "recall@500": low,
            "recall@1000": high,
            "recall@1000_interval": (high / 2, (1 + high) / 2),
            "chunks": {"number": 3, "mean": size, "median": 1.0},
        }
        for name, (low, high, size) in rows.items()
    }
    return {"primary": "recall@1000", "budgets": [500, 1000], "strategies": known}


ROWS = st.dictionaries(NAMES, st.tuples(SHARES, SHARES, st.floats(1, 9000)), min_size=1)


@given(ROWS)
def test_every_row_is_a_point_inside_the_figure_with_its_interval(rows: dict[str, tuple[float, float, float]]) -> None:
    figure = figures.pareto(found(rows), "recall@1000", "mean")
    root, height = ElementTree.fromstring(figure.markup), figure.height
    points = [each for each in root.iter() if each.get("class") == "dot"]
    assert len(points) == len(rows)
    assert len([each for each in root.iter() if each.get("class") == "reach"]) == len(rows)
    assert all(0 <= float(point.get("cx", "")) <= 860 and 0 <= float(point.get("cy", "")) <= height for point in points)
    ahead = figures.front({name: (size, high) for name, (_, high, size) in rows.items()})
    assert sum(point.get("fill-opacity") is None for point in points) == len(ahead)


@given(ROWS)
def test_recall_within_each_number_of_tokens_is_a_dot(rows: dict[str, tuple[float, float, float]]) -> None:
    known = found(rows)
    shown = Tags(figures.within(known, ["a"]))
    assert len(shown.of("small")) == len(shown.of("large")) == len(rows)
    assert len(shown.of("base")) == ("a" in rows)
    assert figures.within(known | {"budgets": [1000]}) == ""


def test_a_strategy_that_is_searched_in_two_ways_has_one_strip() -> None:
    sizes: dict[str, Any] = {
        "number": 4,
        "mean": 12.0,
        "median": 11.0,
        "deviation": 3.0,
        "min": 1,
        "max": 25,
        "tokens": 48,
    }
    sizes["histogram"] = {"start": 0, "width": 10, "counts": [1, 2, 1]}
    rows = {f"s · {way}": {"setting": "s", "chunks": sizes, "rr": 0.5} for way in ("dense", "bm25")}
    rows["none"] = {"setting": "none", "chunks": {"number": 0}, "rr": 0.0}
    body = figures.sizes({"strategies": rows, "primary": "rr"})
    assert len(Tags(body).of("strip")) == 1
    assert 'title="10–19 tokens: 2"' in body and "no passage" in body
