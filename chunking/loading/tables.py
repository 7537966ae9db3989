"""Rows of tables in Parquet and Arrow files, of which only columns with text, whole numbers and records are read.

Other columns, such as embeddings, are not decoded. Nothing larger than the limits is held in memory.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import PurePath
from typing import Any

from chunking.errors import ChunkscopeError
from chunking.installation import optional

MAX_ROWS = 100_000
"""Limit of the rows of a table."""

MAX_CHARACTERS = 200 * 2**20
"""Limit of the characters of all its texts: compressed tables may expand a thousandfold."""

_PARQUET = b"PAR1"
_ARROW = b"ARROW1"
_BATCH = 256

Row = dict[str, Any]


def is_table(data: bytes, name: str) -> bool:
    """Return whether a file is Parquet or Arrow: by its first bytes, or for a stream of Arrow by its suffix."""
    return data.startswith((_PARQUET, _ARROW)) or PurePath(name).suffix.lower() in (".parquet", ".arrow")


def rows(data: bytes, name: str) -> Iterator[Row]:
    """Yield the rows of a Parquet or Arrow file, as far as they are text, whole numbers or records.

    Raises:
        ChunkscopeError: it is damaged or too large, or pyarrow is not installed.
    """
    arrow = optional("pyarrow", "evaluation", "A Parquet or Arrow file")
    count = characters = 0
    try:
        for batch in _batches(data, arrow):
            for row in batch.to_pylist():
                count += 1
                characters += sum(len(value) for value in row.values() if isinstance(value, str))
                if count > MAX_ROWS or characters > MAX_CHARACTERS:
                    raise ChunkscopeError(
                        f"“{name}” has more than {MAX_ROWS:,} rows, or {MAX_CHARACTERS // 2**20} MiB of text.",
                        "Export fewer rows.",
                    )
                yield row
    except (arrow.ArrowException, OSError, UnicodeDecodeError, OverflowError) as error:
        raise ChunkscopeError(
            f"“{name}” is damaged, or not a Parquet or Arrow file: {' '.join(str(error).split()):.120}.",
            "Export it again.",
        ) from error


def _batches(data: bytes, arrow: Any) -> Iterator[Any]:
    if data.startswith(_PARQUET):
        parquet = optional("pyarrow.parquet", "evaluation", "A Parquet file")
        file = parquet.ParquetFile(io.BytesIO(data), page_checksum_verification=True)
        columns = [field.name for field in file.schema_arrow if _is_read(field.type, arrow.types)]
        yield from file.iter_batches(_BATCH, columns=columns, use_threads=False)
        return
    ipc = optional("pyarrow.ipc", "evaluation", "An Arrow file")
    if data.startswith(_ARROW):
        opened = ipc.open_file(data)
        batches: Iterator[Any] = (opened.get_batch(number) for number in range(opened.num_record_batches))
    else:
        opened = batches = ipc.open_stream(data)
    columns = [field.name for field in opened.schema if _is_read(field.type, arrow.types)]
    for batch in batches:
        # Offsets in a malicious file may lead out of its buffers.
        batch.validate(full=True)
        wanted = batch.select(columns)
        yield from (wanted.slice(start, _BATCH) for start in range(0, len(wanted), _BATCH))


def _is_read(kind: Any, types: Any) -> bool:
    """Return whether a column is read: one with text, whole numbers, or records of such."""
    plain = kind.value_type if types.is_dictionary(kind) else kind
    if types.is_struct(plain):
        return True
    text = types.is_string(plain) or types.is_large_string(plain) or types.is_string_view(plain)
    return bool(text or types.is_integer(plain))
