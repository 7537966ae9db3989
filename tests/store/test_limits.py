from __future__ import annotations

from pathlib import Path

import pytest

from chunking import ChunkscopeError
from chunking.reference.events import Event
from chunking.store import DocumentSettings, Library, LibraryDocument
from chunking.store.archive.export import export_to
from chunking.store.archive.importing import import_archive
from chunking.store.attachments import Attachments
from chunking.store.folders import WatchedFolders
from chunking.store.identity import LOCAL, Identity
from chunking.store.limits import (
    DAYS_VARIABLE,
    MIB_VARIABLE,
    Limits,
    limits_of_environment,
)
from chunking.store.reviews import ReviewStore
from chunking.store.sets import DocumentSets
from tests.store.places import Place, names, new


def filled(library: Library, place: Place, many: int = 6) -> list[LibraryDocument]:
    """Documents of 1,000 bytes each, the oldest first, a day apart."""
    found = []
    for number in range(many):
        found.append(library.add(new(f"{number}" * 1000, f"{number}.md")))
        place.clock.move(days=1)
    return found


def test_the_oldest_go_until_it_is_small_enough(library: Library, place: Place) -> None:
    filled(library, place)
    assert library.total_bytes() == 6000
    planned = library.preview_eviction(Limits(max_bytes=3500))
    assert names(planned.evicted) == ["0.md", "1.md", "2.md"]
    assert (planned.bytes_before, planned.bytes_after, planned.exceeds) == (6000, 3000, False)
    assert library.list().total == 6, "it is only shown"
    done = library.evict(Limits(max_bytes=3500))
    assert (done.evicted, done.bytes_after) == (planned.evicted, 3000)
    assert sorted(names(library.own())) == ["3.md", "4.md", "5.md"]
    assert len(place.contents()) == 3
    assert len(place.forgotten.texts) == 3
    assert library.evict(Limits(max_bytes=3500)).evicted == ()


def test_those_that_nobody_opened_for_long_go(library: Library, place: Place) -> None:
    documents = filled(library, place)
    library.open(documents[0])
    assert names(library.preview_eviction(Limits(max_days=3)).evicted) == ["1.md", "2.md"]
    place.clock.move(days=-300)
    assert library.preview_eviction(Limits(max_days=3)).evicted == ()
    place.clock.move(days=600)
    assert len(library.preview_eviction(Limits(max_days=3)).evicted) == 6
    assert library.preview_eviction(Limits()).evicted == ()


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
        planned = library.preview_eviction(limits)
        assert names(planned.evicted) == ["6.md"]
        assert planned.kept == {
            reference.id: "has a reference",
            chunks.id: "has own chunks",
            questions.id: "has questions",
            reviewed.id: "has reviews",
            member.id: "has a place in a set",
            shared.id: "has been shared",
        }
    done = library.evict(Limits(max_bytes=0))
    assert done.exceeds
    assert library.list().total == 6
    assert plain.content not in place.contents()


def test_what_is_worth_keeping_since_it_was_shown_stays(
    library: Library, place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = filled(library, place, 2)
    planned = library.preview_eviction(Limits(max_bytes=0))
    assert len(planned.evicted) == 2
    DocumentSets(library).create("S", [first.id])
    monkeypatch.setattr(library, "preview_eviction", lambda *_: planned)
    assert names(library.evict(Limits(max_bytes=0)).evicted) == [second.name]
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
    planned = library.preview_eviction(Limits(max_bytes=0))
    assert [each.id for each in planned.evicted] == [third.id, first.id]
    assert library.evict(Limits(max_bytes=0)).exceeds
    assert (library.get(newest.id).previous, library.get(second.id).replaced_by) == (second.id, newest.id)
    assert library.get(second.id).previous == ""
    assert library.list().total == 1


def test_each_person_has_limits_of_their_own(place: Place) -> None:
    ada, ben = place.library(Identity("ada", "Ada")), place.library(Identity("ben", "Ben"))
    filled(ada, place, 2)
    filled(ben, place, 3)
    assert (ada.total_bytes(), ben.total_bytes()) == (2000, 3000)
    ada.evict(Limits(max_bytes=0))
    assert (ada.list().total, ben.list().total) == (0, 3)
    assert len(place.contents()) == 3


def test_limits_come_from_the_environment(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    assert limits_of_environment() == place.library().limits == Limits()
    monkeypatch.setenv(MIB_VARIABLE, " 20 ")
    monkeypatch.setenv(DAYS_VARIABLE, "90")
    assert limits_of_environment() == place.library().limits == Limits(20 * 2**20, 90)
    for wrong in ("0", "-1", "1.5", "many", "²"):
        monkeypatch.setenv(DAYS_VARIABLE, wrong)
        with pytest.raises(ChunkscopeError, match=DAYS_VARIABLE):
            limits_of_environment()


def limited(place: Place, max_bytes: int, identity: Identity = LOCAL) -> tuple[Library, list[str]]:
    """A library with a limit, and the names of what it evicts."""
    evicted: list[str] = []
    found = Library(
        place.storage, identity, Limits(max_bytes=max_bytes), lambda gone: evicted.extend(each.name for each in gone)
    )
    return found, evicted


def web_page(library: Library, name: str) -> tuple[LibraryDocument, str]:
    """A page whose main part was chosen, and the hash of that text."""
    words = f"<p>{name} is hidden behind the clock, where nobody would ever look for such a thing at all.</p>"
    page = f"<html><body><nav><a href='/'>Home</a> <a href='/x'>Contact</a></nav><article>{words * 8}</article></body>"
    entry = library.choose(library.add(new(page, name)), DocumentSettings(content="main"))
    text_hash = library.open(entry).document.text_hash
    assert text_hash != entry.text_hash
    return entry, text_hash


def test_reviews_of_the_main_part_of_a_page_keep_it(library: Library, place: Place) -> None:
    page, text_hash = web_page(library, "page.html")
    web_page(library, "other.html")
    ReviewStore(place.storage.database.engine).append([Event("t", text_hash, "Zoe", "accept", 4, note="Here?")])
    for done in (library.preview_eviction(Limits(max_bytes=0)), library.evict(Limits(max_bytes=0))):
        assert (done.kept, names(done.evicted)) == ({page.id: "has reviews"}, ["other.html"])
    assert len(ReviewStore(place.storage.database.engine).events(text_hash)) == 1


def test_a_review_that_comes_while_a_page_is_evicted_keeps_it(
    library: Library, place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    page, text_hash = web_page(library, "page.html")
    planned = library.preview_eviction(Limits(max_bytes=0))
    assert names(planned.evicted) == ["page.html"]
    monkeypatch.setattr(library, "preview_eviction", lambda *_: planned)
    ReviewStore(place.storage.database.engine).append([Event("t", text_hash, "Zoe", "accept", 4)])
    assert library.evict(Limits(max_bytes=0)).evicted == ()
    assert library.get(page.id) == page


def test_nothing_stays_of_the_main_part_of_an_evicted_page(library: Library, place: Place) -> None:
    page, text_hash = web_page(library, "page.html")
    assert names(library.evict(Limits(max_bytes=0)).evicted) == ["page.html"]
    assert {page.text_hash, text_hash} <= set(place.forgotten.texts)


def test_adding_evicts_the_oldest_and_tells(place: Place) -> None:
    library, evicted = limited(place, 3500)
    filled(library, place, 3)
    assert evicted == []
    library.add(new("3" * 1000, "3.md"))
    assert evicted == ["0.md"]
    assert sorted(names(library.own())) == ["1.md", "2.md", "3.md"]
    assert library.total_bytes() == 3000
    library.add(new("4" * 2900, "4.md"))
    assert evicted == ["0.md", "1.md", "2.md", "3.md"]
    assert len(place.contents()) == 1


def test_what_is_there_already_can_be_added_to_a_full_library(place: Place) -> None:
    library, evicted = limited(place, 2000)
    first, _ = filled(library, place, 2)
    assert library.add(new("0" * 1000, "0.md")).id == first.id
    copied = library.add(new("0" * 1000, "copy.md"))
    assert (copied.content, evicted, library.total_bytes()) == (first.content, [], 2000)


def test_adding_is_refused_where_the_rest_must_stay(place: Place) -> None:
    library, evicted = limited(place, 2500)
    reference, reviewed = filled(library, place, 2)
    Attachments(library).put(reference.id, "reference", "gold.json", b"[7]")
    ReviewStore(place.storage.database.engine).append([Event("t", reviewed.text_hash, "Ada", "accept", 1)])
    with pytest.raises(ChunkscopeError, match="The library is full") as caught:
        library.add(new("2" * 1000, "2.md"))
    assert MIB_VARIABLE in caught.value.remedy
    assert (len(library.own()), len(place.contents()), evicted) == (2, 3, [])
    with pytest.raises(ChunkscopeError, match="full"):
        Library(place.storage, limits=Limits(max_bytes=10)).add(new("3" * 1000, "3.md"))
    assert len(library.own()) == 2, "nothing goes for a file that does not fit even then"


def test_a_file_of_somebody_else_counts_as_ones_own_too(place: Place) -> None:
    ben = place.library(Identity("ben", "Ben"))
    ben.add(new("0" * 1000, "0.md"))
    ada, _ = limited(place, 500, Identity("ada", "Ada"))
    with pytest.raises(ChunkscopeError, match="full"):
        ada.add(new("0" * 1000, "0.md"))
    assert ben.list().total == 1


def test_a_cache_that_cannot_forget_does_not_undo_what_was_added(place: Place) -> None:
    library, evicted = limited(place, 1500)
    filled(library, place, 1)
    place.forgotten.works = False
    assert library.add(new("1" * 1000, "1.md")).name == "1.md"
    assert evicted == ["0.md"]
    assert len(place.contents()) == 2
    place.forgotten.works = True
    library.delete(library.own()[0].id)
    assert place.contents() == set()


def test_scans_and_imports_leave_out_what_does_not_fit_and_evict_nothing(place: Place, tmp_path: Path) -> None:
    source = place.library(Identity("ada", "Ada"))
    filled(source, place, 2)
    export_to(source, tmp_path / "all.zip")
    library, evicted = limited(place, 3500)
    library.add(new("#" * 1500, "here.md"))
    done = import_archive(library, tmp_path / "all.zip")
    assert (done.added, len(done.problems), evicted) == (2, 0, [])
    watched = tmp_path / "notes"
    watched.mkdir()
    (watched / "long.md").write_text("9" * 1000)
    folders = WatchedFolders(library)
    found = folders.scan(folders.watch(watched).id)
    assert (found.added, [name for name, _ in found.problems], evicted) == ((), ["long.md"], [])
    small, evicted = limited(place, 1000, Identity("ben", "Ben"))
    done = import_archive(small, tmp_path / "all.zip")
    assert (done.added, len(done.problems), evicted) == (1, 1, [])
    assert "was left out" in done.problems[0].problem


def test_a_file_in_a_watched_folder_stays_and_would_only_come_back(place: Place, tmp_path: Path) -> None:
    watched = tmp_path / "notes"
    watched.mkdir()
    (watched / "a.md").write_text("a" * 1000)
    library, evicted = limited(place, 1500)
    folders = WatchedFolders(library)
    (added,) = folders.scan(folders.watch(watched).id).added
    assert library.preview_eviction().kept == {added.id: "has a file in a watched folder"}
    with pytest.raises(ChunkscopeError, match="full"):
        library.add(new("b" * 1000, "b.md"))
    (watched / "a.md").unlink()
    folders.scan(folders.list()[0].id)
    library.add(new("b" * 1000, "b.md"))
    assert evicted == ["notes/a.md"]
