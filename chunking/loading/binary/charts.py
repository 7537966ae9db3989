"""Charts of Office files (DrawingML): their titles, and their values as the rows of a table."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from chunking.loading.binary.office import whole_number
from chunking.runtime.patterns import compile_pattern

A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
C = "{http://schemas.openxmlformats.org/drawingml/2006/chart}"
CHART = C + "chart"
"""A reference to the part of a chart, and in that part its element."""

_LONG_NUMBER = compile_pattern(r"-?[0-9]{1,17}\.[0-9]{14,24}(?:[eE][-+]?[0-9]{1,3})?")

MAX_POINTS = 100_000
"""Limit of the values of a chart's series."""


def chart_title(root: Any) -> str:
    """Return the title of a chart in one line; empty if it has none."""
    title = root.find(f"{CHART}/{C}title")
    words = title.iter(A + "t", C + "v") if title is not None else ()
    return " ".join(" ".join(word.text or "" for word in words).split())


def chart_rows(root: Any) -> Iterator[list[str]]:
    """Yield the rows of a chart: the names of the series, then a row for each category."""
    series = list(root.iter(C + "ser"))
    names = [" ".join(_points(one.find(C + "tx")).values()) for one in series]
    categories: dict[int, str] = {}
    for one in series:
        for name in (C + "cat", C + "xVal"):
            categories |= _points(one.find(name))
    values = [_points(one.find(C + "val")) or _points(one.find(C + "yVal")) for one in series]
    yield ["", *names]
    for index in sorted(categories.keys() | {index for column in values for index in column}):
        yield [categories.get(index, ""), *(column.get(index, "") for column in values)]


def _points(data: Any | None) -> dict[int, str]:
    """Return the values of a series by their index."""
    points: dict[int, str] = {}
    for point in data.iter(C + "pt", C + "v") if data is not None else ():
        if point.tag == C + "pt":
            points[whole_number(point, "idx", 0, MAX_POINTS)] = _value(point.findtext(C + "v") or "")
        elif point.getparent().tag == C + "tx":
            points[0] = point.text or ""
    return points


def _value(text: str) -> str:
    """Return a value without the error of its last binary digit: Office writes 4.4 as 4.4000000000000004."""
    return f"{float(text):.15g}" if _LONG_NUMBER.fullmatch(text) else text
