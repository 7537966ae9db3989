"""The parts of code that a reader sees in colours: keywords, strings, comments, numbers, names of definitions."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from pygments.lexer import Lexer
from pygments.lexers import find_lexer_class_by_name
from pygments.token import Comment, Generic, Keyword, Literal, Name, Number, String
from pygments.util import ClassNotFound

MAX_LENGTH = 200_000
"""Length from which code is shown without colours."""

_CLASSES: tuple[tuple[Any, str], ...] = (
    (Comment, "comment"),
    (String, "string"),
    (Number, "number"),
    (Literal, "string"),
    (Keyword, "keyword"),
    (Name.Function, "name"),
    (Name.Class, "name"),
    (Name.Tag, "name"),
    (Name.Decorator, "name"),
    (Name.Attribute, "attribute"),
    (Name.Builtin, "builtin"),
    (Generic.Deleted, "deleted"),
    (Generic.Inserted, "inserted"),
    (Generic.Prompt, "comment"),
)


def tokens(code: str, language: str) -> Iterator[tuple[int, int, str]]:
    """Yield start, end and class of the parts of a code that have one; none if its language is not known.

    Args:
        code: the code.
        language: a name that Pygments knows (``"python"``, ``"sh"``).
    """
    lexer = _lexer(language.lower())
    if lexer is None or len(code) > MAX_LENGTH:
        return
    for start, kind, words in lexer.get_tokens_unprocessed(code):
        name = _class_of(kind)
        if name and words.strip():
            yield start, start + len(words), name


@lru_cache(maxsize=64)
def _lexer(language: str) -> Lexer | None:
    try:
        return find_lexer_class_by_name(language)(stripnl=False, ensurenl=False) if language else None
    except ClassNotFound:
        return None


@lru_cache(maxsize=512)
def _class_of(kind: Any) -> str:
    return next((name for token_type, name in _CLASSES if kind in token_type), "")
