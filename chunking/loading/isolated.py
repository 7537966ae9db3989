"""Loading in a process of its own, with limits: see :mod:`chunking.isolation`.

Parsers of binary formats always run there, since a damaged file may crash them. A server loads everything there, since
a text can take unlimited time as well. The process may have been compromised by what it read: what it sends has the
right types, see :mod:`chunking.isolation.codec`, and every length, span, order and number is checked here.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Mapping
from importlib import import_module
from typing import TypeVar

import numpy as np

from chunking import isolation, loading
from chunking.document import Block, Document
from chunking.document.origin import Origin
from chunking.document.pages import Pages
from chunking.isolation import USUAL, Call, Limits, TooMuch, demand, errors
from chunking.isolation.framing import MAX_TEXT
from chunking.loading.parsed import LoadParameters, Parsed
from chunking.runtime.arrays import AnyFloats, AnyInts
from chunking.runtime.patterns import compile_pattern
from chunking.runtime.progress import Progress

Loaded = TypeVar("Loaded", Document, Parsed)

MAX_IMAGE_PIXELS = 40_000_000
"""Limit of the pixels of a page image."""

PARSERS: Mapping[str, tuple[str, ...]] = {
    "pdf": ("pypdfium2", "pdfplumber"),
    "docx": ("docx", "lxml.etree"),
    "pptx": ("lxml.etree",),
    "sheets": ("python_calamine",),
    "odf": ("lxml.etree", "defusedxml.ElementTree"),
    "rtf": (),
    "mail": ("selectolax.lexbor", "email.header", "email.parser", "email.quoprimime", "email.base64mime"),
    "xml": ("selectolax.lexbor", "defusedxml.ElementTree"),
    "ttml": ("defusedxml.ElementTree",),
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
    return _run(Call(parse_here, (module, data, name, params), PARSERS[module]), name, USUAL, progress)


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
    answer = isolation.run(Call(_render, (data, page, width), PARSERS["pdf"]), name)
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
    return _run(Call(_load, (data, name, language, params or LoadParameters()), _LIBRARIES), name, limits, progress)


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
    data = text.encode("utf-8", "surrogatepass")
    return _run(Call(_from_text, (data, name, format, language), _LIBRARIES), name, limits, progress)


def reload(
    document: Document, params: LoadParameters, limits: Limits = USUAL, progress: Progress | None = None
) -> Document:
    """Reload a document from its stored source as :func:`chunking.loading.reload` does.

    Raises:
        LimitError: that meets a limit.
        ChunkscopeError: as of :func:`chunking.loading.reload`, or the process crashed.
    """
    return _run(Call(loading.reload, (document, params), _LIBRARIES), document.name, limits, progress)


_LIBRARIES = ("chunking.loading.language:prepare",)


def _run(call: Call[Loaded], name: str, limits: Limits, progress: Progress | None) -> Loaded:
    document = isolation.run(call, name, limits, progress)
    with errors.checked(name):
        check(document)
    return document


def _is_picture(data: bytes) -> bool:
    if not data.startswith(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR") or len(data) < 33:
        return False
    width, height = struct.unpack_from(">II", data, 16)
    return bool(0 < width * height <= MAX_IMAGE_PIXELS)


# ---- what a process may send

_LANGUAGE = compile_pattern(r"(?:[a-z]{2,3})?")


def check(document: Document | Parsed) -> None:
    """Check a document, or the result of a loader.

    Raises:
        TooMuch: its text exceeds :data:`MAX_TEXT`.
        WireError: anything in it violates :mod:`chunking.document`.
    """
    if len(document.text.encode()) > MAX_TEXT:
        raise TooMuch("text")
    demand(_LANGUAGE.fullmatch(document.language) is not None)
    _check_blocks(document.blocks, document.text)
    if document.origin:
        _check_origin(document.origin, document.text)
    if document.pages:
        _check_pages(document.pages, document.text)
    parts = len(document.origin.parts) if document.origin else 1
    for aside in document.aside:
        demand(0 <= aside.part < parts, all(abs(edge) < 1e9 for edge in aside.box or ()))


def _check_blocks(blocks: tuple[Block, ...], text: str) -> None:
    last_end = 0
    for block in blocks:
        demand(last_end <= block.start < block.end <= len(text), block.start <= block.content <= block.end)
        demand(block.level >= 0, (block.level > 0) == (block.kind in ("heading", "list_item", "quote")))
        # A block begins with no white space and ends with no line end.
        demand(block.kind == "page_break" or not (text[block.start].isspace() or text[block.end - 1] in "\r\n"))
        if block.style:
            demand(all(map(math.isfinite, (block.style.size, block.style.space_before, block.style.indent))))
        last_end = block.end


def _check_origin(origin: Origin, text: str) -> None:
    demand(_is_table(origin.runs, 5))
    start, length, part, source, source_length = origin.runs.T
    demand(start >= 0, length > 0, length <= len(text), start + length <= len(text))
    demand(start[1:] >= (start + length)[:-1], part >= 0, part < len(origin.parts), source >= 0, source_length >= 0)
    if origin.texts:
        demand(len(origin.texts) == len(origin.parts))
        lengths = np.array([len(text) for text in origin.texts], dtype=np.int64)
        demand(source_length <= lengths[part], source <= lengths[part] - source_length)


def _check_pages(pages: Pages, text: str) -> None:
    sizes, starts, words, page, line = pages.sizes, pages.starts, pages.words, pages.page, pages.line
    demand(_is_table(sizes, 2), _is_table(words, 2), _is_table(pages.boxes, 4))
    demand(starts.ndim == page.ndim == line.ndim == 1)
    demand(len(sizes) == len(starts), len(words) == len(page) == len(line) == len(pages.boxes))
    demand(np.isfinite(sizes), sizes > 0, starts >= 0, starts <= len(text), starts[1:] >= starts[:-1])
    demand(words >= 0, words <= len(text), words[:, 0] < words[:, 1], words[1:, 0] >= words[:-1, 1])
    demand(page >= 0, page < len(sizes), line >= 0, np.isfinite(pages.boxes))


def _is_table(array: AnyFloats | AnyInts, columns: int) -> bool:
    return array.ndim == 2 and array.shape[1] == columns


# The functions below run in a process of their own.


def parse_here(module: str, data: bytes, name: str, params: LoadParameters, progress: Progress | None) -> Parsed:
    """Parse a file of a binary format in this process, which it may crash."""
    parsed: Parsed = import_module(f"chunking.loading.binary.{module}").parse(data, name, params, progress)
    return parsed


def _render(data: bytes, page: int, width: int) -> bytes:
    picture: bytes = import_module("chunking.loading.binary.pdf").render(data, page, width)
    return picture


def _load(data: bytes, name: str, language: str | None, params: LoadParameters, progress: Progress) -> Document:
    return loading.load(data, name, language, params, progress, parse=parse_here)


def _from_text(data: bytes, name: str, format: str, language: str | None) -> Document:
    return loading.from_text(data.decode("utf-8", "surrogatepass"), name, format, language)
