"""What is drawn on a page beside its text: ruling lines, small shapes that may be bullets, figures, images."""

from __future__ import annotations

import ctypes
from collections import deque
from collections.abc import Callable, Iterator
from itertools import repeat
from typing import Any, NamedTuple

import numpy as np

from chunking.loading.binary.pdf.pdfium import Frame, library, reference_to
from chunking.loading.binary.pdf.pdfium.figures import find_figures
from chunking.runtime.arrays import Bools, Float32, Int32, UInt64

MAX_OBJECTS = 50_000
"""Limit of the objects of a page; those of a page with more are not examined."""

MAX_PATHS = 4000
"""Limit of the paths of a page that are examined for the rules of a table; a page with more is a drawing."""

MAX_SEGMENTS = 5000
"""Limit of the segments of the paths of a page that are examined."""

MAX_MARKS = 200
"""Limit of the small shapes of a page that may be bullets; if there are more, they are a drawing."""

MARK_SIZES = (1.0, 9.0)
"""Least and greatest width and height of a drawn bullet, in points."""

MAX_THIN = 2.5
"""Thickness up to which a path is a line, in points; what is shorter is none."""

MAX_THICK = 4.5
"""Thickness up to which a path is a line if it is much longer."""

THICK_RATIO = 6.0
"""Least length of a thick line, as a multiple of its thickness."""

NO_BOXES: Float32 = np.zeros((0, 4), dtype=np.float32)


class Drawings(NamedTuple):
    """The drawings of a page, as boxes.

    Attributes:
        edges: ``(n_edges, 4)`` float32, ruling lines, horizontal or vertical; none unless they are required.
        marks: ``(n_marks, 4)`` float32, small round or square shapes, which may be bullets.
        figures: ``(n_figures, 4)`` float32, areas of drawings that are more than rules and rectangles.
    """

    edges: Float32 = NO_BOXES
    marks: Float32 = NO_BOXES
    figures: Float32 = NO_BOXES

    def map(self, function: Callable[[Float32], Float32]) -> Drawings:
        """Return the drawings with a function applied to the boxes of each kind."""
        return Drawings(*map(function, self))


_RECTANGLE = 5
"""Segments up to which a path is a line or a rectangle, so that its bounds describe it completely."""


def has_image(page: Any) -> bool:
    """Return whether a page has an image, or a form that may contain one."""
    _, raw, calls = library()
    kinds = (raw.FPDF_PAGEOBJ_IMAGE, raw.FPDF_PAGEOBJ_FORM)
    return any(kind in kinds for kind in map(calls.kind, _objects(page)))


def _objects(page: Any) -> list[int]:
    """Return the handles of the objects of a page; none if there are too many."""
    _, raw, calls = library()
    count = raw.FPDFPage_CountObjects(page)
    if not 0 < count <= MAX_OBJECTS:
        return []
    return list(map(calls.object, repeat(reference_to(page.raw)), range(count)))


def read_drawings(page: Any, frame: Frame, texts: UInt64, ruled: bool) -> Drawings:
    """Return the drawings of a page.

    Args:
        page: a ``pypdfium2.PdfPage``.
        frame: the frame of the page.
        texts: handles of objects that are known to be text.
        ruled: whether ruling lines are required: thin paths, and the sides of stroked rectangles.
    """
    _, raw, calls = library()
    text_handles = set(texts.tolist())
    others = [handle for handle in _objects(page) if handle and handle not in text_handles]
    path = raw.FPDF_PAGEOBJ_PATH
    paths = [handle for handle, kind in zip(others, map(calls.kind, others), strict=True) if kind == path]
    if not paths:
        return Drawings()
    sample = paths[:: -(-len(paths) // MAX_PATHS)]
    boxes = _bounds(sample, frame)
    segments = np.fromiter(map(calls.segments, sample), np.int32, len(sample))
    figures = find_figures(boxes, segments, frame.width, frame.height)
    if len(sample) < len(paths):
        return Drawings(figures=figures)
    small = _are_marks(boxes)
    marks = boxes[small] if np.count_nonzero(small) <= MAX_MARKS else NO_BOXES
    edges = _edges(paths, boxes, segments, small, frame) if ruled else NO_BOXES
    return Drawings(edges, marks, figures)


def _bounds(paths: list[int], frame: Frame) -> Float32:
    """Return the boxes of paths as shown."""
    bounds = np.zeros((len(paths), 4), dtype=np.float32)
    begin, end = bounds.ctypes.data, bounds.ctypes.data + bounds.nbytes
    corners = [range(begin + 4 * column, end, 16) for column in range(4)]
    deque(map(library()[2].bounds, paths, *corners), maxlen=0)
    # PDFium gives left, bottom, right, top.
    return frame.boxes(bounds[:, [0, 3, 2, 1]])


def _edges(paths: list[int], boxes: Float32, segments: Int32, small: Bools, frame: Frame) -> Float32:
    """Return the ruling lines that paths draw."""
    _, raw, calls = library()
    modes = np.zeros((len(paths), 2), dtype=np.int32)
    begin, end = modes.ctypes.data, modes.ctypes.data + modes.nbytes
    fields = [range(begin + 4 * column, end, 8) for column in range(2)]
    deque(map(calls.draw_mode, paths, *fields), maxlen=0)
    stroked = (modes[:, 1] != 0) & ~small
    lines: list[tuple[float, float, float, float]] = []
    remaining = MAX_SEGMENTS
    keeps_box = np.ones(len(paths), dtype=np.bool_)
    for index in np.flatnonzero(stroked & (segments > _RECTANGLE)).tolist():
        count = int(segments[index])
        if count <= remaining:
            remaining -= count
            keeps_box[index] = False
            lines.extend(_lines(ctypes.cast(paths[index], raw.FPDF_PAGEOBJECT), count))
    drawn = _straight_lines(frame.boxes(np.array(lines, dtype=np.float32).reshape(-1, 4)))
    return np.concatenate((_sides(boxes[keeps_box], stroked[keeps_box]), drawn))


def _lines(path: Any, segments: int) -> Iterator[tuple[float, float, float, float]]:
    """Yield the straight lines of a path, each from one point to another, in the page's own coordinates."""
    _, raw, _ = library()
    matrix = raw.FS_MATRIX()
    if not raw.FPDFPageObj_GetMatrix(path, matrix):
        return
    x, y = ctypes.c_float(), ctypes.c_float()
    last: tuple[float, float] | None = None
    for number in range(segments):
        segment = raw.FPDFPath_GetPathSegment(path, number)
        if not raw.FPDFPathSegment_GetPoint(segment, x, y):
            continue
        point = (
            matrix.a * x.value + matrix.c * y.value + matrix.e,
            matrix.b * x.value + matrix.d * y.value + matrix.f,
        )
        if last and raw.FPDFPathSegment_GetType(segment) == raw.FPDF_SEGMENT_LINETO:
            yield (*last, *point)
        last = point


def _straight_lines(lines: Float32) -> Float32:
    """Return the lines that are horizontal or vertical."""
    wide, high = lines[:, 2] - lines[:, 0], lines[:, 3] - lines[:, 1]
    straight: Float32 = lines[(np.minimum(wide, high) < 0.5) & (np.maximum(wide, high) > MAX_THIN)]
    return straight


def _are_marks(boxes: Float32) -> Bools:
    """Return whether each box is as small as a bullet, and as wide as high."""
    wide, high = boxes[:, 2] - boxes[:, 0], boxes[:, 3] - boxes[:, 1]
    least, most = MARK_SIZES
    within = (np.minimum(wide, high) >= least) & (np.maximum(wide, high) <= most)
    marks: Bools = within & (np.abs(wide - high) < 0.3 * high)
    return marks


def _are_thin(thickness: Float32, length: Float32) -> Bools:
    """Return whether boxes are lines: thin, or thick and much longer."""
    is_thick = (thickness < MAX_THICK) & (length > THICK_RATIO * thickness)
    lines: Bools = (length >= MAX_THIN) & ((thickness < MAX_THIN) | is_thick)
    return lines


def _sides(boxes: Float32, stroked: Bools) -> Float32:
    """Return the lines that paths draw, by their boxes: thin ones are lines, large stroked ones four sides."""
    wide, high = boxes[:, 2] - boxes[:, 0], boxes[:, 3] - boxes[:, 1]
    flat, upright = _are_thin(high, wide), _are_thin(wide, high)
    lying, standing = boxes[flat], boxes[upright]
    lying[:, 1] = lying[:, 3] = (lying[:, 1] + lying[:, 3]) / 2
    standing[:, 0] = standing[:, 2] = (standing[:, 0] + standing[:, 2]) / 2
    framed = boxes[stroked & (wide >= MAX_THIN) & (high >= MAX_THIN)]
    around = framed[:, [0, 1, 2, 1, 0, 3, 2, 3, 0, 1, 0, 3, 2, 1, 2, 3]].reshape(-1, 4)
    return np.concatenate((lying, standing, around))


def are_side_by_side(boxes: Float32, sizes: Float32) -> bool:
    """Return whether consecutive words are on one line with a gap between, like cells of a table."""
    if len(boxes) < 4:
        return False
    before, after = boxes[:-1], boxes[1:]
    gap = after[:, 0] - before[:, 2]
    level = np.minimum(before[:, 3], after[:, 3]) - np.maximum(before[:, 1], after[:, 1])
    below = after[:, 1] - before[:, 1]
    # A cell's lines may come before the next cell, so a step up and to the right counts as well.
    side = (gap > sizes[1:]) & ((level > 0) | (below < 0))
    return int(np.count_nonzero(side)) >= 2
