"""Files that hold several documents: tables of a data set, and Documents of LangChain.

- Parquet and Arrow files, a document a row;
- JSON Lines or JSON of LangChain's ``Document`` (``page_content``, ``metadata``);
- any JSON Lines in a folder of a data set of the Hugging Face Hub, which its card (``README.md``) shows.

A row becomes a file of its own, with a name and bytes, so whatever opens files opens rows. Rows that are pages of one
source in order, as loaders of PDFs give them, become one document with form feeds between them.
"""

from __future__ import annotations

import io
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any, NamedTuple

from chunking.errors import ChunkscopeError
from chunking.installation import optional
from chunking.loading.decode import decode
from chunking.runtime.structured import json_or_none

CARD = "README.md"
"""Name of the card of a data set."""

TEXT_COLUMNS = ("text", "page_content", "content", "document", "body", "article", "markdown", "contents", "passage")
"""Names of the column with the text, the likeliest first; else it is the one with the longest texts."""

TITLE_COLUMNS = ("title", "name", "file_name", "filename", "path", "source", "url", "id", "_id", "doc_id")
"""Names of the column with the name of a document, the likeliest first."""

_AUXILIARY = frozenset((CARD, "dataset_info.json", "dataset_infos.json", "state.json"))
_CARD_FIELDS = frozenset(("dataset_info", "configs", "task_categories", "size_categories", "annotations_creators"))
_TEXT_SUFFIXES = frozenset((".md", ".markdown", ".rst", ".txt", ".tex", ".html", ".htm"))
_LINES = (".jsonl", ".ndjson")
_SAMPLE = 100
_MAX_NAME = 80
HEAD = 65_536
"""Bytes of a card, or of JSON, that are looked at."""


MAX_ROWS = 100_000
"""Limit of the rows of a table."""

MAX_CHARACTERS = 200 * 2**20
"""Limit of the characters of all its texts: compressed tables may expand a thousandfold."""

_PARQUET = b"PAR1"
_ARROW = b"ARROW1"
_BATCH = 256

Row = dict[str, Any]


class Member(NamedTuple):
    """A document of a collection: its name, unique in it, and its bytes."""

    name: str
    data: bytes


def may_be_collection(data: bytes, name: str) -> bool:
    """Return whether a file looks like one that holds several documents, by its name and first bytes alone."""
    suffix = PurePosixPath(name).suffix.lower()
    return is_table(data, name) or suffix in _LINES or (suffix == ".json" and b'"page_content"' in data[:HEAD])


def is_collection(data: bytes, name: str, in_dataset: bool = False) -> bool:
    """Return whether a file holds several documents.

    Args:
        data: the file.
        name: its name.
        in_dataset: whether it is in a folder of a data set, see :func:`dataset_folders`.
    """
    if is_table(data, name):
        return True
    suffix = PurePosixPath(name).suffix.lower()
    if suffix in _LINES:
        first = data.lstrip().split(b"\n", 1)[0]
        return in_dataset or (b'"page_content"' in first and _is_document(json_or_none(first)))
    if not may_be_collection(data, name):
        return False
    value = json_or_none(data)
    return isinstance(value, list) and bool(value) and all(map(_is_document, value[:_SAMPLE]))


def documents(data: bytes, name: str) -> tuple[Member, ...]:
    """Return the documents of a collection, in order, without blank ones.

    Raises:
        ChunkscopeError: it is damaged or too large, or has no text.
    """
    table_rows = list(rows(data, name)) if is_table(data, name) else list(_json_rows(data, name))
    table_rows = [_flat(row) for row in table_rows]
    column = _text_column(table_rows)
    texts = [row | {"": row[column]} for row in table_rows if isinstance(row.get(column), str) and row[column].strip()]
    if not texts:
        columns = ", ".join(list(dict.fromkeys(key for row in table_rows[:_SAMPLE] for key in row))[:20]) or "none"
        raise ChunkscopeError(
            f"“{name}” has no column with text; its columns are: {columns}.",
            f"Name the column of the documents “{TEXT_COLUMNS[0]}”.",
        )
    return tuple(_name_rows(_join_pages(texts)))


def dataset_folders(files: Iterable[tuple[str, bytes]]) -> frozenset[str]:
    """Return the folders that are data sets, given the cards among some files by their paths."""
    return frozenset(
        PurePosixPath(path).parent.as_posix()
        for path, data in files
        if PurePosixPath(path).name == CARD and _is_card(data)
    )


def in_dataset(path: str, folders: frozenset[str]) -> bool:
    """Return whether a file is in a folder of a data set, or in a folder inside it."""
    return any(parent.as_posix() in folders for parent in PurePosixPath(path).parents)


def is_auxiliary(path: str, folders: frozenset[str]) -> bool:
    """Return whether a file only describes a data set, such as its card."""
    return PurePosixPath(path).name in _AUXILIARY and in_dataset(path, folders)


def _is_card(data: bytes) -> bool:
    """Return whether a README has the front matter of a card."""
    import yaml  # 20 ms, which most commands need not wait for

    parts = data[:HEAD].decode("utf-8", "replace").lstrip("\ufeff").split("---", 2)
    if len(parts) < 3 or parts[0].strip():
        return False
    try:
        front = yaml.safe_load(parts[1])
    except (yaml.YAMLError, RecursionError, ValueError):
        return False
    return isinstance(front, dict) and not _CARD_FIELDS.isdisjoint(key for key in front if isinstance(key, str))


# Parquet and Arrow ---------------------------------------------------------------------------------------------------
#
# Of their columns, only those with text, whole numbers and records are read; others, such as embeddings, are not
# decoded. Nothing larger than the limits is held in memory.


def is_table(data: bytes, name: str) -> bool:
    """Return whether a file is Parquet or Arrow: by its first bytes, or for a stream of Arrow by its suffix."""
    return data.startswith((_PARQUET, _ARROW)) or PurePosixPath(name).suffix.lower() in (".parquet", ".arrow")


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
        reader = ipc.open_file(data)
        batches: Iterator[Any] = (reader.get_batch(number) for number in range(reader.num_record_batches))
    else:
        reader = batches = ipc.open_stream(data)
    columns = [field.name for field in reader.schema if _is_read(field.type, arrow.types)]
    for batch in batches:
        # Offsets in a malicious file may lead out of its buffers.
        batch.validate(full=True)
        selection = batch.select(columns)
        yield from (selection.slice(start, _BATCH) for start in range(0, len(selection), _BATCH))


def _is_read(kind: Any, types: Any) -> bool:
    """Return whether a column is read: one with text, whole numbers, or records of such."""
    plain = kind.value_type if types.is_dictionary(kind) else kind
    if types.is_struct(plain):
        return True
    text = types.is_string(plain) or types.is_large_string(plain) or types.is_string_view(plain)
    return bool(text or types.is_integer(plain))


# Rows --------------------------------------------------------------------------------------------------------------


def _is_document(value: Any) -> bool:
    """Return whether a value is a Document of LangChain, perhaps with its constructor around it."""
    inner = value.get("kwargs", value) if isinstance(value, dict) else None
    return isinstance(inner, dict) and isinstance(inner.get("page_content"), str)


def _json_rows(data: bytes, name: str) -> Iterator[Row]:
    text = decode(data, name).text
    try:
        if PurePosixPath(name).suffix.lower() in _LINES:
            values: Iterable[Any] = (json.loads(line) for line in text.split("\n") if line.strip())
        else:
            values = json.loads(text)
        for number, value in enumerate(values, 1):
            if number > MAX_ROWS:
                raise ChunkscopeError(f"“{name}” has more than {MAX_ROWS:,} rows.", "Export fewer rows.")
            if isinstance(value, dict):
                yield value
    except (ValueError, RecursionError) as error:
        raise ChunkscopeError(f"“{name}” is not valid JSON Lines.", "Export it again.") from error


def _flat(row: Row) -> Row:
    """Return a row with the fields of its metadata beside its own, which come first."""
    inner = row.get("kwargs")
    row = inner if isinstance(inner, dict) and "page_content" in inner else row
    about = row.get("metadata")
    return {**about, **row} if isinstance(about, Mapping) else row


def _text_column(table_rows: Sequence[Row]) -> str:
    sample = table_rows[:_SAMPLE]
    lengths: Counter[str] = Counter()
    for row in sample:
        lengths.update({key: len(value) for key, value in row.items() if isinstance(value, str) and value.strip()})
    text_column = next((column for column in TEXT_COLUMNS if lengths[column]), None)
    return text_column or next((column for column, _ in lengths.most_common(1)), "")


def _join_pages(table_rows: Sequence[Row]) -> Iterator[Row]:
    """Yield the rows, those that are consecutive pages of one source as one."""
    pages: list[str] = []
    first: Row | None = None
    last: tuple[Any, int] | None = None
    for row in table_rows:
        source, page = row.get("source"), row.get("page")
        source_page = (source, page) if isinstance(source, str) and isinstance(page, int) else None
        if (
            first is None
            or source_page is None
            or last is None
            or source_page[0] != last[0]
            or source_page[1] != last[1] + 1
        ):
            if first is not None:
                yield first | {"": "\n\f\n".join(pages)}
            pages, first = [], row
        pages.append(row[""])
        last = source_page
    if first is not None:
        yield first | {"": "\n\f\n".join(pages)}


def _name_rows(table_rows: Iterable[Row]) -> Iterator[Member]:
    """Yield the documents under names that are unique and state their format."""
    used: Counter[str] = Counter()
    for number, row in enumerate(table_rows, 1):
        name = next((words for column in TITLE_COLUMNS if (words := _words(row.get(column)))), f"row {number}")
        stem, suffix = name[-_MAX_NAME:], _suffix(row)
        stem = stem.removesuffix(suffix)
        used[stem] += 1
        while used[stem] > 1 and used[f"{stem} ({used[stem]})"]:
            used[stem] += 1
        unique = stem if used[stem] == 1 else f"{stem} ({used[stem]})"
        used[unique] += unique != stem
        yield Member(f"{unique}{suffix}", row[""].encode("utf-8", "replace"))


def _suffix(row: Row) -> str:
    """Return the suffix of a text format that a path in the row has, else that of plain text."""
    for column in ("file_name", "filename", "path", "source", "title", "name"):
        suffix = PurePosixPath(_words(row.get(column))).suffix
        if suffix.lower() in _TEXT_SUFFIXES:
            return suffix
    return ".txt"


def _words(value: Any) -> str:
    """Return a name on one line, which may be a number."""
    right = isinstance(value, str) or (isinstance(value, int) and not isinstance(value, bool) and abs(value) < 10**18)
    return " ".join(str(value).split()) if right else ""
