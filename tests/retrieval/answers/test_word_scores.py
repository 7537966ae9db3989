"""Answers and quotes compared by their words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunking.retrieval.answers.word_scores import answer_words, compare_words


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("The U.S. paid $1,000 for AN island!", ["us", "paid", "1000", "for", "island"]),
        ("twenty-one – “lamps”", ["twentyone", "lamps"]),
        ("灯台は1880年に", ["灯", "台", "は", "1880", "年", "に"]),
        ("ＡＢＣ　灯", ["abc", "灯"]),
        ("ตะเกียง", list("ตะเกียง")),
        ("등대는 1880년", ["등대는", "1880년"]),
        ("Straße", ["strasse"]),
        ("Café Cafe\u0301", ["café", "café"]),
        ("The, a.", []),
        ("", []),
    ],
)
def test_words_are_normalised_as_by_squad(text: str, words: list[str]) -> None:
    assert answer_words(text) == words


@pytest.mark.parametrize(
    ("answer", "quote", "f1", "contained"),
    [
        ("1880", "in 1880", 2 / 3, 0.5),
        ("It was built in the year 1880.", "in 1880", 0.5, 1.0),
        ("oil oil oil", "oil", 0.5, 1.0),
        ("灯台", "灯台は白い", 4 / 7, 2 / 5),
        ("1790", "in 1880", 0.0, 0.0),
        ("—", "…", 1.0, 1.0),
        ("—", "oil", 0.0, 0.0),
    ],
)
def test_scores(answer: str, quote: str, f1: float, contained: float) -> None:
    scores = compare_words(answer, quote)
    assert (scores.f1, scores.contained) == pytest.approx((f1, contained))


@given(st.text(max_size=60), st.text(max_size=60))
def test_scores_are_shares_and_an_answer_equals_itself(answer: str, quote: str) -> None:
    scores, reverse = compare_words(answer, quote), compare_words(quote, answer)
    assert 0 <= scores.f1 <= 1
    assert 0 <= scores.contained <= 1
    assert scores.f1 == reverse.f1
    assert compare_words(quote, quote).f1 == 1
    if answer_words(quote):
        assert compare_words(f"{quote} {answer}", quote).contained == 1
