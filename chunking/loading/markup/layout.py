"""The text, blocks and pages of a document that another program has parsed: what the readers of its output share.

Values come from files that may be damaged or malicious, so :func:`string`, :func:`whole`, :func:`number` and the like
return only what has the right type and a sensible size.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from chunking.document import Block, BlockKind
from chunking.document.pages import Pages, page_starts
from chunking.errors import ChunkscopeError
from chunking.loading.parsed import Parsed
from chunking.loading.writer import CELL, DocumentWriter
from chunking.runtime.surrogates import replace_surrogates
from chunking.runtime.wording import plural

MAX_PAGES = 10_000
"""Limit of the number of a page; an item that states a higher one has no page."""

MAX_LEVEL = 12
"""Limit of the level of headings, list items and quotes."""

_FURTHEST = 1e6
_MAX_MARKER = 20
_LEVELLED = ("heading", "list_item", "quote")

Box = tuple[float, float, float, float]


class Spot(NamedTuple):
    """A place of an item on a page.

    Attributes:
        page: the page, from 0.
        box: left, top, right, bottom from the page's top left corner; ``None`` if unknown.
        span: half-open span of the item's text that is there; ``None`` if unknown.
    """

    page: int
    box: Box | None = None
    span: tuple[int, int] | None = None


class Item(NamedTuple):
    """An item of a parsed document.

    Attributes:
        kind: kind of its block.
        text: its text.
        part: its name in the file, unique.
        level: see :class:`chunking.document.Block`.
        marker: the marker of a list item.
        spots: its places on pages.
        source: its text in the file, if that differs (the HTML of a table).
    """

    kind: BlockKind
    text: str
    part: str
    level: int = 0
    marker: str = ""
    spots: tuple[Spot, ...] = ()
    source: str | None = None


@dataclass
class LayoutWriter(DocumentWriter):
    """A writer that joins items to a text.

    Attributes:
        sizes: width and height of pages, by page from 0.
        broken: number of items that could not be read.
    """

    unit: str = "characters of the item"
    sizes: dict[int, tuple[float, float]] = field(default_factory=dict)
    broken: int = 0
    _words: list[tuple[int, int, Spot]] = field(default_factory=list)
    _page: int = -1

    def begin_page(self) -> None:
        """Begin a new page with the next item."""
        self.breaks = True

    def add(self, item: Item) -> None:
        """Add an item; nothing if it is blank."""
        text = item.text.strip()
        if not text:
            return
        self._turn_page(item)
        marker = " ".join(item.marker.split())[:_MAX_MARKER].rstrip()
        start = self.append(f"{marker} " if marker else "")
        skipped = len(item.text) - len(item.text.lstrip())
        run = (skipped, len(text)) if item.source is None else (0, len(item.source))
        content = self.copy(text, self.add_part(item.part), *run)
        level = min(max(item.level, 1), MAX_LEVEL) if item.kind in _LEVELLED else 0
        self.blocks.append(Block(item.kind, start, self.length, level, content))
        self._add_positions(item.spots, content, skipped, len(text))

    def exclude_item(self, kind: str, text: str, name: str) -> None:
        """Keep the text of an item outside all chunks; nothing if it is blank."""
        if text.strip():
            self.exclude(kind, text.strip(), self.add_part(name))

    def finish(self, notes: tuple[str, ...] = (), language: str = "") -> Parsed:
        """Return the result, with a remark about damaged items."""
        if self.broken:
            notes = (*notes, f"{plural(self.broken, 'damaged item was', 'damaged items were')} left out.")
        return self.parsed(notes, pages_of(self._words, self.length, self.sizes), language)

    def _turn_page(self, item: Item) -> None:
        """Add what is between the last item and the next one."""
        pages = [spot.page for spot in item.spots]
        # A footnote may be on the page before, and the text after it continues there.
        self.breaks |= bool(pages) and item.kind != "footnote" and 0 <= self._page < min(pages)
        self.separate(item.kind)
        self._page = max([self._page, *pages])

    def _add_positions(self, spots: tuple[Spot, ...], start: int, skipped: int, length: int) -> None:
        """Keep where a text is; several places share it equally if the file does not say which part is in which."""
        spans = [spot.span for spot in spots]
        bounds = [0, *(edge for span in spans if span for edge in span)]
        exact = None not in spans and bounds == sorted(bounds) and bounds[-1] <= skipped + length
        for number, spot in enumerate(spots):
            share = (length * number // len(spots), length * (number + 1) // len(spots))
            left, right = (edge - skipped for edge in spot.span) if exact and spot.span else share
            if max(left, 0) < min(right, length):
                self._words.append((start + max(left, 0), start + min(right, length), spot))


def pages_of(words: list[tuple[int, int, Spot]], length: int, sizes: Mapping[int, tuple[float, float]]) -> Pages | None:
    """Return the pages of a text, each place as one word on a line of its own; ``None`` without places.

    Args:
        words: span and place, ascending.
        length: length of the text.
        sizes: width and height of pages, where they are known; other pages are as large as the boxes on them.
    """
    if not words:
        return None
    spans = np.array([word[:2] for word in words], dtype=np.int64)
    page = np.array([word[2].page for word in words], dtype=np.int64)
    boxes = np.array([word[2].box or (0, 0, 0, 0) for word in words], dtype=np.float32)
    count = max(int(page.max()), *sizes, 0) + 1
    starts = page_starts(page, spans[:, 0], count, length)
    extents = np.ones((count, 2), dtype=np.float32)
    np.maximum.at(extents, page, boxes[:, 2:])
    for number, size in sizes.items():
        if min(size) > 0:
            extents[number] = size
    return Pages(extents, starts, spans, page, np.arange(len(words)), boxes)


# Values of files ---------------------------------------------------------------------------------------------------


def string(value: Any) -> str:
    """Return a text without lone surrogates; empty for anything else."""
    return replace_surrogates(value) if isinstance(value, str) else ""


def whole(value: Any, least: int, most: int) -> int | None:
    """Return a whole number within limits, else ``None``."""
    return value if isinstance(value, int) and not isinstance(value, bool) and least <= value <= most else None


def number(value: Any) -> float | None:
    """Return a number that can be a coordinate, else ``None``."""
    right = isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= _FURTHEST
    return float(value) if right else None


def numbers(values: Any, count: int) -> tuple[float, ...] | None:
    """Return a list of so many coordinates, else ``None``."""
    if not isinstance(values, list | tuple) or len(values) != count:
        return None
    coordinates = tuple(number for number in map(number, values) if number is not None)
    return coordinates if len(coordinates) == count else None


def record(value: Any) -> dict[str, Any]:
    """Return an object; an empty one for anything else."""
    return value if isinstance(value, dict) else {}


def objects(value: Any) -> list[dict[str, Any]]:
    """Return the objects of a list; none for anything else."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def read_json(text: str, name: str, what: str) -> Any:
    """Return the value of a JSON text, or the list of the values of JSON Lines.

    Raises:
        ChunkscopeError: it is neither.
    """
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        try:
            return [json.loads(line) for line in text.split("\n") if line.strip()]
        except (ValueError, RecursionError):
            raise ChunkscopeError(
                f"“{name}” is not {what}: it is invalid JSON.", "Export it again, and load that."
            ) from error


def table_text(html: str, text: str = "") -> str:
    """Return the text of a table with a row a line, cells joined by `` | ``.

    Args:
        html: the table.
        text: its text; returned unchanged if the cells lack a word of it.
    """
    from selectolax.lexbor import LexborHTMLParser

    tree = LexborHTMLParser(html) if html.strip() else None
    if tree is None or tree.root is None:
        return text
    rows = [
        CELL.join(" ".join(cell.text(separator=" ").split()) for cell in row.iter() if cell.tag in ("td", "th"))
        for row in tree.css("tr")
    ]
    cells_text = "\n".join(row for row in rows if row.strip(" |"))
    words = text or tree.root.text(separator=" ")
    return replace_surrogates(cells_text if _count_characters(words) <= _count_characters(cells_text) else words)


def _count_characters(text: str) -> Counter[str]:
    """Return the number of each character except white space."""
    return Counter("".join(text.split()))
