"""The usual font sizes and line distances of a document."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from chunking.loading.binary.pdf.rows import Row


@dataclass(frozen=True)
class Habits:
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
    _found: dict[float, float] = field(default_factory=dict, repr=False)

    def pitch(self, size: float) -> float:
        """Return the usual distance between the base lines of rows of a font size."""
        found = self._found.get(size)
        if found is None:
            found = self._found[size] = self.pitches.get(round(2 * size), self.ratio * size)
        return found


def usual(rows: Sequence[Row]) -> Habits:
    """Return the usual sizes and distances in a document."""
    lengths: dict[tuple[float, bool, bool], int] = {}
    for row in rows:
        look = row.size, row.bold, row.mono
        lengths[look] = lengths.get(look, 0) + len(row.text)
    sizes: Counter[int] = Counter()
    prose: Counter[int] = Counter()
    for (size, _, is_mono), n in lengths.items():
        sizes[round(2 * size)] += n
        if not is_mono:
            prose[round(2 * size)] += n
    total = sizes.total()
    bold = sum(n for look, n in lengths.items() if look[1])
    mono = sum(n for look, n in lengths.items() if look[2])
    # A manual may have more code than text.
    chosen = prose if 5 * prose.total() > total else sizes
    body = chosen.most_common(1)[0][0] if chosen else 20
    steps: dict[int, Counter[int]] = {}
    keys = {size: round(2 * size) for size, _, _ in lengths}
    for one, other in pairwise(rows):
        step = other.bottom - one.bottom
        near = one.region == other.region and 0.8 * other.size < step < 2.6 * other.size
        if near and keys[one.size] == keys[other.size]:
            steps.setdefault(keys[other.size], Counter())[round(2 * step)] += 1
    pitches = {key: _usual_step(counter) / 2 for key, counter in steps.items() if counter.total() >= 4}
    ratio = pitches.get(body, 0.65 * body) / max(body / 2, 1)
    return Habits(body / 2, 2 * bold > total, chosen is sizes and 2 * mono > total, pitches, ratio)


def _usual_step(steps: Counter[int]) -> float:
    """Return the smallest step that is nearly as frequent as the most frequent: that of lines, not of paragraphs."""
    most = max(steps[step] + steps[step + 1] for step in steps)
    return float(
        min(step + (steps[step + 1] > steps[step]) for step in steps if 2 * (steps[step] + steps[step + 1]) > most)
    )
