"""How the letters of a font are drawn, for fonts whose names and flags do not say it: bold, or all as wide."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Iterator, Mapping
from statistics import median
from typing import Any

LETTERS, NARROW, WIDE = "lTnaeosdiErtIuARNS", "itl", "ndoeasu"
"""The letters that are measured, in this order, those of them that the font has."""

LEAST, ENOUGH = 3, 8
"""Letters that a font needs to be judged, and number of those that are measured."""

MAX_SEGMENTS = 400
"""Segments that the outline of a letter may have; one with more is not measured."""

BOLD_SERIF, BOLD_SANS = 0.080, 0.100
"""Area of the letters of bold fonts by the length of their edges, in ems; fonts without serifs have thicker strokes."""

_CORNERS = {"I": 5, "l": 5, "T": 9, "E": 13}
"""Points that letters without serifs may have."""

_Contour = tuple[tuple[float, float], ...]
_Outline = tuple[_Contour, ...]


def draws_bold(raw: Any, font: Any) -> bool:
    """Return whether a font draws its letters with thick strokes; false if it has too few of them.

    Args:
        raw: PDFium's functions.
        font: a ``FPDF_FONT``.
    """
    outlines = _outlines(raw, font, LETTERS, ENOUGH)
    if len(outlines) < LEAST:
        return False
    thickness = median(map(_stroke_width, outlines.values()))
    return thickness > (BOLD_SERIF if _has_serifs(outlines) else BOLD_SANS)


def draws_monospaced(raw: Any, font: Any) -> bool:
    """Return whether a narrow and a wide letter, both of which a font has, are as wide."""
    widths = [letter_width(raw, font, letter) for letter in "in"]
    if not min(widths) > 0 or max(widths) > 1.02 * min(widths):
        return False
    narrow, wide = (set(_outlines(raw, font, letters, 2).values()) for letters in (NARROW, WIDE))
    return len(narrow | wide) >= LEAST


def letter_width(raw: Any, font: Any, letter: str) -> float:
    """Return the width of a letter in ems; 0 if the font does not say it."""
    width = ctypes.c_float()
    raw.FPDFFont_GetGlyphWidth(font, ord(letter), 1, width)
    return width.value


def _outlines(raw: Any, font: Any, letters: str, enough: int) -> dict[str, _Outline]:
    """Return the outlines of the first letters that a font has, up to a number that is enough."""
    outlines: dict[str, _Outline] = {}
    for letter in letters:
        if len(outlines) == enough:
            break
        # A font draws the same sign for all letters that it lacks.
        outline = tuple(_contours(raw, font, letter))
        if outline and outline not in outlines.values():
            outlines[letter] = outline
    return outlines


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
