"""The layouts of other programs: chunklab, Chroma, and documents with key facts."""

from __future__ import annotations

import csv
import json
import tempfile
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chunking.errors import ChunkscopeError
from chunking.retrieval.questions import folders, quoted
from chunking.retrieval.questions.data import CorpusDocument, QuestionSet
from chunking.retrieval.questions.quoted import QuoteFinder
from tests import shared_data
from tests.examples import examples
from tests.retrieval.questions.test_folders import whats

TIDES = "# Tides\n\nThe sea rises  twice\na day. At spring tide it rises by six metres.\n"
OIL = "Oil came by boat in May. The boat had eleven barrels of oil, and the keeper paid in coins.\n"


def files(folder: Path, contents: dict[str, str]) -> Path:
    for name, text in contents.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8", newline="")
    return folder


def words(known: QuestionSet) -> list[list[str]]:
    return [
        [known.sources[each.document].text[each.start : each.end] for each in question.answers]
        for question in known.questions
    ]


# --- quotes --------------------------------------------------------------------------------------------------------


@given(st.text("abc .,\n\té", max_size=60), st.data())
def test_a_piece_of_a_text_is_found_where_it_was_taken_from(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    piece = text[start:end]
    found = QuoteFinder([CorpusDocument("d", text)]).find(piece.upper())
    assert bool(found.answers) == bool(piece.strip())
    for each in found.answers:
        there = text[each.start : each.end]
        if found.near:  # cut inside a word, or widened to whole words
            assert quoted.normalize(piece)[1:-1] in quoted.normalize(there)
        else:
            assert quoted.normalize(there) == quoted.normalize(piece)


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("港口在五月关闭了三天，油桶从船上运来。", "五月关闭"),
        ("港は五月に三日間閉まり、油の樽が船で届いた。", "三日間閉まり"),
        ("ท่าเรือปิดสามวันในเดือนพฤษภาคมและน้ำมันมาทางเรือ", "สามวันในเดือน"),
        ("港口的AI系统在五月关闭。", "AI系统"),
        ("港口的AI系统在五月关闭。", "的AI"),
    ],
)
def test_a_quote_of_a_script_without_spaces_is_not_widened(text: str, quote: str) -> None:
    match = QuoteFinder([CorpusDocument("d", text)]).find(quote)
    assert not match.near and [text[answer.start : answer.end] for answer in match.answers] == [quote]


def test_whole_words_come_before_parts_of_them() -> None:
    found = QuoteFinder([CorpusDocument("d", "In 11 hours or 1 hour.")]).find("1 hour")
    assert [(each.start, each.end) for each in found.answers] == [(15, 21)]


def test_what_is_nearly_there_is_found_and_what_is_not_is_not() -> None:
    search = QuoteFinder([CorpusDocument("a", TIDES), CorpusDocument("b", OIL)])
    near = search.find("the boat had eleven barels of oil")
    assert near.near
    assert [OIL[each.start : each.end] for each in near.answers] == ["The boat had eleven barrels of oil"]
    assert search.find("the boat had eleven barels of oil", [0]).answers == ()
    assert search.find("nobody ever wrote this sentence").answers == ()


# --- chunklab ------------------------------------------------------------------------------------------------------

YAML = """
questions:
  - id: rises
    query: How often does the sea rise?
    gold_snippets: ["the sea rises twice a day"]
  - id: 2
    query: What came?
    gold_snippets:
      - - "Oil came by boat"
        - "eleven barrels of oil"
"""


def test_chunklab_questions_are_read(tmp_path: Path) -> None:
    contents = {"corpus/tides.md": TIDES, "corpus/oil.txt": OIL, "questions.yaml": YAML, "README.md": "no document"}
    known = folders.read(files(tmp_path, contents))
    assert [source.id for source in known.sources] == ["corpus/oil.txt", "corpus/tides.md"]
    assert [(question.id, question.text) for question in known.questions] == [
        ("rises", "How often does the sea rise?"),
        ("2", "What came?"),
    ]
    assert words(known) == [["The sea rises  twice\na day"], ["Oil came by boat", "eleven barrels of oil"]]
    assert whats(known) == [("2", "gold snippet found in several places, all of which count as answers")]


def test_chunklab_questions_that_cannot_be_used_are_told(tmp_path: Path) -> None:
    rows = [
        {"id": "1", "query": "What came?", "gold_snippets": ["Oil came by boat", "nobody wrote this anywhere at all"]},
        {"id": "1", "query": "again", "gold_snippets": ["Oil"]},
        {"query": "no id", "gold_snippets": ["Oil"]},
        {"id": "2", "query": "What?", "gold_snippets": []},
        {"id": "3", "query": " ", "gold_snippets": ["in May"]},
        {"id": "4", "query": "What?", "gold_snippets": [[], {"a": "b"}, ""]},
        {"id": "5", "query": "What?", "gold_snippets": ["the boat had eleven barels of oil"]},
        "text",
    ]
    known = folders.read(files(tmp_path, {"oil.txt": OIL, "questions.yml": json.dumps(rows)}))
    assert [question.id for question in known.questions] == ["1", "5"]
    assert whats(known) == [
        ("1", "gold snippet that stands in no document left out"),
        ("1", "row with an id that came before left out"),
        ("", "row without id left out"),
        ("2", "question without a span left out"),
        ("3", "question without words left out"),
        *[("4", "gold snippet that is no text left out")] * 3,
        ("4", "question without a span left out"),
        ("5", "gold snippet without exact match, located approximately"),
        ("", "entry that is no record left out"),
    ]


BOMB = "a: &a [x, x]\nb: &b [*a, *a]\nquestions: [*b, *b]\n"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (BOMB, "has aliases"),
        ("[" * 50 + "]" * 50, "nested deeper"),
        ("questions: {", "is no YAML"),
        ("questions: 7", "no list of questions"),
        ("", "no list of questions"),
        ("!!python/object/apply:os.getcwd []", "no question with a true answer"),
        ("questions: [{id: 1, query: 2020-01-01, gold_snippets: [nowhere at all]}]", "no question with a true answer"),
    ],
)
def test_yaml_that_is_no_set_is_refused(tmp_path: Path, text: str, problem: str) -> None:
    with pytest.raises(ChunkscopeError, match=problem):
        folders.read(files(tmp_path, {"oil.txt": OIL, "questions.yaml": text}))


def test_values_of_yaml_stay_as_they_are_written() -> None:
    assert quoted.parse_yaml("[007, 1.50, no, 2020-01-01, null]", "x") == ["007", "1.50", "no", "2020-01-01", "null"]


# --- facts ---------------------------------------------------------------------------------------------------------


def facts(folder: Path, queries: Sequence[object], file: str = "ground_truth.json", **more: str) -> Path:
    contents = {"documents/sea/tides.md": TIDES, "documents/oil.md": OIL, file: json.dumps({"queries": queries})}
    return files(folder, {**contents, **more})


def test_spans_of_documents_with_ids_are_read(tmp_path: Path) -> None:
    metadata = [{"id": "t", "filename": "sea/tides.md"}, {"id": "gone", "filename": "gone.md"}]
    spans = [
        {"doc_id": "t", "start": 9, "end": 16},
        {"doc_id": "oil", "start": 0, "end": 3},
        {"doc_id": "t", "start": 9, "end": 999},
        {"doc_id": "x", "start": 0, "end": 1},
        {"doc_id": "t", "start": "0", "end": 1},
    ]
    queries = [{"id": "q", "query": "What?", "relevant_spans": spans, "key_facts": ["metres"]}]
    folder = facts(tmp_path, queries, "spans.json", **{"corpus_metadata.json": json.dumps(metadata)})
    known = folders.read(folder)
    assert words(known) == [["Oil", "The sea"]]
    assert whats(known) == [
        ("gone", "document that is not there left out"),
        ("q", "span outside the text left out"),
        ("q", "span in a document that is not there left out"),
        ("q", "span without start and end left out"),
    ]


def test_key_facts_are_looked_for_in_the_expected_documents(tmp_path: Path) -> None:
    queries = [
        {
            "id": "q",
            "original_query": "Oil?",
            "human_queries": [{"query": "And the oil?"}],
            "expected_docs": ["oil", "gone"],
            "key_facts": ["oil", "six metres", "the keeper payed in coins", 7],
        },
        {"id": "all", "query": "How high?", "key_facts": ["six metres"]},
        {"id": "none", "query": "What?", "expected_docs": ["tides"]},
    ]
    known = folders.read(facts(tmp_path, queries))
    assert [(question.id, question.text) for question in known.questions] == [("q", "Oil?"), ("all", "How high?")]
    assert words(known) == [["Oil", "oil", "the keeper paid in coins"], ["six metres"]]
    assert whats(known) == [
        ("q", "expected document that is not there left out"),
        ("q", "key fact found in several places, all of which count as answers"),
        ("q", "key fact that stands in no expected document left out"),
        ("q", "key fact without exact match, located approximately"),
        ("q", "key fact that is no text left out"),
        ("q", "further wording of a question not asked"),
        ("none", "question without a span left out"),
    ]


@pytest.mark.parametrize("text", ["{", "[]", '{"queries": 3}', '{"queries": []}', "[" * 100_000, "\ufffe"])
def test_json_that_is_no_set_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(ChunkscopeError):
        folders.read(files(tmp_path, {"oil.md": OIL, "ground_truth.json": text}))


# --- Chroma --------------------------------------------------------------------------------------------------------


def chroma(folder: Path, rows: Sequence[tuple[str, object, str]], **more: str) -> Path:
    files(folder, {"corpora/tides.md": TIDES.replace("\n", "\r\n"), "corpora/oil.txt": OIL, "notes.txt": "no corpus"})
    files(folder, more)
    with (folder / "questions_df.csv").open("w", encoding="utf-8", newline="") as out:
        writer = csv.writer(out)
        writer.writerow(["question", "references", "corpus_id"])
        for question, references, corpus in rows:
            told = references if isinstance(references, str) else json.dumps(references)
            writer.writerow([question, told, corpus])
    return folder


def reference(text: str, content: str, shift: int = 0) -> dict[str, object]:
    start = text.index(content) + shift
    return {"content": content, "start_index": start, "end_index": start + len(content)}


def test_chroma_csv_is_read(tmp_path: Path) -> None:
    rows = [
        ('How often, "exactly"?', [reference(TIDES, "twice\na day")], "tides"),
        ("What came?", [reference(OIL, "coins"), reference(OIL, "Oil came")], "oil.txt"),
        ("When?", [{"start_index": 0, "end_index": 3}], "./corpora/oil.txt"),
    ]
    known = folders.read(chroma(tmp_path, rows))
    assert [(source.id, source.format) for source in known.sources] == [("tides", "markdown"), ("oil", "text")]
    assert known.sources[0].text == TIDES
    assert [question.id for question in known.questions] == ["0", "1", "2"]
    assert words(known) == [["twice\na day"], ["Oil came", "coins"], ["Oil"]]
    assert known.remarks == ()


def test_chroma_rows_that_cannot_be_used_are_told(tmp_path: Path) -> None:
    rows = [
        ("What came?", [reference(OIL, "coins", -5), {"content": "x", "start_index": 0, "end_index": 999}], "oil"),
        ("When?", [{"content": "words of nobody", "start_index": 0, "end_index": 3}], "oil"),
        ("Where?", [reference(OIL, "May")], "gone"),
        ("", [reference(OIL, "May")], "oil"),
        ("Who?", "['single']", "oil"),
        ("Who?", ["text"], "oil"),
    ]
    more = {"second.csv": "corpus_id,references,question\n", "other.csv": "a,b\n1,2\n"}
    known = folders.read(chroma(tmp_path, rows, **more))
    assert words(known) == [["coins"], ["Oil"]]
    assert whats(known) == [
        ("", "further table of questions left out"),
        ("0", "reference whose content stands elsewhere than its indices say, taken from there"),
        ("0", "reference outside the text left out"),
        ("1", "reference whose content is not what stands there, its indices taken"),
        ("2", "question on a corpus that is not there left out"),
        ("3", "question without words left out"),
        ("4", "references that are no JSON list left out"),
        ("4", "question without a span left out"),
        ("5", "reference outside the text left out"),
        ("5", "question without a span left out"),
    ]


def test_a_corpus_that_is_not_utf_8_is_told(tmp_path: Path) -> None:
    rows = [("What?", [reference(OIL, "May")], "oil"), ("How?", [reference(TIDES, "day")], "tides")]
    folder = chroma(tmp_path, rows)
    (folder / "corpora" / "tides.md").write_bytes(b"\xff\xfe\x00")
    known = folders.read(folder)
    assert [question.id for question in known.questions] == ["0"]
    assert ("", "corpus that is not UTF-8 left out") in whats(known)


def test_a_corpus_outside_the_folder_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text(OIL, encoding="utf-8")
    rows = [("What?", [reference(OIL, "May")], "../secret.txt"), ("What?", [reference(OIL, "May")], "oil")]
    known = folders.read(chroma(tmp_path / "set", rows))
    assert [question.id for question in known.questions] == ["1"]


SHARED = Path(__file__).resolve().parents[3] / "../shared/data/retrieval"


@pytest.mark.skipif(not (SHARED / "cloudflow").is_dir(), reason=shared_data.MISSING)
def test_public_sets_are_read() -> None:
    known = folders.read(SHARED / "cloudflow")
    assert (len(known.sources), len(known.questions), known.remarks) == (16, 30, ())
    told = json.loads((SHARED / "cloudflow" / "spans.json").read_text(encoding="utf-8"))["queries"]
    for question, query in zip(known.questions, told, strict=True):
        quoted = [span["text"] for span in query["relevant_spans"] if not span["text"].startswith("[merged")]
        text = " ".join(known.sources[each.document].text[each.start : each.end] for each in question.answers)
        assert all(quote in text for quote in quoted)
    realistic = folders.read(SHARED / "realistic")
    assert len(realistic.questions) == 20
    assert sum(what == "key fact that stands in no expected document left out" for _, what in whats(realistic)) == 2


# --- anything ------------------------------------------------------------------------------------------------------

scalars = (
    st.none() | st.booleans() | st.integers(-3, 60) | st.floats(allow_nan=False) | st.text("Oil came\n", max_size=9)
)
COLUMNS = (
    "id _id query key_facts expected_docs relevant_spans gold_snippets doc_id start end start_index end_index content "
    "human_queries"
)
keys = st.sampled_from(COLUMNS.split())
values = st.recursive(scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=5))


@settings(max_examples=examples(150))
@given(st.lists(values, max_size=4), st.sampled_from(["spans.json", "questions.yaml", "questions.csv"]))
def test_no_content_is_a_mistake_of_the_program(content: list[object], file: str) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = files(Path(name), {"oil.txt": OIL})
        if file.endswith(".csv"):
            chroma(folder, [("Which?", json.dumps(row), "oil") for row in content])
        else:
            key = "queries" if file == "spans.json" else "questions"
            files(folder, {file: json.dumps({key: content})})
        try:
            known = folders.read(folder)
        except ChunkscopeError:
            return
        for question in known.questions:
            assert question.text.strip()
            assert question.answers
            for each in question.answers:
                assert known.sources[each.document].text[each.start : each.end]


@settings(max_examples=100)
@given(st.binary(max_size=60), st.sampled_from(["spans.json", "questions.yaml", "questions_df.csv"]))
def test_no_bytes_are_a_mistake_of_the_program(content: bytes, file: str) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = files(Path(name), {"oil.txt": OIL})
        head = b"question,references,corpus_id\n" if file.endswith(".csv") else b""
        (folder / file).write_bytes(head + content)
        with pytest.raises(ChunkscopeError):
            folders.read(folder)
