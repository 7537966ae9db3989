"""One figure for a strategy out of the sizes of its passages and what they find: 0.4 size + 0.6 retrieval.

It is that of the program from which the reference program grew (a benchmark of LangChain's SemanticChunker, its
``scoring_system``), so that its rankings can be compared. It says nothing of whether a difference is real, and prefers
small passages whatever they find: both weights and thresholds are choices of that program.

Size, in tokens, at most 170: ``0.35 · max(0, 200 − mean) + 0.35 · max(0, 200 − deviation) + 0.15 · min(10 · min, 100) +
0.15 · (100 up to a maximum of 500, 50 up to 750, else 0)``, with the deviation of a sample. Retrieval, at most 100: 20
times the sum of precision, hit (which it calls recall), F1 of these two, average precision and nDCG, of each
question's first ten passages, averaged over questions. A passage is relevant if it is of a relevant document; of spans,
if the text of a whole answer is in it. Average precision and nDCG are over the ten alone, as if nothing else were
relevant.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from chunking.retrieval import measures
from chunking.retrieval.questions.data import QuestionSet
from chunking.retrieval.search.passages import Passages
from chunking.retrieval.search.ranking import Rankings
from chunking.runtime.arrays import Bools, Int64

FORMULA = (
    "score = 0.4 · size + 0.6 · retrieval; size = 0.35 · max(0, 200 − mean) + 0.35 · max(0, 200 − deviation) + 0.15 · "
    "min(10 · smallest, 100) + 0.15 · (100 if the largest ≤ 500, 50 if ≤ 750, else 0), in tokens; retrieval = 20 · "
    "(precision + hit + F1 + AP + nDCG) of the first ten passages"
)

_SIZE, _RETRIEVAL = 0.4, 0.6
_PASSAGES = 10


@dataclass(frozen=True)
class Score:
    """The score of a row.

    Attributes:
        size: from 0 to 170.
        retrieval: from 0 to 100.
    """

    size: float
    retrieval: float

    @property
    def total(self) -> float:
        """Both together, from 0 to 128."""
        return _SIZE * self.size + _RETRIEVAL * self.retrieval

    def as_dict(self) -> dict[str, float]:
        """Return the total and its parts."""
        return {name: round(getattr(self, name), 6) for name in ("total", "size", "retrieval")}


def retrieval_part(question_set: QuestionSet, passages: Passages, hits: Rankings) -> float:
    """Return the part of what questions find, from 0 to 100, the mean over questions.

    Args:
        question_set: the questions.
        passages: what was searched.
        hits: what each question found.
    """
    scores = []
    for number, ranked_passages in enumerate(hits.passages):
        if question_set.truth == "documents":
            relevant = measures.of_relevant(question_set, passages, ranked_passages, number, _PASSAGES)
        else:
            answers = question_set.questions[number].answers
            relevant = measures.by_text(question_set, passages, ranked_passages[:_PASSAGES], answers, inside=False)
        scores.append(retrieval_score(relevant))
    return float(np.mean(scores)) if scores else 0.0


def size_score(tokens: Int64) -> float:
    """Return the part of the sizes; 0 without any."""
    if not len(tokens):
        return 0.0
    deviation = float(tokens.std(ddof=1)) if len(tokens) > 1 else 0.0
    largest = int(tokens.max())
    return (
        0.35 * max(0.0, 200 - float(tokens.mean()))
        + 0.35 * max(0.0, 200 - deviation)
        + 0.15 * min(10 * int(tokens.min()), 100)
        + 0.15 * (100 if largest <= 500 else 50 if largest <= 750 else 0)
    )


def retrieval_score(relevant: Bools) -> float:
    """Return the part of one question.

    Args:
        relevant: ``(n_passages,)`` bool, the best first.
    """
    if not relevant.any():
        return 0.0
    ranks = 1 + np.flatnonzero(relevant)
    precision = len(ranks) / len(relevant)
    f1 = 2 * precision / (precision + 1)
    average = float(np.mean(np.arange(1, len(ranks) + 1) / ranks))
    ideal = 1 / np.log2(2 + np.arange(len(ranks)))
    ndcg = float((1 / np.log2(1 + ranks)).sum() / ideal.sum())
    return 20 * (precision + 1 + f1 + average + ndcg)
