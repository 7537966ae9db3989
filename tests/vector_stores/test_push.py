"""Chunks pushed into a collection of each kind: idempotent, only what changed, complete after a stop."""

from __future__ import annotations

import signal
import uuid
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from chunking import embedding, load, strategies
from chunking.embedding.static import Static
from chunking.export import chunk_ids
from chunking.runtime.arrays import Float32
from chunking.vector_stores import Point
from chunking.vector_stores import push as pushing
from chunking.workspace import DocumentAnalysis
from tests.command_line import run
from tests.store.databases import process
from tests.vector_stores.store_collections import TestCollection

FAST = ("--strategy", "heading", "--splitter", "rules", "--encoder", "static")


class Counted:
    """Counts the texts that are embedded."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self._encode = Static.encode

    def encode(self, encoder: Static, texts: Sequence[str]) -> Float32:
        self.texts += texts
        return self._encode(encoder, texts)


@pytest.fixture
def embedded(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """The texts that are embedded."""
    counted = Counted()
    monkeypatch.setattr(Static, "encode", lambda encoder, texts: counted.encode(encoder, texts))
    yield counted.texts


def push(
    capsys: pytest.CaptureFixture[str], collection: TestCollection, *words: str | Path, code: int = 0
) -> tuple[str, str]:
    result, out, error = run(capsys, "push", *words, *collection.words(), *FAST)
    assert result == code, (out, error)
    return out, error


def test_a_second_push_embeds_and_writes_nothing(
    capsys: pytest.CaptureFixture[str],
    folder: Path,
    collection: TestCollection,
    embedded: list[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    out, _ = push(capsys, collection, "docs")
    assert out.startswith("push: 3 documents, 0 unchanged: 6 chunks embedded, 0 updated, 0 deleted; ")
    assert sorted(embedded)[-1].startswith("Tea\n\n## Green"), "with the heading path before the text"
    before, count = collection.rows(), len(embedded)
    assert len(before) == 6
    monkeypatch.setattr(pushing.CollectionWriter, "add", lambda *_: pytest.fail("nothing is split again"))
    out, _ = push(capsys, collection, "docs")
    assert out.startswith("push: 0 documents, 3 unchanged: 0 chunks embedded, 0 updated, 0 deleted; ")
    assert collection.rows() == before and len(embedded) == count


def test_the_metadata_say_where_a_chunk_comes_from(
    capsys: pytest.CaptureFixture[str], folder: Path, collection: TestCollection
) -> None:
    push(capsys, collection, "docs")
    rows, texts = collection.rows(), collection.texts()
    (point,) = (point for point, text in texts.items() if text.startswith("## Green"))
    metadata = rows[point].metadata
    document = (folder / "tea.md").read_text(encoding="utf-8")
    assert document[metadata["start_index"] : metadata["end_index"]] == texts[point]
    assert metadata["document"] == "docs/tea.md" and metadata["heading_path"] == "Tea › Green"
    assert metadata["setting"] == "heading" and metadata["encoder"] == "static"
    assert "parent" not in metadata and "table_header" not in metadata
    analysis = DocumentAnalysis(load(document.encode(), "docs/tea.md"))
    assert point in chunk_ids(strategies.parse("heading").run(analysis))


def test_a_changed_document_embeds_only_what_changed(
    capsys: pytest.CaptureFixture[str], folder: Path, collection: TestCollection, embedded: list[str]
) -> None:
    push(capsys, collection, "docs")
    before, count = collection.rows(), len(embedded)
    path = folder / "tea.md"
    path.write_text(path.read_text().replace("Wait a little.", "Wait a little longer."))
    out, _ = push(capsys, collection, "docs", "--dry-run")
    assert out.startswith("push: 1 document, 2 unchanged: 1 chunk to be embedded, 1 to be updated, 1 to be deleted; ")
    assert collection.rows() == before and len(embedded) == count
    out, _ = push(capsys, collection, "docs")
    assert out.startswith("push: 1 document, 2 unchanged: 1 chunk embedded, 1 updated, 1 deleted; ")
    after = collection.rows()
    assert len(before.keys() - after.keys()) == 1 and len(after.keys() - before.keys()) == 1
    assert [text for text in embedded[count:] if "longer" in text] == embedded[count:]
    (moved,) = (point for point in before.keys() & after.keys() if before[point] != after[point])
    assert after[moved].metadata["start_index"] == before[moved].metadata["start_index"] + 7


def test_documents_that_are_gone_are_deleted_on_request(
    capsys: pytest.CaptureFixture[str], folder: Path, collection: TestCollection
) -> None:
    push(capsys, collection, "docs")
    (folder / "soup.md").unlink()
    _, error = push(capsys, collection, "docs")
    assert "1 document of the collection is not among the PATHs. --delete-absent deletes their chunks." in error
    assert len(collection.rows()) == 6
    (folder / "broken.pdf").write_bytes(b"%PDF-1.4 nothing")
    push(capsys, collection, "docs", "missing", "--delete-absent", code=1)
    assert len(collection.rows()) == 6, "what could not be found may still be there"
    out, error = push(capsys, collection, "docs", "--delete-absent", code=1)
    assert "2 deleted" in out and "broken.pdf" in error
    assert {row.metadata["document"] for row in collection.rows().values()} == {"docs/tea.md", "docs/bread.md"}


@pytest.mark.parametrize("method", ["put", "update", "delete"])
def test_what_a_stopped_push_left_is_completed(
    capsys: pytest.CaptureFixture[str],
    folder: Path,
    collection: TestCollection,
    monkeypatch: pytest.MonkeyPatch,
    method: str,
) -> None:
    push(capsys, collection, "docs")
    before = collection.texts()
    for path in folder.iterdir():
        path.write_text(path.read_text().replace(". ", ", well. ", 1))
    with collection.open() as opened:
        kind = type(opened)
    monkeypatch.setattr(pushing, "BATCH", 2)
    written = getattr(kind, method)

    def stop(store: Any, *arguments: Any) -> None:
        monkeypatch.setattr(kind, method, written)
        if method == "put":
            points, vectors = arguments
            written(store, points[:1], vectors[:1])
        raise KeyboardInterrupt

    monkeypatch.setattr(kind, method, stop)
    code, out, error = run(capsys, "push", "docs", *collection.words(), *FAST)
    assert (code, out, error.splitlines()[-1]) == (130, "", "chunking: stopped.")
    assert len(set(before) & set(collection.texts())) >= 3, "nothing is deleted before its successor is there"
    push(capsys, collection, "docs")
    completed = collection.rows()
    assert {row.metadata["document_chunks"] for row in completed.values()} == {2} and len(completed) == 6
    out, _ = push(capsys, collection, "docs")
    assert out.startswith("push: 0 documents, 3 unchanged: ")


KILLED = """
import os, signal, sys
from chunking.__main__ import main
from chunking.vector_stores import {module} as module
from chunking.vector_stores import push
push.BATCH = 2
written = module.{store}.put
def put(store, points, vectors):
    written(store, points, vectors)
    os.kill(os.getpid(), signal.SIGKILL)
module.{store}.put = put
main(sys.argv[1:])
"""


def test_a_push_that_was_killed_is_completed(
    capsys: pytest.CaptureFixture[str], folder: Path, collection: TestCollection
) -> None:
    push(capsys, collection, "docs")
    before = collection.texts()
    for path in folder.iterdir():
        path.write_text(path.read_text().replace(". ", ", well. ", 1))
    with collection.open() as opened:
        names = {"module": type(opened).__module__.rpartition(".")[2], "store": type(opened).__name__}
    running = process(KILLED.format(**names), "push", str(folder.relative_to(Path.cwd())), *collection.words(), *FAST,
                      cwd=Path.cwd())  # fmt: skip
    running.communicate()
    assert running.returncode == -signal.SIGKILL
    assert collection.texts().items() >= before.items(), "nothing was deleted yet"
    assert len(collection.texts()) > len(before)
    push(capsys, collection, "docs")
    assert len(collection.texts()) == 6
    out, _ = push(capsys, collection, "docs")
    assert out.startswith("push: 0 documents, 3 unchanged: ")


def test_another_encoder_is_refused(
    capsys: pytest.CaptureFixture[str], folder: Path, collection: TestCollection
) -> None:
    push(capsys, collection, "docs")
    words = ("--strategy", "heading", "--splitter", "rules", "--encoder", "char-ngrams")
    code, out, error = run(capsys, "push", "docs", *collection.words(), *words)
    assert (code, out) == (2, "")
    assert error == (
        f"chunking: The collection {collection.name} has vectors of static, not of char-ngrams. Name another "
        "--collection, or its encoder: --encoder NAME.\n"
    )


def test_chunks_of_another_program_and_another_dimension_are_refused(
    capsys: pytest.CaptureFixture[str], folder: Path, collection: TestCollection
) -> None:
    with collection.open() as store:
        store.create(3)
        store.put([Point(str(uuid.uuid4()), "Tea.", {"source": "tea.md"})], np.ones((1, 3), dtype=np.float32))
    _, error = push(capsys, collection, "docs", code=2)
    assert "has chunks that push did not write" in error and error.count("\n") == 1
    encoder = embedding.get_encoder("static")
    other = TestCollection(collection.url, f"{collection.name}_3")
    metadata = {"document": "docs/tea.md", "encoder": "static", "encoder_key": encoder.key}
    with other.open() as store:
        store.create(3)
        store.put([Point(str(uuid.uuid4()), "Tea.", metadata)], np.ones((1, 3), dtype=np.float32))
    _, error = push(capsys, other, "docs", code=2)
    assert f"has vectors of 3 numbers, and static makes {encoder.dimension}" in error


def test_another_setting_replaces_the_chunks(
    capsys: pytest.CaptureFixture[str], folder: Path, collection: TestCollection
) -> None:
    push(capsys, collection, "docs")
    words = ("--strategy", "whole", "--splitter", "rules", "--encoder", "static")
    code, out, _ = run(capsys, "push", "docs", *collection.words(), *words)
    assert code == 0 and "3 chunks embedded, 0 updated, 6 deleted" in out
    assert {row.metadata["setting"] for row in collection.rows().values()} == {"whole"}


def test_a_dry_run_makes_no_collection(
    capsys: pytest.CaptureFixture[str], folder: Path, collection: TestCollection, tmp_path: Path
) -> None:
    out, _ = push(capsys, collection, "docs", "--dry-run")
    assert "6 chunks to be embedded" in out
    assert not (tmp_path / "store").exists()
    assert not collection.rows()


TEXTS = st.lists(
    st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=40)
    | st.sampled_from(["'; DROP TABLE chunks; --", '{"a": [1, "\\u0000"]}', "\\N\\.\t\r\n", "{a,b}", "🍵\u0301\u200b"]),
    min_size=1,
    max_size=4,
)


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(texts=TEXTS)
def test_odd_characters_come_back(collection: TestCollection, texts: list[str]) -> None:
    points = [Point(str(uuid.uuid4()), text, {"document": text, "number": 1.5, "none": None}) for text in texts]
    fresh = TestCollection(collection.url, f"{collection.name}_{uuid.uuid4().hex[:8]}")
    with fresh.open() as store:
        store.create(2)
        store.put(points, np.ones((len(points), 2), dtype=np.float32))
        store.update(points[:1])
    stored = fresh.rows()
    assert stored.keys() == {point.id for point in points}
    for point in points:
        text = point.text.replace("\0", "\ufffd") if collection.url.startswith("postgresql") else point.text
        assert fresh.texts()[point.id] == text
        assert stored[point.id].metadata == {"document": text, "number": 1.5}
