"""Lone surrogates: halves of characters, which a text of Python can hold and UTF-8 cannot."""

from __future__ import annotations

from chunking.runtime.patterns import compile_pattern

_SURROGATE = compile_pattern("[\ud800-\udfff]")


def has_surrogates(text: str) -> bool:
    """Return whether a text has lone surrogates."""
    return _SURROGATE.search(text) is not None


def replace_surrogates(text: str) -> str:
    """Return a text with U+FFFD for each lone surrogate, as long as it was."""
    return _SURROGATE.sub("\ufffd", text)


def count_surrogates(text: str) -> int:
    """Return the number of lone surrogates in a text."""
    return len(_SURROGATE.findall(text))
