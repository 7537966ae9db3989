"""Questions made of documents: what they are made of is not found, and every span is one of the source."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

from chunking import from_text, strategies
from chunking.batch import corpus
from chunking.document import Document
from chunking.errors import ChunkscopeError
from chunking.retrieval.evaluate import RetrievalOptions, evaluate
from chunking.retrieval.questions import own, proxies
from chunking.retrieval.questions.data import Answer, Question, QuestionSet, describe_proxies, hide, mask
from chunking.retrieval.reports.summary import summarize
from chunking.retrieval.search import passages
from chunking.workspace import Models
from tests import command_line

OIL = "A boat brings barrels every second week. In winter it may be late, so the store holds enough for two months."
HORN = "In thick weather the keeper sounds it by hand. Each blast lasts four seconds and is heard for three miles."
LOG = "Every night is written down. The book holds the hours, the wind and the ships that passed the tower."
GUIDE = f"""# Lighthouse

- [Fuel deliveries](#fuel)
- [Fog signal](#fog)

## Fuel deliveries

{OIL} Without it there is no light. The barrels are rolled up the path. Two men need an hour for ten of them.

## Fog signal

{HORN} It was replaced in 1920. The old one stands in the hall. Visitors may try it on Sundays.

## Notes

{LOG}

## Notes

{LOG}
"""
TOOLS = Models(encoder="char-ngrams", splitter="rules")


def document(text: str = GUIDE, name: str = "guide.md") -> Document:
    return from_text(text, name=name, format="markdown", language="en")


def question_set(made: proxies.ProxyQuestions, documents: Mapping[str, Document]) -> QuestionSet:
    return own.question_set("made", documents, made.questions)


def test_a_heading_asks_for_its_section_and_is_hidden_with_its_entry_in_the_contents() -> None:
    made = proxies.make({"guide": document()}, "headings")
    fuel, fog = made.questions["guide"]
    assert [question.text for question in (fuel, fog)] == ["Lighthouse: Fuel deliveries", "Lighthouse: Fog signal"]
    assert [question.origin for question in (fuel, fog)] == ["heading", "heading"]
    ((start, end),) = fuel.spans
    assert GUIDE[start:end].startswith("A boat")
    assert GUIDE[start:end].endswith("ten of them.")
    assert [GUIDE[start:end] for _, start, end in fuel.hidden] == ["- [Fuel deliveries](#fuel)", "## Fuel deliveries"]
    assert made.candidates == 5
    assert made.left_out == {
        "that occur more than once": 2,
        "with fewer than 100 characters before the next heading": 1,
    }


def test_a_sentence_asks_for_its_surroundings_and_no_answer_is_hidden() -> None:
    made = proxies.make({"guide": document()}, "sentences", 2)
    questions = made.questions["guide"]
    assert questions
    for question in questions:
        ((_, start, end),) = question.hidden
        assert " ".join(GUIDE[start:end].split()) == question.text
        assert any(span[1] <= start for span in question.spans)
        assert any(span[0] >= end for span in question.spans)
        for other in questions:
            assert not any(low < end and start < high for low, high in other.spans)


@pytest.mark.parametrize("kind", proxies.KINDS)
def test_the_same_seed_chooses_the_same_questions_whatever_else_there_is(kind: proxies.Kind) -> None:
    text = "\n\n".join(
        f"## Part {word}\n\n" + " ".join(f"The {word} number {n} has a long and quiet history here." for n in range(12))
        for word in ("alpha", "beta", "gamma", "delta")
    )
    one = proxies.make({"a": document(text)}, kind, 2, seed=3)
    assert one == proxies.make({"a": document(text)}, kind, 2, seed=3)
    assert len(one) == 2
    assert len({str(proxies.make({"a": document(text)}, kind, 2, seed=seed).questions) for seed in range(8)}) > 1


@pytest.mark.parametrize("method", ["bm25", "dense"])
@pytest.mark.parametrize("embed", ["headings", "chunk", "title"])
def test_no_search_finds_what_a_question_was_made_of(method: str, embed: str) -> None:
    documents = {"guide": document()}
    known = question_set(proxies.make(documents, "headings"), documents)
    assert known.sources[0].text == GUIDE
    lines = f"heading:embed={embed},recursive:size=60;overlap=0;embed={embed}"
    settings = {setting.text: setting for setting in strategies.parse_all(lines, True)}
    evaluation = evaluate(known, settings, RetrievalOptions((method,), tools=TOOLS))  # type: ignore[arg-type]
    for cut in evaluation.passages.values():
        indexed = " ".join(cut.indexed_texts(known.sources)).lower()
        assert "fuel deliveries" not in indexed
        assert "fog signal" not in indexed
        assert "notes" in indexed  # no question was made of it
        spans = zip(cut.start.tolist(), cut.end.tolist(), strict=True)
        assert all(mask(GUIDE, known.sources[0].hidden)[start:end].strip() for start, end in spans)
    assert summarize(evaluation).notes[0].startswith("2 of 2 questions are proxies made of the documents")


def test_hidden_text_changes_no_cut() -> None:
    documents = {"guide": document()}
    known = question_set(proxies.make(documents, "sentences"), documents)
    setting = {"s": strategies.parse_all("structural")[0]}
    with_hidden = passages.cut(known.sources, setting, TOOLS)["s"]
    without = passages.cut((own.source("guide", document()),), setting, TOOLS)["s"]
    assert np.array_equal(with_hidden.start, without.start)
    assert np.array_equal(with_hidden.end, without.end)


def test_a_set_without_hidden_spans_keeps_its_documents_and_its_hash() -> None:
    question = Question("1", "Why?", answers=(Answer(0, 0, 5),))
    known = own.question_set("made", {"guide": document()}, {"guide": [question]})
    assert hide(known.sources, known.questions) is known.sources
    hidden = own.question_set(
        "made",
        {"guide": document()},
        {"guide": [Question("1", "Why?", answers=(Answer(0, 0, 5),), hidden=(Answer(0, 7, 9),))]},
    )
    assert hidden.content_hash != known.content_hash
    assert describe_proxies(known.questions) == []


def test_the_file_is_read_as_it_was_written() -> None:
    documents = {"guide": document()}
    made = proxies.make(documents, "headings")
    read, remarks = own.read(own.jsonl(made.questions).encode(), "questions.jsonl", documents)
    assert read == made.questions
    assert remarks == ()


@pytest.mark.parametrize(
    ("kind", "number", "text", "problem"),
    [
        ("words", None, GUIDE, "no proxy questions of 'words'"),
        ("headings", 0, GUIDE, "counted from 1"),
        ("headings", None, "No heading here.", "No question can be made of the headings"),
        ("sentences", None, "", "No question can be made of the sentences"),
        ("headings", None, "# A\n\n# B\n", "fewer than 100 characters"),
    ],
)
def test_what_makes_no_question(kind: proxies.Kind, number: int | None, text: str, problem: str) -> None:
    with pytest.raises(ChunkscopeError, match=problem):
        proxies.make({"a": document(text)}, kind, number)


# --- the command -----------------------------------------------------------------------------------------------------


def test_the_command_writes_what_evaluate_reads(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "docs"
    (folder / "a").mkdir(parents=True)
    (folder / "a" / "guide.md").write_text(GUIDE, encoding="utf-8")
    output = tmp_path / "made.jsonl"
    code, out, err = command_line.run(capsys, "questions", "proxies", folder, "--kind", "headings", "--output", output)
    assert (code, out) == (0, "")
    assert "2 questions on 1 document, of 5 headings. They are proxies" in err
    assert "2 headings that occur more than once left out" in err
    rows = [json.loads(line) for line in output.read_text(encoding="utf-8").splitlines()]
    assert {row["doc_id"] for row in rows} == {"a/guide.md"}
    code, out, err = command_line.run(
        capsys, "evaluate", "retrieval", folder, "--questions", output, "--strategies", "heading,whole", "--retriever",
        "bm25",
    )  # fmt: skip
    assert code == 0
    assert json.loads(out)["questions"] == ["heading-1", "heading-2"]
    assert "2 of 2 questions are proxies" in err


def test_a_table_of_documents_is_read_and_batches_refuse_proxies(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "docs.jsonl").write_text(json.dumps({"_id": "guide", "text": GUIDE, "format": "markdown"}))
    code, out, _ = command_line.run(capsys, "questions", "proxies", tmp_path, "--kind", "headings", "--number", "1")
    assert code == 0
    assert json.loads(out)["doc_id"] == "guide"
    (tmp_path / "queries.jsonl").write_text(out)
    with pytest.raises(ChunkscopeError, match="Question 'heading-1' .* is a proxy"):
        corpus.read(tmp_path, str(tmp_path / "list"), with_questions=True)


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["--questions", "made.jsonl", "--split", "test"], "--questions replaces them"),
        (["--questions", "none.jsonl"], "none.jsonl cannot be read"),
        (["--questions", "made.jsonl"], "has no question on a document of"),
    ],
)
def test_questions_that_do_not_fit(
    words: list[str], problem: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("guide.md").write_text(GUIDE)
    Path("made.jsonl").write_text('{"_id": "1", "text": "Why?", "doc_id": "other", "spans": [[0, 3]]}\n')
    code, _, err = command_line.run(capsys, "evaluate", "retrieval", ".", "--strategies", "whole", *words)
    assert code == 2
    assert problem in err


def test_a_document_that_cannot_be_read_does_not_end_the_others(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "guide.md").write_text(GUIDE)
    (tmp_path / "broken.pdf").write_bytes(b"%PDF-1.7 nothing")
    code, out, err = command_line.run(capsys, "questions", "proxies", tmp_path, "--kind", "headings")
    assert code == 1
    assert len(out.splitlines()) == 2
    assert "broken.pdf" in err
