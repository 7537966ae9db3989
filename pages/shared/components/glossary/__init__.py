"""The definition of each term of a page, on hover, focus or tap.

Python marks a term in its HTML with :func:`term` or, where the words may be none, with ``explained``; a script does it
with ``data-term``. One script for the whole page shows the definition, so that a box that scrolls does not clip it.
"""

from __future__ import annotations

from functools import cache
from typing import TypedDict

from chunking import glossary
from chunking.report.html import explained
from pages.shared.components.base import component, pack

_glossary = component("chunkscope_glossary", __file__, "glossary.js", isolate_styles=False)


class GlossaryHead(TypedDict):
    """Nothing changes from run to run."""


class GlossaryBody(TypedDict):
    """The definitions by term."""

    terms: dict[str, str]


def explain_terms(key: str) -> None:
    """Let the page define its terms; once a page, for all of its elements.

    Args:
        key: Streamlit key of the element.
    """
    _glossary(key=key, data=_message())


@cache
def _message() -> bytes:
    head: GlossaryHead = {}
    body: GlossaryBody = {"terms": {name: term.definition for name, term in glossary.TERMS.items()}}
    return pack(head, body)


def term(name: str, words: str = "") -> str:
    """Return HTML of a term that is defined on hover, focus or tap.

    Args:
        name: of the term in :mod:`chunking.glossary`.
        words: to show instead of the name, such as its plural.

    Raises:
        KeyError: the glossary has no such term.
    """
    return explained(words or name, name)
