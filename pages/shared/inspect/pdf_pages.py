"""The pages of a document's file: where its text is on them, and their pictures, for the workbench."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from chunking.document import Document
from chunking.document.pages import Pages
from chunking.loading import isolated
from chunking.standalone.data import pages_data
from pages.shared import state
from pages.shared.components.workbench import pack_data, pack_picture
from pages.shared.documents.session_documents import OpenDocument
from pages.shared.settings import address_positions
from pages.shared.state import session
from pages.shared.storage import forgetting

_WIDTH = 1200
"""Width of a picture in pixels, twice the width it is shown at."""

_BESIDE = 1
"""Pages before and after those in view whose pictures are sent, so that they are there when the reader scrolls."""

_MOST = 8
"""Pictures that are sent at most."""


@dataclass(frozen=True)
class _Wanted:
    """What the browser shows of the pages of a document: the first and the last in view; none before it has any."""

    document: str
    pages: tuple[int, ...]


_WANTED: state.SessionValue[_Wanted | None] = state.SessionValue("_pages_wanted", session.empty)


@dataclass(frozen=True, eq=False)
class PdfPages:
    """The pages of a document's file.

    Attributes:
        document: the document.
        pages: where its words are.
        data: the file.
    """

    document: Document
    pages: Pages
    data: bytes

    @property
    def source(self) -> str:
        """Name of the data on where the text is."""
        return f"{self.document.key}/pages"

    @property
    def shown_page(self) -> int | None:
        """The page that the address names, from 0."""
        text = address_positions.position("page", self.document)
        number = int(text) if text.isascii() and text.isdigit() and len(text) < 6 else 0
        return number - 1 if 1 <= number <= len(self.pages) else None

    def take(self, pages: tuple[int, ...] | None) -> None:
        """Take the pages that are in view in the browser, ``None`` for none; in a callback."""
        _WANTED.set(None if pages is None else _Wanted(self.document.key, pages))
        page = pages[0] if pages else None if pages is None else self.shown_page
        text = None if page is None or page >= len(self.pages) else f"{page + 1}@{self.document.key[:4]}"
        state.address().put("page", text)

    def pictured(self, gap_offset: int | None) -> list[int]:
        """Return the pages whose pictures are needed: those in view and beside them; else that of a place."""
        wanted = _WANTED.get()
        if wanted is not None and wanted.document == self.document.key:
            in_view = wanted.pages
        elif self.shown_page is not None:
            in_view = (self.shown_page,)
        else:
            return []
        if not in_view:
            on = self.pages.of(gap_offset, gap_offset + 1) if gap_offset is not None else range(0)
            in_view = (self.shown_page if self.shown_page is not None else on[0] if on else 0,)
        first, last = max(in_view[0] - _BESIDE, 0), min(in_view[-1] + _BESIDE, len(self.pages) - 1)
        return list(range(first, last + 1))[:_MOST]

    def messages(self, pictured: Sequence[int]) -> dict[str, bytes]:
        """Return the data for the browser by their names.

        Raises:
            ChunkscopeError: a page cannot be drawn.
        """
        if not pictured:
            return {}
        pictures = {f"{self.source}/{page}": _picture(self.document.key, page, self.data) for page in pictured}
        return {self.source: _places(self.source, self.document, self.pages)} | pictures


def of(opened: OpenDocument) -> PdfPages | None:
    """Return the pages of a document; ``None`` where it has none, or its file is not at hand."""
    if opened.document.pages is None or not len(opened.document.pages) or opened.data is None:
        return None
    return PdfPages(opened.document, opened.document.pages, opened.data)


@forgetting.cleared_on_deletion
@st.cache_resource(max_entries=8, ttl=3600, show_spinner=False)
def _places(source: str, _document: Document, _pages: Pages) -> bytes:
    return pack_data(source, pages_data(_pages, _document.aside))


# Bytes are immutable, so a cache hit copies nothing.
@forgetting.cleared_on_deletion
@st.cache_resource(max_entries=48, ttl=3600, show_spinner=False)
def _picture(key: str, page: int, _data: bytes) -> bytes:
    return pack_picture(f"{key}/pages/{page}", isolated.render(_data, page, _WIDTH))
