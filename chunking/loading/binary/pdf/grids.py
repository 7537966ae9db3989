"""Tables without rules: their parts that are apart (heads, rows that name a group of others), and their cells."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from operator import itemgetter
from typing import TYPE_CHECKING

import numpy as np

from chunking.loading.binary.pdf.fragments import OPEN_NAME, WIDE_GAP, Fragments, is_value
from chunking.loading.binary.pdf.layout import Line
from chunking.loading.binary.pdf.words import Words
from chunking.runtime.arrays import Bools, Float64
from chunking.runtime.patterns import compile_pattern

if TYPE_CHECKING:
    from chunking.loading.binary.pdf.blocks import BlockDraft
    from chunking.loading.binary.pdf.body_style import BodyStyle

GROUP_LINES = 4
"""Maximum number of lines between two parts of a table."""

GROUP_OUTDENT = 4.0
"""How far the name of a group may begin to the left of its rows, in font sizes."""

RECENT = 16
"""Lines at the end of a table that tell its columns."""

HEAD_LINES = 6
"""Maximum number of lines of a table's head that are no rows of cells."""

STEP = 2.2
"""Maximum distance of two rows of a table, in usual distances between lines."""

BESIDE = 0.85
"""Distance of two lines up to which they are beside each other, in font sizes."""

_DOTTED = compile_pattern(r"\d{1,2}(?:\.\d{1,2})+\.?")
_SECTION = compile_pattern(r"(?:\d{1,3}|[A-Z])(?:\.\d{1,3})*\.?")
"""The number of a section, with dots or as a cell of its own."""

Edges = list[tuple[float, float]]


class GridMerger:
    """A merger of the parts of tables without rules.

    Args:
        fragments: of the document.
        body: its usual distances.
    """

    def __init__(self, fragments: Fragments, body: BodyStyle) -> None:
        self._left, self._right, self._body = fragments.left, fragments.right, body

    def run(self, drafts: Sequence[BlockDraft]) -> list[BlockDraft]:
        """Return the drafts with each table as one."""
        out: list[BlockDraft] = []
        index = 0
        while index < len(drafts):
            draft = drafts[index]
            index += 1
            if draft.layout == "grid":
                self._add_head(out, draft)
                while (end := self._next_part(drafts, index, draft)) > index:
                    for part in drafts[index:end]:
                        draft.lines.extend(part.lines)
                    index = end
            out.append(draft)
        return out

    def _edges(self, line: Line) -> Edges:
        return [(float(self._left[fragment]), float(self._right[fragment])) for fragment in line.fragments]

    def _is_row_below(self, above: Line, line: Line) -> bool:
        """Return whether a line is as near to the one above as the rows of a table are."""
        step = line.bottom - above.bottom
        return above.region == line.region and line.table < 0 and step < STEP * self._body.pitch(line.size)

    # Groups --------------------------------------------------------------------------------------------------------

    def _next_part(self, drafts: Sequence[BlockDraft], index: int, table: BlockDraft) -> int:
        """Return the end of the drafts that continue a table: at most some lines that name a group, then rows."""
        rows = self._rows(table)
        left = min(line.left for line in table.lines[-RECENT:]) - GROUP_OUTDENT * table.lines[-1].size
        right = max(edges[-1][1] for edges in rows)
        above, lines = table.lines[-1], 0
        for end in range(index, min(index + GROUP_LINES + 1, len(drafts))):
            draft = drafts[end]
            first = draft.lines[0]
            if end == index and len(draft.lines) == 1 and ends_name(table.lines[-2:], first):
                return end + 1
            if not self._is_row_below(above, first):
                return index
            if self._has_columns(draft, rows):
                return end + 1
            lines += len(draft.lines)
            if lines > GROUP_LINES or not self._names_group(draft, left, right, above):
                return index
            above = draft.lines[-1]
        return index

    def _rows(self, table: BlockDraft) -> list[Edges]:
        """Return the cells of the last rows of a table that have most cells."""
        edges = [self._edges(line) for line in table.lines[-RECENT:]]
        most = max(map(len, edges))
        return [cells for cells in edges if 2 * len(cells) >= most]

    def _has_columns(self, draft: BlockDraft, rows: Sequence[Edges]) -> bool:
        """Return whether a draft has cells in the columns of rows."""
        if draft.layout not in ("grid", "text") or (draft.layout == "text" and len(draft.lines) > 2):
            return False
        return any(self._shares_columns(self._edges(line), rows) for line in draft.lines[:3])

    def _shares_columns(self, cells: Edges, rows: Sequence[Edges]) -> bool:
        """Return whether most cells of a line, apart from the first, begin, end or are centred as those of rows are."""
        others = np.array([other for row in rows for other in row[1:]], dtype=np.float64)
        if len(cells) < 2 or not len(others):
            return False
        inner = np.array(cells[1:], dtype=np.float64)
        aligned = int(np.count_nonzero(_are_aligned(inner, others)))
        return 2 * aligned > len(inner) and aligned >= min(2, min(map(len, rows)) - 1)

    def _names_group(self, draft: BlockDraft, left: float, right: float, table: Line) -> bool:
        """Return whether lines may name the group of the rows below: short, and inside the table."""
        if draft.layout not in ("text", "item"):
            return False
        return all(
            line.left > left
            and line.right < right + 4
            and not line.rotated
            and not _is_title(line, table)
            and (line.right - line.left < 0.6 * (right - left) or len(line.fragments) > 1)
            for line in draft.lines
        )

    # Heads ---------------------------------------------------------------------------------------------------------

    def _add_head(self, drafts: list[BlockDraft], table: BlockDraft) -> None:
        """Move the lines at the end of the drafts that are the head of the table below into it."""
        rows = self._rows(table)
        first = min((edges[0] for edges in rows), key=lambda cell: cell[0])
        inner = min((edges[1][0] for edges in rows if len(edges) > 1), default=first[1])
        right = max(edges[-1][1] for edges in rows)
        below = table.lines[0]
        left = first[0] - GROUP_OUTDENT * below.size
        moved = 0
        for number, line in enumerate(_lines_upwards(drafts), start=1):
            is_inside = line.left > left and line.right < right + 12 and not line.rotated
            if number > HEAD_LINES or not is_inside or not self._is_row_below(line, below) or _is_title(line, below):
                break
            if self._is_over_columns(line, inner):
                moved = number
            elif line.right > inner or line.size > 1.08 * below.size:
                break
            below = line
        lines: list[Line] = []
        while moved:
            draft = drafts[-1]
            taken = min(moved, len(draft.lines))
            lines = [*draft.lines[-taken:], *lines]
            del draft.lines[-taken:]
            if not draft.lines:
                drafts.pop()
            moved -= taken
        table.lines[:0] = lines

    def _is_over_columns(self, line: Line, inner: float) -> bool:
        """Return whether a line is over the columns of values, or has cells of which some are."""
        edges = self._edges(line)
        return edges[0][0] > inner - 12 or (len(edges) > 1 and edges[1][1] > inner)


def _lines_upwards(drafts: Sequence[BlockDraft]) -> Iterator[Line]:
    """Yield the lines of the drafts of text at the end, from the last."""
    for draft in reversed(drafts):
        if draft.layout not in ("text", "item") or draft.marker:
            return
        yield from reversed(draft.lines)


def _is_title(line: Line, below: Line) -> bool:
    """Return whether a line above rows of a table is a numbered heading, or larger than the rows."""
    numbered = _DOTTED.fullmatch(line.first) or (len(line.fragments) == 2 and _SECTION.fullmatch(line.first))
    return line.size > 1.2 * below.size or (line.bold and bool(numbered))


def _are_aligned(cells: Float64, others: Float64) -> Bools:
    """Return whether each cell begins, ends or is centred where one of others does."""
    aligned = np.zeros(len(cells), dtype=np.bool_)
    for values, of_others, tolerance in (
        (cells[:, 0], others[:, 0], 4),
        (cells[:, 1], others[:, 1], 4),
        (cells.mean(axis=1), others.mean(axis=1), 3),
    ):
        ascending = np.sort(of_others)
        nearest = ascending[np.minimum(np.searchsorted(ascending, values - tolerance), len(ascending) - 1)]
        aligned |= np.abs(nearest - values) < tolerance
    return aligned


# Cells --------------------------------------------------------------------------------------------------------------

_HEAD = 8
"""Maximum number of lines of a table's head whose cells are joined."""


class GridCells:
    """The words of tables without rules by their cells.

    Args:
        words, fragments: of the document.
        first, last: half-open range of the words of each fragment.
    """

    def __init__(self, words: Words, fragments: Fragments, first: Sequence[int], last: Sequence[int]) -> None:
        self._words, self._fragments, self._first, self._last = words, fragments, first, last

    def rows(self, lines: Sequence[Line]) -> Iterator[list[list[list[int]]]]:
        """Yield rows of cells of lines of words."""
        columns = self._columns(lines)
        head = self._head_lines(lines, columns)
        beside = _lines_beside_values(lines)
        cells: list[list[list[int]]] = []
        # Of each column, where the last line of its cell ends.
        ends: list[float] = []
        for number, line in enumerate(lines):
            parts = list(self._cells_of(line, columns))
            cell_columns = [column for column, _ in parts]
            is_continued = (
                number in head
                or number in beside
                or (number > 0 and self._is_wrapped(lines[number - 1], line, cell_columns, ends, columns))
            )
            if not is_continued:
                if cells:
                    yield cells
                cells = [[] for _ in columns]
                ends = [0.0] * len(cells)
            for column, words in parts:
                cells[column].append(words)
                ends[column] = float(self._words.layout_box[words[-1], 2])
        yield cells

    def _head_lines(self, lines: Sequence[Line], columns: Sequence[tuple[float, float]]) -> range:
        """Return the lines at the start of a table that continue the cells of the lines above: names of columns.

        They are those above the first line of numbers, as far up as no cell spans columns. The first column has its
        name in the last of them, or in the last two of three: rows of words name it in each.
        """
        end = 0
        while end < min(len(lines), _HEAD) and not self._has_values(lines[end]):
            end += 1
        begin = end
        names: list[bool] = []
        while begin and (begin == end or lines[begin].bottom - lines[begin - 1].bottom < 1.5 * lines[begin].size):
            cells = list(self._cells_of(lines[begin - 1], columns))
            if any(self._spans_columns(words, columns) for _, words in cells):
                break
            names.append(cells[0][0] == 0)
            begin -= 1
        allowed = [[True] + [False] * (len(names) - 1), [True, True] + [False] * (len(names) - 2)]
        return range(begin + 1, end) if names in allowed and not names[-1] else range(0)

    def _has_values(self, line: Line) -> bool:
        return sum(is_value(self._words.text[self._first[fragment]]) for fragment in line.fragments[1:]) > 0

    def _spans_columns(self, words: Sequence[int], columns: Sequence[tuple[float, float]]) -> bool:
        left, right = (float(self._words.layout_box[words[side], 2 * -side]) for side in (0, -1))
        first = bisect_left(columns, left, key=itemgetter(1))
        return sum(begin < right - 1 for begin, _ in columns[first : first + 3]) > 1

    def _columns(self, lines: Sequence[Line]) -> list[tuple[float, float]]:
        """Return left and right edges of the columns of a table.

        Cells that span columns, mostly of the head, are in lines with fewer cells, which are left out if they must.
        """
        most = max(len(line.fragments) for line in lines)
        for least in (0, most // 2, 0.75 * most, most):
            columns = column_spans([line for line in lines if len(line.fragments) >= least], self._fragments)
            if len(columns) >= most:
                return columns
        # Columns that cells of every line span cannot be distinguished: cells are counted in order.
        return [(-math.inf, -math.inf)] * most

    def _cells_of(self, line: Line, columns: Sequence[tuple[float, float]]) -> Iterator[tuple[int, list[int]]]:
        """Yield column and words of each cell of a line, in order."""
        previous = -1
        parts = [part for fragment in line.fragments for part in self._split(fragment, columns)]
        for number, part in enumerate(parts):
            left, right = (float(self._words.layout_box[part[side], 2 * -side]) for side in (0, -1))
            column = max(_column_at(left, right, columns), previous + 1)
            # As many columns are kept as the cells that follow require.
            column = max(min(column, len(columns) - len(parts) + number), 0)
            previous = column
            yield column, part

    def _split(self, fragment: int, columns: Sequence[tuple[float, float]]) -> Iterator[list[int]]:
        """Yield the words of a fragment, cut where numbers, or words with a wide gap, are in different columns."""
        part: list[int] = []
        for word in range(self._first[fragment], self._last[fragment]):
            if part and self._are_apart(part[-1], word, columns):
                yield part
                part = []
            part.append(word)
        yield part

    def _are_apart(self, one: int, other: int, columns: Sequence[tuple[float, float]]) -> bool:
        texts, boxes = self._words.text, self._words.layout_box
        is_wide = boxes[other, 0] - boxes[one, 2] > WIDE_GAP * self._words.size[one]
        if not is_wide and not (is_value(texts[one]) and is_value(texts[other])):
            return False
        before, after = (_column_at(float(boxes[word, 0]), float(boxes[word, 2]), columns) for word in (one, other))
        return before != after

    def _is_wrapped(
        self,
        above: Line,
        line: Line,
        cell_columns: Sequence[int],
        ends: Sequence[float],
        columns: Sequence[tuple[float, float]],
    ) -> bool:
        """Return whether a line of a table continues the cells above it.

        It is one line below, and its first words did not fit above. If its first column is not empty, it is the rest
        of a name alone.
        """
        if above.region != line.region or line.bottom - above.bottom > 1.5 * line.size:
            return False
        if 0 in cell_columns and (len(cell_columns) > 1 or not self._continues_name(above, line)):
            return False
        for column, fragment in zip(cell_columns, line.fragments, strict=False):
            word = self._first[fragment]
            wide = float(self._words.layout_box[word, 2] - self._words.layout_box[word, 0])
            if not ends[column] or ends[column] + 0.25 * line.size + wide < columns[column][1] - 0.4 * line.size:
                return False
        return columns[0][1] > 0

    def _continues_name(self, above: Line, line: Line) -> bool:
        """Return whether a line may be the rest of the name at the start of the row above, not that of a group."""
        name = self._words.text[self._last[above.fragments[0]] - 1]
        is_open = line.first[:1].islower() or name.endswith(OPEN_NAME) or line.left > above.left + 0.3 * line.size
        return is_open and not is_value(name)


def is_beside(above: Line, line: Line) -> bool:
    """Return whether a line is so near to the one above that it cannot be the next line of the same cell."""
    return above.region == line.region and line.bottom - above.bottom < BESIDE * min(above.size, line.size)


def ends_name(row: Sequence[Line], line: Line) -> bool:
    """Return whether a line is the rest of a name, whose row is its first line and one of values beside its middle."""
    if len(row) < 2:
        return False
    name, values = row
    is_around = is_beside(name, values) and is_beside(values, line) and line.right < values.left
    return is_around and len(name.fragments) == 1 and abs(line.left - name.left) < 4


def _lines_beside_values(lines: Sequence[Line]) -> set[int]:
    """Return the lines behind the first of rows whose name has several, with the values at half its height."""
    continued: set[int] = set()
    for number in range(1, len(lines) - 1):
        above, line, below = lines[number - 1 : number + 2]
        if ends_name((above, line), below):
            continued |= {number, number + 1}
    return continued


def column_spans(lines: Sequence[Line], fragments: Fragments) -> list[tuple[float, float]]:
    """Return left and right edges of the columns of the fragments of lines, if none spans another."""
    indices = [fragment for line in lines for fragment in line.fragments]
    columns: list[tuple[float, float]] = []
    for left, right in sorted(zip(fragments.left[indices].tolist(), fragments.right[indices].tolist(), strict=True)):
        if columns and left <= columns[-1][1]:
            columns[-1] = columns[-1][0], max(columns[-1][1], right)
        else:
            columns.append((left, right))
    return columns


def _column_at(left: float, right: float, columns: Sequence[tuple[float, float]]) -> int:
    """Return the first column that a cell is in for the most part, or the nearest."""
    first = bisect_left(columns, left, key=itemgetter(1))
    for number in range(first, len(columns)):
        begin, end = columns[number]
        if begin >= right:
            break
        if min(right, end) - max(left, begin) > 0.5 * min(right - left, end - begin):
            return number
    beside = [number for number in (first - 1, first) if 0 <= number < len(columns)]
    return min(beside, key=lambda number: max(columns[number][0] - right, left - columns[number][1]))
