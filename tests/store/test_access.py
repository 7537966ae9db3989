"""A stranger gets nothing, not even that a document exists."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from chunking import ChunkscopeError
from chunking.store import Library, LibraryDocument, NotFoundError
from chunking.store.attachments import Attachments
from chunking.store.folders import WatchedFolders
from chunking.store.identity import ROLES, Identity
from chunking.store.limits import Limits
from chunking.store.sets import DocumentSets, Drafts
from tests.store.places import Place, new

ADA = Identity("ada", "Ada", teams=frozenset({"tea", "water"}))
BEN = Identity("ben", "Ben", teams=frozenset({"tea"}))
EVE = Identity("eve", "Eve", teams=frozenset({"coffee", ""}))
ROOT = Identity("root", "Root", roles=frozenset(ROLES))

Work = Callable[[Library, LibraryDocument], object]
READS: dict[str, Work] = {
    "get": lambda library, entry: library.get(entry.id),
    "find by name": lambda library, entry: library.find(entry.link_name),
    "find by key": lambda library, entry: library.find(entry.key),
    "set": lambda library, entry: DocumentSets(library).create("S", [entry.id]),
}
CHANGES: dict[str, Work] = {
    "rename": lambda library, entry: library.rename(entry, "stolen.md"),
    "tag": lambda library, entry: library.tag(entry, ("stolen",)),
    "share": lambda library, entry: library.share(entry, "public"),
    "delete": lambda library, entry: library.delete(entry.id),
    "attach": lambda library, entry: Attachments(library).put(entry.id, "reference", "g.json", b"[1]"),
    "detach": lambda library, entry: Attachments(library).delete(entry.id, entry.attachments[0]),
}


@pytest.fixture
def entry(place: Place) -> LibraryDocument:
    """A document of Ada's."""
    mine = place.library(ADA)
    return Attachments(mine).put(mine.add(new()).id, "reference", "gold.json", b"[7]")


def absent(library: Library, work: Work, entry: LibraryDocument) -> str:
    with pytest.raises(NotFoundError) as caught:
        work(library, entry)
    return str(caught.value)


@pytest.mark.parametrize("name", [*READS, *CHANGES])
def test_a_foreign_id_and_an_absent_one_give_the_same_error(place: Place, entry: LibraryDocument, name: str) -> None:
    work = (READS | CHANGES)[name]
    mine, foreign = place.library(ADA), place.library(EVE)
    said = absent(foreign, work, entry)
    mine.delete(entry.id)
    assert absent(foreign, work, entry) == said == absent(mine, work, entry)


@pytest.mark.parametrize("identity", [BEN, EVE])
def test_what_is_private_is_in_no_list_count_or_set_of_others(
    place: Place, entry: LibraryDocument, identity: Identity
) -> None:
    DocumentSets(place.library(ADA)).create("Mine", [entry.id])
    Drafts(place.library(ADA)).put("question", "Who is")
    other = place.library(identity)
    assert other.list().total == 0
    assert other.own() == []
    assert DocumentSets(other).list() == []
    assert Drafts(other).all() == {}
    assert WatchedFolders(other).list() == []
    assert other.total_bytes() == 0
    other.evict(Limits(max_bytes=0, max_days=1))
    assert place.library(ADA).get(entry.id) == entry


def test_a_team_reads_and_does_not_change(place: Place, entry: LibraryDocument) -> None:
    mine, theirs = place.library(ADA), place.library(BEN)
    shared = mine.share(entry, "team", "tea")
    seen = theirs.get(entry.id)
    assert theirs.open(seen).data == new().data
    assert Attachments(theirs).read(seen, *seen.attachments) == b"[7]"
    assert theirs.list().total == 1
    assert (seen.link, seen.team) == ("", "tea")
    for work in CHANGES.values():
        with pytest.raises(ChunkscopeError, match="shared with you for reading"):
            work(theirs, seen)
    absent(place.library(EVE), READS["get"], entry)
    assert mine.get(entry.id) == shared
    kept = DocumentSets(theirs).create("Theirs", [entry.id])
    mine.share(shared, "private")
    absent(theirs, READS["get"], entry)
    assert DocumentSets(theirs).get(kept.id).documents == ()


def test_a_document_is_shared_with_ones_own_teams_alone(place: Place, entry: LibraryDocument) -> None:
    for team in ("coffee", ""):
        with pytest.raises(ChunkscopeError, match="not in this team"):
            place.library(ADA).share(entry, "team", team)
    absent(place.library(Identity("mallory", "Mallory", teams=frozenset({""}))), READS["get"], entry)


def test_a_public_document_is_found_by_its_link_alone(place: Place, entry: LibraryDocument) -> None:
    mine, foreign = place.library(ADA), place.library(EVE)
    public = mine.share(entry, "public")
    assert len(public.link) >= 32
    seen = foreign.get_public(public.link)
    assert foreign.open(seen).data == new().data
    assert seen.link == "", "it is the owner who gives the link away"
    for work in READS.values():
        absent(foreign, work, entry)
    assert foreign.list().total == 0
    for wrong in ("", public.link[:-1], public.link.swapcase(), "%", entry.id):
        with pytest.raises(NotFoundError):
            foreign.get_public(wrong)
    private = mine.share(public, "private")
    with pytest.raises(NotFoundError):
        foreign.get_public(public.link)
    again = mine.share(private, "public")
    assert again.link != public.link
    with pytest.raises(NotFoundError):
        foreign.get_public(public.link)


def test_the_same_file_of_two_people_is_two_documents(place: Place, entry: LibraryDocument) -> None:
    theirs = place.library(BEN)
    other = theirs.add(new())
    assert other.id != entry.id
    assert other.attachments == ()
    place.library(ADA).delete(entry.id)
    assert theirs.open(other).data == new().data
    assert place.forgotten.texts == [], "the text is in the library still"
    theirs.delete(other.id)
    assert place.forgotten.texts == [other.text_hash]
    assert place.contents() == set()


def test_an_administrator_may_do_what_owners_may(place: Place, entry: LibraryDocument) -> None:
    library = place.library(ROOT)
    assert library.list().total == 1
    assert library.rename(entry, "named.md").owner == "ada"
    library.delete(entry.id)
    absent(place.library(ADA), READS["get"], entry)


@pytest.mark.parametrize("owner", ["", "x" * 201])
def test_an_owner_has_an_id(place: Place, owner: str) -> None:
    with pytest.raises(ChunkscopeError, match="owner"):
        place.library(Identity(owner, "Ada"))


def test_of_many_ids_only_those_are_found_that_a_person_may_read(place: Place, entry: LibraryDocument) -> None:
    own = place.library(EVE).add(new("Another one.\n", "other.md"))
    asked = [entry.id, own.id, "none"]
    assert place.library(EVE).get_many(asked) == {own.id: own}
    assert place.library(ADA).get_many(asked) == {entry.id: entry}
    assert place.library(ROOT).get_many(asked).keys() == {entry.id, own.id}
    assert place.library(ADA).get_many([]) == {}
