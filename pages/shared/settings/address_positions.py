"""Places in the address: gap, page and visible range, each tied to its document.

In the address a gap counts from 1, and a place ends in ``@`` and the beginning of its document's key: going back in
the browser can bring the place of one document together with the name of another.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from chunking import ChunkscopeError
from chunking.document import Document
from pages.shared import state

_FORMS = {"gap": r"[1-9][0-9]{0,8}", "page": r"[1-9][0-9]{0,4}", "view": r"[0-9.]{1,12}-[0-9.]{1,12}"}
_OF_DOCUMENT = r"(@[0-9a-f]{4})?"


def problems(names: Sequence[str]) -> list[ChunkscopeError]:
    """Return the errors of invalid places in the address, and remove these from it."""
    errors = []
    for name in names:
        text = state.address().text(name)
        if text and not re.fullmatch(_FORMS[name] + _OF_DOCUMENT, text):
            errors.append(ChunkscopeError(f"Invalid {name} in the URL: {text:.40}.", "It was ignored."))
            state.address().put(name, None)
    return errors


def position(name: str, document: Document) -> str:
    """Return a place from the address, unless it belongs to another document."""
    text, _, key = state.address().text(name).partition("@")
    return text if not key or document.key.startswith(key) else ""


def chosen_gap(document: Document, gaps: int) -> int | None:
    """Return the gap that the address names, if this document has it."""
    text = position("gap", document)
    number = int(text) if text.isascii() and text.isdigit() and len(text) < 10 else 0
    return number - 1 if 1 <= number <= gaps else None


def gap_text(gap: int, document: Document) -> str:
    """Return a gap as written in the address."""
    return f"{gap + 1}@{document.key[:4]}"


def put_gap(gap: int | None, document: Document) -> None:
    """Put a gap into the address, or take it out."""
    state.address().put("gap", None if gap is None else gap_text(gap, document))
