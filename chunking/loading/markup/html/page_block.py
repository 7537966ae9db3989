"""A block of a page, with the origin of its characters."""

from __future__ import annotations

from dataclasses import dataclass

from chunking.document import BlockKind

Run = tuple[int, int, int, int]
"""Start and length in a text, start and length in the source."""


@dataclass(slots=True)
class PageBlock:
    """A block of a page, or excluded text.

    Attributes:
        kind: kind of the block.
        level, tags: as in :class:`chunking.document.Block`.
        text: its text; the first line of code keeps its indentation.
        runs: origin of the text.
        mark: what a browser displays before it: the number of an item.
        close: whether there is no blank line between it and the block before.
        aside: kind of excluded text; empty for a block.
        navigation: whether it is marked as navigation.
        bold: whether all its words are bold.
        is_title: as in :class:`chunking.document.Block`.
    """

    kind: BlockKind
    level: int
    tags: tuple[str, ...]
    text: str
    runs: list[Run]
    mark: str = ""
    close: bool = False
    aside: str = ""
    navigation: bool = False
    bold: bool = False
    is_title: bool = False


def runs_within(runs: list[Run], begin: int, end: int) -> list[Run]:
    """Return the runs of a part of a text."""
    if not runs or (begin <= 0 and runs[-1][0] + runs[-1][1] <= end):
        return runs
    inside = []
    for start, length, source, size in runs:
        left, right = max(start, begin), min(start + length, end)
        if left >= right:
            continue
        if length == size:
            source, size = source + left - start, right - left
        elif right - left == size:
            continue  # it would look like a character-by-character run
        inside.append((left - begin, right - left, source, size))
    return inside
