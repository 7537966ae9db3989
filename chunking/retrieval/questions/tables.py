"""Tables of a data set: documents, questions or judgements as rows, in files of JSON Lines or Parquet.

A table is one file, or all files of a folder of its name, as data sets lie on public hubs. Every one is read as JSON
Lines: those that are compressed are unpacked as they are read, and a row of Parquet is the line that it would be there,
without the cells that hold nothing. So there is one reader of rows, and the same rows are the same set.

No file is held in memory: of Parquet one batch of rows is, of the columns that a data set may have.
"""

from __future__ import annotations

import gzip
import io
import json
import zlib
from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import PurePosixPath
from typing import IO, Any

from chunking.errors import ChunkscopeError
from chunking.installation import optional

PARQUET = ".parquet"
PACKED = ".gz"

ENDINGS = (".jsonl", f".jsonl{PACKED}", PARQUET)
"""Of the files of a table, in the order in which they are looked for."""

_IDS = ("_id", "id", "doc_id", "query-id", "corpus-id")
_WORDS = ("title", "text", "format", "lang", "corpus", "group", "origin")
_COLUMNS = (*_IDS, *_WORDS, "spans", "hidden", "score")
"""Columns that are read of Parquet: tables on hubs may also contain vectors."""

_BATCH = 256
_BUFFER = 1 << 20
_PIECES = 64
"""Pieces that a file which is read from its beginning, or a row group, is read in at most: each begins at the same
place, so that reading all of them costs half as many times as much as reading the whole once."""
_RATIO = 4
"""Approximate ratio of the size of text to that of its compressed file."""


def files(name: str, within: Callable[[str], Sequence[str]]) -> tuple[str, ...]:
    """Return the files of a table, in order; none where it is not there.

    Args:
        name: of the table: ``corpus`` is ``corpus.jsonl``, or another of :data:`ENDINGS`, or ``corpus/*.parquet``, …
        within: the names of the files that lie right in a folder below the data set's, ``""`` being its own.
    """
    names = set(within(""))
    single = next((f"{name}{ending}" for ending in ENDINGS if f"{name}{ending}" in names), None)
    if single:
        return (single,)
    return tuple(f"{name}/{file}" for file in sorted(within(name)) if file.endswith(ENDINGS))


def split_of(file: str) -> str:
    """Return the split that a file of judgements is for: ``test`` of ``qrels/test.tsv`` and of
    ``qrels/test-00000-of-00002.parquet``.
    """
    name = PurePosixPath(file).name
    ending = next((suffix for suffix in (*ENDINGS, ".tsv") if name.endswith(suffix)), "")
    first, *shard = name.removesuffix(ending).rsplit("-", 3)
    return first if len(shard) == 3 and shard[0].isdecimal() and shard[1] == "of" else name.removesuffix(ending)


def lines(file: IO[bytes], path: str, needs: Collection[str] = ()) -> Iterator[bytes]:
    """Yield the lines of a table's file, or of any other that holds text.

    Args:
        file: to read from.
        path: of it, for what it is and for errors.
        needs: columns that Parquet must have; ``_id`` is ``id`` as well.

    Raises:
        ChunkscopeError: Parquet lacks a column, has one of another type, or it or what is compressed is damaged.
        OSError: it cannot be read.
    """
    if path.endswith(PARQUET):
        yield from _Parquet(file, path, needs).lines()
    elif path.endswith(PACKED):
        read = 0
        try:
            for line in gzip.GzipFile(fileobj=file):
                read += 1
                yield line
        except _DAMAGED as error:
            raise _damage_error(path, f"after line {read}", error) from error
    else:
        yield from file


def stretch(file: IO[bytes], path: str, start: int, stop: int) -> bytes:
    """Return some lines of a table's file, as :func:`lines` gives them.

    Args:
        file: to read from.
        path: of it.
        start, stop: half-open, in bytes of the lines; of Parquet in rows.

    Raises:
        ChunkscopeError: as for :func:`lines`.
        OSError: it cannot be read.
    """
    if path.endswith(PARQUET):
        return b"".join(_Parquet(file, path).lines(start, stop))
    try:
        stream = gzip.GzipFile(fileobj=file) if path.endswith(PACKED) else file
        stream.seek(start)
        return stream.read(stop - start)
    except _DAMAGED as error:
        raise _damage_error(path, f"before byte {stop} of what it holds", error) from error


def units(path: str, line: bytes) -> int:
    """Return how much a line adds to the position in its file, in the unit of :func:`stretch`."""
    return 1 if path.endswith(PARQUET) else len(line)


def smallest(file: IO[bytes], path: str) -> int:
    """Return the bytes of lines that it pays to read at a time: 1 where a file can be read from any place of it on."""
    if path.endswith(PARQUET):
        return _Parquet(file, path).largest_group // _PIECES or 1
    if path.endswith(PACKED):
        size = file.seek(0, io.SEEK_END)
        file.seek(0)
        return size * _RATIO // _PIECES or 1
    return 1


_DAMAGED = (gzip.BadGzipFile, EOFError, zlib.error)


def _damage_error(path: str, where: str, error: Exception) -> ChunkscopeError:
    message = " ".join(str(error).split())
    return ChunkscopeError(f"{path} is damaged {where}: {message:.200}.", "Fetch it again.")


class _Parquet:
    """Rows of a Parquet file.

    Args:
        file: to read from.
        path: of it.
        needs: columns that must be there.
    """

    def __init__(self, file: IO[bytes], path: str, needs: Collection[str] = ()) -> None:
        arrow, parquet = (optional(name, "evaluation", "A Parquet file") for name in ("pyarrow", "pyarrow.parquet"))
        self._path = path
        self._errors: tuple[type[Exception], ...] = (arrow.ArrowException, OSError)
        try:
            # Through a buffer, a batch at a time: a row group may be as large as the file.
            self._file: Any = parquet.ParquetFile(
                file, buffer_size=_BUFFER, pre_buffer=False, page_checksum_verification=True
            )
            self._schema = self._file.schema_arrow
        except self._errors as error:
            raise _damage_error(path, "or no Parquet", error) from error
        self._columns = [name for name in _COLUMNS if name in self._schema.names]
        for name in needs:
            self._need(name)
        for name in self._columns:
            self._check(name, arrow.types)

    @property
    def largest_group(self) -> int:
        """Bytes of the largest row group, unpacked."""
        about = self._file.metadata
        return max((about.row_group(number).total_byte_size for number in range(about.num_row_groups)), default=0)

    def lines(self, start: int = 0, stop: int | None = None) -> Iterator[bytes]:
        """Yield some rows, each as a line of JSON."""
        row = 0
        for group in range(self._file.metadata.num_row_groups):
            rows = self._file.metadata.row_group(group).num_rows
            if row + rows > start and (stop is None or row < stop):
                yield from self._of_group(group, row, start, stop)
            row += rows

    def _of_group(self, group: int, row: int, start: int, stop: int | None) -> Iterator[bytes]:
        batches = self._file.iter_batches(_BATCH, [group], self._columns, use_threads=False)
        while stop is None or row < stop:
            try:
                batch = next(batches, None)
            except self._errors as error:
                raise _damage_error(self._path, f"after row {row}", error) from error
            if batch is None:
                return
            for number, value in self._rows(batch, row, start, stop):
                yield self._line({name: cell for name, cell in value.items() if cell is not None}, number)
            row += len(batch)

    def _line(self, row: dict[str, Any], number: int) -> bytes:
        try:
            return json.dumps(row).encode() + b"\n"
        except (TypeError, ValueError) as error:
            raise _damage_error(self._path, f"in row {number}", error) from error

    def _rows(self, batch: Any, row: int, start: int, stop: int | None) -> Iterator[tuple[int, dict[str, Any]]]:
        """Yield the rows of a batch that lie in a stretch: number from 1, row."""
        low = max(start - row, 0)
        high = len(batch) if stop is None else min(stop - row, len(batch))
        if low >= high:
            return
        try:
            rows = batch.slice(low, high - low).to_pylist()
        except UnicodeDecodeError:
            rows = [self._row(batch, index, row + index + 1) for index in range(low, high)]
        yield from enumerate(rows, row + low + 1)

    def _row(self, batch: Any, index: int, number: int) -> dict[str, Any]:
        try:
            row: dict[str, Any] = batch.slice(index, 1).to_pylist()[0]
        except UnicodeDecodeError as error:
            raise ChunkscopeError(
                f"{self._path} has text in row {number} that is not UTF-8.", "Save it anew."
            ) from error
        return row

    def _need(self, name: str) -> None:
        if name in self._columns or (name == "_id" and "id" in self._columns):
            return
        columns = ", ".join(self._schema.names[:20]) or "none"
        raise ChunkscopeError(f"{self._path} has no column {name!r}.", f"Rename one; it has {columns}.")

    def _check(self, name: str, types: Any) -> None:
        kind = self._schema.field(name).type
        plain = kind.value_type if types.is_dictionary(kind) else kind
        text = (
            types.is_null(plain)
            or types.is_string(plain)
            or types.is_large_string(plain)
            or types.is_string_view(plain)
        )
        number = types.is_integer(plain)
        if name in _WORDS:
            right, expected = text, "text"
        elif name in _IDS:
            right, expected = text or number, "text or whole numbers"
        elif name == "score":
            right, expected = text or number or types.is_floating(plain), "numbers"
        else:
            right, expected = _is_nested(plain, types), "lists of [start, end]"
        if not right:
            raise ChunkscopeError(
                f"The column {name!r} of {self._path} holds {kind} and not {expected}, from row 1 on.",
                f"Save it as {expected}.",
            )


def _is_nested(kind: Any, types: Any) -> bool:
    """Return whether a type is that of lists of lists of whole numbers."""
    for _ in range(2):
        if not (types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind)):
            return False
        kind = kind.value_type
    return bool(types.is_integer(kind))
