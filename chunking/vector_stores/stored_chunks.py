"""The chunks of any collection, ours or another program's, by document: in a temporary file, so that memory does not
grow with the collection."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass
from itertools import islice
from pathlib import PurePosixPath
from types import TracebackType
from typing import Any, Self

from chunking.alignment.pieces import Piece
from chunking.alignment.rows import find_field, from_rows, parse_row, plain_name
from chunking.errors import ChunkscopeError
from chunking.runtime.surrogates import replace_surrogates
from chunking.vector_stores.base import PAGE, StoredRow

DOCUMENT_FIELDS = (
    *("source", "file_path", "filepath", "file_name", "filename", "path", "document_name", "document_id", "doc_id"),
    *("url", "uri"),
)
"""Names under which other programs store the document of a chunk."""


@dataclass(frozen=True, slots=True)
class StoredChunk:
    """A chunk of a collection.

    Attributes:
        id: its ID in the store.
        document: name of its document; empty where nothing says it.
        text: its text.
        start, end: its stored span, a hint that is verified; ``None`` where there is none.
        document_hash: SHA-256 of the text of its document when it was pushed; empty for chunks of other programs.
        setting: that made it; empty for chunks of other programs.
        encoder: name of that of its vector; empty for chunks of other programs.
        nested: whether it is a part of another chunk by design.
    """

    id: str
    document: str
    text: str
    start: int | None = None
    end: int | None = None
    document_hash: str = ""
    setting: str = ""
    encoder: str = ""
    nested: bool = False

    @property
    def piece(self) -> Piece:
        """The chunk as the alignment takes it."""
        return Piece(self.text, self.start, self.end)


def read_chunks(
    rows: Iterable[StoredRow], collection: str, text_field: str = "", document_field: str = ""
) -> Iterator[StoredChunk]:
    """Yield the chunks of stored rows.

    Args:
        rows: of the collection.
        collection: its name, for messages.
        text_field: name of the field with the text; found by the usual names where empty.
        document_field: name of the field with the document; the same.

    Raises:
        ChunkscopeError: a row has no text.
    """
    iterator = iter(rows)
    while page := list(islice(iterator, PAGE)):
        fields = [parse_row(dict(row.fields)) for row in page]
        if text_field:
            fields = [_with_text(row, text_field, collection) for row in fields]
        pieces = from_rows(fields, collection)
        for row, values, piece in zip(page, fields, pieces, strict=True):
            yield _chunk(row, values, piece, document_field)


def _with_text(row: Mapping[str, Any], name: str, collection: str) -> dict[str, Any]:
    """Return a row whose text is that of a field, anywhere in it."""
    text = find_field(row, (plain_name(name),), str)
    if text is None:
        fields = ", ".join(list(row)[:20]) or "none"
        raise ChunkscopeError(
            f"A chunk of {collection} has no text in the field {name:.60}; its fields are: {fields:.300}.",
            "Name another one: --text-field NAME.",
        )
    return {"text": text, "metadata": row.get("metadata", row)}


def _chunk(row: StoredRow, fields: Mapping[str, Any], piece: Piece, document_field: str) -> StoredChunk:
    metadata = row.metadata
    text = replace_surrogates(piece.text)
    if "document_digest" in metadata and not document_field:
        document_hash, setting, encoder = (
            str(metadata.get(name, "")) for name in ("document_hash", "setting", "encoder")
        )
        nested = metadata.get("parent") is not None
        document = str(metadata.get("document", ""))
        return StoredChunk(row.id, document, text, piece.start, piece.end, document_hash, setting, encoder, nested)
    names = (plain_name(document_field),) if document_field else DOCUMENT_FIELDS
    named = find_field({"metadata": dict(row.fields), **fields}, names, str) or ""
    return StoredChunk(row.id, replace_surrogates(named), text, piece.start, piece.end)


_COLUMNS = 'id, document, text, start, "end", document_hash, setting, encoder, nested'
_TABLES = """
CREATE TABLE chunks (number INTEGER PRIMARY KEY, id TEXT, document TEXT, text TEXT, start INTEGER, "end" INTEGER,
document_hash TEXT, setting TEXT, encoder TEXT, nested INTEGER);
CREATE INDEX by_document ON chunks (document);
CREATE TABLE matched (document TEXT PRIMARY KEY) WITHOUT ROWID;
"""


class StoredChunks:
    """The chunks of a collection by document; a context, at whose end they are deleted."""

    def __init__(self) -> None:
        self._database = sqlite3.connect("", isolation_level=None)
        self._database.executescript(_TABLES)
        self.settings, self.encoders = Counter[str](), Counter[str]()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._database.close()

    def add(self, chunk: StoredChunk) -> None:
        """Add a chunk."""
        self._database.execute(f"INSERT INTO chunks ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", astuple(chunk))
        self.settings[chunk.setting] += 1
        self.encoders[chunk.encoder] += 1

    def documents(self) -> list[str]:
        """Return the names of the documents, in order; an empty one stands for chunks without a document."""
        rows = self._database.execute("SELECT DISTINCT document FROM chunks ORDER BY document")
        return [name for (name,) in rows]

    def of_document(self, document: str) -> list[StoredChunk]:
        """Return the chunks of a document, by their stored starts where they have any."""
        rows = self._database.execute(
            f"SELECT {_COLUMNS} FROM chunks WHERE document = ? ORDER BY start, number", (document,)
        )
        return [StoredChunk(*row) for row in rows]

    def match(self, document: str) -> None:
        """Note that a document of the collection is a source."""
        self._database.execute("REPLACE INTO matched VALUES (?)", (document,))

    def unmatched(self) -> Iterator[tuple[str, int]]:
        """Yield the documents of the collection that are no source, with the number of their chunks."""
        query = (
            "SELECT document, count(*) FROM chunks WHERE document NOT IN (SELECT document FROM matched) "
            "GROUP BY document ORDER BY document"
        )
        yield from self._database.execute(query).fetchall()

    def claim(self, document: str, text: str) -> None:
        """Give chunks without a document to one whose text holds theirs, white space aside.

        Args:
            document: its name.
            text: its text.
        """
        collapsed = "".join(text.split())
        rows = self._database.execute("SELECT number, text FROM chunks WHERE document = ''").fetchall()
        numbers = [(document, number) for number, part in rows if "".join(part.split()) in collapsed]
        self._database.executemany("UPDATE chunks SET document = ? WHERE number = ?", numbers)


def match_documents(sources: Sequence[str], stored: Sequence[str]) -> dict[str, str]:
    """Return the stored name of each source that has one: the same path, else one of which either ends with the other.

    Args:
        sources: paths of the documents.
        stored: names of documents in a collection.
    """
    matches = {name: name for name in sources if name in set(stored)}
    remaining = [name for name in stored if name and name not in matches]
    by_file: dict[str, list[str]] = {}
    for name in remaining:
        by_file.setdefault(_parts(name)[-1], []).append(name)
    for source in sources:
        candidates = [] if source in matches else by_file.get(_parts(source)[-1], [])
        fitting = [name for name in candidates if _is_end(_parts(source), _parts(name))]
        if len(fitting) == 1 and fitting[0] not in matches.values():
            matches[source] = fitting[0]
    return matches


def _parts(name: str) -> tuple[str, ...]:
    return PurePosixPath(name.removeprefix("file://").replace("\\", "/")).parts or ("",)


def _is_end(one: Sequence[str], other: Sequence[str]) -> bool:
    length = min(len(one), len(other))
    return one[-length:] == other[-length:]
