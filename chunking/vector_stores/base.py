"""The interface of vector stores: what push and audit need of Qdrant, Chroma and PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Protocol, Self

from chunking.errors import ChunkscopeError
from chunking.runtime.arrays import Float32

PAGE = 500
"""Points that are read or written at a time."""

TEXT, METADATA = "page_content", "metadata"
"""Fields of a point in Qdrant, under the names that LangChain reads; the second is a column of PostgreSQL as well."""


@dataclass(frozen=True, slots=True)
class Point:
    """A chunk as a store has it.

    Attributes:
        id: UUID of all that is embedded, see :func:`chunking.export.chunk_ids`.
        text: the indexed text, overlap included.
        metadata: flat; ``None`` for what the chunk does not have, which no store keeps.
    """

    id: str
    text: str
    metadata: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class StoredRow:
    """A point as it was read.

    Attributes:
        id: its ID as text.
        fields: all that is stored with it, but for vectors: metadata, and the text where it was requested, under the
            names of the store.
    """

    id: str
    fields: Mapping[str, Any]

    @property
    def metadata(self) -> Mapping[str, Any]:
        """The metadata of a point that push wrote; empty where there are none."""
        metadata = self.fields.get(METADATA)
        return metadata if isinstance(metadata, Mapping) else {}


class VectorStore(AbstractContextManager["VectorStore"], Protocol):
    """A collection of a vector store; a context, at whose end the connection is closed.

    All methods raise :class:`~chunking.errors.ChunkscopeError` where the store refuses or cannot be reached.
    """

    def __enter__(self) -> Self: ...

    def exists(self) -> bool:
        """Return whether the collection exists."""
        ...

    def dimension(self) -> int | None:
        """Return the length of the vectors of the collection; ``None`` where nothing says it yet."""
        ...

    def create(self, dimension: int) -> None:
        """Make the collection, for vectors of a length that are compared by their cosine."""
        ...

    def rows(self, *, text: bool) -> Iterator[StoredRow]:
        """Yield all points, page by page.

        Args:
            text: whether the texts are needed as well.
        """
        ...

    def put(self, points: Sequence[Point], vectors: Float32) -> None:
        """Insert points, or replace those with the same IDs.

        Args:
            points: ``n`` points.
            vectors: ``(n, dimension)`` float32.
        """
        ...

    def update(self, points: Sequence[Point]) -> None:
        """Replace the metadata of points that exist; their texts and vectors stay."""
        ...

    def delete(self, ids: Sequence[str]) -> None:
        """Delete points."""
        ...


class MissingStore:
    """An embedded store whose folder does not exist yet: empty, and never written to."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        return None

    def exists(self) -> bool:
        """Return whether the collection exists: it does not."""
        return False

    def dimension(self) -> None:
        """Return no length."""
        return None

    def create(self, dimension: int) -> None:
        """Do nothing."""

    def rows(self, *, text: bool) -> Iterator[StoredRow]:
        """Yield nothing."""
        return iter(())

    def put(self, points: Sequence[Point], vectors: Float32) -> None:
        """Do nothing."""

    def update(self, points: Sequence[Point]) -> None:
        """Do nothing."""

    def delete(self, ids: Sequence[str]) -> None:
        """Do nothing."""


def pages(items: Sequence[Any], size: int = PAGE) -> Iterator[Sequence[Any]]:
    """Yield items in pages of at most that size."""
    for start in range(0, len(items), size):
        yield items[start : start + size]


def present(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """Return metadata without what is ``None``."""
    return {name: value for name, value in metadata.items() if value is not None}


def store_error(store: str, error: BaseException, remedy: str = "") -> ChunkscopeError:
    """Return the error of a client in one line.

    Args:
        store: the store in words, without key and password.
        error: what the client raised.
        remedy: what to do.
    """
    words = " ".join(str(error).split()) or type(error).__name__
    return ChunkscopeError(f"{store} cannot be used: {words.rstrip('.')[:300]}.", remedy or "Check that it runs.")
