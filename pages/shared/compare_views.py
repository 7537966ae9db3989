"""The Compare page's lanes, and the views below them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import PurePath
from typing import cast

import streamlit as st

from chunking import comparison, export, report, tokens
from chunking.lanes import UNITS, Unit, to_figure
from chunking.plots import PALETTES
from chunking.report import Comparison
from chunking.strategies import Segmentation
from chunking.workspace import Workspace
from pages.shared import compare_data, compare_tables, controls, documents, exports, lane_settings, markup
from pages.shared.components import document_store
from pages.shared.components.lanes import lane_chart, lane_event
from pages.shared.components.side_by_side import MAX_COLUMNS, side_by_side, side_event
from pages.shared.documents import Opened

VIEWS = ("Side by side", "Agreement", "Asked and got", "Sizes", "Chunks")
_COLUMNS = "_columns"
_TABLE = "_chunk_table"


def head(opened: Opened, workspace: Workspace, compared: Comparison) -> Unit:
    """Title, axis, exports, and what a reader should know of the lanes; returns what the axis counts."""
    left, middle, right = st.columns([5, 4, 1.4], vertical_alignment="center")
    title = markup.escape(opened.title)
    facts = f"{len(workspace.sentences):,} sentences, {len(opened.document.text):,} characters"
    with left:
        markup.show(f'<b>{title}</b> <span class="cs-quiet cs-kind">{markup.escape(facts)}</span>')
    with middle:
        unit = st.segmented_control(
            "Axis", UNITS, default=UNITS[0], label_visibility="collapsed", required=True, **controls.bound("axis", "")
        )
    with right:
        _exports(opened, workspace, compared, cast(Unit, unit))
    notes = [f"{number}: {note}" for number, note in _notes(compared)]
    notes += opened.document.notes
    if notes:
        items = "".join(f"<div>{markup.escape(note)}</div>" for note in notes)
        summary = _count(len(notes), "note")
        markup.show(f'<details class="cs-quiet"><summary>⚠ {summary} on these lanes</summary>{items}</details>')
    return cast(Unit, unit)


def _exports(opened: Opened, workspace: Workspace, compared: Comparison, unit: Unit) -> None:
    """The whole comparison and the chunks of each lane; nothing is made before it is asked for."""
    popover = st.popover(
        "Export", icon=":material/download:", width="stretch", key="_compare_export", on_change="rerun"
    )
    if not popover.open:
        return
    stem = PurePath(opened.document.name).stem

    def everything() -> str:
        names = dict.fromkeys((workspace.tools.tokenizer, *tokens.tokenizer_names()))
        counters = {name: tokens.get_tokenizer(name) for name in names}
        return json.dumps(report.as_dict(compared, counters), ensure_ascii=False, indent=2)

    def picture() -> str:
        page: str = to_figure(compare_data.lanes(workspace, compared, unit), PALETTES["light"]).to_html(
            include_plotlyjs=True
        )
        return page

    with popover:
        left, right = st.columns(2)
        for place, label, name, mime, make in (
            (left, "Comparison, JSON", f"{stem}-comparison.json", "application/json", everything),
            (right, "Lanes, HTML", f"{stem}-lanes.html", "text/html", picture),
        ):
            place.download_button(label, make, name, mime, on_click="ignore", width="stretch")
        st.caption("The comparison on the command line")
        settings = [entry.label for entry in compared.entries if entry.kind != "yours"]
        st.code(
            export.compare_line(settings, workspace.tools, opened.path, opened.document.language),
            "bash",
            wrap_lines=True,
        )
        lane = st.selectbox(
            "Chunks of the lane",
            range(len(compared.entries)),
            format_func=lambda number: f"{number + 1} · {compared.entries[number].title}",
            key="_export_lane",
        )
        exports.contents(opened, workspace.tools, compared.entries[lane].segmentation, key="_lane_export")


def _notes(compared: Comparison) -> list[tuple[int, str]]:
    found = []
    for number, entry in enumerate(compared.entries, 1):
        found += [(number, warning) for warning in entry.segmentation.warnings]
        unplaced = len(entry.segmentation.unplaced)
        if unplaced:
            what = "chunk holds" if unplaced == 1 else "chunks hold"
            found.append((number, f"{unplaced} {what} text that the document has not, and cannot be shown in it."))
    return found


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


# --- lanes ---------------------------------------------------------------------------------------------------------


def lanes(workspace: Workspace, compared: Comparison, unit: Unit) -> None:
    """The lanes on one axis, with what the last change of a parameter did."""
    key = _key(workspace)
    document_store(key, workspace.document.text, workspace.sentences.spans, workspace.sentences.kinds)
    before = _before(workspace, compared)
    shown = compare_data.lanes(workspace, compared, unit, before)
    _told_changes(compared, before)

    def take() -> None:
        event = lane_event("_lanes", key, view=wanted_view(workspace))
        _choose(workspace, event.offset, event.cleared)
        if event.view:
            st.query_params["part"] = f"{event.view[0]:.0f}-{event.view[1]:.0f}@{workspace.document.key[:4]}"
        else:
            st.query_params.pop("part", None)

    lane_chart("_lanes", key, shown, selected=chosen_offset(workspace), view=wanted_view(workspace), on_event=take)


def _key(workspace: Workspace) -> str:
    return f"{workspace.document.key}-{len(workspace.sentences)}"


def _choose(workspace: Workspace, offset: int | None, cleared: bool) -> None:
    if offset is not None:
        st.query_params["at"] = f"{offset}@{workspace.document.key[:4]}"
    elif cleared:
        st.query_params.pop("at", None)


def _place(name: str, workspace: Workspace) -> str:
    """What the address says of a place, unless that was in another document."""
    asked, _, key = st.query_params.get(name, "").partition("@")
    return asked if not key or workspace.document.key.startswith(key) else ""


def chosen_offset(workspace: Workspace) -> int | None:
    """The character that the address names, where this document has it."""
    asked = _place("at", workspace)
    offset = int(asked) if re.fullmatch(r"[0-9]{1,9}", asked) else -1
    return offset if 0 <= offset < len(workspace.document.text) else None


def wanted_view(workspace: Workspace) -> tuple[float, float] | None:
    """The part of the lanes that the address names, in characters, where it is one."""
    match = re.fullmatch(r"([0-9]{1,9})-([0-9]{1,9})", _place("part", workspace))
    if match is None:
        return None
    start, end = float(match[1]), float(match[2])
    return (start, end) if 0 <= start < end <= len(workspace.document.text) else None


def _before(workspace: Workspace, compared: Comparison) -> tuple[int, Segmentation] | None:
    """The lane that was changed last, and what it was before."""
    swap = lane_settings.swap()
    if swap is None:
        return None
    before = documents.results(workspace).known(workspace, swap.before)
    labels = [entry.label for entry in compared.entries]
    if before is None or swap.after.text not in labels:
        return None
    return labels.index(swap.after.text), before.segmentation


def _told_changes(compared: Comparison, before: tuple[int, Segmentation] | None) -> None:
    """What the last change of a parameter did; the line is always there, so that nothing below it jumps."""
    left, right = st.columns([6, 1], vertical_alignment="center")
    with left:
        markup.show(
            f'<span class="cs-quiet">{_curve_of(compared)}</span>' if before is None else _changed(compared, *before)
        )
    if before is not None:
        right.button("Forget", key="_forget_swap", type="tertiary", on_click=lane_settings.forget_swap, width="stretch")


def _curve_of(compared: Comparison) -> str:
    number = next((number for number, entry in enumerate(compared.entries, 1) if entry.segmentation.signals), None)
    curve = f"The curve is that of lane {number}. " if number else ""
    return f"{curve}Change a parameter of a lane, and its boundaries show what moved, appeared and went."


def _changed(compared: Comparison, number: int, was: Segmentation) -> str:
    gaps = comparison.unit_cuts(comparison.cut_offsets(was), compared.offsets).gaps
    found = comparison.changes(gaps, compared.cuts[number].gaps, compare_data.MOVED_WITHIN)
    return (
        f"Lane {number + 1} since its last change: <b>{len(found.kept)}</b> boundaries stayed, "
        f"<b>{len(found.moved)}</b> moved, <b>{len(found.appeared)}</b> appeared, <b>{len(found.gone)}</b> went."
    )


# --- below the lanes -----------------------------------------------------------------------------------------------


def chosen(workspace: Workspace, compared: Comparison) -> None:
    """The view that is chosen; the others cost nothing."""
    view = st.segmented_control(
        "View", VIEWS, default=VIEWS[0], label_visibility="collapsed", required=True, **controls.bound("show", "")
    )
    views: dict[str, Callable[[Workspace, Comparison], None]] = {
        "Side by side": _side_by_side,
        "Agreement": compare_tables.agreement,
        "Asked and got": compare_tables.outcome,
        "Sizes": compare_tables.sizes,
        "Chunks": _chunks,
    }
    views[view](workspace, compared)


def _side_by_side(workspace: Workspace, compared: Comparison) -> None:
    labels = [entry.label for entry in compared.entries]
    numbers = _columns(labels)

    def keep() -> None:
        st.query_params["columns"] = "-".join(str(number + 1) for number in st.session_state[_COLUMNS])

    if st.session_state.get(_COLUMNS) != numbers:
        st.session_state[_COLUMNS] = numbers
    st.pills(
        "Lanes side by side",
        range(len(labels)),
        selection_mode="multi",
        key=_COLUMNS,
        format_func=lambda number: f"{number + 1} {lane_settings.plain(compared.entries[number].title)}",
        label_visibility="collapsed",
        on_change=keep,
    )
    if not numbers:
        st.info("Choose two to four lanes.")
        return
    if len(numbers) > MAX_COLUMNS:
        st.info(f"The first {MAX_COLUMNS} of them are shown.")
    key = _key(workspace)

    def take() -> None:
        event = side_event("_side", key)
        _choose(workspace, event.offset, event.cleared)

    columns = [compare_data.column(number, compared.entries[number]) for number in numbers[:MAX_COLUMNS]]
    side_by_side("_side", key, columns, selected=chosen_offset(workspace), height=markup.TEXT_HEIGHT, on_event=take)


def _columns(labels: list[str]) -> list[int]:
    """The lanes that the address puts side by side; else the first two."""
    asked = re.findall(r"[0-9]{1,3}", st.query_params.get("columns", "1-2"))
    return [number for number in dict.fromkeys(int(text) - 1 for text in asked) if 0 <= number < len(labels)]


_TABLE_COLUMNS = {
    "strategy": "lane",
    "index": "chunk",
    "tokens": "tokens",
    "characters": "characters",
    "overlap_tokens": "repeated tokens",
    "reason": "cut by",
    "first_words": "begins",
    "heading_path": "under",
    "start": "start",
    "end": "end",
}


def _chunks(workspace: Workspace, compared: Comparison) -> None:
    rows = comparison.size_table(
        {f"{number} · {entry.title}": entry.segmentation for number, entry in enumerate(compared.entries, 1)}
    )
    st.caption("Click a column's head to sort. Choose a row to see its chunk in the text.")

    def take() -> None:
        selected = st.session_state[_TABLE].selection.rows
        if selected:
            row = rows[selected[0]]
            _choose(workspace, row["start"], False)
            lane = int(row["strategy"].split(" ", 1)[0])
            others = [number + 1 for number in _columns([entry.label for entry in compared.entries])]
            wanted = list(dict.fromkeys([lane, *others]))[:2]
            st.query_params["columns"] = "-".join(map(str, wanted))
            st.session_state["show"] = VIEWS[0]

    columns = {title: [row[name] for row in rows] for name, title in _TABLE_COLUMNS.items()}
    st.dataframe(columns, key=_TABLE, on_select=take, selection_mode="single-row", hide_index=True, height=520)
