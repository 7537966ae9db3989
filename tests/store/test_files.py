from __future__ import annotations

import errno
import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from chunking.errors import ChunkscopeError
from chunking.runtime.atomic import UNFINISHED
from chunking.store.storage import ABANDONED_SECONDS, ContentStore, digest_of
from tests.disks import unprivileged

DATA = b"water" * 1000
DIGEST = digest_of(DATA)


def test_a_content_comes_back_by_its_hash_and_is_there_once(root: str) -> None:
    store = ContentStore(root)
    assert not store.has(DIGEST)
    assert store.put(DATA) == store.put(DATA) == DIGEST
    assert store.has(DIGEST)
    assert store.get(DIGEST) == DATA
    assert list(store.digests()) == [DIGEST]
    assert ContentStore(root).get(DIGEST) == DATA


def test_a_deleted_content_is_gone_and_can_be_deleted_again(root: str) -> None:
    store = ContentStore(root)
    store.put(DATA)
    store.delete(DIGEST)
    store.delete(DIGEST)
    assert not store.has(DIGEST)
    assert list(store.digests()) == []
    with pytest.raises(ChunkscopeError, match="is missing"):
        store.get(DIGEST)


@pytest.mark.parametrize("damage", [lambda data: data[:-1], lambda data: b"X" + data[1:], lambda _: b""])
def test_a_damaged_file_is_never_returned_and_mended_by_adding_it_again(
    tmp_path: Path, damage: Callable[[bytes], bytes]
) -> None:
    store = ContentStore(str(tmp_path))
    store.put(DATA)
    path = tmp_path / DIGEST[:2] / DIGEST
    path.write_bytes(damage(DATA))
    with pytest.raises(ChunkscopeError, match="damaged"):
        store.get(DIGEST)
    store.put(DATA)
    assert store.get(DIGEST) == DATA


def test_others_on_the_machine_cannot_read_it(tmp_path: Path) -> None:
    store = ContentStore(str(tmp_path / "files"))
    store.put(DATA)
    path = tmp_path / "files" / DIGEST[:2] / DIGEST
    assert path.stat().st_mode & 0o077 == 0
    assert path.parent.stat().st_mode & 0o077 == 0


def test_content_and_names_are_flushed_before_it_is_acknowledged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    order: list[str] = []
    sync, replace = os.fsync, os.replace

    def noted_sync(handle: int) -> None:
        order.append("folder" if os.path.isdir(f"/proc/self/fd/{handle}") else "file")
        sync(handle)

    def noted_replace(before: str, after: str) -> None:
        order.append("rename")
        replace(before, after)

    monkeypatch.setattr(os, "fsync", noted_sync)
    monkeypatch.setattr(os, "replace", noted_replace)
    ContentStore(str(tmp_path)).put(DATA)
    assert order[:3] == ["file", "rename", "folder"]


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT])
def test_a_disk_that_fills_up_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    def full(_handle: int) -> None:
        raise OSError(number, os.strerror(number))

    store = ContentStore(str(tmp_path))
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(ChunkscopeError, match=r"Nothing was stored\. Free some space"):
        store.put(DATA)
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []
    monkeypatch.undo()
    assert store.get(store.put(DATA)) == DATA


def test_a_folder_that_may_only_be_read() -> None:
    with unprivileged() as folder:
        store = ContentStore(str(folder))
        store.put(DATA)
        for path in (folder, folder / DIGEST[:2]):
            path.chmod(0o555)
        with pytest.raises(ChunkscopeError, match="CHUNKSCOPE_LIBRARY"):
            store.put(b"more")
        with pytest.raises(ChunkscopeError, match="cannot be deleted"):
            store.delete(DIGEST)
        assert store.get(DIGEST) == DATA
        for path in (folder, folder / DIGEST[:2]):
            path.chmod(0o755)
        assert store.get(store.put(b"more")) == b"more"


def test_what_a_killed_process_left_is_taken_away_after_a_day(tmp_path: Path) -> None:
    store = ContentStore(str(tmp_path))
    store.put(DATA)
    half = tmp_path / DIGEST[:2] / f".{DIGEST}.0{UNFINISHED}"
    half.write_bytes(b"wat")
    assert list(store.digests()) == [DIGEST]
    for now in (time.time() + 60, 0.0):  # it may be growing; the clock was set back
        store.tidy(now)
        assert half.exists()
    store.tidy(time.time() + ABANDONED_SECONDS + 60)
    assert not half.exists()
    assert store.get(DIGEST) == DATA


def test_a_place_that_cannot_be_reached() -> None:
    store = ContentStore("nowhere://bucket/files")
    for work in (lambda: store.put(DATA), lambda: store.get(DIGEST), lambda: store.has(DIGEST)):
        with pytest.raises(ChunkscopeError, match="nowhere://bucket"):
            work()
