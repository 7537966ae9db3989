"""Input that every model can take: texts in parts of limited size, with single spaces."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from chunking.runtime.patterns import compile_pattern
from chunking.runtime.progress import Progress
from chunking.sentences.rules import SPACE, rule_ranges
from chunking.sentences.sentences import Ranges

_PART = 10_000
"""Characters in a part. spaCy's parser needs about 1 GB for each 100,000; Kiwi's time grows with the square, which is
noticeable from 50,000."""

_BATCH = 20_000

_SYMBOLS = compile_pattern(r"[^\w\s]{200}")
_LONG_WORD = 1_000


def split_in_parts(
    texts: Sequence[str], language: str, progress: Progress | None, parse: Callable[[Sequence[str]], list[Ranges]]
) -> Iterator[Ranges]:
    """Split each text into sentences with a model that takes parts of at most :data:`_PART` characters.

    Parts for which a model would take too long (see :func:`is_slow_to_parse`) are split by the rules.
    """
    parts = [_parts(text, language) for text in texts]
    flat = [text[start:end] for text, cuts in zip(texts, parts, strict=True) for start, end, _ in cuts]
    splits = iter(_parse_batches(flat, language, progress, parse))
    for cuts in parts:
        ranges: Ranges = []
        ends_sentence = True
        for start, _, ends in cuts:
            part_ranges = [(start + begin, start + end) for begin, end in next(splits)]
            if not ends_sentence and ranges and part_ranges:
                # The previous part did not end with a sentence.
                ranges[-1] = (ranges[-1][0], part_ranges.pop(0)[1])
            ranges.extend(part_ranges)
            ends_sentence = ends
        yield ranges


def _parts(text: str, language: str) -> list[tuple[int, int, bool]]:
    """Return parts of at most :data:`_PART` characters, each with whether it ends with a sentence.

    They end where the rules end a sentence, else at white space, else anywhere.
    """
    if len(text) <= _PART:
        return [(0, len(text), True)]
    ends = [end for _, end in rule_ranges(text, language)]
    parts = []
    start = 0
    while len(text) - start > _PART:
        index = bisect_right(ends, start + _PART) - 1
        if index >= 0 and ends[index] > start:
            end, ends_sentence = ends[index], True
        else:
            *_, space = (-1, *(match.end() for match in SPACE.finditer(text, start, start + _PART)))
            end, ends_sentence = (space if space > start else start + _PART), False
        parts.append((start, end, ends_sentence))
        start = end
    return [*parts, (start, len(text), True)]


def _parse_batches(
    texts: Sequence[str], language: str, progress: Progress | None, parse: Callable[[Sequence[str]], list[Ranges]]
) -> Iterator[Ranges]:
    """Yield the sentences of each of these short texts, in order."""
    total = sum(map(len, texts))
    done = index = 0
    while index < len(texts):
        stop, size = index, 0
        while stop < len(texts) and (size + len(texts[stop]) <= _BATCH or stop == index):
            size += len(texts[stop])
            stop += 1
        ranges = _batch(texts[index:stop], language, parse)
        done, index = done + size, stop
        if progress:
            progress(done, total)
        yield from ranges


def _batch(texts: Sequence[str], language: str, parse: Callable[[Sequence[str]], list[Ranges]]) -> list[Ranges]:
    hard = [is_slow_to_parse(text) for text in texts]
    ranges = [rule_ranges(text, language) if rules else [] for text, rules in zip(texts, hard, strict=True)]
    easy = [index for index, text in enumerate(texts) if not hard[index] and text.strip()]
    if easy:
        for index, text_ranges in zip(easy, parse([texts[index] for index in easy]), strict=True):
            ranges[index] = text_ranges
    return ranges


def is_slow_to_parse(text: str) -> bool:
    """Return whether a model would take quadratic time: long runs of symbols, endless words."""
    return bool(_SYMBOLS.search(text)) or max(map(len, text.split()), default=0) > _LONG_WORD


_SPACE_RUN = compile_pattern(r"\s{2,}|[^\S ]")
_MARKUP = compile_pattern(r"(?P<space>\s{2,}|[^\S ])|[`*]+|(?<!\w)_+|_+(?!\w)")


@dataclass(frozen=True)
class CollapsedText:
    """A text with each run of white space collapsed to one space, and the mapping back to the original."""

    text: str
    offsets: list[int]
    shifts: list[int]

    def original(self, offset: int) -> int:
        """Return the offset in the original text, after what was removed there."""
        return offset + self.shifts[bisect_right(self.offsets, offset) - 1]


def collapse_spaces(text: str, markup: bool = False) -> CollapsedText:
    """Collapse runs of white space (indentation, two spaces after a stop, CR LF), which models were not trained on.

    Args:
        text: any text.
        markup: whether to remove marks of emphasis and code (``*``, ``_`` beside a word, a backtick) too.
    """
    pieces: list[str] = []
    offsets, shifts = [0], [0]
    last = length = 0
    for run in (_MARKUP if markup else _SPACE_RUN).finditer(text):
        stays = " " if not markup or run["space"] is not None else ""
        length += run.start() - last + len(stays)
        pieces += (text[last : run.start()], stays)
        last = run.end()
        offsets.append(length)
        shifts.append(last - length)
    return CollapsedText("".join((*pieces, text[last:])), offsets, shifts)
