"""Separators from strong to weak until the pieces fit a size, as LangChain's RecursiveCharacterTextSplitter."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from chunking.chunks import Cut, SizeParameters
from chunking.document.graphemes import inside_clusters, without_inner
from chunking.errors import ChunkscopeError
from chunking.params import parameter
from chunking.runtime.arrays import Int64
from chunking.runtime.patterns import compile_pattern
from chunking.strategies.base import Segmentation, Strategy
from chunking.strategies.cutting import segment
from chunking.tokens import SpanTokens, TokenCounter
from chunking.workspace import DocumentAnalysis


@dataclass(frozen=True, kw_only=True)
class RecursiveParameters(SizeParameters):
    """Parameters of ``recursive``: size and overlap are counted in one unit, as in LangChain."""

    size: int = parameter(
        1000,
        "Size",
        "Maximum size of a chunk, including its overlap, in the unit of the overlap.",
        minimum=1,
        maximum=100_000,
        step=10,
    )
    overlap: int = parameter(
        50,
        "Overlap",
        "Maximum amount of text that is repeated from before a chunk; only whole pieces, so often less or none.",
        minimum=0,
        maximum=10_000,
        step=1,
    )
    overlap_unit: str = parameter(
        "characters", "Size and overlap in", "Unit of the size and the overlap.", choices=("characters", "tokens")
    )
    separators: str = parameter(
        "text",
        "Separators",
        "Places where the text is split, strongest first: blank lines, line ends, spaces, characters. 'sentences' adds "
        "sentence ends, 'markdown' headings, fences and rules, 'python' classes and functions.",
        choices=("text", "sentences", "markdown", "python"),
    )

    def validate(self) -> None:
        """Reject limits that contradict each other and an overlap that leaves no room in the size."""
        super().validate()
        if self.overlap >= self.size:
            raise ChunkscopeError(
                f"The overlap ({self.overlap} {self.overlap_unit}) must be smaller than the size ({self.size}).",
                "Lower the overlap or raise the size.",
            )
        if self.overlap_unit == "tokens" and self.min_tokens > self.size:
            raise ChunkscopeError(
                f"min_tokens ({self.min_tokens}) is larger than size ({self.size}).",
                "Lower the minimum or raise the size.",
            )


_LINE_END = r"(?>\r\n|\n|\r)"
"""LangChain knows ``\\n`` alone, and finds no line end where a file has been made on another system."""

_TEXT = ((_LINE_END + "{2}", "blank line"), (_LINE_END, "line end"), (" ", "space"), ("", "character"))

SEPARATORS: dict[str, tuple[tuple[str, str], ...]] = {
    "text": _TEXT,
    "sentences": (*_TEXT[:2], (r"\.", "full stop"), (r"\?", "question mark"), ("!", "exclamation mark"), *_TEXT[2:]),
    "markdown": (
        (_LINE_END + "#{1,6} ", "heading"),
        ("```" + _LINE_END, "code fence"),
        (_LINE_END + r"\*\*\*+" + _LINE_END, "rule of stars"),
        (_LINE_END + "---+" + _LINE_END, "rule of dashes"),
        (_LINE_END + "___+" + _LINE_END, "rule of underscores"),
        *_TEXT,
    ),
    "python": (
        (_LINE_END + "class ", "class"),
        (_LINE_END + "def ", "function"),
        (_LINE_END + "\tdef ", "method"),
        *_TEXT,
    ),
}
"""Regular expressions with their names, strongest first; LangChain's lists for plain text and two languages,
and ``sentences``, the list of RecursiveTokenChunker in Chroma's chunking_evaluation. A separator begins the piece after
it, as in the original: a full stop is placed before the sentence that follows."""

Bounds = Sequence[int]
"""Ascending offsets; two neighbours bound a piece."""


class Piece(NamedTuple):
    """A span of the text, and the name of the separator that it begins with."""

    start: int
    end: int
    separator: str


def recursive_pieces(
    text: str,
    separators: Sequence[tuple[str, str]],
    size: int,
    overlap: int,
    counter: TokenCounter | None = None,
    inside: Int64 | None = None,
) -> list[Piece]:
    """Split a text as LangChain's recursive splitter does, on offsets: at the first separator that it contains; pieces
    as long as the size or longer are split at the next; shorter neighbours are joined up to the size, each run of them
    beginning with the last pieces of the one before that keep the overlap.

    All spans with the same separator are split together; joins are found by bisection in the cumulative
    lengths, so the work grows with the text, whatever the size and the overlap.

    Args:
        text: the text.
        separators: regular expressions and names, strongest first; the last one is empty and splits characters.
        size, overlap: in characters, or in tokens if a counter is given; a line end of two characters counts as one.
            As in LangChain, the length of joined pieces is the sum of theirs.
        counter: counts tokens.
        inside: the offsets inside grapheme clusters, where nothing is cut; by default they are looked up.

    Returns:
        The joined pieces by start, strictly ascending, each end after the one before; each starts at or before the end
        of the one before. Stripped of white space and without those that are blank, they are LangChain's chunks.
    """
    inside = inside_clusters(text) if inside is None else inside
    long_line_ends = np.array([match.end() for match in _LONG_LINE_END.finditer(text)], dtype=np.int64)
    finished_pieces: list[Piece] = []
    pending_pieces = [Piece(0, len(text), "")] if text else []
    for pattern, name in separators:
        bounds = [_bounds(text, pattern, piece, inside) for piece in pending_pieces]
        longer: list[Piece] = []
        cumulative = _token_sums(text, bounds, pattern, counter) if counter else _lengths(bounds, long_line_ends)
        for piece, offsets, sums in zip(pending_pieces, bounds, cumulative, strict=True):
            if not offsets:
                longer.append(piece)
                continue
            names = [piece.separator, name]
            run = 0
            last = len(offsets) - 1
            for stop_index in [*_long(sums, size), last]:
                for first, stop in _join(sums, run, stop_index, size, overlap):
                    finished_pieces.append(Piece(offsets[first], offsets[stop], names[first > 0]))
                if stop_index < last:
                    longer.append(Piece(offsets[stop_index], offsets[stop_index + 1], names[stop_index > 0]))
                run = stop_index + 1
        pending_pieces = longer
    return sorted(finished_pieces + pending_pieces)


def _bounds(text: str, pattern: str, piece: Piece, inside: Int64) -> Bounds:
    """Return the piece's ends with the places of the separator between them; empty if it has none."""
    if not pattern:
        first, last = np.searchsorted(inside, (piece.start, piece.end))
        if first == last:
            return range(piece.start, piece.end + 1)
        between: list[int] = without_inner(np.arange(piece.start, piece.end + 1), inside[first:last]).tolist()
        return between
    starts = [match.start() for match in compile_pattern(pattern).finditer(text, piece.start, piece.end)]
    if len(inside):
        starts = without_inner(np.array(starts, dtype=np.int64), inside).tolist()
    return [piece.start, *starts[starts[0] == piece.start :], piece.end] if starts else []


_LONG_LINE_END = compile_pattern("\r\n")


def _lengths(bounds: Sequence[Bounds], long_line_ends: Int64) -> Iterable[Sequence[int]]:
    """Return the cumulative lengths of the pieces of each sequence of bounds in characters, a line end as one."""
    if not len(long_line_ends):
        return bounds
    offsets_of = (np.array(offsets, dtype=np.int64) for offsets in bounds)
    return ((offsets - np.searchsorted(long_line_ends, offsets, side="right")).tolist() for offsets in offsets_of)


def _token_sums(text: str, bounds: Sequence[Bounds], pattern: str, counter: TokenCounter) -> Iterator[Sequence[int]]:
    """Yield the cumulative tokens of the pieces of each sequence of bounds, each piece counted on its own."""
    if not any(bounds):
        yield from bounds
    elif not pattern:
        pieces = [[text[start:end] for start, end in pairwise(offsets)] for offsets in bounds]
        distinct = sorted({piece for of_bounds in pieces for piece in of_bounds})
        lengths = dict(zip(distinct, counter.count(distinct).tolist(), strict=True))
        for of_bounds in pieces:
            yield np.cumsum([0, *(lengths[piece] for piece in of_bounds)]).tolist()
    else:
        cuts = np.concatenate([np.array(offsets, dtype=np.int64) for offsets in bounds])
        counts_ = SpanTokens(text, cuts, counter).span_counts(np.arange(len(cuts) - 1), np.arange(1, len(cuts)))
        total = [0, *np.cumsum(counts_).tolist()]
        begin = 0
        for offsets in bounds:
            yield total[begin : begin + len(offsets)]
            begin += len(offsets)


def _long(sums: Sequence[int], size: int) -> list[int]:
    """Return the pieces that are at least as long as the size."""
    if isinstance(sums, range) and size > 1:
        return []
    return [index for index, (before, after) in enumerate(pairwise(sums)) if after - before >= size]


def _join(sums: Sequence[int], first: int, last: int, size: int, overlap: int) -> Iterator[tuple[int, int]]:
    """Yield the runs of the pieces from ``first`` to before ``last``, all shorter than the size, joined up to it."""
    stop = first
    while first < last:
        stop = min(bisect_right(sums, sums[first] + size, stop, last + 1) - 1, last)
        yield first, stop
        if stop == last:
            break
        keeps_overlap = bisect_left(sums, sums[stop] - overlap, first, stop)
        has_room = bisect_left(sums, sums[stop + 1] - size, first, stop)
        # Pieces without length at the end of a run (a space that is no token) stay, as in LangChain.
        is_empty = bisect_left(sums, sums[stop], first, stop)
        first = max(keeps_overlap, min(has_room, is_empty))


def _run_recursive(workspace: DocumentAnalysis, params: RecursiveParameters) -> Segmentation:
    text, reached, entered = workspace.document.text, 0, ""
    counter = workspace.cut_points_only.counter if params.overlap_unit == "tokens" else None
    cuts, overlap_starts = list[Cut](), dict[int, int]()
    inside = workspace.document.inside_clusters
    for piece in recursive_pieces(text, SEPARATORS[params.separators], params.size, params.overlap, counter, inside):
        entered = entered or piece.separator
        if text[piece.start : piece.end].isspace():
            continue  # LangChain drops it; here it belongs to the next piece
        if reached:
            cuts.append(Cut(reached, "separator", detail=entered))
            overlap_starts[reached] = min(piece.start, reached)
        reached, entered = piece.end, ""
    return segment(workspace, "recursive", params, cuts, overlap_starts=overlap_starts)


STRATEGIES: tuple[Strategy, ...] = (
    Strategy(
        name="recursive",
        title="Recursive",
        family="size",
        summary="Splits at blank lines, then at line ends, spaces and characters, until the pieces fit a size.",
        origin="LangChain RecursiveCharacterTextSplitter",
        params=RecursiveParameters,
        cut=_run_recursive,
    ),
)
