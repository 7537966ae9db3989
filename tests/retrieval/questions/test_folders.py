from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

import pytest

from chunking.errors import ChunkscopeError
from chunking.retrieval.questions import folders
from chunking.retrieval.questions.data import Answer, QuestionSet, describe_remarks


def lines(path: Path, rows: Iterable[object]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(row if isinstance(row, str) else json.dumps(row) for row in rows), encoding="utf-8")


def beir(folder: Path, corpus: list[object], queries: list[object], qrels: list[str], split: str = "test") -> Path:
    lines(folder / "corpus.jsonl", corpus)
    lines(folder / "queries.jsonl", queries)
    lines(folder / "qrels" / f"{split}.tsv", qrels)
    return folder


CORPUS: list[object] = [
    {"_id": "d1", "title": "Tides", "text": "The sea rises twice a day."},
    {"_id": "d2", "title": "", "text": "Oil came by boat."},
]
HEAD = "query-id\tcorpus-id\tscore"


def whats(known: QuestionSet) -> list[tuple[str, str]]:
    return [(remark.id, remark.what) for remark in known.remarks]


def test_beir_is_read(tmp_path: Path) -> None:
    queries: list[object] = [{"_id": "q1", "text": "How often?"}, {"_id": 2, "text": "What came?"}]
    known = folders.read(beir(tmp_path / "sea", CORPUS, queries, [HEAD, "q1\td1\t2", "2\td2\t1", "2\td1\t0"]))
    assert (known.name, known.truth, known.itself) == ("sea", "documents", True)
    assert known.sources[0].text == "Tides\n\nThe sea rises twice a day."
    assert known.sources[1].text == "Oil came by boat."
    assert [dict(question.grades) for question in known.questions] == [{0: 2}, {1: 1, 0: 0}]
    assert known.remarks == ()


def test_what_cannot_be_used_is_left_out_and_told(tmp_path: Path) -> None:
    corpus = [
        *CORPUS,
        {"_id": "d1", "text": "again"},
        {"_id": "d3", "text": " "},
        {"_id": "d4", "text": 7},
        "{",
        {"text": "x"},
    ]
    queries: list[object] = [
        {"_id": "q1", "text": "How often?"},
        {"_id": "q2", "text": ""},
        {"_id": "q3", "text": "never judged"},
        {"_id": "q4", "text": "judged irrelevant"},
        {"_id": "q5", "text": "judged on what is not there"},
    ]
    qrels = [
        HEAD,
        "q1\td1\t1",
        "q1\td1\t1",
        "q1\td9\t1",
        "q9\td1\t1",
        "q4\td1\t0",
        "q5\td9\t1",
        "q1\td2\thigh",
        "q1 d2 1",
    ]
    known = folders.read(beir(tmp_path, corpus, queries, qrels))
    assert [question.id for question in known.questions] == ["q1"]
    assert whats(known) == [
        ("d1", "row with an id that came before left out"),
        ("d3", "empty document, which nothing can find"),
        ("d4", "document whose text is no text left out"),
        ("", "line that is not a JSON object left out"),
        ("", "row without _id left out"),
        ("q2", "question without words left out"),
        ("q1", "judgement that came before left out"),
        ("d9", "judgement of a document that is not there left out"),
        ("q9", "judgement of a question that is not there left out"),
        ("d9", "judgement of a document that is not there left out"),
        ("q1", "judgement whose grade is no whole number left out"),
        ("", "row without query, document and grade left out"),
        ("q3", "question without a judgement in qrels/test.tsv left out"),
        ("q4", "question without a relevant document left out"),
        ("q5", "question without a relevant document left out"),
    ]
    lines = describe_remarks(known.remarks)
    assert "qrels/test.tsv: judgement of a document that is not there left out (first: line 4, 'd9'), 2 times" in lines
    assert len(lines) == 13


def test_the_split_is_named_or_the_usual_one(tmp_path: Path) -> None:
    folder = beir(tmp_path, CORPUS, [{"_id": "q", "text": "a"}], [HEAD, "q\td1\t1"], "train")
    lines(folder / "qrels" / "dev.tsv", ["q\t0\td2\t1"])  # as TREC has them, without a head
    assert dict(folders.read(folder).questions[0].grades) == {1: 1}
    assert dict(folders.read(folder, "train").questions[0].grades) == {0: 1}
    with pytest.raises(ChunkscopeError, match=r"no judgements 'test'\. There are: dev, train"):
        folders.read(folder, "test")


def spans(folder: Path, docs: list[object], queries: list[object]) -> Path:
    lines(folder / "docs.jsonl", docs)
    lines(folder / "queries.jsonl", queries)
    return folder


def test_spans_are_read_and_merged(tmp_path: Path) -> None:
    docs: list[object] = [{"_id": "a", "text": "Oil came by boat 🚢 in May.", "format": "markdown", "lang": "en"}]
    row = {"_id": 1, "text": "What?", "doc_id": "a", "spans": [[9, 16], [0, 3], [3, 8]]}
    known = folders.read(spans(tmp_path, docs, [row]))
    assert known.truth == "spans"
    assert known.questions[0].answers == (Answer(0, 0, 8), Answer(0, 9, 16))
    opened = known.sources[0].open()
    assert (opened.text, opened.format, opened.language) == ("Oil came by boat 🚢 in May.", "markdown", "en")


def test_spans_that_cannot_be_are_left_out_and_told(tmp_path: Path) -> None:
    docs: list[object] = [{"_id": "a", "text": "Oil.", "format": "scroll"}]
    wrong = [[0, 9], [2, 2], [-1, 2], [1], "x", [0.5, 2], [True, 2]]
    queries: list[object] = [
        {"_id": "1", "text": "What?", "doc_id": "a", "spans": [[0, 3], *wrong]},
        {"_id": "2", "text": "What?", "doc_id": "a", "spans": wrong[:1]},
        {"_id": "3", "text": "What?", "doc_id": "b", "spans": [[0, 1]]},
        {"_id": "4", "text": "What?", "doc_id": "a"},
        {"_id": "5", "doc_id": "a", "spans": [[0, 1]]},
    ]
    known = folders.read(spans(tmp_path, docs, queries))
    assert [question.id for question in known.questions] == ["1"]
    counts: dict[str, int] = {}
    for _, what in whats(known):
        counts[what] = counts.get(what, 0) + 1
    assert counts == {
        "unknown format, read as plain text": 1,
        "span outside the text left out": 4,
        "span that is not [start, end] left out": 4,
        "question without a span left out": 2,
        "question on a document that is not there left out": 1,
        "question without words left out": 1,
    }


@pytest.mark.parametrize("content", [{}, {"corpus.jsonl": "{}"}, {"notes.txt": "x"}, {"docs.jsonl": ""}])
def test_a_folder_that_is_no_set_is_refused(tmp_path: Path, content: dict[str, str]) -> None:
    for name, text in content.items():
        (tmp_path / name).write_text(text)
    with pytest.raises(ChunkscopeError):
        folders.read(tmp_path)
    with pytest.raises(ChunkscopeError, match="is no folder"):
        folders.read(tmp_path / "nothing")


def test_what_is_not_utf_8_is_told(tmp_path: Path) -> None:
    folder = spans(
        tmp_path, [{"_id": "a", "text": "Oil."}], [{"_id": "1", "text": "?q", "doc_id": "a", "spans": [[0, 1]]}]
    )
    with (folder / "docs.jsonl").open("ab") as out:
        out.write(b'\n{"_id": "b", "text": "\xff"}\n')
    assert ("", "line that is not UTF-8 left out") in whats(folders.read(folder))


def test_files_and_questions_on_them(tmp_path: Path) -> None:
    (tmp_path / "sea").mkdir()
    (tmp_path / "sea" / "tides.md").write_text("# Tides\n\nThe sea rises twice a day.\n", encoding="utf-8")
    (tmp_path / "sea" / "tides.json").write_text('{"about": "tides.md"}', encoding="utf-8")
    (tmp_path / "oil.html").write_text("<p>Oil came <b>by boat</b>.</p>", encoding="utf-8")
    (tmp_path / "broken.pdf").write_bytes(b"%PDF-1.7 nothing")
    lines(
        tmp_path / "questions.jsonl",
        [
            {"_id": "1", "text": "How often?", "doc_id": "tides", "spans": [[23, 34]]},
            {"_id": "2", "text": "What came?", "doc_id": "oil.html", "spans": [[0, 3]]},
            {"_id": "3", "text": "Where?", "doc_id": "sea/tides.md", "spans": [[13, 16]]},
        ],
    )
    known = folders.read(tmp_path)
    assert [source.id for source in known.sources] == ["oil.html", "sea/tides.md"]
    assert [question.answers[0].document for question in known.questions] == [1, 0, 1]
    assert known.sources[0].open().format == "html"
    assert len(known.remarks) == 1
    assert "document that cannot be read left out" in known.remarks[0].what


def test_the_samples_have_forty_questions_and_more_whose_answers_are_there(root: Path) -> None:
    known = folders.read(root / "sample_docs")
    assert len(known.questions) >= 40
    assert known.remarks == ()
    asked = {answer.document for question in known.questions for answer in question.answers}
    assert asked == set(range(len(known.sources)))
    for question in known.questions:
        for answer in question.answers:
            words = known.sources[answer.document].text[answer.start : answer.end]
            assert words == words.strip()
            assert len(words) < 400
