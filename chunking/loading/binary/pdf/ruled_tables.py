"""Tables with drawn rules, by pdfplumber's rules."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from importlib import import_module
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from chunking.loading.binary.pdf.fragments import OPEN_NAME, WIDE_GAP, is_value
from chunking.loading.binary.pdf.open_rows import Box, name_cells, split_open_row
from chunking.loading.binary.pdf.words import Words
from chunking.runtime.arrays import Float32, Float64, Int64

MAX_EDGES = 1500
"""Limit of the ruling lines of a page; a page with more is a drawing and no table."""

TOLERANCE = 3.0
"""Maximum distance of lines that count as meeting, in points; the default of pdfplumber."""

OPEN_RULES = 2
"""Least number of rules between rows that show an open side of a table."""

STACKED_LINES = 4
"""Least number of lines in several cells from which they are taken for rows without rules."""

MAX_WITH_COLUMNS = 0.3
"""Share of the rows up to which an outer cell may have wide gaps, as between columns."""

MIN_CELL = 12.0
"""Least width of cells at an open side, in points."""

Rows = tuple[tuple[tuple[int, ...], ...], ...]
"""The words of each cell of each row."""


class RuledTable(NamedTuple):
    """A table with drawn lines.

    Attributes:
        page: from 0.
        rows: of each row, the indices of the words of each cell, from left to right; cells may be empty.
        columns: left and right edges of cells, ascending, in points.
        head: text of the first row.
    """

    page: int
    rows: Rows
    columns: tuple[float, ...]
    head: str


def find_tables(words: Words) -> tuple[list[RuledTable], Int64]:
    """Return the ruled tables of all pages, and for each word the number of its table or -1."""
    member = np.full(len(words), -1, dtype=np.int64)
    tables: list[RuledTable] = []
    if not any(map(len, words.edges)):
        return tables, member
    bounds = np.searchsorted(words.page, np.arange(len(words.edges) + 1)).tolist()
    for page, edges in enumerate(words.edges):
        if not 4 <= len(edges) <= MAX_EDGES:
            continue
        begin, end = bounds[page], bounds[page + 1]
        usable = np.arange(begin, end)[words.visible[begin:end] & ~words.rotated[begin:end]]
        for cells, closed_rows in _read_page(words, usable, edges):
            columns = _columns(cells)
            rows = tuple(split_open_row(words, row, columns) for row in closed_rows)
            for row in rows:
                for cell in row:
                    member[list(cell)] = len(tables)
            head = "\t".join(" ".join([words.text[word] for word in cell]) for cell in rows[0])
            tables.append(RuledTable(page, rows, columns, head))
    return tables, member


def _read_page(words: Words, usable: Int64, edges: Float32) -> list[tuple[list[Box], Rows]]:
    """Return the cells and rows of the tables of a page."""
    rules: Any = import_module("pdfplumber.table")
    lines = [_as_edge(*edge) for edge in dict.fromkeys(map(tuple, edges.tolist()))]
    merged: list[dict[str, Any]] = rules.merge_edges(lines, TOLERANCE, TOLERANCE, TOLERANCE, TOLERANCE)
    tables = _tables_of(rules, merged)
    columns = _open_columns(merged, [_around(table) for table in tables])
    columns = [column for column in columns if _within(words.layout_box[usable], column.box).any()]
    if columns:
        sides = [_as_edge(side, top, side, bottom) for side, (_, top, _, bottom) in columns]
        closed = _fill(words, usable, _tables_of(rules, [*merged, *sides]))
        if all(table in tables or _has_plain_cells(words, rows) for table, rows in closed):
            return closed
    return _fill(words, usable, _with_names(words, usable, tables))


def _with_names(words: Words, usable: Int64, tables: Sequence[list[Box]]) -> list[list[Box]]:
    """Return the cells of tables with those for the names of rows beside them."""
    if not tables:
        return []
    boxes = words.layout_box[usable]
    outside = usable[~np.any([_within(boxes, _around(cells)) for cells in tables], axis=0)]
    return [[*cells, *name_cells(words, usable, outside, cells)] for cells in tables]


def _fill(words: Words, usable: Int64, tables: Sequence[list[Box]]) -> list[tuple[list[Box], Rows]]:
    """Return the tables that have text, with their rows; a word is in one of them."""
    filled: list[tuple[list[Box], Rows]] = []
    for cells in tables:
        is_inside = _within(words.layout_box[usable], _around(cells))
        rows = _assign_to_cells(words, usable[is_inside], cells)
        if _is_table(rows):
            usable = usable[~is_inside]
            filled.append((cells, rows))
    return filled


def _has_plain_cells(words: Words, rows: Rows) -> bool:
    """Return whether cells have no rows or columns themselves, as those of a table with few rules have."""
    with_columns = 0
    for row in rows:
        cells = [cell_lines(words, cell) for cell in row]
        if any(sum(len(lines) >= STACKED_LINES for lines in part) > 1 for part in split_row(words, cells)):
            return False
        with_columns += any(_has_wide_gap(words, line) for lines in (cells[0], cells[-1]) for line in lines)
    return with_columns <= MAX_WITH_COLUMNS * len(rows)


def _has_wide_gap(words: Words, line: Sequence[int]) -> bool:
    left, right = words.layout_box[line, 0], words.layout_box[line, 2]
    return bool((left[1:] - right[:-1] > WIDE_GAP * words.size[line][1:]).any())


def _tables_of(rules: Any, lines: Sequence[dict[str, Any]]) -> list[list[Box]]:
    """Return the cells of each table that lines form."""
    crossings = rules.edges_to_intersections(lines, TOLERANCE, TOLERANCE)
    if len(crossings) > MAX_EDGES:
        return []
    tables: list[list[Box]] = rules.cells_to_tables(rules.intersections_to_cells(crossings))
    return tables


class _OpenColumn(NamedTuple):
    """A column at a side of a table where the table has no rule.

    Attributes:
        side: where its rows end.
        box: the area between there and the columns that have rules.
    """

    side: float
    box: Box


def _open_columns(lines: Sequence[dict[str, Any]], frames: Sequence[Box]) -> list[_OpenColumn]:
    """Return the columns at the sides of tables, and beside vertical rules that are in no table.

    Args:
        lines: all rules of the page.
        frames: around the cells that rules close.
    """
    heights = [(line["x0"], line["x1"], line["top"]) for line in lines if line["orientation"] == "h"]
    uprights = [(line["x0"], line["top"], line["x0"], line["bottom"]) for line in lines if line["orientation"] == "v"]
    rows = np.array(heights, dtype=np.float64).reshape(-1, 3)
    columns = [column for frame in frames for column in _beyond(rows, frame)]
    boxes, lone = np.array(uprights, dtype=np.float64).reshape(-1, 4), np.ones(len(uprights), dtype=np.bool_)
    for left, top, right, bottom in frames:
        across = (boxes[:, 0] > left - TOLERANCE) & (boxes[:, 0] < right + TOLERANCE)
        lone &= ~(across & (boxes[:, 1] < bottom + TOLERANCE) & (boxes[:, 3] > top - TOLERANCE))
    for number in np.flatnonzero(lone).tolist():
        beside = list(_beyond(rows, uprights[number]))
        columns += beside if len(beside) == 2 else []
    return columns


def _beyond(rows: Float64, frame: Box) -> Iterator[_OpenColumn]:
    """Yield the columns beyond the frame of those with rules, where the rules between rows end farther outside.

    Its rows reach the end of the frame; its head may have no cell there.

    Args:
        rows: ``(n, 3)`` float64, left end, right end and height of the horizontal rules of the page.
        frame: around the columns that have rules.
    """
    left, top, right, bottom = frame
    rows = rows[(rows[:, 2] > top - TOLERANCE) & (rows[:, 2] < bottom + TOLERANCE)]
    for side, edge in enumerate((left, right)):
        crosses = (rows[:, 0] < edge + TOLERANCE) & (rows[:, 1] > edge - TOLERANCE)
        beyond = rows[crosses & (np.abs(rows[:, side] - edge) > MIN_CELL)]
        if len(beyond) < OPEN_RULES:
            continue
        end = float(np.median(beyond[:, side]))
        levels = beyond[np.abs(beyond[:, side] - end) <= TOLERANCE][:, 2]
        if len(levels) >= OPEN_RULES and levels.max() > bottom - TOLERANCE:
            yield _OpenColumn(end, (min(end, edge), float(levels.min()), max(end, edge), float(levels.max())))


def _as_edge(left: float, top: float, right: float, bottom: float) -> dict[str, Any]:
    return {
        "x0": left,
        "x1": right,
        "top": top,
        "bottom": bottom,
        "width": right - left,
        "height": bottom - top,
        "orientation": "h" if bottom - top < right - left else "v",
        "object_type": "line",
    }


def _around(cells: Sequence[Box]) -> Box:
    boxes = np.array(cells)
    return (*map(float, boxes[:, :2].min(axis=0)), *map(float, boxes[:, 2:].max(axis=0)))  # type: ignore[return-value]


def _columns(cells: Sequence[Box]) -> tuple[float, ...]:
    columns: list[float] = []
    for edge in sorted(edge for cell in cells for edge in (cell[0], cell[2])):
        if not columns or edge - columns[-1] > TOLERANCE:
            columns.append(edge)
    return tuple(columns)


def _within(boxes: Float32, frame: Box) -> np.ndarray[Any, np.dtype[np.bool_]]:
    x, y = (boxes[:, 0] + boxes[:, 2]) / 2, (boxes[:, 1] + boxes[:, 3]) / 2
    is_inside: np.ndarray[Any, np.dtype[np.bool_]] = (
        (x >= frame[0]) & (x <= frame[2]) & (y >= frame[1]) & (y <= frame[3])
    )
    return is_inside


def _assign_to_cells(words: Words, table_words: Int64, cells: Sequence[Box]) -> Rows:
    """Return the cells' words, by row and column; a word in no cell goes to the nearest."""
    if not len(table_words):
        return ()
    boxes = np.array(sorted(cells, key=lambda cell: (round(cell[1]), cell[0])))
    layout_box = words.layout_box[table_words]
    x, y = (layout_box[:, 0] + layout_box[:, 2]) / 2, (layout_box[:, 1] + layout_box[:, 3]) / 2
    away_x = np.maximum(np.maximum(boxes[None, :, 0] - x[:, None], x[:, None] - boxes[None, :, 2]), 0)
    away_y = np.maximum(np.maximum(boxes[None, :, 1] - y[:, None], y[:, None] - boxes[None, :, 3]), 0)
    nearest = (away_x + away_y).argmin(axis=1)
    rows: list[list[tuple[int, ...]]] = []
    top = -np.inf
    for number, box in enumerate(boxes.tolist()):
        if not rows or box[1] - top > TOLERANCE:
            rows.append([])
            top = box[1]
        rows[-1].append(tuple(table_words[nearest == number].tolist()))
    return tuple(tuple(row) for row in rows if any(row))


def _is_table(rows: Sequence[Sequence[Sequence[int]]]) -> bool:
    """Return whether boxes form a table: at least two rows with several cells that have text."""
    full = sum(sum(map(bool, row)) > 1 for row in rows)
    return len(rows) > 1 and full > 1


# Rows -------------------------------------------------------------------------------------------------------------

CellLines = list[list[int]]
"""The words of each line of a cell."""


def cell_lines(words: Words, cell: Sequence[int]) -> CellLines:
    """Return the words of a cell by its lines, from the top."""
    lines: CellLines = []
    is_upwards = False
    for word in cell:
        if lines:
            last = lines[-1][-1]
            overlap = 0.3 * float(words.size[word])
            below = words.layout_box[word, 1] > words.layout_box[last, 3] - overlap
            above = words.layout_box[word, 3] < words.layout_box[last, 1] + overlap
            is_upwards |= bool(above)
            if not (below or above):
                lines[-1].append(word)
                continue
        lines.append([word])
    return _from_the_top(words, lines) if is_upwards else lines


def _from_the_top(words: Words, lines: CellLines) -> CellLines:
    """Return the lines of a cell from the top, if each is below another and none beside."""
    ascending = sorted(lines, key=lambda line: _level(words, line))
    steps = (_level(words, below) - _level(words, above) for above, below in pairwise(ascending))
    return ascending if all(step > 0.7 * float(words.size[lines[0][0]]) for step in steps) else lines


def split_row(words: Words, cells: list[CellLines]) -> list[list[CellLines]]:
    """Return the rows between two rules: several if columns have a value on each line, and the first a name beside it.

    A line of the first column that has no values beside it continues the name above it, or is a row without values.
    """
    columns = [column for column, lines in enumerate(cells) if lines]
    levels = _levels_of_values(words, [cells[column] for column in columns[1:]])
    names = cells[columns[0]] if columns else []
    beside = [_nearest(levels, _level(words, line), TOLERANCE) for line in names]
    is_rest = [bool(number) and _continues(words, names[number - 1], line) for number, line in enumerate(names)]
    rests = sum(rest and level >= 0 for rest, level in zip(is_rest, beside, strict=True))
    if len(levels) < 2 or 3 * rests > len(levels) or [level for level in beside if level >= 0] != [*range(len(levels))]:
        return [cells]
    rows: list[list[CellLines]] = []
    at_level: list[list[CellLines]] = []
    for line, level, rest in zip(names, beside, is_rest, strict=True):
        if level < 0 and rest:
            rows[-1][columns[0]].append(line)
            continue
        rows.append([[] for _ in cells])
        rows[-1][columns[0]].append(line)
        if level >= 0:
            at_level.append(rows[-1])
    for column in columns[1:]:
        for line in cells[column]:
            at_level[max(bisect_right(levels, _level(words, line) + TOLERANCE) - 1, 0)][column].append(line)
    return rows


def _levels_of_values(words: Words, columns: Sequence[CellLines]) -> list[float]:
    """Return the heights of the lines of the columns that consist of values, ascending."""
    levels: list[float] = []
    lines = [
        line for cell in columns if all(is_value(words.text[word]) for line in cell for word in line) for line in cell
    ]
    for level in sorted(_level(words, line) for line in lines):
        if not levels or level - levels[-1] > TOLERANCE:
            levels.append(level)
    return levels


def _level(words: Words, line: Sequence[int]) -> float:
    return float(words.layout_box[line[0], 3])


def _nearest(levels: Sequence[float], level: float, tolerance: float) -> int:
    """Return the index of the ascending levels that is nearest, or -1 if none is near."""
    index = bisect_left(levels, level)
    near = [
        other for other in (index - 1, index) if 0 <= other < len(levels) and abs(levels[other] - level) <= tolerance
    ]
    return min(near, key=lambda other: abs(levels[other] - level), default=-1)


def _continues(words: Words, above: Sequence[int], line: Sequence[int]) -> bool:
    return words.text[line[0]][:1].islower() or words.text[above[-1]].endswith(OPEN_NAME)
