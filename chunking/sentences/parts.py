"""What every model needs: texts in parts that it can take, and white space as it was trained on."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from chunking.sentences.contract import Progress, Ranges
from chunking.sentences.rules import SPACE, rule_ranges

_PART = 10_000
"""Characters that a model gets at once. spaCy's parser takes about 1 GB for each 100,000; Kiwi takes the square of the
time, which begins to show at 50,000."""

_BATCH = 20_000

_SYMBOLS = re.compile(r"[^\w\s]{200}")
_LONG_WORD = 1_000


def in_parts(
    texts: Sequence[str], language: str, progress: Progress | None, parse: Callable[[Sequence[str]], list[Ranges]]
) -> Iterator[Ranges]:
    """Sentences of each text, by what finds those of a batch of texts, each of at most :data:`_PART` characters.

    What a model would take too long for (see :func:`is_hard`) is split by the rules.
    """
    parts = [_parts(text, language) for text in texts]
    flat = [text[start:end] for text, cuts in zip(texts, parts, strict=True) for start, end, _ in cuts]
    found = iter(_parsed(flat, language, progress, parse))
    for cuts in parts:
        ranges: Ranges = []
        whole = True
        for start, _, ends in cuts:
            inside = [(start + begin, start + end) for begin, end in next(found)]
            if not whole and ranges and inside:
                # The cut before this part was not the end of a sentence.
                ranges[-1] = (ranges[-1][0], inside.pop(0)[1])
            ranges.extend(inside)
            whole = ends
        yield ranges


def _parts(text: str, language: str) -> list[tuple[int, int, bool]]:
    """Parts of at most :data:`_PART` characters, and whether a sentence ends with each.

    They end where the rules say that a sentence does, else at white space, else anywhere.
    """
    if len(text) <= _PART:
        return [(0, len(text), True)]
    ends = [end for _, end in rule_ranges(text, language)]
    parts = []
    start = 0
    while len(text) - start > _PART:
        place = bisect_right(ends, start + _PART) - 1
        if place >= 0 and ends[place] > start:
            end, whole = ends[place], True
        else:
            *_, space = (-1, *(match.end() for match in SPACE.finditer(text, start, start + _PART)))
            end, whole = (space if space > start else start + _PART), False
        parts.append((start, end, whole))
        start = end
    return [*parts, (start, len(text), True)]


def _parsed(
    texts: Sequence[str], language: str, progress: Progress | None, parse: Callable[[Sequence[str]], list[Ranges]]
) -> Iterator[Ranges]:
    """Sentences of each of these short texts, in order."""
    total = sum(map(len, texts))
    done = place = 0
    while place < len(texts):
        stop, size = place, 0
        while stop < len(texts) and (size + len(texts[stop]) <= _BATCH or stop == place):
            size += len(texts[stop])
            stop += 1
        found = _batch(texts[place:stop], language, parse)
        done, place = done + size, stop
        if progress:
            progress(done, total)
        yield from found


def _batch(texts: Sequence[str], language: str, parse: Callable[[Sequence[str]], list[Ranges]]) -> list[Ranges]:
    hard = [is_hard(text) for text in texts]
    ranges = [rule_ranges(text, language) if rules else [] for text, rules in zip(texts, hard, strict=True)]
    easy = [place for place, text in enumerate(texts) if not hard[place] and text.strip()]
    if easy:
        for place, found in zip(easy, parse([texts[place] for place in easy]), strict=True):
            ranges[place] = found
    return ranges


def is_hard(text: str) -> bool:
    """Whether a model would take the square of the time: long runs of symbols, endless words."""
    return bool(_SYMBOLS.search(text)) or max(map(len, text.split()), default=0) > _LONG_WORD


_SPACE_RUN = re.compile(r"\s{2,}|[^\S ]")
_MARKUP = re.compile(r"(?P<space>\s{2,}|[^\S ])|[`*]+|(?<!\w)_+|_+(?!\w)")


@dataclass(frozen=True)
class Squeezed:
    """A text with each run of white space made one space, perhaps without marks of emphasis, and the way back."""

    text: str
    places: list[int]
    shifts: list[int]

    def original(self, offset: int) -> int:
        """The offset in the text as it was, after what was taken out there."""
        return offset + self.shifts[bisect_right(self.places, offset) - 1]


def squeeze(text: str, markup: bool = False) -> Squeezed:
    """Without runs of white space, which models were not trained on: indentation, two spaces after a stop, CR LF.

    Args:
        text: any.
        markup: whether marks of emphasis and code (``*``, ``_`` beside a word, a backtick) go too.
    """
    pieces: list[str] = []
    places, shifts = [0], [0]
    last = kept = 0
    for run in (_MARKUP if markup else _SPACE_RUN).finditer(text):
        stays = " " if not markup or run["space"] is not None else ""
        kept += run.start() - last + len(stays)
        pieces += (text[last : run.start()], stays)
        last = run.end()
        places.append(kept)
        shifts.append(last - kept)
    return Squeezed("".join((*pieces, text[last:])), places, shifts)
