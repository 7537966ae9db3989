"""Bytes to :class:`~chunking.document.Document`, one module for each family of formats.

    >>> document = load(b"# Tea\\n\\nBoil water.\\n", "tea.md")
    >>> [(block.kind, document.text[block.content : block.end]) for block in document.blocks]
    [('heading', 'Tea'), ('paragraph', 'Boil water.')]

A format is one entry of :data:`LOADERS`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import PurePath

from chunking.document import Block, Document
from chunking.errors import ChunkscopeError
from chunking.loading import markdown, plain
from chunking.loading.decode import MAX_BYTES, check_size, clean, decode
from chunking.loading.language import detect

__all__ = ["FORMATS", "LOADERS", "MAX_BYTES", "Parsed", "from_text", "load"]


@dataclass(frozen=True, slots=True)
class Parsed:
    """What a loader makes of a file.

    Attributes:
        text: the one string that offsets refer to.
        blocks: see :attr:`chunking.document.Document.blocks`.
        format: see :attr:`chunking.document.Document.format`.
        notes: what a person should know about the loading.
    """

    text: str
    blocks: tuple[Block, ...]
    format: str
    notes: tuple[str, ...] = ()


Loader = Callable[[bytes, str], Parsed]
"""``loader(data, name) -> Parsed``; raises :class:`ChunkscopeError` where the bytes are not of its format."""

FORMATS: dict[str, Callable[[str], tuple[Block, ...]]] = {"text": plain.blocks, "markdown": markdown.blocks}
"""How the blocks of a text are found, for the formats that are text."""


def _load_text(data: bytes, name: str) -> Parsed:
    decoded = decode(data, name)
    return Parsed(decoded.text, plain.blocks(decoded.text), "text", decoded.notes)


def _load_markdown(data: bytes, name: str) -> Parsed:
    decoded = decode(data, name)
    return Parsed(decoded.text, markdown.blocks(decoded.text), "markdown", decoded.notes)


LOADERS: dict[str, Loader] = {
    ".md": _load_markdown,
    ".markdown": _load_markdown,
    ".txt": _load_text,
    ".text": _load_text,
    "": _load_text,
}
"""Which loader a file name's suffix asks for. Any other file is tried as text."""

_CODE = re.compile(r"[a-z]{2,3}")


def load(data: bytes, name: str, language: str | None = None) -> Document:
    """Load a file.

    Args:
        data: the whole file.
        name: its name; the suffix says the format.
        language: ISO 639-1 code, where the user knows better than :func:`chunking.loading.language.detect`.

    Raises:
        ChunkscopeError: the file is too large or not text, or ``language`` is not a code.
    """
    loader = LOADERS.get(PurePath(name).suffix.lower(), _load_text)
    check_size(len(data), name)
    parsed = loader(data, name)
    return Document(
        parsed.text, parsed.blocks, name, parsed.format, _language(parsed.text, parsed.blocks, language), parsed.notes
    )


def from_text(text: str, name: str = "untitled", format: str = "markdown", language: str | None = None) -> Document:
    """A document of a text that is decoded already, such as a pasted one.

    Args:
        text: kept as it is, but for a byte order mark at its start and lone surrogates.
        name: what to call it.
        format: ``"markdown"`` or ``"text"``.
        language: ISO 639-1 code; ``None`` to detect it.

    Raises:
        ChunkscopeError: the text is too large, or ``format`` or ``language`` is unknown.
    """
    if format not in FORMATS:
        raise ChunkscopeError(f"There is no format {format!r:.40}.", f"Choose one of {', '.join(FORMATS)}.")
    check_size(len(text.encode("utf-8", "surrogatepass")), name)
    decoded = clean(text)
    blocks = FORMATS[format](decoded.text)
    return Document(decoded.text, blocks, name, format, _language(decoded.text, blocks, language), decoded.notes)


def _language(text: str, blocks: Iterable[Block], given: str | None) -> str:
    if given is None:
        return detect(_prose(text, blocks))
    code = re.split("[-_]", given.strip().lower(), maxsplit=1)[0]
    if not _CODE.fullmatch(code):
        raise ChunkscopeError(f"{given!r:.40} is not a language code.", "Give a code such as en, ko or zh.")
    return code


def _prose(text: str, blocks: Iterable[Block]) -> str:
    """The text without its code, which is in no language; all of it where there is nothing else."""
    return "\n".join(text[block.content : block.end] for block in blocks if block.kind != "code") or text
