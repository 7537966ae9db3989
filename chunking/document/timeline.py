"""The times at which the blocks of subtitles and transcripts are spoken, read from the marks before their words."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from chunking.runtime.arrays import Bools, Int64
from chunking.runtime.patterns import compile_pattern

if TYPE_CHECKING:
    from chunking.document.document import Block

_TIME = compile_pattern(r"(?<![\d:./-])(?:(\d{1,4}):)?(\d{1,2}):(\d{2})(?:[.,](\d{1,3}))?(?![\d:])")
_DATED = compile_pattern(r"\d{1,4}[./-]\d{1,2}[./-]\d{1,4}|\d[ \u00a0\u202f]?[AaPp]\.?[Mm]\b")
_LONGEST_MARK = 300
"""Characters at the start of a block in which its times are looked for."""


@dataclass(frozen=True)
class Timeline:
    """The times of blocks, in seconds from the start of the recording.

    Attributes:
        starts, ends: half-open spans of the timed blocks, ascending.
        contents: start of the words of each, after its number and times.
        times: start and end time of each; the end is ``None`` if neither it nor a next time is given.
    """

    starts: tuple[int, ...]
    contents: tuple[int, ...]
    ends: tuple[int, ...]
    times: tuple[tuple[float, float | None], ...]

    def before_mark(self, offset: int) -> int:
        """Return the offset, or the start of the block if it is inside or right after the mark of one."""
        index = bisect_left(self.starts, offset) - 1
        return self.starts[index] if index >= 0 and offset <= self.contents[index] else offset

    def inside_marks(self, offsets: Int64) -> Bools:
        """Return ``(n,)`` bool: whether each offset is inside a mark, and not at its start or its end."""
        if not self.starts:
            return np.zeros(len(offsets), dtype=np.bool_)
        index = np.searchsorted(self.starts, offsets) - 1
        return (index >= 0) & (offsets < np.asarray(self.contents, dtype=np.int64)[index])

    def words_at(self, offset: int) -> int:
        """Return the start of the words of the timed block that begins at an offset; the offset if none does."""
        index = bisect_left(self.starts, offset)
        return self.contents[index] if index < len(self.starts) and self.starts[index] == offset else offset

    def first_content(self, start: int, end: int) -> int:
        """Return the start of the words of the first timed block that begins in a span; its start if none does."""
        index = bisect_left(self.starts, start)
        return self.contents[index] if index < len(self.starts) and self.contents[index] < end else start

    def between(self, start: int, end: int) -> tuple[float, float | None] | None:
        """Return when the text of a span begins and ends; ``None`` if no timed block is in it."""
        first, stop = bisect_right(self.ends, start), bisect_left(self.starts, end)
        return (self.times[first][0], self.times[stop - 1][1]) if first < stop else None


def timeline_of(text: str, blocks: Iterable[Block]) -> Timeline:
    """Return the timeline of blocks whose marks have times.

    A mark with a date or with *am* or *pm* has the time of a clock and not of a recording. So may marks without hours
    (``10:31``), unless the first is within the first minute.
    """
    timed: list[tuple[Block, list[re.Match[str]]]] = []
    for block in blocks:
        mark_end = min(block.content, block.start + _LONGEST_MARK)
        if mark_end > block.start and block.kind in ("paragraph", "speaker_turn"):
            matches = list(_TIME.finditer(text, block.start, mark_end))[:2]
            if len(matches) > 1 and text.startswith("][", matches[1].start() - 2):
                matches.pop()  # words that are sung twice
            if matches and not _DATED.search(text, block.start, mark_end):
                timed.append((block, matches))
    if not timed or (not _has_hours(timed[0][1][0]) and int(timed[0][1][0][2])):
        return Timeline((), (), (), ())
    begins = [_seconds(matches[0]) for _, matches in timed]
    following: list[float | None] = [*begins[1:], None]
    times = tuple(
        (begin, _seconds(matches[1]) if len(matches) > 1 else after)
        for begin, (_, matches), after in zip(begins, timed, following, strict=True)
    )
    starts, contents, ends = zip(*((block.start, block.content, block.end) for block, _ in timed), strict=True)
    return Timeline(starts, contents, ends, times)


def _has_hours(match: re.Match[str]) -> bool:
    return match[1] is not None or match[4] is not None


def _seconds(match: re.Match[str]) -> float:
    hours, minutes, seconds, fraction = match.groups()
    return int(hours or 0) * 3600 + int(minutes) * 60 + int(seconds) + int((fraction or "0").ljust(3, "0")) / 1000
