"""Blocks of programs, by tree-sitter with the tables of :mod:`chunking.syntax.programs`.

========== ============================================================================================================
heading    a definition up to its body, with its decorators, attributes and short comments; its level is the depth of
           nesting, its title the notation of its language (``def total``). Of a long comment, the first sentence is
           the heading and the signature is code; of a signature of many lines, the heading ends before its parameters.
           Statements and comments after a definition have a heading of their own, their first line, so that they are
           not under the definition's
paragraph  comments of several lines, isolated comments, documentation strings, and other prose in strings of several
           lines; lists and code in these are such blocks, too
code       everything else: imports together, statements divided at blank lines, at most :data:`MAX_LINES` lines. A
           statement is divided only if it exceeds that by itself.
========== ============================================================================================================
"""

from __future__ import annotations

from chunking.document import Block
from chunking.loading.text.code.pieces import MAX_LINES
from chunking.loading.text.code.walk import TreeWalk
from chunking.runtime.patterns import compile_pattern
from chunking.syntax import syntax
from chunking.syntax.programs import GRAMMARS, Program

__all__ = ["MAX_LINES", "blocks"]

_HEAD = 65_536
_LINE_ENDS = compile_pattern(r"\r\n?")


def blocks(text: str, language: str) -> tuple[Block, ...] | None:
    """Return the blocks of a program; ``None`` if the text is not in the language.

    Args:
        text: the program.
        language: one of :data:`chunking.syntax.programs.GRAMMARS`.
    """
    if not text.strip():
        return ()
    if language == "php" and "<?" not in text:
        return None
    if syntax.misfit(_LINE_ENDS.sub("\n", text[:_HEAD]) + "\n", language):
        return None
    tree = syntax.parse(text, language)
    walk = TreeWalk(Program(tree, GRAMMARS[language]), language)
    walk.run()
    return tuple(walk.found)
