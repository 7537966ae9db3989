"""Settings in environment variables."""

from __future__ import annotations

import os

from chunking.errors import ChunkscopeError


def whole_number(name: str) -> int | None:
    """Return the whole number above 0 in a variable, or ``None`` where it is absent or empty.

    Raises:
        ChunkscopeError: it holds something else.
    """
    text = os.environ.get(name, "").strip()
    if not text:
        return None
    if not text.isascii() or not text.isdigit() or int(text) == 0:
        raise ChunkscopeError(f"{name} is not a whole number above 0.", "Correct it, or leave it out for no limit.")
    return int(text)
