"""Chunks of up to four strategies side by side over one text, aligned by their place in it.

The browser lays the columns out: it holds the text already (:func:`document_store`), and a row of its grid is the text
between two neighbouring cuts of any column, so the same words stand at the same height everywhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypedDict

import numpy as np

from chunking.errors import ChunkscopeError
from chunking.runtime.arrays import AnyInts, Bools, Int64
from pages.shared.components.base import Callback, Int32s, chosen, component, ignore, pack, reported

MAX_COLUMNS = 4
"""More would leave no column wide enough to read."""

_OPTIONAL = ("note", "missing", "added")


class SideColumn(TypedDict):
    """A column: heading paths once each, notes and additions only for the chunks that have them."""

    title: str
    start: Int32s
    end: Int32s
    overlap_start: Int32s
    tokens: Int32s
    overlap_tokens: Int32s
    parent: Int32s
    reason: Sequence[str]
    note: dict[int, str]
    path: Int32s
    paths: list[tuple[str, ...]]
    missing_at: Int32s
    missing: Int32s
    added: dict[int, tuple[str, ...]]


class SideBySideHead(TypedDict):
    """The part of a message that is read each time."""

    document: str
    selected: int | None


class SideBySideBody(TypedDict):
    """What stands side by side."""

    columns: list[SideColumn]
    height: str


@dataclass(frozen=True)
class SideEvent:
    """What a user did with the columns.

    Attributes:
        offset: the character just chosen; ``None`` in every run that was not caused by a choice.
        cleared: whether the choice was just taken back.
    """

    offset: int | None = None
    cleared: bool = False


@dataclass(frozen=True, eq=False)
class Column:
    """The chunks of one strategy, in the order of their starts.

    They may leave text out and may lie in one another; a chunk comes after the one it lies in.

    Attributes:
        title: what stands above the column.
        start, end: ``(n_chunks,)`` integers, half-open spans.
        overlap_start: ``(n_chunks,)`` integers, where the repeated text before ``start`` begins; equal to ``start``
            where nothing is repeated.
        tokens, overlap_tokens: ``(n_chunks,)`` integers, tokens of the chunk and of its overlap.
        reason: why each chunk begins where it does, in words; ``""`` for none.
        heading_path: titles of the headings each chunk stands under, outermost first.
        parent: ``(n_chunks,)`` integers, index of the chunk each lies in, −1 for none.
        note: what the limits did to each chunk, ``""`` for nothing; empty tuple for nothing at all.
        missing: of each chunk, the spans between its start and end that it does not hold, in order; empty tuple
            for none at all.
        added: of each chunk, the texts it holds that the source has not; empty tuple for none at all.

    Raises:
        ChunkscopeError: the columns have different lengths, or their spans contradict what is said above.
    """

    title: str
    start: AnyInts
    end: AnyInts
    overlap_start: AnyInts
    tokens: AnyInts
    overlap_tokens: AnyInts
    reason: tuple[str, ...]
    heading_path: tuple[tuple[str, ...], ...]
    parent: AnyInts
    note: tuple[str, ...] = ()
    missing: tuple[tuple[tuple[int, int], ...], ...] = ()
    added: tuple[tuple[str, ...], ...] = ()

    def __post_init__(self) -> None:
        lengths = {
            name: len(value)
            for name, value in vars(self).items()
            if name != "title" and (name not in _OPTIONAL or value)
        }
        if len(set(lengths.values())) > 1:
            raise ChunkscopeError(f"The columns have different lengths: {lengths}.", "Give each one value a chunk.")
        self._check_spans()
        self._check_parents()
        self._check_missing()

    def __len__(self) -> int:
        return len(self.start)

    def _check_spans(self) -> None:
        wrong = (self.overlap_start < 0) | (self.overlap_start > self.start) | (self.start > self.end)
        self._refuse(wrong, "does not run from its overlap over its start to its end")
        wrong = np.zeros(len(self), dtype=bool)
        wrong[1:] = self.start[1:] < self.start[:-1]
        self._refuse(wrong, "begins before the one before it")

    def _check_parents(self) -> None:
        index = np.arange(len(self))
        self._refuse((self.parent < -1) | (self.parent >= index), "lies in one that does not come before it")
        inner = np.flatnonzero(self.parent >= 0)
        outer = self.parent[inner]
        wrong = np.zeros(len(self), dtype=bool)
        wrong[inner] = (self.start[inner] < self.start[outer]) | (self.end[inner] > self.end[outer])
        self._refuse(wrong, "reaches out of the one it lies in")

    def _check_missing(self) -> None:
        if not self.missing:
            return
        at, spans = _flat(self.missing)
        owner = np.repeat(np.arange(len(self)), np.diff(at))
        wrong = (spans[:, 0] < self.start[owner]) | (spans[:, 1] > self.end[owner]) | (spans[:, 0] >= spans[:, 1])
        wrong[1:] |= (owner[1:] == owner[:-1]) & (spans[1:, 0] < spans[:-1, 1])
        by_chunk = np.zeros(len(self), dtype=bool)
        by_chunk[owner[wrong]] = True
        self._refuse(by_chunk, "misses text that is not its own, or the same text twice")

    def _refuse(self, wrong: Bools, what: str) -> None:
        if wrong.any():
            raise ChunkscopeError(
                f"Chunk {int(np.argmax(wrong)) + 1} of “{self.title:.60}” {what}.",
                "Give chunks as spans of the text, ordered by their start.",
            )


def _flat(missing: Sequence[Sequence[tuple[int, int]]]) -> tuple[Int64, Int64]:
    """Return lists of spans as two arrays: ``(n_chunks + 1,)`` starts of lists, and ``(n_spans, 2)`` spans."""
    at = np.concatenate(([0], np.cumsum([len(spans) for spans in missing], dtype=np.int64))).astype(np.int64)
    flat = np.array([span for spans in missing for span in spans], dtype=np.int64)
    return at, flat.reshape(-1, 2)


_side = component("chunkscope_side_by_side", __file__, "side_by_side.js", "side_by_side.css")


def side_by_side(
    key: str,
    document_key: str,
    columns: Sequence[Column],
    *,
    selected: int | None = None,
    height: str = "640px",
    on_event: Callback | None = None,
) -> SideEvent:
    """Draw the chunks of strategies next to one another, with every difference marked.

    Args:
        key: Streamlit key of the element.
        document_key: key given to :func:`pages.shared.components.document_store`.
        columns: one to four.
        selected: offset of the chosen character; the text is scrolled there when it changes, and a choice the user
            made meanwhile in the browser wins until Python confirms it.
        height: of the scrolling text, a CSS length.
        on_event: called before the script runs when the user chose a place; read :func:`side_event` in it.

    Returns:
        What the user did; the same as :func:`side_event`.

    Raises:
        ChunkscopeError: no column, or more than :data:`MAX_COLUMNS`.
    """
    _side(
        key=key,
        data=_message(document_key, columns, selected, height),
        on_place_change=on_event or ignore,
    )
    return side_event(key, document_key)


def _message(document_key: str, columns: Sequence[Column], selected: int | None, height: str) -> bytes:
    if not 1 <= len(columns) <= MAX_COLUMNS:
        raise ChunkscopeError(
            f"{len(columns)} strategies cannot be shown side by side.", f"Choose one to {MAX_COLUMNS}."
        )
    body: SideBySideBody = {"columns": [_wire(column) for column in columns], "height": height}
    head: SideBySideHead = {"document": document_key, "selected": selected}
    return pack(head, body)


def _wire(column: Column) -> SideColumn:
    """Return a column as the browser reads it: heading paths once each, rare values only where they occur."""
    paths: dict[tuple[str, ...], int] = {}
    path = np.array([paths.setdefault(titles, len(paths)) for titles in column.heading_path], dtype=np.int64)
    missing_at, missing = _flat(column.missing or ((),) * len(column))
    return {
        "title": column.title,
        "start": column.start,
        "end": column.end,
        "overlap_start": column.overlap_start,
        "tokens": column.tokens,
        "overlap_tokens": column.overlap_tokens,
        "parent": column.parent,
        "reason": column.reason,
        "note": {index: note for index, note in enumerate(column.note) if note},
        "path": path,
        "paths": list(paths),
        "missing_at": missing_at,
        "missing": missing,
        "added": {index: texts for index, texts in enumerate(column.added) if texts},
    }


def side_event(key: str, document_key: str) -> SideEvent:
    """Return the last action on the columns; it can be called before they are drawn in this run."""
    return SideEvent(*chosen(reported(key, "place", document_key), "offset"))
