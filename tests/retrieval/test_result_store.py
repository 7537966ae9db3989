from __future__ import annotations

import json
import os
import time
from pathlib import Path

import pytest

from chunking.retrieval import result_store
from chunking.retrieval.result_store import ResultStore


@pytest.fixture
def store(tmp_path: Path) -> ResultStore:
    return ResultStore(tmp_path / "results")


def test_a_result_is_read_again_and_a_broken_file_is_none(store: ResultStore) -> None:
    assert store.write("k", {"a": 1}, {"folder": "x"}, ["bb", "aa"]) == ""
    assert store.read("k") == {"key": "k", "shown": {"a": 1}, "texts": ["aa", "bb"], "folder": "x"}
    for content in (b"", b"{", b"[]", b"\xff", b'{"key": "other", "shown": {}}', b'{"key": "k"}'):
        (store.folder / "k.json").write_bytes(content)
        assert store.read("k") is None


def test_a_full_disk_is_told_and_leaves_nothing_behind(store: ResultStore, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.replace", full)
    assert "No space left on device" in store.write("k", {}, {}, [])
    assert list(store.folder.iterdir()) == []


def test_the_latest_results_are_kept_even_after_a_clock_was_ahead(
    store: ResultStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(result_store, "LIMIT", 3)
    year = time.time() + 365 * 86_400
    for number in range(5):
        assert store.write(str(number), {}, {}, []) == ""
        os.utime(store.folder / f"{number}.json", (year, year))
    assert store.write("new", {"n": 1}, {}, []) == ""
    assert store.read("new") == {"key": "new", "shown": {"n": 1}, "texts": []}
    assert len(list(store.folder.iterdir())) == 3


def test_a_result_that_cannot_be_saved_says_so_until_the_folder_is_back(store: ResultStore) -> None:
    store.folder.write_text("a file")
    assert store.write("new", {}, {}, []).startswith("The result could not be saved to disk (")
    assert store.read("new") is None
    store.folder.unlink()
    assert store.write("new", {}, {}, []) == ""
    assert store.read("new") is not None


def test_the_results_of_a_text_are_forgotten_and_those_that_do_not_say_of_which(
    store: ResultStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert store.forget("aa"), "nothing is there yet"
    store.write("of-it", {}, {}, ["aa", "bb"])
    store.write("of-another", {}, {}, ["bb"])
    store.write("of-none", {}, {}, [])
    (store.folder / "of-an-earlier-version.json").write_text(json.dumps({"key": "k", "shown": {}}))
    assert store.forget("aa")
    assert sorted(path.stem for path in store.folder.iterdir()) == ["of-another", "of-none"]

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "unlink", refuse)
    assert not store.forget("bb"), "a file that cannot be deleted"


def test_the_default_folder_is_that_of_the_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHUNKSCOPE_CACHE", str(tmp_path / "mine"))
    assert ResultStore().folder == tmp_path / "mine" / "retrieval"
