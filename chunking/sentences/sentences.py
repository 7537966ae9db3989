"""Sentences as spans of a document, the gaps between them, and the offset of each gap."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from chunking.document import BLOCK_KINDS, Block, Document
from chunking.errors import ChunkscopeError
from chunking.loading.spans import trim_span
from chunking.runtime.arrays import Int64

Ranges = list[tuple[int, int]]


@dataclass(frozen=True, eq=False)
class Sentences:
    """The sentences of a document, as spans.

    Attributes:
        document: the document.
        spans: ``(n_sentences, 2)`` int64, half-open character spans, in order, not overlapping, never empty, each
            without white space at either end. With the splitter ``"langchain"`` the first may begin and the last end
            with white space, and the last may be nothing else.
        block: ``(n_sentences,)`` int64, index in ``document.blocks`` of each sentence's block. With the splitter
            ``"langchain"``, whose sentences may span several blocks or lie between two, the block that holds or last
            precedes the start, or the first.
        splitter: name of the splitter, e.g. ``"spacy/en_core_web_sm"`` or ``"rules"``.
    """

    document: Document
    spans: Int64
    block: Int64
    splitter: str

    def __len__(self) -> int:
        return len(self.spans)

    @cached_property
    def kinds(self) -> Int64:
        """``(n_sentences,)`` int64: the kind of each sentence's block, as its place in ``BLOCK_KINDS``."""
        codes = np.array([BLOCK_KINDS.index(block.kind) for block in self.document.blocks], dtype=np.int64)
        kinds: Int64 = codes[self.block]
        return kinds

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """The text of each sentence."""
        text = self.document.text
        return tuple(text[start:end] for start, end in self.spans.tolist())


def from_units(units: Sequence[str], name: str = "units", language: str = "und") -> Sentences:
    """Return given units as sentences, one for each, however many lines or stops it has.

    The document consists of the units with a blank line between them, each a block.

    Args:
        units: texts, none of them blank.
        name: name of the document.
        language: ISO 639-1 code.

    Raises:
        ChunkscopeError: a unit is blank, so its span would be empty.
    """
    blocks: list[Block] = []
    offset = 0
    for index, unit in enumerate(units):
        trimmed = trim(unit, 0, len(unit))
        if not trimmed:
            raise ChunkscopeError(f"Unit {index} is blank.", "Remove units without text and renumber the boundaries.")
        blocks.append(Block("paragraph", offset + trimmed[0], offset + trimmed[1]))
        offset += len(unit) + 2
    document = Document("\n\n".join(units), tuple(blocks), name, "text", language)
    spans = np.array([(block.start, block.end) for block in blocks], dtype=np.int64).reshape(-1, 2)
    return Sentences(document, spans, np.arange(len(blocks), dtype=np.int64), "units")


def gap_offsets(sentences: Sentences) -> Int64:
    """Return the offset at which a cut at each gap divides the text.

    This is the start of the line on which the right sentence begins (or its block, if that begins on an earlier line),
    so that ``##``, ``-``, ``>`` and indentation belong to the following text, blank lines and underlines to the
    preceding. If the left sentence ends on the same line, it is the start of the right sentence.

    Returns:
        ``(n_sentences - 1,)`` int64, strictly increasing, each from the end of the left to the start of the right
        sentence; empty below two sentences.
    """
    if len(sentences) < 2:
        return np.zeros(0, dtype=np.int64)
    document = sentences.document
    line_starts = document.line_starts
    block_starts = np.fromiter((block.start for block in document.blocks), dtype=np.int64, count=len(document.blocks))
    left_end, right_start = sentences.spans[:-1, 1], sentences.spans[1:, 0]
    begins = np.maximum(np.minimum(block_starts[sentences.block[1:]], right_start), left_end)
    line = line_starts[np.searchsorted(line_starts, begins, side="right") - 1]
    inner_line = line_starts[np.searchsorted(line_starts, right_start, side="right") - 1]
    return np.where(line >= left_end, line, np.where(inner_line >= left_end, inner_line, right_start))


def trim(text: str, start: int, end: int) -> tuple[int, int] | None:
    """Return the range without white space at its ends; None if nothing is left."""
    span = trim_span(text, start, end)
    return span if span.start < span.end else None
