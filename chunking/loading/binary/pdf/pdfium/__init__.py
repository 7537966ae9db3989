"""PDFium, reading only: its functions, and the coordinates and characters that it gives.

=========== ==========================================================================================================
document    a document opened by PDFium; its outline and images of its pages
pages       the words, ruling lines and small shapes of a page
characters  words, ideographs and ligatures among the characters of a page
drawings    ruling lines and small shapes
annotations form values, texts and comments that are added to a page
letters     whether a font draws bold or monospaced letters, for fonts whose names do not say it
=========== ==========================================================================================================

PDFium's functions are called through prototypes of our own, so that ``map`` calls them without Python code in between:
a call takes 0.14 µs instead of 1 µs.
"""

from __future__ import annotations

import ctypes
import math
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from itertools import repeat
from typing import Any

import numpy as np

from chunking.runtime.arrays import Float32

# Functions ----------------------------------------------------------------------------------------------------------


class Calls:
    """PDFium's functions, to be called by ``map``.

    Without declared arguments, ctypes passes an ``int`` as a C ``int`` and what ``byref`` made as a pointer, and makes
    no object for either; a handle is passed as a :func:`reference_to`. Where handles change from call to call, they are
    integers and declared. All keep the interpreter's lock: none takes long, and to release and acquire it would cost
    more than the call.
    """

    def __init__(self, raw: Any) -> None:
        pointer, integer, handle = ctypes.c_void_p, ctypes.c_int, ctypes.c_size_t

        def bind(name: str, result: Any, *arguments: Any) -> Callable[..., Any]:
            address = ctypes.cast(getattr(raw, name), pointer).value
            return ctypes.PYFUNCTYPE(result, *arguments)(address or 0)

        self.unicode = bind("FPDFText_GetUnicode", ctypes.c_uint)
        self.map_error = bind("FPDFText_HasUnicodeMapError", integer)
        self.box = bind("FPDFText_GetLooseCharBox", None)
        self.text_object = bind("FPDFText_GetTextObject", handle)
        self.matrix = bind("FPDFText_GetMatrix", None)
        self.font_size = bind("FPDFText_GetFontSize", ctypes.c_double)
        self.object = bind("FPDFPage_GetObject", handle)
        self.font = bind("FPDFTextObj_GetFont", handle, pointer)
        self.render_mode = bind("FPDFTextObj_GetTextRenderMode", integer, pointer)
        self.kind = bind("FPDFPageObj_GetType", integer, pointer)
        self.draw_mode = bind("FPDFPath_GetDrawMode", integer, pointer, pointer, pointer)
        self.segments = bind("FPDFPath_CountSegments", integer, pointer)
        self.bounds = bind("FPDFPageObj_GetBounds", integer, pointer, pointer, pointer, pointer, pointer)


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
        self._references = [ctypes.byref(buffer, step * index) for index in range(self._CALLS)]
        self._values: Float32 = np.ctypeslib.as_array(buffer).reshape(self._CALLS, width)

    def collect(self, call: Callable[..., Any], reference: Any, indices: list[int]) -> Float32:
        """Return ``(n, width)`` float32: output of ``call(reference, index, output)`` for each index; 0 on failure."""
        outputs = np.empty((len(indices), self._values.shape[1]), dtype=np.float32)
        for begin in range(0, len(indices), self._CALLS):
            batch = indices[begin : begin + self._CALLS]
            values = self._values[: len(batch)]
            values[:] = 0
            deque(map(call, repeat(reference), batch, self._references), maxlen=0)
            outputs[begin : begin + len(batch)] = values
        return outputs


@lru_cache(maxsize=1)
def library() -> tuple[Any, Any, Calls]:
    """Return pypdfium2, its raw bindings, and the functions called directly."""
    pdfium = import_module("pypdfium2")
    raw = import_module("pypdfium2.raw")
    return pdfium, raw, Calls(raw)


# Characters ---------------------------------------------------------------------------------------------------------

HYPHEN = 0xFFFE
"""What PDFium writes for a hyphen at a line end, with the next line's word right after it."""

REPLACEMENTS: dict[int, int] = {
    **dict.fromkeys((*range(0, 9), *range(14, 28), *range(55296, 57344), 65535, 127), 65533),
    **dict.fromkeys((11, 12, 28, 29, 30, 31, 133, 8232, 8233), 32),
    2: HYPHEN,
}
"""Characters that no text may contain, and their replacements: controls, surrogates, line ends inside a page."""

CLEAN_UNITS = np.frombuffer(
    "".join(map(chr, range(0x10000))).translate(REPLACEMENTS).encode("utf-16-le"), dtype=np.uint16
)
"""The same as a table: the replacement of each UTF-16 unit."""


# Coordinates --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Frame:
    """The mapping of a page's own coordinates to those displayed: cropped, rotated, from the top left.

    Attributes:
        left, bottom, right, top: the visible part of the page, in its own coordinates.
        rotation: quarter turns clockwise.
    """

    left: float
    bottom: float
    right: float
    top: float
    rotation: int

    @classmethod
    def of(cls, page: Any, raw: Any) -> Frame:
        """Return the frame of a page; that of US Letter if its bounds are invalid."""
        rect = raw.FS_RECTF()
        if not raw.FPDF_GetPageBoundingBox(page, rect):
            rect.left, rect.bottom, rect.right, rect.top = 0, 0, 612, 792
        edges = (rect.left, rect.bottom, rect.right, rect.top)
        if not all(map(math.isfinite, edges)) or rect.right <= rect.left or rect.top <= rect.bottom:
            edges = (0.0, 0.0, 612.0, 792.0)
        return cls(*edges, max(raw.FPDFPage_GetRotation(page), 0) % 4)

    @property
    def width(self) -> float:
        """Width as displayed, in points."""
        return self.right - self.left if self.rotation % 2 == 0 else self.top - self.bottom

    @property
    def height(self) -> float:
        """Height as displayed, in points."""
        return self.top - self.bottom if self.rotation % 2 == 0 else self.right - self.left

    def boxes(self, raw_boxes: Float32) -> Float32:
        """Return boxes in PDF coordinates as displayed, with their edges in order."""
        signs, offsets = (
            ((1, -1), (-self.left, self.top)),
            ((1, 1), (-self.bottom, -self.left)),
            ((-1, 1), (self.right, -self.bottom)),
            ((-1, -1), (self.top, self.right)),
        )[self.rotation]
        turned = raw_boxes if self.rotation % 2 == 0 else raw_boxes[:, [1, 0, 3, 2]]
        exact = turned * np.array(signs * 2, dtype=np.float64) + np.array(offsets * 2, dtype=np.float64)
        if not np.isfinite(exact).all():
            exact = np.nan_to_num(exact, nan=-1e6, posinf=1e6, neginf=-1e6)
        np.minimum(np.maximum(exact, -1e6, out=exact), 1e6, out=exact)
        result = np.empty(exact.shape, dtype=np.float32)
        np.minimum(exact[:, :2], exact[:, 2:], out=result[:, :2])
        np.maximum(exact[:, :2], exact[:, 2:], out=result[:, 2:])
        return result
