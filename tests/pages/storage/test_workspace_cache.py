from __future__ import annotations

from chunking import from_text
from chunking.workspace import DocumentAnalysis
from pages.shared.storage.workspace_cache import Storage, WorkspaceCache

_TRANSIENT = Storage("hash", transient=True)


def workspace(text: str) -> DocumentAnalysis:
    return DocumentAnalysis(from_text(text, language="en"))


def test_the_same_document_is_measured_once() -> None:
    shelf = WorkspaceCache()
    first = shelf.keep(workspace("One here."))
    assert shelf.keep(workspace("One here.")) is first
    assert shelf.keep(workspace("Two here.")) is not first
    assert len(shelf) == 2


def test_the_oldest_go_where_the_texts_are_too_long_together_but_a_few_always_stay() -> None:
    shelf = WorkspaceCache(characters=10, fewest=2)
    first, *_ = [shelf.keep(workspace(f"Text number {number}.")) for number in range(4)]
    assert len(shelf) == 2
    assert shelf.keep(workspace("Text number 0.")) is not first


def test_a_document_that_is_not_to_be_kept_is_shared_with_its_like_alone() -> None:
    shelf = WorkspaceCache()
    kept, transient = shelf.keep(workspace("One here.")), shelf.keep(workspace("One here."), _TRANSIENT)
    assert kept is not transient
    assert shelf.keep(workspace("One here."), _TRANSIENT) is transient


def test_a_deleted_text_is_dropped_and_no_other() -> None:
    shelf = WorkspaceCache()
    gone, stays = shelf.keep(workspace("One here.")), shelf.keep(workspace("Two here."))
    shelf.forget(gone.document.text_hash)
    assert len(shelf) == 1 and shelf.keep(workspace("Two here.")) is stays


def test_a_part_of_a_document_goes_with_the_document() -> None:
    shelf = WorkspaceCache()
    shelf.keep(workspace("The main text."), Storage("hash of the page"))
    assert shelf.in_sessions_alone() == {"hash of the page"}
    shelf.forget("hash of the page")
    assert not shelf.in_sessions_alone() and not len(shelf)
