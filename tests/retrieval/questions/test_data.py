from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from chunking.retrieval.questions import folders
from chunking.retrieval.questions.data import Answer, CorpusDocument, Question, QuestionSet, corpora
from tests.retrieval.questions.test_folders import lines


def made(names: list[str | None], per_document: int) -> QuestionSet:
    sources = tuple(CorpusDocument(f"d{place}", "some text", corpus=name) for place, name in enumerate(names))
    questions = tuple(
        Question(f"{place}-{number}", "what", answers=(Answer(place, 0, 4),))
        for place in range(len(names))
        for number in range(per_document)
    )
    return QuestionSet("made", "spans", sources, questions)


def test_documents_name_their_corpora() -> None:
    assert corpora(made(["law", "wiki", "law"], 1)) == ("law", "wiki", "law")
    assert corpora(made(["law", None], 1)) == ("law", "")
    assert corpora(made(["law", "law"], 20)) == ()


def test_a_few_documents_with_many_questions_are_corpora_themselves() -> None:
    assert set(corpora(made([None, None], 10))) == {"d0", "d1"}
    assert corpora(made([None, None], 9)) == ()
    assert corpora(made([None] * 11, 10)) == ()
    assert corpora(made([None], 50)) == ()


def test_the_identity_of_a_set_is_that_of_its_content() -> None:
    known = made(["law", None], 2)
    assert known.content_hash == made(["law", None], 2).content_hash == replace(known, name="other").content_hash
    assert len({known.content_hash, *(made(*other).content_hash for other in ((["law"], 2), (["law", None], 1)))}) == 3


def test_the_corpus_of_judged_documents_is_that_of_the_first_relevant_one() -> None:
    sources = (CorpusDocument("a", "x", corpus="one"), CorpusDocument("b", "y", corpus="two"))
    questions = (Question("1", "what", {0: 0, 1: 1}), Question("2", "who", {0: 2}))
    assert corpora(QuestionSet("made", "documents", sources, questions)) == ("two", "one")


def test_rows_name_their_corpus(tmp_path: Path) -> None:
    lines(
        tmp_path / "docs.jsonl",
        [{"_id": "a", "text": "Tea.", "corpus": "tea"}, {"_id": "b", "text": "Oil.", "group": "oil"}],
    )
    rows = [{"_id": id, "text": "What?", "doc_id": id, "spans": [[0, 3]]} for id in "ab"]
    lines(tmp_path / "queries.jsonl", rows)
    assert corpora(folders.read(tmp_path)) == ("tea", "oil")


def test_questions_without_spans_are_answered_by_their_documents(tmp_path: Path) -> None:
    lines(tmp_path / "docs.jsonl", [{"doc_id": "a", "text": "Tea."}, {"doc_id": 7, "text": "Oil."}])
    rows = [{"_id": "1", "text": "What?", "doc_id": 7}, {"_id": "2", "text": "Who?", "doc_id": "gone"}]
    lines(tmp_path / "queries.jsonl", rows)
    found = folders.read(tmp_path)
    assert found.truth == "documents"
    assert [source.id for source in found.sources] == ["a", "7"]
    assert [question.grades for question in found.questions] == [{1: 1}]
    assert [remark.what for remark in found.remarks] == ["question on a document that is not there left out"]
