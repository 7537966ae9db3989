"""A page as it was printed, with chunks and boundaries drawn on it."""

from pages.shared.components.page_view.component import (
    Bands,
    PageCuts,
    PageEvent,
    PageLines,
    PageMarks,
    bands,
    on_page,
    page_event,
    page_marks,
    page_view,
)

__all__ = [
    "Bands",
    "PageCuts",
    "PageEvent",
    "PageLines",
    "PageMarks",
    "bands",
    "on_page",
    "page_event",
    "page_marks",
    "page_view",
]
