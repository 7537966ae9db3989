"""Blocks of tables in text: values separated by commas, semicolons, tabs or bars.

A table of data is one block of kind table with a line per row; a row with line ends inside a cell takes several lines.
If a column holds prose (reviews, articles, answers), each row is a document of its own: its short cells before the
prose are a heading, the prose is paragraphs, and the cells after it are a row of a table.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from io import StringIO
from itertools import islice
from typing import NamedTuple

from chunking.document import Block
from chunking.loading.spans import trim_span
from chunking.loading.text import prose
from chunking.runtime.patterns import compile_pattern
from chunking.runtime.wording import shorten

_DELIMITERS = ",;\t|"
_SAMPLE = 200  # rows from which the delimiter is recognised
_REGULAR = 0.8  # minimum share of rows with the usual number of cells
_MOST_LINES = 2000  # of one row; more are the result of an unclosed quotation mark


class _CsvRow(NamedTuple):
    """A row: the range of its lines, and its cells."""

    start: int
    end: int
    cells: list[str]


def blocks(text: str) -> tuple[Block, ...] | None:
    """Return the blocks of a table; ``None`` if the lines have no common number of cells."""
    if not text.strip():
        return ()
    lines = list(StringIO(text, newline=""))  # at \r, \n and \r\n, which are kept
    table = _read(lines)
    if table is None:
        return None
    delimiter, quoted, rows = table
    column = _prose_column(rows)
    if column is None:
        return (Block("table", *trim_span(text, rows[0].start, rows[-1].end)),)
    return tuple(_documents(text, rows, column, _cell(delimiter, quoted)))


def cell_spans(text: str) -> Iterator[list[tuple[int, int]]]:
    """Yield the span of each cell of each row, quotation marks included; nothing if the text is no table."""
    table = _read(list(StringIO(text, newline="")))
    if table:
        delimiter, quoted, rows = table
        cell = _cell(delimiter, quoted)
        for row in rows:
            yield _spans(text, row, cell)


def _read(lines: Sequence[str]) -> tuple[str, bool, list[_CsvRow]] | None:
    """Return the delimiter, whether quotation marks count, and the rows."""
    ranked = []
    for quoted in (True, False):
        for delimiter in _DELIMITERS:
            rows = list(islice(_rows(lines, delimiter, quoted), _SAMPLE))
            cells, share = _shape(rows)
            if cells > 1 and share >= _REGULAR:
                ranked.append((share, cells, -_DELIMITERS.index(delimiter), quoted, delimiter))
    for *_, quoted, delimiter in sorted(ranked, key=lambda rank: (rank[3], rank[:3]), reverse=True):
        rows = list(_rows(lines, delimiter, quoted))
        if _shape(rows)[1] >= _REGULAR:
            return delimiter, quoted, rows
    return None


def _shape(rows: Sequence[_CsvRow]) -> tuple[int, float]:
    """Return the number of cells of most rows, and the share of those rows."""
    if not rows or rows[-1].end < 0:
        return 0, 0.0
    (cells, count), *_ = Counter(len(row.cells) for row in rows).most_common(1)
    return cells, count / len(rows)


def _rows(lines: Sequence[str], delimiter: str, quoted: bool) -> Iterator[_CsvRow]:
    """Yield the rows that are not blank; at last one that ends at -1 if the lines cannot be parsed."""
    reader = csv.reader(
        iter(lines), delimiter=delimiter, quoting=csv.QUOTE_MINIMAL if quoted else csv.QUOTE_NONE, strict=False
    )
    line, offset = 0, 0
    try:
        for cells in reader:
            line_count = reader.line_num - line
            if line_count > _MOST_LINES:
                break
            length = len(lines[line]) if line_count == 1 else sum(map(len, lines[line : line + line_count]))
            line += line_count
            if (cells and cells[0].strip()) or any(map(str.strip, cells)):
                yield _CsvRow(offset, offset + length, cells)
            offset += length
        else:
            return
    except csv.Error:
        pass
    yield _CsvRow(offset, -1, [])


def _prose_column(rows: Sequence[_CsvRow]) -> int | None:
    """Return the column with the most prose, if half of its cells are long and prose."""
    sample = rows[1 : _SAMPLE + 1] or rows
    columns = Counter(
        column
        for row in sample
        for column, cell in enumerate(row.cells)
        if len(cell) >= prose.LONG and prose.is_prose(cell)
    )
    candidates = [column for column, count in columns.items() if 2 * count >= len(sample)]
    return max(
        candidates,
        key=lambda column: sum(len(row.cells[column]) for row in sample if column < len(row.cells)),
        default=None,
    )


# Rows that are documents -------------------------------------------------------------------------------------------


def _cell(delimiter: str, quoted: bool) -> re.Pattern[str]:
    plain = rf"[^{re.escape(delimiter)}\r\n]*"
    return compile_pattern(rf'"(?:[^"]|"")*+"{plain}|{plain}' if quoted else plain)


def _documents(text: str, rows: Sequence[_CsvRow], column: int, cell: re.Pattern[str]) -> Iterator[Block]:
    headed = len(rows) > 1 and max(map(len, rows[0].cells), default=0) < prose.LONG
    if headed:
        yield Block("table", *trim_span(text, rows[0].start, rows[0].end))
    for number, row in enumerate(rows[1:] if headed else rows, start=1):
        yield from _document(text, row, column, cell, number)


def _document(text: str, row: _CsvRow, column: int, cell: re.Pattern[str], number: int) -> Iterator[Block]:
    """Yield the blocks of a row."""
    start, end = trim_span(text, row.start, row.end)
    name = next((" ".join(words.split()) for words in row.cells[:column] if any(map(str.isalpha, words))), "")
    title = shorten(f"[{number}] {name}".rstrip())
    spans = _spans(text, row, cell)
    paragraphs: list[Block] = []
    left, right = spans[column] if column < len(spans) == len(row.cells) else (start, end)
    if prose.is_prose(text[left:right]) and len(spans) == len(row.cells):
        quoted = text[left] == text[right - 1] == '"'
        paragraphs = prose.blocks(text[left + quoted : right - quoted], left + quoted)
    if not paragraphs:
        yield Block("heading", start, end, 1, start, title)
        return
    before = trim_span(text, row.start, left - 1) if column else (start, start)
    if any(map(str.isalnum, text[slice(*before)])):
        yield Block("heading", *before, level=1, content=before[0], title=title)
        yield from paragraphs
    else:
        # Without cells before it, the prose has an empty heading with the first words as its title.
        first = paragraphs[0]
        if first.start > start:
            yield Block("heading", start, start + 1, 1, start + 1, title)
        yield replace(first, start=max(first.start, start))
        yield from paragraphs[1:]
    after = trim_span(text, right + 1, end)
    if any(map(str.isalnum, text[slice(*after)])):
        yield Block("table", *after)


def _spans(text: str, row: _CsvRow, cell: re.Pattern[str]) -> list[tuple[int, int]]:
    """Return the span of each cell, with its quotation marks."""
    spans: list[tuple[int, int]] = []
    offset = row.start
    while offset <= row.end:
        match = cell.match(text, offset, row.end)
        if match is None:
            break
        spans.append(match.span())
        offset = match.end() + 1
        if match.end() >= row.end or text[match.end()] in "\r\n":
            break
    return spans
