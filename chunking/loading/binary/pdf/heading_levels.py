"""The levels of headings: by the outline, by their numbers, and by how they look."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from chunking.loading.binary.pdf.blocks import BlockDraft
from chunking.loading.binary.pdf.title_numbers import NUMBERING

LEVELS = 6
"""Number of levels by type; numbers and outlines may be deeper."""

MAX_TITLES = 2
"""Levels that headings above all numbered ones may take."""

PROSE = 200
"""Characters that a block needs for its page not to be a cover."""


def set_heading_levels(drafts: Sequence[BlockDraft]) -> None:
    """Set the levels of the headings.

    A heading in the outline is as deep as its entry, a numbered one as its number, both below the title of an article.
    Any other has the level of those that look like it, else one between those that look more and less important. The
    looks of a cover are not among them, so that its large type uses up no level.
    """
    headings = [draft for draft in drafts if draft.kind == "heading"]
    if not headings:
        return
    cover = cover_pages(drafts)
    on_cover = [draft.lines[0].page in cover for draft in headings]
    looks = [look_of(draft) for draft in headings]
    inside = {look for look, hidden in zip(looks, on_cover, strict=True) if not hidden}
    distinct = _merge_looks(inside or set(looks))
    rank_of = {
        look: min(range(len(distinct)), key=lambda rank: _difference(distinct[rank], look)) for look in set(looks)
    }
    ranks = [rank_of[look] for look in looks]
    anchors = _anchors(headings, ranks, on_cover)
    levels = _levels_of_ranks(ranks, anchors, len(distinct))
    for draft, rank, anchor in zip(headings, ranks, anchors, strict=True):
        draft.level = anchor or levels[rank]


def cover_pages(drafts: Sequence[BlockDraft]) -> set[int]:
    """Return the pages before the first and after the last page with a block of prose."""
    pages = [draft.lines[0].page for draft in drafts]
    prose = [
        page
        for page, draft in zip(pages, drafts, strict=True)
        if draft.kind != "heading" and sum(len(line.text) for line in draft.lines) >= PROSE
    ]
    return {page for page in pages if not prose[0] <= page <= prose[-1]} if prose else set()


# Looks --------------------------------------------------------------------------------------------------------------

Look = tuple[float, bool, bool]


def look_of(draft: BlockDraft) -> Look:
    """Return the font size in half points, and whether a heading is bold and in capitals."""
    lines = draft.lines
    size = max(round(2 * line.size) / 2 for line in lines)
    return size, all(line.bold for line in lines), draft.text.isupper()


def _merge_looks(looks: set[Look]) -> list[Look]:
    """Return looks from the largest to the smallest, without those within half a point of one before."""
    distinct: list[Look] = []
    for look in sorted(looks, reverse=True):
        if not any(other[1:] == look[1:] and abs(other[0] - look[0]) <= 0.5 for other in distinct):
            distinct.append(look)
    return distinct


def _difference(look: Look, other: Look) -> tuple[bool, float]:
    return look[1:] != other[1:], abs(look[0] - other[0])


def _levels_of_ranks(ranks: Sequence[int], anchors: Sequence[int], count: int) -> list[int]:
    """Return the level of each rank: that of most anchored headings, else one below the rank before.

    It stays above the levels of the ranks below that are anchored.
    """
    counters: list[Counter[int]] = [Counter() for _ in range(count)]
    for rank, anchor in zip(ranks, anchors, strict=True):
        if anchor:
            counters[rank][anchor] += 1
    usual = [counter.most_common(1)[0][0] if counter else 0 for counter in counters]
    least_below, limits = LEVELS + 1, [0] * count
    for rank in range(count - 1, -1, -1):
        limits[rank] = max(least_below - 1, 1)
        least_below = min(least_below, usual[rank] or least_below)
    levels: list[int] = []
    for rank in range(count):
        levels.append(usual[rank] or min((levels[-1] if levels else 0) + 1, limits[rank]))
    return levels


# Outline and numbers ------------------------------------------------------------------------------------------------


def _anchors(headings: Sequence[BlockDraft], ranks: Sequence[int], on_cover: Sequence[bool]) -> list[int]:
    """Return the level of each heading by the outline or its number; 0 without either."""
    depths = [draft.depth for draft in headings]
    matches = [NUMBERING.match(draft.text) for draft in headings]
    numbers = [match["number"].count(".") + 1 if match else 0 for match in matches]
    if not any(depths):
        base = _levels_above_numbers(numbers, ranks)
        return [base + number if number else 0 for number in numbers]
    shift = int(_has_title(depths, ranks, on_cover))
    levels = [depth + shift if depth else 0 for depth in depths]
    offsets = Counter(level - number for level, number in zip(levels, numbers, strict=True) if level and number)
    if not offsets:
        return levels
    offset = offsets.most_common(1)[0][0]
    return [level or (max(offset + number, 1) if number else 0) for level, number in zip(levels, numbers, strict=True)]


def _levels_above_numbers(numbers: Sequence[int], ranks: Sequence[int]) -> int:
    """Return how many levels the headings without a number have that look more important than the numbered ones."""
    numbered = Counter(rank for number, rank in zip(numbers, ranks, strict=True) if number == 1)
    if not numbered:
        return 0
    first = numbered.most_common(1)[0][0]
    above = {rank for number, rank in zip(numbers, ranks, strict=True) if not number and rank < first}
    return min(len(above), MAX_TITLES)


def _has_title(depths: Sequence[int], ranks: Sequence[int], on_cover: Sequence[bool]) -> bool:
    """Return whether the first heading is the title of an article: more important than all that the outline has."""
    most = min(rank for depth, rank in zip(depths, ranks, strict=True) if depth)
    above = [index for index, rank in enumerate(ranks) if rank < most and not depths[index]]
    return above == [0] and not on_cover[0]
