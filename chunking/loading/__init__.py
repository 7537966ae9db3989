"""Bytes to :class:`~chunking.document.Document`, one module for each family of formats.

    >>> document = load(b"# Tea\\n\\nBoil water.\\n", "tea.md")
    >>> [(block.kind, document.text[block.content : block.end]) for block in document.blocks]
    [('heading', 'Tea'), ('paragraph', 'Boil water.')]

The formats are in :mod:`chunking.loading.formats`. The module of a format is imported when a file of it is first
loaded.
"""

from __future__ import annotations

import importlib
from codecs import BOM_UTF8
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from chunking.document import Block, Document
from chunking.errors import ChunkscopeError
from chunking.loading.decode import MAX_BYTES, Decoded, check_size, clean, decode
from chunking.loading.embedded_files import exclude_files
from chunking.loading.formats import (
    DATA_FORMATS,
    DOCUMENT_SUFFIXES,
    FORMATS,
    TEXT_FORMATS,
    Format,
    format_of,
    is_archive,
)
from chunking.loading.language import detect, detect_in_data, language_code
from chunking.loading.parsed import LoadParameters, Parsed
from chunking.loading.text import chat, plain
from chunking.loading.text.markdown_evidence import is_markdown
from chunking.runtime.patterns import compile_pattern
from chunking.runtime.progress import Progress

__all__ = [
    "DOCUMENT_SUFFIXES",
    "EMPTY",
    "FORMATS",
    "MAX_BYTES",
    "MAX_FILE_BYTES",
    "TEXT_FORMATS",
    "Format",
    "LoadParameters",
    "Parsed",
    "check_language",
    "clean_name",
    "format_of",
    "from_text",
    "is_archive",
    "load",
    "reload",
]

MAX_FILE_BYTES = 50 * 1024 * 1024
"""Maximum size of a file of a binary format, in bytes; :data:`MAX_BYTES` applies to other formats."""

Parse = Callable[[str, bytes, str, LoadParameters, Progress | None], Parsed]
"""Parses a file of a binary format: the name of its module, the file, its name, the parameters and a progress."""

EMPTY = "The document is empty: it has no text."
"""Note for a document without text."""

_NEVER_EMPTY = frozenset(("notebook", *(name for name, format in FORMATS.items() if format.kind == "binary")))
"""Formats of which an empty file is damaged."""

_UNSHOWN = compile_pattern("[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]")


def load(
    data: bytes,
    name: str,
    language: str | None = None,
    params: LoadParameters | None = None,
    progress: Progress | None = None,
    parse: Parse | None = None,
) -> Document:
    """Load a file.

    Args:
        data: the whole file.
        name: its name; the suffix determines the format, unless the content identifies another.
        language: ISO 639-1 code; ``None`` to detect it.
        params: further parameters.
        progress: called repeatedly during the loading of binary formats; may raise to stop.
        parse: parses a binary format; by default in a process of its own.

    Raises:
        ChunkscopeError: the file is too large, not of its format or damaged, or ``language`` is not a code.
    """
    format = format_of(data, name)
    params = params or LoadParameters()
    if format.name in _NEVER_EMPTY and not data.removeprefix(BOM_UTF8).strip():
        raise ChunkscopeError(f"“{name}” is empty.", "Save it again in the program that made it, or choose another.")
    if format.kind == "binary":
        check_size(len(data), name, MAX_FILE_BYTES)
        parsed = (parse or _parse_isolated)(format.module, data, name, params, progress)
        return _document(parsed, name, format.name, language, params=params)
    check_size(len(data), name)
    decoded = decode(data, name)
    if format.name == "text" and is_markdown(decoded.text):
        format = FORMATS["markdown"]
    if format.kind == "markup":
        parsed = _module(format).parse(decoded.text, name, params)
        return _document(parsed, name, format.name, language, decoded.notes, params)
    return _from_decoded(decoded, name, format, language)


def reload(document: Document, params: LoadParameters) -> Document:
    """Reload a document of a ``markup`` format from its stored source, with other parameters.

    Raises:
        ChunkscopeError: the document has no stored source.
    """
    format = FORMATS.get(document.format)
    if format is None or format.kind != "markup" or document.origin is None or len(document.origin.texts) != 1:
        raise ChunkscopeError(
            f"“{document.name}” cannot be reloaded: its source is not stored.", "Load the file again."
        )
    parsed = _module(format).parse(document.origin.texts[0], document.name, params)
    return _document(parsed, document.name, format.name, document.language, params=params)


def from_text(text: str, name: str = "untitled", format: str = "markdown", language: str | None = None) -> Document:
    """Return the document of a decoded text, such as a pasted one.

    Args:
        text: kept unchanged, except for a byte order mark at its start and lone surrogates.
        name: name of the document.
        format: one of :data:`TEXT_FORMATS`.
        language: ISO 639-1 code; ``None`` to detect it.

    Raises:
        ChunkscopeError: the text is too large, or ``format`` or ``language`` is unknown.
    """
    if format not in TEXT_FORMATS:
        raise ChunkscopeError(f"{format!r:.40} is not a text format.", f"Choose one of {', '.join(TEXT_FORMATS)}.")
    check_size(len(text.encode("utf-8", "surrogatepass")), name)
    return _from_decoded(clean(text), name, FORMATS[format], language)


def clean_name(name: str) -> str:
    """Return a file's name for display: no control or direction characters, inside its folder, 120 characters."""
    safe = _UNSHOWN.sub("\ufffd", name.replace("\\", "/"))
    parts = [part for part in safe.split("/") if part not in ("", ".", "..")]
    return "/".join(parts)[-120:] or "untitled"


def _module(format: Format) -> Any:
    return importlib.import_module(f"chunking.loading.{format.kind}.{format.module}")


def _parse_isolated(module: str, data: bytes, name: str, params: LoadParameters, progress: Progress | None) -> Parsed:
    from chunking.loading import isolated

    return isolated.parse(module, data, name, params, progress)


def _from_decoded(decoded: Decoded, name: str, format: Format, language: str | None) -> Document:
    # The bytes of files in a program are data of that program.
    parsed = Parsed(decoded.text, ()) if format.language else exclude_files(decoded.text)
    format_name, blocks, notes = _text_blocks(parsed.text, format)
    parsed = replace(parsed, blocks=blocks, notes=(*decoded.notes, *parsed.notes, *notes))
    return _document(parsed, name, format_name, language)


def _text_blocks(text: str, format: Format) -> tuple[str, tuple[Block, ...], tuple[str, ...]]:
    """Return the name of the format in which a text can be read, its blocks, and remarks."""
    if format.name == "text" and (turns := chat.turns(text)):
        return "chat", turns, ()
    find = _module(format).blocks
    note = f"This is not valid {format.title}; it is read as plain text."
    try:
        blocks = find(text, format.language) if format.language else find(text)
    except ChunkscopeError as error:  # its parser failed or is not installed
        blocks, note = None, f"{error.problem} It is read as plain text."
    if blocks is None and not text.strip():
        blocks = ()
    return (format.name, blocks, ()) if blocks is not None else ("text", plain.blocks(text), (note,))


def _document(
    parsed: Parsed,
    name: str,
    format: str,
    language: str | None,
    notes: tuple[str, ...] = (),
    params: LoadParameters | None = None,
) -> Document:
    return Document(
        text=parsed.text,
        blocks=parsed.blocks,
        name=clean_name(name),
        format=format,
        language=_language(parsed, format, language),
        notes=(*notes, *parsed.notes, *(() if parsed.text.strip() else (EMPTY,))),
        origin=parsed.origin,
        pages=parsed.pages,
        aside=parsed.aside,
        load_options=tuple((name, str(value)) for name, value in params.changed().items()) if params else (),
    )


def _language(parsed: Parsed, format: str, language: str | None) -> str:
    if language is None:
        detected = detect_in_data(parsed.text) if format in DATA_FORMATS else detect(_prose(parsed.text, parsed.blocks))
        return parsed.language if detected == "und" and parsed.language else detected
    return check_language(language)


def check_language(tag: str) -> str:
    """Return the ISO 639-1 code of a language tag: ``"en"`` of ``"en-GB"``.

    Raises:
        ChunkscopeError: the tag is not a language code.
    """
    code = language_code(tag)
    if not code:
        raise ChunkscopeError(f"{tag!r:.40} is not a language code.", "Give a code such as en, ko or zh.")
    return code


def _prose(text: str, blocks: Iterable[Block]) -> str:
    """Return the text without its code; all of it if there is nothing else."""
    return "\n".join(text[block.content : block.end] for block in blocks if block.kind != "code") or text
