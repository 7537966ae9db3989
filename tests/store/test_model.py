"""The library against a dictionary: whatever is done in whatever order, both hold the same."""

from __future__ import annotations

import shutil
import tempfile
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, invariant, multiple, rule

from chunking.store import NotFoundError, StaleError
from chunking.store.archive.export import export_to
from chunking.store.archive.importing import import_archive
from chunking.store.attachments import Attachments
from chunking.store.identity import Identity
from chunking.store.sets import DocumentSets, Drafts
from tests.disks import quick_folder
from tests.examples import examples
from tests.store.places import Place, new, place_of

PEOPLE = {
    name: Identity(name, name, teams=frozenset({"team"} if name != "eve" else ())) for name in ("ada", "ben", "eve")
}
TEXTS = [f"Text {number}. " * (number + 1) for number in range(3)]
NAMES = ["a.md", "b.md", "é%_.txt"]


@dataclass
class Known:
    """What the dictionary holds of a document."""

    owner: str
    name: str
    text: str
    tags: tuple[str, ...] = ()
    team: bool = False
    attached: dict[str, bytes] = field(default_factory=dict)


class Model(RuleBasedStateMachine):
    documents = Bundle("documents")
    sets = Bundle("sets")

    def __init__(self) -> None:
        super().__init__()
        self.stack = ExitStack()
        self.folder = Path(tempfile.mkdtemp(prefix="chunkscope-library-", dir=quick_folder()))
        self.stack.callback(shutil.rmtree, self.folder)
        url = f"sqlite:///{self.folder}/reviews.sqlite"
        self.place: Place = self.stack.enter_context(place_of(url, str(self.folder / "files")))
        self.known: dict[str, Known] = {}
        self.members: dict[str, list[str]] = {}
        self.drafts: dict[tuple[str, str], str] = {}

    def teardown(self) -> None:
        self.stack.close()

    def same(self, owner: str, name: str, text: str) -> str | None:
        return next(
            (id for id, each in self.known.items() if (each.owner, each.name, each.text) == (owner, name, text)), None
        )

    @rule(
        target=documents, who=st.sampled_from(["ada", "ben"]), name=st.sampled_from(NAMES), text=st.sampled_from(TEXTS)
    )
    def add(self, who: str, name: str, text: str) -> str:
        entry = self.place.library(PEOPLE[who]).add(new(text, name))
        expected = self.same(who, name, text)
        assert expected in (None, entry.id)
        self.known.setdefault(entry.id, Known(who, name, text))
        return entry.id

    @rule(id=documents, name=st.sampled_from(NAMES))
    def rename(self, id: str, name: str) -> None:
        if id not in self.known:
            return
        known = self.known[id]
        library = self.place.library(PEOPLE[known.owner])
        if self.same(known.owner, name, known.text) in (None, id):
            library.rename(library.get(id), name)
            known.name = name

    @rule(id=documents, tags=st.lists(st.sampled_from(["x", "y", "z"]), unique=True))
    def tag(self, id: str, tags: list[str]) -> None:
        if id in self.known:
            library = self.place.library(PEOPLE[self.known[id].owner])
            before = library.get(id)
            library.tag(before, tuple(tags))
            self.known[id].tags = tuple(sorted(tags))
            if tags != ["never"]:
                try:
                    library.tag(before, ("never",))
                except StaleError:
                    return
                raise AssertionError("an older version was taken")

    @rule(id=documents, team=st.booleans())
    def share(self, id: str, team: bool) -> None:
        if id in self.known:
            library = self.place.library(PEOPLE[self.known[id].owner])
            library.share(library.get(id), "team" if team else "private", "team" if team else "")
            self.known[id].team = team

    @rule(
        id=documents, name=st.sampled_from(["g.json", "h.json"]), data=st.sampled_from([b"[1]", TEXTS[0].encode(), b""])
    )
    def attach(self, id: str, name: str, data: bytes) -> None:
        if id in self.known:
            attachments = Attachments(self.place.library(PEOPLE[self.known[id].owner]))
            if data:
                attachments.put(id, "reference", name, data)
                self.known[id].attached[name] = data
            elif name in self.known[id].attached:
                entry = self.place.library(PEOPLE[self.known[id].owner]).get(id)
                attachments.delete(id, next(each for each in entry.attachments if each.name == name))
                del self.known[id].attached[name]

    @rule(id=consumes(documents))
    def delete(self, id: str) -> None:
        if id in self.known:
            self.place.library(PEOPLE[self.known[id].owner]).delete(id)
            del self.known[id]
            for ids in self.members.values():
                if id in ids:
                    ids.remove(id)

    @rule(target=sets, ids=st.lists(documents, max_size=3, unique=True))
    def make_set(self, ids: list[str]) -> object:
        mine = [id for id in ids if id in self.known and self.known[id].owner == "ada"]
        made = DocumentSets(self.place.library(PEOPLE["ada"])).create(f"set {len(self.members)}", mine)
        self.members[made.id] = mine
        return multiple(made.id)

    @rule(
        key=st.sampled_from(["q", "n"]),
        text=st.sampled_from(["", "half", "typed"]),
        who=st.sampled_from(["ada", "ben"]),
    )
    def draft(self, key: str, text: str, who: str) -> None:
        Drafts(self.place.library(PEOPLE[who])).put(key, text)
        self.drafts.pop((who, key), None)
        if text:
            self.drafts[who, key] = text

    @rule()
    def go_back_in_time(self) -> None:
        self.place.clock.move(days=-1)

    @rule()
    def export_and_import_here(self) -> None:
        """An archive that comes from this very library changes nothing."""
        library = self.place.library(PEOPLE["ada"])
        export_to(library, self.folder / "all.zip")
        done = import_archive(library, self.folder / "all.zip")
        assert (done.added, done.sets, done.problems) == (0, 0, ())

    @invariant()
    def everybody_sees_what_the_dictionary_holds(self) -> None:
        for who, identity in PEOPLE.items():
            library = self.place.library(identity)
            mine = {id: each for id, each in self.known.items() if each.owner == who or (each.team and identity.teams)}
            found = {each.id: each for each in library.list().documents}
            assert set(found) == set(mine)
            for id, each in mine.items():
                entry = found[id]
                assert (entry.name, entry.tags, entry.owner) == (each.name, each.tags, each.owner)
                assert self.place.storage.files.get(entry.content) == each.text.encode()
                attached = {one.name: self.place.storage.files.get(one.content) for one in entry.attachments}
                assert attached == each.attached
            for id in set(self.known) - set(mine):
                try:
                    library.get(id)
                except NotFoundError:
                    continue
                raise AssertionError("a stranger got something")
            assert Drafts(library).all() == {key: text for (of, key), text in self.drafts.items() if of == who}

    @invariant()
    def sets_hold_what_they_were_given(self) -> None:
        found = {each.id: list(each.documents) for each in DocumentSets(self.place.library(PEOPLE["ada"])).list()}
        assert found == self.members

    @invariant()
    def files_are_those_that_somebody_needs(self) -> None:
        needed = {each.text.encode() for each in self.known.values()}
        needed |= {data for each in self.known.values() for data in each.attached.values()}
        files = self.place.storage.files
        assert {files.get(content) for content in files.digests()} == needed


TestModel = Model.TestCase
TestModel.settings = settings(max_examples=examples(25, quick=8), stateful_step_count=25)
