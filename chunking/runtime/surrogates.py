"""Lone surrogates: halves of characters, which a text of Python can hold and UTF-8 cannot."""

from __future__ import annotations

from chunking.runtime.patterns import compile_pattern

_SURROGATE = compile_pattern("[\ud800-\udfff]")


def replace_surrogates(text: str) -> str:
    """Return a text with U+FFFD for each lone surrogate, as long as it was."""
    return text if text.isascii() else _SURROGATE.sub("\ufffd", text)


def count_surrogates(text: str) -> int:
    """Return the number of lone surrogates in a text."""
    return 0 if text.isascii() else len(_SURROGATE.findall(text))
