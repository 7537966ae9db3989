"""Whether a font draws bold letters, for fonts whose names do not say it: the outlines of some letters are measured."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Iterator
from statistics import median
from typing import Any

LETTERS = "aednorstiulEAIRTNS"
"""The letters measured, those of them that the font has."""

LEAST = 3
"""Letters that a font needs to be judged."""

MAX_SEGMENTS = 400
"""Segments that the outline of a letter may have; one with more is not measured."""

BOLD_SERIF, BOLD_SANS = 0.080, 0.100
"""Area of the letters of bold fonts by the length of their edges, in ems; fonts without serifs have thicker strokes."""

_CORNERS = {"I": 5, "l": 5, "T": 9, "E": 13}
"""Points that letters without serifs may have."""


def draws_bold(raw: Any, font: Any) -> bool:
    """Return whether a font draws its letters with thick strokes; false if it has too few of them.

    Args:
        raw: PDFium's functions.
        font: a ``FPDF_FONT``.
    """
    outlines = {letter: list(_outline(raw, font, letter)) for letter in LETTERS}
    # A font without a letter draws the same sign for all that it lacks.
    distinct = {tuple(outline): outline for outline in outlines.values() if outline}
    if len(distinct) < LEAST:
        return False
    thickness = median(map(_stroke_width, distinct.values()))
    present = [letter for letter in _CORNERS if outlines[letter]]
    has_serifs = bool(present) and all(sum(map(len, outlines[letter])) > _CORNERS[letter] for letter in present)
    return thickness > (BOLD_SERIF if has_serifs else BOLD_SANS)


_Contour = tuple[tuple[float, float], ...]


def _outline(raw: Any, font: Any, letter: str) -> Iterator[_Contour]:
    """Yield the closed lines that a letter is drawn with, in ems; curves by their control points."""
    glyph = raw.FPDFFont_GetGlyphPath(font, ord(letter), ctypes.c_float(1))
    count = raw.FPDFGlyphPath_CountGlyphSegments(glyph) if glyph else 0
    if not 0 < count <= MAX_SEGMENTS:
        return
    x, y = ctypes.c_float(), ctypes.c_float()
    points: list[tuple[float, float]] = []
    for number in range(count):
        segment = raw.FPDFGlyphPath_GetGlyphPathSegment(glyph, number)
        if raw.FPDFPathSegment_GetType(segment) == raw.FPDF_SEGMENT_MOVETO and points:
            yield tuple(points)
            points = []
        if raw.FPDFPathSegment_GetPoint(segment, x, y):
            points.append((x.value, y.value))
    if points:
        yield tuple(points)


def _stroke_width(outline: list[_Contour]) -> float:
    """Return the area of a letter divided by the length of its edge: half the width of a long stroke."""
    area = edge = 0.0
    for contour in outline:
        for (x, y), (next_x, next_y) in zip(contour, (*contour[1:], contour[0]), strict=True):
            area += x * next_y - next_x * y
            edge += math.dist((x, y), (next_x, next_y))
    return abs(area) / edge if edge else 0.0
