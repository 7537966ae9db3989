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
from typing import Annotated, Any, TypedDict

import numpy as np
import streamlit as st

from chunking import export, web
from chunking.document import BLOCK_KINDS
from chunking.runtime.arrays import AnyInts
from chunking.standalone.packing import as_json, whole
from pages.shared.components.base import Bytes, Callback, Message, Natural, component, ignore, pack, reported
from pages.shared.storage import forgetting

_data = component("chunkscope_workbench_data", __file__, "data.js", isolate_styles=False)
_STYLES = str(web.FOLDER / "workbench" / "workbench.css")
_workbench = component("chunkscope_workbench", __file__, "workbench_part.js", _STYLES)

SliderValues = Annotated[dict[str, Any], "any"]
"""Values of the sliders by their names in the scripts."""


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
        received: number of the last report that has arrived; 0 for none.
        pinned: values of the sliders of a setting to compare with, where it differs from this one in them alone.
        facts: on the selected gap at this setting that the browser cannot compute: terms with words.
        pages: those of the file; ``None`` where it has none.
        remote: whether the sliders that the page cannot follow may be moved, since Python answers.
        editable: whether passages of the text may be edited.
        by_hand: gaps that are cut or joined by hand, each with ``"cut"`` or ``"join"``; ``None`` where none can be.
        by_hand_received: number of the last report of these that has arrived; 0 for none.
        cut_before: gaps that were cut before the text was edited; ``None`` where it was not.
        decided_before: gaps whose decision the edits have changed, with what it was, in words.
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
    received: int
    remote: bool
    editable: bool
    by_hand: list[tuple[int, str]] | None
    by_hand_received: int
    cut_before: list[int] | None
    decided_before: list[tuple[int, str]]


@dataclass(frozen=True)
class Moved(Message):
    """A strategy of a workbench whose sliders were moved.

    Attributes:
        label: of the strategy, as in its lane.
        setting: values of the sliders by their names in the scripts.
        names: those that were moved since the last report that the browser knows to have arrived: of two that come
            together, Streamlit hands on the last.
    """

    label: str
    setting: SliderValues
    names: tuple[str, ...]


@dataclass(frozen=True)
class Rest(Message):
    """What the user has left in a workbench.

    Attributes:
        number: of the report, above those before it.
        document: key of the document that was shown.
        source: name of the data of the document.
        changes: the strategies whose sliders were moved, as far as no report is known to have told of it.
        lane: index of the strategy that is shown.
        gap: the chosen gap; ``None`` for none.
        columns: indices of the lanes side by side.
        view: shares of the document between which the lanes show it; ``None`` for all of it.
        pages: the first and the last page in view; ``None`` where the text is, none where it is not known yet.
        is_opened: whether the strategy is to be seen by itself.

    Raises:
        ValueError: the view is no part of the document.
    """

    number: int
    document: str
    source: str
    changes: tuple[Moved, ...]
    lane: Natural
    gap: Natural | None
    columns: tuple[Natural, ...]
    view: tuple[float, float] | None
    pages: tuple[Natural, ...] | None
    is_opened: bool

    def __post_init__(self) -> None:
        if self.view and not 0 <= self.view[0] < self.view[1] <= 1:
            raise ValueError("a part of the document begins before it ends")


@dataclass(frozen=True)
class ChangedPassage(Message):
    """A passage of the text with other words.

    Attributes:
        document: key of the document that was shown.
        start, end: half-open span of the passage, in characters.
        words: what takes its place.
    """

    document: str
    start: Natural
    end: Natural
    words: str


@dataclass(frozen=True)
class ByHand(Message):
    """All that is cut and joined by hand in a document.

    Attributes:
        document: key of the document that was shown.
        number: of the report, above those before it.
        edits: gaps, each with ``"cut"`` or ``"join"``; one that is not named is left to the strategy.
    """

    document: str
    number: int
    edits: tuple[tuple[Natural, str], ...]


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


def send_text(key: str, text: str, spans: AnyInts, kinds: AnyInts) -> None:
    """Give the browser the text of a document, for components that show it as it is written; draws nothing.

    Args:
        key: of text, spans and kinds; what the components call ``document``.
        text: the document. Offsets are characters (Unicode code points) in every component; the browser converts them.
        spans: ``(n_sentences, 2)`` integers, half-open character spans, in order.
        kinds: ``(n_sentences,)`` integers, index of each sentence's block kind in ``chunking.document.BLOCK_KINDS``, or
            their number for none. Code and tables are shown in a monospaced face, headings bold.
    """
    send_data([_text_message(key, text, spans, kinds)])


@forgetting.cleared_on_deletion
@st.cache_resource(max_entries=8, show_spinner=False)
def _text_message(key: str, _text: str, _spans: AnyInts, _kinds: AnyInts) -> bytes:
    none = whole([])
    text = {"text": export.encodable(_text), "offsets": none, "spans": whole(_spans)}
    headings = {"starts": none, "paths": []}
    return pack_data(
        key, {"text": text | {"headings": headings}, "kinds": whole(_kinds), "kind_names": [*BLOCK_KINDS, ""]}
    )


def workbench(
    key: str, head: WorkbenchHead, on_rest: Callback, on_edit: Callback = ignore, on_by_hand: Callback = ignore
) -> None:
    """Draw the workbench.

    Args:
        key: Streamlit key of the element.
        head: its state.
        on_rest: called before the script runs when the user has left a setting or a place; read :func:`workbench_rest`.
        on_edit: called when the user has edited a passage; read :func:`workbench_edit`.
        on_by_hand: called when the user has cut or joined by hand; read :func:`workbench_by_hand`.
    """
    _workbench(
        key=key, data=pack(head, {}), height="content", on_rest_change=on_rest, on_edit_change=on_edit,
        on_by_hand_change=on_by_hand,
    )  # fmt: skip


def workbench_rest(key: str) -> Rest | None:
    """Return what the user has left."""
    return reported(key, "rest", Rest)


def workbench_edit(key: str, document: str) -> ChangedPassage | None:
    """Return the passage of a document, by its key, that the user has edited."""
    return reported(key, "edit", ChangedPassage, document)


def workbench_by_hand(key: str, document: str) -> ByHand | None:
    """Return all that the user has cut and joined by hand in a document, by its key."""
    return reported(key, "by_hand", ByHand, document)
