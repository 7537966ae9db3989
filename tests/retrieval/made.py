"""Made corpora with an encoder that counts words, so that what is alike to what can be read off the text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import ClassVar

import numpy as np
import pytest

from chunking import embedding, strategies
from chunking.retrieval.evaluate import RetrievalEvaluation, RetrievalOptions, RetrievalRow, evaluate
from chunking.retrieval.misses.retrieved import Cutoff
from chunking.retrieval.questions.data import Answer, CorpusDocument, Question, QuestionSet, merge_answers
from chunking.retrieval.search.ranking import Method
from chunking.runtime.arrays import Float32, Int64
from chunking.workspace import Models

LIMIT = 30
"""Words that the encoder reads."""

TOOLS = Models(encoder="made-words", splitter="rules")


class WordCounts:
    """How often each word is there, of the first :data:`LIMIT`; texts that share no word are at right angles."""

    name = TOOLS.encoder
    key = "made-words/1"
    dimension = 4096
    max_tokens = LIMIT
    languages = ()
    places: ClassVar[dict[str, int]] = {}

    def encode(self, texts: Sequence[str]) -> Float32:
        rows = np.zeros((len(texts), self.dimension), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            for word in words(text)[:LIMIT] or ["nothing"]:
                row[self.places.setdefault(word, len(self.places))] += 1
        unit: Float32 = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        return unit

    def token_counts(self, texts: Sequence[str]) -> Int64:
        return np.array([len(words(text)) for text in texts], dtype=np.int64)


def words(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())


@pytest.fixture
def word_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    """The encoder under its name."""
    monkeypatch.setitem(embedding._BUILT_IN, TOOLS.retrieval_encoder, WordCounts)


def spans(texts: Sequence[str], asked: Sequence[tuple[str, Sequence[tuple[int, str]]]]) -> QuestionSet:
    """Questions whose answers are texts in documents, by place and words."""
    questions = [
        Question(
            f"q{number}",
            text,
            answers=merge_answers(
                [Answer(at, texts[at].index(part), texts[at].index(part) + len(part)) for at, part in parts]
            ),
        )
        for number, (text, parts) in enumerate(asked)
    ]
    sources = tuple(CorpusDocument(f"d{place}", text, language="en") for place, text in enumerate(texts))
    return QuestionSet("made", "spans", sources, tuple(questions))


VOCABULARY = (
    "lamp",
    "oil",
    "boat",
    "wick",
    "fog",
    "horn",
    "tide",
    "rope",
    "tar",
    "quill",
    "mast",
    "stone",
    "crow",
    "jay",
)


def any_set(seed: int) -> QuestionSet:
    """Documents of random words with questions on them, whose answers begin and end anywhere."""
    random = np.random.default_rng(seed)

    def some(least: int, most: int) -> str:
        return " ".join(random.choice(VOCABULARY, random.integers(least, most)).tolist())

    def paragraph() -> str:
        return " ".join(f"{some(2, 8).capitalize()}." for _ in range(random.integers(1, 7)))

    texts = ["\n\n".join(paragraph() for _ in range(random.integers(1, 4))) for _ in range(random.integers(1, 5))]
    questions = []
    for number in range(random.integers(1, 6)):
        answers = []
        for _ in range(random.integers(1, 3)):
            at = int(random.integers(len(texts)))
            start = int(random.integers(len(texts[at])))
            answers.append(Answer(at, start, min(start + int(random.integers(1, 50)), len(texts[at]))))
        like = words(texts[answers[0].document][answers[0].start :])[:3]
        questions.append(Question(f"q{number}", f"{some(1, 3)} {' '.join(like)}", answers=merge_answers(answers)))
    sources = tuple(CorpusDocument(f"d{place}", text, language="en") for place, text in enumerate(texts))
    return QuestionSet("made", "spans", sources, tuple(questions))


def evaluated(
    known: QuestionSet, setting: str, within: Cutoff, method: Method = "dense"
) -> tuple[RetrievalEvaluation, RetrievalRow]:
    """One strategy on a set."""
    options = RetrievalOptions((method,), within.kept, TOOLS)
    found = evaluate(known, {setting: strategies.parse(setting)}, options)
    return found, found.rows[0]
