from __future__ import annotations

import numpy as np
import pytest

from chunking.advice.profile import CANDIDATES
from chunking.advice.scores import ENOUGH, StrategyScores, of_questions, of_references
from chunking.retrieval.questions.data import QuestionSet
from chunking.retrieval.questions.folders import read
from chunking.retrieval.significance import differences
from chunking.workspace import Models
from tests.commands.evaluation.test_retrieval import folder

__all__ = ["folder"]


def scores(units: int, lead: float) -> StrategyScores:
    noise = np.random.default_rng(1).random((2, units)) * 0.2
    values = {"changepoint": 0.4 + noise[0], "heading": 0.4 + lead + noise[1]}
    return StrategyScores("questions", "recall", "question", values, differences(values))


def test_a_clear_lead_decides_and_a_small_one_does_not() -> None:
    assert scores(40, 0.3).better_than("changepoint") == "heading"
    assert scores(40, 0.3).better_than("heading") is None
    assert scores(40, 0.0).better_than("changepoint") is None


def test_few_units_decide_nothing_however_large_the_lead() -> None:
    few = scores(ENOUGH - 1, 0.5)
    assert few.better_than("changepoint") is None
    assert f"{ENOUGH} or more" in few.statement("changepoint").text


def test_a_strategy_that_was_not_scored_is_neither_better_nor_worse() -> None:
    text = scores(40, 0.3).statement("code").text
    assert "code is not among them" in text and "significantly" not in text


def test_the_means_are_listed_the_best_first() -> None:
    statement = scores(40, 0.3).statement("changepoint")
    assert list(statement.values) == ["units", "heading", "changepoint"]
    assert "Mean recall on 40 questions: heading 0." in statement.text


def test_no_document_with_a_reference_has_no_scores() -> None:
    assert of_references([]) is None


@pytest.mark.parametrize("maximum", [240, 20])
def test_questions_are_answered_by_the_candidates_that_have_room(folder: object, maximum: int) -> None:
    known = read(folder)  # type: ignore[arg-type]
    assert isinstance(known, QuestionSet)
    found = of_questions(known, maximum, Models(encoder="static"))
    assert found.units == 3
    assert set(CANDIDATES) - set(found.values) == ({"hierarchical"} if maximum == 20 else set()), (
        "its overlap is 50 tokens"
    )
    assert all(0 <= mean <= 1 for mean in found.means.values())
