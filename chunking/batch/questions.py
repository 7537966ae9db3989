"""The questions of a data set as a file, so that every worker reads them by its path."""

from __future__ import annotations

import functools
import json

from chunking.batch.corpus import fingerprint
from chunking.batch.storage import files, storage
from chunking.retrieval.questions.data import Answer, Question, QuestionSet
from chunking.retrieval.search import bm25


def write(base: str, question_set: QuestionSet) -> str:
    """Write the questions of a set, without its documents, to a file whose name is their hash; return its path."""
    rows = [
        [
            question.id,
            question.text,
            list(question.grades.items()),
            list(map(list, question.answers)),
        ]
        for question in question_set.questions
    ]
    value = {"name": question_set.name, "truth": question_set.truth, "itself": question_set.itself, "questions": rows}
    path = f"{base}/questions-{fingerprint(value)}.json"
    storage.write(path, json.dumps(value).encode())
    return path


@functools.lru_cache(maxsize=2)
def read(path: str) -> QuestionSet:
    """Return the questions of a file, without documents."""
    data = storage.read(path)
    if data is None:
        raise files.lost(path)
    value = json.loads(data)
    questions = tuple(
        Question(id, text, dict(grades), tuple(Answer(*answer) for answer in answers))
        for id, text, grades, answers in value["questions"]
    )
    return QuestionSet(value["name"], value["truth"], (), questions, itself=value["itself"])


@functools.lru_cache(maxsize=2)
def vocabulary(path: str) -> dict[str, int]:
    """Return the words of the questions in a file, each with its number."""
    return bm25.vocabulary(question.text for question in read(path).questions)
