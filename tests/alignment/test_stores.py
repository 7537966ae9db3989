"""Exports of vector stores.

Those of Chroma and Qdrant are written by hand in their documented form, since their clients are heavy; tables of
pgvector are made with pyarrow and csv, as their exports are.
"""

from __future__ import annotations

import csv
import io
import json
from functools import cache
from random import Random
from typing import Any

import pytest

from chunking import split
from chunking.alignment.uploads import read
from chunking.comparison.report import own_entry
from chunking.errors import ChunkscopeError
from chunking.samples import load as sample
from chunking.workspace import DocumentAnalysis, Models

DOCUMENT = sample("field-guide-to-backups").document
VECTOR = [0.25, -0.5]
NAMES = (
    *("chroma.json", "batches.jsonl", "query.json", "scroll.json", "client.json", "pages.jsonl", "points.jsonl"),
    *("document.json", "nodes.jsonl", "pgvector.jsonl", "pgvector.csv", "pgvector.parquet"),
)


@cache
def chunk_texts() -> tuple[str, ...]:
    chunks = split(DOCUMENT, "recursive:overlap=0", Models(splitter="rules"))
    return tuple(chunk.text for chunk in chunks if chunk.text.strip())


@cache
def shuffled_texts() -> list[str]:
    return Random(7).sample(chunk_texts(), len(chunk_texts()))


def chroma(texts: list[Any]) -> dict[str, Any]:
    return {
        "ids": [f"id{n}" for n in range(len(texts))], "embeddings": [VECTOR] * len(texts), "documents": texts,
        "uris": None, "data": None, "metadatas": [{"source": "guide.md", "start": n} for n in range(len(texts))],
        "included": ["embeddings", "documents", "metadatas"],
    }  # fmt: skip


def points(texts: list[str], field: str = "page_content") -> list[dict[str, Any]]:
    return [
        {"id": n, "payload": {field: text, "metadata": {"source": "guide.md"}}, "vector": VECTOR, "shard_key": None}
        for n, text in enumerate(texts)
    ]


def nodes(texts: list[str]) -> list[dict[str, Any]]:
    """Points of LlamaIndex."""
    return [
        {
            "id": n,
            "payload": {"_node_content": json.dumps({"id_": str(n), "text": text}), "doc_id": "a"},
            "vector": VECTOR,
        }
        for n, text in enumerate(texts)
    ]


def rows(texts: list[str]) -> list[dict[str, Any]]:
    return [
        {"id": f"u{n}", "document": text, "embedding": VECTOR, "cmetadata": json.dumps({"source": "a"})}
        for n, text in enumerate(texts)
    ]


def written(found: list[dict[str, Any]]) -> bytes:
    out = io.StringIO()
    table = csv.DictWriter(out, found[0])
    table.writeheader()
    table.writerows(found)
    return out.getvalue().encode()


def packed(found: list[dict[str, Any]]) -> bytes:
    import pyarrow  # type: ignore[import-untyped]
    from pyarrow import parquet

    out = io.BytesIO()
    parquet.write_table(pyarrow.Table.from_pylist(found), out)
    return out.getvalue()


def lines(values: list[Any]) -> bytes:
    return "\n".join(map(json.dumps, values)).encode()


@cache
def exports() -> dict[str, bytes]:
    """Return the chunks in mixed order in every form of ``NAMES``."""
    texts = shuffled_texts()
    return {
        "chroma.json": json.dumps(chroma(texts)).encode(),
        "batches.jsonl": lines([chroma(texts[:5]), chroma(texts[5:])]),
        "query.json": json.dumps(
            chroma(texts) | {"ids": [["a"]], "documents": [texts], "metadatas": [[None] * len(texts)]}
        ).encode(),
        "scroll.json": json.dumps(
            {"result": {"points": points(texts), "next_page_offset": None}, "status": "ok"}
        ).encode(),
        "client.json": json.dumps([points(texts), None]).encode(),
        "pages.jsonl": lines([{"result": {"points": points(each)}} for each in (texts[:5], texts[5:])]),
        "points.jsonl": lines(points(texts, "text")),
        "document.json": json.dumps(points(texts, "document")).encode(),
        "nodes.jsonl": lines(nodes(texts)),
        "pgvector.jsonl": lines(rows(texts)),
        "pgvector.csv": written(rows(texts)),
        "pgvector.parquet": packed(rows(texts)),
    }


@pytest.mark.parametrize("name", NAMES)
def test_chunks_of_a_store_are_read_and_brought_into_order(name: str) -> None:
    pieces = read(exports()[name], name)
    assert [piece.text for piece in pieces] == shuffled_texts()
    workspace = DocumentAnalysis(DOCUMENT, Models(splitter="rules"))
    chunks = own_entry(workspace, name, pieces).segmentation.chunks
    assert [chunk.text.strip() for chunk in chunks] == [text.strip() for text in chunk_texts()]
    assert all(DOCUMENT.text[chunk.start : chunk.end] == chunk.text for chunk in chunks)


def test_offsets_in_metadata_are_read() -> None:
    assert [piece.start for piece in read(json.dumps(chroma(["a", "b"])).encode(), "a.json")] == [0, 1]
    node = {"text": "", "_node_content": json.dumps({"text": "Tea.", "start_char_idx": 3})}
    (piece,) = read(lines([{"id": "a", "text": "Tea.", "metadata_": node}]), "a.jsonl")
    assert piece.start == 3


def test_ids_without_documents_are_no_chunks() -> None:
    """They are the texts of the chunks only where an export left out its documents."""
    with pytest.raises(ChunkscopeError, match="contains no chunks"):
        read(json.dumps(chroma([None, None])).encode(), "chroma.json")


def test_a_damaged_table_is_refused() -> None:
    for data in (b"PAR1", b"PAR1" + b"x" * 90, exports()["pgvector.parquet"][:-40], packed([{"a": 1.5}])):
        with pytest.raises(ChunkscopeError) as caught:
            read(data, "a.parquet")
        assert caught.value.remedy
