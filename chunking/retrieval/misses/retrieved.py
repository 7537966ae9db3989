"""Retrieved ranges of a ranking, spans of answers missing from them, and the rank that another span would have."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from chunking.errors import ChunkscopeError
from chunking.retrieval import measures
from chunking.retrieval.measures import BUDGET_TITLE, Cutoffs
from chunking.retrieval.questions.data import Answer, QuestionSet, Range, Truth
from chunking.retrieval.search.passages import Passages
from chunking.retrieval.search.ranking import DEPTH, Rankings, by_document
from chunking.runtime.arrays import Float32, Float64, Int64
from chunking.sentences.sentences import trim
from chunking.tokens import TokenCounter

SAME = 1e-6
"""Similarities that are no farther apart than this are one: products of the same vectors differ by rounding."""


@dataclass(frozen=True)
class Cutoff:
    """The cutoff up to which a ranking counts as retrieved.

    Attributes:
        passages: the first so many; of judged documents, documents.
        tokens: where given, so many tokens of context instead, the last passage cut to what is left.
    """

    passages: int = 10
    tokens: int | None = None

    def __post_init__(self) -> None:
        if self.passages < 1 or (self.tokens is not None and self.tokens < 1):
            raise ChunkscopeError("Passages and tokens to look at are counted from 1.")

    @property
    def kept(self) -> Cutoffs:
        """The cutoff as the measures take it."""
        return Cutoffs(self.passages, (self.tokens,) if self.tokens else ())

    def measure(self, truth: Truth) -> str:
        """Return the measure that says how much of the truth is within.

        Raises:
            ChunkscopeError: tokens are given for judged documents.
        """
        if truth == "spans":
            return BUDGET_TITLE.format(self.tokens) if self.tokens else "recall"
        if self.tokens:
            raise ChunkscopeError("Judged documents have no recall within a number of tokens.", "Give passages.")
        return f"R@{self.passages}"


@dataclass(frozen=True, slots=True)
class MissingSpan:
    """A stretch of an answer that is not looked at; white space at its ends is left out.

    Attributes:
        answer: the whole answer.
        start, end: half-open, in characters of the same document.
    """

    answer: Answer
    start: int
    end: int


def retrieved_ranges(
    question_set: QuestionSet, passages: Passages, indices: Int64, within: Cutoff, tokenizer: TokenCounter
) -> list[Range]:
    """Return the text that is returned within the cutoff: a range a passage, the best first."""
    returned = passages.returned(indices)
    if within.tokens:
        return measures.context(passages, returned.passages, within.tokens, question_set, tokenizer)
    return measures.ranges(passages, returned.passages[returned.ranks < within.passages])


def returned_tokens(passages: Passages, indices: Int64) -> Int64:
    """Return the tokens that each passage of a ranking adds to the context: ``(n,)`` int64."""
    returned = passages.returned(indices)
    counts = np.bincount(returned.ranks, weights=passages.tokens[returned.passages], minlength=len(indices))
    return counts.astype(np.int64)


def missing(question_set: QuestionSet, answers: Sequence[Answer], ranges: Sequence[Range]) -> tuple[MissingSpan, ...]:
    """Return the spans of answers that are not in the given ranges, without blank ones."""
    spans = []
    for answer in answers:
        at = answer.start
        inside = sorted((start, end) for document, start, end in ranges if document == answer.document)
        for start, end in [*inside, (answer.end, answer.end)]:
            stop = min(start, answer.end)
            if stop > at and (span := trim(question_set.sources[answer.document].text, at, stop)):
                spans.append(MissingSpan(answer, *span))
            at = max(at, end)
    return tuple(spans)


@dataclass(frozen=True, slots=True)
class SizedRanking:
    """A ranking of a question with the sizes of what it holds.

    Attributes:
        places: int64, of passages or documents, the best first.
        scores: float32, of each.
        tokens: int64, what each adds to the context; of documents, none.
    """

    places: Int64
    scores: Float32
    tokens: Int64

    def edge(self, within: Cutoff) -> float | None:
        """Return the score of the last that is looked at; ``None`` of an empty ranking."""
        if not len(self.places):
            return None
        last = within.passages
        if within.tokens:
            last = 1 + int(np.searchsorted(np.cumsum(self.tokens), within.tokens))
        return float(self.scores[min(last, len(self.scores)) - 1])

    def stand(
        self, score: float, tokens: int, index: int, without: Collection[int], within: Cutoff
    ) -> tuple[int, bool]:
        """Return the rank that a passage with a score would have, and whether it would be looked at to its end.

        Args:
            score: its similarity.
            tokens: its size.
            index: where it stands in the corpus, which parts equal scores.
            without: places that it replaces.
            within: how much is looked at.

        Returns:
            Its rank, from 1, and whether it is within; the rank is the least that it can be where as many as are ranked
            are better.
        """
        is_other = ~np.isin(self.places, list(without))
        gap = self.scores - score
        better = is_other & ((gap > SAME) | ((np.abs(gap) <= SAME) & (self.places < index)))
        rank = 1 + int(np.count_nonzero(better))
        if len(self.places) >= DEPTH and rank > int(np.count_nonzero(is_other)):
            return rank, False  # what is beyond the ranking may be better still
        if within.tokens:
            return rank, int(self.tokens[better].sum()) + tokens <= within.tokens
        return rank, rank <= within.passages


def values(
    question_set: QuestionSet, passages: Passages, hits: Rankings, within: Cutoff, tokenizer: TokenCounter
) -> Float64:
    """Return ``(n_questions,)`` float64: how much of the truth of each is looked at, see :meth:`Within.measure`."""
    name = within.measure(question_set.truth)
    if question_set.truth == "documents":
        by_documents = by_document(hits, passages.document, DEPTH)
        return measures.document_measures(question_set, by_documents, within.kept)[name]
    ranges = [retrieved_ranges(question_set, passages, indices, within, tokenizer) for indices in hits.passages]
    pairs = zip(ranges, question_set.questions, strict=True)
    return np.array([measures.overlap_scores(returned, question.answers)["recall"] for returned, question in pairs])


def documents(question_set: QuestionSet, passages: Passages, hits: Rankings, question: int) -> SizedRanking:
    """Return the documents that a question found, without that which is the question itself where that is left out."""
    ranking = by_document(Rankings((hits.passages[question],), (hits.scores[question],)), passages.document, DEPTH)
    ranked_documents, scores = ranking.passages[0], ranking.scores[0]
    is_kept = np.array(
        [not question_set.leaves_out(question, document) for document in ranked_documents.tolist()], dtype=np.bool_
    )
    return SizedRanking(ranked_documents[is_kept], scores[is_kept], np.zeros(int(is_kept.sum()), dtype=np.int64))
