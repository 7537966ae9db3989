from __future__ import annotations

from pathlib import Path

import pytest

from chunking import ChunkscopeError
from chunking.access import Identity
from chunking.gold.events import Event
from chunking.library import Library, LibraryDocument
from chunking.library.attachments import Attachments
from chunking.library.folders import WatchedFolders
from chunking.library.limits import (
    DAYS_VARIABLE,
    MIB_VARIABLE,
    Limits,
    evict,
    limits_of_environment,
    preview,
    total_bytes,
)
from chunking.library.sets import DocumentSets
from chunking.review.store import ReviewStore
from tests.library.places import Place, names, new


def filled(library: Library, place: Place, many: int = 6) -> list[LibraryDocument]:
    """Documents of 1,000 bytes each, the oldest first, a day apart."""
    found = []
    for number in range(many):
        found.append(library.add(new(f"{number}" * 1000, f"{number}.md")))
        place.clock.move(days=1)
    return found


def test_the_oldest_go_until_it_is_small_enough(library: Library, place: Place) -> None:
    filled(library, place)
    assert total_bytes(library) == 6000
    planned = preview(library, Limits(max_bytes=3500))
    assert names(planned.evicted) == ["0.md", "1.md", "2.md"]
    assert (planned.bytes_before, planned.bytes_after, planned.exceeds) == (6000, 3000, False)
    assert library.list().total == 6, "it is only shown"
    done = evict(library, Limits(max_bytes=3500))
    assert (done.evicted, done.bytes_after) == (planned.evicted, 3000)
    assert sorted(names(library.own())) == ["3.md", "4.md", "5.md"]
    assert len(place.contents()) == 3
    assert len(place.forgotten.texts) == 3
    assert evict(library, Limits(max_bytes=3500)).evicted == ()


def test_those_that_nobody_opened_for_long_go(library: Library, place: Place) -> None:
    documents = filled(library, place)
    library.open(documents[0])
    assert names(preview(library, Limits(max_days=3)).evicted) == ["1.md", "2.md"]
    place.clock.move(days=-300)
    assert preview(library, Limits(max_days=3)).evicted == ()
    place.clock.move(days=600)
    assert len(preview(library, Limits(max_days=3)).evicted) == 6
    assert preview(library, Limits()).evicted == ()


def test_what_a_person_put_work_into_is_never_evicted(library: Library, place: Place) -> None:
    reference, chunks, questions, reviewed, member, shared, plain = filled(library, place, 7)
    attachments = Attachments(library)
    attachments.put(reference.id, "reference", "gold.json", b"[7]")
    attachments.put(chunks.id, "chunks", "mine.json", b'["a"]')
    attachments.put(questions.id, "questions", "q.jsonl", b"{}")
    ReviewStore(place.storage.database.engine).append([Event("t", reviewed.text_hash, "Ada", "accept", 1)])
    DocumentSets(library).create("S", [member.id])
    library.share(shared, "public")
    place.clock.move(days=1000)
    for limits in (Limits(max_bytes=0), Limits(max_days=1)):
        planned = preview(library, limits)
        assert names(planned.evicted) == ["6.md"]
        assert planned.kept == {
            reference.id: "has a reference",
            chunks.id: "has own chunks",
            questions.id: "has questions",
            reviewed.id: "has reviews",
            member.id: "has a place in a set",
            shared.id: "has been shared",
        }
    done = evict(library, Limits(max_bytes=0))
    assert done.exceeds
    assert library.list().total == 6
    assert plain.content not in place.contents()


def test_what_is_worth_keeping_since_it_was_shown_stays(
    library: Library, place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = filled(library, place, 2)
    planned = preview(library, Limits(max_bytes=0))
    assert len(planned.evicted) == 2
    DocumentSets(library).create("S", [first.id])
    monkeypatch.setattr("chunking.library.limits.preview", lambda *_: planned)
    assert names(evict(library, Limits(max_bytes=0)).evicted) == [second.name]
    assert names(library.own()) == [first.name]


def test_replaced_versions_go_first_unless_they_have_a_reference(
    library: Library, place: Place, tmp_path: Path
) -> None:
    watched = tmp_path / "notes"
    watched.mkdir()
    folders = WatchedFolders(library)
    for number in range(4):
        (watched / "a.md").write_text(f"{number}" * 1000)
        folders.scan(folders.watch(watched).id)
        place.clock.move(days=1)
    newest, third, second, first = library.own()
    library.open(first)
    Attachments(library).put(second.id, "reference", "gold.json", b"[7]")
    planned = preview(library, Limits(max_bytes=0))
    assert [each.id for each in planned.evicted] == [third.id, first.id]
    assert evict(library, Limits(max_bytes=0)).exceeds
    assert (library.get(newest.id).previous, library.get(second.id).replaced_by) == (second.id, newest.id)
    assert library.get(second.id).previous == ""
    assert library.list().total == 1


def test_each_person_has_limits_of_their_own(place: Place) -> None:
    ada, ben = place.library(Identity("ada", "Ada")), place.library(Identity("ben", "Ben"))
    filled(ada, place, 2)
    filled(ben, place, 3)
    assert (total_bytes(ada), total_bytes(ben)) == (2000, 3000)
    evict(ada, Limits(max_bytes=0))
    assert (ada.list().total, ben.list().total) == (0, 3)
    assert len(place.contents()) == 3


def test_limits_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    assert limits_of_environment() == Limits()
    monkeypatch.setenv(MIB_VARIABLE, " 20 ")
    monkeypatch.setenv(DAYS_VARIABLE, "90")
    assert limits_of_environment() == Limits(20 * 2**20, 90)
    for wrong in ("0", "-1", "1.5", "many", "²"):
        monkeypatch.setenv(DAYS_VARIABLE, wrong)
        with pytest.raises(ChunkscopeError, match=DAYS_VARIABLE):
            limits_of_environment()
