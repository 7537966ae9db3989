"""Chunks as other libraries keep them: text and metadata, LangChain and Haystack documents, LlamaIndex nodes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from chunking.chunks import Chunk
from chunking.export.identity import chunk_ids, document_id, indexed_text
from chunking.export.origin import origin_of
from chunking.export.tables import Row, encodable, nests, page_numbers, speech_fields, table_fields
from chunking.strategies.base import Segmentation


def chunk_metadata(segmentation: Segmentation) -> list[Row]:
    """Return the metadata of each chunk for a vector store: flat and never null, as most of them require.

    ``start_index`` and ``end_index`` are the span of the indexed text, overlap included, as LangChain means them;
    ``chunk_start`` and ``chunk_end`` are the chunk's own span, without its overlap. ``heading_path`` has the titles
    joined by ``›``; ``cut_reason`` is empty for the first chunk. Where chunks are parts of others each has its
    ``index``, and those that are parts the ``parent``; one that continues a table has its ``table_header``; of a
    document with pages each has its ``first_page`` and
    ``last_page``; of subtitles and transcripts ``start_time`` and ``end_time`` in seconds, and its ``speakers``; where
    another library changed some text, ``altered`` says of each chunk whether its text is not exactly that of its span.
    """
    nested, foreign = nests(segmentation), any(chunk.foreign for chunk in segmentation.chunks)
    rows = []
    for chunk in segmentation.chunks:
        row: Row = {
            "start_index": chunk.indexed_start,
            "end_index": chunk.end,
            "chunk_start": chunk.start,
            "chunk_end": chunk.end,
            "heading_path": encodable(" › ".join(chunk.heading_path)),
            "tokens": chunk.tokens,
            "cut_reason": chunk.cut.reason if chunk.cut else "",
        }
        row |= {"index": chunk.index} if nested else {}
        row |= {"parent": chunk.parent} if chunk.parent is not None else {}
        row |= table_fields(chunk, segmentation.document) | page_numbers(chunk, segmentation.document)
        speech = speech_fields(chunk, segmentation.document)
        row |= speech | ({"speakers": "; ".join(speech["speakers"])} if "speakers" in speech else {})
        rows.append(row | ({"altered": chunk.foreign is not None} if foreign else {}))
    return rows


def langchain_rows(segmentation: Segmentation) -> list[Row]:
    """Return the chunks as LangChain keeps them: each row makes a ``langchain_core.documents.Document``.

    ``page_content`` is :func:`indexed_text`, ``metadata`` is :func:`chunk_metadata` with the document's name, the
    strategy and its parameters; ``id`` is that of :func:`~chunking.export.chunk_ids`.
    """
    origin = {name: encodable(value) for name, value in origin_of(segmentation).items()}
    chunk_values = zip(segmentation.chunks, chunk_metadata(segmentation), chunk_ids(segmentation), strict=True)
    return [
        {
            "id": chunk_id,
            "page_content": indexed_text(segmentation, chunk),
            "metadata": origin | metadata,
            "type": "Document",
        }
        for chunk, metadata, chunk_id in chunk_values
    ]


def haystack_rows(segmentation: Segmentation) -> list[Row]:
    """Return the chunks as Haystack keeps them: each row is one for ``haystack.Document.from_dict``.

    ``content`` is :func:`indexed_text`, ``meta`` is the metadata of :func:`langchain_rows`, and what Haystack's own
    splitters add and its ``SentenceWindowRetriever`` reads: ``source_id``, the same for all chunks of a document,
    ``split_id``, the place of the chunk, ``split_idx_start``, where its content begins, and ``page_number``.
    """
    source = str(document_id(segmentation.document.name))
    rows = []
    for index, row in enumerate(langchain_rows(segmentation)):
        about = row["metadata"]
        own_metadata: Row = {"source_id": source, "split_id": index, "split_idx_start": about["start_index"]}
        own_metadata |= {"page_number": about["first_page"]} if "first_page" in about else {}
        rows.append({"id": row["id"], "content": row["page_content"], "meta": about | own_metadata})
    return rows


_SOURCE, _PREVIOUS, _NEXT, _PARENT, _CHILD = "12345"
_TEXT, _DOCUMENT = "14"
"""Values of LlamaIndex's ``NodeRelationship`` and ``ObjectType``."""


def neighbours(chunks: Sequence[Chunk]) -> list[tuple[int | None, int | None]]:
    """Return the chunk before and the chunk after each chunk, of those that are parts of the same one."""
    before: list[int | None] = [None] * len(chunks)
    after: list[int | None] = [None] * len(chunks)
    last: dict[int | None, int] = {}
    for index, chunk in enumerate(chunks):
        if chunk.parent in last:
            before[index] = last[chunk.parent]
            after[last[chunk.parent]] = index
        last[chunk.parent] = index
    return list(zip(before, after, strict=True))


def children(chunks: Sequence[Chunk]) -> Mapping[int, list[int]]:
    """Return the parts of each chunk that has any."""
    parts: dict[int, list[int]] = {}
    for index, chunk in enumerate(chunks):
        if chunk.parent is not None:
            parts.setdefault(chunk.parent, []).append(index)
    return parts


def llama_index_rows(segmentation: Segmentation) -> list[Row]:
    """Return the chunks as LlamaIndex keeps them: each row is one for ``TextNode.from_dict``.

    ``text`` is :func:`indexed_text`; ``start_char_idx`` and ``end_char_idx`` are the span of that text, overlap
    included, as the library means them, and the metadata those of :func:`langchain_rows`. Of the metadata heading
    path and table header are embedded with the text, and none is shown to a model. Relationships: the source document,
    the neighbours among the parts of the same chunk, parent and children; ``id_`` is that of
    :func:`~chunking.export.chunk_ids`.
    """
    origin = {name: encodable(value) for name, value in origin_of(segmentation).items()}
    chunks, ids, parts = segmentation.chunks, chunk_ids(segmentation), children(segmentation.chunks)
    source = _relation(str(document_id(segmentation.document.name)), _DOCUMENT, {"source": origin["source"]})
    rows = []
    for index, ((before, after), own_metadata) in enumerate(
        zip(neighbours(chunks), chunk_metadata(segmentation), strict=True)
    ):
        chunk, metadata = chunks[index], origin | own_metadata
        relationships: Row = {_SOURCE: source}
        for kind, other in ((_PREVIOUS, before), (_NEXT, after), (_PARENT, chunk.parent)):
            if other is not None:
                relationships[kind] = _relation(ids[other])
        if index in parts:
            relationships[_CHILD] = [_relation(ids[part]) for part in parts[index]]
        rows.append(
            {
                "id_": ids[index],
                "embedding": None,
                "metadata": metadata,
                "excluded_embed_metadata_keys": excluded_from_embedding(metadata),
                "excluded_llm_metadata_keys": list(metadata),
                "relationships": relationships,
                "text": indexed_text(segmentation, chunk),
                "mimetype": "text/plain",
                "start_char_idx": chunk.indexed_start,
                "end_char_idx": chunk.end,
                "class_name": "TextNode",
            }
        )
    return rows


def excluded_from_embedding(metadata: Row) -> list[str]:
    """Return the names of a chunk's metadata that LlamaIndex does not embed: all but its context, where it has one."""
    return [name for name, value in metadata.items() if name not in _CONTEXT or not value]


_CONTEXT = ("heading_path", "table_header")


def _relation(node_id: str, kind: str = _TEXT, metadata: Row | None = None) -> Row:
    return {
        "node_id": node_id,
        "node_type": kind,
        "metadata": metadata or {},
        "hash": None,
        "class_name": "RelatedNodeInfo",
    }
