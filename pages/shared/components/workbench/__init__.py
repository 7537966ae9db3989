"""The workbench of a document: sliders, strip, text and panel, which follow the hand without the server.

Its data are messages of their own, one for the document (text, layout, token tables) and one for each strategy (its
curves), which Streamlit sends once, however often a setting changes. The message of the workbench itself is small: the
settings, the selected gap, and a number that tells the browser whether Python has changed anything. What the user does
is reported once it is at rest.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypedDict

import numpy as np
import streamlit as st

from chunking import web
from chunking.standalone.packing import as_json
from pages.shared.components.base import Bytes, Callback, component, pack, whole_number
from pages.shared.state import widget_value

_data = component("chunkscope_workbench_data", __file__, "data.js", isolate_styles=False)
_STYLES = str(web.FOLDER / "workbench" / "workbench.css")
_workbench = component("chunkscope_workbench", __file__, "workbench_part.js", _STYLES)


class WorkbenchDataHead(TypedDict):
    """Names a part of the data of a workbench."""

    source: str


class WorkbenchDataBody(TypedDict, total=False):
    """The data.

    Attributes:
        deflated: compressed JSON; see :func:`chunking.standalone.document.document_data` and ``lane_data``.
        picture: or a PNG.
    """

    deflated: Bytes
    picture: Bytes


class WorkbenchLane(TypedDict):
    """A strategy of a workbench.

    Attributes:
        source: name of its data.
        label: which its reports repeat.
        title: of its row.
        setting: values of the sliders by their names in the scripts; ``None`` without any.
    """

    source: str
    label: str
    title: str
    setting: Any


class WorkbenchPages(TypedDict):
    """The pages of the file of a document.

    Attributes:
        source: name of the data on where its text is on them; those of a picture have the number of its page behind it.
        shown: the page that is shown, from 0; ``None`` where the text is.
        pictures: pages whose pictures are sent.
    """

    source: str
    shown: int | None
    pictures: list[int]


class WorkbenchHead(TypedDict):
    """The state of a workbench.

    Attributes:
        document: key of the document, which its reports repeat.
        source: name of the data of the document.
        lanes: its strategies, one or more.
        comparison: whether they are shown as lanes.
        lane: index of the one that is shown.
        selected: the chosen gap.
        columns: indices of the lanes that are read side by side; empty for one text.
        view: shares of the document between which the lanes show it; ``None`` for all of it.
        revision: changes where Python, not the browser, has changed any of these.
        pinned: values of the sliders of a setting to compare with, where it differs from this one in them alone.
        facts: on the selected gap at this setting that the browser cannot compute: terms with words.
        pages: those of the file; ``None`` where it has none.
        remote: whether the sliders that the page cannot follow may be moved, since Python answers.
    """

    document: str
    source: str
    lanes: list[WorkbenchLane]
    comparison: bool
    lane: int
    selected: int | None
    columns: list[int]
    view: list[float] | None
    pinned: Any
    facts: list[tuple[str, str]]
    pages: WorkbenchPages | None
    revision: int
    remote: bool


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


@dataclass(frozen=True)
class Moved:
    """A strategy whose sliders were moved.

    Attributes:
        label: of the strategy, as in its lane.
        setting: values of the sliders by their names in the scripts.
        names: those that were moved since the last report.
    """

    label: str
    setting: Mapping[str, Any]
    names: tuple[str, ...]


@dataclass(frozen=True)
class Rest:
    """A report of the workbench.

    Attributes:
        document: key of the document that was shown.
        source: name of the data of the document.
        changes: the strategies whose sliders were moved since the last report.
        lane: index of the strategy that is shown.
        gap: the chosen gap; ``None`` for none.
        columns: indices of the lanes side by side.
        view: shares of the document between which the lanes show it; ``None`` for all of it.
        pages: the first and the last page in view; ``None`` where the text is, none where it is not known yet.
        is_opened: whether the strategy is to be seen by itself.
    """

    document: str
    source: str
    changes: tuple[Moved, ...]
    lane: int
    gap: int | None
    columns: tuple[int, ...]
    view: tuple[float, float] | None
    pages: tuple[int, ...] | None
    is_opened: bool


def pack_picture(source: str, picture: bytes) -> bytes:
    """Return the message with a picture, a PNG, that a workbench shows."""
    head: WorkbenchDataHead = {"source": source}
    body: WorkbenchDataBody = {"picture": np.frombuffer(picture, dtype=np.uint8)}
    return pack(head, body)


def pack_data(source: str, data: Mapping[str, Any]) -> bytes:
    """Return the message with a part of the data of a workbench."""
    head: WorkbenchDataHead = {"source": source}
    body: WorkbenchDataBody = {"deflated": np.frombuffer(zlib.compress(as_json(data).encode(), 6), dtype=np.uint8)}
    return pack(head, body)


def send_data(messages: Sequence[bytes]) -> None:
    """Give the browser the data of a workbench; draws nothing."""
    with st.container(key="_workbench_data"):
        for number, message in enumerate(messages):
            _data(key=f"_workbench_data_{number}", data=message, height="content")


def workbench(key: str, head: WorkbenchHead, on_rest: Callback) -> None:
    """Draw the workbench.

    Args:
        key: Streamlit key of the element.
        head: its state.
        on_rest: called before the script runs when the user has left a setting or a place; read :func:`workbench_rest`.
    """
    _workbench(key=key, data=pack(head, {}), height="content", on_rest_change=on_rest)


def workbench_rest(key: str) -> Rest | None:
    """Return what the user has left."""
    report = (widget_value(key) or {}).get("rest")
    if not isinstance(report, dict):
        return None
    changes = report.get("changes")
    return Rest(
        document=str(report.get("document")),
        source=str(report.get("source")),
        changes=tuple(map(_moved_strategy, changes)) if isinstance(changes, list) else (),
        lane=whole_number(report.get("lane")) or 0,
        gap=whole_number(report.get("gap")),
        columns=_numbers(report.get("columns")),
        view=_view(report.get("view")),
        pages=_numbers(report["pages"]) if isinstance(report.get("pages"), list) else None,
        is_opened=report.get("opened") is True,
    )


def _moved_strategy(change: Any) -> Moved:
    given = change if isinstance(change, dict) else {}
    setting, names = given.get("setting"), given.get("moved")
    return Moved(
        label=str(given.get("label")),
        setting=setting if isinstance(setting, dict) else {},
        names=tuple(map(str, names)) if isinstance(names, list) else (),
    )


def _numbers(given: object) -> tuple[int, ...]:
    numbers = map(whole_number, given) if isinstance(given, list) else ()
    return tuple(number for number in numbers if number is not None)


def _view(given: object) -> tuple[float, float] | None:
    if not (isinstance(given, list) and len(given) == 2 and all(isinstance(edge, int | float) for edge in given)):
        return None
    start, end = map(float, given)
    return (start, end) if 0 <= start < end <= 1 else None
