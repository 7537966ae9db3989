"""The Verdict view: its words, its marks, and the text in which an answer is broken."""

from __future__ import annotations

import re

import pytest

from chunking.retrieval.evaluate import RetrievalOptions, evaluate
from chunking.retrieval.misses.causes import CAUSES
from chunking.retrieval.misses.retrieved import Cutoff
from chunking.retrieval.questions.data import Answer, CorpusDocument, Question, QuestionSet
from chunking.retrieval.significance import Difference
from chunking.retrieval.tasks import trace_causes
from chunking.strategies import parse
from chunking.workspace import Models
from pages.shared.evaluate import passages
from pages.shared.evaluate.verdict import words_against

TEXT = (
    "The old mill grinds rye. Its stones are dressed twice a year, <b>in March</b> and in October. Nobody works on "
    "Sunday."
)


def pair(mean: float, low: float, high: float, questions: int = 50, needed: int | None = 0) -> Difference:
    return Difference("a", "b", mean, (low, high), (low, high), questions, needed)


@pytest.mark.parametrize(
    ("difference", "words"),
    [
        (None, "the best"),
        (pair(-0.23, -0.42, -0.04), "−23 points (−42 to −4)"),
        (pair(-0.1, -0.3, 0.1, needed=97), "no significant difference · about 97 more questions"),
        (pair(0.0, 0.0, 0.0, needed=None), "no significant difference"),
        (pair(-0.5, -0.9, -0.1, questions=3), "too few questions"),
    ],
)
def test_a_difference_is_told_with_what_is_certain(difference: Difference | None, words: str) -> None:
    assert words_against(difference) == words


@pytest.mark.parametrize("count", [0, 1, 40, 41, 1000])
def test_marks_stand_for_the_missed_questions_and_never_fill_more_than_their_room(count: int) -> None:
    counts = dict.fromkeys(CAUSES, 0) | {"cut": count}
    html = passages.marks_of(counts)
    assert html.endswith(f" {count:,}")
    assert len(re.findall("<i ", html)) == (count if count <= 40 else len(re.findall("<i ", html))) <= 40
    assert bool(re.findall("<i ", html)) == bool(count)


def test_a_broken_answer_shows_the_cut_in_it_what_is_missed_and_no_markup() -> None:
    start, end = TEXT.index("Its stones"), TEXT.index(" Nobody")
    answers = (Answer(0, start, end),)
    questions = QuestionSet(
        "mill",
        "spans",
        (CorpusDocument("mill.txt", TEXT),),
        (Question("1", "When are the stones dressed?", answers=answers),),
    )
    setting = parse("recursive:size=40;overlap=0")
    options = RetrievalOptions(("bm25",), tools=Models(encoder="char-ngrams", splitter="rules"))
    evaluation = evaluate(questions, {"small": setting}, options)
    (analyzed,) = trace_causes(evaluation, Cutoff(tokens=10), None, lambda *_: None)[evaluation.rows[0].name]
    html = passages.broken_answer(evaluation, "small", analyzed)
    assert "✂ this cut breaks the answer" in html
    assert "<del>" in html
    assert "<b>in March" not in html
    text = re.sub(r"<i .*?</i>|<[^>]+>", "", html)
    assert text.replace("&lt;b&gt;", "<b>").replace("&lt;/b&gt;", "</b>") == TEXT
