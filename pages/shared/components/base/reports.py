"""Reports of a component: the values that the browser sets, checked before anyone uses them.

A report names the document it is about, so that one about another document is not taken for this one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypedDict

from pages.shared.state import widget_value

Callback = Callable[[], None]


class GapReport(TypedDict):
    """A gap was chosen; ``None``: the choice was cleared."""

    document: str | None
    gap: int | None


class PageReport(TypedDict):
    """A page was requested, from 0."""

    document: str | None
    page: int


class MarksReport(TypedDict):
    """The spans that are marked now, in characters."""

    document: str
    revision: int
    spans: list[list[int]]


class PickedReport(TypedDict):
    """The gaps that are picked now, and whether they are final."""

    document: str
    revision: int
    gaps: list[int]
    final: bool


class ItemsReport(TypedDict):
    """The items that the browser keeps."""

    document: str
    items: dict[str, str]


class MovedReport(TypedDict):
    """A strategy of a workbench whose sliders were moved: its setting, and which of them."""

    label: str
    setting: Any
    moved: list[str]


class RestReport(TypedDict):
    """What the user has left in a workbench, and whether the lane is to be seen by itself."""

    document: str
    source: str
    changes: list[MovedReport]
    lane: int
    gap: int | None
    columns: list[int]
    view: list[float] | None
    pages: list[int] | None
    opened: bool


class TunedReport(TypedDict):
    """What the user has left on the map of settings, and whether it is to be seen on Inspect."""

    document: str
    setting: Any
    gap: int | None
    judge: str
    target: int
    opened: bool


class Reports(TypedDict):
    """The reports of all components, by the name under which the browser sets them."""

    gap: GapReport
    page: PageReport
    marks: MarksReport
    picked: PickedReport
    items: ItemsReport
    rest: RestReport
    tuned: TunedReport
    chosen: str
    sent: Any
    name: str
    next: bool


def ignore() -> None:
    """Do nothing: Streamlit reports a component's values only to a callback."""


def reported(key: str, name: str, document: str) -> dict[str, Any] | None:
    """Return the last report of a component under a name; ``None`` without one about this document."""
    value = (widget_value(key) or {}).get(name)
    return value if isinstance(value, dict) and value.get("document") == document else None


def chosen(report: dict[str, Any] | None, name: str) -> tuple[int | None, bool]:
    """Return the number that a report chooses, and whether it clears the choice instead."""
    if report is None:
        return None, False
    value = report.get(name)
    return (None, True) if value is None else (whole_number(value), False)


def whole_number(value: object) -> int | None:
    """Return a whole number from 0 as the browser reports it, or ``None``."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None
