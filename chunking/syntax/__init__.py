"""Syntax trees of source code, by tree-sitter, and the roles of their nodes in each language."""

from chunking.syntax.programs import GRAMMARS, PROGRAMS, Grammar, Program, language_of
from chunking.syntax.syntax import Syntax, grammar, misfit, parse

__all__ = ["GRAMMARS", "PROGRAMS", "Grammar", "Program", "Syntax", "grammar", "language_of", "misfit", "parse"]
