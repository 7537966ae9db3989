"""The tree of a page as a stream of tokens.

Walking a tree in Python takes a call for each step. Its serialised form is available at once, and is regular: each
start tag has its end tag, each attribute its quotes, and only tags begin with ``<``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from chunking.runtime.patterns import compile_pattern

_PLAIN_ATTRIBUTES = r"(?: =?[^ \t\n\f\r=/>]*+=\"[^\"]*+\")*+"
ATTRIBUTES = f"({_PLAIN_ATTRIBUTES})"
"""The attributes of a serialised tag."""

_SKIPPED = r"(?:script|style|noscript|iframe|noembed|noframes)"

TOKEN = compile_pattern(
    # A serialised page has every end; if one were missing, the search for it would be repeated from the next start.
    rf"<!--.*?(?:-->|\Z)|<(?P<skipped>{_SKIPPED})(?=[ >]).*?(?:</(?P=skipped)>|\Z)"
    rf"|</([^>]*+)>?+"
    rf"|<(xmp)(?=[ >]){ATTRIBUTES}>(.*?)(?:</xmp>|\Z)"
    rf"|<([a-zA-Z][^ \t\n\f\r/>]*+){ATTRIBUTES}>?+"
    r"|([^<]+|<)",
    re.DOTALL,
)
"""Groups by ``lastindex``: 2 name of an end tag; 3 to 5 name, attributes and text of an element whose text has no
references; 6 and 7 name and attributes of a start tag; 8 text. 1 or none: not displayed."""

_TABLE_PART = compile_pattern(
    rf"<!--.*?(?:-->|\Z)|<(?P<skipped>{_SKIPPED}){_PLAIN_ATTRIBUTES}>.*?(?:</(?P=skipped)>|\Z)"
    r"|<(/?)(?:(table)|(tr)|(td|th)|(h[1-6]|pre)|(p|div|ul|ol|dl|blockquote|section|article|form))"
    rf"(?=[ >]){_PLAIN_ATTRIBUTES}"
    # The value of an attribute may look like a tag.
    rf"|<[a-zA-Z][^ \t\n\f\r/>]*+{_PLAIN_ATTRIBUTES}",
    re.DOTALL,
)


def layout_tables(page: str) -> frozenset[int]:
    """Return the starts of tables in a serialised page that arrange blocks instead of data.

    They contain another table, a heading or ``pre``, or blocks in at most one column.
    """
    found: list[int] = []
    open_: list[_Table] = []
    for part in _TABLE_PART.finditer(page) if "<table" in page else ():
        closing, table, row, cell, heavy, block = part.groups()[1:]
        if table and not closing:
            if open_:
                open_[-1].heavy = True
            open_.append(_Table(part.start()))
        elif open_ and table:
            last = open_.pop()
            if last.heavy or (last.blocks and last.widest <= 1):
                found.append(last.start)
        elif open_ and not closing:
            open_[-1].add(bool(row), bool(cell), bool(heavy), bool(block))
    return frozenset(found)


@dataclass
class _Table:
    start: int
    heavy: bool = False
    blocks: bool = False
    cells: int = 0
    widest: int = 0

    def add(self, row: bool, cell: bool, heavy: bool, block: bool) -> None:
        """Record a start tag inside."""
        self.cells = 0 if row else self.cells + cell
        self.widest = max(self.widest, self.cells)
        self.heavy |= heavy
        self.blocks |= block


def serialised(text: str) -> str:
    """Return the parsed page of a source, serialised as HTML."""
    from selectolax.lexbor import LexborDocumentOptions, LexborHTMLParser

    # Scripting is on, so that fallbacks for it are raw text; events are off, since they only copy options.
    root = LexborHTMLParser(text, options=int(LexborDocumentOptions.WO_EVENTS), scripting=True).root
    return (root.html or "") if root is not None else ""
