"""Rows of a set in any of their forms: JSON Lines, compressed, Parquet; in one file or several."""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib import import_module
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunking.batch import corpus
from chunking.errors import ChunkscopeError
from chunking.retrieval.questions import folders, tables
from chunking.retrieval.questions.data import QuestionSet
from tests.batch.sets import beir, in_files, in_parquet, lines, packed, parquet, with_spans

FORMS: dict[str, Callable[[Path, Path], Path]] = {
    "parquet": in_parquet,
    "shards": lambda folder, target: in_parquet(folder, target, shards=True),
    "packed": packed,
}


def _same(one: QuestionSet, other: QuestionSet) -> None:
    assert (one.truth, one.sources, one.questions, one.itself) == (
        other.truth,
        other.sources,
        other.questions,
        other.itself,
    )


@pytest.mark.parametrize("form", FORMS)
def test_judged_documents_are_the_same_in_every_form(tmp_path: Path, form: str) -> None:
    folder = beir(tmp_path / "lines")
    known = folders.read(FORMS[form](folder, tmp_path / "other"))
    _same(known, folders.read(folder))
    assert known.remarks == ()


@pytest.mark.parametrize("shards", [False, True])
def test_spans_are_the_same_as_parquet(tmp_path: Path, shards: bool) -> None:
    folder = with_spans(tmp_path / "lines")
    known = folders.read(in_parquet(folder, tmp_path / "other", "docs", shards))
    _same(known, folders.read(folder))
    assert [source.language for source in known.sources] == [None, None, "en"]


_WORD = st.one_of(st.none(), st.text(st.characters(exclude_categories=["Cs"]), max_size=8))
_ROWS = st.lists(
    st.fixed_dictionaries({"_id": st.one_of(st.none(), st.integers(-9, 9).map(str)), "text": _WORD, "title": _WORD}),
    min_size=1,
    max_size=12,
)


@given(rows=_ROWS, group=st.integers(1, 5), start=st.integers(0, 13), length=st.integers(0, 13))
def test_a_row_is_the_line_that_it_would_be(rows: list[dict[str, Any]], group: int, start: int, length: int) -> None:
    text = import_module("pyarrow").string()
    with TemporaryDirectory() as name:
        path = parquet(Path(name) / "corpus.parquet", rows, group, _id=text, text=text, title=text)
        with path.open("rb") as file:
            found = list(tables.lines(file, str(path), ("_id", "text")))
        stop = min(start + length, len(rows))
        with path.open("rb") as file:
            assert tables.stretch(file, str(path), start, stop) == b"".join(found[start:stop])
    held = [{name: value for name, value in row.items() if value is not None} for row in rows]
    assert [json.loads(line) for line in found] == [dict(sorted(row.items(), key=_place)) for row in held]


def _place(cell: tuple[str, object]) -> int:
    return ["_id", "title", "text"].index(cell[0])


def test_other_columns_are_not_read(tmp_path: Path) -> None:
    rows = [{"_id": 1, "text": "Rain.", "vector": [0.5] * 8, "when": b"\xff"}]
    path = parquet(tmp_path / "corpus.parquet", rows)
    with path.open("rb") as file:
        assert [json.loads(line) for line in tables.lines(file, str(path))] == [{"_id": 1, "text": "Rain."}]


def test_types_that_hold_the_same_are_taken(tmp_path: Path) -> None:
    arrow: Any = import_module("pyarrow")
    rows = [{"_id": "a", "text": "Rain.", "title": None}, {"_id": "b", "text": "Snow.", "title": None}]
    kinds = {
        "_id": arrow.large_string(),
        "text": arrow.dictionary(arrow.int32(), arrow.string()),
        "title": arrow.null(),
    }
    path = parquet(tmp_path / "corpus.parquet", rows, **kinds)
    with path.open("rb") as file:
        assert [json.loads(line)["text"] for line in tables.lines(file, str(path), ("_id", "text"))] == [
            "Rain.",
            "Snow.",
        ]


@pytest.mark.parametrize(
    ("table", "row", "problem"),
    [
        ("corpus", {"name": "a", "text": "x"}, r"corpus\.parquet has no column '_id'.*it has name, text"),
        ("corpus", {"_id": "a", "body": "x"}, r"corpus\.parquet has no column 'text'"),
        ("corpus", {"_id": "a", "text": 7}, r"column 'text' of .*corpus\.parquet holds int64 and not text, from row 1"),
        ("corpus", {"_id": 0.5, "text": "x"}, r"column '_id' of .*holds double and not text or whole numbers"),
        ("corpus", {"_id": "a", "text": "x", "title": [1]}, r"column 'title' of .*holds list"),
        ("queries", {"_id": "lamp"}, r"queries\.parquet has no column 'text'"),
        ("qrels/test", {"query-id": "lamp", "corpus-id": "lamp0"}, r"test\.parquet has no column 'score'"),
        ("qrels/test", {"query-id": "q", "corpus-id": "d", "score": [1]}, r"column 'score' of .*and not numbers"),
    ],
)
def test_wrong_columns_are_told(tmp_path: Path, table: str, row: dict[str, Any], problem: str) -> None:
    folder = in_parquet(beir(tmp_path / "lines"), tmp_path / "set")
    parquet(folder / f"{table}.parquet", [row])
    with pytest.raises(ChunkscopeError, match=problem):
        folders.read(folder)


def test_spans_of_another_type_are_told(tmp_path: Path) -> None:
    folder = in_parquet(with_spans(tmp_path / "lines"), tmp_path / "set", "docs")
    parquet(folder / "queries.parquet", [{"_id": "q", "text": "Where?", "doc_id": "shore", "spans": "0-4"}])
    with pytest.raises(ChunkscopeError, match=r"column 'spans' of .*holds string and not lists of \[start, end\]"):
        folders.read(folder)


def test_what_is_damaged_names_file_and_row(tmp_path: Path) -> None:
    folder = in_parquet(beir(tmp_path / "lines"), tmp_path / "set")
    path = folder / "corpus.parquet"
    whole = path.read_bytes()
    for broken in (b"", b"text", whole[:-9], whole[100:]):
        path.write_bytes(broken)
        with pytest.raises(
            ChunkscopeError, match=r"corpus\.parquet is damaged (or no Parquet|after row 0): .*Fetch it again"
        ):
            folders.read(folder)
    parquet_: Any = import_module("pyarrow.parquet")
    how = {"use_dictionary": False, "compression": "none", "write_statistics": False, "write_page_checksum": True}
    parquet_.write_table(parquet_.read_table(BytesIO(whole)), path, row_group_size=5, **how)
    spoilt = bytearray(path.read_bytes())
    place = spoilt.rindex(b"keeper")  # of a document in a later row group
    spoilt[place] ^= 1
    path.write_bytes(spoilt)
    with pytest.raises(ChunkscopeError, match=r"corpus\.parquet is damaged after row (5|10|15): .*CRC"):
        folders.read(folder)


def test_text_that_is_not_utf8_names_its_row(tmp_path: Path) -> None:
    arrow: Any = import_module("pyarrow")
    folder = in_parquet(beir(tmp_path / "lines"), tmp_path / "set")
    texts = arrow.array([b"Rain.", b"\xff", b"Snow."], arrow.binary()).cast(arrow.string(), safe=False)
    table = arrow.table({"_id": ["a", "b", "c"], "text": texts})
    import_module("pyarrow.parquet").write_table(table, folder / "corpus.parquet")
    with pytest.raises(ChunkscopeError, match=r"corpus\.parquet has text in row 2 that is not UTF-8"):
        folders.read(folder)


def test_a_file_that_was_cut_off_while_it_was_compressed_is_told(tmp_path: Path) -> None:
    folder = packed(beir(tmp_path / "lines"), tmp_path / "set")
    path = folder / "corpus" / "1.jsonl.gz"
    whole = path.read_bytes()
    path.write_bytes(whole[:-12])
    with pytest.raises(ChunkscopeError, match=r"1\.jsonl\.gz is damaged after line \d+: .*Fetch it again"):
        folders.read(folder)
    path.write_bytes(b"not compressed")
    with pytest.raises(ChunkscopeError, match=r"1\.jsonl\.gz is damaged after line 0"):
        folders.read(folder)


def test_a_table_without_rows_is_told(tmp_path: Path) -> None:
    text = import_module("pyarrow").string()
    folder = in_parquet(beir(tmp_path / "lines"), tmp_path / "set")
    parquet(folder / "corpus.parquet", [], _id=text, text=text)
    with pytest.raises(ChunkscopeError, match=r"has no document with text\. No row of corpus\.parquet can be used"):
        folders.read(folder)
    with pytest.raises(ChunkscopeError, match=r"has no document with text\. No row of corpus\.parquet can be used"):
        corpus.read(folder, str(tmp_path / "list"), with_questions=False)


def test_ids_are_told_apart_over_all_files_of_a_table(tmp_path: Path) -> None:
    folder = in_parquet(beir(tmp_path / "lines"), tmp_path / "set", shards=True)
    rows: list[dict[str, Any]] = [
        {"_id": "lamp0", "text": "again"},
        {"_id": "new", "text": None},
        {"_id": "last", "text": "Rain."},
    ]
    parquet(folder / "corpus" / "more.parquet", rows)
    known = folders.read(folder)
    assert [(remark.line, remark.id, remark.what) for remark in known.remarks] == [
        (1, "lamp0", "row with an id that came before left out"),
        (2, "new", "document whose text is no text left out"),
    ]
    assert {remark.file for remark in known.remarks} == {"corpus/more.parquet"}
    assert known.sources[-1].id == "last"


def test_judgements_may_be_rows_of_json(tmp_path: Path) -> None:
    folder = beir(tmp_path / "set")
    expected = folders.read(folder).questions
    head, *judged = (folder / "qrels" / "test.tsv").read_text().splitlines()
    rows = [dict(zip(head.split("\t"), line.split("\t"), strict=True)) for line in judged]
    (folder / "qrels" / "test.tsv").unlink()
    lines(
        folder / "qrels" / "test.jsonl", [*rows, {"query-id": "lamp", "corpus-id": "oil1", "score": 0.5}, {"score": 1}]
    )
    known = folders.read(folder)
    assert known.questions == expected
    assert [remark.what for remark in known.remarks] == [
        "judgement whose grade is no whole number left out",
        "row without query, document and grade left out",
    ]


@pytest.mark.parametrize(
    ("file", "split"),
    [
        ("test.tsv", "test"),
        ("test.parquet", "test"),
        ("dev-small.jsonl.gz", "dev-small"),
        ("test-00000-of-00002.parquet", "test"),
        ("a-b-c-d.tsv", "a-b-c-d"),
    ],
)
def test_a_file_of_judgements_is_named_for_its_split(file: str, split: str) -> None:
    assert tables.split_of(file) == split


def test_without_questions_they_are_asked_for(tmp_path: Path) -> None:
    folder = in_parquet(beir(tmp_path / "lines"), tmp_path / "set")
    (folder / "queries.parquet").unlink()
    with pytest.raises(ChunkscopeError, match=r"has no queries\.jsonl.*queries\.parquet"):
        folders.read(folder)


def test_documents_that_are_files_may_lie_where_tables_do(tmp_path: Path) -> None:
    folder = in_files(tmp_path)
    (folder / "docs").mkdir()
    (folder / "docs" / "log.jsonl").write_text('{"said": "Rain at night."}\n')
    known = folders.read(folder)
    assert known.truth == "spans"
    assert "docs/log.jsonl" in [source.id for source in known.sources]
