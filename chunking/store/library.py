"""The library as one person sees it: add, find, change and delete documents.

It guarantees:

- What was acknowledged is on the disk, its file before its row, and stays there whatever is killed afterwards.
- The same content under the same name is there once for each owner, however often it is added.
- What is deleted is gone: rows, files that nobody else needs, vectors and sentences (:mod:`chunking.store.removal`).
- What is not a person's own or shared with them is never found (:mod:`chunking.store.access`).
- A change that rests on an older version of a document is refused (:class:`~chunking.store.access.StaleError`).
- A document that is added evicts others where the library would be too large, or is refused
  (:mod:`chunking.store.limits`).
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from chunking.document import Document
from chunking.errors import ChunkscopeError
from chunking.runtime.patterns import compile_pattern
from chunking.runtime.progress import Progress
from chunking.store import changes, limits, removal, rows
from chunking.store.access import NotFoundError, may_change
from chunking.store.audited import record_act, record_reading
from chunking.store.checks import check_key, check_size, checked_name, checked_tags
from chunking.store.database.tables import encode_text, tables
from chunking.store.documents import Choices, Facets, LibraryDocument, Listing, NewDocument, Query, Visibility
from chunking.store.files import digest_of
from chunking.store.identity import LOCAL, Identity
from chunking.store.limits import Limits, limits_of_environment
from chunking.store.reading import read_again
from chunking.store.storage import LibraryStorage

_KEY = compile_pattern(r"(?P<key>[0-9a-f]{6,32})")

if TYPE_CHECKING:
    from sqlalchemy import Connection

Documents = list[LibraryDocument]

_LINK = compile_pattern(r"(?P<name>.*) \((?P<key>[0-9a-f]{6,32})\)", re.DOTALL)


class OpenedDocument(NamedTuple):
    """A document with its text.

    Attributes:
        entry: what the library knows of it.
        document: the text, read with its options and the language that was chosen.
        data: its file.
    """

    entry: LibraryDocument
    document: Document
    data: bytes


class Library:
    """The documents that one person may read, see the module. Any number of threads and processes may share it.

    Args:
        storage: where they are kept.
        identity: the person.
        limits: what :meth:`add` keeps the library within; by default what the settings name.
        tell_evicted: receives the documents that :meth:`add` has evicted.

    Raises:
        ChunkscopeError: a setting of a limit is invalid.
    """

    def __init__(
        self,
        storage: LibraryStorage,
        identity: Identity = LOCAL,
        limits: Limits | None = None,
        tell_evicted: Callable[[Sequence[LibraryDocument]], None] | None = None,
    ) -> None:
        check_key(identity.subject, "The owner")
        self.storage = storage
        self.identity = identity
        self.limits = limits_of_environment() if limits is None else limits
        self._tell_evicted = tell_evicted

    # --- adding and finding

    def add(self, new: NewDocument) -> LibraryDocument:
        """Store a document, and return it once it is safe; one that is there already is returned as it is.

        Where the library would be larger than its limit, others are evicted; see :mod:`chunking.store.limits`.

        Raises:
            ChunkscopeError: it is too large, the library is full, or it cannot be stored.
        """
        check_size(new.data)
        tags = checked_tags(new.tags)
        limits.check_can_add(self, digest_of(new.data), len(new.data))
        content = self.storage.files.put(new.data)
        row = changes.row_of(new, self.identity, self.storage, content)
        work = partial(changes.insert, row=row, data=new.data, tags=tags, identity=self.identity, storage=self.storage)
        found = self.storage.database.run(work, writes=True)
        evicted = limits.make_room(self, found)
        if evicted and self._tell_evicted:
            self._tell_evicted(evicted)
        return found

    def get(self, id: str) -> LibraryDocument:
        """Return a document.

        Raises:
            NotFoundError: there is none, or not for this person.
        """
        if not id:
            raise NotFoundError
        return self.storage.database.run(partial(rows.document, identity=self.identity, id=id))

    def has_text(self, text_hash: str) -> bool:
        """Return whether this person may read a document with a text, or the text is that of a sample."""
        from chunking import samples

        here = tables().library.c.text_hash == encode_text(text_hash)
        found = self.storage.database.run(lambda connection: rows.documents_where(connection, self.identity, here))
        return bool(found) or text_hash in samples.text_hashes()

    def get_public(self, link: str) -> LibraryDocument:
        """Return the document of a public link.

        Raises:
            NotFoundError: no document has this link.
        """
        return self.storage.database.run(partial(rows.document, identity=self.identity, id="", link=link))

    def find(self, link_name: str) -> LibraryDocument:
        """Return the document of a name in a link: ``tea.md (0a1b2c)``, or the beginning of its key alone.

        Of several, those that were not replaced come first, then the latest opened.

        Raises:
            NotFoundError: there is none, or not for this person.
        """
        match = _LINK.fullmatch(link_name) or _KEY.fullmatch(link_name)
        if match is None:
            raise NotFoundError
        begins = tables().library.c.key.startswith(match["key"], autoescape=True)
        found = self.storage.database.run(lambda connection: rows.documents_where(connection, self.identity, begins))
        if "name" in match.groupdict():
            found = [each for each in found if each.name[-60:] == match["name"]] or found
        if not found:
            raise NotFoundError
        return min(found, key=lambda each: bool(each.replaced_by))

    def list(self, query: Query | None = None) -> Listing:
        """Return a part of the documents that this person may read, and how many there are."""
        return self.storage.database.run(partial(rows.listing, identity=self.identity, query=query or Query()))

    def facets(self) -> Facets:
        """Return what the documents that this person may read can be filtered by."""
        return self.storage.database.run(partial(rows.facets, identity=self.identity))

    def earlier(self, documents: Sequence[LibraryDocument]) -> dict[str, tuple[LibraryDocument, ...]]:
        """Return the versions before each document that was not replaced, the latest first, by its id."""
        return self.storage.database.run(partial(rows.earlier, identity=self.identity, documents=documents))

    def own(self) -> Documents:
        """Return all documents of this person with all of their versions, the latest opened first."""
        mine = tables().library.c.owner == encode_text(self.identity.subject)
        return self.storage.database.run(lambda connection: rows.documents_where(connection, self.identity, mine))

    def get_many(self, ids: Sequence[str]) -> dict[str, LibraryDocument]:
        """Return documents by id, without those that do not exist or are not for this person."""
        column = tables().library.c.id

        def work(connection: Connection) -> Documents:
            found: Documents = []
            for batch in rows.batches([encode_text(id) for id in ids]):
                found += rows.documents_where(connection, self.identity, column.in_(batch))
            return found

        return {each.id: each for each in self.storage.database.run(work)} if ids else {}

    def open(self, entry: LibraryDocument, progress: Progress | None = None) -> OpenedDocument:
        """Return a document with its text, and note that it was opened.

        Args:
            entry: as this person got it.
            progress: called while its file is read; may raise to stop.

        Raises:
            ChunkscopeError: its file is damaged, or cannot be read any more.
        """
        record_reading(self.storage, self.identity, entry)
        found = self.read(entry, partial(read_again, progress=progress))
        self.note_opened(entry)
        return found

    def read(
        self, entry: LibraryDocument, reader: Callable[[LibraryDocument, bytes], Document] = read_again
    ) -> OpenedDocument:
        """Return a document with its text, as :meth:`open` does without the note.

        Args:
            entry: as this person got it.
            reader: reads it from its file.
        """
        data = self.storage.files.get(entry.content)
        return OpenedDocument(entry, reader(entry, data), data)

    def note_opened(self, entry: LibraryDocument) -> None:
        """Note that a document of this person's own was opened."""
        if entry.owner == self.identity.subject:
            now = self.storage.now()
            self.storage.database.run(partial(changes.touch, id=encode_text(entry.id), now=now), writes=True)

    def versions(self, id: str) -> Documents:
        """Return a document and its earlier versions; none where this person has no such document."""
        latest = list(self.get_many([id]).values())
        return [*latest, *(each for earlier in self.earlier(latest).values() for each in earlier)]

    # --- changing

    def may_change(self, entry: LibraryDocument) -> bool:
        """Return whether this person may change a document, and not only read it."""
        return may_change(self.identity, entry.owner)

    def rename(self, known: LibraryDocument, name: str) -> LibraryDocument:
        """Give a document another name.

        Args:
            known: the document as this person knows it.
            name: the new name; its ending does not change how the file is read.
        """
        given = checked_name(name)
        return self._change(known, {"name": encode_text(given), "folded": rows.folded(given)})

    def tag(self, known: LibraryDocument, tags: tuple[str, ...]) -> LibraryDocument:
        """Replace the tags of a document."""
        work = partial(changes.change, identity=self.identity, known=known, values={}, tags=checked_tags(tags))
        return self.storage.database.run(work, writes=True)

    def choose(self, known: LibraryDocument, choices: Choices) -> LibraryDocument:
        """Keep what was chosen for a document."""
        return self._change(known, {"choices": choices.as_json()})

    def share(self, known: LibraryDocument, visibility: Visibility, team: str = "") -> LibraryDocument:
        """Let a team read a document, or whoever has its link, or nobody else.

        Each time that a document becomes public it gets another link; an earlier one opens nothing.

        Raises:
            ChunkscopeError: this person is not in that team.
        """
        if visibility == "team" and team not in self.identity.teams:
            raise ChunkscopeError("You are not in this team.", "Choose one of your own teams.")
        if visibility == known.visibility == "public":
            return known
        link = secrets.token_urlsafe(24) if visibility == "public" else None
        shared = encode_text(team) if visibility == "team" else ""
        return self._change(known, {"visibility": visibility, "team": shared, "link": link})

    def _change(self, known: LibraryDocument, values: dict[str, str | None]) -> LibraryDocument:
        work = partial(changes.change, identity=self.identity, known=known, values=values)
        return self.storage.database.run(work, writes=True)

    # --- deleting

    def delete(self, id: str) -> None:
        """Delete a document with its earlier versions, attachments, files, vectors and sentences.

        Raises:
            ChunkscopeError: there is none, it is not this person's, or a file or cache cannot be written: then it is
                deleted from the library, and the rest with the next deletion.
        """
        done: list[bool] = []
        others = removal.other_texts(self.storage, self.versions(id))

        def work(connection: Connection) -> None:
            try:
                found = rows.with_earlier(connection, self.identity, rows.to_change(connection, self.identity, id))
            except NotFoundError:
                if not done:
                    raise
                return  # deleted by the first try, whose answer was lost
            done.append(True)
            removal.remove_rows(connection, found, self.storage)
            removal.note(connection, others, self.storage)
            for each in found:
                record_act(connection, self.identity, "delete", each)

        self.storage.database.run(work, writes=True)
        removal.finish(self.storage)
