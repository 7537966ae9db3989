"""The questions of a data set as a file, so that every worker reads them by its path."""

from __future__ import annotations

import functools
import json
from dataclasses import dataclass

from chunking.batch.corpus import fingerprint
from chunking.batch.storage import files, storage
from chunking.retrieval.questions.data import Answer, Question, QuestionSet, Truth


@dataclass(frozen=True, eq=False)
class BatchQuestions:
    """The questions of a data set.

    Attributes:
        name: of the set.
        truth: what is known to be true.
        itself: see :class:`chunking.retrieval.questions.data.QuestionSet`.
        questions: with their truth.
    """

    name: str
    truth: Truth
    itself: bool
    questions: tuple[Question, ...]


def write(base: str, known: QuestionSet) -> str:
    """Write the questions of a set below a folder; the path, whose name is their hash."""
    value = {
        "name": known.name,
        "truth": known.truth,
        "itself": known.itself,
        "questions": [
            {
                "id": question.id,
                "text": question.text,
                "grades": list(question.grades.items()),
                "answers": [[answer.document, answer.start, answer.end] for answer in question.answers],
            }
            for question in known.questions
        ],
    }
    path = f"{base}/questions-{fingerprint(value)}.json"
    storage.write(path, json.dumps(value).encode())
    return path


@functools.lru_cache(maxsize=2)
def read(path: str) -> BatchQuestions:
    """Return the questions of a file."""
    data = storage.read(path)
    if data is None:
        raise files.lost(path)
    value = json.loads(data)
    questions = tuple(
        Question(
            row["id"],
            row["text"],
            dict(row["grades"]),
            tuple(Answer(*answer) for answer in row["answers"]),
        )
        for row in value["questions"]
    )
    return BatchQuestions(value["name"], value["truth"], value["itself"], questions)
