"""Collections of Qdrant, of a server or of a folder in this process, by its own client."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Self

from chunking.errors import ChunkscopeError
from chunking.runtime.arrays import Float32
from chunking.vector_stores.base import METADATA, PAGE, TEXT, Point, StoredRow, pages, present, store_error

if TYPE_CHECKING:
    from chunking.vector_stores.location import StoreLocation

_SECONDS = 60


class QdrantStore:
    """A collection of Qdrant.

    A point has the payload that LangChain reads: ``page_content`` and ``metadata``.

    Args:
        module: the package ``qdrant_client``.
        location: where it is.
        collection: its name.
    """

    def __init__(self, module: Any, location: StoreLocation, collection: str) -> None:
        self._models, self._name, self._collection = module.models, str(location), collection
        with self._errors(module):
            if location.folder is not None:
                self._client = module.QdrantClient(path=str(location.folder))
            else:
                self._client = module.QdrantClient(
                    url=f"{location.scheme}://{location.url_host}",
                    port=location.port,
                    prefix=location.path or None,
                    api_key=location.key or None,
                    timeout=_SECONDS,
                    check_compatibility=False,  # which would print what the first request says as well
                )
        self._module = module

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._client.close()

    @contextmanager
    def _errors(self, module: Any = None) -> Iterator[None]:
        """Raise the client's errors as ours, and keep its warnings off the terminal."""
        exceptions = (module or self._module).http.exceptions
        try:
            with warnings.catch_warnings(action="ignore"):
                yield
        except ChunkscopeError:
            raise
        except (exceptions.ApiException, ValueError, RuntimeError, OSError) as error:
            remedy = "Wait for the other program." if "already accessed" in str(error) else ""
            raise store_error(self._name, error, remedy) from None

    def exists(self) -> bool:
        """Return whether the collection exists."""
        with self._errors():
            return bool(self._client.collection_exists(self._collection))

    def dimension(self) -> int | None:
        """Return the length of the vectors of the collection."""
        with self._errors():
            if not self.exists():
                return None
            vectors = self._client.get_collection(self._collection).config.params.vectors
        if not hasattr(vectors, "size"):
            raise ChunkscopeError(
                f"The collection {self._collection} has named vectors, which push does not write.",
                "Name another --collection.",
            )
        return int(vectors.size)

    def create(self, dimension: int) -> None:
        """Make the collection, for vectors of a length that are compared by their cosine."""
        vectors = self._models.VectorParams(size=dimension, distance=self._models.Distance.COSINE)
        with self._errors():
            self._client.create_collection(self._collection, vectors_config=vectors)

    def rows(self, *, text: bool) -> Iterator[StoredRow]:
        """Yield all points, page by page; the texts only where they are needed."""
        offset: Any = None
        while True:
            with self._errors():
                points, offset = self._client.scroll(
                    self._collection,
                    limit=PAGE,
                    offset=offset,
                    with_payload=True if text else [METADATA],
                    with_vectors=False,
                )
            yield from (StoredRow(str(point.id), point.payload or {}) for point in points)
            if offset is None:
                return

    def put(self, points: Sequence[Point], vectors: Float32) -> None:
        """Insert points with vectors, ``(n, dimension)`` float32, or replace those with the same IDs."""
        structs = [
            self._models.PointStruct(id=point.id, vector=vector, payload=_payload(point))
            for point, vector in zip(points, vectors.tolist(), strict=True)
        ]
        with self._errors():
            for page in pages(structs):
                self._client.upsert(self._collection, points=page, wait=True)

    def update(self, points: Sequence[Point]) -> None:
        """Replace the metadata of points that exist; their texts and vectors stay."""
        operations = [
            self._models.OverwritePayloadOperation(
                overwrite_payload=self._models.SetPayload(payload=_payload(point), points=[point.id])
            )
            for point in points
        ]
        with self._errors():
            for page in pages(operations):
                self._client.batch_update_points(self._collection, update_operations=page, wait=True)

    def delete(self, ids: Sequence[str]) -> None:
        """Delete points."""
        with self._errors():
            for page in pages(ids):
                self._client.delete(self._collection, points_selector=list(page), wait=True)


def _payload(point: Point) -> dict[str, Any]:
    return {TEXT: point.text, METADATA: present(point.metadata)}
