"""Grapheme clusters: what a reader takes for one character, such as a syllable of Korean jamo, a letter with its marks,
an emoji of several people, or the two characters of a line end.

They are those of Unicode (UAX #29), by the library regex.
"""

from __future__ import annotations

from functools import cache
from itertools import pairwise

import numpy as np
import regex

from chunking.runtime.arrays import Bools, Int64

LONGEST = 64
"""Characters of a cluster that stay together. Unicode knows no limit; the longest emoji have some ten, and a text for
streams has at most 30 marks in a row (UAX #15), so only a text that is made to be one cluster is divided."""

_CLUSTER = regex.compile(r"\X")
_JOINING = regex.compile(
    r"[\p{GCB=Extend}\p{GCB=ZWJ}\p{GCB=SpacingMark}\p{GCB=L}\p{GCB=V}\p{GCB=T}\p{GCB=Regional_Indicator}\p{GCB=Prepend}]"
)
"""Characters beside which a cluster may go on; between two others one ends, save for those of a line end."""

_FIRST_JOINING = 0x300
_PLANES = ((_FIRST_JOINING, 0x20000), (0xE0000, 0xE1000))
"""Where joining characters are; the planes between are ideographs or not assigned."""


@cache
def _is_joining() -> Bools:
    table = np.zeros(0x110000, dtype=np.bool_)
    for first, last in _PLANES:
        characters = "".join(map(chr, range(first, last)))
        table[[first + match.start() for match in _JOINING.finditer(characters)]] = True
    return table


def inside_clusters(text: str) -> Int64:
    """Return the offsets inside the grapheme clusters of a text, where nothing may be cut: ``(n,)`` int64, ascending.

    Beside the clusters these are the offsets inside pairs of surrogates. A cluster of more than :data:`LONGEST`
    characters is divided.
    """
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4")
    inside = np.zeros(len(codes) + 1, dtype=np.bool_)
    if not text.isascii() and codes.max() >= _FIRST_JOINING:
        _mark_joined(text, _is_joining()[codes], inside)
        inside[1:-1] |= (codes[:-1] >> 10 == 0x36) & (codes[1:] >> 10 == 0x37)
    if "\r\n" in text:
        inside[1:-1] |= (codes[:-1] == 0x0D) & (codes[1:] == 0x0A)
    return np.flatnonzero(inside)


def _mark_joined(text: str, is_joining: Bools, inside: Bools) -> None:
    """Mark the offsets inside clusters, in the stretches of a text that joining characters and their neighbours are."""
    near = is_joining.copy()
    near[1:] |= is_joining[:-1]
    near[:-1] |= is_joining[1:]
    edges = np.flatnonzero(np.diff(near, prepend=False, append=False)).tolist()
    for start, end in zip(edges[::2], edges[1::2], strict=True):
        starts = [match.start() for match in _CLUSTER.finditer(text, start, end)]
        inside[start + 1 : end] = True
        inside[starts] = False
        for first, last in pairwise([*starts, end]):
            if last - first > LONGEST:
                inside[first:last:LONGEST] = False


def cluster_starts(inside: Int64, offsets: Int64) -> Int64:
    """Return offsets moved back to the start of the cluster that they are inside of: ``(n,)`` int64.

    Args:
        inside: the offsets inside the clusters of the text, ascending.
        offsets: ``(n,)`` int64.
    """
    if not len(inside) or not len(offsets):
        return offsets
    # The offsets inside a cluster follow each other, and the one before the first of them is its start.
    first_of_cluster = np.flatnonzero(np.diff(inside, prepend=-1) != 1)
    positions = np.minimum(np.searchsorted(inside, offsets), len(inside) - 1)
    starts = inside[first_of_cluster[np.searchsorted(first_of_cluster, positions, side="right") - 1]] - 1
    return np.where(inside[positions] == offsets, starts, offsets)


def without_inner(offsets: Int64, inside: Int64) -> Int64:
    """Return the offsets that are not inside a cluster, see :func:`cluster_starts`."""
    return offsets[~np.isin(offsets, inside)] if len(inside) else offsets


def between_clusters(inside: Int64, start: int, stop: int) -> int:
    """Return the last offset up to ``stop`` that is not inside a cluster; where that is no later than ``start``, the
    first after it.

    Args:
        inside: the offsets inside the clusters of the text, ascending.
        start: where a piece starts, not inside a cluster.
        stop: where it may end, after ``start``.
    """
    (end,) = cluster_starts(inside, np.array([stop], dtype=np.int64)).tolist()
    if end > start:
        return int(end)
    index = int(np.searchsorted(inside, stop))
    while index < len(inside) and inside[index] == stop:
        index, stop = index + 1, stop + 1
    return stop
