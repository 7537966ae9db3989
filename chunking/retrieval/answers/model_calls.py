"""Send the requests of a plan to a model, each once, and keep the replies."""

from __future__ import annotations

from typing import Any

from chunking.errors import ChunkscopeError
from chunking.retrieval.answers.exchanges import Exchanges, Purpose, Reply
from chunking.retrieval.answers.plan import AnswerPlan, AnswerTask
from chunking.retrieval.answers.prompting import Prompt, request_key
from chunking.retrieval.questions.chat import PATIENCE, ChatModel
from chunking.retrieval.search.context import comparable
from chunking.runtime.progress import Tell
from chunking.tokens import well_formed

LONGEST_ANSWER = 4000
"""Characters of an answer that are kept."""


def ask_model(plan: AnswerPlan, model: ChatModel, exchanges: Exchanges, date: str, tell: Tell | None = None) -> None:
    """Let a model answer all questions of a plan, and judge the answers where the plan says so.

    Args:
        plan: the questions with their passages.
        model: the model.
        exchanges: receives each reply; requests whose replies it has are not sent.
        date: ISO 8601, kept with each reply.
        tell: receives the progress; may raise to stop.

    Raises:
        ChunkscopeError: the endpoint fails, or the model does not reply with JSON again and again. What it replied
            until then is kept.
    """
    sender = _Sender(model, exchanges, date)
    exchanges.begin()
    for number, task in enumerate(plan.tasks):
        if tell:
            tell("answers", number, len(plan.tasks))
        reply = sender.send("answer", plan.prompt_of(task), _answer_request(plan, task))
        if plan.judged and reply.answer:
            question = plan.questions[task.question]
            request = {"question": question.text, "reference": question.reference, "answer": reply.answer}
            sender.send("judge", plan.judge_prompt_of(task, reply.answer), request)
    if tell:
        tell("answers", len(plan.tasks), len(plan.tasks))


def _answer_request(plan: AnswerPlan, task: AnswerTask) -> dict[str, Any]:
    passages = [
        {"document": document, "start": start, "end": end, "text": text}
        for (document, start, end), text in zip(task.ranges, task.passages, strict=True)
    ]
    return {"question": plan.questions[task.question].text, "passages": passages}


class _Sender:
    """Sends requests whose replies are not kept yet."""

    def __init__(self, model: ChatModel, exchanges: Exchanges, date: str) -> None:
        self._model = model
        self._exchanges = exchanges
        self._date = date
        self._failures = 0

    def send(self, purpose: Purpose, prompt: Prompt, request: dict[str, Any]) -> Reply:
        """Return the reply to a request, which is sent if it was not before.

        Raises:
            ChunkscopeError: the endpoint fails, or too many replies in a row are not the JSON that was requested.
        """
        key = request_key(prompt)
        if key in self._exchanges.replies:
            return self._exchanges.replies[key]
        content = self._model.ask(*prompt)
        reply = _read_answer(key, content) if purpose == "answer" else _read_judgement(key, content)
        self._failures = 0 if reply.is_readable else self._failures + 1
        if self._failures == PATIENCE:
            raise ChunkscopeError(
                f"{self._model.name:.80} did not reply with the JSON that was requested, {PATIENCE} times in a row.",
                "Name another model.",
            )
        self._exchanges.add(reply, request | {"date": self._date})
        return reply


def _read_answer(key: str, content: dict[str, Any] | None) -> Reply:
    """Return an answer; one without letters and digits is none."""
    if content is None or "answer" not in content:
        return Reply("answer", key, is_readable=False)
    value = content["answer"]
    if value is None:
        return Reply("answer", key)
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return Reply("answer", key, is_readable=False)
    text = well_formed(" ".join(str(value).split())[:LONGEST_ANSWER])
    return Reply("answer", key, text if comparable(text) else "")


def _read_judgement(key: str, content: dict[str, Any] | None) -> Reply:
    value = content.get("correct") if content else None
    is_correct = value if isinstance(value, bool) else None
    return Reply("judge", key, is_correct=is_correct, is_readable=is_correct is not None)
