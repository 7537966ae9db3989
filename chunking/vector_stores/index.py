"""What a collection holds, in a temporary file: the memory of a run does not grow with the collection."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from types import TracebackType
from typing import Self

from chunking.vector_stores.base import StoredRow

_TABLES = """
CREATE TABLE chunks (id TEXT PRIMARY KEY, document TEXT NOT NULL, digest TEXT NOT NULL, content TEXT NOT NULL,
expected INTEGER NOT NULL) WITHOUT ROWID;
CREATE INDEX by_document ON chunks (document);
CREATE TABLE met (document TEXT PRIMARY KEY) WITHOUT ROWID;
"""


@dataclass(frozen=True, slots=True)
class StoredState:
    """By what a stored point is compared with that of a run.

    Attributes:
        digest: hash of its document and of all that its chunks and vectors depend on.
        content: hash of what is embedded.
    """

    digest: str
    content: str


class CollectionIndex:
    """The points of a collection by document; a context, at whose end it is deleted."""

    def __init__(self) -> None:
        self._database = sqlite3.connect("", isolation_level=None)
        self._database.executescript(_TABLES)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._database.close()

    def add(self, row: StoredRow) -> None:
        """Add a point that push wrote."""
        metadata = row.metadata
        values = [str(metadata.get(name, "")) for name in ("document", "document_digest", "content_hash")]
        expected = metadata.get("document_chunks")
        expected = expected if isinstance(expected, int) else -1
        self._database.execute("REPLACE INTO chunks VALUES (?, ?, ?, ?, ?)", (row.id, *values, expected))

    def is_complete(self, document: str, digest: str) -> bool:
        """Return whether the points of a document are all those of this digest, and no others."""
        found, same, expected = self._database.execute(
            "SELECT count(*), sum(digest = ?), max(expected) FROM chunks WHERE document = ?", (digest, document)
        ).fetchone()
        return bool(found == same == expected)

    def meet(self, document: str) -> None:
        """Note that a document still exists."""
        self._database.execute("REPLACE INTO met VALUES (?)", (document,))

    def of_document(self, document: str) -> dict[str, StoredState]:
        """Return the points of a document by their IDs."""
        rows = self._database.execute("SELECT id, digest, content FROM chunks WHERE document = ?", (document,))
        return {point: StoredState(digest, content) for point, digest, content in rows}

    def absent(self) -> Iterator[tuple[str, list[str]]]:
        """Yield the documents that this run has not met, with the IDs of their points."""
        documents = self._database.execute(
            "SELECT DISTINCT document FROM chunks WHERE document NOT IN (SELECT document FROM met) ORDER BY document"
        ).fetchall()
        for (document,) in documents:
            yield document, list(self.of_document(document))
