"""Loading in a process of its own, with limits: see :mod:`chunking.isolation`.

Parsers of binary formats always run there, since a damaged file may crash them. A server loads everything there, since
a text may take for ever as well.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from dataclasses import asdict
from importlib import import_module
from typing import Any

from chunking import isolation, loading
from chunking.document import Document
from chunking.isolation import USUAL, Call, Limits, errors
from chunking.loading import wire
from chunking.loading.parsed import LoadParameters, Parsed
from chunking.runtime.progress import Progress

MAX_IMAGE_PIXELS = 40_000_000
"""Limit of the pixels of a page image."""

PARSERS: Mapping[str, tuple[str, ...]] = {
    "pdf": ("pypdfium2", "pdfplumber"),
    "docx": ("docx", "lxml.etree"),
    "epub": ("selectolax.lexbor", "defusedxml.ElementTree"),
}
"""Modules below :mod:`chunking.loading.binary`, and libraries to load before the limits are set."""


def parse(module: str, data: bytes, name: str, params: LoadParameters, progress: Progress | None) -> Parsed:
    """Parse a file with ``chunking.loading.binary.MODULE.parse``.

    Args:
        module: one of :data:`PARSERS`.
        data: the whole file.
        name: its name, for messages.
        params: the loading parameters.
        progress: called now and then, also while nothing happens; ``(0, 0)`` while other files are read first. It may
            raise to stop.

    Raises:
        ChunkscopeError: the file cannot be read, or breaks a limit.
    """
    arguments = {"module": module, "name": name, "params": asdict(params)}
    answer = isolation.run(_call("_parse", arguments, PARSERS[module]), data, name, USUAL, progress)
    with errors.checked(name):
        return wire.unpack(answer)


def render(data: bytes, page: int, width: int) -> bytes:
    """Render a page of a PDF as a PNG.

    Args:
        data: the whole file.
        page: index of the page, from 0.
        width: width of the image, in pixels.

    Raises:
        ChunkscopeError: the page cannot be drawn, or breaks a limit.
    """
    name = f"page {page + 1}"
    call = Call("chunking.loading.binary.pdf:render", {"page": page, "width": width}, PARSERS["pdf"])
    answer = isolation.run(call, data, name)
    if not _is_picture(answer):
        raise errors.broken(name, "an invalid picture")
    return answer


def load(
    data: bytes,
    name: str,
    language: str | None = None,
    params: LoadParameters | None = None,
    limits: Limits = USUAL,
    progress: Progress | None = None,
) -> Document:
    """Load a file as :func:`chunking.loading.load` does.

    Raises:
        LimitError: that meets a limit.
        ChunkscopeError: as of :func:`chunking.loading.load`, or the process crashed.
    """
    arguments = {"name": name, "language": language, "params": asdict(params or LoadParameters())}
    return _document(_call("_load", arguments), data, name, limits, progress)


def from_text(
    text: str,
    name: str = "untitled",
    format: str = "markdown",
    language: str | None = None,
    limits: Limits = USUAL,
    progress: Progress | None = None,
) -> Document:
    """Return the document of a decoded text as :func:`chunking.loading.from_text` does.

    Raises:
        LimitError: that meets a limit.
        ChunkscopeError: as of :func:`chunking.loading.from_text`, or the process crashed.
    """
    arguments = {"name": name, "format": format, "language": language}
    data = text.encode("utf-8", "surrogatepass")
    return _document(_call("_from_text", arguments), data, name, limits, progress)


def reload(
    document: Document, params: LoadParameters, limits: Limits = USUAL, progress: Progress | None = None
) -> Document:
    """Reload a document from its stored source as :func:`chunking.loading.reload` does.

    Raises:
        LimitError: that meets a limit.
        ChunkscopeError: as of :func:`chunking.loading.reload`, or the process crashed.
    """
    call = _call("_reload", {"params": asdict(params)})
    return _document(call, wire.pack_document(document), document.name, limits, progress)


_LIBRARIES = ("chunking.loading.language:prepare",)


def _call(function: str, arguments: Mapping[str, Any], libraries: tuple[str, ...] = _LIBRARIES) -> Call:
    return Call(f"{__name__}:{function}", arguments, libraries, reports=True)


def _document(call: Call, data: bytes, name: str, limits: Limits, progress: Progress | None) -> Document:
    answer = isolation.run(call, data, name, limits, progress)
    with errors.checked(name):
        return wire.unpack_document(answer)


def _is_picture(data: bytes) -> bool:
    if not data.startswith(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR") or len(data) < 33:
        return False
    width, height = struct.unpack_from(">II", data, 16)
    return bool(0 < width * height <= MAX_IMAGE_PIXELS)


# The functions below run in a process of their own.


def _parse(data: bytes, module: str, name: str, params: dict[str, Any], progress: Progress) -> bytes:
    return wire.pack(parse_here(module, data, name, LoadParameters(**params), progress))


def parse_here(module: str, data: bytes, name: str, params: LoadParameters, progress: Progress | None) -> Parsed:
    """Parse a file of a binary format in this process, which it may crash."""
    parsed: Parsed = import_module(f"chunking.loading.binary.{module}").parse(data, name, params, progress)
    return parsed


def _load(data: bytes, name: str, language: str | None, params: dict[str, Any], progress: Progress) -> bytes:
    found = loading.load(data, name, language, LoadParameters(**params), progress, parse=parse_here)
    return wire.pack_document(found)


def _from_text(data: bytes, name: str, format: str, language: str | None, progress: Progress) -> bytes:
    return wire.pack_document(loading.from_text(data.decode("utf-8", "surrogatepass"), name, format, language))


def _reload(data: bytes, params: dict[str, Any], progress: Progress) -> bytes:
    return wire.pack_document(loading.reload(wire.unpack_document(data), LoadParameters(**params)))
