"""The state of a split: what is added, changed and removed."""

from __future__ import annotations

import sqlite3
import uuid
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chunking import ChunkscopeError
from chunking.export.state import split_state

Texts = dict[str, dict[int, int]]
"""The chunks of documents: a number that is embedded, and one that is not."""


def rows(chunks: dict[int, int]) -> list[dict[str, Any]]:
    return [{"id": str(uuid.UUID(int=number)), "start": start} for number, start in chunks.items()]


def run(path: Path, documents: Texts) -> list[dict[str, Any]]:
    """Return the changes of a run over documents."""
    changes = []
    with split_state(path) as state:
        for name, chunks in documents.items():
            digest = repr(chunks).encode()
            if not state.keep_unchanged(name, digest):
                changes += [{"document": name} | row for row in state.changes(name, digest, rows(chunks))]
        return changes + list(state.remove_absent())


texts = st.dictionaries(st.text(max_size=3), st.dictionaries(st.integers(0, 9), st.integers(0, 2)), max_size=3)


@given(st.lists(texts, max_size=4))
@settings(max_examples=60)
def test_who_applies_every_change_has_the_chunks_of_the_last_run(
    tmp_path_factory: pytest.TempPathFactory, runs: list[Texts]
) -> None:
    path = tmp_path_factory.mktemp("state") / "s.state"
    index: dict[tuple[str, str], int] = {}
    for documents in runs:
        changes = run(path, documents)
        for row in changes:
            key = row["document"], row["id"]
            assert (key in index) == (row["change"] != "added")
            if row["change"] == "removed":
                del index[key]
            else:
                index[key] = row["start"]
        assert index == {(name, row["id"]): row["start"] for name in documents for row in rows(documents[name])}
        assert not run(path, documents), "nothing changed since"


def test_a_run_that_fails_leaves_the_state_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "s.state"
    run(path, {"tea": {1: 0}})
    with pytest.raises(KeyboardInterrupt), split_state(path) as state:
        state.changes("tea", b"", rows({2: 0}))
        raise KeyboardInterrupt
    assert [row["change"] for row in run(path, {"tea": {2: 0}})] == ["added", "removed"]


def test_a_document_that_could_not_be_read_keeps_its_chunks(tmp_path: Path) -> None:
    path = tmp_path / "s.state"
    run(path, {"tea": {1: 0}, "bread": {2: 0}})
    with split_state(path) as state:
        state.keep("tea")
        assert [row["document"] for row in state.remove_absent()] == ["bread"]
    assert not run(path, {"tea": {1: 0}})


def test_another_file_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    text, other, later = tmp_path / "notes.txt", tmp_path / "other.db", tmp_path / "later.state"
    text.write_text("no database " * 100)
    with sqlite3.connect(other) as database:
        database.execute("CREATE TABLE mine (x)")
    run(later, {})
    with sqlite3.connect(later) as database:
        database.execute("PRAGMA user_version = 99")
    for path in (text, other, later, tmp_path / "absent" / "s.state"):
        before = path.read_bytes() if path.exists() else b""
        with pytest.raises(ChunkscopeError, match="state of"), split_state(path):
            raise AssertionError
        assert not before or path.read_bytes() == before
