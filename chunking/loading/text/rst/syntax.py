"""The syntax of reStructuredText: patterns of its markers, and names of its directives by their content."""

from __future__ import annotations

from chunking.runtime.patterns import compile_pattern

LINE_END = compile_pattern(r"\r\n?|\n")
BULLET = compile_pattern(r"[-+*•‣⁃](?:\s+|$)")
NUMBER = compile_pattern(r"\(?(?:\d{1,9}|[A-Za-z]|[ivxlcdmIVXLCDM]{1,9}|#)[.)](?:\s+|$)(?<!\(#\.)")
FIELD = compile_pattern(r":(?![: ])(?:[^:\\]|\\.|:(?![\s`]|$)){1,200}(?<! ):(?:\s+|$)")
_OPTION_TEXT = (
    r"(?:[-+][a-zA-Z0-9](?: ?(?:[a-zA-Z][\w-]*+|<[^<>]+>))?|(?:--|/)[a-zA-Z0-9][\w-]*+"
    r"(?:[ =](?:[a-zA-Z][\w-]*+|<[^<>]+>))?)"
)
OPTION = compile_pattern(rf"{_OPTION_TEXT}(?:, {_OPTION_TEXT}){{0,20}}(?:\s{{2,}}|\s?$)")
DOCTEST = compile_pattern(r">>>(?:\s|$)")
VERSE = compile_pattern(r"\|(?:\s+|$)")
GRID = compile_pattern(r"\+-[-+]+-\+$")
RULED = compile_pattern(r"=++(?: ++=++)++$")
BORDER = compile_pattern(r"=++(?: ++=++)*+$")
EXPLICIT = compile_pattern(r"\.\.(?:\s+|$)")
NOTE = compile_pattern(r"\[(?:\d+|\*|#?[\w.:+-]*)\](?:\s+|$)")
TARGET = compile_pattern(r"_(?![ ]|_$).*:(?:\s|$)|__(?::|\s|$)")
SUBSTITUTION = compile_pattern(r"\|[^|\s][^|]*\|(?:\s|$)")
DIRECTIVE = compile_pattern(r"(\w[\w.+:-]*?) ?::(?:\s+|$)")
ANONYMOUS = compile_pattern(r"__(?:\s|$)")
ADORNMENT = compile_pattern(r"([!-/:-@\[-`{-~])\1*$")
HEADER = compile_pattern(r"[A-Z][\w-]{0,40}:(?:\s|$)")
SETTING = compile_pattern(r":\w[\w-]*:(?:\s|$)")


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


CODE = _words(
    "code code-block sourcecode highlight-block parsed-literal math raw doctest testcode testsetup testcleanup "
    "testoutput productionlist prompt graphviz digraph graph mermaid uml ipython jupyter-execute command-output"
)
"""Directives whose content is kept verbatim."""

CODE_TEXT = frozenset({"parsed-literal", "math", "productionlist"})
"""Directives of these whose argument is content too."""

TABLES = frozenset({"csv-table", "list-table", "flat-table"})
QUOTES = frozenset({"epigraph", "highlights", "pull-quote"})
CAPTIONED = frozenset({"figure"})
SILENT = _words(
    "image include literalinclude contents toctree meta role default-role target-notes sectnum section-numbering title "
    "unicode date replace highlight module currentmodule py:module py:currentmodule index bibliography tabularcolumns "
    "automodule autoclass autofunction autodata automethod autoattribute autosummary ifconfig "
    "moduleauthor sectionauthor codeauthor program default-domain"
)
"""Directives whose content is not shown."""

PATHS = frozenset({"only", "container", "class", "rst-class", "figure", "math", "compound", "cssclass"})
"""Directives whose argument is not part of the text."""
