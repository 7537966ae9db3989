"""Values separated by commas, tabs or the like as a table, whose first row is its header."""

from __future__ import annotations

from chunking.loading.text.csv import cell_spans
from chunking.rendering.rendering import RenderingWriter, trimmed
from chunking.runtime.patterns import compile_pattern

_DOUBLED = compile_pattern('""')


def write(to: RenderingWriter) -> None:
    """Add the whole text to its rendering, as one table."""
    rows = list(cell_spans(to.text))
    if rows:
        to.add("table", rows[0][0][0], rows[-1][-1][1], max(map(len, rows)))
    for number, spans in enumerate(rows):
        start, end = spans[0][0], spans[-1][1]
        to.add("row", start, end)
        for column, span in enumerate(spans, 1):
            first, last = trimmed(to.text, *span)
            if first < last:
                to.add("cell" if number else "header", first, last, column)
                _show(to, first, last)


def _show(to: RenderingWriter, start: int, end: int) -> None:
    """Show a value without its quotation marks."""
    to.show(start, end)
    if end - start > 1 and to.text[start] == to.text[end - 1] == '"':
        to.hide(start, start + 1)
        to.hide(end - 1, end)
        for pair in _DOUBLED.finditer(to.text, start + 1, end - 1):
            to.hide(pair.start(), pair.start() + 1)
