"""What brought a passage up: the terms of a search by words with their shares, the closest sentences of a dense one.

Sentences are embedded alone, so their similarity explains that of the passage and does not add up to it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from chunking import sentences
from chunking.document import Span
from chunking.loading import from_text
from chunking.retrieval.questions.data import CorpusDocument
from chunking.retrieval.search.passages import Passages
from chunking.retrieval.search.ranking import BM25, words
from chunking.runtime.arrays import Float32, Int64
from chunking.sentences import RULES

MOST_SENTENCES = 16
"""Sentences of a passage that are compared: those that share most words with the query, then the first."""

SHOWN = 2
"""Sentences of a passage that are returned."""


@dataclass(frozen=True, slots=True)
class TermShare:
    """A term of a query.

    Attributes:
        term: as BM25 counts it.
        share: of the passage's BM25 score, from 0 to 1.
    """

    term: str
    share: float


@dataclass(frozen=True, slots=True)
class CloseSentence:
    """A sentence of a passage, or what was embedded before its text.

    Attributes:
        text: its words.
        similarity: to the query, by cosine.
        span: where it stands in the document; ``None`` of headings and titles that were put before the text.
    """

    text: str
    similarity: float
    span: Span | None


@dataclass(frozen=True, slots=True)
class SearchEvidence:
    """What brought a passage up.

    Attributes:
        terms: of a search by words, the largest share first.
        sentences: of a dense search, the closest first.
    """

    terms: tuple[TermShare, ...] = ()
    sentences: tuple[CloseSentence, ...] = ()


def term_shares(scorer: BM25, places: Int64) -> list[tuple[TermShare, ...]]:
    """Return the share of each term in the score of passages, the largest first.

    Args:
        scorer: of one question.
        places: ``(n,)`` int64 of passages.
    """
    scores = scorer.term_scores(0, places)
    totals = np.sum([*scores.values(), np.zeros(len(places), dtype=np.float32)], axis=0)
    found = []
    for number, total in enumerate(totals.tolist()):
        parts = [TermShare(term, float(score[number]) / total) for term, score in scores.items() if score[number] > 0]
        found.append(tuple(sorted(parts, key=lambda part: -part.share)))
    return found


def closest_sentences(
    query: str,
    passages: Passages,
    places: Int64,
    sources: Sequence[CorpusDocument],
    embed: Callable[[Sequence[str]], Float32],
) -> list[tuple[CloseSentence, ...]]:
    """Return the sentences of passages that are most similar to a query.

    Args:
        query: the words.
        passages: what was searched.
        places: ``(n,)`` int64 of those that are explained.
        sources: the documents.
        embed: returns ``(n, dim)`` float32 vectors of length 1.
    """
    wanted = frozenset(words(query))
    drafts = [_sentences(passages, int(place), sources, wanted) for place in places]
    texts = [query, *(text for draft in drafts for text, _ in draft)]
    vectors = embed(texts)
    scores = iter((vectors[1:] @ vectors[0]).tolist())
    found = []
    for draft in drafts:
        close = [CloseSentence(text, next(scores), span) for text, span in draft]
        found.append(tuple(sorted(close, key=lambda each: -each.similarity)[:SHOWN]))
    return found


def _sentences(
    passages: Passages, place: int, sources: Sequence[CorpusDocument], asked: frozenset[str]
) -> list[tuple[str, Span | None]]:
    """Return the texts of a passage that are compared, with their spans."""
    source = sources[int(passages.document[place])]
    start, end = int(passages.leads[place]), int(passages.end[place])
    before = passages.before(place).strip()
    found: list[tuple[str, Span | None]] = [(before, None)] if before else []
    spans = [Span(start + first, start + last) for first, last in _split(source, start, end)]
    texts = [source.text[span.start : span.end] for span in spans]
    kept = sorted(range(len(spans)), key=lambda number: -len(asked.intersection(words(texts[number]))))
    return found + [(texts[number], spans[number]) for number in kept[:MOST_SENTENCES]]


def _split(source: CorpusDocument, start: int, end: int) -> list[tuple[int, int]]:
    """Return the sentences of a part of a document, by rules; the whole part where there are none."""
    part = source.text[start:end]
    format = "text" if source.document else source.format
    document = from_text(part, format=format, language=source.language or "und")
    if document.text != part:
        return [(0, len(part))]
    return [(first, last) for first, last in sentences.split(document, RULES).spans.tolist()] or [(0, len(part))]
