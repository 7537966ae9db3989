"""Charts of Office files (DrawingML): their titles, and their values as the rows of a table.

The values of a chart in a workbook are usually those of cells, which the workbook has as tables already: such a chart
has a caption alone.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from typing import Any

from chunking.loading.binary.office import whole_number
from chunking.runtime.patterns import compile_pattern

A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
C = "{http://schemas.openxmlformats.org/drawingml/2006/chart}"
CHART = C + "chart"
"""A reference to the part of a chart, and in that part its element."""

_AXES = tuple(C + name for name in ("catAx", "dateAx", "valAx", "serAx"))
_DATA = tuple(C + name for name in ("cat", "val", "xVal", "yVal", "bubbleSize"))
_LONG_NUMBER = compile_pattern(r"-?[0-9]{1,17}\.[0-9]{14,24}(?:[eE][-+]?[0-9]{1,3})?")

MAX_POINTS = 100_000
"""Limit of the values of a chart's series."""


def chart_title(root: Any) -> str:
    """Return the title of a chart and those of its axes in one line; empty if it has none."""
    axes = [_title(axis) for axis in root.iterfind(f"{CHART}/{C}plotArea/*") if axis.tag in _AXES]
    return chart_caption(_title(root.find(CHART)), axes)


def chart_caption(title: str, axes: Iterable[str] = (), series: Iterable[str] = ()) -> str:
    """Return a line of the title of a chart, the titles of its axes and the names of its series, each once."""
    parts = [title] if title else []
    if known := list(dict.fromkeys(filter(None, axes))):
        parts.append(f"({'; '.join(known)})")
    caption, names = " ".join(parts), ", ".join(dict.fromkeys(filter(None, series)))
    return f"{caption}: {names}" if caption and names else caption or names


def caption_of_cells(root: Any) -> str:
    """Return the caption of a chart whose values are elsewhere: its titles, and the names of its series."""
    return chart_caption(chart_title(root), (), _names(root.iter(C + "ser")))


def shows_cells(root: Any, sheets: Container[str]) -> bool:
    """Return whether all values and categories of a chart are those of cells of some sheets."""
    data = list(root.iter(*_DATA))
    return bool(data) and all(sheet_of(one.findtext(f".//{C}f") or "") in sheets for one in data)


def sheet_of(reference: str) -> str:
    """Return the name of the sheet of a reference to cells (``'Tea 1'!$A$1:$A$9``); empty if it states none."""
    name = reference.lstrip("(").rpartition("!")[0].partition("!")[0]
    return name[1:].rpartition("'")[0].replace("''", "'") if name.startswith("'") else name


def _title(element: Any | None) -> str:
    title = element.find(C + "title") if element is not None else None
    words = title.iter(A + "t", C + "v") if title is not None else ()
    return " ".join(" ".join(word.text or "" for word in words).split())


def _names(series: Iterable[Any]) -> list[str]:
    return [" ".join(_points(one.find(C + "tx")).values()) for one in series]


def chart_rows(root: Any) -> Iterator[list[str]]:
    """Yield the rows of a chart: the names of the series, then a row for each category."""
    series = list(root.iter(C + "ser"))
    names = _names(series)
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
