"""Size limits: merging chunks that are too small and splitting those that are too large.

A document's text is seen as *atoms*, the runs between neighbouring places where a cut may fall (for most strategies
the gaps between sentences). Limits move no cut: they take cuts away or add some, and each change is reported.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from chunking.tokens import SpanTokens, TokenCounter


def merge_small(
    edges: Sequence[int], strength: npt.NDArray[np.float64], tokens: SpanTokens, minimum: int, maximum: int
) -> list[int]:
    """Take away cuts, the weakest first, until no chunk is below the minimum.

    One pass in ascending order of strength is enough: chunks only grow, so a cut that was kept because both its sides
    were large enough, or would have exceeded the maximum together, never has to be looked at again.

    Args:
        edges: the cuts, ascending; edge ``e`` lies between atom ``e`` and ``e + 1``.
        strength: ``(n_atoms − 1,)`` how strongly each edge speaks for a cut.
        tokens: counts of atoms.
        minimum: tokens a chunk must have.
        maximum: tokens a merged chunk may have; 0 for no limit.

    Returns:
        The cuts that remain, ascending.
    """
    bounds = [-1, *edges, len(tokens.cuts) - 2]
    before = {edge: place for place, edge in enumerate(bounds)}
    previous = list(range(-1, len(bounds) - 1))
    following = list(range(1, len(bounds) + 1))
    kept = set(edges)
    sizes = tokens.span_counts(np.array(bounds[:-1]) + 1, np.array(bounds[1:]) + 1).tolist()
    # sizes[k] is the chunk that ends at bounds[k + 1]; merging makes the right-hand chunk the larger one.
    size_before = {place + 1: size for place, size in enumerate(sizes)}
    for edge in sorted(edges, key=lambda edge: (strength[edge], edge)):
        place = before[edge]
        left, right = previous[place], following[place]
        if size_before[place] >= minimum and size_before[right] >= minimum:
            continue
        merged = int(tokens.span_counts(np.array([bounds[left] + 1]), np.array([bounds[right] + 1]))[0])
        if maximum and merged > maximum:
            continue
        kept.remove(edge)
        following[left], previous[right] = right, left
        size_before[right] = merged
    return sorted(kept)


def split_large(
    edges: Sequence[int],
    strength: npt.NDArray[np.float64],
    tokens: SpanTokens,
    minimum: int,
    maximum: int,
) -> list[int]:
    """Add cuts until no chunk of several atoms exceeds the maximum.

    From the start of an oversized chunk, the furthest edge that fits is found; among the edges of the last half
    before it the strongest is cut, one that leaves the rest at least ``minimum`` where there is one.

    Returns:
        The added cuts, ascending. A single atom over the maximum is left for :func:`split_atom`.
    """
    bounds = np.array([-1, *edges, len(tokens.cuts) - 2])
    sizes = tokens.span_counts(bounds[:-1] + 1, bounds[1:] + 1)
    added: list[int] = []
    for chunk in np.flatnonzero(sizes > maximum).tolist():
        first, last = int(bounds[chunk]) + 1, int(bounds[chunk + 1]) + 1
        while last - first > 1 and _count(tokens, first, last) > maximum:
            cut = _best_edge(first, last, strength, tokens, minimum, maximum)
            added.append(cut)
            first = cut + 1
    return added


def _count(tokens: SpanTokens, first: int, last: int) -> int:
    return int(tokens.span_counts(np.array([first]), np.array([last]))[0])


def _best_edge(
    first: int, last: int, strength: npt.NDArray[np.float64], tokens: SpanTokens, minimum: int, maximum: int
) -> int:
    # No atom is empty, so a run of more atoms than the maximum cannot fit and need not be counted.
    stops = np.arange(first + 1, min(last, first + maximum + 1))
    sizes = tokens.span_counts(np.full(len(stops), first), stops)
    fits = np.flatnonzero(sizes <= maximum)
    if not len(fits):
        return first
    furthest = int(fits[-1])
    late = np.flatnonzero((sizes[: furthest + 1] >= sizes[furthest] / 2) & (sizes[: furthest + 1] <= maximum))
    if minimum:
        rest = tokens.span_counts(stops[late], np.full(len(late), last))
        late = late[rest >= minimum] if (rest >= minimum).any() else late
    candidates = stops[late] - 1
    return int(candidates[int(np.argmax(strength[candidates]))])


_CLAUSE = re.compile(r"[;:,，；：、]\s*|\n+")
_WORD = re.compile(r"\s+")


def split_atom(text: str, counter: TokenCounter, maximum: int) -> list[int]:
    """Cut one oversized atom: at line ends and clause marks, else between words, else anywhere.

    Args:
        text: the atom's text.
        counter: token counter.
        maximum: tokens a piece may have, at least 1.

    Returns:
        Offsets within ``text``, ascending, such that each piece has at most ``maximum`` tokens (a single character
        that has more stays whole, since nothing smaller is a span of the text).
    """
    cuts: list[int] = []
    start = 0
    while start < len(text):
        stop = _furthest(text, start, counter, maximum)
        if stop >= len(text):
            break
        cut = _last_match(_CLAUSE, text, start, stop) or _last_match(_WORD, text, start, stop) or stop
        cuts.append(cut)
        start = cut
    return cuts


def _furthest(text: str, start: int, counter: TokenCounter, maximum: int) -> int:
    """The largest stop found by bisection such that ``text[start:stop]`` fits; at least one character further."""
    low, high = start + 1, min(len(text), start + 16 * maximum + 16)
    while high < len(text) and _fits(text[start:high], counter, maximum):
        low, high = high, min(len(text), start + 2 * (high - start))
    if _fits(text[start:high], counter, maximum):
        return high
    while high - low > 1:
        middle = (low + high) // 2
        if _fits(text[start:middle], counter, maximum):
            low = middle
        else:
            high = middle
    return low


def _fits(text: str, counter: TokenCounter, maximum: int) -> bool:
    return int(counter.count([text])[0]) <= maximum


def _last_match(pattern: re.Pattern[str], text: str, start: int, stop: int) -> int | None:
    """End of the last match that ends in the later half of the stretch, so that pieces do not get tiny."""
    ends = [match.end() for match in pattern.finditer(text, start + (stop - start) // 2, stop)]
    return ends[-1] if ends and ends[-1] > start else None
