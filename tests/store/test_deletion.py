"""What is deleted is gone: rows, files, vectors and sentences."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest
import sqlalchemy as sa

from chunking import ChunkscopeError, DocumentAnalysis, Models, samples
from chunking.embedding.vector_cache import VectorCache
from chunking.reference.events import Event
from chunking.store import DocumentSettings, Library, LibraryStorage, NewDocument, removal
from chunking.store.attachments import Attachments
from chunking.store.database import tables
from chunking.store.identity import Identity
from chunking.store.removal import inspect
from chunking.store.reviews import ReviewStore
from chunking.store.sets import DocumentSets, Drafts
from chunking.store.storage import ContentStore
from tests.store.places import Place, new, place_of

SECRET = "The marmalade is hidden behind the clock. "


def rows_of(place: Place) -> dict[str, int]:
    """Rows of every table of the library."""
    known = tables
    named = {name: getattr(known, name) for name in ("library", "tags", "attachments", "members", "removals")}
    with place.storage.database.engine.connect() as connection:
        return {
            name: connection.execute(sa.select(sa.func.count()).select_from(table)).scalar_one()
            for name, table in named.items()
        }


def test_nothing_is_left_of_a_deleted_document(library: Library, place: Place) -> None:
    entry = library.add(new(tags=("a",)))
    Attachments(library).put(entry.id, "reference", "gold.json", b"[7]")
    kept = DocumentSets(library).create("S", [entry.id])
    library.delete(entry.id)
    assert rows_of(place) == dict.fromkeys(rows_of(place), 0)
    assert place.contents() == set()
    assert place.forgotten.texts == [entry.text_hash]
    assert DocumentSets(library).get(kept.id).documents == ()


def test_its_words_are_not_in_any_file(tmp_path: Path) -> None:
    cache = VectorCache(tmp_path / "cache" / "vectors.sqlite3")
    with place_of(f"sqlite:///{tmp_path}/reviews.sqlite", str(tmp_path / "files")) as place:
        storage = LibraryStorage(place.storage.database, place.storage.files, (cache,))
        library = Library(storage)
        entry = library.add(new(SECRET * 20, "marmalade.md", tags=("marmalade",)))
        other = library.add(new("Water is wet. It boils.", "water.md"))
        Drafts(library).put("question", "Where is the marmalade?")
        for each in (entry, other):
            DocumentAnalysis(library.open(each).document, Models("char-ngrams"), cache=cache).vectors()
        assert len(cache) == 3
        assert b"marmalade" in everything(tmp_path)
        library.delete(entry.id)
        Drafts(library).put("question", "")
        assert len(cache) == 2, "those of the other document stay"
        place.storage.database.engine.dispose()
    cache.close()
    assert b"marmalade" not in everything(tmp_path)
    assert b"water.md" in everything(tmp_path)


def judged(place: Place, text_hash: str) -> None:
    """A judgement that quotes the words around its place."""
    event = Event("t", text_hash, "Zoe", "accept", 4, note="Not marmalade, marzipan.", before="marmalade is hidden")
    ReviewStore(place.storage.database.engine).append([event])


def test_reviews_go_with_the_last_copy_of_their_text(tmp_path: Path) -> None:
    with place_of(f"sqlite:///{tmp_path}/reviews.sqlite", str(tmp_path / "files")) as place:
        ada, ben = place.library(Identity("ada", "Ada")), place.library(Identity("ben", "Ben"))
        first, second = ada.add(new(SECRET, "secret.md")), ben.add(new(SECRET, "mine.md"))
        store = ReviewStore(place.storage.database.engine)
        store.register(ada.open(first).document)
        judged(place, first.text_hash)
        ada.delete(first.id)
        assert len(store.events(first.text_hash)) == 1, "the other copy is still there"
        assert b"marmalade" in everything(tmp_path)
        ben.delete(second.id)
        assert store.events(first.text_hash) == [] and store.documents() == []
        assert b"marmalade" not in everything(tmp_path) and b"marzipan" not in everything(tmp_path)


def test_reviews_go_after_a_process_was_killed(library: Library, place: Place) -> None:
    entry = library.add(new())
    judged(place, entry.text_hash)
    _remove(library, place, entry.id)  # and killed before the rest
    removal.finish(place.storage)
    assert ReviewStore(place.storage.database.engine).events(entry.text_hash) == []


def test_reviews_of_the_main_part_of_a_page_go_with_it(library: Library, place: Place) -> None:
    words = "<p>The marmalade is hidden behind the clock, where nobody would ever look for such a thing at all.</p>"
    page = f"<html><body><nav><a href='/'>Home</a> <a href='/x'>Contact</a></nav><article>{words * 8}</article></body>"
    entry = library.add(new(page, "page.html"))
    entry = library.choose(entry, DocumentSettings(content="main"))
    document = library.open(entry).document
    judged(place, document.text_hash)
    kept = place.library(Identity("ben", "Ben")).add(new(page, "same.html"))
    library.delete(entry.id)
    assert len(ReviewStore(place.storage.database.engine).events(document.text_hash)) == 1, "the other may read it too"
    place.library(Identity("ben", "Ben")).delete(kept.id)
    assert ReviewStore(place.storage.database.engine).events(document.text_hash) == []
    assert document.text_hash != entry.text_hash


def test_reviews_of_a_sample_stay_since_everybody_has_it(library: Library, place: Place) -> None:
    sample = samples.load(samples.names()[0]).document
    entry = library.add(NewDocument(sample.text.encode(), sample))
    judged(place, sample.text_hash)
    library.delete(entry.id)
    assert len(ReviewStore(place.storage.database.engine).events(sample.text_hash)) == 1


def everything(folder: Path) -> bytes:
    """The bytes of all files."""
    return b"".join(path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file())


def test_a_cache_that_cannot_be_written_forgets_with_the_next_deletion(library: Library, place: Place) -> None:
    entry, other = library.add(new()), library.add(new("Other.", "other.md"))
    place.forgotten.works = False
    with pytest.raises(ChunkscopeError, match="The document is deleted, but"):
        library.delete(entry.id)
    assert library.list().total == 1
    place.forgotten.works = True
    library.delete(other.id)
    assert set(place.forgotten.texts) == {entry.text_hash, other.text_hash}
    assert rows_of(place)["removals"] == 0


def test_a_file_that_cannot_be_deleted_goes_with_the_next_deletion(
    library: Library, place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    entry, other = library.add(new()), library.add(new("Other.", "other.md"))

    def refuse(*_: object, **__: object) -> None:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    monkeypatch.setattr(Path, "unlink", refuse)
    with pytest.raises(ChunkscopeError, match="cannot be deleted"):
        library.delete(entry.id)
    assert place.contents() == {entry.content, other.content}
    monkeypatch.undo()
    library.delete(other.id)
    assert place.contents() == set()


def test_a_document_that_is_added_again_meanwhile_keeps_its_file(library: Library, place: Place) -> None:
    entry = library.add(new())
    _remove(library, place, entry.id)  # and killed before the rest
    again = library.add(new())
    removal.finish(place.storage)
    assert library.open(again).data == new().data
    assert place.forgotten.texts == []


def _remove(library: Library, place: Place, id: str) -> None:
    known = library.get(id)
    place.storage.database.run(lambda connection: removal.remove_rows(connection, [known], place.storage), writes=True)


def test_a_file_that_a_deletion_takes_between_writing_and_committing_is_written_again(
    library: Library, place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The moment between the file and its row, in which another process deletes the last document that has it."""
    put = ContentStore.put
    taken: list[str] = []

    def put_and_lose(store: ContentStore, data: bytes) -> str:
        digest = put(store, data)
        if not taken:
            taken.append(digest)
            store.delete(digest)
        return digest

    monkeypatch.setattr(ContentStore, "put", put_and_lose)
    entry = library.add(new())
    assert taken == [entry.content]
    assert library.open(entry).data == new().data


def test_orphans_are_collected_and_damage_is_found(library: Library, place: Place) -> None:
    kept, damaged, missing = (library.add(new(f"Text {each}.", f"{each}.md")) for each in "abc")
    orphan = place.storage.files.put(b"nobody's")
    path = Path(place.storage.files.root, damaged.content[:2], damaged.content)
    path.write_bytes(b"rust")
    place.storage.files.delete(missing.content)
    found = inspect(place.storage)
    assert {each.documents for each in found.damaged} == {("b.md",), ("c.md",)}
    assert (found.files, found.collected) == (3, 1)
    assert orphan not in place.contents()
    assert library.open(kept).document.text == "Text a."
    for entry, words in ((damaged, "damaged"), (missing, "missing")):
        with pytest.raises(ChunkscopeError, match=words):
            library.open(entry)
    library.add(new("Text b.", "b.md"))
    assert library.open(damaged).document.text == "Text b."
