"""The places of a document where a chunk or an overlap may begin, with the tokens between any two of them.

With them a page cuts at every setting as the library does: at gaps, inside sentences that exceed the maximum, and with
overlaps of sentences or tokens. A script has no tokenizer, so a table of tokens is made here for all places at once.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from chunking import embedding, tokens
from chunking.chunks import CutPoints
from chunking.chunks.embedded import NO_CONTEXT, ContextTokens, context_tokens
from chunking.chunks.limits import pieces_of
from chunking.embedding.encoders import UNLIMITED
from chunking.errors import ChunkscopeError
from chunking.runtime.arrays import Int64
from chunking.standalone.packing import whole
from chunking.tokens import SpanTokens, TokenCounter
from chunking.workspace import DocumentAnalysis

GAP, WORD, PIECE, CLAUSE = 1, 2, 4, 8
"""What a place is: a gap, the start of a word, the end of a word in a sentence, the end of a clause (``places.js``)."""

_SHORTEST = 8
"""Tokens of a sentence from which a maximum may cut it."""

_LONGEST = 1_000_000
"""Characters of a text up to which the places inside its sentences are sent."""

_SEAMLESS = 4
"""Pairs of places without a seam between them, for each place, up to which their tokens are sent."""


@dataclass(frozen=True, eq=False)
class Places:
    """The places of a document.

    Attributes:
        offsets: ``(n,)`` int64, ascending, from 0 to the length of the text.
        flags: ``(n,)`` uint8, what each place is.
        tokens: of runs between places.
        inside: whether the places inside sentences are among them.
        context: the tokens that are embedded before a chunk; none where the encoder reads any number.
        read_limit: tokens of a text that the encoder reads; 0 for any number.
    """

    offsets: Int64
    flags: np.ndarray[Any, np.dtype[np.uint8]]
    tokens: SpanTokens
    inside: bool
    context: ContextTokens
    read_limit: int

    def packed(self) -> dict[str, Any]:
        """Return the places as a script reads them."""
        return {"offsets": whole(self.offsets), "flags": whole(self.flags), "tokens": self._packed_tokens()}

    def _packed_tokens(self) -> dict[str, Any]:
        return packed_tokens(self.tokens, self.context, self.read_limit)


def packed_tokens(table: SpanTokens, context: ContextTokens, read_limit: int) -> dict[str, Any]:
    """Return what token counts are made of, see ``limits.js``.

    Args:
        table: of runs between places.
        context: the tokens that are embedded before a chunk.
        read_limit: tokens of a text that the encoder reads; 0 for any number.
    """
    head, tail, to_after, to_before = table.parts()
    return {
        "seamless": whole(table.seamless),
        "counts": whole(table.seamless_counts()),
        "head": whole(head),
        "tail": whole(tail),
        "toAfter": whole(to_after),
        "between": whole(to_after - to_before),
        "context": {"starts": whole(context.starts), "tokens": whole(context.tokens)},
        "readLimit": read_limit,
    }


def places_of(workspace: DocumentAnalysis) -> Places | None:
    """Return the places of a document.

    Only those between sentences where the others are too many, or too many of them have no seam between them; where
    these have not, either, ``None``: counts then need a tokenizer.
    """
    return _places(workspace.cut_points)


def _is_countable(table: SpanTokens) -> bool:
    """Return whether the tokens between any two cuts of a table are sums but for a few."""
    return int(table.seamless.sum()) <= _SEAMLESS * len(table.cuts)


@lru_cache(maxsize=8)
def _places(grid: CutPoints) -> Places | None:
    length = len(grid.document.text)
    for inside in (True, False):
        if inside and length > _LONGEST:
            continue
        flags = _flag_places(grid, inside)
        offsets = np.array(sorted({0, length, *flags}), dtype=np.int64)
        table = SpanTokens(grid.document.text, offsets, grid.counter)
        if _is_countable(table):
            values = np.array([flags.get(offset, 0) for offset in offsets.tolist()], dtype=np.uint8)
            context = grid.context if grid.encoder_limit else NO_CONTEXT
            return Places(offsets, values, table, inside, context, grid.encoder_limit)
    return None


def _flag_places(grid: CutPoints, inside: bool) -> dict[int, int]:
    """Return what the places of a document are, by their offset."""
    flags = dict.fromkeys(grid.offsets.tolist(), GAP)
    if not inside:
        return flags
    for start in grid.word_starts.tolist():
        flags[start] = flags.get(start, 0) | WORD
    text, bounds = grid.document.text, grid.tokens.cuts
    alone = np.arange(len(bounds) - 1)
    for atom in np.flatnonzero(grid.tokens.span_counts(alone, alone + 1) > _SHORTEST).tolist():
        start, end = int(bounds[atom]), int(bounds[atom + 1])
        clauses, words = pieces_of(text[start:end])
        for ends, flag in ((clauses, CLAUSE), (words, PIECE)):
            for inner in ends:
                flags[start + inner] = flags.get(start + inner, 0) | flag
    return flags


def limit_of(workspace: DocumentAnalysis) -> dict[str, Any] | None:
    """Return what a page needs to know how much of a chunk the encoder reads; ``None`` where it reads all, or where its
    tokens cannot be counted.
    """
    encoder = workspace.retrieval_encoder
    if encoder.max_tokens >= UNLIMITED:
        return None
    try:
        counter = tokens.get_tokenizer(embedding.own_tokenizer(encoder.name))
    except ChunkscopeError:
        return None
    known = _read_table(workspace.cut_points, counter)
    if known is None:
        return None
    table, context = known
    special = int(encoder.token_counts([""])[0])
    return {
        "encoder": encoder.name,
        "maximum": encoder.max_tokens,
        "special": special,  # which it adds to every text
        "offsets": whole(table.cuts),
        "tokens": packed_tokens(table, context, encoder.max_tokens - special),
    }


@lru_cache(maxsize=8)
def _read_table(grid: CutPoints, counter: TokenCounter) -> tuple[SpanTokens, ContextTokens] | None:
    """Return the encoder's tokens between the words, else the sentences, and before a chunk; ``None`` where few are
    sums.
    """
    length = len(grid.document.text)
    candidates = [grid.words.cuts] if length <= _LONGEST else []
    for cuts in (*candidates, np.unique(np.concatenate(([0], grid.offsets, [length])))):
        table = SpanTokens(grid.document.text, cuts, counter)
        if _is_countable(table):
            return table, context_tokens(grid.document, counter)
    return None
