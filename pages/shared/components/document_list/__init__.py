"""Many documents as a list with a figure for each: where a setting fails is seen at a glance.

The browser sorts, filters and draws, and reports only which document was chosen. Each row travels as a message of its
own inside the list's, so that the browser knows by its hash whether anything in it has changed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import isfinite
from typing import TypedDict

import numpy as np

from chunking.errors import ChunkscopeError
from chunking.runtime.arrays import Float64, Int64
from pages.shared.components.base import Bytes, Callback, Float32s, Int32s, Message, component, ignore, pack
from pages.shared.components.base.wire import named_values
from pages.shared.state import widget_value

STATES = ("done", "waiting", "failed")


def _no_scores() -> Float64:
    return np.empty(0, dtype=np.float64)


def _no_gaps() -> Int64:
    return np.empty(0, dtype=np.int64)


@dataclass(frozen=True, eq=False)
class Row(Message):
    """One document of the list. The arrays are not copied; whoever made them leaves them as they are.

    Attributes:
        key: which document it is; reported when it is chosen, so no two rows of a list share one.
        title: its name, as the user knows it.
        about: what it is, in a few words: ``"PDF, 31 pages · en"``.
        state: one of :data:`STATES`; only of a document that is ``"done"`` are figures shown.
        problem: why it failed, or what to know of one that is done; ``""`` for nothing.
        sentences, chunks, boundaries: how many it has.
        tokens: least, median and most tokens of a chunk.
        score: ``(n_gaps,)`` floats, the fused distance; empty where there is none.
        threshold: what a score must exceed for a cut; ``None``, NaN or infinite for none.
        cuts: integers, the gaps that are cut, ascending.
        gold: integers, the gaps a person would cut, ascending; may be empty.
        sizes: ``(chunks,)`` integers, tokens of each chunk in the order of the text; empty where not known.
        f1: agreement of cuts and gold from 0 to 1; ``None`` where there is no gold.

    Raises:
        ChunkscopeError: the state is unknown, a gap does not exist, or the arrays contradict the numbers.
    """

    key: str
    title: str
    about: str
    state: str
    problem: str = ""
    sentences: int = 0
    chunks: int = 0
    boundaries: int = 0
    tokens: tuple[int, int, int] = (0, 0, 0)
    score: Float32s = field(default_factory=_no_scores)
    threshold: float | None = None
    cuts: Int32s = field(default_factory=_no_gaps)
    gold: Int32s = field(default_factory=_no_gaps)
    sizes: Int32s = field(default_factory=_no_gaps)
    f1: float | None = None

    def __post_init__(self) -> None:
        if self.state not in STATES:
            raise ChunkscopeError(f"Unknown state {self.state!r}.", f"Use one of {', '.join(STATES)}.")
        _check_length("score", len(self.score), max(0, self.sentences - 1), "a gap")
        _check_length("sizes", len(self.sizes), self.chunks, "a chunk")
        for name in ("cuts", "gold"):
            gaps = getattr(self, name)
            if len(gaps) and not (int(gaps.min()) >= 0 and int(gaps.max()) < len(self.score)):
                raise ChunkscopeError(
                    f"{name} holds a gap that does not exist.", f"Gaps are numbered 0 to {len(self.score) - 1}."
                )


def _check_length(name: str, length: int, expected: int, of: str) -> None:
    if length not in (0, expected):
        raise ChunkscopeError(f"{name} has {length} values where {expected} belong.", f"Give one value {of}, or none.")


class DocumentListHead(TypedDict):
    """The part of a message that is read each time."""

    list: str
    chosen: str | None


class DocumentListBody(TypedDict):
    """The rows, each a message of its own."""

    rows: Sequence[Bytes]
    limit: int | None
    height: str


_list = component("chunkscope_document_list", __file__, "document_list.js", "document_list.css")


def document_list(
    key: str,
    rows: Sequence[Row],
    *,
    chosen: str | None = None,
    limit: int | None = None,
    height: str = "640px",
    on_event: Callback | None = None,
) -> None:
    """Draw a row for each document. The browser keeps order, filter, scale and scroll position across calls.

    Args:
        key: Streamlit key of the element.
        rows: the documents, numbered from 1 in this order.
        chosen: key of the chosen document.
        limit: tokens above which a chunk is too long for the encoder; ``None`` for no limit.
        height: of the scrolling rows at most, a CSS length.
        on_event: called before the script runs when the user chose a document; read :func:`chosen_document`.

    Raises:
        ChunkscopeError: two rows have the same key.
    """
    if len({row.key for row in rows}) < len(rows):
        raise ChunkscopeError("Two rows of the list have the same key.", "Give each document a key of its own.")
    _list(key=key, data=_message(key, rows, chosen, limit, height), on_chosen_change=on_event or ignore)


def chosen_document(key: str) -> str | None:
    """Return the key of the document that the user just chose; look it up, since it comes from a browser."""
    name = (widget_value(key) or {}).get("chosen")
    return name if isinstance(name, str) else None


def _message(key: str, rows: Sequence[Row], chosen: str | None, limit: int | None, height: str) -> bytes:
    packed = [np.frombuffer(_packed(row), dtype=np.uint8) for row in rows]
    head: DocumentListHead = {"list": key, "chosen": chosen}
    body: DocumentListBody = {"rows": packed, "limit": limit, "height": height}
    return pack(head, body)


def _packed(row: Row) -> bytes:
    """Return a row as a message of its own; ``content`` in its head changes with the row."""
    return pack({"key": row.key}, {**named_values(row), "threshold": _finite(row.threshold), "f1": _finite(row.f1)})


def _finite(value: float | None) -> float | None:
    return float(value) if value is not None and isfinite(value) else None
