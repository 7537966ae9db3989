"""Reviews that come into a library and leave it: nobody forges them, and nobody gets those that are not theirs."""

from __future__ import annotations

import json
import uuid
import zipfile
from collections.abc import Iterable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest

from chunking import ChunkscopeError, load
from chunking.reference.events import Event
from chunking.reference.state import decisions, reviews
from chunking.store import Library, LibraryDocument
from chunking.store.archive.export import export_to
from chunking.store.archive.importing import Imported, import_archive
from chunking.store.audit import AuditLog
from chunking.store.identity import LOCAL, ROLES, Identity
from chunking.store.reviews import ReviewStore
from chunking.store.storage import digest_of
from tests.store.places import Place, new, place_of, rewritten

ADA = Identity("idp|ada", "Ada", roles=frozenset(["reader", "reviewer"]))
BEN = Identity("idp|ben", "Ben", roles=frozenset(["reader", "reviewer"]))
RITA = Identity("idp|rita", "Rita", roles=frozenset(["reader"]))
TEXT = "# Plan\n\nThe secret is in the second paragraph. It says nothing.\n\nThe third one is short.\n"
FIRST, SECOND = TEXT.index("It says"), TEXT.index("The third")
HASH = load(TEXT.encode(), "plan.md").text_hash


def store_of(place: Place) -> ReviewStore:
    return ReviewStore(place.storage.database.engine)


def judge(place: Place, who: Identity, *events: Event) -> list[Event]:
    """Store events as the Review page does."""
    store = store_of(place)
    name = store.register_account(who) if who.is_known else "typed"
    subject = who.subject if who.is_known else ""
    return store.append([replace(each, reviewer=name, subject=subject) for each in events])


def event(action: Any = "accept", offset: int = FIRST, **more: Any) -> Event:
    return Event(uuid.uuid4().hex, more.pop("document", HASH), "-", action, offset, **more)


def add(place: Place, who: Identity) -> LibraryDocument:
    return place.library(who).add(new(TEXT, "plan.md"))


def exported(library: Library, path: Path) -> list[dict[str, Any]]:
    export_to(library, path)
    with zipfile.ZipFile(path) as archive:
        return [json.loads(line) for line in archive.read("reviews.jsonl").splitlines()]


def with_reviews(path: Path, lines: Iterable[dict[str, Any]]) -> Path:
    """The archive with other reviews."""
    return rewritten(path, files={"reviews.jsonl": "".join(json.dumps(line) + "\n" for line in lines).encode()})


def brought_in(place: Place, who: Identity, path: Path, *events: Event) -> Imported:
    """What the import of one's own archive with these events gives."""
    export_to(place.library(who), path)
    return import_archive(place.library(who), with_reviews(path, map(asdict, events)))


@pytest.fixture
def shared(place: Place) -> Place:
    """A text that Ada, Ben and Rita have, with a judgement of Ada's."""
    for who in (ADA, BEN, RITA):
        add(place, who)
    judge(place, ADA, event(note="Ada's own note."))
    return place


# What comes in


def test_an_import_forges_no_judgement_and_takes_none_back(shared: Place, tmp_path: Path) -> None:
    (hers,) = store_of(shared).events(HASH)
    forged = [
        replace(hers, token="f1", action="reject", note="forged", decides=True),
        replace(hers, token="f2", action="undo", undoes=hers.token, note="", offset=0),
        replace(hers, token="f3", action="complete", note="", offset=0),
    ]
    done = brought_in(shared, BEN, tmp_path / "evil.zip", hers, *forged)
    assert done.reviews == 3
    found = store_of(shared).events(HASH)
    assert [each for each in found if each.subject == ADA.subject] == [hers]
    assert {(each.reviewer, each.subject, each.decides) for each in found[1:]} == {("Ada (unverified)", "", False)}
    assert reviews(found)["Ada"].boundaries == (FIRST,)
    assert not reviews(found)["Ada"].complete
    assert decisions(found) == {}


def test_an_import_requires_the_right_to_review(shared: Place, tmp_path: Path) -> None:
    before = store_of(shared).events(HASH)
    done = brought_in(shared, RITA, tmp_path / "evil.zip", replace(before[0], token="f", action="reject"))
    assert done.reviews == 0
    assert "A judgement requires the role reviewer" in str(done.problems)
    assert store_of(shared).events(HASH) == before


def test_ones_own_events_stay_ones_own_and_are_merged_once(shared: Place, tmp_path: Path) -> None:
    first, _ = judge(shared, BEN, event("reject"), event("complete", 0))
    judge(shared, BEN, event("undo", 0, undoes=first.token))
    before = store_of(shared).events(HASH)
    exported(shared.library(BEN), tmp_path / "mine.zip")
    for _ in range(2):
        assert import_archive(shared.library(BEN), tmp_path / "mine.zip").reviews == 0
    assert store_of(shared).events(HASH) == before
    with place_of(f"sqlite:///{tmp_path}/other.sqlite", str(tmp_path / "other")) as other:
        assert import_archive(other.library(BEN), tmp_path / "mine.zip").reviews == 4
        assert import_archive(other.library(BEN), tmp_path / "mine.zip").reviews == 0
        found = reviews(store_of(other).events(HASH))
        assert set(found) == {"Ada (unverified)", "Ben"}
        assert found["Ben"].boundaries == found["Ben"].rejected == ()
        assert found["Ben"].complete


def test_what_nobody_vouches_for_is_merged_once(shared: Place, tmp_path: Path) -> None:
    stranger = replace(event(), reviewer="Zoe")
    assert brought_in(shared, BEN, tmp_path / "a.zip", stranger).reviews == 1
    assert brought_in(shared, BEN, tmp_path / "a.zip", stranger).reviews == 0
    (found,) = [each for each in store_of(shared).events(HASH) if each.reviewer == "Zoe (unverified)"]
    assert (found.token, found.subject) == (stranger.token, "")


def test_a_token_that_somebody_took_beforehand_costs_no_judgement(shared: Place, tmp_path: Path) -> None:
    mine = replace(event("reject", SECOND), reviewer="Ben", subject=BEN.subject)
    judge(shared, ADA, replace(mine, action="accept"))
    for count in (1, 0):
        assert brought_in(shared, BEN, tmp_path / "a.zip", mine).reviews == count
    assert reviews(store_of(shared).events(HASH))["Ben"].rejected == (SECOND,)


def test_names_that_were_typed_stay_on_ones_own_machine(tmp_path: Path, place: Place) -> None:
    add(place, LOCAL)
    typed = replace(event(decides=True), reviewer="Zoe")
    signed = replace(event("reject", SECOND), reviewer="Ada", subject=ADA.subject)
    assert brought_in(place, LOCAL, tmp_path / "a.zip", typed, signed).reviews == 2
    found = store_of(place).events(HASH)
    assert [(each.reviewer, each.subject, each.decides) for each in found] == [
        ("Zoe", "", True),
        ("Ada (unverified)", "", False),
    ]


def test_no_account_has_a_name_that_says_that_nobody_vouches_for_it(place: Place) -> None:
    assert store_of(place).register_account(replace(ADA, name="Ada (unverified)")) == "Ada"


BAD: dict[str, dict[str, Any]] = {
    "a document that is a list": {"document": ["x"]},
    "an offset that is a text": {"offset": "1"},
    "an offset that is yes": {"offset": True},
    "an offset that is a fraction": {"offset": 1.5},
    "an offset without end": {"offset": 10**30},
    "a target that is a text": {"action": "move", "target": "1"},
    "a note that is a number": {"note": 7},
    "a note without end": {"note": "x" * 3000},
    "a name that is none": {"reviewer": None},
    "a name without end": {"reviewer": "x" * 61},
    "an unknown action": {"action": "own"},
    "a yes that is a text": {"decides": "no"},
    "a token that is an object": {"token": {}},
    "a token without end": {"token": "x" * 300},
    "a subject that is a list": {"subject": []},
    "an undo of nothing": {"action": "undo"},
}


@pytest.mark.parametrize("name", BAD)
def test_an_event_in_which_something_is_wrong_leaves_nothing_of_the_archive(
    place: Place, tmp_path: Path, name: str
) -> None:
    with place_of(f"sqlite:///{tmp_path}/other.sqlite", str(tmp_path / "other")) as other:
        add(other, ADA)
        export_to(other.library(ADA), tmp_path / "a.zip")
    lines = [asdict(replace(event(), reviewer="Zoe")), asdict(replace(event(), reviewer="Zoe")) | BAD[name]]
    try:
        import_archive(place.library(ADA), with_reviews(tmp_path / "a.zip", lines))
    except ChunkscopeError:
        assert place.library(ADA).list().total == 0
        assert place.contents() == set()
    else:
        assert name == "an offset without end", "it is beyond the text, and so left out"
        assert len(store_of(place).events(HASH)) == 1
    assert len(store_of(place).events(HASH)) <= 1


def test_words_around_a_place_come_from_the_text_and_not_from_the_archive(shared: Place, tmp_path: Path) -> None:
    brought_in(shared, BEN, tmp_path / "a.zip", replace(event(), reviewer="Ben", before="They lie.", after="Always."))
    (found,) = [each for each in store_of(shared).events(HASH) if each.subject == BEN.subject]
    assert found.before.endswith("second paragraph. ") and found.after.startswith("It says nothing.")


def test_an_import_is_recorded(shared: Place, tmp_path: Path) -> None:
    brought_in(shared, BEN, tmp_path / "a.zip", replace(event(), reviewer="Zoe"))
    acts = [each.event for each in AuditLog(shared.storage.database).read() if each.subject == BEN.subject]
    assert [(each.action, each.kind, each.detail) for each in acts[-1:]] == [
        ("import", "library", {"added": 0, "known": 1, "sets": 0, "reviews": 1})
    ]


def test_an_undo_reaches_no_event_of_another_subject() -> None:
    mine = Event("a", HASH, "Ada", "accept", FIRST, subject=ADA.subject)
    undo = Event("b", HASH, "Ada", "undo", 0, undoes="a", subject=BEN.subject)
    decided = Event("c", HASH, "Ada", "reject", FIRST, decides=True, subject=BEN.subject)
    assert reviews([mine, undo, decided])["Ada"].boundaries == (FIRST,)
    assert decisions([mine, undo, decided]) == {}


def test_the_store_takes_no_subject_under_a_name_that_is_not_its_own(place: Place) -> None:
    with pytest.raises(ChunkscopeError, match="belongs to somebody else"):
        store_of(place).append([replace(event(), reviewer="Zoe", subject=ADA.subject)])


# What leaves


def test_an_export_holds_no_verdict_of_others_before_ones_own(shared: Place, tmp_path: Path) -> None:
    judge(shared, ADA, event("reject", SECOND, note="Another note."))
    path = tmp_path / "a.zip"
    assert exported(shared.library(RITA), path) == []
    assert exported(shared.library(BEN), path) == []
    assert len(exported(shared.library(ADA), path)) == 2
    judge(shared, BEN, event("skip", FIRST))
    assert [(each["reviewer"], each["offset"]) for each in exported(shared.library(BEN), path)] == [
        ("Ada", FIRST),
        ("Ben", FIRST),
    ]
    judge(shared, BEN, event("complete", 0))
    assert len(exported(shared.library(BEN), path)) == 4
    assert exported(shared.library(replace(BEN, roles=RITA.roles)), path) == [
        each for each in exported(shared.library(BEN), path) if each["reviewer"] == "Ben"
    ]


def test_an_export_of_a_blind_review_holds_ones_own_events_until_it_is_complete(shared: Place, tmp_path: Path) -> None:
    judge(shared, BEN, event("accept", FIRST, blind=True))
    assert [each["reviewer"] for each in exported(shared.library(BEN), tmp_path / "a.zip")] == ["Ben"]
    judge(shared, BEN, event("complete", 0))
    assert [each["reviewer"] for each in exported(shared.library(BEN), tmp_path / "a.zip")] == ["Ada", "Ben", "Ben"]


def test_an_archive_cannot_name_the_text_of_somebody_else(place: Place, tmp_path: Path) -> None:
    add(place, ADA)
    judge(place, ADA, event(note="Sell the company."))
    judge(place, BEN, event(), event("complete", 0))
    data = b"Nothing at all. Really."
    place.library(BEN).add(new(data.decode(), "dummy.md"))
    path = tmp_path / "evil.zip"
    export_to(place.library(BEN), path)
    forged = json.dumps(asdict(replace(event("reject"), reviewer="Ben"))).encode()
    lie = {"text_hash": HASH, "name": "other.md", "id": "x"}
    rewritten(path, lambda listed: listed["documents"][0].update(lie), {"reviews.jsonl": forged})
    done = import_archive(place.library(BEN), path)
    assert done.reviews == 0
    assert "has another text here" in str(done.problems)
    assert {each.text_hash for each in place.library(BEN).own()} == {digest_of(data)}
    assert exported(place.library(BEN), path) == []


def test_a_hash_that_an_earlier_import_took_from_an_archive_opens_nothing(shared: Place, tmp_path: Path) -> None:
    import sqlalchemy as sa

    from chunking.store.database import tables

    judge(shared, BEN, event("accept", FIRST), event("complete", 0))
    mine = shared.library(BEN)
    mine.delete(next(each.id for each in mine.own()))
    dummy = mine.add(new("Nothing at all. Really.", "dummy.md"))
    table = tables.library
    lie = sa.update(table).where(table.c.id == dummy.id).values(text_hash=HASH)
    shared.storage.database.run(lambda connection: connection.execute(lie), writes=True)
    assert {each["reviewer"] for each in exported(mine, tmp_path / "a.zip")} == {"Ben"}


def test_an_admin_exports_her_own_documents_under_the_same_rules(shared: Place, tmp_path: Path) -> None:
    admin = Identity("idp|root", "Root", roles=frozenset(ROLES))
    add(shared, admin)
    assert exported(shared.library(admin), tmp_path / "a.zip") == []
