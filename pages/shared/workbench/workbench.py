"""The workbench of the open document: its data, which stay while sliders move, and what the user has left there."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import Any, Protocol, cast

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from chunking import ChunkscopeError
from chunking.params import Value
from chunking.reference import Reference
from chunking.rendering import has_layout
from chunking.standalone import controls
from chunking.standalone.controls import divided
from chunking.standalone.data import document_data, lane_data
from chunking.strategies import Segmentation, Setting
from chunking.strategies.changepoint import ChangepointParameters
from chunking.work import measures
from chunking.workspace import DocumentAnalysis
from pages.shared import state
from pages.shared.components.workbench import (
    ByHand,
    ChangedPassage,
    Moved,
    Rest,
    WorkbenchLane,
    pack_data,
    send_data,
    workbench,
    workbench_by_hand,
    workbench_edit,
    workbench_rest,
)
from pages.shared.documents import results
from pages.shared.frame.frame import popover
from pages.shared.inspect import gap_facts
from pages.shared.inspect.pdf_pages import PdfPages
from pages.shared.state import session
from pages.shared.storage import forgetting

KEY = "_workbench"
"""Of the component."""


@dataclass(frozen=True, eq=False)
class ShownLane:
    """A strategy that the workbench shows.

    Attributes:
        label: by which its reports name it.
        title: of its row.
        setting: that is shown; ``None`` for chunks that no strategy of ours has made.
        segmentation: what it makes of the document.
    """

    label: str
    title: str
    setting: Setting | None
    segmentation: Segmentation


@dataclass(frozen=True)
class Selection:
    """What is selected in a workbench.

    Attributes:
        lane: index of the strategy.
        gap: the selected gap.
        columns: indices of the strategies that are read side by side.
        view: shares of the document between which the lanes show it; ``None`` for all of it.
        page: the page that is shown, from 0; ``None`` where the text is.
    """

    lane: int = 0
    gap: int | None = None
    columns: tuple[int, ...] = ()
    view: tuple[float, float] | None = None
    page: int | None = None


@dataclass(frozen=True)
class _BrowserState:
    """What the browser shows, as far as Python knows, and the number under which that was sent.

    Attributes:
        sources: names of the data.
        settings: values of the sliders of each strategy.
        titles: of the strategies.
        selection: what is selected.
        revision: of the message.
    """

    sources: tuple[str, ...]
    settings: tuple[Mapping[str, Any] | None, ...]
    titles: tuple[str, ...]
    selection: Selection
    revision: int = 0


_BROWSER: state.SessionValue[_BrowserState | None] = state.SessionValue("_workbench_left", session.empty)

_RECEIVED: state.SessionValue[int] = state.SessionValue("_workbench_received", lambda: 0)
"""Number of the last report of the browser."""

OnRest = Callable[[Rest, Selection], None]
"""Takes the report of the browser, and the selection before it; in a callback."""


class Edits(Protocol):
    """What edits of the text have changed."""

    @property
    def cut_before(self) -> list[int] | None:
        """The gaps of the text that were cut before it was edited; ``None`` where it was not."""

    @property
    def decided_before(self) -> list[tuple[int, str]]:
        """The gaps whose decision the edits have changed, with what it was, in words."""

    def take(self, edit: ChangedPassage) -> None:
        """Take an edited passage; in a callback."""


class ByHandEdits(Protocol):
    """What is cut and joined by hand."""

    @property
    def at_gaps(self) -> list[tuple[int, str]]:
        """The gaps that are decided by hand, each with its action."""

    @property
    def received(self) -> int:
        """The number of the last report of the browser."""

    def take(self, by_hand: ByHand) -> None:
        """Take all that is decided; in a callback."""


def show(
    workspace: DocumentAnalysis,
    lanes: Sequence[ShownLane],
    reference: Reference,
    selection: Selection,
    on_rest: OnRest,
    *,
    on_open: Callable[[str], None] | None = None,
    pinned: tuple[Setting, Segmentation] | None = None,
    paper: PdfPages | None = None,
    edits: Edits | None = None,
    hand: ByHandEdits | None = None,
) -> None:
    """Draw the workbench of a document.

    Args:
        workspace: the document.
        lanes: the strategies, at least one.
        reference: boundaries that people set.
        selection: what is selected.
        on_rest: takes what the user has left of this document.
        on_open: takes the label of a lane that is to be seen by itself; given where the strategies are compared.
        pinned: another setting of the only strategy, with what it makes of the document.
        paper: the pages of the document's file, where they can be shown.
        edits: what edits have changed, and what takes the next; ``None`` where the text is not edited.
        hand: what is cut and joined by hand, and what takes more; ``None`` where nothing can be.

    Raises:
        ChunkscopeError: a page cannot be drawn.
    """
    data = data_of(workspace, lanes, reference)
    pictured = paper.pictured(None if selection.gap is None else int(workspace.offsets[selection.gap])) if paper else []
    send({**data.messages, **(paper.messages(pictured) if paper else {})})
    source, names = data.document, data.lanes
    now = _current((source, *names), lanes, selection)

    def take() -> None:
        rest = workbench_rest(KEY)
        if rest is not None:
            _RECEIVED.set(rest.number)
            if paper and rest.document == workspace.document.key:
                paper.take(rest.pages)
            _receive(rest, lanes, now, workspace.document.key, on_rest)
            if rest.is_opened and on_open and rest.document == workspace.document.key and rest.lane < len(lanes):
                on_open(lanes[rest.lane].label)

    def take_edit() -> None:
        edit = workbench_edit(KEY, workspace.document.key)
        if edits and edit:
            edits.take(edit)

    def take_by_hand() -> None:
        by_hand = workbench_by_hand(KEY, workspace.document.key)
        if hand and by_hand:
            hand.take(by_hand)

    facts = gap_facts.rows(lanes[selection.lane].segmentation, selection.gap)
    workbench(
        KEY,
        {
            "document": workspace.document.key,
            "source": source,
            "lanes": [_lane_head(*part) for part in zip(lanes, names, now.settings, strict=True)],
            "comparison": on_open is not None,
            "lane": selection.lane,
            "selected": selection.gap,
            "columns": list(selection.columns),
            "view": list(selection.view) if selection.view else None,
            "pinned": _pinned_values(workspace, lanes[0], pinned),
            "facts": facts,
            "pages": {"source": paper.source, "shown": selection.page, "pictures": pictured} if paper else None,
            "revision": now.revision,
            "received": _RECEIVED.get(),
            "remote": True,
            "editable": edits is not None,
            "by_hand": hand.at_gaps if hand else None,
            "by_hand_received": hand.received if hand else 0,
            "cut_before": edits.cut_before if edits else None,
            "decided_before": edits.decided_before if edits else [],
        },
        take,
        take_edit,
        take_by_hand,
    )


def _current(sources: tuple[str, ...], lanes: Sequence[ShownLane], selection: Selection) -> _BrowserState:
    """Return what is shown now; under a new number where that is not what the browser shows already."""
    previous = _BROWSER.get()
    settings = tuple(_values(lane.segmentation) for lane in lanes)
    now = _BrowserState(
        sources, settings, tuple(lane.title for lane in lanes), selection, previous.revision if previous else 0
    )
    if now != previous:
        now = replace(now, revision=now.revision + 1)
        _BROWSER.set(now)
    return now


def _values(segmentation: Segmentation) -> dict[str, Any] | None:
    """Return the values of the sliders; ``None`` without any."""
    if segmentation.signals is None:
        return None
    return controls.setting_values(segmentation.params, segmentation.strategy)


def _lane_head(lane: ShownLane, name: str, setting: Mapping[str, Any] | None) -> WorkbenchLane:
    return {"source": name, "label": lane.label, "title": lane.title, "setting": setting}


# --- data ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class WorkbenchData:
    """The data of a document and of strategies, for the browser.

    Attributes:
        document: name of those of the document.
        lanes: names of those of the strategies, in their order; those that differ in sliders alone have one.
        messages: all of them by their names.
    """

    document: str
    lanes: tuple[str, ...]
    messages: Mapping[str, bytes]


def data_of(workspace: DocumentAnalysis, lanes: Sequence[ShownLane], reference: Reference) -> WorkbenchData:
    """Return the data of a document and of strategies."""
    bases = [_base(workspace, lane) for lane in lanes]
    # What a page computes itself it has once, whatever is decided by hand.
    whole, edited = (f"{version.key}/{version.tools.tokenizer}" for version in (workspace.with_edits(()), workspace))
    source = f"{whole}/{blake2b(repr(reference).encode(), digest_size=8).hexdigest()}"
    names = tuple(
        f"{whole if _is_computed(workspace, lane) else edited}/{_identity(lane, base)}"
        for lane, base in zip(lanes, bases, strict=True)
    )
    parts = dict(zip(names, zip(lanes, bases, strict=True), strict=True))
    messages = {name: _lane_message(name, workspace, lane, base) for name, (lane, base) in parts.items()}
    return WorkbenchData(source, names, {source: _document_message(source, workspace, reference)} | messages)


_SENT: state.SessionValue[tuple[frozenset[str], int]] = state.SessionValue("_workbench_sent", lambda: (frozenset(), 0))
"""Names of the data that the last run of a whole page has sent, and the number of the message."""


def send(messages: Mapping[str, bytes]) -> None:
    """Give the browser data by their names; in a run of a part of the page, those that it does not have from the page.

    It keeps what it was sent, but a message may be dropped where the next run begins before it was on its way.
    """
    names, number = _SENT.get()
    if not session.is_part_run():
        names, number = frozenset(), state.address().begin_message()
        _SENT.set((frozenset(messages), number))
    elif not state.address().has_arrived(number):
        names = frozenset()
    send_data([message for name, message in messages.items() if name not in names])


def base_of(workspace: DocumentAnalysis, setting: Setting, segmentation: Segmentation) -> Setting:
    """Return the setting whose data hold for every position of the sliders; the present one where there is none."""
    if not (controls.is_live(workspace, segmentation) or _is_divided(segmentation)):
        return setting
    params = segmentation.params
    movable = {control.name for control in controls.controls(workspace, segmentation)}
    if "min_tokens" in movable:
        movable.add("soft_min_tokens")  # which goes with the limits, see liftLimits in workbench.js
    defaults = {name: params.lookup(name).default for name in movable}
    return Setting(setting.strategy, replace(params, **defaults))


def _base(workspace: DocumentAnalysis, lane: ShownLane) -> Setting | None:
    """Return the setting whose data hold for every position of a lane's sliders; ``None`` for foreign chunks."""
    return lane.setting and base_of(workspace, lane.setting, lane.segmentation)


def _is_computed(workspace: DocumentAnalysis, lane: ShownLane) -> bool:
    """Return whether the page computes the chunks of a lane at any setting."""
    return controls.is_live(workspace, lane.segmentation) and not _is_divided(lane.segmentation)


def _identity(lane: ShownLane, base: Setting | None) -> str:
    """Return a name of the data of a lane."""
    if base is not None:
        return base.text
    chunks = [(chunk.start, chunk.end, chunk.notes) for chunk in lane.segmentation.chunks]
    return f"{lane.label}/{blake2b(repr(chunks).encode(), digest_size=8).hexdigest()}"


def _pinned_values(
    workspace: DocumentAnalysis, lane: ShownLane, pinned: tuple[Setting, Segmentation] | None
) -> dict[str, Any] | None:
    """Return the values of the sliders of a pinned setting; ``None`` where it differs in more than these."""
    if pinned is None or base_of(workspace, *pinned) != _base(workspace, lane):
        return None
    return _values(pinned[1])


_LONGEST = 1_000
"""Sentences up to which a document is divided at change points under other settings in advance."""


def _is_divided(segmentation: Segmentation) -> bool:
    """Return whether the divisions of a document at change points are made in advance."""
    if segmentation.signals is None or len(segmentation.signals.sentences) > _LONGEST:
        return False
    params = segmentation.params
    if not isinstance(params, ChangepointParameters) or params.boundaries or params.percentile:
        return False
    return controls.is_divided(segmentation)


@forgetting.cleared_on_deletion
@st.cache_resource(max_entries=8, ttl=3600, show_spinner=False)
def _document_message(source: str, _workspace: DocumentAnalysis, _reference: Reference) -> bytes:
    rendering = measures.render(_workspace.document) if has_layout(_workspace.document) else None
    return pack_data(source, document_data(_workspace, _reference, rendering))


@forgetting.cleared_on_deletion
@st.cache_resource(max_entries=64, ttl=3600, show_spinner=False)
def _lane_message(source: str, _workspace: DocumentAnalysis, _lane: ShownLane, _base: Setting | None) -> bytes:
    is_shown = _base is None or _base == _lane.setting
    segmentation = (
        _lane.segmentation if is_shown else results.of(_workspace).get(_workspace, cast(Setting, _base)).segmentation
    )
    divisions = divided(_workspace, segmentation, pairs=False) if _is_divided(segmentation) else ()
    return pack_data(source, lane_data(_workspace, segmentation, divisions, _lane.title))


# --- reports -------------------------------------------------------------------------------------------------------


def _receive(rest: Rest, lanes: Sequence[ShownLane], sent: _BrowserState, document: str, on_rest: OnRest) -> None:
    """Take what the user has left in the browser; in a callback."""
    page = rest.pages[0] if rest.pages else None if rest.pages is None else sent.selection.page
    selection = Selection(rest.lane, rest.gap, rest.columns, rest.view, page)
    if rest.source == sent.sources[0] and rest.lane < len(lanes):
        changes = {change.label: dict(change.setting) for change in rest.changes}
        settings = (changes.get(lane.label, values) for lane, values in zip(lanes, sent.settings, strict=True))
        _BROWSER.set(replace(sent, settings=tuple(settings), selection=selection))
    if rest.document != document:  # what was moved holds for the strategy, a place for its document
        rest = replace(rest, gap=sent.selection.gap, columns=sent.selection.columns, view=sent.selection.view)
    on_rest(rest, sent.selection)


def moved_values(moved: Moved, setting: Setting) -> dict[str, Value]:
    """Return the parameters of a setting whose sliders were moved, by name."""
    params = setting.params
    names = {**SLIDERS, "amount": controls.amount_of(setting.strategy.name, params)}
    values: dict[str, Value] = {}
    for key in moved.names:
        name = names.get(key)
        if name in params.values() and key in moved.setting:
            parameter = params.lookup(name)
            with contextlib.suppress(ChunkscopeError):  # from a browser that is not ours
                values[name] = parameter.check(_number(moved.setting[key], parameter.type))
    return values


SLIDERS = {
    "alpha": "alpha",
    "fineness": "fineness",
    "minimum": "min_tokens",
    "softMinimum": "soft_min_tokens",
    "maximum": "max_tokens",
    "overlap": "overlap",
}
"""Names in the scripts with those of the parameters, beside the amount of a threshold rule."""


def _number(value: object, kind: str) -> Any:
    """Return a number as its parameter has it: JSON does not tell 3.0 from 3."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return value
    return float(value) if kind == "number" else int(value) if float(value).is_integer() else value


# ---- the row above it


@dataclass(frozen=True)
class Bar:
    """Places of the row.

    Attributes:
        document: for the choice of the document.
        strategy: for the choice of what cuts it.
        more: for what few people change; in a popover.
        actions: for advice and exports, at the right.
    """

    document: DeltaGenerator
    strategy: DeltaGenerator
    more: DeltaGenerator
    actions: DeltaGenerator


def draw_bar() -> Bar:
    """Draw the empty row; a page with it takes the whole window, without a sidebar."""
    with st.container(key="_bar", horizontal=True, vertical_alignment="center", gap="small"):
        # The popover stands behind the choice of a strategy, and is filled in the order of the run.
        document, strategy = (
            st.container(horizontal=True, vertical_alignment="center", gap="small", width="content", key=key)
            for key in ("_bar_document", "_bar_strategy")
        )
        more = popover("More", "_more", icon="tune", help="Language, encoder and every parameter")
        actions = st.container(horizontal=True, gap="small", width="content", key="_head_actions")
    return Bar(document, strategy, more, actions)
