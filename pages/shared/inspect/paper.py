"""A document on its own pages, with chunks and boundaries drawn over the text."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from chunking.loading import isolated
from chunking.strategies import Segmentation
from chunking.workspace import Workspace
from pages.shared.components.page_view import PageContent, PageEvent, on_page, page_event, page_marks, page_view
from pages.shared.documents.documents import Opened
from pages.shared.storage import current

WIDTH = 1200
"""Width of a page image in pixels, twice the width it is shown at."""

KEY = "_paper"
"""Key of the component."""


# Bytes are immutable, so a cache hit copies nothing.
@current.cleared_on_deletion
@st.cache_resource(max_entries=48, ttl=3600, show_spinner=False)
def _picture(key: str, page: int, _data: bytes) -> bytes:
    return isolated.render(_data, page, WIDTH)


def show(
    opened: Opened,
    key: str,
    workspace: Workspace,
    segmentation: Segmentation,
    *,
    gap: int | None,
    page: int,
    height: str,
    on_event: Callable[[], None],
) -> None:
    """Show a page with its chunks, where the document has pages.

    Args:
        opened: the document, with its file.
        key: of the document store.
        workspace, segmentation: its sentences and chunks.
        gap: the selected gap.
        page: the page, from 0.
        height: of the page's frame, a CSS length.
        on_event: called before the script runs when the user opened a page or selected a gap; read :func:`event` in it.
    """
    document = opened.document
    layout = document.pages
    if layout is None or opened.data is None:
        return
    with st.spinner(f"Drawing page {page + 1}…"):
        image = _picture(document.key, page, opened.data)
    lines, cuts = on_page(page, layout, workspace.sentences, segmentation.chunks)
    width, depth = layout.sizes[page].tolist()
    page_view(
        KEY,
        key,
        PageContent(
            page=page,
            pages=len(layout),
            image=image,
            size=(width, depth),
            lines=lines,
            cuts=cuts,
            asides=tuple((aside.kind, aside.box) for aside in document.aside if aside.box and aside.part == page),
            marks=page_marks(layout, segmentation.chunks),
        ),
        selected=gap,
        height=height,
        on_event=on_event,
    )


def event(key: str) -> PageEvent:
    """Return what the user did on the page."""
    return page_event(KEY, key)
