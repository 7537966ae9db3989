"""Values separated by commas, tabs or the like as a table, whose first row is its header."""

from __future__ import annotations

import re

from chunking.loading.text.csv import cell_spans
from chunking.rendering.rendering import RenderingWriter, trimmed

_DOUBLED = re.compile('""')


def write(to: RenderingWriter) -> None:
    """Add the whole text to its rendering, as one table."""
    table = -1
    for number, spans in enumerate(cell_spans(to.text)):
        start, end = spans[0][0], spans[-1][1]
        if table < 0:
            table = to.add("table", start, end)
        to.extend(table, end)
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
