"""Structural features of the layout at each gap.

The reference method strips each sentence and compares the two, so it cannot see anything *between* them. These features
describe the gap: a blank line, a heading that follows, the start of a list, the end of a page, a change of speaker.
Each value lies in 0 to 1. Evidence for a boundary has a positive weight; evidence against one (a heading and its first
sentence, a colon and the list it introduces, two items of one list) has a negative weight.

If the format has styles (:class:`~chunking.document.Style`), spacing and indentation are measured on the page, relative
to the document's own; otherwise they are blank lines and columns of the text. A short line in larger or bolder type,
or with more space above than below, is treated as a heading of the following text. Footnotes are skipped: the text
above one is compared with the text below it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from chunking.document import Document
from chunking.runtime.arrays import Bools, Float64, Int64
from chunking.runtime.patterns import compile_pattern
from chunking.sentences import Sentences

_FEATURES = 16
"""Features of a gap."""

_FULL_INDENT = 8
_FULL_SPACING = 2
_FULL_FONT_STEP = 1.5
_LINE = 1.2
"""Height of a line in font sizes."""

_COLUMN = 0.5
"""Width of a column of text in font sizes."""

_BOLD_STEP = 0.5
"""Font step of bold type in a text that is not bold."""

_LEVEL_STEP = 0.25
_MIN_HEADING = 0.3
_TITLE_LENGTH = 120
"""Maximum length of a line that type or space makes a title, in characters."""

_NUMBERED = compile_pattern(
    r"§+\s*\d|(?:\d{1,3}\.)+\d{1,3}\s+[^\W\d_]|\((?:\d{1,3}|[a-z]|[ivxlc]{1,6})\)\s+\S"
    r"|(?:§+\s*)?(?:\d{1,3}(?:\.\d{1,3})*|[IVXLC]{2,6})[.)]\s+[^\W_]"
)
_INSETS = ("list_item", "code", "quote")
_COLONS = [ord(mark) for mark in ":："]
_STOPS = [ord(mark) for mark in ".!?:;,…。！？：；，、؟۔।"]
_NUMBER_STARTS = frozenset("§(0123456789IVXLC")


@dataclass(frozen=True, eq=False)
class _Gaps:
    """The gaps of a document, each array ``(n_gaps,)``, and its blocks.

    Attributes:
        document: the document.
        kinds: ``(n_blocks,)`` the kind of each block.
        left, right: indices of the compared blocks; after a footnote, the left one is the block it interrupted.
        new: whether a new block begins. A footnote does not count, nor a continuation after one or on the next page.
        ended: whether a page ends between the two, and no sentence continues across it.
        lines: empty lines between the two sentences, 0 inside a block.
        last: code point of the last character on the left side.
        body: the font size of most of the document's characters, in points; 0 if unknown.
        title: whether the left side is a short paragraph of its own without a stop.
    """

    document: Document
    kinds: npt.NDArray[np.str_]
    left: Int64
    right: Int64
    new: Bools
    ended: Bools
    lines: Int64
    last: Int64
    body: float
    title: Bools


def values(sentences: Sentences) -> Float64:
    """Return the features of every gap.

    Returns:
        ``(n_gaps, n_features)`` float64 in 0 to 1, columns in the order of the set ``layout``.
    """
    if len(sentences) < 2:
        return np.zeros((0, _FEATURES))
    gaps = _gaps(sentences)
    kinds, new = gaps.kinds, gaps.new
    follows, under = _headings(gaps)
    space = _space(gaps)
    step, larger = _type_steps(gaps)
    columns = {
        "heading": follows,
        "paragraph": np.where(new, np.where(gaps.lines > 0, 1.0, 0.6), 0.0),
        "spacing": _extra(space, new),
        "font_step": step,
        "list_edge": _begins(kinds != "list_item", gaps),
        "table_edge": _begins(kinds == "table", gaps) | _begins(kinds != "table", gaps),
        "code_edge": _begins(kinds != "code", gaps),
        "quote_edge": _begins(kinds != "quote", gaps),
        "indentation": _indent_steps(gaps),
        "numbering": _is_numbered(gaps.document)[gaps.right] * new,
        "speaker": _speaker_changes(gaps),
        "page_break": gaps.ended,
        "after_heading": np.maximum(under, np.maximum(larger, _more_above(space, new)) * gaps.title * (follows == 0)),
        "lead_in": np.isin(gaps.last, _COLONS),
        "inset": np.any([_begins(kinds == kind, gaps) for kind in _INSETS], axis=0) & (kinds != "heading")[gaps.left],
        "together": _together(gaps),
    }
    return np.column_stack([np.asarray(column, dtype=np.float64) for column in columns.values()])


def _gaps(sentences: Sentences) -> _Gaps:
    document, text = sentences.document, sentences.document.text
    kinds = np.array([block.kind for block in document.blocks])
    block, lengths = sentences.block, np.diff(sentences.spans[:-1], axis=1)[:, 0]
    above = _above((kinds == "footnote")[block])
    last = _codes(text[end - 1] for end in sentences.spans[above, 1].tolist())
    stop = np.isin(last, _STOPS)
    fresh = block[:-1] != block[1:]
    alone = fresh & np.append(True, fresh[:-1])
    left, right = block[above], block[1:]
    ended = _page_ends(document, left, right)
    candidates = np.flatnonzero((ended | (above != np.arange(len(above)))) & ~stop)
    continued = np.zeros(len(above), dtype=np.bool_)
    continued[candidates] = _starts_in_lower_case(sentences, candidates) & (
        kinds[left[candidates]] == kinds[right[candidates]]
    )
    new = (left != right) & ~continued & (kinds != "footnote")[right]
    title = alone & ~stop & (lengths <= _TITLE_LENGTH) & (kinds == "paragraph")[block[:-1]]
    lines, body = _empty_lines(sentences, new), _body_size(document)
    return _Gaps(document, kinds, left, right, new, ended & new, lines, last, body, title)


def _codes(characters: Iterable[str]) -> Int64:
    """Return the code points of characters."""
    return np.frombuffer("".join(characters).encode("utf-32-le", "surrogatepass"), dtype="<u4").astype(np.int64)


def _above(note: Bools) -> Int64:
    """Return ``(n_gaps,)``: the last sentence above each gap that is in no footnote."""
    indices = np.arange(len(note))
    above = np.maximum.accumulate(np.where(note, -1, indices))
    sentence_above: Int64 = np.where(above < 0, indices, above)[:-1]
    return sentence_above


def _starts_in_lower_case(sentences: Sentences, candidates: Int64) -> Bools:
    """Return whether the right side begins in lower case, for some gaps."""
    text, starts = sentences.document.text, sentences.spans[candidates + 1, 0].tolist()
    return np.array([text[start].islower() for start in starts], dtype=np.bool_)


def _page_ends(document: Document, left: Int64, right: Int64) -> Bools:
    breaks_before = np.cumsum([block.kind == "page_break" for block in document.blocks])
    ends: Bools = breaks_before[left] != breaks_before[right]
    return ends


def _empty_lines(sentences: Sentences, new: Bools) -> Int64:
    """Return the empty lines between the two sentences of each gap; 0 inside a block."""
    text, spans = sentences.document.text, sentences.spans
    lines = np.zeros(len(new), dtype=np.int64)
    gap_indices = np.flatnonzero(new)
    between = list(zip(spans[gap_indices, 1].tolist(), spans[gap_indices + 1, 0].tolist(), strict=True))
    ends = np.array([text.count("\n", start, end) for start, end in between], dtype=np.int64)
    if "\r" in text:
        ends = np.maximum(ends, [text.count("\r", start, end) for start, end in between])
    lines[gap_indices] = np.maximum(ends - 1, 0)
    return lines


def _begins(inside: Bools, gaps: _Gaps) -> Bools:
    """Return where a run of blocks of some kind begins."""
    begins: Bools = ~inside[gaps.left] & inside[gaps.right] & gaps.new
    return begins


def _headings(gaps: _Gaps) -> tuple[Float64, Bools]:
    """Return how strongly a heading opens the right side, and whether the left side is a heading of the right side.

    The strength is 1 for the highest level in this document and :data:`_LEVEL_STEP` less for each further level, at
    least :data:`_MIN_HEADING`. A heading right below one of a higher level, such as a subtitle, does not count.
    """
    levels = np.array([block.level if block.kind == "heading" else 0 for block in gaps.document.blocks])
    above, below = levels[gaps.left] * gaps.new, levels[gaps.right] * gaps.new
    under = (above > 0) & ((below == 0) | (below > above))
    opens = (below > 0) & ~under
    ranks = np.searchsorted(np.unique(below[opens]), below)
    return np.maximum(1.0 - _LEVEL_STEP * ranks, _MIN_HEADING) * opens, under


def _space(gaps: _Gaps) -> Float64:
    """Return the lines of space at each gap: as printed on the page if known, else empty lines; −1 if unknown.

    Empty lines at the end of a page do not count: they are the rest of the page.
    """
    empty = np.where(gaps.ended, -1.0, gaps.lines)
    if not gaps.body:
        return empty
    above = np.array([block.style.space_before if block.style else -1.0 for block in gaps.document.blocks])
    printed = above[gaps.right] / (_LINE * gaps.body)
    return np.where(printed >= 0, printed, -1.0) if (gaps.new & (printed >= 0)).any() else empty


def _extra(space: Float64, new: Bools) -> Float64:
    """Return the lines of space beyond the median of the gaps between blocks."""
    has_space = new & (space >= 0)
    usual = np.median(space[has_space]) if has_space.any() else 0.0
    extra: Float64 = np.clip((space - usual) / _FULL_SPACING, 0.0, 1.0) * has_space
    return extra


def _more_above(space: Float64, new: Bools) -> Float64:
    """Return the lines of space above the left side beyond those below it, where both are known."""
    above, below = space[:-1], space[1:]
    extra_above = np.clip((above - below) / _FULL_SPACING, 0.0, 1.0) * (
        (above >= 0) & (below >= 0) & new[:-1] & new[1:]
    )
    return np.append(0.0, extra_above)


def _body_size(document: Document) -> float:
    """Return the font size of most of the document's characters, in points; 0 if unknown."""
    if not any(block.style for block in document.blocks):
        return 0.0
    sizes = np.array([block.style.size if block.style else 0.0 for block in document.blocks])
    if not (sizes > 0).any():
        return 0.0
    return float(_most(sizes, document, sizes > 0))


def _most(block_values: npt.NDArray[np.generic], document: Document, is_known: Bools) -> np.generic:
    """Return the value that most characters have, among the blocks where it is known."""
    lengths = np.array([block.end - block.start for block in document.blocks], dtype=np.int64)
    distinct, inverse = np.unique(block_values, return_inverse=True)
    most: np.generic = distinct[np.argmax(np.bincount(inverse, lengths * is_known))]
    return most


def _type_steps(gaps: _Gaps) -> tuple[Float64, Float64]:
    """Return by how much the right side exceeds the left in size and weight, and the left exceeds the body text.

    Type counts if it is larger than the body text, or bold in a text that is not, in a block no longer than a title.
    The second value is 0 if the right side exceeds the body text by more than the left.
    """
    document, body = gaps.document, gaps.body
    if not body:
        none = np.zeros(len(gaps.new))
        return none, none
    sizes = np.array([block.style.size if block.style else 0.0 for block in document.blocks])
    bold = np.array([bool(block.style and block.style.bold) for block in document.blocks])
    short = np.array([block.end - block.start <= _TITLE_LENGTH for block in document.blocks])
    size = np.log(np.where(sizes > 0, sizes, body) / body) / np.log(_FULL_FONT_STEP)
    stands_out = np.clip(np.maximum(size, 0.0) + _BOLD_STEP * (bold > _most(bold, document, sizes > 0)), 0.0, 1.0)
    stands_out *= short & ~np.isin(gaps.kinds, ("code", "table", "footnote", "caption"))
    left, right = stands_out[gaps.left], stands_out[gaps.right]
    return np.maximum(right - left, 0.0) * gaps.new, left * (left >= right) * gaps.new


def _indent_steps(gaps: _Gaps) -> Float64:
    """Return the columns by which the text moves back to the left, on the page or in the text, as a share of eight."""
    document = gaps.document
    text, column = document.text, _COLUMN * gaps.body
    indents = np.array(
        [
            block.style.indent / column if column and block.style else _text_column(text, block.start)
            for block in document.blocks
        ],
        dtype=np.float64,
    )
    steps: Float64 = np.clip((indents[gaps.left] - indents[gaps.right]) / _FULL_INDENT, 0.0, 1.0) * gaps.new
    return steps


def _text_column(text: str, offset: int) -> int:
    """Return the number of characters before an offset on its line, at most 200."""
    if not offset or text[offset - 1] in "\n\r":
        return 0
    # Larger columns are no indentation, and a bounded search keeps an endless line from taking quadratic time.
    floor = max(0, offset - 200)
    return offset - 1 - max(text.rfind("\n", floor, offset), text.rfind("\r", floor, offset), floor - 1)


def _is_numbered(document: Document) -> Bools:
    """Return whether each block is prose that begins with a number."""
    text = document.text
    return np.array(
        [
            block.kind == "paragraph"
            and text[block.start] in _NUMBER_STARTS
            and _NUMBERED.match(text, block.start, block.end) is not None
            for block in document.blocks
        ]
    )


def _speaker_changes(gaps: _Gaps) -> Bools:
    if not (gaps.kinds == "speaker_turn").any():
        return np.zeros(len(gaps.new), dtype=np.bool_)
    speakers = np.array([block.title if block.kind == "speaker_turn" else "" for block in gaps.document.blocks])
    left, right = speakers[gaps.left], speakers[gaps.right]
    changes: Bools = (left != right) & (left != "") & (right != "")
    return changes


def _together(gaps: _Gaps) -> Bools:
    items, table, caption = gaps.kinds == "list_item", gaps.kinds == "table", gaps.kinds == "caption"
    is_figure = table | (gaps.kinds == "code")
    left, right = gaps.left, gaps.right
    lists, rows = items[left] & items[right], table[left] & (left == right)
    bound: Bools = lists | rows | (caption[left] & is_figure[right]) | (is_figure[left] & caption[right])
    return bound
