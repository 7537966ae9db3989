"""Tables without rules whose parts are apart: heads of several lines, and rows that name the group of those below."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from chunking.loading.binary.pdf.fragments import Fragments
from chunking.loading.binary.pdf.layout import Line
from chunking.runtime.arrays import Bools, Float64
from chunking.runtime.patterns import compile_pattern

if TYPE_CHECKING:
    from chunking.loading.binary.pdf.blocks import BlockDraft, BodyStyle

GROUP_LINES = 4
"""Maximum number of lines between two parts of a table."""

GROUP_OUTDENT = 3.0
"""How far the name of a group may begin to the left of its rows, in font sizes."""

RECENT = 16
"""Lines at the end of a table that tell its columns."""

HEAD_LINES = 6
"""Maximum number of lines of a table's head that are no rows of cells."""

STEP = 2.2
"""Maximum distance of two rows of a table, in usual distances between lines."""

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
