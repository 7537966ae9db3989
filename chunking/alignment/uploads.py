"""The user's own chunks: files of other pipelines, read as pieces to align with the document.

Supported formats are JSON (a list, or an object with a list somewhere inside), JSON Lines, CSV and TSV, Parquet, text
with separators, and exports of vector stores (:mod:`chunking.alignment.rows`). The suffix of the name decides; if it
is unknown or that of text, the content does. The fields of the text and its offsets are recognised by the names that
LangChain, LlamaIndex and others use; see :mod:`chunking.alignment.rows`.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator, Sequence
from pathlib import PurePath
from typing import Any

from chunking.alignment.pieces import Piece
from chunking.alignment.rows import TEXT_FIELDS, Row, columns_as_rows, find_field, from_rows, pages_as_rows, plain_name
from chunking.errors import ChunkscopeError
from chunking.loading import dataset
from chunking.loading.decode import decode
from chunking.runtime import structured
from chunking.runtime.patterns import compile_pattern

_JSON_START = compile_pattern(r"\s*(\[\s*[\[{\"]|\{\s*\")")
_FIELD_SEPARATOR = compile_pattern(r"[,;\t|]")
_COLUMN_NAME = compile_pattern(r"[^\W\d][\w .-]{0,39}")

LIST_FIELDS: tuple[str, ...] = ("chunks", "documents", "docs", "nodes", "passages", "segments", "splits", "data")
"""Names of the list of pieces, if an object has several lists."""

SEPARATORS: tuple[tuple[str, re.Pattern[str]], ...] = (
    (
        "tokens such as <|chunk|>",
        compile_pattern(r"<\|[^|<>\n]{1,40}\|>|<(?:chunk|split|sep)\s*/?>|\[(?:CHUNK|SPLIT|SEP)\]"),
    ),
    ("form feeds", compile_pattern(r"\f")),
    ("lines of equal signs", compile_pattern(r"^[ \t]*={3,}[ \t]*\r?$", re.MULTILINE)),
    ("lines of hashes", compile_pattern(r"^[ \t]*#{3,}[ \t]*\r?$", re.MULTILINE)),
    ("lines of asterisks", compile_pattern(r"^[ \t]*\*{3,}[ \t]*\r?$", re.MULTILINE)),
    ("lines of dashes", compile_pattern(r"^[ \t]*-{3,}[ \t]*\r?$", re.MULTILINE)),
    ("blank lines", compile_pattern(r"\n[^\S\n]*\n\s*")),
)
"""Separators of pieces in a text: only the first that gives more than one piece is used.

Separators that rarely occur in plain text come first; a line of dashes may be a rule of Markdown, and nearly every text
has blank lines.
"""

LIMIT = structured.SizeLimit(32 * 2**20)
"""Limit of a file of chunks, and of the values of its JSON."""

MAX_DIGITS = 18
"""Limit of the digits of an offset."""

_INTEGER = compile_pattern(rf"[0-9]{{1,{MAX_DIGITS}}}")

_SUFFIXES: dict[str, str] = {".json": "json", ".jsonl": "jsonl", ".ndjson": "jsonl", ".csv": "csv", ".tsv": "csv"}
_FIELD_LIMIT = 2**31 - 1
_REMEDY = "Upload chunks as JSON, JSON Lines, CSV, Parquet or text with separators."


def read(data: bytes, name: str) -> tuple[Piece, ...]:
    """Read the pieces in a file.

    Args:
        data: the whole file.
        name: name of the file; its suffix decides the format, and error messages mention it.

    Returns:
        The pieces in the order of the file, without blank ones. An offset that is not an integer is ``None``; offsets
        are not verified here.

    Raises:
        ChunkscopeError: the file is too large or not text, does not match its suffix, or has no chunk with text.
    """
    structured.check_file(data, name, LIMIT)
    if dataset.is_table(data, name):
        return _not_blank(from_rows(list(dataset.rows(data, name)), name), name)
    try:
        text = decode(data, name).text
    except ChunkscopeError as error:
        raise ChunkscopeError(error.problem, _REMEDY) from error
    suffix = PurePath(name).suffix.lower()
    kind = _SUFFIXES.get(suffix) or _guess_format(text, prose=suffix in (".txt", ".md", ".markdown"))
    try:
        pieces = _READERS[kind](text, name)
    except RecursionError:
        raise ChunkscopeError(f"“{name}” is nested too deeply.", "Upload a flat list of chunks.") from None
    return _not_blank(pieces, name)


def _not_blank(pieces: Sequence[Piece], name: str) -> tuple[Piece, ...]:
    nonblank_pieces = tuple(piece for piece in pieces if piece.text.strip())
    if not nonblank_pieces:
        raise ChunkscopeError(f"“{name}” contains no chunks.", _REMEDY)
    return nonblank_pieces


def _guess_format(text: str, prose: bool) -> str:
    """Return the format that the content looks like: ``"json"``, ``"jsonl"``, ``"csv"`` or ``"text"``.

    A file with a text suffix is never CSV, and JSON only if it parses.
    """
    start = text.lstrip()[:1]
    if start and start in "[{":
        lines = [line for line in text.splitlines() if line.strip()]
        for kind, part in (("json", text), ("jsonl", lines[0])):
            if _is_json(part):
                return kind
        if not prose and _JSON_START.match(text):
            return "json"
    elif start == '"' and _is_json(text.lstrip().split("\n", 1)[0].strip()) and not prose:
        return "jsonl"
    return "csv" if not prose and _is_table(text) else "text"


def _is_json(text: str) -> bool:
    try:
        structured.load_json(text, parse_int=str)
    except ValueError:
        return False
    except RecursionError:
        return True
    return True


def _is_table(text: str) -> bool:
    """Return whether the first line is a header with the name of a text field."""
    header = text.lstrip("\n\r").split("\n", 1)[0]
    names = {plain_name(field) for field in _FIELD_SEPARATOR.split(header)}
    return len(names) > 1 and bool(names & set(TEXT_FIELDS))


# JSON --------------------------------------------------------------------------------------------------------------


def _integer(digits: str) -> int | float:
    return int(digits) if len(digits) <= MAX_DIGITS else float("inf")


def _parse_json(text: str, name: str, line: int = 0) -> Any:
    """Parse a JSON value; ``line`` is the number of lines before it."""
    try:
        return structured.load_json(text, parse_int=_integer)
    except json.JSONDecodeError as error:
        position = f"line {line + error.lineno}, column {error.colno}"
        problem = f"“{name}” is not valid JSON at {position}: {error.msg}."
        raise ChunkscopeError(problem, "Correct it there, or export it with a JSON library.") from None
    except structured.StructureError as error:
        raise ChunkscopeError(f"“{name}” is too large: {error}.", "Split it into several files.") from None


def _from_json(text: str, name: str) -> tuple[Piece, ...]:
    try:
        value = _parse_json(text, name)
    except ChunkscopeError:
        # JSON Lines may have the suffix .json.
        lines = [line for line in text.splitlines() if line.strip()]
        if len(lines) < 2 or not _is_json(lines[0]) or not _is_json(lines[1]):
            raise
        return _from_lines(text, name)
    return from_rows(_list_in(value, name), name)


def _from_lines(text: str, name: str) -> tuple[Piece, ...]:
    # A JSON text may contain U+2028 and the like, at which str.splitlines() would split it.
    lines = enumerate(text.split("\n"))
    values = [_parse_json(line, name, number) for number, line in lines if line.strip()]
    if len(values) == 1:
        return from_rows(_list_in(values[0], name), name)
    return from_rows(pages_as_rows(values), name)


def _list_in(value: Any, name: str) -> Sequence[Any]:
    """Return the list of pieces: the value itself, or the likeliest list inside."""
    columns = columns_as_rows(value)
    if columns is not None:
        return columns
    if isinstance(value, list):
        return pages_as_rows(value)
    if not isinstance(value, dict):
        raise ChunkscopeError(f"“{name}” contains a single value, not a list of chunks.", _REMEDY)
    level: list[Row] = [value]
    while level:
        lists = [
            (key, inside)
            for row in level
            for key, inside in _by_likelihood(row)
            if isinstance(inside, list) and _has_pieces(inside)
        ]
        if lists:
            return lists[0][1]
        if any(find_field(row, TEXT_FIELDS, str) for row in level):
            return level
        level = [inside for row in level for inside in _inner_rows(row)]
    fields = ", ".join(list(value)[:20]) or "none"
    raise ChunkscopeError(
        f"“{name}” contains no list of chunks; its fields are: {fields}.",
        "Put the chunks, as texts or as objects with a text, into one list.",
    )


def _by_likelihood(row: Row) -> list[tuple[str, Any]]:
    """Return the fields of an object, those with a usual name of a list of chunks first."""
    ranks = {key: rank for rank, key in enumerate(LIST_FIELDS)}
    return sorted(row.items(), key=lambda item: ranks.get(plain_name(item[0]), len(ranks)))


def _has_pieces(values: list[Any]) -> bool:
    return bool(values) and all(isinstance(value, (str, dict)) for value in values[:20])


def _inner_rows(row: Row) -> Iterator[Row]:
    """Yield the objects in an object; a mapping of ids to objects, such as a docstore, yields all of them."""
    for _, inside in _by_likelihood(row):
        if isinstance(inside, dict):
            yield inside


# CSV ---------------------------------------------------------------------------------------------------------------


def _from_table(text: str, name: str) -> tuple[Piece, ...]:
    records = _records(text, name)
    if not records:
        return ()
    header = records[0] if _is_header(records) else []
    body = records[1:] if header else records
    width = max(map(len, records))
    if width == 1:
        return tuple(Piece(record[0]) for record in body)
    keys = [field or f"column {number}" for number, field in enumerate([*header, *[""] * (width - len(header))], 1)]
    rows = [{key: _cell(value) for key, value in zip(keys, record, strict=False)} for record in body]
    if not rows:
        raise ChunkscopeError(f"“{name}” has a header but no rows.", "Write a row for each chunk.")
    # A chunk that looks like a number is kept as text.
    text_field = next((key for field in TEXT_FIELDS for key in keys if plain_name(key) == field), None)
    for row, record in zip(rows, body, strict=True):
        if text_field in row:
            row[text_field] = record[keys.index(text_field)]
    return from_rows(rows, name)


def _is_header(records: Sequence[Sequence[str]]) -> bool:
    """Return whether the first record names the columns: by a known name, or by short names over longer cells."""
    first = records[0]
    if {plain_name(cell) for cell in first} & set(TEXT_FIELDS):
        return True
    longest = max(len(cell) for record in records[1:101] for cell in record) if len(records) > 1 else 0
    return all(_COLUMN_NAME.fullmatch(cell.strip()) for cell in first) and longest > 2 * max(map(len, first))


def _cell(value: str) -> str | int:
    digits = value.strip()
    return int(digits) if _INTEGER.fullmatch(digits) else value


def _records(text: str, name: str) -> list[list[str]]:
    """Return the rows of a table that are not blank."""
    # The limit is global to the process; to restore it would change it for other threads.
    csv.field_size_limit(_FIELD_LIMIT)
    try:
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=_delimiter(text, name))
        return [record for record in reader if any(cell.strip() for cell in record)]
    except csv.Error as error:
        problem = f"“{name}” is not a readable table: {error}."
        raise ChunkscopeError(problem, "Export it with a CSV library, in UTF-8.") from None


def _delimiter(text: str, name: str) -> str:
    """Return the delimiter: by the suffix, by a header with a text field, else by csv's own guess."""
    if name.lower().endswith(".tsv"):
        return "\t"
    header = text.lstrip("\n\r").split("\n", 1)[0]
    text_fields = set(TEXT_FIELDS)
    for sign in ",\t;|":
        names = {plain_name(field) for field in header.split(sign)}
        if sign in header and names & text_fields:
            return sign
    if plain_name(header) in text_fields:
        return ","
    try:
        return csv.Sniffer().sniff(text[:20_000], ",;\t|").delimiter
    except csv.Error:
        return ","


# Text --------------------------------------------------------------------------------------------------------------


def _from_text(text: str, name: str) -> tuple[Piece, ...]:
    for _, separator in SEPARATORS:
        parts = [part.strip("\r\n") for part in separator.split(text)]
        parts = [part for part in parts if part.strip()]
        if len(parts) > 1:
            return tuple(Piece(part) for part in parts)
    return (Piece(text.strip("\r\n")),)


_READERS = {"json": _from_json, "jsonl": _from_lines, "csv": _from_table, "text": _from_text}
