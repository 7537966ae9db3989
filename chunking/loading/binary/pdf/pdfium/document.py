"""A document opened by PDFium: its language, its outline, and images of its pages."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from contextlib import closing, contextmanager
from itertools import islice
from typing import Any, NamedTuple

from chunking.errors import ChunkscopeError
from chunking.loading.binary.pdf.pdfium import library
from chunking.loading.language import language_code

MAX_PAGES = 5000
"""Limit of the pages of a document."""

MAX_CHARS = 20 * 1024 * 1024
"""Limit of the characters of a document."""

MAX_OUTLINE_ENTRIES = 10_000
"""Limit of the entries of an outline that are read."""

MAX_OUTLINE_BYTES = 8 * 1024 * 1024
"""Limit of the bytes of their titles."""

MAX_OUTLINE_DEPTH = 8
"""Depth to which an outline is read."""

_PASSWORD = 4


@contextmanager
def open_document(data: bytes) -> Iterator[Any]:
    """Open the document of a file's bytes as a ``pypdfium2.PdfDocument`` and close it at the end.

    Raises:
        ChunkscopeError: it is protected by a password, damaged, empty or too long.
    """
    pdfium, _, _ = library()
    try:
        document = pdfium.PdfDocument(data)
    except pdfium.PdfiumError as error:
        if getattr(error, "err_code", None) == _PASSWORD or "password" in str(error).lower():
            raise ChunkscopeError(
                "The PDF is protected by a password.",
                "Open it in a reader with the password, save a copy without one, and load that.",
            ) from error
        raise ChunkscopeError(
            "The file is not a PDF, or it is damaged.", "Open it in a PDF reader, save it again, and load that."
        ) from error
    with closing(document):
        pages = len(document)
        if pages < 1:
            raise ChunkscopeError("The PDF has no pages.", "Load another file.")
        if pages > MAX_PAGES:
            raise ChunkscopeError(
                f"The PDF has {pages:,} pages; at most {MAX_PAGES:,} are read.", "Split it into smaller files."
            )
        yield document


def read_language(document: Any) -> str:
    """Return the language in the document's catalogue as an ISO 639 code, or empty."""
    _, raw, _ = library()
    buffer = (ctypes.c_ushort * 64)()
    length = raw.FPDFCatalog_GetLanguage(document, buffer, ctypes.sizeof(buffer))
    if not 2 < length <= ctypes.sizeof(buffer):
        return ""
    return language_code(bytes(buffer)[: length - 2].decode("utf-16-le", "replace"))


class OutlineEntry(NamedTuple):
    """An entry of the file's outline.

    Attributes:
        title: its text.
        level: its depth, from 1.
        page: index of the page that it leads to.
    """

    title: str
    level: int
    page: int


def read_outline(document: Any) -> list[OutlineEntry]:
    """Return the entries of the file's outline that lead to a page, without those beyond the limits."""
    _, raw, _ = library()
    entries: list[OutlineEntry] = []
    budget = MAX_OUTLINE_BYTES
    for bookmark in islice(document.get_toc(MAX_OUTLINE_DEPTH), MAX_OUTLINE_ENTRIES):
        length = raw.FPDFBookmark_GetTitle(bookmark, None, 0)
        budget -= length
        if budget < 0:
            break
        target = bookmark.get_dest()
        page = target.get_index() if target else None
        if page is not None:
            buffer = ctypes.create_string_buffer(length)
            raw.FPDFBookmark_GetTitle(bookmark, buffer, length)
            title = buffer.raw[: length - 2].decode("utf-16-le", "replace")
            entries.append(OutlineEntry(" ".join(title.split()), bookmark.level + 1, page))
    return entries


def render_page(document: Any, page: int, width: int) -> Any:
    """Render a page as a ``PIL.Image``.

    Raises:
        ChunkscopeError: there is no such page, or PDFium cannot draw it.
    """
    pdfium, _, _ = library()
    if not 0 <= page < len(document):
        raise ChunkscopeError(f"There is no page {page + 1}; the PDF has {len(document)}.", "Choose another page.")
    try:
        with closing(document[page]) as handle:
            wide, high = handle.get_size()
            scale = width / max(wide, 1)
            # A page may be extremely long: the height of the image has a limit, too.
            scale = min(scale, 4 * width / max(high, 1))
            with closing(handle.render(scale=scale)) as bitmap:
                return bitmap.to_pil().convert("RGB")
    except (pdfium.PdfiumError, ValueError, MemoryError) as error:
        raise ChunkscopeError(f"Page {page + 1} cannot be drawn.", "Open the file in a PDF reader.") from error


def check_length(chars: int) -> None:
    """Check the number of characters read so far.

    Raises:
        ChunkscopeError: it exceeds :data:`MAX_CHARS`.
    """
    if chars > MAX_CHARS:
        raise ChunkscopeError(
            f"The PDF has more than {MAX_CHARS // 2**20} MiB of text.", "Split it into smaller files."
        )
