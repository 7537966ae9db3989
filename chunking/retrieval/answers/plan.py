"""What a model would be asked: the passages that each row retrieves for each question, within the same limit."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from chunking import tokens
from chunking.errors import ChunkscopeError
from chunking.retrieval.answers.exchanges import Exchanges
from chunking.retrieval.answers.prompting import answer_prompt, judge_prompt, request_key
from chunking.retrieval.evaluate import RetrievalEvaluation
from chunking.retrieval.misses.retrieved import Cutoff, missing, retrieved_ranges
from chunking.retrieval.questions.data import Question, QuestionSet, corpora
from chunking.runtime.progress import Tell
from chunking.tokens import TokenCounter

_ANSWER_TOKENS, _JUDGEMENT_TOKENS = 30, 8
"""Tokens of a reply, about."""

JOINT = " … "
"""What stands between the quotes of a question with several."""


@dataclass(frozen=True, slots=True)
class CheckedQuestion:
    """A question whose answers are checked.

    Attributes:
        id, text: of the question.
        reference: the quotes that answer it, from its documents.
        tokens: of a request to judge an answer to it, about.
    """

    id: str
    text: str
    reference: str
    tokens: int


@dataclass(frozen=True, slots=True)
class AnswerTask:
    """A question with the passages that a row retrieves for it.

    Attributes:
        row: name of the row of the evaluation.
        question: its place among the questions of the plan.
        ranges: document, start and end of each passage, the best first.
        passages: their texts.
        holds_reference: whether the passages hold all of the reference, apart from white space.
        tokens: of the request.
        key: of the request; rows that retrieve the same passages have it in common.
    """

    row: str
    question: int
    ranges: tuple[tuple[str, int, int], ...]
    passages: tuple[str, ...]
    holds_reference: bool
    tokens: int
    key: str


@dataclass(frozen=True)
class AnswerPlan:
    """Questions and passages to send to a model.

    Attributes:
        name: of the question set.
        within: up to where a ranking counts as retrieved.
        judged: whether the model judges its answers by the references.
        questions: those that are asked.
        corpora: the corpus of each question; empty where there are fewer than two.
        rows: names of the rows, in order; the first is the baseline.
        tasks: by question, and then by row.
    """

    name: str
    within: Cutoff
    judged: bool
    questions: tuple[CheckedQuestion, ...]
    corpora: tuple[str, ...]
    rows: tuple[str, ...]
    tasks: tuple[AnswerTask, ...]

    def prompt_of(self, task: AnswerTask) -> tuple[str, str]:
        """Return the request of a task."""
        return answer_prompt(self.questions[task.question].text, task.passages)

    def judge_prompt_of(self, task: AnswerTask, answer: str) -> tuple[str, str]:
        """Return the request to judge an answer of a task."""
        question = self.questions[task.question]
        return judge_prompt(question.text, question.reference, answer)


def choose_questions(question_set: QuestionSet, number: int | None, seed: int = 0) -> tuple[int, ...]:
    """Return the places of the questions to ask, in order: all, or a random choice that a seed repeats.

    Raises:
        ChunkscopeError: the number is below 1.
    """
    if number is not None and number < 1:
        raise ChunkscopeError("The number of questions is counted from 1.")
    places: Iterable[int] = range(len(question_set.questions))
    return tuple(sorted(sorted(places, key=lambda place: _digest(seed, question_set.questions[place]))[:number]))


def _digest(seed: int, question: Question) -> bytes:
    return hashlib.sha256(f"{seed}\0{question.id}\0{question.text}".encode("utf-8", "backslashreplace")).digest()


def check_quotes(question_set: QuestionSet) -> None:
    """Check that answers can be compared with quotes.

    Raises:
        ChunkscopeError: the set has judged documents instead.
    """
    if question_set.truth == "documents":
        raise ChunkscopeError(
            "Judged documents have no quotes to check answers by.", "Choose a question set with spans of answers."
        )


def plan_answers(
    evaluation: RetrievalEvaluation,
    within: Cutoff,
    places: Sequence[int],
    *,
    judged: bool = True,
    tell: Tell | None = None,
) -> AnswerPlan:
    """Return what a model would be asked; nothing is sent.

    Args:
        evaluation: the rankings of each row.
        within: up to where a ranking counts as retrieved.
        places: of the questions that are asked.
        judged: whether the model judges its answers as well.
        tell: receives the progress; may raise to stop.

    Raises:
        ChunkscopeError: the set has judged documents.
    """
    question_set = evaluation.question_set
    check_quotes(question_set)
    counter = tokens.get_tokenizer(evaluation.options.tools.tokenizer)
    chosen = replace(question_set, questions=tuple(question_set.questions[place] for place in places))
    questions = tuple(_checked(question_set, question, counter) for question in chosen.questions)
    tasks: list[AnswerTask] = []
    for number, place in enumerate(places):
        if tell:
            tell("choosing passages", number, len(places))
        tasks += _tasks(evaluation, within, place, number, counter)
    rows = tuple(row.name for row in evaluation.rows)
    return AnswerPlan(question_set.name, within, judged, questions, corpora(chosen), rows, tuple(tasks))


def _checked(question_set: QuestionSet, question: Question, counter: TokenCounter) -> CheckedQuestion:
    quotes = (question_set.sources[document].text[start:end] for document, start, end in question.answers)
    reference = JOINT.join(" ".join(quote.split()) for quote in quotes)
    size = int(counter.count(["\n".join(judge_prompt(question.text, reference, ""))])[0])
    return CheckedQuestion(question.id, question.text, reference, size + _ANSWER_TOKENS)


def _tasks(
    evaluation: RetrievalEvaluation, within: Cutoff, place: int, number: int, counter: TokenCounter
) -> list[AnswerTask]:
    """Return the tasks of a question: one for each row."""
    question_set, question = evaluation.question_set, evaluation.question_set.questions[place]
    tasks = []
    for row in evaluation.rows:
        cut = evaluation.passages[row.strategy]
        ranges = retrieved_ranges(question_set, cut, row.hits.passages[place], within, counter)
        # What is hidden from the search is hidden from the model as well.
        texts = tuple(question_set.sources[document].searched_text[start:end] for document, start, end in ranges)
        prompt = answer_prompt(question.text, texts)
        named = tuple((question_set.sources[document].id, start, end) for document, start, end in ranges)
        holds = not missing(question_set, question.answers, ranges)
        size = int(counter.count(["\n".join(prompt)])[0])
        tasks.append(AnswerTask(row.name, number, named, texts, holds, size, request_key(prompt)))
    return tasks


@dataclass(frozen=True, slots=True)
class AnswerCost:
    """What a run sends at most: less where the model finds no answer, which is not judged.

    Attributes:
        requests: to the model.
        tokens_sent, tokens_received: by the tokenizer of the evaluation, which need not be the model's.
        kept: replies that are there already and are not requested again.
    """

    requests: int
    tokens_sent: int
    tokens_received: int
    kept: int


def estimate_cost(plan: AnswerPlan, exchanges: Exchanges) -> AnswerCost:
    """Return what a run of a plan sends at most, without the replies that are kept."""
    answers = judgements = sent = kept = 0
    counted: set[str] = set()
    for task in plan.tasks:
        if task.key in counted:
            continue
        counted.add(task.key)
        reply = exchanges.replies.get(task.key)
        if reply is None:
            answers += 1
            sent += task.tokens
        else:
            kept += 1
        if not plan.judged or (reply is not None and not reply.answer):
            continue
        judge_key = request_key(plan.judge_prompt_of(task, reply.answer)) if reply else ""
        if judge_key in counted:
            continue
        if judge_key:
            counted.add(judge_key)
        if judge_key in exchanges.replies:
            kept += 1
        else:
            judgements += 1
            sent += plan.questions[task.question].tokens
    received = _ANSWER_TOKENS * answers + _JUDGEMENT_TOKENS * judgements
    return AnswerCost(answers + judgements, sent, received, kept)
