"""Right and wrong answers of each row, with their intervals and the differences to the first row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal, get_args

import numpy as np

from chunking.evaluation.intervals import strata_of
from chunking.retrieval.answers.exchanges import Exchanges
from chunking.retrieval.answers.plan import AnswerPlan, AnswerTask
from chunking.retrieval.answers.prompting import answer_prompts, request_key
from chunking.retrieval.answers.word_scores import WordScores, compare_words
from chunking.retrieval.reports.results import Estimates, flat, pair_dict
from chunking.retrieval.reports.summary import estimates
from chunking.retrieval.significance import Difference, differences
from chunking.runtime.wording import plural

Outcome = Literal["right", "wrong", "abstained_retrieved", "abstained_missed", "unreadable"]
OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)
OUTCOME_TITLES: Mapping[Outcome, str] = {
    "right": "right",
    "wrong": "wrong",
    "abstained_retrieved": "not found, though retrieved",
    "abstained_missed": "not found, not retrieved",
    "unreadable": "unreadable",
}
"""What becomes of a question, in words. ``abstained``: the model says that the passages do not hold the answer."""

_FEW = 30
"""Questions below which intervals are rough."""


@dataclass(frozen=True, slots=True)
class CheckedAnswer:
    """The answer to a question from the passages of a row.

    Attributes:
        outcome: see :data:`OUTCOME_TITLES`.
        answer: of the model; empty where it gave none.
        is_correct: its judgement; ``None`` where it was not asked for one, or gave none that can be read.
        f1, contained: the words of the answer and of the reference, see :class:`WordScores`; 0 without an answer.
        holds_reference: whether the passages hold all of the reference.
        passages: document, start and end of each.
        key: of the request.
    """

    outcome: Outcome
    answer: str
    is_correct: bool | None
    f1: float
    contained: float
    holds_reference: bool
    passages: tuple[tuple[str, int, int], ...]
    key: str


@dataclass(frozen=True)
class RowAnswers:
    """The answers from the passages of a row.

    Attributes:
        measures: the mean of each outcome, of ``f1`` and ``contained``, and ``retrieved``: whether the passages hold
            all of the reference.
        answers: to each question.
    """

    measures: Estimates
    answers: tuple[CheckedAnswer, ...]

    def count(self, outcome: Outcome) -> int:
        """Return the number of answers with an outcome."""
        return sum(answer.outcome == outcome for answer in self.answers)


@dataclass(frozen=True)
class AnswerQuestion:
    """A question of a summary, with what is known to answer it.

    Attributes:
        id, text: of the question.
        reference: quotes from the documents.
    """

    id: str
    text: str
    reference: str


@dataclass(frozen=True)
class AnswerSummary:
    """Answers of a model from what strategies retrieve.

    Attributes:
        name: of the question set.
        model, endpoint, prompt: what answered, and the digest of its prompts.
        within: up to where a ranking counts as retrieved, in words.
        judged: whether the model judged its answers; else their words decide.
        questions: those that were asked.
        rows: by name; the first is the baseline.
        differences: every other row less the first, in right answers.
        notes: what a reader should know.
    """

    name: str
    model: str
    endpoint: str
    prompt: str
    within: str
    judged: bool
    questions: tuple[AnswerQuestion, ...]
    rows: Mapping[str, RowAnswers]
    differences: tuple[Difference, ...]
    notes: tuple[str, ...]

    def as_dict(self) -> dict[str, Any]:
        """Return the results as JSON has them."""
        rows = {
            name: flat(row.measures)
            | {"per_question": [asdict(answer) | {"passages": _spans(answer)} for answer in row.answers]}
            for name, row in self.rows.items()
        }
        return {
            "data": {"name": self.name, "questions": len(self.questions)},
            "model": self.model,
            "endpoint": self.endpoint,
            "prompt": self.prompt,
            "within": self.within,
            "judged": self.judged,
            "strategies": rows,
            "differences": list(map(pair_dict, self.differences)),
            "questions": [asdict(question) for question in self.questions],
            "notes": list(self.notes),
        }


def _spans(answer: CheckedAnswer) -> list[dict[str, Any]]:
    return [{"document": document, "start": start, "end": end} for document, start, end in answer.passages]


def summarize_answers(plan: AnswerPlan, exchanges: Exchanges) -> AnswerSummary:
    """Return the results of a plan whose requests all have replies."""
    answers: dict[str, list[CheckedAnswer]] = {row: [] for row in plan.rows}
    for task in plan.tasks:
        answers[task.row].append(_check(plan, task, exchanges))
    strata = strata_of(plan.corpora)
    rows = {name: RowAnswers(_measures(of_row, strata), tuple(of_row)) for name, of_row in answers.items()}
    right = {
        name: np.array([answer.outcome == "right" for answer in row.answers], dtype=np.float64)
        for name, row in rows.items()
    }
    within = plan.within
    return AnswerSummary(
        plan.name,
        exchanges.model,
        exchanges.endpoint,
        answer_prompts().digest,
        f"{within.tokens:,} tokens" if within.tokens else f"the first {plural(within.passages, 'passage')}",
        plan.judged,
        tuple(AnswerQuestion(question.id, question.text, question.reference) for question in plan.questions),
        rows,
        tuple(differences(right, strata, plan.rows[0])),
        tuple(_notes(plan, rows)),
    )


def _check(plan: AnswerPlan, task: AnswerTask, exchanges: Exchanges) -> CheckedAnswer:
    """Return an answer with its outcome: by the judgement where there is one, else by its words."""
    reply = exchanges.replies[task.key]
    is_correct: bool | None = None
    scores = WordScores(0.0, 0.0)
    if reply.answer:
        scores = compare_words(reply.answer, plan.questions[task.question].reference)
        judgement = exchanges.replies.get(request_key(plan.judge_prompt_of(task, reply.answer)))
        is_correct = judgement.is_correct if plan.judged and judgement else None
    outcome: Outcome
    if not reply.is_readable:
        outcome = "unreadable"
    elif not reply.answer:
        outcome = "abstained_retrieved" if task.holds_reference else "abstained_missed"
    else:
        outcome = "right" if (scores.is_right if is_correct is None else is_correct) else "wrong"
    return CheckedAnswer(
        outcome,
        reply.answer,
        is_correct,
        round(scores.f1, 6),
        round(scores.contained, 6),
        task.holds_reference,
        task.ranges,
        task.key,
    )


def _measures(answers: Sequence[CheckedAnswer], strata: Any) -> Estimates:
    columns: dict[str, list[float]] = {
        outcome: [float(answer.outcome == outcome) for answer in answers] for outcome in OUTCOMES
    }
    columns["retrieved"] = [float(answer.holds_reference) for answer in answers]
    columns["f1"] = [answer.f1 for answer in answers]
    columns["contained"] = [answer.contained for answer in answers]
    return estimates(list(columns), np.array(list(columns.values())).T, strata)


def _notes(plan: AnswerPlan, rows: Mapping[str, RowAnswers]) -> list[str]:
    notes = []
    answers = [answer for row in rows.values() for answer in row.answers]
    judged = [answer for answer in answers if answer.is_correct is not None]
    if judged:
        same = sum(answer.is_correct == WordScores(answer.f1, answer.contained).is_right for answer in judged)
        notes.append(
            f"The model judged its own answers. Their words alone would decide {same:,} of {len(judged):,} as it did."
        )
    elif not plan.judged:
        notes.append("No model judged the answers: their words decide, which counts paraphrases as wrong.")
    unjudged = sum(bool(answer.answer) and answer.is_correct is None for answer in answers) if plan.judged else 0
    if unjudged:
        notes.append(f"{plural(unjudged, 'judgement')} could not be read: the words of these answers decide.")
    lucky = sum(answer.outcome == "right" and not answer.holds_reference for answer in answers)
    if lucky:
        notes.append(
            f"{plural(lucky, 'answer')} counted as right, though the passages do not hold all of the reference: from "
            "a part of it, from elsewhere in the documents, or from what the model knows."
        )
    if len(plan.questions) < _FEW:
        notes.append(f"{len(plan.questions)} questions are few: intervals from so few are rough.")
    return notes
