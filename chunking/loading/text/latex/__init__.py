r"""Blocks of LaTeX, by the names of commands and environments.

The source is tokenised once (commands, braces, comments, blank lines) and never expanded: a document's own commands are
text. pylatexenc's parser, which knows the arguments of more commands, is not used, since it is recursive: it fails if
groups or environments are nested 300 deep. Nothing is ever included: ``\input`` and the like are no blocks.
"""

from __future__ import annotations

from chunking.document import Block
from chunking.loading.text.latex.reader import LatexReader
from chunking.loading.text.latex.source import MAX_GROUPS

__all__ = ["MAX_GROUPS", "blocks"]


def blocks(text: str) -> tuple[Block, ...]:
    r"""Return the blocks of a LaTeX text, in order, without overlap.

    - ``\title`` and ``\part`` to ``\subparagraph``, starred or not, and titles of frames are headings. Their level
      is their rank among those in the document; they begin at the command, their words are its argument.
    - Paragraphs end at a blank line, at ``\par``, and where another block begins.
    - Items of lists and bibliographies are list items, including their further paragraphs; text in ``quote`` and the
      like is a quote; ``\caption`` a caption; ``tabular`` and the like a table, with a row per line.
    - ``verbatim``, ``lstlisting``, ``minted``, drawings and algorithms are code. So is a displayed formula: it is kept
      whole, is in no language, and divides its paragraph.
    - A ``\footnote`` in a paragraph is part of it, since blocks do not nest; one between paragraphs is a footnote.

    Comments, the preamble except the title, definitions, labels, and commands without output are in no block, unless
    they are between words of one paragraph. The content of an environment's block begins after ``\begin`` and its
    arguments; ``\end`` is outside.
    """
    return tuple(LatexReader(text).run())
