"""Where the text of a document stands on its pages, for the workbench."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from chunking.document import Aside
from chunking.document.pages import Pages
from chunking.runtime.arrays import Float64
from chunking.standalone.packing import whole

_PER_POINT = 10
"""Lengths are sent in tenths of a point."""


def pages_data(pages: Pages, asides: Sequence[Aside]) -> dict[str, Any]:
    """Return the pages of a document, see ``page_sheets.js``.

    Args:
        pages: where its words are.
        asides: what is in no chunk.
    """
    begins = np.flatnonzero(np.diff(pages.line, prepend=-1) | np.diff(pages.page, prepend=-1))
    left, top, right, bottom = pages.boxes.astype(np.float64).T
    return {
        "sizes": whole(_tenths(pages.sizes.astype(np.float64)).ravel()),
        "lines": {
            "words": whole(begins),
            "page": whole(pages.page[begins]),
            "top": whole(_tenths(np.minimum.reduceat(top, begins)) if len(begins) else []),
            "bottom": whole(_tenths(np.maximum.reduceat(bottom, begins)) if len(begins) else []),
        },
        "words": {
            "start": whole(pages.words[:, 0]),
            "end": whole(pages.words[:, 1]),
            "left": whole(_tenths(left)),
            "right": whole(_tenths(right)),
        },
        "asides": [
            {"page": aside.part, "kind": aside.kind, "box": _tenths(np.array(aside.box)).tolist()}
            for aside in asides
            if aside.box
        ],
    }


def _tenths(lengths: Float64) -> Any:
    return np.round(lengths * _PER_POINT).astype(np.int64)
