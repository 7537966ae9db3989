"""The workbench of a document: sliders, strip, text and panel, which follow the hand without the server.

Its data (text, curves, token tables) are a message of their own, which Streamlit sends once, however often a setting
changes. The message of the workbench itself is small: the setting, the selected gap, and a number that tells the
browser whether Python has changed either. What the user does is reported once it is at rest.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypedDict

import numpy as np

from chunking import web
from chunking.standalone.packing import as_json
from pages.shared.components.base import Bytes, Callback, component, pack, whole_number
from pages.shared.state import widget_value

_data = component("chunkscope_workbench_data", __file__, "data.js", isolate_styles=False)
_STYLES = str(web.FOLDER / "workbench" / "workbench.css")
_workbench = component("chunkscope_workbench", __file__, "workbench_part.js", _STYLES)


class WorkbenchDataHead(TypedDict):
    """Names the data of a workbench."""

    source: str


class WorkbenchDataBody(TypedDict):
    """The data, as compressed JSON; see :func:`chunking.standalone.document.document_data`."""

    deflated: Bytes


class WorkbenchHead(TypedDict):
    """The state of a workbench.

    Attributes:
        document: key of the document, which its reports repeat.
        source: name of its data.
        strategy: name of the strategy, which its reports repeat.
        setting: values of the sliders by their names in the scripts; ``None`` without any.
        selected: the chosen gap.
        revision: changes where Python, not the browser, has changed the setting or the gap.
        pinned: values of the sliders of a setting to compare with, where it differs from this one in them alone.
        facts: on the selected gap at this setting that the browser cannot compute: terms with words.
        remote: whether the sliders that the page cannot follow may be moved, since Python answers.
    """

    document: str
    source: str
    strategy: str
    setting: Any
    selected: int | None
    pinned: Any
    facts: list[tuple[str, str]]
    revision: int
    remote: bool


@dataclass(frozen=True)
class Rest:
    """A report of the workbench.

    Attributes:
        document: key of the document that was shown.
        source: name of the data that it was made with.
        strategy: name of the strategy.
        setting: values of the sliders by their names in the scripts.
        moved: the names of those that were moved since the last report.
        gap: the chosen gap; ``None`` for none.
    """

    document: str
    source: str
    strategy: str
    setting: Mapping[str, Any]
    moved: tuple[str, ...]
    gap: int | None


def pack_data(source: str, data: Mapping[str, Any]) -> bytes:
    """Return the message with the data of a workbench."""
    head: WorkbenchDataHead = {"source": source}
    body: WorkbenchDataBody = {"deflated": np.frombuffer(zlib.compress(as_json(data).encode(), 6), dtype=np.uint8)}
    return pack(head, body)


def send_data(message: bytes) -> None:
    """Give the browser the data of a workbench; draws nothing."""
    _data(key="_workbench_data", data=message, height="content")


def workbench(key: str, head: WorkbenchHead, on_rest: Callback) -> None:
    """Draw the workbench.

    Args:
        key: Streamlit key of the element.
        head: its state.
        on_rest: called before the script runs when the user has left a setting or a gap; read :func:`workbench_rest`.
    """
    _workbench(key=key, data=pack(head, {}), height="content", on_rest_change=on_rest)


def workbench_rest(key: str) -> Rest | None:
    """Return what the user has left."""
    report = (widget_value(key) or {}).get("rest")
    if not isinstance(report, dict):
        return None
    setting, moved = report.get("setting"), report.get("moved")
    return Rest(
        document=str(report.get("document")),
        source=str(report.get("source")),
        strategy=str(report.get("strategy")),
        setting=setting if isinstance(setting, dict) else {},
        moved=tuple(map(str, moved)) if isinstance(moved, list) else (),
        gap=whole_number(report.get("gap")),
    )
