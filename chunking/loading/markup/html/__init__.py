"""HTML and XHTML: what a reader of the page sees, as blocks, each character with its place in the file.

The tree is that of selectolax (Lexbor), which repairs broken markup like browsers. It is read from its serialised form,
which is regular even if the source is not (:mod:`.tokens`), and turned into blocks (:mod:`.blocks`). Marks inserted
into the source before parsing map the text back to it (:mod:`.source`).

The text includes everything displayed, also navigation, with white space collapsed like in browsers. It excludes the
``title`` and the rest of the head, scripts, styles, templates, fallbacks for scripts, frames and media, elements hidden
by attribute or inline style, alternative texts of images, numbers and bullets of lists (they are not in the source),
and decoration: text without letters or digits that is hidden from screen readers or links to a place on the page
(``¶`` after a heading). The words of form controls are reported as excluded text.

========== ============================================================================================================
heading    ``h1`` to ``h6``, and the role heading with its level (2 by default)
list item  each paragraph in ``li``, ``dt`` and, one level deeper, ``dd``
table      a table of data, cells joined by `` | ``; one that lays out a page (its role says so; another table, a
           heading or ``pre`` in it; blocks in a single column) is looked through
caption    ``caption``, ``figcaption``
code       ``pre``
quote      each paragraph in ``blockquote``
footnote   elements with such a role, EPUB type or class
paragraph  everything else, also text divided by two line breaks
========== ============================================================================================================

Collapsed white space has no run in the origin; it is between two runs.
"""

from __future__ import annotations

from itertools import chain

import numpy as np

from chunking.document import Aside, Block
from chunking.document.origin import Origin
from chunking.loading.markup.html.blocks import Builder, PageBlock
from chunking.loading.markup.html.source import CHANGED, check_cost, is_xhtml, mark
from chunking.loading.markup.html.tokens import ATTRIBUTES, serialised
from chunking.loading.parsed import LoadParameters, Parsed
from chunking.runtime.arrays import Int64
from chunking.runtime.patterns import compile_pattern

_HTML_TAG = compile_pattern(rf"<html{ATTRIBUTES}>")
_CODE = compile_pattern(r' (?:xml:)?lang="\s*([A-Za-z]{2,3})(?![A-Za-z])')


def parse(text: str, name: str, params: LoadParameters) -> Parsed:
    """Read an HTML or XHTML file.

    Args:
        text: the decoded file; XHTML is recognised by its beginning or by ``name``.
        name: name of the file.
        params: ``content="main"`` excludes everything but the page's main content, as recognised by trafilatura.

    Raises:
        ChunkscopeError: the nesting of elements or the number of attributes exceeds the limits.
    """
    marked = mark(text, is_xhtml(text, name))
    check_cost(marked.text)
    page = serialised(marked.text)
    builder = Builder(marked, page)
    made = builder.run()
    notes: tuple[str, ...] = ()
    if params.content == "main":
        from chunking.loading.markup.html.main import keep_main

        notes = keep_main(made, text, builder.depth)
    return _assembled(made, text, notes, _language(page))


def _assembled(made: list[PageBlock], source: str, notes: tuple[str, ...], language: str) -> Parsed:
    parts: list[str] = []
    blocks: list[Block] = []
    runs: list[tuple[int, int, int, int, int]] = []
    length = 0
    for each in made:
        if each.aside:
            continue
        if blocks:
            parts.append("\n" if each.close else "\n\n")
            length += len(parts[-1])
        start = length + len(each.text) - len(each.text.lstrip())
        runs.extend((length + place, size, 0, begins, long) for place, size, begins, long in each.runs)
        parts.append(each.text)
        length += len(each.text)
        blocks.append(Block(each.kind, start, length, each.level, tags=each.tags))
    text = "".join(parts)
    origin = Origin("characters of the file", ("",), _array(_true(runs, text, source)), (source,))
    aside = tuple(Aside(each.aside, each.text) for each in made if each.aside)
    return Parsed(text, tuple(blocks), notes, origin, aside=aside, language=language)


_Runs = list[tuple[int, int, int, int, int]]


def _array(runs: _Runs) -> Int64:
    return np.fromiter(chain.from_iterable(runs), np.int64, 5 * len(runs)).reshape(-1, 5)


def _true(runs: _Runs, text: str, source: str) -> _Runs:
    """Return the runs without the characters that were changed for the parser: CR, NUL and lone surrogates."""
    if not CHANGED.search(source):
        return runs
    found: _Runs = []
    for start, length, part, begins, size in runs:
        ours, theirs = text[start : start + length], source[begins : begins + size]
        if length != size or ours == theirs:
            found.append((start, length, part, begins, size))
            continue
        reached = 0
        for change in (*CHANGED.finditer(theirs), None):
            end = change.start() if change else size
            if end > reached:
                found.append((start + reached, end - reached, part, begins + reached, end - reached))
            reached = end + 1
    return found


def _language(page: str) -> str:
    tag = _HTML_TAG.search(page, 0, 5_000)
    code = _CODE.search(tag[1]) if tag else None
    return code[1].lower() if code else ""
