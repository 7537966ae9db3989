"""The exports of a view: chunks, gaps, the chart, the text, and the setting as code."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import PurePath

import streamlit as st
from streamlit.elements.lib.mutable_popover_container import PopoverContainer

from chunking import REGISTRY, export
from chunking.loading import TEXT_FORMATS
from chunking.report.curves import Curves, to_figure
from chunking.report.theme import PALETTES
from chunking.settings import settings_of, settings_toml
from chunking.strategies import Segmentation
from chunking.workspace import Tools
from pages.shared.documents.documents import Opened
from pages.shared.frame import popovers

Made = Callable[[], str | bytes]
Download = tuple[str, str, str, Made]
"""Label, file name, media type, and function that makes the content."""


def popover(key: str) -> PopoverContainer:
    """Draw the popover of a page for its exports, whose content is made when it is opened.

    Args:
        key: of the popover.
    """
    return popovers.popover("Export", key, icon="download", width="content")


def contents(
    opened: Opened,
    tools: Tools,
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
    halves = st.columns(2)
    for place, (label, name, mime, make) in enumerate(_downloads(opened, tools, segmentation, curves, page)):
        halves[place % 2].download_button(
            label, make, name, mime, key=f"{key}_{label}", on_click="ignore", width="stretch"
        )
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


def _downloads(
    opened: Opened,
    tools: Tools,
    segmentation: Segmentation,
    curves: Callable[[], Curves] | None,
    page: Callable[[], str] | None = None,
) -> tuple[Download, ...]:
    name = opened.document.name
    stem = PurePath(name).stem
    found = _of_chunks(stem, segmentation)
    found += _of_gaps(stem, segmentation) if segmentation.signals else ()
    found += _of_chart(stem, curves) if curves else ()
    found += _of_setting(stem, segmentation, tools) if segmentation.strategy in REGISTRY else ()
    found += (("Interactive page, HTML", f"{stem}-inspect.html", "text/html", page),) if page else ()
    # What a reader sees of a page or a PDF is neither: as a page, words that spell a script would run.
    plain = name if opened.document.format in TEXT_FORMATS else f"{stem}.txt"
    return (*found, ("The text itself", plain, "text/plain", lambda: opened.document.text))


def _of_chunks(stem: str, segmentation: Segmentation) -> tuple[Download, ...]:
    def rows() -> str:
        return export.jsonl(export.chunk_rows(segmentation))

    def table() -> str:
        return export.table(export.chunk_rows(segmentation), export.CHUNK_COLUMNS)

    def langchain() -> str:
        return export.jsonl(export.langchain_rows(segmentation))

    def llama_index() -> str:
        return export.jsonl(export.llama_index_rows(segmentation))

    def haystack() -> str:
        return export.jsonl(export.haystack_rows(segmentation))

    return (
        ("Chunks, JSONL", f"{stem}-chunks.jsonl", "application/jsonl", rows),
        ("Chunks, CSV", f"{stem}-chunks.csv", "text/csv", table),
        (
            "Chunks, Parquet",
            f"{stem}-chunks.parquet",
            "application/vnd.apache.parquet",
            lambda: export.parquet(segmentation),
        ),
        ("LangChain documents", f"{stem}-langchain.jsonl", "application/jsonl", langchain),
        ("LlamaIndex nodes", f"{stem}-llama-index.jsonl", "application/jsonl", llama_index),
        ("Haystack documents", f"{stem}-haystack.jsonl", "application/jsonl", haystack),
        (
            "Hugging Face dataset",
            f"{stem}-dataset.zip",
            "application/zip",
            lambda: export.dataset_zip(segmentation),
        ),
    )


def _of_gaps(stem: str, segmentation: Segmentation) -> tuple[Download, ...]:
    def rows() -> str:
        return export.jsonl(export.gap_rows(segmentation))

    def table() -> str:
        return export.table(list(export.gap_rows(segmentation)), export.GAP_COLUMNS)

    return (
        ("Gaps, JSONL", f"{stem}-gaps.jsonl", "application/jsonl", rows),
        ("Gaps, CSV", f"{stem}-gaps.csv", "text/csv", table),
    )


def _of_chart(stem: str, curves: Callable[[], Curves]) -> tuple[Download, ...]:
    def chart() -> str:
        # With Plotly inside, so that the page needs no network either.
        page: str = to_figure(curves(), palette=PALETTES["light"]).to_html(include_plotlyjs=True)
        return page

    return (("Chart, HTML", f"{stem}-chart.html", "text/html", chart),)


def _of_setting(stem: str, segmentation: Segmentation, tools: Tools) -> tuple[Download, ...]:
    def file() -> str:
        return settings_toml(settings_of(segmentation, tools))

    return (("Settings, TOML", f"{stem}-settings.toml", "application/toml", file),)
