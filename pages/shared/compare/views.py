"""The Compare page's lanes, and the views below them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import PurePath

import streamlit as st

from chunking import export, tokens
from chunking.chunks import Chunk
from chunking.comparison import chunk_sizes, cut_changes, report
from chunking.comparison.report import Comparison
from chunking.figures.lanes import UNITS, Unit, to_figure
from chunking.figures.theme import PALETTES
from chunking.runtime.wording import plural
from chunking.standalone import StandalonePage
from chunking.strategies import Segmentation
from chunking.strategies.reasons import words
from chunking.workspace import Workspace
from pages.shared import state
from pages.shared.compare import data as compare_data
from pages.shared.compare import tables as compare_tables
from pages.shared.components.document_store import document_store
from pages.shared.components.glossary import columns as table_columns
from pages.shared.components.lanes import EditedLane, lane_chart, lane_event
from pages.shared.components.side_by_side import MAX_COLUMNS, side_by_side, side_event
from pages.shared.documents import exports, results
from pages.shared.documents.documents import Opened
from pages.shared.frame import frame, markup
from pages.shared.reference import partial
from pages.shared.settings import controls, lane_settings, live
from pages.shared.state.session import set_widget, widget_value

VIEWS = ("Side by side", "Agreement", "Requested vs. actual", "Sizes", "Chunks")
_COLUMNS = "_columns"
_TABLE = "_chunk_table"


def head(opened: Opened, workspace: Workspace, compared: Comparison) -> Unit:
    """Show title, axis, exports, and notes on the lanes; return the unit of the axis."""
    title = markup.escape(opened.title)
    facts = f"{plural(len(workspace.sentences), 'sentence')}, {plural(len(opened.document.text), 'character')}"
    # In one line where there is room, else in several.
    with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"):
        markup.show(f'<b>{title}</b> <span class="cs-quiet cs-kind">{markup.escape(facts)}</span>', width="content")
        unit = controls.segments("Axis", UNITS, name="axis", label_visibility="collapsed", width="content")
        _exports(opened, workspace, compared, unit)
    notes = [f"{number}: {note}" for number, note in _notes(compared)]
    notes += opened.document.notes
    if notes:
        items = "".join(f"<div>{markup.escape(note)}</div>" for note in notes)
        summary = plural(len(notes), "note")
        markup.show(f'<details class="cs-quiet"><summary>⚠ {summary} on these lanes</summary>{items}</details>')
    if compared.reference.partial:
        scores = dict(zip(compare_data.titles(compared), compared.partial_scores.values(), strict=True))
        markup.show(partial.html(compared.reference, scores))
    return unit


def _exports(opened: Opened, workspace: Workspace, compared: Comparison, unit: Unit) -> None:
    """Show the popover with the comparison and the chunks of each lane; each file is made on request."""
    popover = st.popover(
        "Export", icon=":material/download:", width="content", key="_compare_export", on_change="rerun"
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

    def alone() -> str:
        return StandalonePage(workspace, compared, opened.path).html

    with popover:
        left, right = st.columns(2)
        for place, label, name, mime, make in (
            (left, "Comparison, JSON", f"{stem}-comparison.json", "application/json", everything),
            (right, "Lanes, HTML", f"{stem}-lanes.html", "text/html", picture),
            (left, "Interactive page, HTML", f"{stem}-compare.html", "text/html", alone),
        ):
            place.download_button(label, make, name, mime, on_click="ignore", width="stretch")
        st.caption("The comparison on the command line")
        settings = [entry.label for entry in compared.entries if entry.kind != "yours"]
        st.code(
            export.compare_line(settings, workspace.tools, opened.path, opened.document),
            "bash",
            wrap_lines=True,
        )
        lane = st.selectbox(
            "Chunks of the lane",
            range(len(compared.entries)),
            format_func=lambda number: compare_data.numbered(number, compared.entries[number]),
            key="_export_lane",
        )
        exports.contents(opened, workspace.tools, compared.entries[lane].segmentation, key="_lane_export")


def _notes(compared: Comparison) -> list[tuple[int, str]]:
    found = []
    for number, entry in zip(compare_data.numbers(compared), compared.entries, strict=True):
        found += [(number, warning) for warning in entry.segmentation.warnings]
        unplaced = len(entry.segmentation.unplaced)
        if unplaced:
            placed = len(entry.segmentation.chunks)
            text = f"{placed} of {placed + unplaced} chunks found; the text of the others is not in the document."
            found.append((number, text))
    return found


# --- lanes ---------------------------------------------------------------------------------------------------------


def lanes(workspace: Workspace, compared: Comparison, unit: Unit) -> None:
    """Show the lanes on one axis, with the effect of the last parameter change."""
    key = _key(workspace)
    document_store(key, workspace.document.text, workspace.sentences.spans, workspace.sentences.kinds)
    before = _before(workspace, compared)
    shown = compare_data.lanes(workspace, compared, unit, before)
    _show_changes(compared, before)

    def take() -> None:
        event = lane_event("_lanes", key, view=wanted_view(workspace))
        _choose(workspace, event.offset, event.cleared)
        part = f"{event.view[0]:.0f}-{event.view[1]:.0f}@{workspace.document.key[:4]}" if event.view else None
        state.current().put("part", part)

    lane_chart(
        "_lanes",
        key,
        shown,
        selected=chosen_offset(workspace),
        view=wanted_view(workspace),
        edited=_edited(workspace, compared, len(shown.lanes) - len(compared.entries)),
        on_event=take,
    )


def _edited(workspace: Workspace, compared: Comparison, first: int) -> EditedLane | None:
    """Return the lane that follows its controls, where it has a threshold rule; ``first`` is the row of lane 1."""
    edited = lane_settings.edited()
    place = next((at for at, entry in enumerate(compared.entries) if edited and entry.label == edited[0].text), None)
    if edited is None or place is None:
        return None
    segmentation = compared.entries[place].segmentation
    curves = live.curves(workspace, segmentation, lane_settings.key_of, subject=edited[1], lenient=False)
    if curves is None:
        return None
    leads = compare_data.leading(compared) == place
    votes = compare_data.other_votes(compared, place)
    return EditedLane(curves, first + place, leads, compare_data.MOVED_WITHIN, votes, len(compared.entries))


def _key(workspace: Workspace) -> str:
    return f"{workspace.document.key}-{len(workspace.sentences)}"


def _choose(workspace: Workspace, offset: int | None, cleared: bool) -> None:
    if offset is not None:
        state.current().put("at", f"{offset}@{workspace.document.key[:4]}")
    elif cleared:
        state.current().put("at", None)


def _place(name: str, workspace: Workspace) -> str:
    """Return a place from the address, unless it belongs to another document."""
    text, _, key = state.current().text(name).partition("@")
    return text if not key or workspace.document.key.startswith(key) else ""


def chosen_offset(workspace: Workspace) -> int | None:
    """Return the character offset that the address names, if it is in this document."""
    text = _place("at", workspace)
    offset = int(text) if re.fullmatch(r"[0-9]{1,9}", text) else -1
    return offset if 0 <= offset < len(workspace.document.text) else None


def wanted_view(workspace: Workspace) -> tuple[float, float] | None:
    """Return the zoomed part that the address names, in characters; ``None`` if there is none."""
    match = re.fullmatch(r"([0-9]{1,9})-([0-9]{1,9})", _place("part", workspace))
    if match is None:
        return None
    start, end = float(match[1]), float(match[2])
    return (start, end) if 0 <= start < end <= len(workspace.document.text) else None


def _before(workspace: Workspace, compared: Comparison) -> tuple[int, Segmentation] | None:
    """Return the lane that was changed last, and its previous segmentation."""
    swap = lane_settings.swap()
    if swap is None:
        return None
    before = results.of(workspace).known(workspace, swap.before)
    labels = [entry.label for entry in compared.entries]
    if before is None or swap.after.text not in labels:
        return None
    return labels.index(swap.after.text), before.segmentation


def _show_changes(compared: Comparison, before: tuple[int, Segmentation] | None) -> None:
    """Show the effect of the last parameter change; the line is always there, so that nothing below it moves."""
    status = f'<span class="cs-quiet">{_curve_of(compared)}</span>' if before is None else _changed(compared, *before)
    with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"):
        markup.show(f'<div class="cs-status"><div>{status}</div></div>', width="content")
        if before is not None:
            lane = compare_data.numbers(compared)[before[0]]
            with st.container(horizontal=True, width="content"):
                st.button("Before and after", key="_show_swap", type="tertiary", on_click=_show_swap, args=(lane,))
                st.button("Hide changes", key="_forget_swap", type="tertiary", on_click=_forget_swap)


def _show_swap(number: int) -> None:
    """Show the lane before and after its last change side by side."""
    state.current().put("columns", f"0-{number}")
    state.current().put("show", None)


def _forget_swap() -> None:
    lane_settings.forget_swap()
    if state.current().text("columns").startswith("0-"):
        state.current().put("columns", None)


def _curve_of(compared: Comparison) -> str:
    place = compare_data.leading(compared)
    curve = "" if place is None else f"The curve belongs to lane {compare_data.numbers(compared)[place]}. "
    return f"{curve}Change a parameter of a lane to see which of its boundaries moved, appeared or were removed."


def _changed(compared: Comparison, number: int, was: Segmentation) -> str:
    gaps = cut_changes.unit_cuts(cut_changes.cut_offsets(was), compared.offsets).gaps
    found = cut_changes.changes(gaps, compared.cuts[number].gaps, compare_data.MOVED_WITHIN)
    kept = f"<b>{len(found.kept):,}</b> {'boundary' if len(found.kept) == 1 else 'boundaries'} unchanged"
    lane = compare_data.numbers(compared)[number]
    return (
        f"Lane {lane} since its last change: {kept}, <b>{len(found.moved):,}</b> moved, "
        f"<b>{len(found.appeared):,}</b> appeared, <b>{len(found.gone):,}</b> removed."
    )


# --- below the lanes -----------------------------------------------------------------------------------------------


def chosen(workspace: Workspace, compared: Comparison) -> None:
    """Show the selected view; the others are not computed."""
    retired = {"Asked and got": "Requested vs. actual"}  # in old links
    view = controls.segments("View", VIEWS, name="show", retired=retired, label_visibility="collapsed")
    if view in VIEWS[1:4] and wanted_view(workspace):
        markup.show('<span class="cs-quiet">For the whole document, although the lanes show a part of it.</span>')
    views: dict[str, Callable[[Workspace, Comparison], None]] = {
        "Side by side": _side_by_side,
        "Agreement": compare_tables.agreement,
        "Requested vs. actual": _requested_vs_actual,
        "Sizes": compare_tables.sizes,
        "Chunks": _chunks,
    }
    views[view](workspace, compared)


def _requested_vs_actual(workspace: Workspace, compared: Comparison) -> None:
    lanes = compare_data.numbers(compared)
    compare_tables.outcome(workspace, compared)
    compare_tables.places(compared, lambda lane, offset: show_place(workspace, lanes, lane, offset))


def _side_by_side(workspace: Workspace, compared: Comparison) -> None:
    lanes = compare_data.numbers(compared)
    before = _before(workspace, compared)
    offered = [*([] if before is None else [_BEFORE_CHANGE]), *range(len(lanes))]
    numbers = [number for number in _columns(lanes) if number in offered]

    def title(number: int) -> str:
        if number == _BEFORE_CHANGE and before is not None:
            return _before_title(compared, before[0])
        return compare_data.numbered(number, compared.entries[number])

    def accept(values: object) -> tuple[int, ...] | None:
        return tuple(values) if isinstance(values, (list, tuple)) and set(values) <= set(offered) else None

    chosen, moved = state.current().settle(_COLUMNS, tuple(numbers), accept)
    numbers = list(chosen)
    if moved:
        _put_columns(lanes, numbers)
    # Set in every run: the browser identifies an option by its label, which changes with the lane's parameters.
    set_widget(_COLUMNS, numbers)
    st.pills(
        "Lanes side by side",
        offered,
        selection_mode="multi",
        key=_COLUMNS,
        format_func=lambda number: markup.plain(title(number)),
        label_visibility="collapsed",
    )
    if not numbers:
        frame.show_empty("No lane is selected.", "Select one to four lanes to read their chunks side by side.")
        return
    if len(numbers) > MAX_COLUMNS:
        st.info(f"At most {MAX_COLUMNS} lanes fit side by side; the first {MAX_COLUMNS} are shown.")
    key = _key(workspace)

    def take() -> None:
        event = side_event("_side", key)
        _choose(workspace, event.offset, event.cleared)

    columns = []
    for number in numbers[:MAX_COLUMNS]:
        if number == _BEFORE_CHANGE and before is not None:
            was = replace(compared.entries[before[0]], segmentation=before[1])
            columns.append(compare_data.column(before[0], was, title(number)))
        else:
            columns.append(compare_data.column(number, compared.entries[number]))
    side_by_side("_side", key, columns, selected=chosen_offset(workspace), height=markup.TEXT_HEIGHT, on_event=take)


NO_COLUMNS = "none"
"""What the address says where no lane is read."""

_BEFORE_CHANGE = -1
"""The column of the lane before its last change; 0 in the address."""


def _before_title(compared: Comparison, lane: int) -> str:
    swap = lane_settings.swap()
    return (
        f"{compare_data.numbers(compared)[lane]} before: {swap.before.title if swap else compared.entries[lane].title}"
    )


def _columns(lanes: list[int]) -> list[int]:
    """Return the indexes of the columns that the address names by lane numbers; else the first two."""
    places = {0: _BEFORE_CHANGE} | {number: place for place, number in enumerate(lanes)}
    requested = state.current().text("columns")
    if not requested:
        return list(range(len(lanes)))[:2]
    named = (int(text) for text in re.findall(r"[0-9]{1,3}", requested))
    return list(dict.fromkeys(places[number] for number in named if number in places))


def _put_columns(lanes: list[int], places: list[int]) -> None:
    numbers = (0 if place == _BEFORE_CHANGE else lanes[place] for place in places)
    state.current().put("columns", "-".join(map(str, numbers)) or NO_COLUMNS)


_ROWS = 5000
"""Maximum rows of the table of chunks."""


def _chunks(workspace: Workspace, compared: Comparison) -> None:
    part = wanted_view(workspace)
    lanes = compare_data.numbers(compared)
    rows = [
        (number, chunk)
        for number, entry in enumerate(compared.entries)
        for chunk in entry.segmentation.chunks
        if part is None or (chunk.start < part[1] and chunk.end > part[0])
    ]
    which = "All chunks" if part is None else "Chunks in the part that the lanes show"
    summary = f"{which}: {len(rows):,}."
    if len(rows) > _ROWS:
        summary += f" The table has the first {_ROWS:,}; zoom in to see the others."
        rows = rows[:_ROWS]
    st.caption(f"{summary} Click a column header to sort. Select a row to see its chunk in the text.")

    def take() -> None:
        selected = widget_value(_TABLE).selection.rows
        if selected and selected[0] < len(rows):
            number, chunk = rows[selected[0]]
            show_place(workspace, lanes, number, chunk.start)

    titles = compare_data.titles(compared)
    text = workspace.document.text
    columns = {
        "lane": [titles[number] for number, _ in rows],
        "chunk": [chunk.index + 1 for _, chunk in rows],
        "tokens": [chunk.tokens for _, chunk in rows],
        "overlap": [chunk.overlap_tokens for _, chunk in rows],
        "characters": [chunk.end - chunk.start for _, chunk in rows],
        "beginning": [chunk_sizes.first_words(text, chunk.start, chunk.end) for _, chunk in rows],
        "reason": [_reason(chunk) for _, chunk in rows],
        "headings": [" › ".join(chunk.heading_path) for _, chunk in rows],
        "start": [chunk.start for _, chunk in rows],
        "end": [chunk.end for _, chunk in rows],
    }
    config = {
        name: st.column_config.Column(name, width=width, help=help)
        for name, width, help in (
            ("overlap", 70, "Tokens of overlap before the chunk"),
            ("beginning", 320, "The first words of the chunk"),
            ("reason", 180, "Why the chunk begins here"),
            ("headings", 220, "The headings above the chunk"),
            ("start", 70, "Offset of its first character, from 0"),
            ("end", 70, "Offset after its last character"),
        )
    }
    st.dataframe(
        columns,
        key=_TABLE,
        on_select=take,
        selection_mode="single-row",
        hide_index=True,
        height=520,
        column_config=table_columns.explained(columns, config),
    )


def _reason(chunk: Chunk) -> str:
    text = words(chunk.cut)
    return f"distance {text}" if chunk.cut and chunk.cut.reason == "distance" and text[:1].isdigit() else text


def show_place(workspace: Workspace, lanes: list[int], lane: int, offset: int) -> None:
    """Select a place and show its lane side by side with another; for a callback."""
    _choose(workspace, offset, False)
    others = [place for place in _columns(lanes) if place != _BEFORE_CHANGE]
    _put_columns(lanes, list(dict.fromkeys([lane, *others]))[:2])
    state.current().put("show", None)
