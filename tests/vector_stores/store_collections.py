"""A collection of a test: its address, and what it holds."""

from __future__ import annotations

from dataclasses import dataclass

from chunking.vector_stores import StoredRow, VectorStore, open_store, parse_location

KINDS = ("qdrant", "chroma", "postgresql")


@dataclass(frozen=True)
class TestCollection:
    """A collection that a test writes to.

    Attributes:
        url: of the store.
        name: of the collection.
    """

    __test__ = False

    url: str
    name: str

    def words(self, flag: str = "--to") -> tuple[str, ...]:
        """Return the options that name it."""
        return flag, self.url, "--collection", self.name

    def open(self) -> VectorStore:
        """Return the store, to write to."""
        return open_store(parse_location(self.url), self.name, create=True)

    def rows(self) -> dict[str, StoredRow]:
        """Return what it holds by ID."""
        with self.open() as store:
            return {row.id: row for row in (store.rows(text=True) if store.exists() else ())}

    def texts(self) -> dict[str, str]:
        """Return the texts by ID."""
        return {
            point: str(row.fields.get("page_content", row.fields.get("text"))) for point, row in self.rows().items()
        }
