"""The exports of the Compare page, and the tables below its lanes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import PurePath

import streamlit as st

from chunking import export, tokens
from chunking.chunks import Chunk, reason_words
from chunking.comparison import chunk_sizes, report
from chunking.comparison.report import Comparison
from chunking.report.lanes import lanes_figure
from chunking.report.theme import PALETTES
from chunking.runtime.wording import plural
from chunking.standalone import StandalonePage
from chunking.workspace import DocumentAnalysis
from pages.shared.compare import cost, lanes, tables
from pages.shared.components.glossary import columns as table_columns
from pages.shared.documents import exports
from pages.shared.documents.session_documents import OpenDocument
from pages.shared.frame import markup
from pages.shared.reference import partial
from pages.shared.settings import controls

VIEWS = ("Agreement", "Requested vs. actual", "Sizes", "Cost of a change", "Chunks")


def exports_of(opened: OpenDocument, workspace: DocumentAnalysis, compared: Comparison) -> None:
    """Show downloads of the comparison and of the chunks of each lane; each file is made on request."""
    stem = PurePath(opened.document.name).stem

    def everything() -> str:
        names = dict.fromkeys((workspace.tools.tokenizer, *tokens.tokenizer_names()))
        counters = {name: tokens.get_tokenizer(name) for name in names}
        return exports.as_json(report.as_dict(compared, counters))

    def picture() -> str:
        import plotly.graph_objects as go  # takes half a second: import only where a figure object is needed

        figure = lanes_figure(compared, PALETTES["light"], lanes.lane_titles(compared))
        return exports.plotly_page(go.Figure(figure))

    def alone() -> str:
        return StandalonePage(workspace, compared, opened.path).html

    files: list[exports.Download] = [
        ("Comparison, JSON", f"{stem}-comparison.json", "application/json", everything),
        ("Lanes, HTML", f"{stem}-lanes.html", "text/html", picture),
        ("Interactive page, HTML", f"{stem}-compare.html", "text/html", alone),
    ]
    exports.downloads(files, "_compare", columns=2)
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
        format_func=lambda number: lanes.lane_title(number, compared.entries[number]),
        key="_export_lane",
    )
    exports.contents(opened, workspace.tools, compared.entries[lane].segmentation, key="_lane_export")


def _notes(compared: Comparison) -> list[tuple[int, str]]:
    notes = []
    for number, entry in zip(lanes.lane_numbers(compared), compared.entries, strict=True):
        notes += [(number, warning) for warning in entry.segmentation.warnings]
        unplaced = len(entry.segmentation.unplaced)
        if unplaced:
            placed = len(entry.segmentation.chunks)
            text = f"{placed} of {placed + unplaced} chunks found; the text of the others is not in the document."
            notes.append((number, text))
    return notes


# --- below the lanes -----------------------------------------------------------------------------------------------


def below(opened: OpenDocument, workspace: DocumentAnalysis, compared: Comparison) -> None:
    """Show the notes and the selected table below the workbench; other tables are not computed."""
    facts = f"{plural(len(workspace.sentences), 'sentence')}, {plural(len(opened.document.text), 'character')}"
    markup.show(markup.title(opened.title, facts))
    _show_notes(opened, compared)
    view = controls.segments("View", VIEWS, name="show", retired=_RETIRED, label_visibility="collapsed")
    if view in VIEWS[:-1] and lanes.visible_part(workspace):
        markup.show('<span class="cs-quiet">For the whole document, although the lanes show a part of it.</span>')
    views: dict[str, Callable[[DocumentAnalysis, Comparison], None]] = {
        "Agreement": tables.agreement,
        "Requested vs. actual": _requested_vs_actual,
        "Sizes": tables.sizes,
        "Cost of a change": cost.show,
        "Chunks": _chunks,
    }
    views[view](workspace, compared)


_RETIRED = {"Asked and got": "Requested vs. actual"}  # in old links


def _show_notes(opened: OpenDocument, compared: Comparison) -> None:
    notes = [f"{number}: {note}" for number, note in _notes(compared)]
    notes += opened.document.notes
    if notes:
        items = "".join(f"<div>{markup.escape(note)}</div>" for note in notes)
        summary = plural(len(notes), "note")
        markup.show(f'<details class="cs-quiet"><summary>⚠ {summary} on these lanes</summary>{items}</details>')
    if compared.reference.partial:
        scores = dict(zip(lanes.lane_titles(compared), compared.partial_scores.values(), strict=True))
        markup.show(partial.html(compared.reference, scores))


def _requested_vs_actual(workspace: DocumentAnalysis, compared: Comparison) -> None:
    tables.outcome(workspace, compared)
    tables.show_problem_positions(compared, lambda lane, offset: show_place(workspace, compared, lane, offset))


_ROWS = 5000
"""Maximum rows of the table of chunks."""


def _chunks(workspace: DocumentAnalysis, compared: Comparison) -> None:
    part = lanes.visible_part(workspace)
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

    titles = lanes.lane_titles(compared)
    text = workspace.document.text
    columns: dict[str, Sequence[object]] = {
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

    def choose(row: int) -> None:
        number, chunk = rows[row]
        show_place(workspace, compared, number, chunk.start)

    table_columns.choose_row("_chunk_table", columns, choose, most_height=520, config=config)


def _reason(chunk: Chunk) -> str:
    text = reason_words(chunk.cut)
    return f"distance {text}" if chunk.cut and chunk.cut.reason == "distance" and text[:1].isdigit() else text


def show_place(workspace: DocumentAnalysis, compared: Comparison, lane: int, offset: int) -> None:
    """Show a place of a lane in the workbench; for a callback."""
    lanes.put_offset(offset, workspace)
    lanes.choose_lane(compared, lane)
