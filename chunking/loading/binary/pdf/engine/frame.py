"""The mapping of a page's own coordinates to those displayed."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from chunking.runtime.arrays import Float32


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

    def boxes(self, own: Float32) -> Float32:
        """Return boxes in PDF coordinates as displayed, with their edges in order."""
        signs, offsets = (
            ((1, -1), (-self.left, self.top)),
            ((1, 1), (-self.bottom, -self.left)),
            ((-1, 1), (self.right, -self.bottom)),
            ((-1, -1), (self.top, self.right)),
        )[self.rotation]
        turned = own if self.rotation % 2 == 0 else own[:, [1, 0, 3, 2]]
        exact = turned * np.array(signs * 2, dtype=np.float64) + np.array(offsets * 2, dtype=np.float64)
        if not np.isfinite(exact).all():
            exact = np.nan_to_num(exact, nan=-1e6, posinf=1e6, neginf=-1e6)
        np.minimum(np.maximum(exact, -1e6, out=exact), 1e6, out=exact)
        shown = np.empty(exact.shape, dtype=np.float32)
        np.minimum(exact[:, :2], exact[:, 2:], out=shown[:, :2])
        np.maximum(exact[:, :2], exact[:, 2:], out=shown[:, 2:])
        return shown
