"""Documents of an archive, put together with those that are in the library already."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from chunking.errors import ChunkscopeError
from chunking.store import changes, limits, rows
from chunking.store.attachments import attach
from chunking.store.database.tables import encode_text, tables
from chunking.store.documents import LibraryDocument, ListedDocument
from chunking.store.drafts import Drafts
from chunking.store.library import Library
from chunking.store.sets import DocumentSets

if TYPE_CHECKING:
    from sqlalchemy import Connection


class Merger:
    """Takes the documents of one archive.

    What the library has already stays as it is: an attachment of the same name and another content is left out, and
    listed among the problems.

    Args:
        library: of the person, whose documents they become.
        read: returns a file of the archive by its content.

    Attributes:
        added, known: numbers of documents that are new, and that were there.
        texts: hashes of the texts of both.
        problems: what was left out.
    """

    def __init__(self, library: Library, read: Callable[[str], bytes]) -> None:
        self._library = library
        self._read = read
        self._here: dict[str, str] = {}
        self.added = 0
        self.known = 0
        self.texts: set[str] = set()
        self.problems: list[ChunkscopeError] = []

    def take(self, listed: ListedDocument) -> None:
        """Store a document, after the version that replaced it; or leave it out, where it does not fit."""
        storage, data = self._library.storage, self._read(listed.content)
        try:
            arriving = {one.content: one.size for one in listed.attachments}
            limits.check_room(self._library, listed.content, len(data), arriving)
        except ChunkscopeError as error:
            self.problems.append(ChunkscopeError(f"“{listed.name}” was left out. {error.problem}", error.remedy))
            return
        storage.files.put(data)
        newer = self._here.get(listed.replaced_by, "")
        row = _row(self._library, listed, newer)
        found = storage.database.run(
            partial(_insert, row=row, data=data, listed=listed, library=self._library), writes=True
        )
        self._here[listed.id] = found.id
        self.texts.add(listed.text_hash)
        self.added += found.id == row["id"]
        self.known += found.id != row["id"]
        for each in listed.attachments:
            there = next((one for one in found.attached(each.kind) if one.name == each.name), None)
            if there is None:
                content = self._read(each.content)
                storage.files.put(content)
                work = partial(
                    attach, identity=self._library.identity, id=found.id, made=each, data=content, storage=storage
                )
                storage.database.run(work, writes=True)
            elif there.content != each.content:
                self.problems.append(
                    ChunkscopeError(
                        f"“{listed.name}” has another attachment named “{each.name}” already.",
                        "That was kept; rename it to import the other one.",
                    )
                )

    def take_set(self, sets: DocumentSets, name: str, ids: Sequence[str]) -> bool:
        """Make a set, or add to the one of that name; return whether that changed anything."""
        wanted = tuple(self._here[id] for id in ids if id in self._here)
        known = next((each for each in sets.list() if each.name == name), None)
        if known is None:
            sets.create(name, wanted)
            return True
        together = tuple(dict.fromkeys((*known.documents, *wanted)))
        if together != known.documents:
            sets.save(replace(known, documents=together))
        return together != known.documents

    def take_drafts(self, given: Mapping[str, str]) -> None:
        """Keep drafts where there are none."""
        drafts = Drafts(self._library)
        known = drafts.all()
        for key, text in given.items():
            if key not in known:
                drafts.put(key, text)


def _row(library: Library, listed: ListedDocument, newer: str) -> dict[str, Any]:
    texts = {name: encode_text(getattr(listed, name)) for name in ("name", "source", "key", "language")}
    return {
        **texts,
        "id": library.storage.new_id(),
        "owner": encode_text(library.identity.subject),
        "folded": rows.folded(listed.name),
        "content": listed.content,
        "text_hash": listed.text_hash,
        "format": listed.format,
        "options": json.dumps(listed.options),
        "size": listed.size,
        "characters": listed.characters,
        "pasted": listed.pasted,
        "choices": listed.choices.as_json(),
        "visibility": "private",
        "team": "",
        "link": None,
        "added": encode_text(listed.added),
        "opened": library.storage.now(),
        "replaced_by": newer,
        **dict.fromkeys(("previous", "folder", "path", "missing"), ""),
        "version": 1,
    }


def _insert(
    connection: Connection, row: dict[str, Any], data: bytes, listed: ListedDocument, library: Library
) -> LibraryDocument:
    import sqlalchemy as sa

    found = changes.insert(connection, row, data, listed.tags, library.identity, library.storage)
    table = tables().library
    if row["replaced_by"]:
        newer = (table.c.id == row["replaced_by"], table.c.previous == "")
        connection.execute(sa.update(table).where(*newer).values(previous=encode_text(found.id)))
    if not set(listed.tags) <= set(found.tags):
        changes.put_tags(connection, encode_text(found.id), tuple(sorted({*found.tags, *listed.tags})))
    return rows.document(connection, library.identity, found.id)
