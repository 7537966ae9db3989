"""Whatever two people do in whatever order, neither gets an event or a byte that the rules do not give them then."""

from __future__ import annotations

import json
import shutil
import tempfile
import zipfile
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from chunking.reference.events import Event
from chunking.store import Library, LibraryDocument, NotFoundError
from chunking.store.archive.export import export_to
from chunking.store.archive.importing import import_archive
from chunking.store.identity import Identity
from chunking.store.reviews import ReviewStore
from chunking.store.storage import digest_of
from tests.disks import quick_folder
from tests.examples import examples
from tests.store.places import Manifest, Place, new, place_of, rewritten

TEAM = frozenset({"team"})
PEOPLE = {
    "ada": Identity("idp|ada", "Ada", roles=frozenset(["reader", "reviewer"]), teams=TEAM),
    "ben": Identity("idp|ben", "Ben", roles=frozenset(["reader", "reviewer"]), teams=TEAM),
}
TEXTS = tuple(f"Sentence one of {name}. Sentence two of it.\n" for name in ("tea", "water", "milk"))
HASHES = {digest_of(text.encode()): text for text in TEXTS}
OFFSETS = (0, 20)
who = st.sampled_from(sorted(PEOPLE))
texts = st.sampled_from(TEXTS)


@dataclass
class Person:
    """What one of them has, by the rules.

    Attributes:
        own: texts of documents in her library.
        shared: those of them that the other may read.
        read: texts that she ever had the bytes of, and may bring in again.
        judged: offsets that she judged, by text.
        complete: texts that she declared complete.
        archives: what she exported, and what she made of it.
    """

    own: set[str] = field(default_factory=set)
    shared: set[str] = field(default_factory=set)
    read: set[str] = field(default_factory=set)
    judged: dict[str, set[int]] = field(default_factory=dict)
    complete: set[str] = field(default_factory=set)
    archives: list[Path] = field(default_factory=list)


class TwoPeople(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.stack = ExitStack()
        self.folder = Path(tempfile.mkdtemp(prefix="chunkscope-rules-", dir=quick_folder()))
        self.stack.callback(shutil.rmtree, self.folder)
        url = f"sqlite:///{self.folder}/reviews.sqlite"
        self.place: Place = self.stack.enter_context(place_of(url, str(self.folder / "files")))
        self.store = ReviewStore(self.place.storage.database.engine)
        self.names = {name: self.store.register_account(identity) for name, identity in PEOPLE.items()}
        self.people = {name: Person() for name in PEOPLE}
        self.made: dict[str, str] = {}
        self.count = 0

    def teardown(self) -> None:
        self.stack.close()

    def library(self, name: str) -> Library:
        return self.place.library(PEOPLE[name])

    def entries(self, name: str, text: str) -> list[LibraryDocument]:
        """The documents of a person with a text; an archive may bring it in under another name."""
        return [each for each in self.library(name).own() if each.content == digest_of(text.encode())]

    def path(self) -> Path:
        self.count += 1
        return self.folder / f"{self.count}.zip"

    def forget_if_gone(self, text: str) -> None:
        """A text that nobody has any more takes its events with it."""
        if not any(text in each.own for each in self.people.values()):
            for each in self.people.values():
                each.judged.pop(text, None)
                each.complete.discard(text)

    # --- what they do

    @rule(name=who, text=texts)
    def add(self, name: str, text: str) -> None:
        """She has the file from elsewhere. Ben never has that of the last text: he may only get it from Ada."""
        if name == "ben" and text == TEXTS[-1]:
            return
        self.library(name).add(new(text, "a.md"))
        self.people[name].own.add(text)
        self.people[name].read.add(text)

    @rule(name=who, text=texts, share=st.booleans())
    def share(self, name: str, text: str, share: bool) -> None:
        person = self.people[name]
        if text in person.own:
            for entry in self.entries(name, text):
                self.library(name).share(entry, "team" if share else "private", "team" if share else "")
            (person.shared.add if share else person.shared.discard)(text)

    @rule(name=who, text=texts)
    def delete(self, name: str, text: str) -> None:
        person = self.people[name]
        if text in person.own:
            for entry in self.entries(name, text):
                self.library(name).delete(entry.id)
            person.own.discard(text)
            person.shared.discard(text)
            self.forget_if_gone(text)

    @rule(name=who, text=texts, offset=st.sampled_from(OFFSETS), complete=st.booleans())
    def review(self, name: str, text: str, offset: int, complete: bool) -> None:
        """She judges a text that she may open now."""
        if text not in self.readable(name):
            return
        self.count += 1
        made = Event(
            f"t{self.count}",
            digest_of(text.encode()),
            self.names[name],
            "complete" if complete else "accept",
            0 if complete else offset,
            note="" if complete else f"A note of {name}.",
            subject=PEOPLE[name].subject,
        )
        self.store.append([made])
        self.made[made.token] = name
        if complete:
            self.people[name].complete.add(text)
        else:
            self.people[name].judged.setdefault(text, set()).add(offset)

    @rule(name=who)
    def export(self, name: str) -> None:
        path = self.path()
        export_to(self.library(name), path)
        self.people[name].archives.append(path)
        self.hold_against_the_rules(name, path)

    @rule(name=who, data=st.data())
    def bring_in(self, name: str, data: st.DataObject) -> None:
        """She brings in what she exported some time ago."""
        person = self.people[name]
        if person.archives:
            path = data.draw(st.sampled_from(person.archives))
            before = self.signed()
            import_archive(self.library(name), path)
            self.nobody_else_signed_more(name, before)
            self.see_what_is_there(name)

    @rule(name=who, forged=texts, given=texts, action=st.sampled_from(["accept", "complete", "undo"]))
    def bring_in_what_is_forged(self, name: str, forged: str, given: str, action: Any) -> None:
        """She names the hash of another text for a file of hers, and signs events as the other one."""
        person = self.people[name]
        if given not in person.own:
            return
        other = next(each for each in PEOPLE if each != name)
        path = self.path()
        export_to(self.library(name), path)
        self.count += 1
        event: dict[str, Any] = {"token": f"f{self.count}", "document": digest_of(forged.encode()), "action": action}
        event |= {"reviewer": self.names[other], "subject": PEOPLE[other].subject, "offset": 0, "decides": True}
        event |= {"undoes": next(iter(self.made), "t0")} if action == "undo" else {}

        def claim(listed: Manifest) -> None:
            entry = next(each for each in listed["documents"] if each["content"] == digest_of(given.encode()))
            entry |= {"text_hash": digest_of(forged.encode()), "id": "x" * 32, "name": "b.md"}

        rewritten(path, claim, {"reviews.jsonl": json.dumps(event).encode()})
        before = self.signed()
        import_archive(self.library(name), path)
        self.nobody_else_signed_more(name, before)
        self.see_what_is_there(name)

    # --- what the rules say

    def readable(self, name: str) -> set[str]:
        return self.people[name].own.union(*(each.shared for each in self.people.values()))

    def signed(self) -> dict[str, set[str]]:
        """Tokens by the subject that signed them."""
        found: dict[str, set[str]] = {}
        for text_hash in HASHES:
            for event in self.store.events(text_hash):
                found.setdefault(event.subject, set()).add(event.token)
        return found

    def nobody_else_signed_more(self, name: str, before: dict[str, set[str]]) -> None:
        for other, identity in PEOPLE.items():
            if other != name:
                assert self.signed().get(identity.subject, set()) == before.get(identity.subject, set())

    def see_what_is_there(self, name: str) -> None:
        """Let the dictionary know what an import brought back, which must be what she had."""
        person = self.people[name]
        for entry in self.library(name).own():
            text = self.place.storage.files.get(entry.content).decode()
            assert text in person.read, "a byte that she never had"
            assert entry.text_hash == entry.content, "a hash that is not that of the text"
            person.own.add(text)
        for event in (each for text_hash in HASHES for each in self.store.events(text_hash)):
            if event.subject == PEOPLE[name].subject:
                text = HASHES[event.document]
                if event.action == "complete":
                    person.complete.add(text)
                elif event.action == "accept":
                    person.judged.setdefault(text, set()).add(event.offset)

    def hold_against_the_rules(self, name: str, path: Path) -> None:
        person = self.people[name]
        with zipfile.ZipFile(path) as archive:
            files = {archive.read(each).decode() for each in archive.namelist() if each.startswith("files/")}
            lines = [json.loads(line) for line in archive.read("reviews.jsonl").splitlines()]
        assert files == person.own
        for line in lines:
            text = HASHES[line["document"]]
            assert text in person.own
            if line["subject"] != PEOPLE[name].subject:
                done = text in person.complete or line["offset"] in person.judged.get(text, set())
                assert done and (line["action"] == "accept" or text in person.complete), line

    @invariant()
    def each_finds_what_the_rules_give(self) -> None:
        for name in PEOPLE:
            library = self.library(name)
            found = {self.place.storage.files.get(each.content).decode() for each in library.list().documents}
            assert found == self.readable(name)

    @invariant()
    def a_document_of_the_other_is_opened_only_while_it_is_shared(self) -> None:
        for name, other in (("ada", "ben"), ("ben", "ada")):
            for entry in self.library(other).own():
                text = self.place.storage.files.get(entry.content).decode()
                try:
                    self.library(name).get(entry.id)
                except NotFoundError:
                    assert entry.visibility == "private"
                else:
                    assert text in self.people[other].shared

    @invariant()
    def events_go_with_the_last_copy_of_their_text(self) -> None:
        for text_hash, text in HASHES.items():
            if not any(text in each.own for each in self.people.values()):
                assert self.store.events(text_hash) == []


def test_nobody_gets_what_the_rules_do_not_give() -> None:
    run_state_machine_as_test(
        TwoPeople, settings=settings(max_examples=examples(40, quick=10), stateful_step_count=30, deadline=None)
    )
