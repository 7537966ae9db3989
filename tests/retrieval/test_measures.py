from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunking.retrieval import measures
from chunking.retrieval.measures import Cutoffs
from chunking.retrieval.questions.data import Answer, CorpusDocument, Question, QuestionSet, Range, merge_answers
from chunking.retrieval.search.passages import Passages
from chunking.retrieval.search.ranking import Rankings
from chunking.tokens import get_tokenizer

spans = st.tuples(st.integers(0, 2), st.integers(0, 40), st.integers(1, 12)).map(
    lambda each: (each[0], each[1], each[1] + each[2])
)


def characters(some: list[Range]) -> set[tuple[int, int]]:
    return {(document, place) for document, start, end in some for place in range(start, end)}


@given(st.lists(spans, max_size=8), st.lists(spans, min_size=1, max_size=5))
def test_overlap_is_that_of_sets_of_characters(retrieved: list[Range], wanted: list[Range]) -> None:
    found, true = characters(retrieved), characters(wanted)
    size = sum(end - start for _, start, end in retrieved)
    scores = measures.overlap_scores(retrieved, merge_answers(wanted))
    shared = len(found & true)
    assert scores["recall"] == pytest.approx(shared / len(true))
    assert scores["precision"] == pytest.approx(shared / size if size else 0.0)
    assert scores["iou"] == pytest.approx(shared / (size + len(true - found)))


@given(st.lists(spans, max_size=8), st.lists(spans, min_size=1, max_size=5))
def test_omega_is_the_answer_over_all_that_holds_it(some: list[Range], wanted: list[Range]) -> None:
    known = passages(some)
    true = characters(wanted)
    holding = [each for each in sorted(some) if characters([each]) & true]
    places = measures.holders(known, merge_answers(wanted))
    assert sorted(measures.ranges(known, places)) == sorted(holding)
    shared = len(characters(holding) & true)
    expected = shared / len(characters(holding) | true)
    assert measures.omega(measures.ranges(known, places), merge_answers(wanted)) == pytest.approx(expected)


def passages(some: list[Range], tokens: int = 3) -> Passages:
    document, start, end = np.array(sorted(some), dtype=np.int64).reshape(-1, 3).T.copy()
    return Passages("made", document, start, end, start, np.full(len(some), tokens, dtype=np.int64))


TEXT = "The lamp is lit at dusk. The keeper climbs ninety steps. A boat brings oil every second week in winter."


def one_document(size: int) -> tuple[QuestionSet, Passages]:
    counter = get_tokenizer()
    cuts = [*range(0, len(TEXT), size), len(TEXT)]
    rows = [(0, start, end) for start, end in pairwise(cuts) if start < end]
    counts = counter.count([TEXT[start:end] for _, start, end in rows])
    known = passages(rows)
    known = Passages("made", known.document, known.start, known.end, known.reach, counts)
    start = TEXT.index("ninety")
    question = Question("q", "How many steps?", answers=(Answer(0, start, start + 12),))
    return QuestionSet("made", "spans", (CorpusDocument("d", TEXT),), (question,)), known


@given(st.integers(3, 60), st.integers(1, 40))
def test_a_context_is_the_ranking_in_order_and_never_more_than_its_tokens(size: int, budget: int) -> None:
    known, cut = one_document(size)
    order = np.random.default_rng(size * 100 + budget).permutation(len(cut))
    counter = get_tokenizer()
    within = measures.context(cut, order, budget, known, counter)
    whole = measures.ranges(cut, order)
    assert within[:-1] == whole[: max(len(within) - 1, 0)]
    if within:
        document, start, end = whole[len(within) - 1]
        assert within[-1][:2] == (document, start)
        assert within[-1][2] <= end
    assert sum(int(counter.count([TEXT[start:end]])[0]) for _, start, end in within) <= budget
    everything = int(cut.tokens.sum())
    if budget >= everything:
        assert within == whole


def test_recall_within_tokens_does_not_fall_as_tokens_grow() -> None:
    known, cut = one_document(17)
    hits = Rankings((np.arange(len(cut)),), (np.zeros(len(cut), dtype=np.float32),))
    kept = Cutoffs(5, (2, 5, 10, 20, 40, 80))
    values = measures.span_measures(known, cut, hits, kept, get_tokenizer())
    row = [float(values[f"recall@{budget}"][0]) for budget in kept.budgets]
    assert row == sorted(row)
    assert row[0] == 0.0
    assert row[-1] == 1.0
    assert values["rr"][0] == pytest.approx(1 / (1 + TEXT.index("ninety") // 17))


def test_a_hit_is_a_passage_among_the_first_that_holds_some_of_an_answer() -> None:
    known, cut = one_document(17)
    answer = TEXT.index("ninety") // 17
    places = np.array([0, answer, 1 + answer])
    hits = Rankings((places,), (np.zeros(3, dtype=np.float32),))
    for first, hit in ((1, 0.0), (2, 1.0), (3, 1.0)):
        values = measures.span_measures(known, cut, hits, Cutoffs(first, ()), get_tokenizer())
        assert values[f"hit@{first}"].tolist() == [hit]
        assert values[f"holds@{first}"].tolist() == [0.0]  # the answer lies across two passages


def test_a_passage_holds_an_answer_by_its_text_wherever_it_stands() -> None:
    text = "ninety steps. Nothing here. ninety steps. ninety"
    known = QuestionSet("made", "spans", (CorpusDocument("d", text),), ())
    cut = passages([(0, 0, 13), (0, 13, 28), (0, 28, 42), (0, 42, 48)])
    order = np.arange(4)
    asked = [Answer(0, 28, 40)]
    assert measures.by_text(known, cut, order, asked).tolist() == [True, False, True, True]
    assert measures.by_text(known, cut, order, asked, inside=False).tolist() == [True, False, True, False]
    assert measures.holders(cut, asked).tolist() == [2]


def test_a_hit_in_judged_documents_is_a_passage_of_a_relevant_one() -> None:
    cut = passages([(0, 0, 1), (1, 0, 1), (1, 1, 3), (2, 0, 3), (3, 0, 3)])
    found = ranking([1, 3, 0], [1, 2, 4])
    for first, hits in ((1, [0.0, 1.0]), (2, [1.0, 1.0])):
        values = measures.passage_hits(judged(), cut, found, Cutoffs(first))
        assert values[f"hit@{first}"].tolist() == hits
    own = measures.passage_hits(judged(itself=True), cut, ranking([1, 0], [1, 2, 3, 4]), Cutoffs(1))
    assert own["hit@1"].tolist() == [0.0, 0.0]  # both passages of b are left out, so the first is that of c


def judged(itself: bool = False) -> QuestionSet:
    sources = tuple(CorpusDocument(name, name * 3) for name in "abcdef")
    questions = (
        Question("q", "one", {0: 1, 2: 2}),
        Question("b", "two", {1: 1, 3: 1}),
    )
    return QuestionSet("made", "documents", sources, questions, itself=itself)


def ranking(*rows: list[int]) -> Rankings:
    places = tuple(np.array(row, dtype=np.int64) for row in rows)
    return Rankings(places, tuple(np.zeros(len(row), dtype=np.float32) for row in rows))


def test_document_measures_by_hand() -> None:
    values = measures.document_measures(judged(), ranking([1, 2, 0], [3, 1]), Cutoffs(2))
    assert list(values) == ["nDCG@2", "nDCG@10", "R@2", "R@10", "P@2", "P@10", "RR", "AP"]
    assert values["RR"].tolist() == [0.5, 1.0]
    assert values["R@2"].tolist() == [0.5, 1.0]
    assert values["P@2"].tolist() == [0.5, 1.0]
    assert values["AP"].tolist() == pytest.approx([(1 / 2 + 2 / 3) / 2, 1.0])
    none = measures.document_measures(judged(), ranking([], [3]), Cutoffs(10))
    assert all(row[0] == 0.0 for row in none.values()), "a question that finds nothing"
    gain = 2 / np.log2(3) + 1 / np.log2(4)
    assert values["nDCG@10"].tolist() == pytest.approx([gain / (2 + 1 / np.log2(3)), 1.0])


def test_a_document_that_is_the_question_itself_is_not_ranked() -> None:
    values = measures.document_measures(judged(itself=True), ranking([0], [1, 3]), Cutoffs(10))
    assert values["RR"].tolist() == [1.0, 1.0]
    assert values["R@10"].tolist() == [0.5, 0.5]
