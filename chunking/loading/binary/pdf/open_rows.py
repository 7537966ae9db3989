"""Cells of ruled tables that rules do not close: rows without rules between columns, names beside the rows."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence

import numpy as np

from chunking.loading.binary.pdf.fragments import VALUE_GAP, is_value
from chunking.loading.binary.pdf.words import Words
from chunking.runtime.arrays import Int64

Box = tuple[float, float, float, float]

TOLERANCE = 3.0
"""Maximum distance that words may be outside their column, in points."""

FITTING = 0.8
"""Least share of the stretches of a row, or of the rows of a table, that fit."""

LEVEL = 0.4
"""Maximum distance of a name from the middle of its row, in font sizes."""

MAX_WIDTH = 0.6
"""Greatest width of the names, as a share of that of the columns with rules; what is wider is text beside boxes."""

MIN_NAMED = 3
"""Least number of rows with names."""


def split_open_row(words: Words, row: Sequence[Sequence[int]], columns: Sequence[float]) -> tuple[tuple[int, ...], ...]:
    """Return the cells of a row that has one cell with rules, by the columns that other rows have.

    Args:
        words: of the document.
        row: the words of each of its cells.
        columns: edges of the columns of the table, ascending.
    """
    cells = tuple(tuple(cell) for cell in row)
    if len(cells) != 1 or len(columns) < 3:
        return cells
    parts: list[list[int]] = [[] for _ in columns[1:]]
    fitting, count = 0, 0
    for stretch in _stretches(words, cells[0]):
        left, right = float(words.layout_box[stretch[0], 0]), float(words.layout_box[stretch[-1], 2])
        column = min(max(bisect_right(columns, (left + right) / 2) - 1, 0), len(parts) - 1)
        parts[column].extend(stretch)
        fitting += left > columns[column] - TOLERANCE and right < columns[column + 1] + TOLERANCE
        count += 1
    boxes = words.layout_box[list(cells[0])]
    is_one_line = boxes[:, 1].max() < boxes[:, 3].min()
    is_divided = sum(map(bool, parts)) > 1 and fitting >= (FITTING if is_one_line else 1) * count
    return tuple(tuple(part) for part in parts) if is_divided else cells


def _stretches(words: Words, cell: Sequence[int]) -> Iterator[list[int]]:
    """Yield the words of a cell by stretches on one line without a gap as between values."""
    stretch: list[int] = []
    for word in cell:
        if stretch:
            last, box = words.layout_box[stretch[-1]], words.layout_box[word]
            is_level = min(last[3], box[3]) - max(last[1], box[1]) > 0
            if not is_level or not 0 <= box[0] - last[2] + TOLERANCE < VALUE_GAP * words.size[word] + TOLERANCE:
                yield stretch
                stretch = []
        stretch.append(word)
    if stretch:
        yield stretch


def name_cells(words: Words, usable: Int64, outside: Int64, cells: Sequence[Box]) -> list[Box]:
    """Return cells for the names of rows to the left of a table whose first column has values; none without them.

    Args:
        words: of the document.
        usable: ``(n,)`` int64, the words of the page that may be in the table.
        outside: ``(n,)`` int64, those that are in no table.
        cells: those of the table.
    """
    left = min(cell[0] for cell in cells)
    first = sorted((cell for cell in cells if cell[0] < left + TOLERANCE), key=lambda cell: cell[1])
    boxes = words.layout_box[outside]
    middle = (boxes[:, 1] + boxes[:, 3]) / 2
    is_beside = (boxes[:, 2] < left + TOLERANCE) & (middle > first[0][1]) & (middle < first[-1][3])
    names, levels = outside[is_beside], middle[is_beside]
    if len(names) < MIN_NAMED:
        return []
    tops = [cell[1] for cell in first]
    row_of = np.array([bisect_right(tops, level) - 1 for level in levels.tolist()])
    centres = np.array([(cell[1] + cell[3]) / 2 for cell in first])[row_of]
    is_level = np.abs(levels - centres) < LEVEL * words.size[names]
    named = np.unique(row_of[is_level])
    if len(named) < max(MIN_NAMED, FITTING * (len(first) - 1)) or np.count_nonzero(is_level) < FITTING * len(names):
        return []
    if not _are_values(words, usable, [first[row] for row in named.tolist()]):
        return []
    start, right = float(words.layout_box[names, 0].min()) - 1, max(cell[2] for cell in cells)
    if left - start > MAX_WIDTH * (right - left):
        return []
    return [(start, cell[1], left, cell[3]) for cell in first]


def _are_values(words: Words, usable: Int64, cells: Sequence[Box]) -> bool:
    """Return whether most cells begin with a value."""
    boxes = words.layout_box[usable]
    x, y = (boxes[:, 0] + boxes[:, 2]) / 2, (boxes[:, 1] + boxes[:, 3]) / 2
    values = 0
    for left, top, right, bottom in cells:
        inside = usable[(x > left) & (x < right) & (y > top) & (y < bottom)]
        values += len(inside) > 0 and is_value(words.text[int(inside[0])])
    return values >= FITTING * len(cells)
