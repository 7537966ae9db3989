"""Collections of Chroma, of a server or of a folder in this process, by its own client."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Self

from chunking.errors import ChunkscopeError
from chunking.runtime.arrays import Float32
from chunking.vector_stores.base import METADATA, PAGE, TEXT, Point, StoredRow, pages, store_error

if TYPE_CHECKING:
    from chunking.vector_stores.location import StoreLocation


class ChromaStore:
    """A collection of Chroma: documents with metadata.

    Args:
        module: the package ``chromadb``.
        location: where it is.
        collection: its name.
    """

    def __init__(self, module: Any, location: StoreLocation, collection: str) -> None:
        self._module, self._name, self._collection_name = module, str(location), collection
        self._collection: Any = None
        settings = module.config.Settings(anonymized_telemetry=False)
        with self._errors():
            if location.folder is not None:
                self._client = module.PersistentClient(str(location.folder), settings=settings, **location.options)
            else:
                self._client = module.HttpClient(
                    host=location.host,
                    port=location.port,
                    ssl=location.scheme == "https",
                    headers={"x-chroma-token": location.key} if location.key else None,
                    settings=settings,
                    **location.options,
                )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._client.close()

    @contextmanager
    def _errors(self) -> Iterator[None]:
        """Raise the client's errors as ours."""
        import httpx  # which chromadb needs

        try:
            yield
        except ChunkscopeError:
            raise
        except (self._module.errors.ChromaError, httpx.HTTPError, ValueError, RuntimeError, OSError) as error:
            raise store_error(self._name, error) from None

    def _open(self) -> Any:
        """Return the collection; ``None`` where it does not exist."""
        if self._collection is None:
            with self._errors():
                try:
                    self._collection = self._client.get_collection(self._collection_name, embedding_function=None)
                except self._module.errors.NotFoundError:
                    return None
        return self._collection

    def exists(self) -> bool:
        """Return whether the collection exists."""
        return self._open() is not None

    def dimension(self) -> int | None:
        """Return the length of the vectors of the collection; ``None`` as long as it has none."""
        if (collection := self._open()) is None:
            return None
        with self._errors():
            vectors = collection.get(limit=1, include=["embeddings"])["embeddings"]
        return len(vectors[0]) if vectors is not None and len(vectors) else None

    def create(self, dimension: int) -> None:
        """Make the collection, for vectors that are compared by their cosine; the first one says how long they are."""
        with self._errors():
            self._collection = self._client.create_collection(
                self._collection_name, embedding_function=None, configuration={"hnsw": {"space": "cosine"}}
            )

    def rows(self, *, text: bool) -> Iterator[StoredRow]:
        """Yield all points, page by page; the texts only where they are needed."""
        collection, offset = self._open(), 0
        while collection is not None:
            with self._errors():
                page = collection.get(
                    limit=PAGE, offset=offset, include=["metadatas", *(["documents"] if text else [])]
                )
            ids, texts = page["ids"], page["documents"] or [None] * len(page["ids"])
            for point_id, metadata, document in zip(ids, page["metadatas"], texts, strict=True):
                fields = {METADATA: metadata or {}} | ({TEXT: document} if document is not None else {})
                yield StoredRow(point_id, fields)
            if len(ids) < PAGE:
                return
            offset += PAGE

    def put(self, points: Sequence[Point], vectors: Float32) -> None:
        """Insert points with vectors, ``(n, dimension)`` float32, or replace those with the same IDs."""
        collection = self._open()
        with self._errors():
            for page, numbers in zip(pages(points), pages(range(len(points))), strict=True):
                collection.upsert(embeddings=vectors[list(numbers)], **_columns(page))

    def update(self, points: Sequence[Point]) -> None:
        """Replace the metadata of points that exist; their texts and vectors stay."""
        collection = self._open()
        with self._errors():
            for page in pages(points):
                columns = _columns(page)
                collection.update(ids=columns["ids"], metadatas=columns["metadatas"])

    def delete(self, ids: Sequence[str]) -> None:
        """Delete points."""
        collection = self._open()
        with self._errors():
            for page in pages(ids):
                collection.delete(ids=list(page))


def _columns(points: Sequence[Point]) -> dict[str, Any]:
    """Return points side by side; a name of the metadata that is ``None`` is removed from a point that had it."""
    return {
        "ids": [point.id for point in points],
        "documents": [point.text for point in points],
        "metadatas": [dict(point.metadata) for point in points],
    }
