from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from chunking import load
from chunking.store import LibraryDocument, NewDocument
from chunking.store.folders import WatchedFolder
from chunking.store.identity import ROLES, Identity
from chunking.store.library import Library
from chunking.store.storage import open_storage
from pages.shared.library import actions, folders, listing


@pytest.fixture
def entry(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> LibraryDocument:
    monkeypatch.setenv("CHUNKSCOPE_REVIEWS", str(tmp_path / "reviews.sqlite"))
    return Library(open_storage()).add(NewDocument(b"Tea.", load(b"Tea.", "notes/tea.md")))


@pytest.mark.parametrize(
    ("name", "source", "file"),
    [
        ("notes/tea.md", "notes/tea.md", "tea.md"),
        ("The tea", "tea.md", "The tea.md"),
        ("Tea 1.2", "tea.PDF", "Tea 1.2.PDF"),
        ("tea.pdf", "tea.PDF", "tea.pdf"),
        ("notes/", "tea.md", "notes.md"),
    ],
)
def test_a_downloaded_file_has_the_ending_that_says_how_it_is_read(
    entry: LibraryDocument, name: str, source: str, file: str
) -> None:
    assert actions.file_name(replace(entry, name=name, source=source)) == file


def test_who_may_read_a_document_in_words(entry: LibraryDocument) -> None:
    here = Library(open_storage())
    assert listing.access(entry, here) == "private"
    assert listing.access(replace(entry, visibility="team", team="Harbour"), here) == "team Harbour"
    assert listing.access(replace(entry, visibility="public"), here) == "public"
    theirs = replace(entry, owner="ben", visibility="team")
    assert listing.access(theirs, here) == "shared with you"
    admin = Identity("grace", "Grace", roles=frozenset(ROLES))
    assert listing.access(theirs, Library(open_storage(), admin)) == "of somebody else"


def test_a_time_that_is_none_is_left_out() -> None:
    assert listing.moment("yesterday") is None
    assert listing.moment("2026-03-01T12:00:00.000+00:00") == datetime(2026, 3, 1, 12, tzinfo=UTC)


def test_a_folder_is_due_after_a_while_and_before_its_first_scan() -> None:
    now = datetime(2026, 3, 1, 12, tzinfo=UTC)
    assert folders.is_due(WatchedFolder("1", "/notes"), now)
    for minutes, due in ((1, False), (5, True), (600, True)):
        scanned = (now - timedelta(minutes=minutes)).isoformat(timespec="milliseconds")
        assert folders.is_due(WatchedFolder("1", "/notes", scanned), now) is due
