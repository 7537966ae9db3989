"""Files that are kept of a part between the steps: chunks, vectors, words, rankings, measures.

A file that is not whole (a disk that was full, a machine that stopped) counts as one that is not there: Parquet files
carry a checksum a page and the number of their rows, the others one an array, and all of it is looked at when they are
read.
"""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from chunking.batch.storage import storage
from chunking.errors import ChunkscopeError
from chunking.installation import optional
from chunking.runtime.arrays import Bools, Int64

Arrays = dict[str, npt.NDArray[Any]]

SCHEMA = 4
"""Version of what the files hold: another one makes all of them anew."""

KEY_BYTES = 16
NUMBERS = ("document", "start", "end", "reach", "tokens", "size")


@dataclass(frozen=True, eq=False)
class ChunkTable:
    """The chunks of a part under one setting; every array has an entry a chunk.

    Attributes:
        document: int64, place in the corpus, ascending.
        start, end: int64, half-open, in characters of the document.
        reach: int64, where what is retrieved begins: the overlap before the chunk belongs to it.
        tokens, size: int64, of the chunk, and of what is retrieved.
        searchable: bool, whether it is retrieved: white space alone is not.
        id: of its document.
        before: what is searched before the chunk's own text, as its heading path.
        key: of the searched text, see :func:`key`; empty where it is not retrieved.
        line: the chunk as JSON, as it is written out.
        failed: documents that the strategy could not cut: id and why.
        languages: how many documents were cut in each language, by code.
    """

    document: Int64
    start: Int64
    end: Int64
    reach: Int64
    tokens: Int64
    size: Int64
    searchable: Bools
    id: Sequence[str]
    before: Sequence[str]
    key: Sequence[bytes]
    line: Sequence[str]
    failed: tuple[tuple[str, str], ...] = ()
    languages: Mapping[str, int] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.document)

    @property
    def searchable_keys(self) -> list[bytes]:
        """The keys of the retrieved texts, in order."""
        return [key for key, is_searchable in zip(self.key, self.searchable.tolist(), strict=True) if is_searchable]


def write_rows(file: IO[bytes], parts: Iterable[Sequence[str]]) -> None:
    """Write chunks to a Parquet file, a row each and a row group a part, with the columns that their lines have.

    ``document``, ``text``, ``table_header`` and ``id`` are strings; ``index``, ``start``, ``end``, ``tokens``,
    ``parent``, ``first_page`` and ``last_page`` int64; ``overlap`` and ``cut`` structs as in the lines;
    ``heading_path`` a list of strings; ``source`` a list of structs. What a chunk lacks is null.

    Args:
        file: to write to.
        parts: lines of each.
    """
    arrow, parquet = (optional(name, "evaluation", "A Parquet file") for name in ("pyarrow", "pyarrow.parquet"))
    integer, real, text = arrow.int64(), arrow.float64(), arrow.string()
    span = [("start", integer), ("end", integer)]
    schema = arrow.schema(
        [
            ("document", text),
            *((name, integer) for name in ("index", "start", "end")),
            ("text", text),
            ("overlap", arrow.struct([*span, ("in_text", arrow.bool_())])),
            ("tokens", integer),
            ("heading_path", arrow.list_(text)),
            ("table_header", text),
            ("cut", arrow.struct([("reason", text), ("score", real), ("threshold", real)])),
            ("parent", integer),
            ("source", arrow.list_(arrow.struct([("part", text), *span]))),
            *((name, integer) for name in ("first_page", "last_page")),
            ("id", text),
        ]
    )
    with parquet.ParquetWriter(file, schema, compression="zstd", write_page_checksum=True) as out:
        for lines in parts:
            if lines:
                out.write_table(arrow.Table.from_pylist([json.loads(line) for line in lines], schema))


def key(text: str) -> bytes:
    """Return the key of a text in the files of vectors."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=KEY_BYTES).digest()


def write_chunks(path: str, chunks: ChunkTable) -> None:
    """Write the chunks of a part."""
    arrow, parquet = (optional(name, "evaluation", "A Parquet file") for name in ("pyarrow", "pyarrow.parquet"))
    columns = {name: getattr(chunks, name) for name in (*NUMBERS, "searchable", *_LISTS)}
    kinds = {name: arrow.int64() for name in NUMBERS} | {
        "searchable": arrow.bool_(),
        "id": arrow.string(),
        "before": arrow.string(),
        "key": arrow.binary(),
        "line": arrow.string(),
    }
    about = {"schema": SCHEMA, "rows": len(chunks), "failed": list(chunks.failed), "languages": dict(chunks.languages)}
    schema = arrow.schema(list(kinds.items()), metadata={_ABOUT: json.dumps(about)})
    table = arrow.table({name: arrow.array(columns[name], kinds[name]) for name in kinds}, schema=schema)
    out = io.BytesIO()
    parquet.write_table(table, out, compression="zstd", write_page_checksum=True)
    storage.write(path, out.getvalue())


_ABOUT = "chunkscope"
_LISTS = ("id", "before", "key", "line")


def read_chunks(path: str, columns: Sequence[str] | None = None) -> ChunkTable | None:
    """Return the chunks of a part, or some columns of them, the others empty; ``None`` where they are not there
    whole.
    """
    data = storage.read(path)
    if data is None:
        return None
    arrow, parquet = (optional(name, "evaluation", "A Parquet file") for name in ("pyarrow", "pyarrow.parquet"))
    try:
        column_list = list(columns) if columns is not None else None
        table = parquet.read_table(io.BytesIO(data), columns=column_list, page_checksum_verification=True)
        about = json.loads(table.schema.metadata[_ABOUT.encode()])
        failures = tuple((str(id), str(why)) for id, why in about["failed"])
        languages = {str(code): int(count) for code, count in about["languages"].items()}
        if about["schema"] != SCHEMA or about["rows"] != len(table):
            return None
    except (arrow.ArrowException, OSError, AttributeError, KeyError, TypeError, ValueError):
        return None
    arrays = {name: table.column(name).to_numpy() for name in table.column_names if name in (*NUMBERS, "searchable")}
    lists = {name: table.column(name).to_pylist() for name in table.column_names if name in _LISTS}
    none: dict[str, Any] = dict.fromkeys(NUMBERS, np.zeros(0, dtype=np.int64)) | {
        "searchable": np.zeros(0, dtype=np.bool_)
    }
    columns_read = none | dict.fromkeys(_LISTS, ()) | arrays | lists
    return ChunkTable(**columns_read, failed=failures, languages=languages)


def chunks(path: str, columns: Sequence[str] | None = None) -> ChunkTable:
    """Return the chunks of a part that was made before.

    Raises:
        ChunkscopeError: they are not there whole any more.
    """
    table = read_chunks(path, columns)
    if table is None:
        raise lost(path)
    return table


def lost(path: str) -> ChunkscopeError:
    """Return the error for a file that was whole and is not any more."""
    return ChunkscopeError(f"{path} was damaged or taken away during the run.", "Start the run again: it is made anew.")


def write_arrays(path: str, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
    """Write arrays, without compression."""
    out = io.BytesIO()
    np.savez(out, allow_pickle=False, **dict(arrays))
    storage.write(path, out.getvalue())


def read_arrays(path: str) -> Arrays | None:
    """Return the arrays of a file; ``None`` where they are not there whole."""
    data = storage.read(path)
    if data is None:
        return None
    try:
        with np.load(io.BytesIO(data), allow_pickle=False) as arrays:
            return {name: arrays[name] for name in arrays.files}
    except (zipfile.BadZipFile, OSError, EOFError, KeyError, ValueError):
        return None
