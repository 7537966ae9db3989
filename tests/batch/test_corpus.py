from __future__ import annotations

import gzip
import io
import json
from collections.abc import Callable
from functools import partial
from itertools import pairwise
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunking.batch import corpus
from chunking.batch.storage import storage
from chunking.errors import ChunkscopeError
from chunking.retrieval.questions import folders
from tests.batch.sets import beir, in_files, in_parquet, lines, packed, parquet

ODD: list[object] = [
    {"_id": "a", "title": "One", "text": "Rain on the roof.\u2028Still the same line."},
    "",
    {"_id": "a", "text": "again"},
    {"_id": "b", "text": " "},
    "{",
    {"_id": "c", "text": 7},
    {"text": "nobody"},
    {"_id": "d", "text": "Snow on the hill.", "lang": "en"},
    {"_id": "c", "text": "its id was seen, though its text was none"},
    {"_id": "d", "text": "and again"},
    {"_id": 5, "text": "A number names it.", "format": "scroll"},
    "   ",
    {"_id": "e", "text": "Last."},
]


def odd(folder: Path) -> Path:
    lines(folder / "corpus.jsonl", ODD)
    path = folder / "corpus.jsonl"
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes() + b'\r\n{"_id": "f", "text": "\xff"}\r\n')
    lines(folder / "queries.jsonl", [{"_id": "q", "text": "Where is snow?"}, {"_id": "r", "text": "unjudged"}])
    lines(folder / "qrels" / "test.tsv", ["q\td\t1", "q\tnowhere\t1"])
    return folder


@given(size=st.integers(1, 900))
def test_parts_of_any_size_are_the_documents_that_the_set_has(size: int) -> None:
    with TemporaryDirectory() as name:
        folder = odd(Path(name))
        whole = folders.read(folder)
        found = corpus.read(folder, f"{name}/list", with_questions=True, size=size)
        assert found.question_set is not None
        assert tuple(source for part in found.parts for source in corpus.documents(part)) == whole.sources
        assert found.question_set.questions == whole.questions
        assert found.remarks == whole.remarks
        assert [part.first for part in found.parts] == [
            sum(part.documents for part in found.parts[:number]) for number in range(len(found.parts))
        ]
        assert found.documents == len(found.question_set.sources) == len(whole.sources)
        assert [found.question_set.sources[place] for place in range(found.documents)] == list(whole.sources)


@given(size=st.integers(1, 3000), form=st.sampled_from([in_parquet, partial(in_parquet, shards=True), packed]))
def test_parts_of_other_forms_are_the_documents_that_the_set_has(size: int, form: Callable[[Path, Path], Path]) -> None:
    with TemporaryDirectory() as name:
        plain = beir(Path(name) / "lines")
        whole = folders.read(plain)
        folder = form(plain, Path(name) / "set")
        found = corpus.read(folder, f"{name}/list", with_questions=True, size=size)
        assert found.question_set is not None
        assert tuple(source for part in found.parts for source in corpus.documents(part)) == whole.sources
        assert found.question_set.questions == whole.questions
        assert found.remarks == ()
        for part, after in pairwise(found.parts):
            assert after.start == (part.stop if after.file == part.file else 0)


def test_a_part_of_parquet_is_read_from_its_row_groups_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [{"_id": str(number), "text": Random(number).randbytes(7500).hex()} for number in range(40)]
    path = parquet(tmp_path / "corpus.parquet", rows, group=4)
    found = corpus.read(tmp_path, str(tmp_path / "list"), with_questions=False, size=60_000)
    assert len(found.parts) == 10
    read: list[int] = []

    class Watched(io.FileIO):
        def read(self, size: int | None = -1, /) -> bytes:
            got = super().read(-1 if size is None else size) or b""
            read.append(len(got))
            return got

    monkeypatch.setattr(storage, "opened", lambda _: Watched(path))
    corpus.documents.cache_clear()
    assert [source.id for source in corpus.documents(found.parts[5])] == ["20", "21", "22", "23"]
    assert 0 < sum(read) < path.stat().st_size / 2


def test_a_file_that_is_read_from_its_beginning_has_no_more_parts_than_pay(tmp_path: Path) -> None:
    letters = "abcdefghijklmnop"
    rows = [{"_id": str(number), "text": "".join(Random(number).choices(letters, k=900))} for number in range(300)]
    lines(tmp_path / "one" / "corpus.jsonl", rows)
    (tmp_path / "two").mkdir()
    (tmp_path / "two" / "corpus.jsonl.gz").write_bytes(gzip.compress((tmp_path / "one" / "corpus.jsonl").read_bytes()))
    parquet(tmp_path / "three" / "corpus.parquet", rows, group=300)
    parts = {
        name: len(corpus.read(tmp_path / name, str(tmp_path / "list"), with_questions=False, size=1).parts)
        for name in ("one", "two", "three")
    }
    assert parts["one"] == 300
    assert 16 < parts["two"] <= 64 and 16 < parts["three"] <= 65


def test_rows_of_parquet_that_change_are_told(tmp_path: Path) -> None:
    folder = in_parquet(beir(tmp_path / "lines"), tmp_path / "set")
    found = corpus.read(folder, str(tmp_path / "list"), with_questions=True, size=300)
    parquet(folder / "corpus.parquet", [{"_id": "lamp0", "text": "Dark."}])
    corpus.documents.cache_clear()
    with pytest.raises(ChunkscopeError, match=r"corpus\.parquet has changed while the run"):
        corpus.documents(found.parts[1])


@pytest.mark.parametrize("size", [1, 200, 10**6])
def test_documents_that_are_files_are_loaded_where_their_part_is_unless_they_change(tmp_path: Path, size: int) -> None:
    folder = in_files(tmp_path / "set")
    whole = folders.read(folder)
    found = corpus.read(folder, str(tmp_path / "list"), with_questions=True, size=size)
    assert found.question_set is not None
    assert [source.open() for source in found.question_set.sources] == [source.open() for source in whole.sources]
    assert found.question_set.questions == whole.questions
    assert len(found.parts) == {1: 3, 200: 2, 10**6: 1}[size]
    (folder / "light.md").write_text("# Dark\n")
    corpus.documents.cache_clear()
    with pytest.raises(ChunkscopeError, match=r"light\.md has changed"):
        corpus.documents(found.parts[0])


def test_the_same_corpus_has_the_same_digest_and_another_text_another(tmp_path: Path) -> None:
    folder = beir(tmp_path)
    first = corpus.read(folder, str(tmp_path / "list"), with_questions=True, size=400)
    assert corpus.read(folder, str(tmp_path / "list"), with_questions=False, size=400).digest == first.digest
    path = folder / "corpus.jsonl"
    path.write_text(path.read_text().replace("ninety", "eighty"))
    second = corpus.read(folder, str(tmp_path / "list"), with_questions=True, size=400)
    assert second.digest != first.digest
    with pytest.raises(ChunkscopeError, match="has changed while the run"):
        corpus.documents(first.parts[0])


def test_chunks_need_no_question(tmp_path: Path) -> None:
    rows = tmp_path / "rows"
    lines(rows / "docs.jsonl", [{"_id": "a", "text": "# Bread\n\nRest it.", "format": "markdown"}])
    loose = tmp_path / "loose"
    loose.mkdir()
    (loose / "note.md").write_text("# Bread\n\nRest it.\n")
    for folder in (rows, loose):
        found = corpus.read(folder, str(tmp_path / "list"), with_questions=False)
        assert (found.question_set, found.documents) == (None, 1)
        assert corpus.documents(found.parts[0])[0].open().blocks[0].kind == "heading"
        with pytest.raises(ChunkscopeError):
            corpus.read(folder, str(tmp_path / "list"), with_questions=True)


def test_what_is_no_data_set_is_told(tmp_path: Path) -> None:
    with pytest.raises(ChunkscopeError, match="is no folder"):
        corpus.read(tmp_path / "nowhere", str(tmp_path / "list"), with_questions=True)
    for asked in (True, False):
        with pytest.raises(ChunkscopeError):
            corpus.read(tmp_path, str(tmp_path / "list"), with_questions=asked)
    lines(tmp_path / "corpus.jsonl", ["{", json.dumps({"_id": "a"})])
    with pytest.raises(ChunkscopeError):
        corpus.read(tmp_path, str(tmp_path / "list"), with_questions=False)
    lines(tmp_path / "docs.jsonl", [{"_id": "a", "text": "Rain."}])
    lines(tmp_path / "queries.jsonl", [{"_id": "q", "text": "?", "doc_id": "b", "spans": [[0, 1]]}])
    (tmp_path / "corpus.jsonl").unlink()
    with pytest.raises(ChunkscopeError, match="no question with a true answer"):
        corpus.read(tmp_path, str(tmp_path / "list"), with_questions=True)
