"""Exports: chunks and gaps as rows and tables, chunks as other libraries keep them, a setting as code.

A lone surrogate, which no UTF-8 can hold, leaves as U+FFFD in every format, as loading would have read it: one
character for one, so that every offset stays true.
"""

from __future__ import annotations

import csv
import io
import json
import re
import shlex
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from chunking.chunks import Chunk
from chunking.document import Document
from chunking.explain import verdicts
from chunking.installation import optional
from chunking.loading import TEXT_FORMATS
from chunking.params import Parameters
from chunking.strategies.base import Segmentation
from chunking.workspace import Tools

Row = dict[str, Any]

_SURROGATE = re.compile("[\ud800-\udfff]")


def encodable(text: str) -> str:
    """Return the text with U+FFFD for each lone surrogate, so that UTF-8 can hold it; as long as it was."""
    return text if text.isascii() else _SURROGATE.sub("\ufffd", text)


def nests(segmentation: Segmentation) -> bool:
    """Return whether chunks are parts of others."""
    return any(chunk.parent is not None for chunk in segmentation.chunks)


def chunk_row(chunk: Chunk, *, nested: bool = False, document: Document | None = None) -> Row:
    """Return a chunk as the command line prints it.

    ``text`` is the chunk's own span, without its overlap, which ``overlap.in_text`` says as well.

    Args:
        chunk: the chunk.
        nested: add the index of its parent.
        document: of a format that is not text: add where in the file the chunk comes from, and its pages.
    """
    row = {
        "index": chunk.index,
        "start": chunk.start,
        "end": chunk.end,
        "text": chunk.text,
        "overlap": {"start": chunk.overlap.start, "end": chunk.overlap.end, "in_text": False}
        if chunk.overlap
        else None,
        "tokens": chunk.tokens,
        "heading_path": list(chunk.heading_path),
        "cut": {"reason": chunk.cut.reason, "score": chunk.cut.score, "threshold": chunk.cut.threshold}
        if chunk.cut
        else None,
    }
    row |= {"parent": chunk.parent} if nested else {}
    return row | (_places(chunk, document) if document else {})


def _places(chunk: Chunk, document: Document) -> Row:
    """Where a chunk comes from: stretches of the source's parts, and its first and last page, counted from 1."""
    row: Row = {}
    if document.origin:
        parts, places = document.origin.parts, document.origin.places(chunk.start, chunk.end)
        row["source"] = [{"part": parts[part], "start": start, "end": end} for part, start, end in places]
    return row | _page_numbers(chunk, document)


def _page_numbers(chunk: Chunk, document: Document) -> Row:
    on = document.pages.of(chunk.start, chunk.end) if document.pages else range(0)
    return {"first_page": on[0] + 1, "last_page": on[-1] + 1} if on else {}


def chunk_rows(segmentation: Segmentation) -> list[Row]:
    """Return all chunks, in order; each has a ``parent`` where some have one, and where it comes from, where that is
    not the text itself.
    """
    nested = nests(segmentation)
    return [chunk_row(chunk, nested=nested, document=segmentation.document) for chunk in segmentation.chunks]


def gap_rows(segmentation: Segmentation) -> Iterator[Row]:
    """Yield all gaps, in order; ``boundary`` is what came out after the limits."""
    signals = segmentation.signals
    if signals is None:
        return
    spans = signals.sentences.spans.tolist()
    names = [feature.name for feature in signals.structure.features] if signals.structure else []
    for gap, verdict in enumerate(verdicts(segmentation)):
        values = signals.structure.values[gap].tolist() if signals.structure else []
        yield {
            "gap": gap,
            "offset": int(signals.offsets[gap]),
            "left": spans[gap],
            "right": spans[gap + 1],
            "semantic": float(signals.semantic[gap]),
            "structural": float(signals.structural[gap]),
            "structural_raw": float(signals.structural_raw[gap]),
            "fused": float(signals.fused[gap]),
            "threshold": signals.threshold.value,
            "boundary": verdict in ("cut", "forced"),
            "features": dict(zip(names, values, strict=True)),
        }


def limit_lines(segmentation: Segmentation) -> Iterator[str]:
    """Return what the limits did, a line each: removed cuts, and the notes of each chunk."""
    for cut in segmentation.suppressed:
        place = f"gap {cut.gap} at {cut.offset}" if cut.gap is not None else f"offset {cut.offset}"
        yield f"the cut of {place} was taken away by the limits"
    for chunk in segmentation.chunks:
        for note in chunk.notes:
            yield f"chunk {chunk.index}: {note}"


def jsonl(rows: Iterable[Row]) -> str:
    """Return a JSON object a line, in UTF-8 without escapes."""
    return "".join(encodable(json.dumps(row, ensure_ascii=False)) + "\n" for row in rows)


GAP_COLUMNS = (
    *("gap", "offset", "left_start", "left_end", "right_start", "right_end", "semantic", "structural"),
    *("structural_raw", "fused", "threshold", "boundary"),
)
"""Columns of the table of gaps, before those of the features."""

CHUNK_COLUMNS = (
    *("index", "start", "end", "text", "overlap_start", "overlap_end", "tokens", "heading_path"),
    *("cut_reason", "cut_score", "cut_threshold"),
)
"""Columns of the table of chunks."""


def table(rows: Sequence[Row], empty: Sequence[str]) -> str:
    """Return CSV with a header; nested values are spread over columns (``overlap_start``, ``cut_reason``, …).

    Args:
        rows: what to write.
        empty: the columns where there is no row.
    """
    flat = [_flat(row) for row in rows]
    columns = list(dict.fromkeys(name for row in flat for name in row)) or list(empty)
    out = io.StringIO()
    writer = csv.DictWriter(out, columns, lineterminator="\n", restval="")
    writer.writeheader()
    writer.writerows({name: _cell(value) for name, value in row.items()} for row in flat)
    return out.getvalue()


def _flat(row: Row) -> Row:
    flat: Row = {}
    for name, value in row.items():
        if name in ("overlap", "cut"):
            keys = ("start", "end") if name == "overlap" else ("reason", "score", "threshold")
            flat |= {f"{name}_{key}": (value or {}).get(key) for key in keys}
        elif name in ("left", "right"):
            flat |= {f"{name}_start": value[0], f"{name}_end": value[1]}
        elif isinstance(value, dict):
            flat |= value
        elif name == "source":
            flat[name] = "; ".join(f"{place['part']} {place['start']}–{place['end']}".strip() for place in value)
        elif isinstance(value, list):
            flat[name] = " › ".join(value)
        else:
            flat[name] = value
    return flat


_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def _cell(value: Any) -> Any:
    """Return a text that a spreadsheet would run as a formula is led by an apostrophe, which makes it text there."""
    if not isinstance(value, str):
        return value
    return encodable(f"'{value}" if value.startswith(_FORMULA) else value)


def parquet(segmentation: Segmentation) -> bytes:
    """Return the chunks as a Parquet file, a row each, with the same columns for every strategy.

    ``index``, ``start``, ``end``, ``tokens``, ``overlap_tokens`` (int64), ``text`` (string), ``heading_path`` and
    ``notes`` (lists of strings); and, null where a chunk has none, ``overlap_start``, ``overlap_end``, ``parent``
    (int64), ``cut_score``, ``cut_threshold`` (float64), ``cut_reason``, ``cut_detail`` and ``library_text`` (string),
    the last with what another library made of the span where that is not exactly its text. The file's own metadata
    name the document, the strategy and its parameters.
    """
    # Only who wants this format should wait for its import.
    arrow, files = (optional(name, "evaluation", "A Parquet file") for name in ("pyarrow", "pyarrow.parquet"))
    whole, real, text = arrow.int64(), arrow.float64(), arrow.string()
    types = {
        **dict.fromkeys(("index", "start", "end"), whole),
        "text": text,
        **dict.fromkeys(("overlap_start", "overlap_end", "tokens", "overlap_tokens"), whole),
        **dict.fromkeys(("heading_path", "notes"), arrow.list_(text)),
        **{"cut_reason": text, "cut_score": real, "cut_threshold": real, "cut_detail": text},
        **{"parent": whole, "library_text": text},
    }
    always = {"index", "start", "end", "text", "tokens", "overlap_tokens", "heading_path", "notes"}
    schema = arrow.schema([arrow.field(name, kind, name not in always) for name, kind in types.items()])
    about = {name: encodable(value) for name, value in _origin(segmentation).items()}
    rows = [_parquet_row(chunk) for chunk in segmentation.chunks]
    out = io.BytesIO()
    files.write_table(arrow.Table.from_pylist(rows, schema.with_metadata(about)), out)
    return out.getvalue()


def _parquet_row(chunk: Chunk) -> Row:
    overlap, cut = chunk.overlap, chunk.cut
    return {
        "index": chunk.index,
        "start": chunk.start,
        "end": chunk.end,
        "text": encodable(chunk.text),
        "overlap_start": overlap.start if overlap else None,
        "overlap_end": overlap.end if overlap else None,
        "tokens": chunk.tokens,
        "overlap_tokens": chunk.overlap_tokens,
        "heading_path": [encodable(title) for title in chunk.heading_path],
        "notes": list(chunk.notes),
        "cut_reason": cut.reason if cut else None,
        "cut_score": cut.score if cut else None,
        "cut_threshold": cut.threshold if cut else None,
        "cut_detail": encodable(cut.detail) if cut and cut.detail else None,
        "parent": chunk.parent,
        "library_text": encodable(chunk.foreign.text) if chunk.foreign else None,
    }


def _origin(segmentation: Segmentation) -> dict[str, str]:
    """Return the document's name, the strategy, and its parameters as ``NAME=VALUE;NAME=VALUE``."""
    return {
        "source": segmentation.document.name,
        "strategy": segmentation.strategy,
        "parameters": _parameters(segmentation.params),
    }


def _parameters(params: Parameters) -> str:
    """Return the differences from the defaults, as written after the strategy's name in a setting."""
    return ";".join(f"{name}={params.lookup(name).format(value)}" for name, value in params.changed().items())


def setting_text(segmentation: Segmentation) -> str:
    """Return the line that :func:`chunking.strategies.parse` turns back into the setting."""
    return f"{segmentation.strategy}:{_parameters(segmentation.params)}".rstrip(":")


def indexed_text(segmentation: Segmentation, chunk: Chunk) -> str:
    """Return the indexed text of a chunk: with its overlap, or as another library made it."""
    if chunk.foreign:
        return encodable(chunk.foreign.text)
    return encodable(segmentation.document.text[chunk.reach : chunk.end])


def chunk_metadata(segmentation: Segmentation) -> list[Row]:
    """Return the metadata of each chunk for a vector store: flat and never null, as most of them require.

    ``start_index`` and ``end_index`` are the span of the indexed text, overlap included, as LangChain means them;
    ``chunk_start`` and ``chunk_end`` are the chunk's own span, without its overlap. ``heading_path`` has the titles
    joined by ``›``; ``cut_reason`` is empty for the first chunk. Where chunks are parts of others each has its
    ``index``, and those that are parts the ``parent``; of a document with pages each has its ``first_page`` and
    ``last_page``; where another library changed some text, ``altered`` says of each chunk whether its text is not
    exactly that of its span.
    """
    nested, foreign = nests(segmentation), any(chunk.foreign for chunk in segmentation.chunks)
    rows = []
    for chunk in segmentation.chunks:
        row: Row = {
            "start_index": chunk.reach,
            "end_index": chunk.end,
            "chunk_start": chunk.start,
            "chunk_end": chunk.end,
            "heading_path": encodable(" › ".join(chunk.heading_path)),
            "tokens": chunk.tokens,
            "cut_reason": chunk.cut.reason if chunk.cut else "",
        }
        row |= {"index": chunk.index} if nested else {}
        row |= {"parent": chunk.parent} if chunk.parent is not None else {}
        row |= _page_numbers(chunk, segmentation.document)
        rows.append(row | ({"altered": chunk.foreign is not None} if foreign else {}))
    return rows


def langchain_rows(segmentation: Segmentation) -> list[Row]:
    """Return the chunks as LangChain keeps them: each row makes a ``langchain_core.documents.Document``.

    ``page_content`` is :func:`indexed_text`, ``metadata`` is :func:`chunk_metadata` with the document's name, the
    strategy and its parameters. The same document and setting give the same ``id``.
    """
    origin = {name: encodable(value) for name, value in _origin(segmentation).items()}
    given = zip(segmentation.chunks, chunk_metadata(segmentation), _ids(segmentation), strict=True)
    return [
        {
            "id": known,
            "page_content": indexed_text(segmentation, chunk),
            "metadata": origin | metadata,
            "type": "Document",
        }
        for chunk, metadata, known in given
    ]


def _ids(segmentation: Segmentation) -> list[str]:
    """Return a UUID for each chunk, of the document, the setting and the chunk's place; stores such as Qdrant ask for
    one.
    """
    whole = _document_id(segmentation)
    setting = setting_text(segmentation)
    names = [f"{setting}/{chunk.index}/{chunk.start}-{chunk.end}" for chunk in segmentation.chunks]
    return [str(uuid.uuid5(whole, name)) for name in names]


def _document_id(segmentation: Segmentation) -> uuid.UUID:
    document = segmentation.document
    return uuid.uuid5(uuid.NAMESPACE_OID, encodable(f"chunkscope/{document.key}/{document.name}"))


_SOURCE, _PREVIOUS, _NEXT, _PARENT, _CHILD = "12345"
_TEXT, _DOCUMENT = "14"
"""Values of LlamaIndex's ``NodeRelationship`` and ``ObjectType``."""


def neighbours(chunks: Sequence[Chunk]) -> list[tuple[int | None, int | None]]:
    """Return the chunk before and the chunk after each chunk, of those that are parts of the same one."""
    before: list[int | None] = [None] * len(chunks)
    after: list[int | None] = [None] * len(chunks)
    last: dict[int | None, int] = {}
    for place, chunk in enumerate(chunks):
        if chunk.parent in last:
            before[place] = last[chunk.parent]
            after[last[chunk.parent]] = place
        last[chunk.parent] = place
    return list(zip(before, after, strict=True))


def children(chunks: Sequence[Chunk]) -> Mapping[int, list[int]]:
    """Return the parts of each chunk that has any."""
    found: dict[int, list[int]] = {}
    for place, chunk in enumerate(chunks):
        if chunk.parent is not None:
            found.setdefault(chunk.parent, []).append(place)
    return found


def llama_index_rows(segmentation: Segmentation) -> list[Row]:
    """Return the chunks as LlamaIndex keeps them: each row is one for ``TextNode.from_dict``.

    ``text`` is :func:`indexed_text`; ``start_char_idx`` and ``end_char_idx`` are the span of that text, overlap
    included, as the library means them, and the metadata those of :func:`langchain_rows`. None of the metadata gets
    into what is embedded or shown to a model. Relationships: the source document, the neighbours among the parts of the
    same chunk, parent and children. The same document and setting give the same ``id_``.
    """
    origin = {name: encodable(value) for name, value in _origin(segmentation).items()}
    chunks, ids, parts = segmentation.chunks, _ids(segmentation), children(segmentation.chunks)
    source = _related(str(_document_id(segmentation)), _DOCUMENT, {"source": origin["source"]})
    rows = []
    for place, ((before, after), known) in enumerate(
        zip(neighbours(chunks), chunk_metadata(segmentation), strict=True)
    ):
        chunk, metadata = chunks[place], origin | known
        relationships: Row = {_SOURCE: source}
        for kind, other in ((_PREVIOUS, before), (_NEXT, after), (_PARENT, chunk.parent)):
            if other is not None:
                relationships[kind] = _related(ids[other])
        if place in parts:
            relationships[_CHILD] = [_related(ids[part]) for part in parts[place]]
        rows.append(
            {
                "id_": ids[place],
                "embedding": None,
                "metadata": metadata,
                "excluded_embed_metadata_keys": list(metadata),
                "excluded_llm_metadata_keys": list(metadata),
                "relationships": relationships,
                "text": indexed_text(segmentation, chunk),
                "mimetype": "text/plain",
                "start_char_idx": chunk.reach,
                "end_char_idx": chunk.end,
                "class_name": "TextNode",
            }
        )
    return rows


def _related(known: str, kind: str = _TEXT, metadata: Row | None = None) -> Row:
    return {
        "node_id": known,
        "node_type": kind,
        "metadata": metadata or {},
        "hash": None,
        "class_name": "RelatedNodeInfo",
    }


_NEEDS = "Needs chunkscope[models]."
_NEEDS_PEERS = "Needs chunkscope[models,peers]."


def python_code(segmentation: Segmentation, tools: Tools, path: str) -> str:
    """Return a program that makes the same chunks from the file at ``path``."""
    changed = segmentation.params.changed()
    kind = type(segmentation.params)
    arguments = "".join(f"    {name}={value!r},\n" for name, value in changed.items())
    setting = _tools_arguments(tools)
    return f"""\"\"\"Chunks of a document, as Chunkscope showed them. {_NEEDS}\"\"\"

from pathlib import Path

from chunking import load, run
{_load_import(segmentation.document)}from {kind.__module__} import {kind.__name__}
from chunking.embedding.vector_cache import default_cache
from chunking.workspace import Tools, Workspace

path = Path({path!r})
document = {_load_call(segmentation.document)}
params = {kind.__name__}({chr(10) + arguments if arguments else ""})
result = run({segmentation.strategy!r}, Workspace(document, Tools({setting}), default_cache()), params)

for chunk in result.chunks:
    print(chunk.start, chunk.end, chunk.tokens, repr(chunk.text[:60]))
"""


def _load_call(document: Document) -> str:
    """Return the call that loads the document again as it was loaded."""
    asked = ", ".join(f"{name}={value!r}" for name, value in document.load_options)
    params = f", params=LoadParameters({asked})" if asked else ""
    return f"load(path.read_bytes(), path.name, language={document.language!r}{params})"


def _load_import(document: Document) -> str:
    return "from chunking.loading import LoadParameters\n" if document.load_options else ""


def _rows_code(segmentation: Segmentation, tools: Tools, path: str, library: str, made: str) -> str:
    """Return a program for a document whose text is not its file: the layout that loading found is in no text."""
    return f"""\"\"\"Chunks of a document for {library}, as Chunkscope showed them. {_NEEDS_PEERS}\"\"\"

from pathlib import Path

{made}
from chunking import export, load, strategies
{_load_import(segmentation.document)}from chunking.embedding.vector_cache import default_cache
from chunking.workspace import Tools, Workspace

path = Path({path!r})
document = {_load_call(segmentation.document)}
setting = strategies.parse({setting_text(segmentation)!r})
result = setting.run(Workspace(document, Tools({_tools_arguments(tools)}), default_cache()))
"""


def langchain_code(segmentation: Segmentation, tools: Tools, path: str) -> str:
    """Return a program that makes the same chunks of the file at ``path`` by LangChain's own interface."""
    if segmentation.document.origin:
        made = "from langchain_core.documents import Document\n"
        return (
            _rows_code(segmentation, tools, path, "LangChain", made)
            + """
for row in export.langchain_rows(result):
    chunk = Document(id=row["id"], page_content=row["page_content"], metadata=row["metadata"])
    about = chunk.metadata
    print(about["start_index"], about["end_index"], about["tokens"], repr(chunk.page_content[:60]))
"""
        )
    return f"""\"\"\"Chunks of a document as LangChain documents, as Chunkscope showed them. {_NEEDS_PEERS}\"\"\"

from pathlib import Path

from langchain_core.documents import Document

from chunking import load
from chunking.adapters.langchain import ChunkscopeTextSplitter

path = Path({path!r})
text = load(path.read_bytes(), path.name).text
document = Document(page_content=text, metadata={{"source": path.name}})
splitter = ChunkscopeTextSplitter(
{_adapter_arguments(segmentation, tools)})

for chunk in splitter.split_documents([document]):
    about = chunk.metadata
    print(about["start_index"], about["end_index"], about["tokens"], repr(chunk.page_content[:60]))
"""


def llama_index_code(segmentation: Segmentation, tools: Tools, path: str) -> str:
    """Return a program that makes the same chunks of the file at ``path`` by LlamaIndex's own interface."""
    if segmentation.document.origin:
        made = "from llama_index.core.schema import TextNode\n"
        return (
            _rows_code(segmentation, tools, path, "LlamaIndex", made)
            + """
for row in export.llama_index_rows(result):
    node = TextNode.from_dict(row)
    about = node.metadata
    print(about["start_index"], about["end_index"], about["tokens"], repr(node.text[:60]))
"""
        )
    return f"""\"\"\"Chunks of a document as LlamaIndex nodes, as Chunkscope showed them. {_NEEDS_PEERS}\"\"\"

from pathlib import Path

from llama_index.core.schema import Document

from chunking import load
from chunking.adapters.llama_index import ChunkscopeNodeParser

path = Path({path!r})
text = load(path.read_bytes(), path.name).text
document = Document(text=text, metadata={{"file_name": path.name}})
parser = ChunkscopeNodeParser(
{_adapter_arguments(segmentation, tools)})

for node in parser.get_nodes_from_documents([document]):
    about = node.metadata
    print(about["start_index"], about["end_index"], about["tokens"], repr(node.text[:60]))
"""


CODE = {"Python": python_code, "LangChain": langchain_code, "LlamaIndex": llama_index_code}
"""The programs that a setting can be copied as, by what they are written for."""


def _adapter_arguments(segmentation: Segmentation, tools: Tools) -> str:
    document = segmentation.document
    values = {"setting": setting_text(segmentation), **_used(tools), "language": document.language}
    values |= {"format": document.format} if document.format in TEXT_FORMATS else {}
    return "".join(f"    {name}={value!r},\n" for name, value in values.items())


def _tools_arguments(tools: Tools) -> str:
    return ", ".join(f"{name}={value!r}" for name, value in _used(tools).items())


def _used(tools: Tools) -> dict[str, Any]:
    """Return the tools that are not the usual ones."""
    return {name: value for name, value in vars(tools).items() if value != getattr(Tools(), name)}


def command_line(segmentation: Segmentation, tools: Tools, path: str) -> str:
    """Return the command that prints the same chunks from the file at ``path``."""
    params = segmentation.params
    path = f"./{path}" if path.startswith("-") else path
    words = ["python", "-m", "chunking", "split", path, "--strategy", segmentation.strategy]
    for name, value in params.changed().items():
        words += ["-p", f"{name}={params.lookup(name).format(value)}"]
    for name, value in _used(tools).items():
        words += [f"--{name}", value]
    return shlex.join([*words, *_loading_words(segmentation.document)])


def _loading_words(document: Document) -> list[str]:
    """Return the options that load the document again as it was loaded."""
    return [
        "--language",
        document.language,
        *(word for name, value in document.load_options for word in (f"--{name}", value)),
    ]


def compare_line(settings: Sequence[str], tools: Tools, path: str, document: Document) -> str:
    """Return the command that compares settings, each in one line, on the file at ``path``."""
    path = f"./{path}" if path.startswith("-") else path
    words = ["python", "-m", "chunking", "compare", path, "--strategies", ",".join(settings)]
    for name, value in _used(tools).items():
        words += [f"--{name}", value]
    return shlex.join([*words, *_loading_words(document)])
