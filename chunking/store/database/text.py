"""Any text as the database and archives can hold it."""

from __future__ import annotations

from chunking.runtime.patterns import compile_pattern

_UNSTORABLE = compile_pattern("[\0\x1a\ud800-\udfff]")
_ENCODED = compile_pattern("\x1a([0-9a-f]{4})")


def encode_text(text: str) -> str:
    """Return a text as it is stored.

    PostgreSQL stores no NUL in text, and neither a database nor JSON in UTF-8 holds a lone surrogate. These characters
    are stored as U+001A ("substitute") and four hexadecimal digits, as is U+001A itself; any other text is stored as it
    is.
    """
    return _UNSTORABLE.sub(lambda match: f"\x1a{ord(match[0]):04x}", text)


def decode_text(text: str) -> str:
    """Return the text of a stored one."""
    return _ENCODED.sub(lambda match: chr(int(match[1], 16)), text)
