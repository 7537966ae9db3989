"""The library as one person sees it: add, find, change and delete documents.

It guarantees:

- What was acknowledged is on the disk, its file before its row, and stays there whatever is killed afterwards.
- The same content under the same name is there once for each owner, however often it is added.
- What is deleted is gone: rows, files that nobody else needs, vectors and sentences (:mod:`chunking.store.removal`).
- What is not a person's own or shared with them is never found (:mod:`chunking.store.document_table`).
- A change that rests on an older version of a document is refused
  (:class:`~chunking.store.document_table.StaleError`).
- A document that is added evicts others where the library would be too large, or is refused
  (:mod:`chunking.store.limits`).
"""

from __future__ import annotations

import contextlib
import re
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial, wraps
from typing import Concatenate, NamedTuple, ParamSpec, TypeVar

from chunking.document import Document
from chunking.errors import ChunkscopeError
from chunking.runtime.patterns import compile_pattern
from chunking.runtime.progress import Progress
from chunking.store import removal
from chunking.store.audit import Action
from chunking.store.database.sql import tables
from chunking.store.document_table import DocumentTable, NotFoundError, may_change, new_row
from chunking.store.documents import (
    DocumentSettings,
    LibraryDocument,
    NewDocument,
    Visibility,
    check_key,
    check_size,
    checked_name,
    checked_tags,
)
from chunking.store.identity import LOCAL, Identity
from chunking.store.limits import (
    MIB_VARIABLE,
    Eviction,
    Limits,
    Texts,
    limits_of_environment,
    plan_eviction,
    reasons_to_keep,
    reviewed_contents,
)
from chunking.store.storage import LibraryStorage, digest_of, read_document

_KEY = compile_pattern(r"(?P<key>[0-9a-f]{6,32})")
_LINK = compile_pattern(r"(?P<name>.*) \((?P<key>[0-9a-f]{6,32})\)", re.DOTALL)

Documents = list[LibraryDocument]
Result = TypeVar("Result")
Arguments = ParamSpec("Arguments")


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


def _in_transaction(
    method: Callable[Concatenate[DocumentTable, Arguments], Result],
) -> Callable[Concatenate[Library, Arguments], Result]:
    """Return a method of the table of documents as one of the library: a transaction of its own."""

    @wraps(method)
    def run(library: Library, /, *args: Arguments.args, **kwargs: Arguments.kwargs) -> Result:
        return library.run(lambda documents: method(documents, *args, **kwargs))

    return run


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

    def run(self, work: Callable[[DocumentTable], Result], writes: bool = False) -> Result:
        """Run work on the documents in one transaction, see :meth:`.database.Database.run`."""
        return self.storage.database.run(
            lambda connection: work(DocumentTable(connection, self.identity, self.storage)), writes
        )

    # --- adding and finding

    def add(self, new: NewDocument) -> LibraryDocument:
        """Store a document, and return it once it is safe; one that is there already is returned as it is.

        Where the library would be larger than its limit, others are evicted; see :mod:`chunking.store.limits`.

        Raises:
            ChunkscopeError: it is too large, the library is full, or it cannot be stored.
        """
        check_size(new.data)
        tags = checked_tags(new.tags)
        arriving = {digest_of(new.data): len(new.data)}
        if self._exceeds(arriving) and self.preview_eviction(arriving=arriving).exceeds:
            raise self._full(len(new.data))
        row = new_row(self.identity, self.storage, new) | {"content": self.storage.files.put(new.data)}
        added = self.run(lambda documents: documents.insert(row, new.data, tags), writes=True)
        if self._exceeds({}):
            evicted = self._evict_all(self.preview_eviction(spared=added.id).evicted)
            with contextlib.suppress(ChunkscopeError):  # it is tried again with the next deletion
                removal.finish(self.storage)
            if evicted and self._tell_evicted:
                self._tell_evicted(evicted)
        return added

    get = _in_transaction(DocumentTable.get)
    get_many = _in_transaction(DocumentTable.get_many)
    get_public = _in_transaction(DocumentTable.get_public)
    list = _in_transaction(DocumentTable.listing)
    facets = _in_transaction(DocumentTable.facets)
    earlier = _in_transaction(DocumentTable.earlier)

    def has_text(self, text_hash: str) -> bool:
        """Return whether this person may read a document with a text, or the text is that of a sample."""
        from chunking import samples

        has_it = tables.library.c.text_hash == text_hash
        return bool(self.run(lambda documents: documents.where(has_it))) or text_hash in samples.text_hashes()

    def find(self, link_name: str) -> LibraryDocument:
        """Return the document of a name in a link: ``tea.md (0a1b2c)``, or the beginning of its key alone.

        Of several, those that were not replaced come first, then the latest opened.

        Raises:
            NotFoundError: there is none, or not for this person.
        """
        match = _LINK.fullmatch(link_name) or _KEY.fullmatch(link_name)
        if match is None:
            raise NotFoundError
        begins = tables.library.c.key.startswith(match["key"], autoescape=True)
        candidates = self.run(lambda documents: documents.where(begins))
        if "name" in match.groupdict():
            candidates = [candidate for candidate in candidates if candidate.name[-60:] == match["name"]] or candidates
        if not candidates:
            raise NotFoundError
        return min(candidates, key=lambda document: bool(document.replaced_by))

    def own(self) -> Documents:
        """Return all documents of this person with all of their versions, the latest opened first."""
        is_own = tables.library.c.owner == self.identity.subject
        return self.run(lambda documents: documents.where(is_own))

    def versions(self, id: str) -> Documents:
        """Return a document and its earlier versions; none where this person has no such document."""
        latest = list(self.get_many([id]).values())
        return [*latest, *(version for versions in self.earlier(latest).values() for version in versions)]

    # --- opening

    def open(self, entry: LibraryDocument, progress: Progress | None = None) -> OpenedDocument:
        """Return a document with its text, and note that it was opened.

        That an admin opens a document which its owner does not share with her is recorded in the audit log.

        Args:
            entry: as this person got it.
            progress: called while its file is read; may raise to stop.

        Raises:
            ChunkscopeError: its file is damaged, or cannot be read any more.
        """
        shared = entry.visibility == "public" or (entry.visibility == "team" and entry.team in self.identity.teams)
        if entry.owner != self.identity.subject and not shared:
            self.run(lambda documents: documents.record("open", entry), writes=True)
        document = self.read(entry, partial(read_document, progress=progress))
        self.note_opened(entry)
        return document

    def read(
        self, entry: LibraryDocument, reader: Callable[[LibraryDocument, bytes], Document] = read_document
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
            self.run(lambda documents: documents.touch(entry.id, now), writes=True)

    # --- changing

    def may_change(self, entry: LibraryDocument) -> bool:
        """Return whether this person may change a document, and not only read it."""
        return may_change(self.identity, entry.owner)

    def rename(self, document: LibraryDocument, name: str) -> LibraryDocument:
        """Give a document another name.

        Args:
            document: as this person knows it.
            name: the new name; its ending does not change how the file is read.
        """
        name = checked_name(name)
        return self._change(document, {"name": name, "folded": name.casefold()})

    def tag(self, document: LibraryDocument, tags: tuple[str, ...]) -> LibraryDocument:
        """Replace the tags of a document."""
        return self._change(document, {}, checked_tags(tags))

    def choose(self, document: LibraryDocument, choices: DocumentSettings) -> LibraryDocument:
        """Keep what was chosen for a document."""
        return self._change(document, {"choices": choices.as_json()})

    def share(self, document: LibraryDocument, visibility: Visibility, team: str = "") -> LibraryDocument:
        """Let a team read a document, or whoever has its link, or nobody else.

        Each time that a document becomes public it gets another link; an earlier one opens nothing.

        Raises:
            ChunkscopeError: this person is not in that team.
        """
        if visibility == "team" and team not in self.identity.teams:
            raise ChunkscopeError("You are not in this team.", "Choose one of your own teams.")
        if visibility == document.visibility == "public":
            return document
        link = secrets.token_urlsafe(24) if visibility == "public" else None
        return self._change(
            document, {"visibility": visibility, "team": team if visibility == "team" else "", "link": link}
        )

    def _change(
        self, document: LibraryDocument, values: Mapping[str, str | None], tags: tuple[str, ...] | None = None
    ) -> LibraryDocument:
        return self.run(lambda documents: documents.change(document, values, tags), writes=True)

    # --- deleting

    def delete(self, id: str) -> None:
        """Delete a document with its earlier versions, attachments, files, vectors and sentences.

        Raises:
            ChunkscopeError: there is none, it is not this person's, or a file or cache cannot be written: then it is
                deleted from the library, and the rest with the next deletion.
        """
        began = False
        other_texts = removal.other_texts(self.storage, self.versions(id))

        def work(documents: DocumentTable) -> None:
            nonlocal began
            try:
                versions = documents.with_earlier(id)
            except NotFoundError:
                if not began:
                    raise
                return  # deleted by the first try, whose answer was lost
            began = True
            self._remove(documents, versions, other_texts, "delete")

        self.run(work, writes=True)
        removal.finish(self.storage)

    def _remove(self, documents: DocumentTable, versions: Documents, other_texts: Texts, action: Action) -> None:
        removal.remove_rows(documents.connection, versions, self.storage)
        removal.note(documents.connection, other_texts, self.storage)
        for version in versions:
            documents.record(action, version)

    # --- size and age

    def total_bytes(self) -> int:
        """Return the bytes of all files of this person; a content that several documents have counts once."""
        return self.run(lambda documents: documents.total_bytes({}))

    def check_room(self, arriving: Mapping[str, int]) -> None:
        """Check that files fit without evicting anything; one that the library has already always does.

        Args:
            arriving: sizes of the files, by their content.

        Raises:
            ChunkscopeError: they do not fit.
        """
        if self._exceeds(arriving):
            raise self._full(sum(arriving.values()))

    def preview_eviction(
        self, limits: Limits | None = None, arriving: Mapping[str, int] | None = None, spared: str = ""
    ) -> Eviction:
        """Return what limits evict, without deleting anything.

        Args:
            limits: by default those of this library.
            arriving: sizes of files that count as well, by their content.
            spared: id of a document that must stay.
        """
        own_documents, now = self.own(), self.storage.clock()
        reasons = self.run(lambda documents: reasons_to_keep(documents.connection, own_documents))
        if spared:
            reasons.setdefault(spared, "was added just now")
        return plan_eviction(
            own_documents, limits or self.limits, reasons, now, arriving or {}, self._reviewed_otherwise
        )

    def evict(self, limits: Limits | None = None) -> Eviction:
        """Delete what limits evict, by default those of this library, and return it.

        What came to be worth keeping meanwhile stays.
        """
        planned = self.preview_eviction(limits)
        evicted = self._evict_all(planned.evicted)
        removal.finish(self.storage)
        return replace(planned, evicted=evicted, bytes_after=self.total_bytes())

    def _evict_all(self, planned: Sequence[LibraryDocument]) -> tuple[LibraryDocument, ...]:
        evicted: Documents = []
        for document in planned:
            other_texts = removal.other_texts(self.storage, self.versions(document.id))
            work = partial(self._evict, id=document.id, other_texts=other_texts)
            evicted += self.run(work, writes=True)
        return tuple(evicted)

    def _evict(self, documents: DocumentTable, id: str, other_texts: Texts) -> Documents:
        if not documents.get_many([id]):
            return []
        versions = documents.with_earlier(id)
        if reasons_to_keep(documents.connection, versions, other_texts):
            return []
        self._remove(documents, versions, other_texts, "evict")
        return versions

    def _reviewed_otherwise(self, documents: Sequence[LibraryDocument]) -> dict[str, str]:
        """Return why documents must stay that have reviews of another text that they may be read as, by id.

        Their files must be read for it, so it is only for those that would go.
        """
        texts = removal.other_texts(self.storage, documents)
        if not texts:
            return {}
        contents = self.run(lambda table: reviewed_contents(table.connection, texts))
        return {document.id: "has reviews" for document in documents if document.content in contents}

    def _exceeds(self, arriving: Mapping[str, int]) -> bool:
        """Return whether the library is too large, with files that arrive."""
        limit = self.limits.max_bytes
        return limit is not None and self.run(lambda documents: documents.total_bytes(arriving)) > limit

    def _full(self, size: int) -> ChunkscopeError:
        limit = (self.limits.max_bytes or 0) / 2**20
        return ChunkscopeError(
            f"The library is full: it has {self.total_bytes() / 2**20:.1f} of {limit:,.0f} MiB, the file has "
            f"{size / 2**20:.1f} MiB, and the rest must stay.",
            f"Nothing was stored. Delete documents that you no longer need, or raise {MIB_VARIABLE}.",
        )
