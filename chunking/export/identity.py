"""Identifiers of chunks that stay while what is embedded stays, so that an index replaces only what changed."""

from __future__ import annotations

import json
import uuid
from collections import Counter

from chunking.chunks import Chunk, table_header
from chunking.runtime.surrogates import replace_surrogates
from chunking.strategies.base import Segmentation


def indexed_text(segmentation: Segmentation, chunk: Chunk) -> str:
    """Return the indexed text of a chunk: with its overlap, or as another library made it."""
    if chunk.foreign:
        return replace_surrogates(chunk.foreign.text)
    return replace_surrogates(segmentation.document.text[chunk.indexed_start : chunk.end])


def document_id(name: str) -> uuid.UUID:
    """Return the UUID of the document of a name, which stays when its text is edited."""
    return uuid.uuid5(uuid.NAMESPACE_OID, replace_surrogates(f"chunkscope/{name}"))


def chunk_ids(segmentation: Segmentation) -> list[str]:
    """Return a UUID for each chunk, of all that is embedded: document name, heading path, table header, indexed text.

    An edit elsewhere in the document changes none of them, and neither does another setting that makes the same chunk.
    Of chunks that are the same in a document each has the ID of its order among them.
    """
    document = segmentation.document
    namespace, occurrences = document_id(document.name), Counter[str]()
    ids = []
    for chunk in segmentation.chunks:
        context = [*chunk.heading_path], table_header(document, chunk), indexed_text(segmentation, chunk)
        name = replace_surrogates(json.dumps(context, ensure_ascii=False))
        ids.append(str(uuid.uuid5(namespace, f"{name}{occurrences[name] or ''}")))
        occurrences[name] += 1
    return ids
