"""Charts and figures in SVG: axes without two ticks of one label, and rows of dots."""

from __future__ import annotations

import re
from xml.etree import ElementTree

from hypothesis import given
from hypothesis import strategies as st

from chunking.report import charts, svg
from chunking.report.charts import Axis
from chunking.report.formatting import percent
from chunking.report.theme import PALETTES
from tests.report.test_html import Tags

SHARES = st.lists(st.floats(0, 1) | st.sampled_from([0.5, 0.5001, 0.50011]), min_size=1, max_size=6)


@given(SHARES)
def test_ticks_in_percent_are_all_different(values: list[float]) -> None:
    axis = Axis.of(values)
    assert axis.ticks[0] <= min(values) and max(values) <= axis.ticks[-1] + 1e-12
    labels = re.findall(r">([^<>]+)</text>", "".join(svg.columns(axis, 100, percent)))
    assert len(labels) == len(set(labels)) >= 2


@given(st.lists(st.floats(-1, 1), min_size=1, max_size=3))
def test_an_axis_holds_its_values_and_nought_in_a_few_steps(values: list[float]) -> None:
    axis = Axis.of([0.0, *values], most=10)
    for value in (*values, 0.0):
        assert -0.01 <= float(axis.at(value).removesuffix("%")) <= 100.01
    assert 2 <= len(axis.ticks) <= 13
    assert min(abs(tick) for tick in axis.ticks) == 0


def test_rows_without_a_value_have_no_dot() -> None:
    entries = [("a", 0.5, (0.4, 0.6)), ("b", None, None), ("c", 0.1, None)]
    shown = Tags(charts.dot_chart(entries, None, "t", percent, ["c"]))
    assert (len(shown.of("row")), len(shown.of("dot")), len(shown.of("bar")), len(shown.of("mark"))) == (4, 2, 1, 0)
    assert [row["title"] for row in shown.of("base")] == ["c: 10.0"]
    assert [row.get("title") for row in shown.of("row")] == ["a: 50.0 [40.0, 60.0]", "b: –", "c: 10.0", None]
    assert len(Tags(charts.dot_chart(entries, 0.3, "t", percent)).of("mark")) == 3


def test_a_file_is_complete_and_has_its_colours_in_itself() -> None:
    file = svg.figure(100, "<b>&\"'", [svg.label("<b>", 3)]).file
    root = ElementTree.fromstring(file)
    assert root.get("width") == "860" and "var(" not in file
    for palette in PALETTES.values():
        assert palette.fused in file and palette.surface in file
