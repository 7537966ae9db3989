"""Places that an address names: a gap, and the part of a picture that is looked at, each tied to its document.

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
    """What the address says of these places that is no such thing; it is taken out of the address."""
    found = []
    for name in names:
        said = state.current().text(name)
        if said and not re.fullmatch(_FORMS[name] + _OF_DOCUMENT, said):
            found.append(ChunkscopeError(f"The address names a {name} that is none: {said:.40}.", "It was left out."))
            state.current().put(name, None)
    return found


def place(name: str, document: Document) -> str:
    """What the address says of a place, unless it says that this was in another document."""
    asked, _, key = state.current().text(name).partition("@")
    return asked if not key or document.key.startswith(key) else ""


def chosen_gap(document: Document, gaps: int) -> int | None:
    """The gap that the address names, where this document has it."""
    asked = place("gap", document)
    number = int(asked) if asked.isascii() and asked.isdigit() and len(asked) < 10 else 0
    return number - 1 if 1 <= number <= gaps else None


def wanted_view(document: Document, gaps: int) -> tuple[float, float] | None:
    """The part of the picture that the address names, where it is one."""
    try:
        start, end = (float(edge) for edge in place("view", document).split("-"))
    except ValueError:
        return None
    return (start, end) if 0 <= start < end <= gaps + 1 else None


def gap_text(gap: int, document: Document) -> str:
    """A gap as the address names it."""
    return f"{gap + 1}@{document.key[:4]}"


def put_gap(gap: int | None, document: Document) -> None:
    """Put a gap into the address, or take it out."""
    state.current().put("gap", None if gap is None else gap_text(gap, document))


def put_view(view: tuple[float, float] | None, document: Document) -> None:
    """Put the part that is looked at into the address; ``None`` for all."""
    state.current().put("view", None if view is None else f"{view[0]:.6g}-{view[1]:.6g}@{document.key[:4]}")
