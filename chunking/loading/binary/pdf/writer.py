"""From drafts to the order of their words in the text, with the separators between them."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from statistics import median, median_low

from chunking.document import BlockKind, Style
from chunking.loading.binary.pdf.grouping import columns_of
from chunking.loading.binary.pdf.kinds import Draft
from chunking.loading.binary.pdf.pieces import Pieces
from chunking.loading.binary.pdf.rows import Row
from chunking.loading.binary.pdf.tables import Ruled
from chunking.loading.binary.pdf.words import Words
from chunking.runtime.patterns import compile_pattern

CELL = " | "
HYPHENS = ("-", "\u00ad", "\u2010")

_NO_SPACES = compile_pattern(
    "[\u2e80-\ua000\uf900-\ufaff\uff00-\uffef\U00020000-\U00032000\u0e00-\u0eff\u1780-\u17ff\u1000-\u109f]"
)
_HANGUL = compile_pattern("[\uac00-\ud7af]")
_EDGES = compile_pattern(r"^\W+|[^\w\u00ad‐-]+$")


@dataclass
class Stretches:
    """Stretches of words that follow each other in PDFium's order on one line, in the order of the text.

    Attributes:
        begin, end: half-open range of the words of each.
        before: separator before each.
        line: number of the line of each.
        cut: stretches whose last character, a hyphen required only by the line end, is omitted.
        words: number of words.
    """

    begin: array[int] = field(default_factory=lambda: array("q"))
    end: array[int] = field(default_factory=lambda: array("q"))
    before: list[str] = field(default_factory=list)
    line: array[int] = field(default_factory=lambda: array("q"))
    cut: set[int] = field(default_factory=set)
    words: int = 0


@dataclass(frozen=True)
class Written:
    """Drafts as words in the order of the text.

    Attributes:
        out: the words.
        blocks: of each draft, the half-open range of its words, its kind, level and style as in
            :class:`chunking.document.Block`, and whether its first word is a list marker.
        breaks: indices of the words at which a page begins.
    """

    out: Stretches
    blocks: list[tuple[int, int, BlockKind, int, Style, bool]]
    breaks: set[int]


def write(
    words: Words, pieces: Pieces, rows: Sequence[Row], ruled: Sequence[Ruled], drafts: Sequence[Draft]
) -> Written:
    """Arrange the words of the drafts in order, with separators."""
    writer = _Writer(words, pieces, rows, ruled)
    written = Written(writer.out, [], set())
    page = -1
    previous: Draft | None = None
    for draft in drafts:
        first, last = rows[draft.rows[0]].page, rows[draft.rows[-1]].page
        begin = writer.out.words
        new_page = draft.kind != "footnote" and page >= 0 and first > page
        if previous is None:
            separator = ""
        elif new_page:
            separator = "\n\n\f\n\n"
            written.breaks.add(begin)
        else:
            separator = "\n" if previous.kind == draft.kind == "list_item" else "\n\n"
        writer.write(draft, separator)
        written.blocks.append((begin, writer.out.words, draft.kind, draft.level, draft.style, draft.marked))
        page = max(page, last)
        previous = draft
    return written


class _Writer:
    """A writer that arranges the words of drafts."""

    def __init__(self, words: Words, pieces: Pieces, rows: Sequence[Row], ruled: Sequence[Ruled]) -> None:
        self.words, self.pieces, self.rows, self.ruled = words, pieces, rows, ruled
        self.out = Stretches()
        self.first, self.last = pieces.first.tolist(), pieces.last.tolist()
        self.lines = 0
        self._vocabulary: set[str] | None = None

    def write(self, draft: Draft, separator: str) -> None:
        """Add a draft after a separator."""
        if draft.layout == "ruled":
            self._table(self._ruled_cells(draft), separator)
        elif draft.layout == "grid":
            self._table(self._grid_cells(draft), separator)
        elif draft.layout == "code":
            self._code(draft, separator)
        else:
            self._prose(draft, separator)

    def _stretch(self, begin: int, end: int, separator: str) -> None:
        """Add words that are consecutive in PDFium's order on one line."""
        out = self.out
        out.begin.append(begin)
        out.end.append(end)
        out.before.append(separator)
        out.line.append(self.lines)
        out.words += end - begin

    def _line(self, row: Row, separator: str) -> None:
        for number, piece in enumerate(row.pieces):
            gap = separator if not number else self._between(self.last[row.pieces[number - 1]] - 1, self.first[piece])
            self._stretch(self.first[piece], self.last[piece], gap)
        self.lines += 1

    def _between(self, one: int, other: int) -> str:
        """Return the separator between two words of a line that are in different pieces."""
        touching = abs(float(self.words.lay[other, 0] - self.words.lay[one, 2])) < 0.12 * float(self.words.size[one])
        return "" if touching and self.words.page[one] == self.words.page[other] else " "

    # Prose ---------------------------------------------------------------------------------------------------------

    def _prose(self, draft: Draft, separator: str) -> None:
        for number, place in enumerate(draft.rows):
            row = self.rows[place]
            self._line(row, self._joint(self.first[row.pieces[0]]) if number else separator)

    def _joint(self, first: int) -> str:
        """Return the replacement of the line end before a word; a hyphen that was there only for it is removed."""
        last = self.out.end[-1] - 1
        one, other = self.words.text[last], self.words.text[first]
        if one.endswith(HYPHENS) and len(one) > 1 and one[-2].isalnum() and other[:1].isalnum():
            # If PDFium divided the word, its first half may follow a hyphen and be two words here.
            soft = one.endswith("\u00ad")
            if other[:1].islower() and one[-2].isalpha() and (soft or self._is_broken(one, other)):
                self.out.cut.add(len(self.out.end) - 1)
            return ""
        return self._space(one, other)

    def _is_broken(self, one: str, other: str) -> bool:
        """Return whether a hyphen at a line end divides one word, judged by the rest of the document.

        It does if the word without it occurs elsewhere. It does not if the word with it occurs, if both halves occur
        as words, or if the first half has another hyphen. Without evidence, it does.
        """
        if self._vocabulary is None:
            self._vocabulary = _vocabulary(self.words.text)
        known = self._vocabulary
        start, rest = _EDGES.sub("", one.lower()).rstrip("".join(HYPHENS)), _EDGES.sub("", other.lower())
        if start + rest in known:
            return True
        if f"{start}-{rest}" in known or "-" in start:
            return False
        return not (start in known and rest in known and len(start) > 2 and len(rest) > 2)

    def _space(self, one: str, other: str) -> str:
        """Return the separator of two words on two lines: empty in scripts without spaces."""
        if _NO_SPACES.match(one[-1:]) and _NO_SPACES.match(other[:1]):
            return ""
        if _HANGUL.match(one[-1:]) and _HANGUL.match(other[:1]):
            if self._vocabulary is None:
                self._vocabulary = _vocabulary(self.words.text)
            whole = _EDGES.sub("", one) + _EDGES.sub("", other)
            return "" if whole in self._vocabulary else " "
        return " "

    # Code ----------------------------------------------------------------------------------------------------------

    def _code(self, draft: Draft, separator: str) -> None:
        own = [self.rows[place] for place in draft.rows]
        widths = [(row.right - row.left) / len(row.text) for row in own if len(row.pieces) == 1 and len(row.text) > 1]
        char = max(median(widths) if widths else 0.6 * own[0].size, 0.1)
        left: dict[int, float] = {}
        for row in own:
            left[row.region] = min(row.left, left.get(row.region, row.left))
        usual = median_low([b.bottom - a.bottom for a, b in pairwise(own) if a.region == b.region] or [0.0])
        for number, row in enumerate(own):
            indent = " " * min(round((row.left - left[row.region]) / char), 200)
            blank = 0
            if number and own[number - 1].region == row.region and usual > 0:
                blank = min(max(round((row.bottom - own[number - 1].bottom) / usual) - 1, 0), 3)
            lead = separator if not number else "\n" * (1 + blank) + indent
            for order, piece in enumerate(row.pieces):
                if order:
                    gap = float(self.pieces.left[piece] - self.pieces.right[row.pieces[order - 1]])
                    lead = " " * min(max(round(gap / char), 1), 200)
                self._stretch(self.first[piece], self.last[piece], lead)
            self.lines += 1

    # Tables --------------------------------------------------------------------------------------------------------

    def _ruled_cells(self, draft: Draft) -> Iterator[list[list[list[int]]]]:
        """Yield rows of cells of lines of words."""
        for place in draft.rows:
            for row in self.ruled[self.rows[place].table].rows[place in draft.heads :]:
                yield [list(self._cell_lines(cell)) for cell in row]

    def _cell_lines(self, cell: Sequence[int]) -> Iterator[list[int]]:
        line: list[int] = []
        lay = self.words.lay
        for word in cell:
            if line and lay[word, 1] > lay[line[-1], 3] - 0.3 * float(self.words.size[word]):
                yield line
                line = []
            line.append(word)
        if line:
            yield line

    def _grid_cells(self, draft: Draft) -> Iterator[list[list[list[int]]]]:
        own = [self.rows[place] for place in draft.rows]
        columns = columns_of(own, self.pieces)
        # Columns that a cell spans cannot be distinguished: cells are counted in order.
        clear = len(columns) >= max(len(row.pieces) for row in own)
        edges = [right for _, right in columns]
        cells: list[list[list[int]]] = []
        # Of each column, where the last line of its cell ends.
        ends: list[float] = []
        for number, row in enumerate(own):
            rights = self.pieces.right[list(row.pieces)].tolist()
            places = [bisect_left(edges, right) for right in rights] if clear else list(range(len(rights)))
            wrapped = clear and number > 0 and self._is_wrapped(own[number - 1], row, places, ends, edges)
            if not wrapped:
                if cells:
                    yield cells
                cells = [[] for _ in (columns if clear else rights)]
                ends = [0.0] * len(cells)
            for place, right, piece in zip(places, rights, row.pieces, strict=True):
                cells[place].append(list(range(self.first[piece], self.last[piece])))
                ends[place] = right
        yield cells

    def _is_wrapped(
        self, above: Row, row: Row, places: Sequence[int], ends: Sequence[float], edges: Sequence[float]
    ) -> bool:
        """Return whether a row of a table continues the cells above it.

        Its first column is empty, it is one line below, and its first words did not fit above.
        """
        if 0 in places or above.region != row.region or row.bottom - above.bottom > 1.5 * row.size:
            return False
        for place, piece in zip(places, row.pieces, strict=True):
            word = self.first[piece]
            wide = float(self.words.lay[word, 2] - self.words.lay[word, 0])
            if not ends[place] or ends[place] + 0.25 * row.size + wide < edges[place] - 0.4 * row.size:
                return False
        return True

    def _table(self, table: Iterator[list[list[list[int]]]], separator: str) -> None:
        """Add cells separated by ``|`` and rows by line ends, with leading empty cells, so that columns are visible."""
        lead = separator
        for row in table:
            empty = 0
            begun = False
            for cell in row:
                if not cell:
                    empty += 1
                    continue
                if begun:
                    lead = CELL * (empty + 1)
                elif lead == "\n":
                    lead += "| " * empty
                empty, begun = 0, True
                for number, line in enumerate(cell):
                    lead = self._joint(line[0]) if number else lead
                    for begin, end in _runs(line):
                        self._stretch(begin, end, lead)
                        lead = " "
                    self.lines += 1
            if begun:
                lead = "\n"


def _vocabulary(words: Sequence[str]) -> set[str]:
    """Return all words in lower case, without surrounding punctuation."""
    return {_EDGES.sub("", word) for word in set(map(str.lower, set(words)))}


def _runs(numbers: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield half-open ranges of consecutive numbers."""
    begin = 0
    for place in range(1, len(numbers) + 1):
        if place == len(numbers) or numbers[place] != numbers[place - 1] + 1:
            yield numbers[begin], numbers[place - 1] + 1
            begin = place
