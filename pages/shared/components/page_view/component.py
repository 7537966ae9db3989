"""A page as it was printed, with the chunks and their boundaries drawn on it, beside a strip of all pages.

The browser knows the sentences of the document from :func:`pages.shared.components.document_store`, as the chart and
the text do, and announces a gap that is pointed at.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypedDict

import numpy as np

from chunking.errors import ChunkscopeError
from chunking.figures.theme import DRIVERS, GLYPHS
from chunking.runtime.arrays import UInt8
from pages.shared.components.base import Bytes, Callback, Float32s, Int32s, chosen, component, ignore, pack, reported
from pages.shared.components.page_view.content import PageCuts, PageLines, PageMarks, check_page
from pages.shared.components.page_view.shapes import bands, steps

_page = component("chunkscope_page_view", __file__, "page_view.js", "page_view.css")


class WordRows(TypedDict):
    """The lines of the page, as :class:`PageLines`."""

    sentence: Int32s
    chunk: Int32s
    box: Float32s


class ChunkBands(TypedDict):
    """The chunks of the page, as :class:`Bands`."""

    chunk: Int32s
    box: Float32s
    column: Float32s
    ruled: Bytes
    of_row: Int32s


class PageBoundaries(TypedDict):
    """The boundaries of the page; a driver is an index from 1, 0 for none."""

    row: Int32s
    gap: Int32s
    driver: Bytes
    tokens: Int32s
    step: Int32s


class StripMarks(TypedDict):
    """Where all pages are cut."""

    page: Int32s
    place: Float32s
    driver: Bytes


class PageDriver(TypedDict):
    """What moved a cut: colour and glyph."""

    role: str
    glyph: str


class PageViewHead(TypedDict):
    """The part of a message that is read each time."""

    document: str
    page: int
    selected: int | None
    picture: str


class PageViewBody(TypedDict):
    """A page; an aside is a kind with left, top, right and bottom."""

    pages: int
    size: tuple[float, float]
    height: str
    image: Bytes
    lines: WordRows
    bands: ChunkBands
    cuts: PageBoundaries
    reason: Sequence[str]
    asides: list[tuple[str, float, float, float, float]]
    marks: StripMarks
    drivers: list[PageDriver]


@dataclass(frozen=True)
class PageEvent:
    """What a user did with the page.

    Attributes:
        page: the page just asked for, from 0; ``None`` in every run that was not caused by asking for one. It is not
            known here whether the document has so many.
        gap: the gap just chosen, from 0, or ``None``.
        cleared: whether the choice was just taken back.
    """

    page: int | None = None
    gap: int | None = None
    cleared: bool = False


def _no_marks() -> PageMarks:
    return PageMarks(np.zeros(0, dtype=np.int64), np.zeros(0), ())


@dataclass(frozen=True, eq=False)
class PageContent:
    """A page with what is drawn on it.

    Attributes:
        page: number of the page, from 0.
        pages: how many there are.
        image: the page as PNG.
        size: width and height of the page in points, as shown.
        lines: what stands on it.
        cuts: the boundaries that fall on it.
        asides: what was excluded from it, by kind, with its rectangle.
        marks: where all pages are cut.

    Raises:
        ChunkscopeError: there is no such page, it has no size, or a cut has no row.
    """

    page: int
    pages: int
    image: bytes
    size: tuple[float, float]
    lines: PageLines
    cuts: PageCuts
    asides: tuple[tuple[str, tuple[float, float, float, float]], ...] = ()
    marks: PageMarks = field(default_factory=_no_marks)

    def __post_init__(self) -> None:
        check_page(self.page, self.pages)
        width, height = self.size
        if not (0 < width < np.inf and 0 < height < np.inf):
            raise ChunkscopeError(f"A page of {width} × {height} points cannot be shown.", "Give its true size.")
        row = self.cuts.row
        if len(row) and not (int(row.min()) >= 0 and int(row.max()) < len(self.lines)):
            raise ChunkscopeError("A boundary begins with a row that is not on the page.", "Give rows of its lines.")


def page_view(
    key: str,
    document: str,
    content: PageContent,
    *,
    selected: int | None = None,
    height: str = "720px",
    on_event: Callback | None = None,
) -> PageEvent:
    """Draw a page with its chunks and boundaries, and a strip of all pages.

    A page that the user requests is an event; until the script answers with it, the page before stays, faded.

    Args:
        key: Streamlit key of the element.
        document: key given to the document store.
        content: the page.
        selected: the chosen gap, as in :func:`pages.shared.components.curve_chart`; it need not be on this page.
        height: of the page's frame, a CSS length; the whole page fits into it unless the user chooses its width.
        on_event: called before the script runs when the user requested a page or chose a gap; read
            :func:`page_event` in it.

    Returns:
        What the user did; the same as :func:`page_event`, without a page that the document does not have.
    """
    picture = hashlib.blake2b(content.image, digest_size=16).hexdigest()
    head: PageViewHead = {"document": document, "page": content.page, "selected": selected, "picture": picture}
    callback = on_event or ignore
    _page(key=key, data=pack(head, _body(content, height)), on_page_change=callback, on_gap_change=callback)
    event = page_event(key, document)
    return event if event.page is None or event.page < content.pages else PageEvent(None, event.gap, event.cleared)


def _body(content: PageContent, height: str) -> PageViewBody:
    lines, cuts, marks = content.lines, content.cuts, content.marks
    shapes = bands(lines)
    return {
        "pages": content.pages,
        "size": (float(content.size[0]), float(content.size[1])),
        "height": height,
        "image": np.frombuffer(content.image, dtype=np.uint8),
        "lines": {"sentence": lines.sentence, "chunk": lines.chunk, "box": lines.box},
        "bands": {
            "chunk": shapes.chunk,
            "box": shapes.box,
            "column": shapes.column,
            "ruled": shapes.ruled.astype(np.uint8),
            "of_row": shapes.of_row,
        },
        "cuts": {
            "row": cuts.row,
            "gap": cuts.gap,
            "driver": _codes(cuts.driver),
            "tokens": cuts.tokens,
            "step": steps(lines, cuts, shapes),
        },
        "reason": cuts.reason,
        "asides": [(kind, float(x0), float(y0), float(x1), float(y1)) for kind, (x0, y0, x1, y1) in content.asides],
        "marks": {"page": marks.page, "place": marks.place, "driver": _codes(marks.driver)},
        "drivers": [{"role": name, "glyph": GLYPHS[name]} for name in DRIVERS],
    }


def _codes(drivers: tuple[str, ...]) -> UInt8:
    """Place of each driver in ``DRIVERS``, from 1; 0 for none."""
    return np.array([DRIVERS.index(name) + 1 if name else 0 for name in drivers], dtype=np.uint8)


def page_event(key: str, document: str) -> PageEvent:
    """Return what the user did with a page; may be called before it is drawn in this run."""
    page, _ = chosen(reported(key, "page", document), "page")
    return PageEvent(page, *chosen(reported(key, "gap", document), "gap"))
