"""Blocks of reStructuredText, by the body rules of its specification (docutils 0.21).

The rules are implemented here, line by line, since no parser is suitable: tree-sitter-rst crashes on lists nested 200
deep, takes minutes for a paragraph full of ``*`` and has no tables; docutils records the line of many nodes but the end
of none, and is recursive. Inline markup is not interpreted.

Nothing is ever included or run: ``include`` is no block, and the content of ``raw`` is code.
"""

from __future__ import annotations

from chunking.document import Block
from chunking.loading.text.rst.reader import MAX_NESTING, RstReader

__all__ = ["MAX_NESTING", "blocks"]


def blocks(text: str) -> tuple[Block, ...]:
    """Return the blocks of a reStructuredText, in order, without overlap.

    - Titles are headings; their level is the rank of the first appearance of their style (underline and overline).
    - Items of bullet, enumerated, definition, field and option lists are list items with their depth; a term or field
      name is one block with the paragraph below or after it. So are the header lines of a PEP.
    - Literal, doctest and code blocks are code, with the directive that opens them; ``math`` and ``raw`` too.
    - Block quotes and epigraphs are quotes; grid, simple, ``csv-table`` and ``list-table`` tables are tables, the title
      of a table and the text of a figure captions; footnotes and citations footnotes.
    - The content of any other directive (an admonition, a Sphinx description) is read like the rest.

    Comments, targets, substitution definitions, transitions and options of directives are in no block.
    """
    return tuple(RstReader(text).run())
