"""A row of an evaluation whose misses are analysed: its questions, passages and rankings."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from chunking.retrieval.bench import Bench
from chunking.retrieval.evaluate import RetrievalEvaluation, RetrievalRow
from chunking.retrieval.misses import retrieved
from chunking.retrieval.misses.retrieved import Cutoff, SizedRanking
from chunking.retrieval.questions.data import Question
from chunking.retrieval.search.passages import Passages
from chunking.retrieval.search.ranking import Method
from chunking.runtime.arrays import Float32, Int64
from chunking.strategies.context import EMBED_LATE, ContextParameters


def unknown(method: Method, context: ContextParameters | None = None) -> str:
    """Return which cause cannot be determined for a search method, in words; empty for dense search.

    Args:
        method: the search method.
        context: what was embedded; ``None`` for the chunks alone.
    """
    if method == "dense":
        if context is None or context.embed != EMBED_LATE:
            return ""
        return (
            "With embed=late the score of a sentence depends on its document; so that of one sentence in place of its "
            "chunk is unknown, and 'diluted' cannot be determined."
        )
    why = "depends on the words of all passages" if method == "bm25" else "is computed from ranks"
    return f"A {method} score {why}; so that of one sentence is unknown, and 'diluted' cannot be determined."


class AnalyzedRow:
    """What all questions of a row have in common.

    Args:
        found: the evaluation.
        row: one of its rows.
        within: what is looked at.
        bench: of the same evaluation.
    """

    def __init__(self, found: RetrievalEvaluation, row: RetrievalRow, within: Cutoff, bench: Bench) -> None:
        self.known = found.known
        self.setting = found.settings[row.strategy]
        self.passages: Passages = found.passages[row.strategy]
        self.hits, self.within, self.bench = row.hits, within, bench
        self.dense = not unknown(row.method, self.passages.context)

    @cached_property
    def asked(self) -> Float32:
        """The vectors of all questions."""
        return self.bench.embed([question.text for question in self.known.questions], "questions")

    def ranked(self, question: int) -> SizedRanking:
        """Return the ranking of a question: passages, or documents if these are judged."""
        if self.known.truth == "documents":
            return retrieved.documents(self.known, self.passages, self.hits, question)
        places = self.hits.passages[question]
        tokens = retrieved.returned_tokens(self.passages, places)
        return SizedRanking(places, self.hits.scores[question], tokens)

    def holder(self, number: int, places: Int64, start: int, end: int) -> tuple[int | None, int | None]:
        """Return the passage that holds most of a span, the best ranked of several, and its rank."""
        held = np.minimum(self.passages.end[places], end) - np.maximum(self.passages.reach[places], start)
        most = places[held == held.max()] if len(held) and held.max() > 0 else places[:0]
        if not len(most):
            return None, None
        ranks = np.flatnonzero(np.isin(self.hits.passages[number], most))
        if not len(ranks):
            return int(most[0]), None
        return int(self.hits.passages[number][ranks[0]]), int(ranks[0]) + 1


def relevant(question: Question) -> list[int]:
    """Return the relevant documents of a question, ascending."""
    return sorted(document for document, grade in question.grades.items() if grade > 0)
