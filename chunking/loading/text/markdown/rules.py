"""Block rules for what documentation systems add to Markdown: the marks are marks, and what they contain is Markdown.

============================== ========================================================================================
MkDocs                         ``!!! note``, ``??? tip`` and tabs ``=== "Linux"`` with indented content, ``/// note``
MyST, Docusaurus, Pandoc, …    ``:::note`` to ``:::``; directives in fences, whose content is Markdown or code by name
Hugo, Jekyll                   lines of shortcodes and tags; what ``highlight`` contains is code
kramdown, MkDocs, MyST, …      lines of attributes (``{: .note }``), labels (``(label)=``), the contents (``[TOC]``) and
                               included files (``--8<--``, ``<<<``)
MDX                            imports and exports, lines of components and of comments
Pandoc                         tables of a grid, and of columns below dashes (:mod:`.pandoc_tables`)
Markdown Extra                 footnotes, definition lists
HTML                           a table with blank lines in it
============================== ========================================================================================

A mark is a token ``marker``: ``opens`` in its ``meta`` tells whether something follows that belongs to it. Its title is
a paragraph on the same line, whose ``meta`` has the columns of its words. Containers are tokens like those of lists.
"""

from __future__ import annotations

from markdown_it import MarkdownIt
from markdown_it.ruler import RuleOptionsType
from markdown_it.rules_block import StateBlock, blockquote, code, fence, heading, hr, html_block, list_block, reference

from chunking.loading.text.markdown.containers import (
    read_colons,
    read_definition,
    read_fence,
    read_footnote,
    read_indented,
    read_slashes,
)
from chunking.loading.text.markdown.marks import MAX_NESTING, Rule, first_character
from chunking.loading.text.markdown.pandoc_tables import read_table
from chunking.loading.text.markdown.tags import (
    read_component,
    read_import,
    read_place,
    read_templates,
    without_components,
)

_ALL: RuleOptionsType = {"alt": ["paragraph", "reference", "blockquote", "list"]}
_ALL_BUT_LISTS: RuleOptionsType = {"alt": ["paragraph", "reference", "blockquote"]}
"""What a block may interrupt, as in CommonMark."""


def add_rules(parser: MarkdownIt) -> None:
    """Add the rules to a parser, and let its own look at nothing but lines that can begin one of their blocks.

    Each line of a paragraph is tried for every block that may interrupt it, and most lines begin none.
    """
    ruler = parser.block.ruler
    ruler.at("code", without_components(code))
    ruler.at("fence", _beginning_with("`~", fence), _ALL)
    ruler.at("blockquote", _limit_nesting(_beginning_with(">", blockquote)), _ALL)
    ruler.at("hr", _beginning_with("*-_", hr), _ALL)
    ruler.at("list", _limit_nesting(_beginning_with("*+-0123456789", list_block)), _ALL_BUT_LISTS)
    ruler.at("reference", _beginning_with("[", reference))
    ruler.at("html_block", _beginning_with("<", html_block), _ALL_BUT_LISTS)
    ruler.at("heading", _beginning_with("#", heading), _ALL_BUT_LISTS)
    ruler.before("table", "documentation", _read_marks, _ALL)
    ruler.before("table", "import", _beginning_with("ie", read_import))
    ruler.before("table", "pandoc_table", read_table)
    footnote = _limit_nesting(_beginning_with("[", read_footnote))
    ruler.before("table", "footnote", footnote, {"alt": ["paragraph", "reference"]})
    ruler.before("table", "definition", _limit_nesting(_beginning_with(":", read_definition)), {"alt": ["paragraph"]})


def _limit_nesting(rule: Rule) -> Rule:
    """Return a container's rule that finds none below :data:`MAX_NESTING`."""

    def limited(state: StateBlock, start: int, end: int, silent: bool) -> bool:
        return state.level < MAX_NESTING and rule(state, start, end, silent)

    return limited


def _beginning_with(characters: str, rule: Rule) -> Rule:
    """Return the rule of a block that begins with one of these characters."""

    def limited(state: StateBlock, start: int, end: int, silent: bool) -> bool:
        begin = state.bMarks[start] + state.tShift[start]
        return begin < state.eMarks[start] and state.src[begin] in characters and rule(state, start, end, silent)

    return limited


def _read_marks(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    rule = _RULES.get(first_character(state, start))
    return rule is not None and not state.is_code_block(start) and rule(state, start, end, silent)


_RULES: dict[str, Rule] = {
    **dict.fromkeys("!?=", read_indented),
    **dict.fromkeys("`~", read_fence),
    ":": read_colons,
    "/": read_slashes,
    "{": read_templates,
    **dict.fromkeys("[(-", read_place),
    "<": read_component,
}
