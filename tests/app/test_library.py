"""The Library page without a browser: what it lists, what its actions do, and what it says where they cannot."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import streamlit
from streamlit.testing.v1 import AppTest

from chunking import load, samples
from chunking.reference.events import Event
from chunking.store import DocumentSet, Library, LibraryDocument, NewDocument, NotFoundError, Query, open_storage
from chunking.store.archive.export import export_to
from chunking.store.attachments import Attachments
from chunking.store.folders import WatchedFolders
from chunking.store.limits import MIB_VARIABLE
from chunking.store.reviews import ReviewStore
from chunking.store.sets import DocumentSets
from pages.shared.library import archives, document_sets, listing, sets
from pages.shared.server import hosts
from pages.shared.storage import session_library
from tests.app.pages import calm, give, open_page
from tests.app.test_terms import columns

HOSTILE = "**bold** <img src=x onerror=alert(1)> $x$.md"


@pytest.fixture
def library(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Library]:
    """The library of the person that the page shows, empty."""
    monkeypatch.setenv("CHUNKSCOPE_REVIEWS", str(tmp_path / "data" / "reviews.sqlite"))
    streamlit.cache_resource.clear()
    storage = open_storage()
    yield Library(storage)
    storage.database.engine.dispose()
    streamlit.cache_resource.clear()


def add(library: Library, name: str, text: str = "", tags: tuple[str, ...] = ()) -> LibraryDocument:
    data = (text or f"# {name}\n\nBoil water. Warm the pot. Wait.\n").encode()
    return library.add(NewDocument(data, load(data, name), tags=tags))


def page(root: Path, selected: tuple[LibraryDocument, ...] = (), **address: str) -> AppTest:
    """Open the page with rows selected."""
    return open_page(root, "library", address, {listing.SELECTED.key: tuple(each.id for each in selected)})


def shown(app: AppTest) -> str:
    """What the page says, in words."""
    bodies = [element.proto.body for element in app.get("html") if "<style" not in element.proto.body]
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", " ".join(bodies))).split())


def press(app: AppTest, key: str) -> AppTest:
    return calm(app.button(key=key).click().run())


def submit(app: AppTest, key: str) -> AppTest:
    """Press the button of a form."""
    button = next(each for each in app.button if each.proto.form_id == key)
    return calm(button.click().run())


def names(app: AppTest) -> list[str]:
    return list(app.dataframe[0].value["Name"])


# ---- the list


def test_an_empty_library_says_how_to_begin(root: Path, library: Library) -> None:
    app = page(root)
    assert "Your library is empty. Add files under “Add your own”" in shown(app)
    app = press(app, "_library_sample")
    (added,) = library.own()
    assert library.open(added).document.text == samples.load("community-garden-faq").document.text
    assert names(app) == ["community-garden-faq.md"]


def test_documents_are_found_by_name_tag_format_and_set(root: Path, library: Library) -> None:
    tea, bread = add(library, "Tea.md", tags=("hot",)), add(library, "bread.txt")
    made = DocumentSets(library).create("Both", [bread.id])
    assert names(page(root)) == ["bread.txt", "Tea.md"]
    assert names(page(root, order="name")) == ["bread.txt", "Tea.md"]
    assert names(page(root, find="TEA")) == ["Tea.md"]
    assert names(page(root, tag="hot")) == ["Tea.md"]
    assert names(page(root, format="text")) == ["bread.txt"]
    assert names(page(root, set=made.id)) == ["bread.txt"]
    assert "No document matches. Use other words" in shown(page(root, find="coffee"))
    assert [list(each) for each in page(root).dataframe[0].value["Tags"]] == [[], ["hot"]]
    assert tea.name == "Tea.md"


def test_a_long_list_has_pages(root: Path, library: Library) -> None:
    for number in range(listing.PAGE + 3):
        add(library, f"{number:03}.md")
    app = page(root, order="name")
    assert len(names(app)) == listing.PAGE
    calm(app.number_input(key="page").set_value(2).run())
    assert names(app) == ["050.md", "051.md", "052.md"]
    assert app.query_params["page"] == "2"
    assert names(page(root, order="name", page="7"))[0] == "000.md", "there is no such page"


def test_every_column_says_what_it_means(root: Path, library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    made = DocumentSets(library).create("S", [add(library, "tea.md").id])
    monkeypatch.setenv(MIB_VARIABLE, "1")
    for address in ({}, {"part": "Sets", "set": made.id}, {"part": "Limits"}):
        found = list(columns(page(root, (), **address)))
        assert found
        assert [name for name, has_help in found if not has_help] == []


def test_names_are_never_markup(root: Path, library: Library) -> None:
    entry = add(library, HOSTILE, tags=("<b>",))
    library.share(entry, "public")
    DocumentSets(library).create(HOSTILE[:100], [entry.id])
    app = page(root, (entry,))
    bodies = " ".join(element.proto.body for element in app.get("html"))
    assert "<img" not in bodies
    assert HOSTILE in shown(app)
    labels = [each.label for each in app.button if "Remove from" in each.label]
    assert labels == [r"Remove from \*\*bold\*\* \<img src=x onerror=alert\(1\)\> \$x\$\.md"]


# ---- what can be done with documents


def test_a_document_is_renamed_and_tagged(root: Path, library: Library) -> None:
    entry = add(library, "tea.md")
    app = page(root, (entry,))
    app.text_input(key=f"_library_name_{entry.id}").set_value("The tea.md")
    submit(app, f"_library_rename_{entry.id}")
    assert library.get(entry.id).name == "The tea.md"
    assert "Renamed to “The tea.md”." in shown(app)
    app.multiselect(key=f"_library_tags_{entry.id}").set_value(["hot", "2024"])
    submit(app, f"_library_tag_{entry.id}")
    assert library.get(entry.id).tags == ("2024", "hot")
    assert library.get(entry.id).name == "The tea.md"


def test_a_change_of_another_window_is_told_and_what_was_typed_stays(root: Path, library: Library) -> None:
    entry = add(library, "tea.md")
    app = page(root, (entry,))
    library.tag(entry, ("theirs",))
    app.text_input(key=f"_library_name_{entry.id}").set_value("Mine.md")
    submit(app, f"_library_rename_{entry.id}")
    assert "The document was changed in another window." in shown(app)
    assert library.get(entry.id).name == "tea.md"
    assert app.text_input(key=f"_library_name_{entry.id}").value == "Mine.md"
    submit(app, f"_library_rename_{entry.id}")
    assert (library.get(entry.id).name, library.get(entry.id).tags) == ("Mine.md", ("theirs",))


def test_a_document_that_is_gone_is_told(root: Path, library: Library) -> None:
    entry, other = add(library, "tea.md"), add(library, "bread.md")
    app = page(root, (entry, other))
    library.delete(entry.id)
    press(app, "_library_delete_now")
    assert "tea.md: There is no such document." in shown(app)
    assert "1 document deleted." in shown(app)
    assert library.list().total == 0


def test_deleting_says_what_goes_and_reviews_go_too(root: Path, library: Library) -> None:
    entry = add(library, "tea.md")
    Attachments(library).put(entry.id, "reference", "gold.json", b"[7]")
    DocumentSets(library).create("Drinks", [entry.id])
    store = ReviewStore(library.storage.database.engine)
    store.append([Event("t", entry.text_hash, "Ada", "accept", 1)])
    app = page(root, (entry,))
    said = next(each.value for each in app.text if "Deletes" in each.value)
    assert said.startswith("Deletes 1 document, 1 attachment, with files, vectors and sentences, for good.")
    assert "Leaves “Drinks”. Reviews of a text go with its last copy." in said
    press(app, "_library_delete_now")
    with pytest.raises(NotFoundError):
        library.get(entry.id)
    assert store.events(entry.text_hash) == []
    assert "Your library is empty." in shown(app)


def test_several_documents_get_tags_and_go_into_a_set(root: Path, library: Library) -> None:
    tea, bread = add(library, "tea.md", tags=("old", "both")), add(library, "bread.md", tags=("both",))
    DocumentSets(library).create("Kitchen")
    app = page(root, (tea, bread))
    assert "2 documents" in shown(app)
    app.multiselect(key="_library_add").set_value(["new"])
    app.multiselect(key="_library_remove").set_value(["both"])
    submit(app, "_library_tag_all")
    assert (library.get(tea.id).tags, library.get(bread.id).tags) == (("new", "old"), ("new",))
    press(app, "_library_set_add")
    assert "The name is empty." in shown(app)
    app.selectbox(key="_library_set").set_value("Kitchen")
    press(app, "_library_set_add")
    (made,) = DocumentSets(library).list()
    assert set(made.documents) == {tea.id, bread.id}
    press(app, f"_library_unset_{made.id}")
    assert DocumentSets(library).get(made.id).documents == ()


def test_a_public_document_shows_its_link_and_a_private_one_none(root: Path, library: Library) -> None:
    entry = add(library, "tea.md")
    app = page(root, (entry,))
    assert not app.code
    calm(app.segmented_control(key=f"_library_visibility_{entry.id}_1").set_value("public").run())
    link = library.get(entry.id).link
    assert [each.value.partition("?")[2] for each in app.code] == [f"doc=public:{link}"]
    assert list(app.dataframe[0].value["Access"]) == ["public"]
    calm(app.segmented_control(key=f"_library_visibility_{entry.id}_2").set_value("private").run())
    assert not app.code
    with pytest.raises(NotFoundError):
        library.get_public(link)


def test_a_document_opens_in_inspect_by_its_name_in_links(root: Path, library: Library) -> None:
    entry = add(library, "tea.md")
    app = page(root, (entry,))
    app.button(key="_library_open_Inspect").click().run()
    assert app.session_state["_address"].page == "pages/inspect.py"
    assert app.session_state["_address"].text("doc") == entry.link_name


def test_a_library_that_cannot_be_used_is_told(root: Path, library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(MIB_VARIABLE, "many")
    assert f"{MIB_VARIABLE} is not a whole number above 0." in shown(page(root))
    monkeypatch.delenv(MIB_VARIABLE)
    monkeypatch.setenv("CHUNKSCOPE_REVIEWS", str(Path("/dev/null/reviews.sqlite")))
    assert "/dev/null" in shown(page(root))


# ---- versions


def versions(library: Library, folder: Path) -> tuple[LibraryDocument, LibraryDocument]:
    """The version before and the present one of a document of a watched folder, the first with a reference."""
    folder.mkdir()
    text = "Boil the water first. Warm the pot.\n\nLet it draw for four minutes. Pour it slowly.\n"
    (folder / "tea.md").write_text(text)
    folders = WatchedFolders(library)
    (before,) = folders.scan(folders.watch(folder).id).added
    Attachments(library).put(before.id, "reference", "gold.json", json.dumps([text.index("Let it")]).encode())
    (folder / "tea.md").write_text(f"# Tea\n\n{text}")
    (now,) = folders.scan(folders.list()[0].id).changed
    return before, now


def test_earlier_versions_are_shown_and_their_reference_carried_over(
    root: Path, library: Library, tmp_path: Path
) -> None:
    before, now = versions(library, tmp_path / "notes")
    app = page(root, (now,))
    assert list(app.dataframe[0].value["Versions"]) == ["2"]
    assert "1 earlier version, 1 attachment" in next(each.value for each in app.text if "Deletes" in each.value)
    press(app, f"_library_carry_{now.id}")
    assert "notes/tea.md: 1 boundary of the reference carried over." in shown(app)
    (attached,) = library.get(now.id).attached("reference")
    (offset,) = json.loads(Attachments(library).read(library.get(now.id), attached))
    assert library.open(now).document.text[offset:].startswith("Let it")
    assert not [each for each in app.button if "Carry" in each.label]
    app = page(root, versions="true")
    assert sorted(app.dataframe[0].value["Versions"]) == ["2", "replaced"]
    assert before.id in {each.id for each in library.list(Query(superseded=True)).documents}


# ---- sets


def test_a_set_is_created_renamed_and_deleted(root: Path, library: Library) -> None:
    entry = add(library, "tea.md")
    app = page(root, part="Sets")
    assert "There is no set yet." in shown(app)
    app.text_input(key="_library_new_set").set_value("Drinks")
    submit(app, "_library_create_set")
    (made,) = DocumentSets(library).list()
    press(app, f"_library_set_open_{made.id}")
    assert app.query_params["set"] == made.id
    assert "The set has no documents." in shown(app)
    DocumentSets(library).save(DocumentSet(made.id, "Drinks", (entry.id,), made.version))
    app.text_input(key=f"_library_set_name_{made.id}").set_value("Hot drinks")
    submit(app, f"_library_rename_set_{made.id}")
    assert "was changed in another window" in shown(app)
    submit(app, f"_library_rename_set_{made.id}")
    assert [each.name for each in DocumentSets(library).list()] == ["Hot drinks"]
    press(app, "_library_set_delete_now")
    assert DocumentSets(library).list() == []
    assert library.list().total == 1
    assert "set" not in app.query_params


def test_a_name_that_is_taken_stays_typed(root: Path, library: Library) -> None:
    DocumentSets(library).create("Drinks")
    app = page(root, part="Sets")
    app.text_input(key="_library_new_set").set_value("Drinks")
    submit(app, "_library_create_set")
    assert "There is a set of this name already." in shown(app)
    assert app.text_input(key="_library_new_set").value == "Drinks"


def test_the_documents_of_a_set_are_put_in_order(root: Path, library: Library) -> None:
    ids = [add(library, f"{name}.md").id for name in "abc"]
    made = DocumentSets(library).create("S", ids)
    chosen = {"_library_members": (ids[2],)}
    app = open_page(root, "library", {"part": "Sets", "set": made.id}, chosen)
    assert list(app.dataframe[0].value["Name"]) == ["a.md", "b.md", "c.md"]
    press(app, "_library_move_Up")
    assert DocumentSets(library).get(made.id).documents == (ids[0], ids[2], ids[1])
    press(app, "_library_move_First")
    assert DocumentSets(library).get(made.id).documents == (ids[2], ids[0], ids[1])
    press(app, "_library_move_Remove")
    assert DocumentSets(library).get(made.id).documents == (ids[0], ids[1])


@pytest.mark.parametrize(
    ("move", "expected"),
    [(sets.first, "bdace"), (sets.last, "acebd"), (sets.up, "badce"), (sets.down, "acbed"), (sets.removed, "ace")],
)
def test_moves_of_several_documents(move: sets.Reordered, expected: str) -> None:
    assert "".join(move(tuple("abcde"), frozenset("bd"))) == expected
    assert move(("b", "d"), frozenset("bd")) == ([] if move is sets.removed else ["b", "d"])


# ---- folders


def test_a_folder_is_watched_scanned_and_left(root: Path, library: Library, tmp_path: Path) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "tea.md").write_text("Boil water. Wait.")
    (folder / "bad.pdf").write_bytes(b"%PDF-1.4 broken")
    app = page(root, part="Folders")
    assert "No folder is watched." in shown(app)
    app.text_input(key="_library_folder").set_value(str(folder))
    submit(app, "_library_watch")
    assert "1 added: tea.md." in shown(app)
    assert "bad.pdf" in shown(app)
    (watched,) = WatchedFolders(library).list()
    (folder / "tea.md").write_text("Boil water. Wait long.")
    press(app, f"_library_scan_{watched.id}")
    assert "1 changed: tea.md." in shown(app)
    (folder / "tea.md").unlink()
    press(app, f"_library_scan_{watched.id}")
    assert "1 missing: tea.md." in shown(app)
    assert "missing since" in page(root).dataframe[0].value["Watched folder"].iloc[0]
    press(app, f"_library_unwatch_{watched.id}")
    assert "Its documents stay." in shown(app)
    assert (WatchedFolders(library).list(), library.list().total) == ([], 1)


def test_folders_that_are_not_there_are_told(root: Path, library: Library, tmp_path: Path) -> None:
    app = page(root, part="Folders")
    app.text_input(key="_library_folder").set_value(str(tmp_path / "gone"))
    submit(app, "_library_watch")
    assert "cannot be read" in shown(app)
    assert app.text_input(key="_library_folder").value == str(tmp_path / "gone")


def test_folders_are_scanned_again_while_the_page_is_open(root: Path, library: Library, tmp_path: Path) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "tea.md").write_text("Boil water. Wait.")
    WatchedFolders(library).watch(folder)
    assert "not scanned yet" in shown(page(root, part="Folders"))
    app = page(root, part="Folders", rescan="true")
    assert "1 added: tea.md." in shown(app)
    (folder / "bread.md").write_text("Knead it.")
    assert library.list().total == 1
    calm(app.run())
    assert library.list().total == 1, "the last scan was a moment ago"


def test_a_server_for_others_watches_no_folders(root: Path, library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hosts, "is_local", lambda: False)
    monkeypatch.setattr(session_library, "is_personal", lambda: True)  # as with a log-in
    app = page(root, part="Folders")
    assert "This server watches no folders." in shown(app)
    assert not [each for each in app.text_input if each.key == "_library_folder"]
    assert not [each for each in page(root, part="Archive").text_input if each.key == "_library_archive_path"]


# ---- archive and limits


def test_visitors_of_a_server_for_others_name_no_archive(
    root: Path, library: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    add(library, "tea.md")
    export_to(library, tmp_path / "all.zip")
    monkeypatch.setattr(hosts, "is_local", lambda: False)
    monkeypatch.setattr(session_library, "is_personal", lambda: True)  # as with a log-in
    sent = {archives._NAMED.key: str(tmp_path / "all.zip")}  # as by a browser that has the form of before
    said = shown(open_page(root, "library", {"part": "Archive"}, sent))
    assert "Export" in said and "taken in" not in said


def test_an_archive_is_exported_and_taken_in(root: Path, library: Library, tmp_path: Path) -> None:
    from pages.shared.library.downloads import PREPARED

    entry = add(library, "tea.md", tags=("hot",))
    DocumentSets(library).create("S", [entry.id])
    app = press(page(root, part="Archive"), "_library_export")
    said = shown(app)
    assert "Download chunkscope-library-" in said
    assert "1 version of a document, 1 set, 0 judgements." in said
    address = next(
        match[1] for each in app.get("html") if (match := re.search(r'href="archive/([^"]+)"', each.proto.body))
    )
    prepared = PREPARED.get(address)
    assert prepared is not None
    data = prepared.path.read_bytes()
    assert PREPARED.get("guessed") is None
    library.delete(entry.id)
    give(app, "_library_archive_", "all.zip", data)
    assert "1 document taken in, 0 already here" in shown(app)
    (back,) = library.own()
    assert (back.name, back.tags) == ("tea.md", ("hot",))
    (tmp_path / "all.zip").write_bytes(data)
    app.text_input(key="_library_archive_path").set_value(str(tmp_path / "all.zip"))
    submit(app, "_library_archive_form")
    assert "0 documents taken in, 1 already here" in shown(app)


def test_what_is_no_archive_is_refused(root: Path, library: Library) -> None:
    app = page(root, part="Archive")
    give(app, "_library_archive_", "all.zip", b"PK no archive")
    assert "is no archive of a library, or damaged" in shown(app)


def test_limits_show_what_goes_and_what_stays(root: Path, library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "The library has no limit." in shown(page(root, part="Limits"))
    old, kept = (add(library, f"{name}.md", name * 700_000) for name in "ab")
    Attachments(library).put(kept.id, "reference", "gold.json", b"[7]")
    monkeypatch.setenv(MIB_VARIABLE, "1")
    app = page(root, part="Limits")
    tables = [each.value for each in app.dataframe]
    assert [list(each["Name"]) for each in tables] == [["a.md"], ["b.md"]]
    assert list(tables[1]["Why it stays"]) == ["has a reference"]
    press(app, "_library_evict")
    assert [each.id for each in library.own()] == [kept.id]
    assert "1 version of a document evicted, 683.6 KiB." in shown(app)
    assert "Nothing exceeds the limits." in shown(app)
    assert old.name == "a.md"


def test_what_made_room_is_told(root: Path, library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in "abcd":
        add(library, f"{name}.md", name * 262_000)
    monkeypatch.setenv(MIB_VARIABLE, "1")
    library.delete(library.list(Query(text="d.md")).documents[0].id)
    app = page(root, find="nothing")
    with_sample = page(root)
    assert "Evicted" not in shown(with_sample)
    app.session_state["_library_evicted"] = ("a.md",)
    calm(app.run())
    assert "Evicted to make room for what you added: a.md." in shown(app)
    press(app, "_library_evicted_dismiss")
    assert "Evicted" not in shown(app)


# ---- a set on other pages


@pytest.fixture
def board(library: Library) -> tuple[DocumentSet, list[LibraryDocument]]:
    """A set of two documents, of which the first has a reference."""
    text = "# Tea\n\nBoil water. Warm the pot.\n\n# Bread\n\nKnead the dough. Let it rise. Bake it.\n"
    tea, bread = add(library, "tea.md", text), add(library, "bread.md", text.replace("Tea", "Coffee"))
    tea = Attachments(library).put(tea.id, "reference", "gold.json", json.dumps([text.index("# Bread")]).encode())
    return DocumentSets(library).create("The **board**", [bread.id, tea.id]), [bread, tea]


Board = tuple[DocumentSet, list[LibraryDocument]]


def test_collection_shows_a_set(root: Path, board: Board) -> None:
    app = open_page(root, "collection", {"set": board[0].id, "encoder": "char-ngrams"})
    said = shown(app)
    assert "2 documents" in said
    assert "mean boundary F1 of 1 document with a reference" in said
    assert app.query_params["set"] == board[0].id
    app = open_page(root, "collection", {"set": "gone"})
    assert "There is no such set of documents: gone." in shown(app)


def test_collection_opens_what_can_be_read_of_a_set(root: Path, library: Library, board: Board) -> None:
    entry = board[1][0]
    Path(library.storage.files.root, entry.content[:2], entry.content).write_bytes(b"rust")
    app = open_page(root, "collection", {"set": board[0].id, "encoder": "char-ngrams"})
    assert "bread.md: The file of a document is damaged" in shown(app)
    assert "1 document" in shown(app)


def test_evaluate_measures_the_documents_of_a_set_that_have_a_reference(
    root: Path, board: Board, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pages.shared.evaluate import boundary_jobs

    monkeypatch.setattr(boundary_jobs, "PATIENCE", 60.0)
    app = open_page(root, "evaluate", {"set": board[0].id, "lanes": "heading,paragraph"})
    said = shown(app)
    assert "1 document" in said
    assert app.selectbox(key="set").value == board[0].id
    assert "1 reference boundary" in said or "1 boundary" in said


def test_evaluate_says_what_a_set_without_a_reference_needs(root: Path, library: Library) -> None:
    made = DocumentSets(library).create("Bare", [add(library, "tea.md").id])
    app = open_page(root, "evaluate", {"set": made.id, "lanes": "heading"})
    assert "None of the documents of this set has a complete reference." in shown(app)


def test_own_questions_search_the_documents_of_a_set(root: Path, board: Board) -> None:
    from pages.shared.evaluate import question_sets

    address = {"measured": "Retrieval", "questions": question_sets.YOURS, "search": "bm25", "lanes": "paragraph"}
    app = open_page(root, "evaluate", {**address, "searched": board[0].id, "ask": "knead dough", "side": "paragraph"})
    assert app.selectbox(key="searched").value == board[0].id
    for _ in range(60):
        if "bread.md" in shown(app):
            break
        calm(app.run())
    assert "bread.md" in shown(app)


def test_review_continues_with_the_documents_of_a_set(root: Path, board: Board) -> None:
    (made, (bread, tea)) = board
    assert [each.title for each in document_sets.documents_after(made.id, bread.link_name)] == ["tea.md"]
    assert [each.title for each in document_sets.documents_after(made.id, tea.link_name)] == ["bread.md"]
    assert [each.title for each in document_sets.documents_after(made.id, "another")] == ["bread.md", "tea.md"]
    app = open_page(root, "review", {"set": made.id, "reviewer": "Ada", "judged": "whole"})
    assert app.selectbox(key="set").value == made.id
    desk = json.dumps([str(each.proto) for each in app.get("bidi_component")])
    assert "bread.md" in desk, "nothing is left to judge in the open document"
