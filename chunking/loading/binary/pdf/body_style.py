"""The usual font size, look and distances of the text of a document."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from chunking.loading.binary.pdf.layout import Layout, Line

FEW_OUTSIDE = 0.5
"""Characters outside ruled tables up to which the text of a document may be that of its tables, as a share of those."""

_CharLook = tuple[float, bool, bool]
"""Font size in points, whether bold, whether monospaced."""


@dataclass(frozen=True)
class BodyStyle:
    """The usual sizes and distances in the document.

    Attributes:
        size: font size of most characters, in points.
        bold, mono: whether most characters are bold or monospaced.
        pitches: distance between base lines in points, by font size in half points.
        ratio: the same for the body, in font sizes.
    """

    size: float
    bold: bool
    mono: bool
    pitches: dict[int, float]
    ratio: float
    _pitch_cache: dict[float, float] = field(default_factory=dict, repr=False)

    def pitch(self, size: float) -> float:
        """Return the usual distance between the base lines of lines of a font size."""
        pitch = self._pitch_cache.get(size)
        if pitch is None:
            pitch = self._pitch_cache[size] = self.pitches.get(round(2 * size), self.ratio * size)
        return pitch


def measure_style(layout: Layout) -> BodyStyle:
    """Return the usual sizes and distances in a document.

    Where nearly all text is in ruled tables, and smaller than the little outside, that is titles rather than text.
    """
    lines = layout.lines
    lengths = Counter[_CharLook]()
    for line in lines:
        if line.table < 0:
            lengths[line.size, line.bold, line.mono] += len(line.text)
    bold, (size, mono) = _is_mostly_bold(lengths), _usual_size(lengths)
    in_tables = _table_looks(layout)
    if lengths.total() < FEW_OUTSIDE * in_tables.total():
        with_tables = lengths + in_tables
        size, mono = min((size, mono), _usual_size(with_tables))
        bold = bold and _is_mostly_bold(with_tables)
    pitches = _pitches(lines)
    ratio = pitches.get(size, 0.65 * size) / max(size / 2, 1)
    return BodyStyle(size / 2, bold, mono, pitches, ratio)


def _usual_size(lengths: Counter[_CharLook]) -> tuple[int, bool]:
    """Return the font size of most characters in half points, and whether most are monospaced."""
    sizes: Counter[int] = Counter()
    prose: Counter[int] = Counter()
    for (size, _, is_mono), n in lengths.items():
        sizes[round(2 * size)] += n
        if not is_mono:
            prose[round(2 * size)] += n
    total = sizes.total()
    # A manual may have more code than text.
    counts = prose if 5 * prose.total() > total else sizes
    size = counts.most_common(1)[0][0] if counts else 20
    return size, counts is sizes and 2 * prose.total() < total


def _is_mostly_bold(lengths: Counter[_CharLook]) -> bool:
    return 2 * sum(n for look, n in lengths.items() if look[1]) > lengths.total()


def _table_looks(layout: Layout) -> Counter[_CharLook]:
    """Return the number of characters of each look in ruled tables."""
    words = layout.words
    indices = [word for table in layout.ruled for row in table.rows for cell in row for word in cell]
    columns = (column[indices].tolist() for column in (np.round(2 * words.size) / 2, words.bold, words.mono))
    looks = Counter[_CharLook]()
    for index, look in zip(indices, zip(*columns, strict=True), strict=True):
        looks[look] += len(words.text[index])
    return looks


def _pitches(lines: Sequence[Line]) -> dict[int, float]:
    """Return the usual distance between the base lines of lines in points, by font size in half points."""
    steps: dict[int, Counter[int]] = {}
    for above, below in pairwise(lines):
        step = below.bottom - above.bottom
        is_next = above.region == below.region and 0.8 * below.size < step < 2.6 * below.size
        if is_next and round(2 * above.size) == round(2 * below.size):
            steps.setdefault(round(2 * below.size), Counter())[round(2 * step)] += 1
    return {key: _usual_step(counter) / 2 for key, counter in steps.items() if counter.total() >= 4}


def _usual_step(steps: Counter[int]) -> float:
    """Return the smallest step that is nearly as frequent as the most frequent: that of lines, not of paragraphs."""
    most = max(steps[step] + steps[step + 1] for step in steps)
    return float(
        min(step + (steps[step + 1] > steps[step]) for step in steps if 2 * (steps[step] + steps[step + 1]) > most)
    )
