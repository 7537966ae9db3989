"""How the letters of a font are drawn, for fonts whose names and flags do not say it: bold, or all as wide."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Iterator, Mapping
from statistics import median
from typing import Any, NamedTuple

NARROW, WIDE = "tilI", "aednorsuEARTNS"
"""The letters that are measured, those of them that the font has."""

LEAST = 3
"""Letters that a font needs to be judged."""

MAX_SEGMENTS = 400
"""Segments that the outline of a letter may have; one with more is not measured."""

BOLD_SERIF, BOLD_SANS = 0.080, 0.100
"""Area of the letters of bold fonts by the length of their edges, in ems; fonts without serifs have thicker strokes."""

_CORNERS = {"I": 5, "l": 5, "T": 9, "E": 13}
"""Points that letters without serifs may have."""

_Contour = tuple[tuple[float, float], ...]
_Outline = tuple[_Contour, ...]


class LetterShapes(NamedTuple):
    """How a font draws its letters.

    Attributes:
        bold: with thick strokes.
        mono: all as wide.
    """

    bold: bool
    mono: bool


def measure_letters(raw: Any, font: Any) -> LetterShapes:
    """Return how a font draws its letters; neither bold nor monospaced if it has too few of them.

    Args:
        raw: PDFium's functions.
        font: a ``FPDF_FONT``.
    """
    outlines = {letter: outline for letter in NARROW + WIDE if (outline := tuple(_contours(raw, font, letter)))}
    # A font draws the same sign for all letters that it lacks.
    distinct = {outline: letter for letter, outline in outlines.items()}
    if len(distinct) < LEAST:
        return LetterShapes(False, False)
    thickness = median(map(_stroke_width, distinct))
    bold = thickness > (BOLD_SERIF if _has_serifs(outlines) else BOLD_SANS)
    return LetterShapes(bold, _are_as_wide(raw, font, "".join(distinct.values())))


def letter_width(raw: Any, font: Any, letter: str) -> float:
    """Return the width of a letter in ems; 0 if the font does not say it."""
    width = ctypes.c_float()
    raw.FPDFFont_GetGlyphWidth(font, ord(letter), 1, width)
    return width.value


def _are_as_wide(raw: Any, font: Any, letters: str) -> bool:
    """Return whether letters, narrow ones and wide ones among them, are as wide."""
    widths = [letter_width(raw, font, letter) for letter in letters]
    mixed = not set(letters).isdisjoint(NARROW) and not set(letters).isdisjoint(WIDE)
    return mixed and min(widths) > 0 and max(widths) < 1.02 * min(widths)


def _has_serifs(outlines: Mapping[str, _Outline]) -> bool:
    """Return whether none of the letters that are bars without serifs has so few corners."""
    corners = {letter: sum(map(len, outlines[letter])) for letter in _CORNERS if letter in outlines}
    return bool(corners) and all(count > _CORNERS[letter] for letter, count in corners.items())


def _contours(raw: Any, font: Any, letter: str) -> Iterator[_Contour]:
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


def _stroke_width(outline: _Outline) -> float:
    """Return the area of a letter divided by the length of its edge: half the width of a long stroke."""
    area = edge = 0.0
    for contour in outline:
        for (x, y), (next_x, next_y) in zip(contour, (*contour[1:], contour[0]), strict=True):
            area += x * next_y - next_x * y
            edge += math.dist((x, y), (next_x, next_y))
    return abs(area) / edge if edge else 0.0
