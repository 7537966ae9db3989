"""The exports of a view: chunks, gaps, the chart, the text, and the setting as code."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from pathlib import PurePath
from typing import Any

import streamlit as st
from streamlit.elements.lib.mutable_popover_container import PopoverContainer

from chunking import REGISTRY, export
from chunking.loading import TEXT_FORMATS
from chunking.report.curves import Curves, to_figure
from chunking.report.theme import PALETTES
from chunking.settings import settings_of, settings_toml
from chunking.strategies import Segmentation
from chunking.workspace import Models
from pages.shared.documents.session_documents import OpenDocument
from pages.shared.frame import frame

Make = Callable[[], str | bytes]
Download = tuple[str, str, str, Make]
"""Label, file name, media type, and function that makes the content."""


def popover(key: str) -> PopoverContainer:
    """Draw the popover of a page for its exports, whose content is made when it is opened.

    Args:
        key: of the popover.
    """
    return frame.popover("Export", key, icon="download", width="content")


def contents(
    opened: OpenDocument,
    tools: Models,
    segmentation: Segmentation,
    curves: Callable[[], Curves] | None = None,
    *,
    page: Callable[[], str] | None = None,
    key: str = "_export",
) -> None:
    """Show downloads and code of a segmentation; each file is made when its button is pressed.

    Args:
        opened: the document.
        tools: what it was measured with.
        segmentation: to export; foreign chunks have no code.
        curves: of the chart, if there is one.
        page: makes the view as one HTML file, if there is one.
        key: of the popover, another for each on a page.
    """
    downloads(_files(opened, tools, segmentation, curves, page), key, columns=2)
    if segmentation.strategy not in REGISTRY:
        return
    st.caption("This setting as code")
    kinds = list(export.CODE)
    kind = st.segmented_control(
        "Written for", kinds, default=kinds[0], key=f"{key}_code", required=True, label_visibility="collapsed"
    )
    st.code(export.CODE[kind](segmentation, tools, opened.path), "python", height=260)
    st.caption("On the command line")
    st.code(export.command_line(segmentation, tools, opened.path), "bash", wrap_lines=True)


def downloads(files: Sequence[Download], key: str, columns: int = 1) -> None:
    """Show a button for each file, which is made when its button is pressed.

    Args:
        files: to offer.
        key: begins the keys of the buttons.
        columns: side by side.
    """
    containers = st.columns(columns)
    for number, (label, name, mime, make) in enumerate(files):
        containers[number % columns].download_button(
            label, make, name, mime, key=f"{key}_{label}", on_click="ignore", width="stretch"
        )


def as_json(value: Any) -> str:
    """Return a value as JSON that people read."""
    return json.dumps(value, ensure_ascii=False, indent=2)


def plotly_page(figure: Any) -> str:
    """Return a Plotly figure as an HTML page with Plotly inside, so that it needs no network."""
    page: str = figure.to_html(include_plotlyjs=True)
    return page


def _files(
    opened: OpenDocument,
    tools: Models,
    segmentation: Segmentation,
    curves: Callable[[], Curves] | None,
    page: Callable[[], str] | None,
) -> list[Download]:
    name, jsonl, csv = opened.document.name, "application/jsonl", "text/csv"
    stem = PurePath(name).stem

    def lines(rows: Callable[[Segmentation], Iterable[dict[str, Any]]]) -> Make:
        return lambda: export.jsonl(rows(segmentation))

    def table(
        rows: Callable[[Segmentation], Iterable[dict[str, Any]]], columns: Sequence[str], spreadsheet: bool = False
    ) -> Make:
        return lambda: export.table(list(rows(segmentation)), columns, spreadsheet=spreadsheet)

    files: list[Download] = [
        ("Chunks, JSONL", f"{stem}-chunks.jsonl", jsonl, lines(export.chunk_rows)),
        ("Chunks, CSV", f"{stem}-chunks.csv", csv, table(export.chunk_rows, export.CHUNK_COLUMNS)),
        (
            "Chunks, CSV for a spreadsheet",
            f"{stem}-chunks-spreadsheet.csv",
            csv,
            table(export.chunk_rows, export.CHUNK_COLUMNS, True),
        ),
        ("Chunks, Parquet", f"{stem}-chunks.parquet", _PARQUET, lambda: export.parquet(segmentation)),
        ("LangChain documents", f"{stem}-langchain.jsonl", jsonl, lines(export.langchain_rows)),
        ("LlamaIndex nodes", f"{stem}-llama-index.jsonl", jsonl, lines(export.llama_index_rows)),
        ("Haystack documents", f"{stem}-haystack.jsonl", jsonl, lines(export.haystack_rows)),
        ("Hugging Face dataset", f"{stem}-dataset.zip", "application/zip", lambda: export.dataset_zip(segmentation)),
    ]
    if segmentation.signals:
        files += [
            ("Gaps, JSONL", f"{stem}-gaps.jsonl", jsonl, lines(export.gap_rows)),
            ("Gaps, CSV", f"{stem}-gaps.csv", csv, table(export.gap_rows, export.GAP_COLUMNS)),
        ]
    if curves:
        files.append(("Chart, HTML", f"{stem}-chart.html", "text/html", lambda: _chart(curves)))
    if segmentation.strategy in REGISTRY:
        toml = "application/toml"
        files.append(
            ("Settings, TOML", f"{stem}-settings.toml", toml, lambda: settings_toml(settings_of(segmentation, tools)))
        )
    if page:
        files.append(("Interactive page, HTML", f"{stem}-inspect.html", "text/html", page))
    # What a reader sees of a page or a PDF is neither: as a page, words that spell a script would run.
    plain = name if opened.document.format in TEXT_FORMATS else f"{stem}.txt"
    return [*files, ("The text itself", plain, "text/plain", lambda: opened.document.text)]


_PARQUET = "application/vnd.apache.parquet"


def _chart(curves: Callable[[], Curves]) -> str:
    return plotly_page(to_figure(curves(), palette=PALETTES["light"]))
