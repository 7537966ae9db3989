"""A drill: back up while the app writes and deletes, restore elsewhere, and find all that was acknowledged before."""

from __future__ import annotations

import contextlib
import json
import shutil
import sqlite3
import threading
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import create_engine

from chunking.__main__ import main
from chunking.errors import ChunkscopeError
from chunking.store import Library, LibraryStorage, open_storage
from chunking.store.archive import backup as backup_module
from chunking.store.archive.backup import DATABASE, FILES, backup, restore
from chunking.store.attachments import Attachments
from chunking.store.database import migrations
from chunking.store.database.location import engine_options
from chunking.store.database.tables import VERSION
from chunking.store.removal import inspect
from chunking.store.reviews import ReviewStore
from chunking.store.storage import ContentStore
from tests.store.databases import SHARED, USER, Postgres, engine_of, process
from tests.store.places import new, place_of
from tests.store.test_faults import OPEN
from tests.store.test_migrations import newest, upgrade

WRITE = (
    OPEN
    + """
import itertools
from chunking.reference.events import Event
from chunking.store.attachments import Attachments
from chunking.store.reviews import ReviewStore
store = ReviewStore(library.storage.database.engine)
for number in itertools.count():
    entry = library.add(new(f"{name} {number}. " * 500, f"{name}-{number}.md"))
    Attachments(library).put(entry.id, "reference", "gold.json", f"[{number}]".encode())
    store.append([Event(f"{name}-{number}", "text", name, "accept", number)])
    print("kept", entry.id, f"{name}-{number}", flush=True)
    # What is deleted at once is at times in the first copy of the database, and its file is gone when that is wanted.
    gone = library.add(new(f"{name} {number} goes. " * 500, "gone.md"))
    library.delete(gone.id)
    print("gone", gone.id, "", flush=True)
"""
)


def settle_in(folder: Path, patch: pytest.MonkeyPatch) -> None:
    """Let the settings name a database and a place of files in a folder."""
    patch.setenv("CHUNKSCOPE_REVIEWS", str(folder / "reviews.sqlite"))
    patch.setenv("CHUNKSCOPE_LIBRARY", str(folder / "files"))
    patch.setenv("CHUNKSCOPE_CACHE", str(folder / "cache"))


@pytest.fixture
def storage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> LibraryStorage:
    settle_in(tmp_path / "server", monkeypatch)
    return open_storage()


class Writer:
    """A process that writes and deletes; what it has acknowledged so far."""

    def __init__(self, folder: Path, name: str, url: str = "") -> None:
        url = url or f"sqlite:///{folder / 'reviews.sqlite'}"
        self._process = process(WRITE, url, str(folder / "files"), name)
        self.kept: dict[str, str] = {}
        self.gone: set[str] = set()
        self.begun = threading.Event()
        self._thread = threading.Thread(target=self._listen)
        self._thread.start()

    def _listen(self) -> None:
        assert self._process.stdout
        for line in self._process.stdout:
            if not line.endswith("\n"):
                break  # it was killed in the middle of saying so
            what, id, token = line.rstrip("\n").split(" ")
            if what == "kept":
                self.kept[id] = token
            else:
                self.gone.add(id)
            if len(self.kept) >= 3:
                self.begun.set()
        self.begun.set()  # nobody waits for a process that has ended

    def wait(self) -> None:
        """Wait until it has written something more."""
        self.begun.wait()
        assert self._process.poll() is None, self._process.stderr and self._process.stderr.read()

    def stop(self) -> None:
        assert self._process.poll() is None, self._process.stderr and self._process.stderr.read()
        self._process.kill()
        self._thread.join()
        self._process.communicate()


def test_a_backup_that_is_made_while_the_app_writes_has_all_that_was_acknowledged(
    storage: LibraryStorage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    writers = [Writer(tmp_path / "server", name) for name in ("a", "b")]
    backups = []
    for number in range(3):
        for writer in writers:
            writer.wait()
        before = [(dict(writer.kept), set(writer.gone)) for writer in writers]
        # The second one brings the first up to date.
        folder = tmp_path / ("first" if number < 2 else "last")
        done = backup(storage, folder)
        assert done.missing == ()
        if number:
            backups.append((folder, before))
        for writer in writers:
            writer.begun.clear()
    for writer in writers:
        writer.stop()
    for folder, before in backups:
        settle_in(tmp_path / f"restored {folder.name}", monkeypatch)
        restore(folder)
        restored = open_storage()
        found = inspect(restored)
        assert found.damaged == () and found.files > 0
        library = Library(restored)
        reviews = ReviewStore(restored.database.engine)
        ids = {each.id for each in library.own()}
        for kept, gone in before:
            assert kept.keys() <= ids
            assert not gone & ids
            assert reviews.stored(kept.values()) == set(kept.values())
        for entry in library.own():
            assert library.open(entry).document.text
            for attached in entry.attachments:
                assert Attachments(library).read(entry, attached)


def test_a_document_that_is_deleted_between_the_copies_is_not_in_the_backup(
    storage: LibraryStorage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = Library(storage)
    kept, gone = library.add(new("It stays.", "a.md")), library.add(new("It goes.", "b.md"))
    copy = backup_module._copy
    copies = []

    def copy_and_delete(source: Path, target: Path) -> None:
        copy(source, target)
        copies.append(target)
        if len(copies) == 1:
            library.delete(gone.id)

    monkeypatch.setattr(backup_module, "_copy", copy_and_delete)
    done = backup(storage, tmp_path / "out")
    assert (done.files, done.copied, done.missing, len(copies)) == (1, 1, (), 2)
    assert set(ContentStore(str(tmp_path / "out" / FILES)).digests()) == {kept.content}
    with closing(sqlite3.connect(tmp_path / "out" / DATABASE)) as connection:
        assert connection.execute("SELECT id FROM chunkscope_library").fetchall() == [(kept.id,)]


def test_a_file_that_the_library_lost_is_reported_and_the_rest_is_saved(
    storage: LibraryStorage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    library = Library(storage)
    lost, kept = library.add(new("Lost.", "a.md")), library.add(new("Kept.", "b.md"))
    storage.files.delete(lost.content)
    assert main(["backup", str(tmp_path / "out")]) == 1
    assert json.loads(capsys.readouterr().out) == {"files": 2, "copied": 1, "missing": [lost.content]}
    settle_in(tmp_path / "elsewhere", monkeypatch)
    assert main(["restore", str(tmp_path / "out")]) == 1
    assert json.loads(capsys.readouterr().out)["missing"] == [lost.content]
    assert Library(open_storage()).open(kept).document.text == "Kept."


def test_what_is_damaged_in_an_earlier_backup_is_copied_again(storage: LibraryStorage, tmp_path: Path) -> None:
    entry = Library(storage).add(new())
    backup(storage, tmp_path / "out")
    assert backup(storage, tmp_path / "out").copied == 0
    (path,) = (tmp_path / "out" / FILES).glob("??/*")
    path.write_bytes(b"other bits")
    assert backup(storage, tmp_path / "out").copied == 1
    assert ContentStore(str(tmp_path / "out" / FILES)).get(entry.content)


def test_a_backup_that_fails_leaves_the_one_before(
    storage: LibraryStorage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = Library(storage)
    library.add(new("One.", "one.md"))
    backup(storage, tmp_path / "out")
    before = (tmp_path / "out" / DATABASE).read_bytes()
    library.add(new("Two.", "two.md"))

    def full(*_: object) -> str:
        raise ChunkscopeError("The disk is full.", "Free some space.")

    monkeypatch.setattr(ContentStore, "put", full)
    with pytest.raises(ChunkscopeError, match="The disk is full"):
        backup(storage, tmp_path / "out")
    assert (tmp_path / "out" / DATABASE).read_bytes() == before
    assert [path.name for path in (tmp_path / "out").iterdir() if path.is_file()] == [DATABASE]


def test_nothing_is_restored_over_what_is_there(storage: LibraryStorage, tmp_path: Path) -> None:
    entry = Library(storage).add(new())
    backup(storage, tmp_path / "out")
    with pytest.raises(ChunkscopeError, match="There is a database already"):
        restore(tmp_path / "out")
    assert Library(storage).get(entry.id) == entry


def test_a_backup_of_an_earlier_version_is_brought_to_this_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    *earlier, _ = sorted(migrations.VERSIONS[0].glob("v*.py"))
    for folder in ("versions", "out"):
        (tmp_path / folder).mkdir()
    for version in earlier:
        shutil.copy(version, tmp_path / "versions")
    with engine_of(f"sqlite:///{tmp_path / 'out' / DATABASE}") as engine:
        upgrade(engine, [tmp_path / "versions"])
    assert version_of(tmp_path / "out" / DATABASE) == earlier[-1].name[1:5]
    settle_in(tmp_path / "server", monkeypatch)
    restore(tmp_path / "out")
    assert version_of(tmp_path / "server" / "reviews.sqlite") == newest()


def version_of(database: Path) -> str:
    """The version of the tables."""
    with closing(sqlite3.connect(database)) as connection:
        (version,) = connection.execute(f"SELECT version_num FROM {VERSION}").fetchone()
    return str(version)


@pytest.mark.parametrize("data", [None, b"no database", b"SQLite format 3\0 and no more"])
def test_what_is_no_backup_is_not_restored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, data: bytes | None) -> None:
    settle_in(tmp_path / "server", monkeypatch)
    (tmp_path / "out").mkdir()
    if data is not None:
        (tmp_path / "out" / DATABASE).write_bytes(data)
    with pytest.raises(ChunkscopeError):
        restore(tmp_path / "out")
    assert not (tmp_path / "server" / "reviews.sqlite").exists()


def test_a_database_of_postgresql_is_saved_by_its_own_program(postgres_url: str, tmp_path: Path) -> None:
    from chunking.store.database.database import Database

    engine = create_engine(postgres_url, **engine_options(postgres_url))
    with pytest.raises(ChunkscopeError, match="in PostgreSQL") as caught:
        backup(LibraryStorage(Database(engine), ContentStore(str(tmp_path / "files"))), tmp_path / "out")
    assert "pg_dump" in caught.value.remedy


def test_a_dump_of_postgresql_and_then_the_files_have_all_that_was_acknowledged(
    postgres: Postgres, postgres_url: str, tmp_path: Path
) -> None:
    """The commands of docs/deploy.md in their order, while the app writes, then pg_restore into an empty database."""
    with place_of(postgres_url, str(tmp_path / "files")):
        pass  # the tables are there before anybody writes
    writer = Writer(tmp_path, "a", postgres_url)
    writer.wait()
    kept, gone = dict(writer.kept), set(writer.gone)
    there = ("--host", str(postgres.folder), "--port", str(postgres.port), "--username", USER)
    postgres.run("pg_dump", *there, "--format=custom", "--file=chunkscope.dump", SHARED)
    # As tar does, which reads one file after the other: what is deleted meanwhile is left out.
    shutil.copytree(tmp_path / "files", tmp_path / "copied", copy_function=_copy_if_there)
    writer.stop()
    database = postgres.new_database()
    postgres.run("pg_restore", *there, f"--dbname={database}", "--clean", "--if-exists", "chunkscope.dump")
    with place_of(postgres.url(database), str(tmp_path / "copied")) as place:
        library = place.library()
        ids = {each.id for each in library.own()}
        assert kept.keys() <= ids and not gone & ids
        assert ReviewStore(place.storage.database.engine).stored(kept.values()) == set(kept.values())
        for id in kept:
            assert library.open(library.get(id)).document.text
        damaged = inspect(place.storage).damaged
        assert {name for each in damaged for name in each.documents} <= {"gone.md"}


def _copy_if_there(source: str, target: str) -> None:
    with contextlib.suppress(FileNotFoundError):
        shutil.copyfile(source, target)
