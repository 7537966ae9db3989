"""Characters that UTF-8, JSON or a database cannot hold: lone surrogates, which are halves of characters, and NUL."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, is_dataclass, replace
from typing import Any

from chunking.runtime.patterns import compile_pattern

_SURROGATE = compile_pattern("[\ud800-\udfff]")
_UNSTORABLE = compile_pattern("[\0\x1a\ud800-\udfff]")
_ENCODED = compile_pattern("\x1a([0-9a-f]{4})")


def replace_surrogates(text: str) -> str:
    """Return a text with U+FFFD for each lone surrogate, as long as it was."""
    return text if text.isascii() else _SURROGATE.sub("\ufffd", text)


def count_surrogates(text: str) -> int:
    """Return the number of lone surrogates in a text."""
    return 0 if text.isascii() else len(_SURROGATE.findall(text))


def encode_text(text: str) -> str:
    """Return a text as databases and archives store it.

    PostgreSQL stores no NUL in text, and neither a database nor JSON in UTF-8 holds a lone surrogate. These characters
    are stored as U+001A ("substitute") and four hexadecimal digits, as is U+001A itself; any other text is stored as it
    is.
    """
    return _UNSTORABLE.sub(lambda match: f"\x1a{ord(match[0]):04x}", text)


def decode_text(text: str) -> str:
    """Return the text of a stored one."""
    return _ENCODED.sub(lambda match: chr(int(match[1], 16)), text)


def change_texts(value: Any, change: Callable[[str], str]) -> Any:
    """Return a value with every text in it changed, in dataclasses, mappings, lists and tuples too."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, dict):
        return {change_texts(name, change): change_texts(item, change) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(change_texts(item, change) for item in value)
    if is_dataclass(value) and not isinstance(value, type):
        names = (field.name for field in fields(value))
        return replace(value, **{name: change_texts(getattr(value, name), change) for name in names})
    return value
