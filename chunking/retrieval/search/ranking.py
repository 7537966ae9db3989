"""Rankings of passages for questions: by meaning, by words, or by both.

A search answers with the passages in the order of their scores, equal ones in the order of the corpus, so that the same
input gives the same ranking everywhere.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, Protocol, get_args

import numpy as np

from chunking.runtime.arrays import AnyFloats, Float32, Float64, Int64

Method = Literal["dense", "bm25", "hybrid"]
METHODS: tuple[Method, ...] = get_args(Method)

RANKINGS_OF: Mapping[Method, tuple[Method, ...]] = {
    "dense": ("dense",),
    "bm25": ("bm25",),
    "hybrid": ("dense", "bm25"),
}
"""The rankings that a method combines, see :func:`combine`."""

DEPTH = 1000
"""Passages of a ranking that are evaluated."""

_BLOCK = 64
"""Questions whose scores of all passages are held at once."""

WHOLE = 40_000
"""Vectors of passages of which there is a copy in float64: 120 MB of 384 numbers each."""

_RRF = 60
"""The constant of reciprocal rank fusion (Cormack, Clarke and Büttcher 2009)."""


@dataclass(frozen=True, eq=False)
class Rankings:
    """The passages that questions found, with their scores.

    Attributes:
        passages: for each question, int64 places of passages, the best first.
        scores: of each, float32, descending.
    """

    passages: tuple[Int64, ...]
    scores: tuple[Float32, ...]

    def __len__(self) -> int:
        return len(self.passages)


class PassageScorer(Protocol):
    """Scores all passages for some questions."""

    @property
    def questions(self) -> int:
        """The number of questions."""
        ...

    def scores(self, first: int, last: int) -> Float32:
        """Return ``(last − first, n_passages)`` float32 for the questions from ``first`` to before ``last``."""
        ...

    def search(self, depth: int) -> Rankings:
        """Return the best passages of each question, at most ``depth`` of them."""
        ...


@dataclass(frozen=True, eq=False)
class DenseScorer:
    """Cosine of normalised vectors, all passages compared, the same however many are scored at a time.

    All numbers of a vector are of float16, so multiples of 2⁻²⁴: products are multiples of 2⁻⁴⁸, and sums of them below
    32 are exact in float64, in whatever order they are added up. In float32 the last bit of a score would depend on
    the shape of the matrix, and two passages of the same text could change places.

    Attributes:
        question_vectors: ``(n_questions, dim)`` floats.
        passages: ``(n_passages, dim)`` floats.
    """

    question_vectors: AnyFloats
    passages: AnyFloats

    @property
    def questions(self) -> int:
        """The number of questions."""
        return len(self.question_vectors)

    @cached_property
    def _exact(self) -> Float64:
        return self.passages.astype(np.float64, copy=False)

    def scores(self, first: int, last: int) -> Float32:
        """Return the cosines."""
        return (self.question_vectors[first:last].astype(np.float64, copy=False) @ self._exact.T).astype(np.float32)

    def search(self, depth: int) -> Rankings:
        """Return the best passages of each question; of many passages without a second copy of their vectors.

        Many are scored in float32 first, a part of them at a time. No such score is wrong by more than :attr:`error`,
        so that all that may be among the best are known, and those alone are scored in float64.
        """
        if len(self.passages) <= max(WHOLE, depth):
            return best(self, depth)
        results = [
            self.ranked(number, np.flatnonzero(row >= _edge(row, depth) - 2 * self.error), depth)
            for first in range(0, self.questions, _BLOCK)
            for number, row in enumerate(self._about(first, first + _BLOCK), first)
        ]
        return Rankings(tuple(indices for indices, _ in results), tuple(scores for _, scores in results))

    @property
    def error(self) -> float:
        """No score by float32 is further from the true one, in whatever order it was added up.

        The bound of a dot product, dim · 2⁻²⁴ · |a| · |b| (Higham 2002, section 3.1), twice: for the rounding of the
        true score to float32, and for that of the lengths.
        """
        terms = self.passages.shape[1] + 1
        return float(terms * 2.0**-23 * self._longest * _longest(self.question_vectors))

    @cached_property
    def _longest(self) -> float:
        return max((_longest(self.passages[part]) for part in parts(len(self.passages))), default=0.0)

    def asking(self, questions: AnyFloats) -> DenseScorer:
        """Return a scorer of other questions for the same passages; what was computed of the passages is reused."""
        _ = self._exact if len(self.passages) <= WHOLE else self._longest
        other = copy.copy(self)
        object.__setattr__(other, "question_vectors", questions)
        return other

    def ranked(self, question: int, indices: Int64, depth: int) -> tuple[Int64, Float32]:
        """Return the best of some passages for a question, scored exactly.

        Args:
            question: its number.
            indices: of the passages, ascending.
            depth: how many, at most.

        Returns:
            int64 places, the best first and equal ones in order, and their float32 cosines.
        """
        scores = (
            self.passages[indices].astype(np.float64) @ self.question_vectors[question].astype(np.float64)
        ).astype(np.float32)
        order = strongest(scores, depth)
        return indices[order], scores[order]

    def _about(self, first: int, last: int) -> Float32:
        """Return the cosines by float32."""
        questions = self.question_vectors[first:last].astype(np.float32, copy=False)
        cosines = np.empty((len(questions), len(self.passages)), dtype=np.float32)
        for part in parts(len(self.passages)):
            cosines[:, part] = questions @ self.passages[part].astype(np.float32, copy=False).T
        return cosines


def parts(count: int) -> Iterator[slice]:
    """Return the runs of at most :data:`WHOLE` passages."""
    return (slice(start, start + WHOLE) for start in range(0, count, WHOLE))


def _longest(vectors: AnyFloats) -> float:
    return float(np.sqrt(np.einsum("ij,ij->i", vectors, vectors, dtype=np.float64).max(initial=0.0)))


def best(scorer: PassageScorer, depth: int, least: float | None = None) -> Rankings:
    """Return the best passages of each question, from the scores of all passages.

    Args:
        scorer: what scores.
        depth: how many, at most.
        least: passages must score more; ``None`` for all.
    """
    passages, scores = [], []
    for first in range(0, scorer.questions, _BLOCK):
        for row in scorer.scores(first, min(first + _BLOCK, scorer.questions)):
            indices = strongest(row, depth)
            if least is not None:
                indices = indices[row[indices] > least]
            passages.append(indices)
            scores.append(row[indices])
    return Rankings(tuple(passages), tuple(scores))


def strongest(row: Float32, depth: int) -> Int64:
    """Return the places of the highest values, descending, equal ones in order."""
    if depth < len(row):
        edge = _edge(row, depth)
        above = np.flatnonzero(row > edge)
        level = np.flatnonzero(row == edge)[: depth - len(above)]
        candidates = np.sort(np.concatenate((above, level)))
    else:
        candidates = np.arange(len(row))
    order: Int64 = candidates[np.argsort(-row[candidates], kind="stable")].astype(np.int64)
    return order


def _edge(row: Float32, depth: int) -> float:
    """Return the value that ``depth`` of the values reach, of which there are more."""
    return float(np.partition(row, len(row) - depth)[len(row) - depth])


def fused(rankings: Sequence[Rankings], depth: int) -> Rankings:
    """Return reciprocal rank fusion: a passage scores Σ 1 ÷ (60 + its rank), over the rankings it is in."""
    passages, scores = [], []
    for lists in zip(*(ranking.passages for ranking in rankings), strict=True):
        distinct_passages, where = np.unique(np.concatenate(lists), return_inverse=True)
        gains = np.concatenate([1.0 / (_RRF + 1 + np.arange(len(passage_list))) for passage_list in lists])
        row = np.bincount(where, weights=gains, minlength=len(distinct_passages)).astype(np.float32)
        best = strongest(row, depth)
        passages.append(distinct_passages[best].astype(np.int64))
        scores.append(row[best])
    return Rankings(tuple(passages), tuple(scores))


def combine(rankings: Sequence[Rankings]) -> Rankings:
    """Return the ranking of a method from those of :data:`RANKINGS_OF`."""
    return rankings[0] if len(rankings) == 1 else fused(rankings, DEPTH)


def by_document(hits: Rankings, document: Int64, depth: int) -> Rankings:
    """Return the documents in place of passages: each as good as its best passage, at most ``depth`` of them."""
    passages, scores = [], []
    for passage_list, score in zip(hits.passages, hits.scores, strict=True):
        _, first = np.unique(document[passage_list], return_index=True)
        positions = np.sort(first)[:depth]
        passages.append(document[passage_list][positions])
        scores.append(score[positions])
    return Rankings(tuple(passages), tuple(scores))
