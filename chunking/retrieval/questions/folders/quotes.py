"""Where a quoted answer stands in the documents, for sets that give the words of an answer and not its place."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module

from chunking.retrieval.questions.data import Answer, CorpusDocument
from chunking.runtime.patterns import compile_pattern

NEAR = 90.0
"""How alike a stretch of text must be to stand for the words, in per cent: ``partial_ratio`` of rapidfuzz, the measure
and threshold of chunklab."""

_SPACES = compile_pattern(r"\s+")


@dataclass(frozen=True)
class QuoteMatch:
    """Where words stand.

    Attributes:
        answers: every place where they stand, or the one most like them; in order, empty where there is none.
        near: whether it is only like them.
    """

    answers: tuple[Answer, ...] = ()
    near: bool = False


@dataclass(frozen=True)
class _FoldedText:
    """A text in small letters with each run of white space as one space.

    Attributes:
        text: it.
        starts: where each of its characters begins in the source, and the source's length.
    """

    text: str
    starts: tuple[int, ...]

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return the span of the source that a span of this stands for."""
        return self.starts[start], self.starts[end - 1] + 1


def plain(text: str) -> str:
    """Return the normal form in which quotes are compared: lower case, white space folded and stripped."""
    return _folded(text).text.strip()


def _folded(text: str) -> _FoldedText:
    letters: list[str] = []
    starts: list[int] = []
    place = 0
    for space in _SPACES.finditer(text):
        letters += text[place : space.start()]
        starts += range(place, space.start())
        letters.append(" ")
        starts.append(space.start())
        place = space.end()
    letters += text[place:]
    starts += range(place, len(text))
    # A letter whose small form is two (İ) stays, so that places do not shift.
    small = [letter.lower() if len(letter.lower()) == 1 else letter for letter in letters]
    return _FoldedText("".join(small), (*starts, len(text)))


class QuoteFinder:
    """Finds words in documents, whatever their white space and capitals are.

    Args:
        sources: the documents.
    """

    def __init__(self, sources: Sequence[CorpusDocument]) -> None:
        self._sources = sources

    @cached_property
    def _texts(self) -> list[_FoldedText]:
        return [_folded(source.text) for source in self._sources]

    def find(self, words: str, documents: Sequence[int] | None = None) -> QuoteMatch:
        """Where words stand, as whole words; where they do not, the stretch most like them.

        Args:
            words: the quote.
            documents: places of those that are looked at; all by default.
        """
        wanted = plain(words)
        looked = range(len(self._sources)) if documents is None else documents
        if not wanted:
            return QuoteMatch()
        before = r"(?<!\w)" if _is_word(wanted[0]) else ""
        after = r"(?!\w)" if _is_word(wanted[-1]) else ""
        pattern = compile_pattern(before + re.escape(wanted) + after)
        exact = [
            Answer(document, *self._texts[document].span(*match.span()))
            for document in looked
            for match in pattern.finditer(self._texts[document].text)
        ]
        if exact:
            return QuoteMatch(tuple(exact))
        return self._near(wanted, looked)

    def _near(self, wanted: str, documents: Sequence[int]) -> QuoteMatch:
        fuzz = import_module("rapidfuzz.fuzz")
        best, answer = NEAR, None
        for document in documents:
            text = self._texts[document]
            if len(text.text) < len(wanted):
                continue
            found = fuzz.partial_ratio_alignment(wanted, text.text, score_cutoff=best)
            if found is not None and found.dest_start < found.dest_end and (answer is None or found.score > best):
                best = found.score
                answer = Answer(document, *text.span(*_to_words(text.text, found.dest_start, found.dest_end, wanted)))
        return QuoteMatch() if answer is None else QuoteMatch((answer,), near=True)


def _is_word(letter: str) -> bool:
    return letter.isalnum() or letter == "_"


def _to_words(text: str, start: int, end: int, wanted: str) -> tuple[int, int]:
    """Return a span that begins and ends with a whole word, where what is wanted does."""
    middle = (start + end) // 2
    while start < middle and not _is_word(text[start]) and (_is_word(wanted[0]) or text[start].isspace()):
        start += 1
    while end > middle + 1 and not _is_word(text[end - 1]) and (_is_word(wanted[-1]) or text[end - 1].isspace()):
        end -= 1
    while start > 0 and _is_word(text[start]) and _is_word(text[start - 1]):
        start -= 1
    while end < len(text) and _is_word(text[end - 1]) and _is_word(text[end]):
        end += 1
    return start, end
