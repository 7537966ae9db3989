"""What brought a passage up: shares of terms that make up the score, and sentences that are in the passage."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from chunking import strategies
from chunking.retrieval.misses.passage_index import PassageIndex
from chunking.retrieval.questions.data import CorpusDocument
from chunking.retrieval.search import passages
from chunking.retrieval.search.bm25 import BM25, term_spans, words
from tests.retrieval.made import TOOLS, VOCABULARY, any_set, word_counts

__all__ = ["word_counts"]

pytestmark = pytest.mark.usefixtures("word_counts")

TEXT = "# Light\n\nThe lamp burns oil. Nobody sleeps.\n\n## Boats\n\nA boat comes on Monday. It brings oil."


def index(setting: str) -> PassageIndex:
    sources = (CorpusDocument("d", TEXT, "markdown", "en"),)
    cut = passages.cut(sources, {"": strategies.parse(setting, retrieval=True)}, TOOLS)[""]
    return PassageIndex(cut, sources, TOOLS)


def test_terms_have_their_shares_of_the_score() -> None:
    made = index("paragraph:min_tokens=0")
    found = made.search("which boat brings oil", "bm25")
    why = made.evidence("which boat brings oil", "bm25", found)
    assert [each.term for each in why[0].terms] == ["boat", "brings", "oil"]
    assert sum(each.share for each in why[0].terms) == pytest.approx(1)
    assert why[0].terms[2].share < why[0].terms[0].share  # oil is in two passages
    assert why[0].sentences == ()


def test_the_closest_sentences_are_those_of_the_passage() -> None:
    made = index("paragraph:min_tokens=0")
    found = made.search("lamp oil", "dense")
    why = made.evidence("lamp oil", "dense", found)
    best = why[0].sentences[0]
    assert best.text == "The lamp burns oil." and best.span is not None
    assert TEXT[best.span.start : best.span.end] == best.text
    assert best.similarity > why[0].sentences[1].similarity
    assert all(each.terms == () for each in why)
    both = made.evidence("lamp oil", "hybrid", made.search("lamp oil", "hybrid"))
    assert both[0].terms and both[0].sentences


def test_headings_that_were_embedded_are_compared_too() -> None:
    made = index("paragraph:min_tokens=0;embed=headings")
    found = made.search("light", "dense")
    why = made.evidence("light", "dense", found)
    assert any(each.span is None and each.text.startswith("Light") for one in why for each in one.sentences)


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 999), asked=st.lists(st.sampled_from(VOCABULARY), min_size=1, max_size=6))
def test_terms_add_up_to_the_score(seed: int, asked: list[str]) -> None:
    texts = [source.text for source in any_set(seed).sources]
    scorer = BM25.of_texts([" ".join(asked)], texts)
    places = np.arange(len(texts))
    parts = scorer.term_scores(0, places)
    total = np.zeros(len(texts))
    for part in parts.values():
        total += part
    assert total == pytest.approx(scorer.scores(0, 1)[0], abs=1e-4)
    assert set(parts) <= set(asked)


def test_terms_are_found_where_they_stand() -> None:
    text = "Oil, oil-lamp; 石油ランプ"
    for term in words(text):
        assert any(text[start:end].lower() == term for start, end in term_spans(text, {term}))
    assert [text[start:end] for start, end in term_spans(text, {"oil", "石油"})] == ["Oil", "oil", "石油"]
    assert term_spans(text, set()) == []
