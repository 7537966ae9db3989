from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from chunking.document import Span
from chunking.errors import ChunkscopeError
from chunking.retrieval.misses import passage_index
from chunking.retrieval.misses.passage_index import PassageIndex, RetrievedPassage
from chunking.retrieval.misses.retrieved import Cutoff
from chunking.retrieval.questions.data import Answer, CorpusDocument, QuestionSet
from chunking.retrieval.search import index
from chunking.retrieval.search.index import EXACT, usable
from chunking.retrieval.search.passages import Passages, cut
from chunking.retrieval.search.ranking import METHODS, Method
from chunking.strategies import parse
from tests.retrieval.made import TOOLS, any_set, evaluated, spans, word_counts
from tests.retrieval.misses.test_analysis import judged

__all__ = ["word_counts"]

pytestmark = pytest.mark.usefixtures("word_counts")

TEXT = "The lamp burns oil. The boat comes on Monday.\n\nNobody oils the lamp on Monday."


def passages(setting: str = "sentence:max_tokens=7;overlap=0") -> tuple[Passages, tuple[CorpusDocument, ...]]:
    sources = (CorpusDocument("d", TEXT, language="en"),)
    return cut(sources, {"": parse(setting)}, TOOLS)[""], sources


def ask(query: str, method: Method = "dense", depth: int = 10) -> tuple[RetrievedPassage, ...]:
    return PassageIndex(*passages(), TOOLS).search(query, method, depth)


def test_a_free_question() -> None:
    hits = ask("boat")
    assert [hit.rank for hit in hits] == [1, 2, 3]
    assert TEXT[hits[0].start : hits[0].end].strip() == "The boat comes on Monday."
    assert hits[0].score == pytest.approx(1 / np.sqrt(5), abs=1e-3)
    assert [hit.before for hit in hits] == [0, hits[0].tokens, hits[0].tokens + hits[1].tokens]
    assert [len(ask("boat", method)) for method in METHODS] == [3, 1, 3]
    assert len(ask("lamp", depth=2)) == 2


@pytest.mark.parametrize(("query", "method"), [(" \n", "dense"), ("lamp", "sparse")])
def test_what_cannot_be_asked_is_refused(query: str, method: Method) -> None:
    with pytest.raises(ChunkscopeError):
        ask(query, method)


def test_a_corpus_of_nothing_is_asked_in_vain() -> None:
    none = np.zeros(0, dtype=np.int64)
    empty = Passages("made", none, none, none, none, none)
    assert [PassageIndex(empty, (), TOOLS).search("lamp", method) for method in METHODS] == [(), (), ()]


@pytest.mark.skipif(not usable(), reason="FAISS is not here")
def test_an_index_is_kept_for_all_that_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    found, sources = passages()
    exact = PassageIndex(found, sources, TOOLS, questions=["lamp"])
    made = PassageIndex(found, sources, TOOLS, choice="faiss", questions=["lamp", "boat on Monday"])
    assert exact.searched == EXACT
    assert (made.searched.lists, made.searched.checked, made.searched.own) == (2, 2, False)
    assert PassageIndex(found, sources, TOOLS, choice="faiss").searched.own
    scores = {hit.passage: hit.score for hit in exact.search("boat")}
    for hit in made.search("boat"):
        assert hit.score == scores[hit.passage]
    assert [hit.rank for hit in made.search("boat", "hybrid")]
    monkeypatch.setattr(index, "ONE_BY_ONE", index.IndexThresholds(len(found), 1))
    assert PassageIndex(found, sources, TOOLS, questions=["lamp"]).searched.lists
    assert not PassageIndex(found, sources, TOOLS).searched.lists  # nothing to measure it on
    with pytest.raises(ChunkscopeError, match="no index"):
        PassageIndex(found, sources, TOOLS, choice="abacus")  # type: ignore[arg-type]


def test_the_answer_is_marked_also_in_the_overlap() -> None:
    start = TEXT.index("burns oil")
    known = spans([TEXT], [("oil", [(0, "burns oil"), (0, "Monday.\n\nNobody")])])
    found, row = evaluated(known, "sentence:max_tokens=14;overlap=7", Cutoff(2))
    hits = sorted(passage_index.of_question(found, row, 0), key=lambda hit: hit.start)
    assert hits[0].marks == (Span(start, start + 9), Span(TEXT.index("Monday"), hits[0].end))
    assert hits[1].start < hits[1].own
    assert Span(TEXT.index("Monday"), TEXT.index("Nobody") + 6) in hits[1].marks


def test_judged_documents_say_so_and_the_question_itself_is_left_out() -> None:
    known = judged(["lamp oil", "The oil burns.", "The lamp oil burns."], {"lamp oil": {2: 1}}, itself=True)
    found, row = evaluated(known, "whole", Cutoff(2))
    assert [(hit.rank, hit.document, hit.relevant) for hit in passage_index.of_question(found, row, 0)] == [
        (1, 2, True),
        (2, 1, False),
    ]


@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(
    st.integers(0, 10**9).map(any_set),
    st.sampled_from(METHODS),
    st.sampled_from(["whole", "sentence:max_tokens=12;overlap=4"]),
)
def test_a_question_asked_freely_finds_what_it_finds_in_the_evaluation(
    known: QuestionSet, method: Method, setting: str
) -> None:
    found, row = evaluated(known, setting, Cutoff(3), method)
    made = PassageIndex(found.passages[setting], known.sources, TOOLS)
    for number, question in enumerate(known.questions):
        listed = passage_index.of_question(found, row, number, 50)
        free = made.search(question.text, method, 50)
        assert [hit.passage for hit in free] == [hit.passage for hit in listed]
        assert [hit.score for hit in free] == pytest.approx([hit.score for hit in listed], abs=1e-5)
        for hit in listed:
            inside = {at for mark in hit.marks for at in range(mark.start, mark.end)}
            assert inside == truth(question.answers, hit.document) & set(range(hit.start, hit.end))


def truth(answers: tuple[Answer, ...], document: int) -> set[int]:
    return {at for each in answers if each.document == document for at in range(each.start, each.end)}
