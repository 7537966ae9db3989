"""Everything that can be taken away from a view: chunks, gaps, the chart, the text, and the setting as code."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from chunking import export
from chunking.plots import PALETTES, Curves, to_figure
from chunking.strategies import Segmentation
from chunking.workspace import Tools
from pages.shared.documents import Opened

Made = Callable[[], str]


def show(opened: Opened, tools: Tools, segmentation: Segmentation, curves: Callable[[], Curves]) -> None:
    """The popover with downloads and code; nothing of it is made before it is opened."""
    popover = st.popover("Export", icon=":material/download:", width="stretch", key="_export", on_change="rerun")
    if not popover.open:
        return  # what nobody looks at costs no slider move anything
    with popover:
        halves = st.columns(2)
        for place, (label, name, mime, make) in enumerate(_downloads(opened, segmentation, curves)):
            halves[place % 2].download_button(label, make, name, mime, on_click="ignore", width="stretch")
        st.caption("The setting as Python code")
        st.code(export.python_code(segmentation, tools, opened.path), "python", height=260)
        st.caption("The same on the command line")
        st.code(export.command_line(segmentation, tools, opened.path), "bash", wrap_lines=True)


def _downloads(
    opened: Opened, segmentation: Segmentation, curves: Callable[[], Curves]
) -> tuple[tuple[str, str, str, Made], ...]:
    """Label, file name, type and maker of each download."""
    name = opened.document.name
    stem = name.rsplit(".", 1)[0]

    def chart() -> str:
        # With Plotly inside, so that the page needs no network either.
        page: str = to_figure(curves(), palette=PALETTES["light"]).to_html(include_plotlyjs=True)
        return page

    def chunk_table() -> str:
        return export.table(export.chunk_rows(segmentation), export.CHUNK_COLUMNS)

    def gap_table() -> str:
        return export.table(list(export.gap_rows(segmentation)), export.GAP_COLUMNS)

    return (
        (
            "Chunks, JSONL",
            f"{stem}-chunks.jsonl",
            "application/jsonl",
            lambda: export.jsonl(export.chunk_rows(segmentation)),
        ),
        ("Chunks, CSV", f"{stem}-chunks.csv", "text/csv", chunk_table),
        ("Gaps, JSONL", f"{stem}-gaps.jsonl", "application/jsonl", lambda: export.jsonl(export.gap_rows(segmentation))),
        ("Gaps, CSV", f"{stem}-gaps.csv", "text/csv", gap_table),
        ("Chart, HTML", f"{stem}-chart.html", "text/html", chart),
        ("The text itself", name, "text/plain", lambda: opened.document.text),
    )
