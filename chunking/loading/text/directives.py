"""The directives of reStructuredText and of Markdown, by what their content is."""

from __future__ import annotations

from chunking.runtime.wording import word_set

CODE = word_set(
    "code code-block sourcecode highlight-block parsed-literal math raw doctest testcode testsetup testcleanup "
    "testoutput productionlist prompt graphviz digraph graph mermaid uml ipython jupyter-execute command-output"
)
"""Directives whose content is kept verbatim."""

CODE_TEXT = frozenset({"parsed-literal", "math", "productionlist"})
"""Directives of these whose argument is content too."""

TABLES = frozenset({"csv-table", "list-table", "flat-table"})
QUOTES = frozenset({"epigraph", "highlights", "pull-quote"})
CAPTIONED = frozenset({"figure"})
SILENT = word_set(
    "image include literalinclude contents toctree meta role default-role target-notes sectnum section-numbering title "
    "unicode date replace highlight module currentmodule py:module py:currentmodule index bibliography tabularcolumns "
    "automodule autoclass autofunction autodata automethod autoattribute autosummary ifconfig "
    "moduleauthor sectionauthor codeauthor program default-domain"
)
"""Directives whose content is not shown."""

UNTITLED = word_set(
    "attention caution danger error hint important note tip warning seealso todo versionadded versionchanged "
    "deprecated versionremoved rubric centered"
)
"""Directives of reStructuredText whose argument is the beginning of their content, not its title."""

PATHS = frozenset({"only", "container", "class", "rst-class", "figure", "math", "compound", "cssclass"})
"""Directives whose argument is not part of the text."""

MARKDOWN = word_set(
    "admonition attention caution danger error hint important note tip warning seealso todo versionadded "
    "versionchanged deprecated topic sidebar margin aside epigraph pull-quote highlights figure table tab-set tab-item "
    "tabs tab grid grid-item grid-item-card card card-carousel dropdown details glossary only container div "
    "compound rubric exercise solution example theorem proof prf:theorem prf:proof prf:definition prf:lemma "
    "prf:example prf:remark"
)
"""Directives in a fence of backticks whose content is Markdown; others may name a language."""
