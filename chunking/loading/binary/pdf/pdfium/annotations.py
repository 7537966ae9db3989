"""Form values, text and comments that are added to a page and are not part of its content."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from chunking.loading.binary.pdf.pdfium import REPLACEMENTS, Frame, library
from chunking.runtime.arrays import Float32

MAX_ANNOTATIONS = 2000
"""Limit of the annotations of a page that are examined."""

MAX_TEXT = 20_000
"""Limit of the UTF-16 units of an annotation's text."""


class Annotation(NamedTuple):
    """A text that is added to a page.

    Attributes:
        text: its text.
        box: left, top, right, bottom as displayed, in points.
    """

    text: str
    box: tuple[float, float, float, float]


@dataclass(frozen=True)
class Annotations:
    """What is added to a page.

    Attributes:
        drawn: whether some have an appearance that draws text on the page.
        undrawn: form values and texts on the page whose appearance each reader has to make.
        comments: remarks about the page, such as notes and those of highlighted text.
    """

    drawn: bool
    undrawn: tuple[Annotation, ...]
    comments: tuple[Annotation, ...]


NO_ANNOTATIONS = Annotations(False, (), ())


def read_annotations(page: Any, frame: Frame) -> Annotations:
    """Return the annotations of a page that have text."""
    _, raw, _ = library()
    count = min(raw.FPDFPage_GetAnnotCount(page), MAX_ANNOTATIONS)
    if count <= 0:
        return NO_ANNOTATIONS
    on_page = (raw.FPDF_ANNOT_FREETEXT, raw.FPDF_ANNOT_WIDGET, raw.FPDF_ANNOT_STAMP)
    about_page = (
        raw.FPDF_ANNOT_TEXT,
        raw.FPDF_ANNOT_HIGHLIGHT,
        raw.FPDF_ANNOT_UNDERLINE,
        raw.FPDF_ANNOT_SQUIGGLY,
        raw.FPDF_ANNOT_STRIKEOUT,
    )
    drawn = False
    undrawn: list[Annotation] = []
    comments: list[Annotation] = []
    for handle in _handles(page, raw, count):
        kind = raw.FPDFAnnot_GetSubtype(handle)
        if raw.FPDFAnnot_GetFlags(handle) & (raw.FPDF_ANNOT_FLAG_HIDDEN | raw.FPDF_ANNOT_FLAG_NOVIEW):
            continue
        if kind in on_page and raw.FPDFAnnot_HasKey(handle, b"AP"):
            drawn = True
        elif kind in on_page or kind in about_page:
            text = _value(handle, raw) if kind == raw.FPDF_ANNOT_WIDGET else _text(handle, raw, b"Contents")
            if text:
                texts = undrawn if kind in on_page else comments
                texts.append(Annotation(text, _box(handle, raw, frame)))
    return Annotations(drawn, tuple(undrawn), tuple(comments))


def draw(page: Any) -> bool:
    """Make the appearances of the annotations content of the page, which must be loaded again to show it.

    Only the document in memory changes.
    """
    _, raw, _ = library()
    return bool(raw.FPDFPage_Flatten(page, raw.FLAT_NORMALDISPLAY) == raw.FLATTEN_SUCCESS)


def lay_out(annotation: Annotation) -> Iterator[tuple[str, tuple[float, float, float, float], float]]:
    """Yield the words of an annotation without an appearance, each with a box inside that of the annotation and a font
    size.
    """
    left, top, right, bottom = annotation.box
    lines = [line.split() for line in annotation.text.splitlines() if line.strip()]
    step = min((bottom - top) / max(len(lines), 1), 14.0)
    size = max(step / 1.2, 1.0)
    for number, words in enumerate(lines):
        chars = sum(map(len, words)) + len(words)
        width = min(0.5 * size, (right - left) / max(chars, 1))
        begin = left
        for word in words:
            end = begin + width * len(word)
            yield word, (begin, top + number * step, end, top + (number + 1) * step), size
            begin = end + width


def _handles(page: Any, raw: Any, count: int) -> Iterator[Any]:
    for number in range(count):
        handle = raw.FPDFPage_GetAnnot(page, number)
        if handle:
            try:
                yield handle
            finally:
                raw.FPDFPage_CloseAnnot(handle)


def _value(handle: Any, raw: Any) -> str:
    """Return the value of a form field that is written or chosen; empty for buttons and signatures."""
    return _text(handle, raw, b"V") if _text(handle, raw, b"FT") in ("Tx", "Ch") else ""


def _text(handle: Any, raw: Any, key: bytes) -> str:
    buffer = (ctypes.c_ushort * MAX_TEXT)()
    length = raw.FPDFAnnot_GetStringValue(handle, key, buffer, ctypes.sizeof(buffer))
    if not 2 < length <= ctypes.sizeof(buffer):
        return ""
    text = bytes(buffer)[: length - 2].decode("utf-16-le", "replace").replace("\r", "\n")
    return "\n".join(line.translate(REPLACEMENTS).strip() for line in text.splitlines()).strip()


def _box(handle: Any, raw: Any, frame: Frame) -> tuple[float, float, float, float]:
    rect = raw.FS_RECTF()
    raw.FPDFAnnot_GetRect(handle, rect)
    boxes: Float32 = np.array([[rect.left, rect.top, rect.right, rect.bottom]], dtype=np.float32)
    left, top, right, bottom = frame.boxes(boxes)[0].tolist()
    return left, top, right, bottom
