from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from chunking import ChunkscopeError, load
from chunking.store import DocumentSettings, Facets, Library, NewDocument, NotFoundError, Query, StaleError, documents
from chunking.store.attachments import Attachments
from chunking.store.folders import WatchedFolders
from chunking.store.storage import read_document
from tests.loading.binary.pdf.making import drawn
from tests.store.places import Place, names, new, pasted


def test_a_document_comes_back_as_it_was(library: Library, place: Place) -> None:
    added = library.add(new(tags=("b", "a", " a ")))
    assert (added.name, added.format, added.tags, added.version) == ("tea.md", "markdown", ("a", "b"), 1)
    assert library.get(added.id) == added
    opened = library.open(added)
    assert opened.data == b"# Tea\n\nBoil water.\n"
    assert opened.document == load(opened.data, "tea.md")
    assert (opened.document.text_hash, opened.document.key) == (added.text_hash, added.key)
    assert place.contents() == {added.content}


def test_the_same_file_under_the_same_name_is_there_once(library: Library, place: Place) -> None:
    first = library.add(new(tags=("kept",)))
    place.clock.move(hours=1)
    again = library.add(new(tags=("other",)))
    assert again == replace(first, opened=again.opened)
    assert again.opened > first.opened
    other = library.add(new(name="tee.md"))
    assert other.id != first.id
    assert library.list().total == 2
    assert place.contents() == {first.content}


def test_a_pasted_text_is_read_in_the_format_that_was_chosen(library: Library) -> None:
    given = pasted("%PDF- is how such files begin.\n\n# Not a heading? It is.\n")
    entry = library.add(given)
    assert library.open(entry).document == given.document
    assert entry.pasted


def test_options_and_language_of_the_first_reading_are_those_of_all(library: Library) -> None:
    page = b"<html><body><nav>Home</nav><main><p>Tea is hot. " + b"Water boils. " * 40 + b"</p></main></body></html>"
    from chunking.loading import LoadParameters

    document = load(page, "page.html", "nl", LoadParameters(content="main"))
    entry = library.add(NewDocument(page, document))
    again = library.open(entry).document
    assert (again.text, again.language, again.load_options) == (document.text, "nl", document.load_options)
    chosen = library.choose(entry, DocumentSettings(language="en", content="all", encoder="static"))
    other = library.open(chosen).document
    assert (other.language, other.load_options) == ("en", ())
    assert library.get(entry.id).choices.encoder == "static"


def test_a_new_name_changes_no_reading(library: Library) -> None:
    entry = library.add(new())
    renamed = library.rename(entry, "../x/tee.pdf")
    assert renamed.name == "x/tee.pdf"
    opened = library.open(renamed).document
    assert (opened.format, opened.name, opened.text_hash) == ("markdown", "x/tee.pdf", entry.text_hash)


def test_names_that_no_database_holds_are_kept(library: Library) -> None:
    entry = library.rename(library.add(new()), "a\x1ab'\"%_\\é😀.md")
    assert library.get(entry.id) == entry
    for word in ("%", "_", "É", "😀", "'"):
        assert library.list(Query(text=word)).total == 1, word
    assert library.list(Query(text="a%b")).total == 0


def test_a_name_that_is_taken_by_the_same_content_is_refused(library: Library) -> None:
    first, second = library.add(new()), library.add(new(name="tee.md"))
    with pytest.raises(ChunkscopeError, match="under this name already"):
        library.rename(second, "tea.md")
    assert library.rename(first, "other.md").name == "other.md"
    assert library.rename(second, "tea.md").name == "tea.md"


def test_empty_names_too_many_or_long_tags_and_too_large_files_are_refused(
    library: Library, place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    entry = library.add(new())
    for name in ("", "  ", "\n"):
        with pytest.raises(ChunkscopeError, match="empty"):
            library.rename(entry, name)
    for wrong in (("",), ("x" * 61,), tuple(map(str, range(41)))):
        with pytest.raises(ChunkscopeError, match="tags"):
            library.tag(entry, wrong)
    monkeypatch.setattr(documents, "MAX_FILE_BYTES", 10)
    with pytest.raises(ChunkscopeError, match="Split it"):
        library.add(new("A long enough text.", "long.md"))
    with pytest.raises(ChunkscopeError, match="Split it"):
        Attachments(library).put(entry.id, "reference", "gold.json", b"[" + b" " * 10 + b"]")
    assert place.contents() == {entry.content}


# Of two who change the same


def test_who_knows_an_older_version_is_refused(library: Library) -> None:
    entry = library.add(new())
    library.tag(entry, ("first",))
    changes: list[Callable[[], object]] = [
        lambda: library.rename(entry, "other.md"),
        lambda: library.tag(entry, ("second",)),
        lambda: library.choose(entry, DocumentSettings(encoder="static")),
        lambda: library.share(entry, "public"),
    ]
    for work in changes:
        with pytest.raises(StaleError, match="Nothing was stored"):
            work()
    assert (library.get(entry.id).tags, library.get(entry.id).name) == (("first",), "tea.md")


def test_a_change_that_is_sent_twice_counts_once(library: Library) -> None:
    entry = library.add(new())
    assert library.rename(entry, "other.md") == library.rename(entry, "other.md")
    renamed = library.get(entry.id)
    assert library.tag(renamed, ("x",)) == library.tag(renamed, ("x",))
    assert library.get(entry.id).version == 3


# Finding


def test_documents_are_listed_searched_and_paged(library: Library, place: Place) -> None:
    for number, name in enumerate(("Tea.md", "coffee.md", "green TEA leaves.txt", "water.md")):
        library.add(new(f"Text {number}. " * (number + 1), name, tags=("hot",) if number % 2 else ()))
        place.clock.move(minutes=1)
    assert names(library.list().documents) == ["water.md", "green TEA leaves.txt", "coffee.md", "Tea.md"]
    assert names(library.list(Query(order="name")).documents) == [
        "coffee.md",
        "green TEA leaves.txt",
        "Tea.md",
        "water.md",
    ]
    assert names(library.list(Query(order="size")).documents)[0] == "water.md"
    assert names(library.list(Query(text="leaves tea")).documents) == ["green TEA leaves.txt"]
    assert names(library.list(Query(tag="hot", order="name")).documents) == ["coffee.md", "water.md"]
    assert names(library.list(Query(format="text")).documents) == ["green TEA leaves.txt"]
    part = library.list(Query(order="name", offset=1, limit=2))
    assert (names(part.documents), part.total) == (["green TEA leaves.txt", "Tea.md"], 4)
    library.open(library.list(Query(text="coffee")).documents[0])
    assert names(library.list().documents)[0] == "coffee.md"


def test_a_link_names_a_document_by_name_and_key(library: Library, place: Place) -> None:
    entry = library.add(new())
    place.clock.move(minutes=1)
    other = library.add(new(name="tee.md"))
    assert entry.link_name == f"tea.md ({entry.key[:6]})"
    assert library.find(entry.link_name).id == entry.id
    assert library.find(other.link_name).id == other.id
    assert library.find(entry.key).id == other.id, "the latest of those with the same content"
    renamed = library.rename(entry, "assam.md")
    assert library.find(entry.link_name).id == other.id, "what has the content, if not the name"
    assert library.find(renamed.link_name).id == entry.id
    for wrong in ("", "tea.md", "tea.md (zzzzzz)", f"tea.md ({'0' * 6})", "abc", "%", entry.key[:5]):
        with pytest.raises(NotFoundError):
            library.find(wrong)


def test_a_clock_that_is_set_back_makes_nothing_older(library: Library, place: Place) -> None:
    entry = library.add(new())
    place.clock.move(days=-400)
    library.open(entry)
    assert library.get(entry.id).opened == entry.opened
    assert library.add(new()).opened == entry.opened
    later = library.add(new("Other.", "other.md"))
    assert later.added < entry.added
    assert library.list().total == 2
    place.clock.move(days=500)
    library.open(later)
    assert names(library.list().documents) == ["other.md", "tea.md"]


# Attachments


def test_attachments_are_kept_by_kind_and_name(library: Library, place: Place) -> None:
    entry = library.add(new())
    attachments = Attachments(library)
    attachments.put(entry.id, "reference", "gold.json", b"[7]")
    attachments.put(entry.id, "chunks", "gold.json", b'["a"]')
    full = attachments.put(entry.id, "questions", "q.jsonl", b"{}")
    assert [(each.kind, each.name) for each in full.attachments] == [
        ("chunks", "gold.json"),
        ("questions", "q.jsonl"),
        ("reference", "gold.json"),
    ]
    (reference,) = full.attached("reference")
    assert attachments.read(full, reference) == b"[7]"
    changed = attachments.put(entry.id, "reference", "gold.json", b"[8]")
    assert attachments.read(changed, *changed.attached("reference")) == b"[8]"
    assert reference.content not in place.contents(), "nobody needs the replaced file"
    with pytest.raises(NotFoundError):
        attachments.read(changed, reference)
    same = attachments.put(entry.id, "reference", "gold.json", b"[8]")
    assert same == changed
    fewer = attachments.delete(entry.id, same.attached("chunks")[0])
    assert fewer == attachments.delete(entry.id, same.attached("chunks")[0])
    assert len(fewer.attachments) == 2
    assert place.contents() == {entry.content, *(each.content for each in fewer.attachments)}


def test_a_content_stays_as_long_as_somebody_needs_it(library: Library, place: Place) -> None:
    first = library.add(new("[7]", "a.json"))
    second = library.add(new("Other.", "b.md"))
    attachments = Attachments(library)
    attachments.put(second.id, "reference", "gold.json", b"[7]")
    library.delete(first.id)
    full = library.get(second.id)
    assert attachments.read(full, *full.attachments) == b"[7]"
    attachments.delete(second.id, *full.attachments)
    assert place.contents() == {second.content}


def test_an_unknown_kind_is_refused(library: Library) -> None:
    entry = library.add(new())
    with pytest.raises(ChunkscopeError, match="Unknown kind"):
        Attachments(library).put(entry.id, "poem", "p.txt", b"x")  # type: ignore[arg-type]


def test_documents_can_be_filtered_by_the_tags_and_formats_that_there_are(library: Library) -> None:
    assert library.facets() == Facets()
    library.add(new("One.", "a.txt", tags=("tea", "b")))
    library.add(new("Two.", "b.md", tags=("tea",)))
    assert library.facets() == Facets(("b", "tea"), ("markdown", "text"))


def test_the_versions_before_documents_are_found_at_once(library: Library, tmp_path: Path) -> None:
    folders = WatchedFolders(library)
    for number in range(3):
        (tmp_path / "a.md").write_text(f"Version {number}.")
        if number < 2:
            (tmp_path / "b.md").write_text(f"Other {number}.")
        folders.scan(folders.watch(tmp_path).id)
    a, b = library.list(Query(order="name")).documents
    alone = library.add(new("Alone.", "c.md"))
    found = library.earlier([b, a, alone, library.get(a.previous)])
    assert {id: len(earlier) for id, earlier in found.items()} == {a.id: 2, b.id: 1, alone.id: 0}
    assert [each.id for each in found[a.id]] == [a.previous, library.get(a.previous).previous]


def test_reading_notes_nothing_and_opening_does(library: Library, place: Place) -> None:
    entry = library.add(new())
    place.clock.move(hours=1)
    assert library.read(entry).document.text == library.open(entry).document.text
    opened = library.get(entry.id).opened
    assert opened > entry.opened
    place.clock.move(hours=1)
    library.read(entry)
    assert library.get(entry.id).opened == opened
    library.note_opened(entry)
    assert library.get(entry.id).opened > opened


def test_a_long_reading_says_how_far_it_is_and_can_be_stopped(library: Library) -> None:
    data = drawn(lambda canvas: canvas.drawString(70, 700, "The pilots wait. The ice is thin."))
    entry = library.add(NewDocument(data, load(data, "tea.pdf")))
    told: list[tuple[int, int]] = []
    library.read(entry, partial(read_document, progress=lambda done, total: told.append((done, total))))
    assert told

    def stop(done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        library.read(entry, partial(read_document, progress=stop))
