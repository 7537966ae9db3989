"""Documents brought into a collection: points are inserted and replaced by their IDs, and those that are gone deleted.

A document counts as done only where its points are all there and no others are, each with the hash of the document and
of all that its chunks and vectors depend on. Points are inserted before others are deleted, so a run that is stopped
loses nothing, and the next one completes it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from chunking import embedding
from chunking.embedding import Encoder
from chunking.embedding.vector_cache import VectorCache
from chunking.errors import ChunkscopeError
from chunking.export import encodable
from chunking.runtime.progress import Tell
from chunking.vector_stores.base import Point, VectorStore
from chunking.vector_stores.index import CollectionIndex
from chunking.vector_stores.points import EmbeddablePoint

BATCH = 256
"""Chunks that are collected before they are embedded and written."""


@dataclass
class PushCounts:
    """What became of chunks and documents.

    Attributes:
        embedded: chunks that were embedded and inserted.
        updated: chunks whose metadata were replaced, and whose vectors stayed.
        unchanged: chunks that stayed as they were, of documents that were split again.
        deleted: chunks that were deleted.
        absent: documents of the collection that the run has not met.
    """

    embedded: int = 0
    updated: int = 0
    unchanged: int = 0
    deleted: int = 0
    absent: int = 0


@dataclass
class _Changes:
    """What has to be written; insertions come first."""

    insert: list[EmbeddablePoint] = field(default_factory=list)
    update: list[Point] = field(default_factory=list)
    delete: list[str] = field(default_factory=list)


class CollectionWriter:
    """A collection that documents are brought into, one after the other.

    Args:
        store: the collection.
        name: of the collection, for messages.
        encoder: makes the vectors.
        cache: where vectors are looked up and stored; ``None`` for no cache.
        index: empty; it receives what the collection holds.
        tell: reports progress.
        dry_run: whether nothing is embedded and written.
    """

    def __init__(
        self,
        store: VectorStore,
        name: str,
        encoder: Encoder,
        cache: VectorCache | None,
        index: CollectionIndex,
        tell: Tell,
        *,
        dry_run: bool = False,
    ) -> None:
        self.counts = PushCounts()
        self._store, self._name, self._encoder, self._cache = store, name, encoder, cache
        self._index, self._tell, self._dry_run = index, tell, dry_run
        self._changes = _Changes()
        self._exists = False

    def prepare(self) -> None:
        """Read what the collection holds.

        Raises:
            ChunkscopeError: it has vectors of another encoder, or of another length.
        """
        self._exists = self._store.exists()
        if not self._exists:
            return
        dimension = self._store.dimension()
        read = 0
        for read, row in enumerate(self._store.rows(text=False), 1):
            metadata = row.metadata
            if "encoder_key" not in metadata or "document" not in metadata:
                raise ChunkscopeError(
                    f"The collection {self._name} has chunks that push did not write.", "Name another --collection."
                )
            if metadata["encoder_key"] != self._encoder.key:
                other = str(metadata.get("encoder", ""))
                same = " in another version" if other == self._encoder.name else f", not of {self._encoder.name}"
                raise ChunkscopeError(
                    f"The collection {self._name} has vectors of {other:.80}{same}.",
                    "Name another --collection, or its encoder: --encoder NAME.",
                )
            self._index.add(row)
            if not read % 1000:
                self._tell(f"{read:,} chunks of the collection read", 0, 0)
        if dimension is not None and dimension != self._encoder.dimension:
            raise ChunkscopeError(
                f"The collection {self._name} has vectors of {dimension:,} numbers, and {self._encoder.name} makes "
                f"{self._encoder.dimension:,}.",
                "Name another --collection, or another --encoder.",
            )

    def keep_unchanged(self, document: str, digest: str) -> bool:
        """Return whether all chunks of a document are there as they are; they stay then."""
        self.keep(document)
        return self._index.is_complete(encodable(document), digest)

    def keep(self, document: str) -> None:
        """Keep the chunks of a document unless others take their place."""
        self._index.meet(encodable(document))

    def add(self, document: str, digest: str, points: Sequence[EmbeddablePoint]) -> None:
        """Bring the chunks of a document into the collection, once there are enough of them to be embedded together.

        Args:
            document: its path.
            digest: hash of the document and of all that its chunks and vectors depend on.
            points: its chunks.
        """
        stored = self._index.of_document(encodable(document))
        for point in points:
            state = stored.pop(point.point.id, None)
            if state is None or state.content != point.content_hash:
                self._changes.insert.append(point)
            elif state.digest != digest:
                self._changes.update.append(point.point)
            else:
                self.counts.unchanged += 1
        self._changes.delete += stored
        if max(len(self._changes.insert), len(self._changes.update), len(self._changes.delete)) >= BATCH:
            self.flush()

    def flush(self) -> None:
        """Embed and write what was collected."""
        changes, self._changes = self._changes, _Changes()
        self.counts.embedded += len(changes.insert)
        self.counts.updated += len(changes.update)
        self.counts.deleted += len(changes.delete)
        if self._dry_run:
            return
        if changes.insert:
            vectors = embedding.embed(
                [point.embedded for point in changes.insert],
                self._encoder,
                self._cache,
                lambda done, total: self._tell("chunks embedded", done, total),
                origins=[str(point.point.metadata["document_hash"]) for point in changes.insert],
            )
            if not self._exists:
                self._store.create(self._encoder.dimension)
                self._exists = True
            self._store.put([point.point for point in changes.insert], np.asarray(vectors, dtype=np.float32))
        if changes.update:
            self._store.update(changes.update)
        if changes.delete:
            self._store.delete(changes.delete)

    def delete_absent(self) -> None:
        """Delete the chunks of documents that the run has not met."""
        for _, ids in self._index.absent():
            self._changes.delete += ids
            self.flush()

    def count_absent(self) -> int:
        """Return how many documents of the collection the run has not met."""
        return sum(1 for _ in self._index.absent())
