"""What a model answered and judged, kept so that nothing is sent twice."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from chunking.retrieval.answers.prompting import answer_prompts
from chunking.retrieval.questions.chat import ChatModel
from chunking.runtime.journal import JournalFile

FORMAT = "chunkscope-answers/1"
"""What the first line of a file of replies says that it is."""

Purpose = Literal["answer", "judge"]


@dataclass(frozen=True, slots=True)
class Reply:
    """What a model replied.

    Attributes:
        purpose: whether it answered a question or judged an answer.
        key: of the request, see :func:`~chunking.retrieval.answers.prompting.request_key`.
        answer: to the question; empty where the passages do not hold it, and of a judgement.
        is_correct: the judgement; ``None`` of an answer.
        is_readable: whether the reply was the JSON that was requested.
    """

    purpose: Purpose
    key: str
    answer: str = ""
    is_correct: bool | None = None
    is_readable: bool = True


class Exchanges:
    """Requests and replies of one model with one prompt.

    Args:
        path: of a file that keeps them, JSON Lines; ``None`` for memory alone.
        model: the model.
        about: what else the first line of the file says.

    Attributes:
        model, endpoint: name of the model, and host and port where it is.
        replies: by the key of the request.

    Raises:
        ChunkscopeError: the file cannot be read, is another one, or is of another model or prompt.
    """

    def __init__(self, path: Path | None, model: ChatModel, about: Mapping[str, Any] | None = None) -> None:
        self.model, self.endpoint = model.name, model.where.host
        head = {
            "format": FORMAT,
            "model": self.model,
            "endpoint": self.endpoint,
            "prompt": answer_prompts().digest,
            **(about or {}),
        }
        self._file = JournalFile(path, head, "answers", _reply)
        self.replies = {reply.key: reply for reply in self._file.records}

    def begin(self) -> None:
        """Write the first line, if it is not there yet.

        Raises:
            ChunkscopeError: it cannot be written.
        """
        self._file.begin()

    def add(self, reply: Reply, request: Mapping[str, Any]) -> None:
        """Keep a reply with what was requested.

        Raises:
            ChunkscopeError: it cannot be written.
        """
        content = {"answer": reply.answer or None} if reply.purpose == "answer" else {"correct": reply.is_correct}
        self._file.append(
            {"request": reply.purpose, "key": reply.key, **request, "readable": reply.is_readable, "reply": content}
        )
        self.replies[reply.key] = reply


def _reply(row: object) -> Reply | None:
    """Return the reply of a row; ``None`` if it has another form."""
    if not isinstance(row, dict) or not isinstance(row.get("reply"), dict):
        return None
    purpose, key, readable, reply = row.get("request"), row.get("key"), row.get("readable"), row["reply"]
    answer, correct = reply.get("answer") or "", reply.get("correct")
    if purpose not in get_args(Purpose) or not isinstance(key, str) or not isinstance(readable, bool):
        return None
    if not isinstance(answer, str) or not isinstance(correct, bool | None):
        return None
    return Reply("answer" if purpose == "answer" else "judge", key, answer, correct, readable)
