"""What is done to the library gets into the audit log, with ids and no word of a document."""

from __future__ import annotations

import io
import json

import pytest

from chunking.store import NotFoundError
from chunking.store.archive.export import export
from chunking.store.attachments import Attachments
from chunking.store.audit import AuditEvent, AuditLog
from chunking.store.documents import DocumentSettings
from chunking.store.identity import ROLES, Identity
from chunking.store.limits import Limits
from chunking.store.sets import DocumentSets
from tests.store.places import Place, new

ADA = Identity("login|ada", "Ada", teams=frozenset({"tea"}))
BEN = Identity("login|ben", "Ben", teams=frozenset({"tea"}))
ROOT = Identity("login|root", "Root", roles=frozenset(ROLES))
SECRET, NAME = "The kettle is a secret", "secret-kettle"


def acts(place: Place, who: Identity) -> list[AuditEvent]:
    return [each.event for each in AuditLog(place.storage.database).read() if each.subject == who.subject]


def test_what_a_person_shares_exports_and_deletes_is_recorded_and_not_what_she_writes(place: Place) -> None:
    library = place.library(ADA)
    entry = library.add(new(SECRET, f"{NAME}.md"))
    entry = library.tag(library.rename(entry, f"{NAME}-2.md"), (NAME,))
    entry = library.choose(entry, DocumentSettings(language="en"))
    library.open(entry)
    assert acts(place, ADA) == []
    entry = library.share(entry, "team", "tea")
    entry = library.share(entry, "public")
    sets = DocumentSets(library)
    made = sets.create(NAME, [entry.id])
    export(library, io.BytesIO())
    sets.delete(made.id)
    sets.delete(made.id)
    library.delete(entry.id)
    assert acts(place, ADA) == [
        AuditEvent("share", "document", entry.id, detail={"visibility": "team", "team": "tea"}),
        AuditEvent("share", "document", entry.id, detail={"visibility": "public", "team": ""}),
        AuditEvent("export", "library", detail={"documents": 1, "sets": 1, "reviews": 0}),
        AuditEvent("delete", "set", made.id),
        AuditEvent("delete", "document", entry.id),
    ]
    written = json.dumps([each.as_dict() for each in AuditLog(place.storage.database).read()])
    assert SECRET not in written and NAME not in written and entry.content not in written
    assert entry.link and entry.link not in written


def test_what_an_admin_does_to_the_things_of_others_is_recorded_with_their_owner(place: Place) -> None:
    entry = place.library(ADA).add(new(SECRET))
    admin = place.library(ROOT)
    entry = admin.tag(admin.rename(admin.get(entry.id), "other.md"), ("a",))
    entry = Attachments(admin).put(entry.id, "reference", "gold.json", b"[1]")
    entry = Attachments(admin).delete(entry.id, entry.attachments[0])
    admin.open(entry)
    admin.delete(entry.id)

    def by_admin(fields: str) -> AuditEvent:
        return AuditEvent("change", "document", entry.id, ADA.subject, {"fields": fields})

    assert acts(place, ROOT) == [
        *map(by_admin, ("name", "tags", "reference", "reference")),
        AuditEvent("open", "document", entry.id, ADA.subject),
        AuditEvent("delete", "document", entry.id, ADA.subject),
    ]


def test_reading_what_is_shared_is_nobodys_business(place: Place) -> None:
    mine = place.library(ADA)
    entry = mine.share(mine.add(new()), "team", "tea")
    place.library(BEN).open(place.library(BEN).get(entry.id))
    assert acts(place, BEN) == []
    public = mine.share(entry, "public")
    place.library(ROOT).open(place.library(ROOT).get(public.id))
    assert acts(place, ROOT) == []


def test_every_version_that_is_deleted_or_evicted_is_recorded(place: Place) -> None:
    library = place.library(ADA)
    entries = [library.add(new(f"Text {number}.", f"{number}.md")) for number in range(3)]
    library.evict(Limits(max_bytes=0))
    assert {each.target for each in acts(place, ADA)} == {each.id for each in entries}
    assert {each.action for each in acts(place, ADA)} == {"evict"}


def test_what_is_refused_is_not_recorded(place: Place) -> None:
    entry = place.library(ADA).add(new())
    with pytest.raises(NotFoundError):
        place.library(BEN).delete(entry.id)
    assert acts(place, BEN) == []
