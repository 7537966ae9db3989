"""Labels in figures: lines in larger or bold type that are no headings."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from chunking.loading.binary.pdf.blocks import BlockDraft
from chunking.runtime.arrays import Float32

MIN_LABELS = 4
"""Blocks in a figure from which they are labels."""

MAX_LABEL = 160
"""Characters that a label may have; what has more is text in a frame."""


def find_labels(drafts: Sequence[BlockDraft], figures: Sequence[Float32]) -> set[int]:
    """Return the drafts that are labels in a figure; neither a title above the others nor text in a frame.

    Args:
        drafts: of the document, in reading order.
        figures: of each page, ``(n, 4)`` float32, the boxes of its figures.
    """
    on_page: dict[int, list[int]] = {}
    for number, draft in enumerate(drafts):
        if len(figures[draft.lines[0].page]):
            on_page.setdefault(draft.lines[0].page, []).append(number)
    labels: set[int] = set()
    for page, numbers in on_page.items():
        boxes = np.array([_box(drafts[number]) for number in numbers])
        middles = (boxes[:, :2] + boxes[:, 2:]) / 2
        for box in figures[page]:
            is_inside = ((middles >= box[:2]) & (middles <= box[2:])).all(axis=1)
            inside = [numbers[index] for index in np.flatnonzero(is_inside).tolist()]
            if len(inside) >= MIN_LABELS and all(_may_be_label(drafts[number]) for number in inside):
                labels.update(inside[_has_title(drafts, inside) :])
    return labels


def _box(draft: BlockDraft) -> tuple[float, float, float, float]:
    left, right = min(line.left for line in draft.lines), max(line.right for line in draft.lines)
    return left, draft.lines[0].top, right, draft.lines[-1].bottom


def _may_be_label(draft: BlockDraft) -> bool:
    return draft.layout != "ruled" and sum(len(line.text) for line in draft.lines) <= MAX_LABEL


def _has_title(drafts: Sequence[BlockDraft], inside: Sequence[int]) -> bool:
    """Return whether the first of some drafts is larger than all others."""
    first, *others = (max(line.size for line in drafts[number].lines) for number in inside)
    return first > 1.08 * max(others)
