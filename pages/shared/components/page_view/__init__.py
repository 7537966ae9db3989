"""A page as it was printed, with chunks and boundaries drawn on it."""

from pages.shared.components.page_view.component import PageContent, PageEvent, page_event, page_view
from pages.shared.components.page_view.content import PageCuts, PageLines, PageMarks, on_page, page_marks
from pages.shared.components.page_view.shapes import Bands, bands

__all__ = [
    "Bands",
    "PageContent",
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
