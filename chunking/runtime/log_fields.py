"""What a line of the log says beside its message."""

from __future__ import annotations

FIELDS = "chunkscope_fields"
"""Name of the attribute of a record that holds it."""


def fields(**values: float | str) -> dict[str, dict[str, float | str]]:
    """Return what a line of the log says beside its message, for ``extra``; never text of a document."""
    return {FIELDS: values}
