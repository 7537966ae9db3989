"""Scores of the candidates on the user's own documents or questions, and whether they decide between strategies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

import numpy as np

from chunking.advice.profile import CANDIDATES
from chunking.advice.results import Advice, Statement
from chunking.advice.trials import setting_of
from chunking.embedding.vector_cache import VectorCache
from chunking.errors import ChunkscopeError
from chunking.evaluation.intervals import strata_of
from chunking.retrieval.evaluate import RetrievalOptions, evaluate
from chunking.retrieval.questions.data import QuestionSet, corpora
from chunking.retrieval.reports.summary import primary
from chunking.retrieval.significance import Difference, differences
from chunking.runtime.arrays import Float64
from chunking.runtime.progress import Tell
from chunking.runtime.wording import plural
from chunking.strategies import Setting
from chunking.workspace import Models

ENOUGH = 5
"""Documents with a reference, or questions, from which the scores of the candidates are compared."""


@dataclass(frozen=True, eq=False)
class StrategyScores:
    """Scores of strategies on the same documents or questions.

    Attributes:
        name: ``"reference"`` or ``"questions"``.
        measure: what is measured, in words.
        unit: the noun of what it is measured on.
        values: by strategy ``(n_units,)`` float64, from 0 to 1.
        pairs: the difference of every two strategies.
    """

    name: str
    measure: str
    unit: str
    values: Mapping[str, Float64]
    pairs: Sequence[Difference]

    @property
    def units(self) -> int:
        """The number of documents or questions."""
        return len(next(iter(self.values.values()), ()))

    @property
    def means(self) -> dict[str, float]:
        """The mean of each strategy, the best first."""
        unsorted_means = {name: float(values.mean()) for name, values in self.values.items()}
        return dict(sorted(unsorted_means.items(), key=lambda item: -item[1]))

    def better_than(self, advised: str) -> str | None:
        """Return the strategy that is significantly better than the advised one, the best of several; else ``None``.

        The interval of the difference accounts for the comparison of all pairs.
        """
        if self.units < ENOUGH:
            return None
        beaten = {pair.better for pair in self.pairs if advised in (pair.one, pair.other)} - {advised, None}
        return next((name for name in self.means if name in beaten), None)

    def statement(self, advised: str) -> Statement:
        """Return the scores in words, with what they decide."""
        listed = ", ".join(f"{name} {mean:.2f}" for name, mean in self.means.items())
        text = f"Mean {self.measure} on {plural(self.units, self.unit)}: {listed}. {self._verdict(advised)}"
        return Statement(self.name, text, {"units": self.units, **self.means})

    def _verdict(self, advised: str) -> str:
        if advised not in self.values:
            return f"{advised} is not among them, so they do not decide."
        if self.units < ENOUGH:
            return f"So few cannot decide between strategies; {ENOUGH} or more are compared."
        better = self.better_than(advised)
        if better:
            return f"{better} is significantly better than {advised}, with all comparisons accounted for."
        return f"No candidate is significantly better than {advised}."


def of_questions(
    question_set: QuestionSet, maximum: int, tools: Models, cache: VectorCache | None = None, tell: Tell | None = None
) -> StrategyScores:
    """Return the retrieval scores of the candidates.

    Args:
        question_set: the questions and their documents.
        maximum: tokens of a chunk.
        tools: encoder, tokenizer and sentence splitter.
        cache: of vectors.
        tell: receives what is being done and how far it is.

    Raises:
        ChunkscopeError: the encoder cannot be used, or a strategy can cut no document.
    """
    evaluation = evaluate(question_set, _settings(maximum), RetrievalOptions(tools=tools), cache, tell)
    measure = primary(evaluation)
    values = {row.strategy: row.values[measure] for row in evaluation.rows}
    return StrategyScores(
        "questions", measure, "question", values, differences(values, strata_of(corpora(question_set)))
    )  # fmt: skip


def _settings(maximum: int) -> dict[str, Setting]:
    """Return the candidates that have room in the maximum."""
    settings: dict[str, Setting] = {}
    for name in CANDIDATES:
        with suppress(ChunkscopeError):  # its own overlap is larger
            settings[name] = setting_of(name, maximum)
    return settings


def of_references(documents: Sequence[Advice]) -> StrategyScores | None:
    """Return boundary F1 of the candidates on the documents that have a reference; ``None`` where none has."""
    with_reference = [advice for advice in documents if advice.candidates and advice.candidates[0].f1 is not None]
    columns = [
        {_strategy(candidate.setting): candidate.f1 for candidate in advice.candidates} for advice in with_reference
    ]
    shared = [name for name in CANDIDATES if columns and all(name in column for column in columns)]
    if not shared:
        return None
    values = {name: np.array([column[name] for column in columns], dtype=np.float64) for name in shared}
    return StrategyScores("reference", "boundary F1 against the reference", "document", values, differences(values))


def _strategy(setting: str) -> str:
    return setting.partition(":")[0]
