"""Constraints: stretches of a text inside which no chunk begins, each with its reason."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from typing import Literal, NamedTuple, get_args

import numpy as np

from chunking.chunks.outline import bond
from chunking.document import Block, Document, first_row
from chunking.loading.formats import DATA_FORMATS, FORMATS
from chunking.runtime.arrays import Bools, Int8, Int64

Kept = Literal["heading", "table", "lead-in", "caption", "answer", "mark", "code", "hand", "title"]
"""What is kept together: a heading with what follows it, the header of a table with its first row, a line that ends in
a colon with what it announces, a caption with its table or code, a question with its answer, the number, time or name
of a block with its words, the lines of a piece of code, which are the first that size may part, and what was joined by
hand, which is the last."""

KINDS: tuple[Kept, ...] = get_args(Kept)

FREE = 0
"""Code of a place at which a chunk may begin; that of a kind is its position in :data:`KINDS` from 1."""

CODE, HAND = 1 + KINDS.index("code"), 1 + KINDS.index("hand")

WORDS: dict[Kept, str] = {
    "heading": "a heading and what follows it",
    "table": "the header of a table and its first row",
    "lead-in": "a line that ends in a colon and what it announces",
    "caption": "a caption and what it describes",
    "answer": "a question and its answer",
    "mark": "a number, time or name and its words",
    "code": "the lines of a piece of code",
    "hand": "what was joined by hand",
    "title": "a title and its text",
}


def words_of(code: int) -> str:
    """Return what the kind of a code keeps together."""
    return WORDS[KINDS[code - 1]]


class Stretch(NamedTuple):
    """A stretch ``(start, end]`` of offsets at which no chunk begins."""

    start: int
    end: int
    kind: Kept


@dataclass(frozen=True, eq=False)
class Constraints:
    """The constraints of a document.

    Attributes:
        starts, ends: ``(n,)`` int64; no chunk begins at an offset ``o`` with ``start < o <= end``.
        codes: ``(n,)`` int8, the code of the kind of each: where stretches overlap, the last one counts.
        above_starts, above_ends: ``(n_headings,)`` int64, the stretches of offsets in the same form at which a cut lies
            before a heading.
        forced: ``(n_forced,)`` int64, ascending: offsets at which a chunk begins by hand, whatever else holds them.
    """

    starts: Int64
    ends: Int64
    codes: Int8
    above_starts: Int64
    above_ends: Int64
    forced: Int64 = field(default_factory=lambda: np.zeros(0, dtype=np.int64))

    def with_edits(self, cut: Collection[int], joined: Collection[int]) -> Constraints:
        """Return the constraints with offsets that are cut by hand, and others that are joined."""
        ends = np.array(sorted(joined), dtype=np.int64)
        return replace(
            self,
            starts=np.concatenate((self.starts, ends - 1)),
            ends=np.concatenate((self.ends, ends)),
            codes=np.concatenate((self.codes, np.full(len(ends), HAND, dtype=np.int8))),
            forced=np.array(sorted(cut), dtype=np.int64),
        )

    @cached_property
    def by_hand(self) -> Constraints:
        """Those alone that a hand has set, which hold even where nothing is kept together."""
        own = self.codes == HAND
        if not own.any() and not len(self.forced):
            return NONE
        return replace(NONE, starts=self.starts[own], ends=self.ends[own], codes=self.codes[own], forced=self.forced)

    def at(self, offsets: Int64) -> Int8:
        """Return ``(n,)`` int8: the code of the kind that holds each of some ascending offsets, or :data:`FREE`."""
        codes = np.zeros(len(offsets), dtype=np.int8)
        firsts, stops = (np.searchsorted(offsets, ends, side="right").tolist() for ends in (self.starts, self.ends))
        for first, stop, code in zip(firsts, stops, self.codes.tolist(), strict=True):
            codes[first:stop] = code
        codes[self.is_forced(offsets)] = FREE
        return codes

    def is_forced(self, offsets: Int64) -> Bools:
        """Return ``(n,)`` bool: whether each of some offsets is cut by hand."""
        return np.isin(offsets, self.forced)

    def stretch_of(self, offset: int) -> Stretch | None:
        """Return the stretch that holds an offset, the one that counts; ``None`` if it is free."""
        holding = np.flatnonzero((self.starts < offset) & (offset <= self.ends))
        if not len(holding) or offset in self.forced:
            return None
        last = int(holding[-1])
        return Stretch(int(self.starts[last]), int(self.ends[last]), KINDS[self.codes[last] - 1])

    def before_heading(self, offsets: Int64) -> Bools:
        """Return ``(n,)`` bool: whether a cut at each of some ascending offsets lies before a heading."""
        before = np.zeros(len(offsets), dtype=np.bool_)
        ends = (self.above_starts, self.above_ends)
        for first, stop in zip(*(np.searchsorted(offsets, each, side="right").tolist() for each in ends), strict=True):
            before[first:stop] = True
        return before


def _constraints(stretches: list[Stretch], above: list[tuple[int, int]]) -> Constraints:
    coded = sorted(((KINDS.index(kind) + 1, start, end) for start, end, kind in stretches), reverse=True)
    codes, starts, ends = np.array(coded, dtype=np.int64).reshape(-1, 3).T
    above_starts, above_ends = np.array(above, dtype=np.int64).reshape(-1, 2).T
    return Constraints(starts, ends, codes.astype(np.int8), above_starts, above_ends)


NONE = _constraints([], [])
"""No constraints."""


def constraints_of(document: Document) -> Constraints:
    """Return the constraints that the layout of a document gives."""
    return _constraints([*_inside_blocks(document), *_between_blocks(document)], list(_above_headings(document)))


def _above_headings(document: Document) -> Iterator[tuple[int, int]]:
    end = -1
    for block in document.blocks:
        if block.kind == "heading":
            yield end - 1, block.start
        end = block.end


def _inside_blocks(document: Document) -> Iterator[Stretch]:
    is_text = document.format not in DATA_FORMATS and not getattr(FORMATS.get(document.format), "language", "")
    for block in document.blocks:
        if block.content > block.start:
            yield Stretch(block.start, block.content, "mark")
        if block.kind == "table":
            row = first_row(document.text, block.start, block.end)
            if row is not None:
                yield Stretch(block.start, row, "table")
        elif block.kind == "code" and is_text:
            yield Stretch(block.start, block.end - 1, "code")


_COLONS = (":", "：")
_ANSWERS = {
    "q": ("a",),
    "question": ("answer", "réponse"),
    "frage": ("antwort",),
    "f": ("a",),
    "pregunta": ("respuesta",),
    "domanda": ("risposta",),
    "pergunta": ("resposta",),
    "p": ("r",),
    "问": ("答",),
    "問": ("答",),
    "문": ("답",),
}
"""How an answer is marked whose question is marked so."""


def _between_blocks(document: Document) -> Iterator[Stretch]:
    blocks = [block for block in document.blocks if block.kind != "page_break"]
    for left, right in pairwise(blocks):
        kind: Kept | None = bond(document.text, left, right, _COLONS)
        if kind is None and left.kind == right.kind == "speaker_turn":
            kind = "answer" if _speaker(right) in _ANSWERS.get(_speaker(left), ()) else None
        if kind:
            yield Stretch(left.start if kind == "heading" else left.end - 1, right.start, kind)


def _speaker(turn: Block) -> str:
    return turn.title.casefold().rstrip(" .:0123456789")
