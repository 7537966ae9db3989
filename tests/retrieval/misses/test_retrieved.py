from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from chunking.errors import ChunkscopeError
from chunking.retrieval.misses import retrieved
from chunking.retrieval.misses.retrieved import Cutoff, SizedRanking
from chunking.retrieval.questions.data import Answer, CorpusDocument, QuestionSet
from chunking.retrieval.search.ranking import DEPTH, METHODS, Method
from chunking.tokens import get_tokenizer
from tests.retrieval.made import any_set, evaluated, word_counts

__all__ = ["word_counts"]

TEXT = "Oil  burns.\n\nA boat comes. "


@pytest.mark.parametrize("wrong", [{"passages": 0}, {"tokens": 0}, {"passages": -1, "tokens": 5}])
def test_nothing_cannot_be_looked_at(wrong: dict[str, int]) -> None:
    with pytest.raises(ChunkscopeError):
        Cutoff(**wrong)


def test_the_measure_of_what_is_looked_at() -> None:
    assert [Cutoff(3).measure("spans"), Cutoff(3, 700).measure("spans")] == ["recall", "recall@700"]
    assert Cutoff(3).measure("documents") == "R@3"
    with pytest.raises(ChunkscopeError):
        Cutoff(tokens=9).measure("documents")


places = st.tuples(st.integers(0, len(TEXT) - 1), st.integers(1, 12)).map(
    lambda each: (0, each[0], min(sum(each), len(TEXT)))
)


@given(places, st.lists(places, max_size=5))
def test_what_is_missing_is_all_but_white_space_that_is_not_seen(
    wanted: tuple[int, int, int], seen: list[tuple[int, int, int]]
) -> None:
    known = QuestionSet("made", "spans", (CorpusDocument("d", TEXT),), ())
    found = retrieved.missing(known, [Answer(*wanted)], seen)
    left = set(range(*wanted[1:])) - {at for _, start, end in seen for at in range(start, end)}
    covered = [at for each in found for at in range(each.start, each.end)]
    assert len(covered) == len(set(covered))
    assert set(covered) <= left
    assert all(TEXT[at].isspace() for at in left - set(covered))
    assert all(TEXT[each.start : each.end] == TEXT[each.start : each.end].strip() for each in found)


@given(
    st.lists(st.tuples(st.integers(0, 4), st.integers(1, 9)), min_size=1, max_size=8),
    st.integers(0, 4),
    st.integers(1, 9),
    st.data(),
)
def test_something_stands_where_it_would_be_ranked(
    hits: list[tuple[int, int]], score: int, size: int, data: st.DataObject
) -> None:
    place = data.draw(st.integers(0, len(hits) - 1))
    within = data.draw(st.sampled_from([Cutoff(1), Cutoff(3), Cutoff(tokens=12)]))
    order = sorted(range(len(hits)), key=lambda each: (-hits[each][0], each))
    columns = np.array(order), np.array([hits[each][0] for each in order]), np.array([hits[each][1] for each in order])
    ranked = SizedRanking(columns[0], columns[1].astype(np.float32), columns[2])
    rank, inside = ranked.stand(float(score), size, place, [place], within)
    replaced = [(score, size) if each == place else hit for each, hit in enumerate(hits)]
    again = sorted(range(len(hits)), key=lambda each: (-replaced[each][0], each))
    assert rank == again.index(place) + 1
    until = sum(replaced[each][1] for each in again[:rank])
    assert inside == (until <= within.tokens if within.tokens else rank <= within.passages)


def test_what_lies_behind_a_full_ranking_is_not_within() -> None:
    full = np.arange(DEPTH)
    ranked = SizedRanking(full, np.ones(DEPTH, dtype=np.float32), np.zeros(DEPTH, dtype=np.int64))
    assert ranked.stand(0.5, 1, DEPTH + 5, [], Cutoff(5000)) == (DEPTH + 1, False)
    assert ranked.stand(1.5, 1, DEPTH + 5, [], Cutoff(5000)) == (1, True)


@pytest.mark.usefixtures("word_counts")
@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.integers(0, 10**9).map(any_set), st.sampled_from(METHODS), st.sampled_from([Cutoff(2), Cutoff(tokens=15)]))
def test_values_are_those_of_the_evaluation(known: QuestionSet, method: Method, within: Cutoff) -> None:
    found, row = evaluated(known, "sentence:max_tokens=12;overlap=4", within, method)
    (passages,) = found.passages.values()
    values = retrieved.values(known, passages, row.hits, within, get_tokenizer())
    assert values.tolist() == row.values[within.measure("spans")].tolist()
