from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunking.batch import corpus
from chunking.errors import ChunkscopeError
from chunking.retrieval import folders
from tests.batch.sets import beir, in_files, lines

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
        found = corpus.read(folder, f"{name}/list", asked=True, size=size)
        assert found.known is not None
        assert tuple(source for part in found.parts for source in corpus.documents(part)) == whole.sources
        assert found.known.questions == whole.questions
        assert found.remarks == whole.remarks
        assert [part.first for part in found.parts] == [
            sum(part.documents for part in found.parts[:number]) for number in range(len(found.parts))
        ]
        assert found.documents == len(found.known.sources) == len(whole.sources)
        assert [found.known.sources[place] for place in range(found.documents)] == list(whole.sources)


@pytest.mark.parametrize("size", [1, 200, 10**6])
def test_documents_that_are_files_are_loaded_where_their_part_is(tmp_path: Path, size: int) -> None:
    folder = in_files(tmp_path / "set")
    whole = folders.read(folder)
    found = corpus.read(folder, str(tmp_path / "list"), asked=True, size=size)
    assert found.known is not None
    assert [source.open() for source in found.known.sources] == [source.open() for source in whole.sources]
    assert found.known.questions == whole.questions
    assert len(found.parts) == {1: 3, 200: 2, 10**6: 1}[size]


def test_the_same_corpus_has_the_same_digest_and_another_text_another(tmp_path: Path) -> None:
    folder = beir(tmp_path)
    first = corpus.read(folder, str(tmp_path / "list"), asked=True, size=400)
    assert corpus.read(folder, str(tmp_path / "list"), asked=False, size=400).digest == first.digest
    path = folder / "corpus.jsonl"
    path.write_text(path.read_text().replace("ninety", "eighty"))
    second = corpus.read(folder, str(tmp_path / "list"), asked=True, size=400)
    assert second.digest != first.digest
    with pytest.raises(ChunkscopeError, match="has changed while the run"):
        corpus.documents(first.parts[0])


def test_a_file_that_changes_is_told(tmp_path: Path) -> None:
    folder = in_files(tmp_path / "set")
    found = corpus.read(folder, str(tmp_path / "list"), asked=True, size=1)
    (folder / "light.md").write_text("# Dark\n")
    with pytest.raises(ChunkscopeError, match=r"light\.md has changed"):
        corpus.documents(found.parts[0])


def test_chunks_need_no_question(tmp_path: Path) -> None:
    rows = tmp_path / "rows"
    lines(rows / "docs.jsonl", [{"_id": "a", "text": "# Bread\n\nRest it.", "format": "markdown"}])
    loose = tmp_path / "loose"
    loose.mkdir()
    (loose / "note.md").write_text("# Bread\n\nRest it.\n")
    for folder in (rows, loose):
        found = corpus.read(folder, str(tmp_path / "list"), asked=False)
        assert (found.known, found.documents) == (None, 1)
        assert corpus.documents(found.parts[0])[0].open().blocks[0].kind == "heading"
        with pytest.raises(ChunkscopeError):
            corpus.read(folder, str(tmp_path / "list"), asked=True)


def test_what_is_no_data_set_is_told(tmp_path: Path) -> None:
    with pytest.raises(ChunkscopeError, match="is no folder"):
        corpus.read(tmp_path / "nowhere", str(tmp_path / "list"), asked=True)
    for asked in (True, False):
        with pytest.raises(ChunkscopeError):
            corpus.read(tmp_path, str(tmp_path / "list"), asked=asked)
    lines(tmp_path / "corpus.jsonl", ["{", json.dumps({"_id": "a"})])
    with pytest.raises(ChunkscopeError):
        corpus.read(tmp_path, str(tmp_path / "list"), asked=False)
    lines(tmp_path / "docs.jsonl", [{"_id": "a", "text": "Rain."}])
    lines(tmp_path / "queries.jsonl", [{"_id": "q", "text": "?", "doc_id": "b", "spans": [[0, 1]]}])
    (tmp_path / "corpus.jsonl").unlink()
    with pytest.raises(ChunkscopeError, match="no question with a true answer"):
        corpus.read(tmp_path, str(tmp_path / "list"), asked=True)
