"""Questions of one's own: what is typed and marked, in and out as JSON Lines, and sets as they were uploaded."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunking import ChunkscopeError, from_text
from chunking.document import Document
from chunking.retrieval.questions import own
from chunking.retrieval.questions.data import Answer, Question

TEXT = "# Kettle\n\nFill it to the line. Boil it 🫖 twice.\n\nDescale it every month.\n"
KETTLE = from_text(TEXT, name="kettle.md", format="markdown", language="en")
PAN = from_text("A pan wants oil. A wok wants heat.", name="pan.txt", format="text", language="en")
DOCUMENTS = {"kettle (1a2b3c)": KETTLE, "pan": PAN}


def span(words: str, document: Document = KETTLE) -> own.Span:
    start = document.text.index(words)
    return start, start + len(words)


# --- typed -----------------------------------------------------------------------------------------------------------


def test_a_question_keeps_its_words_on_one_line_and_its_answers_in_order() -> None:
    made = own.make_question(
        "1", "  How \n often? ", [span("every month"), span("twice"), span("every month.")], KETTLE
    )
    assert (made.id, made.text, made.spans) == ("1", "How often?", (span("twice"), span("every month.")))


@pytest.mark.parametrize(
    ("words", "spans", "problem"),
    [
        (" \n", [(0, 3)], "no words"),
        ("a" * (own.WORDS + 1), [(0, 3)], "characters"),
        ("Why?", [], "no answer"),
        ("Why?", [(8, 10)], "no answer"),
        ("Why?", [(3, 3)], "not a part"),
        ("Why?", [(0, len(TEXT) + 1)], "not a part"),
        ("Why?", [(-1, 2)], "not a part"),
    ],
)
def test_what_cannot_be_asked_is_refused(words: str, spans: list[own.Span], problem: str) -> None:
    with pytest.raises(ChunkscopeError, match=problem):
        own.make_question("1", words, spans, KETTLE)


def test_half_a_surrogate_pair_in_a_question_does_not_reach_the_file() -> None:
    made = own.make_question("1", "Tea\ud83e?", [span("twice")], KETTLE)
    assert own.jsonl({"pan": [made]}).encode()


@given(st.lists(st.integers(0, 30).map(str), max_size=20))
def test_the_next_id_is_free(known: list[str]) -> None:
    assert own.next_id(known) not in known


# --- files -----------------------------------------------------------------------------------------------------------


@st.composite
def _asked(draw: st.DrawFn, id: str) -> Question:
    words = draw(st.text(min_size=1, max_size=40).filter(lambda text: text.strip()))
    ends = st.integers(0, len(TEXT) - 1).flatmap(
        lambda start: st.tuples(st.just(start), st.integers(start + 1, len(TEXT)))
    )
    spans = draw(st.lists(ends.filter(lambda span: not TEXT[span[0] : span[1]].isspace()), min_size=1, max_size=4))
    return own.make_question(id, words, spans, KETTLE)


@given(st.data(), st.integers(1, 4))
def test_what_is_saved_is_loaded(data: st.DataObject, count: int) -> None:
    made = tuple(data.draw(_asked(str(number))) for number in range(count))
    kept = {"kettle (1a2b3c)": made}
    assert own.read(own.jsonl(kept).encode(), "q.jsonl", DOCUMENTS) == (kept, ())


@pytest.mark.parametrize("called", ["kettle (1a2b3c)", "kettle.md", "kettle"])
def test_a_document_goes_by_its_name_its_file_or_that_without_ending(called: str) -> None:
    row = {"_id": "x", "text": "Where to?", "doc_id": called, "spans": [list(span("the line"))]}
    found, remarks = own.read(json.dumps(row).encode(), "q.jsonl", DOCUMENTS)
    assert found == {"kettle (1a2b3c)": (Question("x", "Where to?", answers=(Answer(0, *span("the line")),)),)}
    assert not remarks


def test_what_is_left_out_of_a_file_is_told_under_its_name() -> None:
    rows = [
        {"_id": "1", "text": "What does a wok want?", "doc_id": "pan", "spans": [[17, 34]]},
        {"_id": "2", "text": "What does a pot want?", "doc_id": "pot", "spans": [[0, 3]]},
        {"_id": "3", "text": "How deep?", "doc_id": "pan", "spans": [[0, 300]]},
    ]
    data = "\n".join(map(json.dumps, rows)).encode() + b"\nnot json"
    found, remarks = own.read(data, "mine.jsonl", DOCUMENTS)
    assert [each.id for each in found["pan"]] == ["1"]
    assert {(remark.file, remark.line) for remark in remarks} == {
        ("mine.jsonl", 2),
        ("mine.jsonl", 3),
        ("mine.jsonl", 4),
    }


def test_a_file_of_which_nothing_is_left_is_refused_with_the_reasons() -> None:
    row = {"_id": "2", "text": "What does a pot want?", "doc_id": "pot", "spans": [[0, 3]]}
    with pytest.raises(ChunkscopeError, match=r"mine.jsonl has no question") as caught:
        own.read(json.dumps(row).encode(), "mine.jsonl", DOCUMENTS)
    assert "document that is not there" in caught.value.remedy


# --- sets ------------------------------------------------------------------------------------------------------------


def test_a_set_holds_every_document_and_tells_equal_ids_apart() -> None:
    kettle = own.make_question("1", "How often?", [span("every month")], KETTLE)
    pan = own.make_question("1", "What oils?", [(0, 16)], PAN)
    made = own.question_set("Mine", DOCUMENTS, {"kettle (1a2b3c)": [kettle], "pan": [pan]})
    assert [source.text for source in made.sources] == [KETTLE.text, PAN.text]
    assert made.sources[0].open() is KETTLE
    assert [question.id for question in made.questions] == ["1", "pan: 1"]
    assert made.questions[1].answers == (Answer(1, 0, 16),)
    assert made.truth == "spans"


def test_a_set_without_a_question_is_refused() -> None:
    with pytest.raises(ChunkscopeError, match="no question yet"):
        own.question_set("Mine", DOCUMENTS, {})


def test_uploaded_files_of_spans_are_a_set() -> None:
    files = {
        "docs.jsonl": json.dumps({"_id": "d", "text": PAN.text}).encode(),
        "queries.jsonl": json.dumps({"_id": "q", "text": "Oil?", "doc_id": "d", "spans": [[0, 16]]}).encode(),
    }
    made = own.of_files(files, "Uploaded 1")
    assert made.name == "Uploaded 1"
    assert [(each.id, each.answers) for each in made.questions] == [("q", (Answer(0, 0, 16),))]


def test_uploaded_judgements_need_no_folder() -> None:
    files = {
        "corpus.jsonl": json.dumps({"_id": "d", "title": "Pan", "text": PAN.text}).encode(),
        "queries.jsonl": json.dumps({"_id": "q", "text": "Oil?"}).encode(),
        "test.tsv": b"query-id\tcorpus-id\tscore\nq\td\t1\n",
    }
    made = own.of_files(files, "Uploaded 1")
    assert made.truth == "documents"
    assert made.questions[0].grades == {0: 1}


@pytest.mark.parametrize(
    "files",
    [
        {"holiday.txt": b"sun"},
        {"docs.jsonl": b"", "queries.jsonl": b""},
        {"docs.jsonl": b'{"_id": "d", "text": "Pan"}', "queries.jsonl": b"[]"},
        {"../docs.jsonl": b'{"_id": "d", "text": "Pan"}'},
        {"x" * 300: b"long"},
    ],
)
def test_uploaded_files_that_are_no_set_are_refused_without_a_place_of_this_machine(
    files: dict[str, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with pytest.raises(ChunkscopeError) as caught:
        own.of_files(files, "Uploaded 1")
    assert str(tmp_path) not in str(caught.value)
    assert list(tmp_path.iterdir()) == []
