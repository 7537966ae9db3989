"""Processes that are killed, and processes that do the same at once."""

from __future__ import annotations

import random
import signal
from itertools import islice
from pathlib import Path
from subprocess import Popen

import pytest
from sqlalchemy import event

from chunking.errors import ChunkscopeError
from chunking.store import Library, removal
from chunking.store.removal import inspect
from tests.disks import small_disk
from tests.examples import examples
from tests.store.databases import Postgres, process, run_together
from tests.store.places import Place, new, place_of

OPEN = """
import sys
from sqlalchemy import create_engine
from chunking import load
from chunking.store import Library, LibraryStorage, NewDocument
from chunking.store.storage import ContentStore
from chunking.store.database.location import engine_options
from chunking.store.database.database import Database
url, root, name = sys.argv[1:4]
database = Database(create_engine(url, **engine_options(url)))
library = Library(LibraryStorage(database, ContentStore(root)))
def new(text, name):
    return NewDocument(text.encode(), load(text.encode(), name, "en"))
"""
ADD_FOR_EVER = (
    OPEN
    + """
number = 0
while True:
    text = f"{name} {number}. " * 2000
    entry = library.add(new(text, f"{name}-{number}.md"))
    print(number, entry.id, flush=True)
    number += 1
"""
)
ADD_AND_DELETE_FOR_EVER = (
    OPEN
    + """
number = 0
while True:
    # The same few contents again and again, so that one process deletes what the other adds.
    entry = library.add(new(f"Text {number % 3}.", f"{name}-{number % 5}.md"))
    if number % 2:
        library.delete(entry.id)
    print(number, flush=True)
    number += 1
"""
)
ADD_THE_SAME = (
    OPEN
    + """
sys.stdout.write("ready\\n"); sys.stdout.flush(); sys.stdin.readline()
for number in range(30):
    library.add(new(f"Text {number}.", f"{number}.md"))
"""
)


def read_some(running: Popen[str], chance: random.Random) -> list[str]:
    """Return the first lines of a process, so many as chance decides; it is in the middle of something by then."""
    assert running.stdout
    lines = list(islice(running.stdout, chance.randint(1, 12)))
    assert lines, running.communicate()[1]
    return lines


def whole(place: Place) -> None:
    """There is no row without its file, and no file without its row once the orphans are collected."""
    found = inspect(place.storage)
    assert found.damaged == ()
    library = place.library()
    assert place.contents() == {each.content for each in library.own()}


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.extended)])
def where(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[str, str]:
    """Address of an empty database, and a folder for files."""
    url = request.getfixturevalue("sqlite_url" if request.param == "sqlite" else "postgres_url")
    return url, str(tmp_path / "files")


def test_a_process_that_is_killed_at_any_moment_loses_nothing_acknowledged(where: tuple[str, str]) -> None:
    chance = random.Random(7)
    with place_of(*where) as place:
        library = place.library()
        turns = examples(8, quick=2)
        for turn in range(turns):
            running = process(ADD_FOR_EVER, *where, f"turn{turn}")
            heard = read_some(running, chance)
            running.send_signal(signal.SIGKILL)
            out, errors = running.communicate()
            assert running.returncode == -signal.SIGKILL, errors
            lines = [*heard, *(line for line in out.splitlines(keepends=True) if line.endswith("\n"))]
            for line in lines:
                number, id = line.split()
                opened = library.open(library.get(id))
                assert opened.data == f"turn{turn} {number}. ".encode() * 2000
            whole(place)
        assert library.list().total >= turns


@pytest.mark.extended
def test_a_process_that_is_killed_while_it_deletes_leaves_nothing_half(where: tuple[str, str]) -> None:
    chance = random.Random(8)
    with place_of(*where) as place:
        for turn in range(6):
            both = [process(ADD_AND_DELETE_FOR_EVER, *where, name) for name in ("ada", "ben")]
            for running in both:
                read_some(running, chance)
            for running in both:
                running.send_signal(signal.SIGKILL)
            for running in both:
                _, errors = running.communicate()
                assert running.returncode == -signal.SIGKILL, errors
            assert all(place.library().open(each).data for each in place.library().own()), turn
            whole(place)
            removal.finish(place.storage)


def test_two_that_add_the_same_at_once_have_it_once(where: tuple[str, str]) -> None:
    with place_of(*where) as place:
        run_together([process(ADD_THE_SAME, *where, name) for name in ("ada", "ben")])
        library: Library = place.library()
        assert sorted(each.name for each in library.own()) == sorted(f"{number}.md" for number in range(30))
        whole(place)


@pytest.mark.parametrize("moment", ["INSERT INTO chunkscope_library", "UPDATE chunkscope_library", "COMMIT"])
def test_a_connection_that_is_cut_in_the_middle(
    postgres: Postgres, postgres_url: str, tmp_path: Path, moment: str
) -> None:
    with place_of(postgres_url, str(tmp_path / "files")) as place:
        library, engine = place.library(), place.storage.database.engine
        entry = library.add(new())
        cuts: list[str] = []

        def cut(now: str) -> None:
            if now.startswith(moment) and not cuts:
                cuts.append(now)
                postgres.drop_connections(str(engine.url.database))

        event.listen(engine, "before_cursor_execute", lambda *given: cut(given[2]))
        event.listen(engine, "commit", lambda _connection: cut("COMMIT"))
        other = library.add(new("Bread.", "bread.md"))
        renamed = library.rename(entry, "assam.md")
        assert cuts
        assert {each.id: each.name for each in library.own()} == {entry.id: "assam.md", other.id: "bread.md"}
        assert library.get(entry.id) == renamed
        whole(place)


def test_a_full_disk_takes_no_document_by_half_and_loses_none(tmp_path: Path) -> None:
    """The files and the database are on it, so that either may be the one that finds no room."""
    with small_disk(tmp_path) as disk:
        ballast = disk / "ballast"
        ballast.write_bytes(bytes(300_000))
        with place_of(f"sqlite:///{disk}/reviews.sqlite", str(disk / "files")) as place:
            library, added = place.library(), {}
            with pytest.raises(ChunkscopeError, match="Nothing was stored.*Free some space"):
                for number in range(500):
                    data = new(f"Text {number}. " * 300, f"{number}.md")
                    added[library.add(data).id] = data.data
            assert len(added) > 10
            assert {each.id: library.open(each).data for each in library.own()} == added
            ballast.unlink()
            more = library.add(new("More.", "more.md"))
            assert library.open(more).data == b"More."
            whole(place)
