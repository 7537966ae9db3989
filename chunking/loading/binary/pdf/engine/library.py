"""PDFium's functions as fast callables, and documents opened with it."""

from __future__ import annotations

import ctypes
import re
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from functools import lru_cache
from importlib import import_module
from itertools import repeat
from typing import Any

import numpy as np

from chunking.errors import ChunkscopeError
from chunking.runtime.arrays import Float32
from chunking.runtime.patterns import compile_pattern

_LANGUAGE_TAG = compile_pattern(r"([a-z]{2,3})(?:[-_].*)?", re.DOTALL)

MAX_PAGES = 5000
"""Limit of the pages of a document."""

MAX_CHARS = 20 * 1024 * 1024
"""Limit of the characters of a document."""

_PASSWORD = 4


class Calls:
    """PDFium's functions, to be called by ``map``.

    Without declared arguments, ctypes passes an ``int`` as a C ``int`` and what ``byref`` made as a pointer, and makes
    no object for either; a handle is passed as a :func:`reference_to`. Where handles change from call to call, they are
    integers and declared. All keep the interpreter's lock: none takes long, and to release and acquire it would cost
    more than the call.
    """

    def __init__(self, raw: Any) -> None:
        pointer, whole, handle = ctypes.c_void_p, ctypes.c_int, ctypes.c_size_t

        def bind(name: str, result: Any, *arguments: Any) -> Callable[..., Any]:
            address = ctypes.cast(getattr(raw, name), pointer).value
            return ctypes.PYFUNCTYPE(result, *arguments)(address or 0)

        self.unicode = bind("FPDFText_GetUnicode", ctypes.c_uint)
        self.map_error = bind("FPDFText_HasUnicodeMapError", whole)
        self.box = bind("FPDFText_GetLooseCharBox", None)
        self.text_object = bind("FPDFText_GetTextObject", handle)
        self.matrix = bind("FPDFText_GetMatrix", None)
        self.font_size = bind("FPDFText_GetFontSize", ctypes.c_double)
        self.object = bind("FPDFPage_GetObject", handle)
        self.font = bind("FPDFTextObj_GetFont", handle, pointer)
        self.kind = bind("FPDFPageObj_GetType", whole, pointer)
        self.draw_mode = bind("FPDFPath_GetDrawMode", whole, pointer, pointer, pointer)
        self.segments = bind("FPDFPath_CountSegments", whole, pointer)
        self.bounds = bind("FPDFPageObj_GetBounds", whole, pointer, pointer, pointer, pointer, pointer)


def reference_to(handle: Any) -> Any:
    """Return a PDFium handle as an argument that ctypes passes unchanged."""
    return ctypes.byref(ctypes.c_char.from_address(ctypes.cast(handle, ctypes.c_void_p).value or 0))


class OutputBuffer:
    """A buffer for the numbers that a PDFium function writes at each of many calls.

    Args:
        width: how many numbers each call writes.
    """

    _CALLS = 1024

    def __init__(self, width: int) -> None:
        buffer = (ctypes.c_float * (width * self._CALLS))()
        step = width * ctypes.sizeof(ctypes.c_float)
        self._references = [ctypes.byref(buffer, step * place) for place in range(self._CALLS)]
        self._values: Float32 = np.ctypeslib.as_array(buffer).reshape(self._CALLS, width)

    def collect(self, call: Callable[..., Any], reference: Any, indices: list[int]) -> Float32:
        """Return ``(n, width)`` float32: output of ``call(reference, index, output)`` for each index; 0 on failure."""
        found = np.empty((len(indices), self._values.shape[1]), dtype=np.float32)
        for begin in range(0, len(indices), self._CALLS):
            batch = indices[begin : begin + self._CALLS]
            written = self._values[: len(batch)]
            written[:] = 0
            deque(map(call, repeat(reference), batch, self._references), maxlen=0)
            found[begin : begin + len(batch)] = written
        return found


@lru_cache(maxsize=1)
def library() -> tuple[Any, Any, Calls]:
    """Return pypdfium2, its raw bindings, and the functions called directly."""
    pdfium = import_module("pypdfium2")
    raw = import_module("pypdfium2.raw")
    return pdfium, raw, Calls(raw)


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


def language(document: Any) -> str:
    """Return the language in the document's catalogue as an ISO 639 code, or empty."""
    _, raw, _ = library()
    buffer = (ctypes.c_ushort * 64)()
    length = raw.FPDFCatalog_GetLanguage(document, buffer, ctypes.sizeof(buffer))
    if not 2 < length <= ctypes.sizeof(buffer):
        return ""
    name = bytes(buffer)[: length - 2].decode("utf-16-le", "replace")
    match = _LANGUAGE_TAG.fullmatch(name.strip().lower())
    return match[1] if match else ""


def render_page(document: Any, page: int, width: int) -> Any:
    """Render a page as a ``PIL.Image``.

    Raises:
        ChunkscopeError: there is no such page, or PDFium cannot draw it.
    """
    pdfium, _, _ = library()
    if not 0 <= page < len(document):
        raise ChunkscopeError(f"There is no page {page + 1}; the PDF has {len(document)}.", "Choose another page.")
    try:
        with closing(document[page]) as shown:
            wide, high = shown.get_size()
            scale = width / max(wide, 1)
            # A page may be extremely long: the height of the image has a limit, too.
            scale = min(scale, 4 * width / max(high, 1))
            with closing(shown.render(scale=scale)) as bitmap:
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
