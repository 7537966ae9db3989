"""Settings in environment variables."""

from __future__ import annotations

import os
from collections.abc import Mapping

from chunking.errors import ChunkscopeError


def whole_number(
    name: str, least: int = 1, most: int | None = None, environment: Mapping[str, str] = os.environ
) -> int | None:
    """Return the whole number in a variable, or ``None`` where it is absent or empty.

    Raises:
        ChunkscopeError: it holds something else, or a number that is out of range.
    """
    text = environment.get(name, "").strip()
    if not text:
        return None
    valid = text.isascii() and text.isdigit() and len(text) < 20 and least <= int(text)
    if valid and (most is None or int(text) <= most):
        return int(text)
    bounds = f"above {least - 1}" if most is None else f"from {least} to {most:,}"
    raise ChunkscopeError(f"{name} is not a whole number {bounds}.", "Correct it, or leave it out for the default.")
