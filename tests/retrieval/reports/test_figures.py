"""Figures of an evaluation of retrieval."""

from __future__ import annotations

from dataclasses import replace
from xml.etree import ElementTree

from hypothesis import given
from hypothesis import strategies as st

from chunking.retrieval.reports import figures
from chunking.retrieval.reports.results import Estimate, Histogram, RetrievalSummary, Sizes
from chunking.retrieval.reports.summary import summarize
from tests.report.test_html import Tags
from tests.retrieval.reports.test_report import made

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


BASE = summarize(made(["whole"], 9))


def found(rows: dict[str, tuple[float, float, float]]) -> RetrievalSummary:
    """An evaluation with recall within 500 and 1,000 tokens, and the mean size, by row."""
    strategies = {
        name: replace(
            BASE.strategies["whole"],
            setting=name,
            chunks=Sizes(3, size, size),
            measures={
                "recall@500": Estimate(low, None),
                "recall@1000": Estimate(high, (high / 2, (1 + high) / 2)),
            },
        )
        for name, (low, high, size) in rows.items()
    }
    return replace(BASE, strategies=strategies)


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
    assert figures.within(replace(known, budgets=(1000,))) == ""


def test_a_strategy_that_is_searched_in_two_ways_has_one_strip() -> None:
    sizes = Sizes(4, 12.0, 11.0, 3.0, 1, 25, 48, Histogram(0, 10, (1, 2, 1)))
    row = replace(BASE.strategies["whole"], setting="s", chunks=sizes)
    rows = {f"s · {method}": replace(row, retriever=method) for method in ("dense", "bm25")}
    rows["none"] = replace(row, setting="none", chunks=Sizes())
    body = figures.sizes(replace(BASE, strategies=rows))
    assert len(Tags(body).of("strip")) == 1
    assert 'title="10–19 tokens: 2"' in body and "no passage" in body
