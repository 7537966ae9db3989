from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from chunking import ChunkscopeError
from chunking.store import DocumentSettings, Library, NotFoundError, Query
from chunking.store import folders as of_folders
from chunking.store.attachments import Attachments
from chunking.store.folders import Scan, WatchedFolders
from chunking.store.identity import ROLES, Identity, Role
from chunking.store.sets import DocumentSets
from chunking.work.reference_transfer import carried_reference
from tests.store.places import Place, names, new

TEA = "Boil the water first. Warm the pot.\n\nLet it draw for four minutes. Pour it slowly.\n"
PLACE = TEA.index("Let it")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "notes"
    (made / "deep").mkdir(parents=True)
    (made / "tea.md").write_text(TEA)
    (made / "deep" / "water.txt").write_text("Water is wet.")
    (made / ".hidden.md").write_text("Hidden.")
    (made / "values.json").write_text("[1]")
    return made


def scanned(library: Library, folder: Path) -> Scan:
    folders = WatchedFolders(library)
    return folders.scan(folders.watch(folder).id)


def test_a_folder_is_read_and_read_again(library: Library, folder: Path) -> None:
    first = scanned(library, folder)
    assert [each.path for each in first.added] == ["deep/water.txt", "tea.md"]
    assert names(library.list(Query(order="name")).documents) == ["notes/deep/water.txt", "notes/tea.md"]
    assert scanned(library, folder) == Scan((), (), (), 2)
    os.utime(folder / "tea.md", (0, 0))
    assert scanned(library, folder) == Scan((), (), (), 2)
    (watched,) = WatchedFolders(library).list()
    assert (watched.path, bool(watched.scanned)) == (str(folder.resolve()), True)


@pytest.mark.parametrize("roles", [(), ("reader",), ("reader", "reviewer")])
def test_only_an_administrator_watches_and_scans_folders(place: Place, folder: Path, roles: tuple[Role, ...]) -> None:
    admin = Identity("login|ada", "Ada", roles=frozenset(ROLES))
    library = place.library(admin)
    watched = WatchedFolders(library).watch(folder)
    now = place.library(replace(admin, roles=frozenset(roles)))  # she is no longer one
    with pytest.raises(ChunkscopeError, match="requires the role admin"):
        WatchedFolders(now).scan(watched.id)
    with pytest.raises(ChunkscopeError, match="requires the role admin"):
        WatchedFolders(now).watch(folder / "deep")
    assert WatchedFolders(now).list() == [watched]
    assert now.list().total == 0
    WatchedFolders(now).unwatch(watched.id)
    assert WatchedFolders(library).list() == []


def test_a_change_is_a_new_version_in_the_place_of_the_old_one(library: Library, folder: Path) -> None:
    (_, tea) = scanned(library, folder).added
    tea = library.choose(library.tag(tea, ("hot",)), DocumentSettings(encoder="static"))
    library.rename(tea, "The tea.md")
    Attachments(library).put(tea.id, "chunks", "mine.json", b'["a"]')
    Attachments(library).put(tea.id, "reference", "gold.json", b"[7]")
    made = DocumentSets(library).create("S", [tea.id])
    stamp = (folder / "tea.md").stat()
    (folder / "tea.md").write_text(TEA.replace("four", "five"))  # as long as before, and no newer
    os.utime(folder / "tea.md", ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    found = scanned(library, folder)
    (now,) = found.changed
    assert (found.added, found.removed, found.unchanged) == ((), (), 1)
    assert (now.name, now.tags, now.choices, now.previous) == (
        "The tea.md",
        ("hot",),
        DocumentSettings(encoder="static"),
        tea.id,
    )
    assert [each.kind for each in now.attachments] == ["chunks"]
    assert DocumentSets(library).get(made.id).documents == (now.id,)
    before = library.get(tea.id)
    assert before.replaced_by == now.id
    assert len(before.attachments) == 2
    assert library.open(before).document.text == TEA
    assert library.list().total == 2
    assert library.list(Query(superseded=True)).total == 3
    assert library.find(before.link_name).id == before.id
    assert scanned(library, folder) == Scan((), (), (), 2)


def test_a_file_that_changes_back_and_forth_has_all_its_versions(library: Library, folder: Path) -> None:
    scanned(library, folder)
    for text in ("Other.", TEA, "Other.", TEA):
        (folder / "tea.md").write_text(text)
        assert [each.path for each in scanned(library, folder).changed] == ["tea.md"]
    (tea,) = library.list(Query(text="tea")).documents
    assert library.open(tea).document.text == TEA
    library.delete(tea.id)
    assert names(library.own()) == ["notes/deep/water.txt"]


def test_what_is_gone_stays_and_is_reported_once(library: Library, folder: Path) -> None:
    scanned(library, folder)
    (folder / "tea.md").rename(folder / "tea.bak")
    assert [each.path for each in scanned(library, folder).removed] == ["tea.md"]
    assert scanned(library, folder) == Scan((), (), (), 1)
    (tea,) = library.list(Query(text="tea")).documents
    assert tea.missing
    assert library.open(tea).document.text == TEA
    (folder / "tea.bak").rename(folder / "tea.md")
    assert scanned(library, folder) == Scan((), (), (), 2)
    assert not library.get(tea.id).missing


def test_a_folder_that_cannot_be_read_removes_nothing(library: Library, folder: Path) -> None:
    scanned(library, folder)
    (watched,) = WatchedFolders(library).list()
    folder.rename(folder.with_name("elsewhere"))
    with pytest.raises(ChunkscopeError, match="cannot be read"):
        WatchedFolders(library).scan(watched.id)
    assert not any(each.missing for each in library.own())
    with pytest.raises(ChunkscopeError, match="cannot be read"):
        WatchedFolders(library).watch(folder)


def test_a_file_that_cannot_be_used_hides_no_other(library: Library, folder: Path) -> None:
    scanned(library, folder)
    (folder / "tea.md").write_text("")
    (folder / "broken.pdf").write_bytes(b"%PDF-1.7 broken")
    found = scanned(library, folder)
    assert [path for path, _ in found.problems] == ["broken.pdf", "tea.md"]
    assert (found.changed, found.removed, found.unchanged) == ((), (), 1)
    (tea,) = library.list(Query(text="tea")).documents
    assert library.open(tea).document.text == TEA


def test_links_lead_nowhere_outside(library: Library, folder: Path, tmp_path: Path) -> None:
    (tmp_path / "secret.md").write_text("Secret.")
    (folder / "link.md").symlink_to(tmp_path / "secret.md")
    (folder / "inner.md").symlink_to(folder / "tea.md")
    assert [each.path for each in scanned(library, folder).added] == ["deep/water.txt", "inner.md", "tea.md"]


def test_a_document_that_was_added_before_is_watched_from_then_on(library: Library, folder: Path) -> None:
    entry = library.add(new(TEA, "notes/tea.md"))
    assert [each.id for each in scanned(library, folder).added if each.path == "tea.md"] == [entry.id]
    (folder / "tea.md").write_text("Other.")
    assert scanned(library, folder).changed[0].previous == entry.id


def test_the_same_file_in_two_folders_of_one_name_is_of_the_first(
    library: Library, folder: Path, tmp_path: Path
) -> None:
    scanned(library, folder)
    twin = tmp_path / "twin" / "notes"
    twin.mkdir(parents=True)
    (twin / "tea.md").write_text(TEA)
    for _ in range(2):
        assert scanned(library, twin).added == ()
        assert scanned(library, folder) == Scan((), (), (), 2)


def test_a_folder_is_watched_no_more(library: Library, folder: Path, place: Place) -> None:
    scanned(library, folder)
    folders = WatchedFolders(library)
    (watched,) = folders.list()
    folders.unwatch(watched.id)
    folders.unwatch(watched.id)
    assert folders.list() == []
    assert {each.folder for each in library.own()} == {""}
    with pytest.raises(NotFoundError, match="watched folder"):
        folders.scan(watched.id)


def test_too_many_files_are_refused(library: Library, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(of_folders, "MOST_FILES", 1)
    with pytest.raises(ChunkscopeError, match="more than 1 documents"):
        scanned(library, folder)


def test_a_reference_is_carried_to_the_text_as_it_is_now(library: Library, folder: Path) -> None:
    (_, tea) = scanned(library, folder).added
    assert carried_reference(library, tea) is None
    Attachments(library).put(tea.id, "reference", "gold.json", f"[{PLACE}]".encode())
    for text in ("A new beginning of it all. " + TEA, "Another beginning. " + TEA):
        (folder / "tea.md").write_text(text)
        (now,) = scanned(library, folder).changed
    carried = carried_reference(library, now)
    assert carried is not None
    assert carried.source.id == tea.id, "across a version that has none"
    assert carried.relocation.offsets == {PLACE: text.index("Let it")}
    assert carried.relocation.lost == ()
    Attachments(library).put(now.id, "reference", "own.json", b"[5]")
    assert carried_reference(library, library.get(now.id)) is None
