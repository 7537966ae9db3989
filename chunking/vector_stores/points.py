"""Chunks as points of a vector store: what is embedded, what is stored with it, and by what a point stays the same."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

from chunking import __version__
from chunking.export import chunk_ids, chunk_metadata, encodable, indexed_text
from chunking.retrieval.search.context import prefixes
from chunking.strategies import Segmentation, Setting
from chunking.strategies.context import EMBED_HEADINGS
from chunking.vector_stores.base import Point
from chunking.workspace import DocumentAnalysis

_OPTIONAL = (
    *("index", "parent", "table_header", "first_page", "last_page", "start_time", "end_time", "speakers", "altered"),
    "boundary_encoder",
)
"""Metadata that only some chunks have."""


@dataclass(frozen=True, slots=True)
class EmbeddablePoint:
    """A point with what its vector is made of.

    Attributes:
        point: what is stored.
        embedded: the text that is embedded: heading path, header of a table that the chunk continues, indexed text.
    """

    point: Point
    embedded: str

    @property
    def content_hash(self) -> str:
        """Hash of what is embedded."""
        return str(self.point.metadata["content_hash"])


def content_hash(text: str) -> str:
    """Return the hash of a text that is embedded: 32 hexadecimal digits."""
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


def embedded_texts(segmentation: Segmentation) -> list[str]:
    """Return the text that is embedded for each chunk: its heading path, the header of a table that it continues, and
    its indexed text, as ``embed=headings`` has it."""
    before = prefixes(segmentation.chunks, segmentation.document, EMBED_HEADINGS)
    return [
        encodable(prefix) + indexed_text(segmentation, chunk)
        for prefix, chunk in zip(before, segmentation.chunks, strict=True)
    ]


def points_of(
    segmentation: Segmentation, workspace: DocumentAnalysis, setting: Setting, document_digest: str
) -> list[EmbeddablePoint]:
    """Return the points of the chunks of a document that are not blank.

    The metadata are those of :func:`chunking.export.chunk_metadata`, and ``document`` (its path), ``document_hash``
    (SHA-256 of its text), ``setting``, ``boundary_encoder``, ``encoder`` and ``encoder_key`` (of the vector),
    ``content_hash``, ``document_digest``, ``document_chunks`` (how many the document has) and ``chunkscope``, the
    version.

    Args:
        segmentation: the chunks.
        workspace: of the document.
        setting: that made the chunks.
        document_digest: hash of the document and of all that its chunks and vectors depend on.
    """
    ids, metadata, texts = chunk_ids(segmentation), chunk_metadata(segmentation), embedded_texts(segmentation)
    nonblank = [index for index, chunk in enumerate(segmentation.chunks) if chunk.text.strip()]
    encoder = workspace.retrieval_encoder
    about: dict[str, Any] = {
        "document": encodable(segmentation.document.name),
        "document_hash": segmentation.document.text_hash,
        "document_digest": document_digest,
        "document_chunks": len(nonblank),
        "setting": setting.text,
        "boundary_encoder": workspace.encoder.name if setting.embeds else None,
        "encoder": encoder.name,
        "encoder_key": encoder.key,
        "chunkscope": __version__,
    }
    absent = dict.fromkeys(_OPTIONAL)
    return [
        EmbeddablePoint(
            Point(
                ids[index],
                indexed_text(segmentation, segmentation.chunks[index]),
                {**absent, **metadata[index], **about, "content_hash": content_hash(texts[index])},
            ),
            texts[index],
        )
        for index in nonblank
    ]
