"""Safe serialisation of a loader's result, from the parser's process to its parent.

Pickle would let a compromised parser run code in the parent. Here a JSON header is followed by texts and arrays of
known types, and :func:`unpack` trusts nothing: every type, length, span and order is checked, so that the result either
satisfies :mod:`chunking.document` or is rejected.

Frames (one byte for the kind, eight for the length, big-endian, then the payload) carry it through a pipe.
"""

from __future__ import annotations

import json
import math
import re
import struct
from collections.abc import Iterable, Sequence
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from chunking.document import BLOCK_KINDS, Aside, Block, Style
from chunking.document.origin import Origin
from chunking.document.pages import Pages
from chunking.loading.parsed import Parsed
from chunking.runtime.arrays import Bools

MAX_FRAME = 256 * 1024 * 1024
"""Limit of the bytes of a frame, and of all frames of a file."""

MAX_TEXT = 20 * 1024 * 1024
"""Limit of the bytes (UTF-8) of the text of a file."""

_FRAME = struct.Struct(">cQ")
_LENGTH = struct.Struct(">Q")
_SURROGATE = re.compile("[\ud800-\udfff]")
_LANGUAGE = re.compile(r"(?:[a-z]{2,3})?")
_LEVELLED = np.array([kind in ("heading", "list_item", "quote") for kind in BLOCK_KINDS])
_PAGE_BREAK = BLOCK_KINDS.index("page_break")

_Array = npt.NDArray[Any]


class WireError(ValueError):
    """Received data is not valid."""


class TooMuch(WireError):
    """Received or outgoing data exceeds the limits."""


def write(stream: IO[bytes], kind: bytes, payload: bytes) -> None:
    """Write a frame; ``kind`` is one byte."""
    stream.write(_FRAME.pack(kind, len(payload)))
    stream.write(payload)
    stream.flush()


def read(stream: IO[bytes], limit: int = MAX_FRAME) -> tuple[bytes, bytes] | None:
    """Read the next frame and return its kind and payload; ``None`` at the end of the stream.

    Raises:
        TooMuch: its stated length exceeds ``limit`` bytes.
        WireError: the stream ends inside the frame.
    """
    head = stream.read(_FRAME.size)
    if not head:
        return None
    if len(head) < _FRAME.size:
        raise WireError("half a frame")
    kind, length = _FRAME.unpack(head)
    if length > limit:
        raise TooMuch(f"a frame of {length} bytes")
    payload = stream.read(length)
    if len(payload) < length:
        raise WireError("half a frame")
    return kind, payload


def to_json(value: object) -> bytes:
    """Return JSON in UTF-8; lone surrogates, which UTF-8 cannot encode, become U+FFFD."""
    return _clean(json.dumps(value, ensure_ascii=False, allow_nan=False)).encode()


def from_json(data: bytes) -> Any:
    """Parse the output of :func:`to_json`; raise :class:`WireError` if it is not JSON."""
    try:
        return json.loads(data.decode())
    except (ValueError, RecursionError) as error:
        raise WireError("a header that is not JSON") from error


def pack(parsed: Parsed) -> bytes:
    """Serialise a loader's result.

    Raises:
        TooMuch: its text exceeds :data:`MAX_TEXT`, or the whole :data:`MAX_FRAME`.
    """
    origin, pages, blocks = parsed.origin, parsed.pages, parsed.blocks
    texts = [_clean(text).encode() for text in (parsed.text, *(origin.texts if origin else ()))]
    if len(texts[0]) > MAX_TEXT:
        raise TooMuch("text")
    arrays = _arrays(parsed)
    header = {
        "texts": [len(text) for text in texts],
        "arrays": {name: list(array.shape) for name, array in arrays.items()},
        "notes": parsed.notes,
        "language": parsed.language,
        "asides": parsed.aside,
        "titles": {place: block.title for place, block in enumerate(blocks) if block.title},
        "tags": {place: block.tags for place, block in enumerate(blocks) if block.tags},
        "origin": {"unit": origin.unit, "parts": origin.parts} if origin else None,
        "pages": pages is not None,
    }
    head = to_json(header)
    chunks = [_LENGTH.pack(len(head)), head, *texts, *(array.tobytes() for array in arrays.values())]
    if sum(map(len, chunks)) > MAX_FRAME:
        raise TooMuch("all of it")
    return b"".join(chunks)


def unpack(data: bytes) -> Parsed:
    """Deserialise and validate the output of :func:`pack`.

    Raises:
        WireError: anything in it violates :mod:`chunking.document`.
    """
    if len(data) < _LENGTH.size:
        raise WireError("no header")
    (length,) = _LENGTH.unpack_from(data)
    place = _LENGTH.size + length
    header = _mapping(from_json(data[_LENGTH.size : place]))
    texts, place = _texts(header, data, place)
    arrays = _unpack_arrays(header, data, place)
    text = texts[0]
    if len(text) > MAX_TEXT:
        raise TooMuch("text")
    origin = _origin(header, text, tuple(texts[1:]), arrays)
    pages = _pages(text, arrays) if header.get("pages") is True else None
    language = _string(header.get("language"))
    if not _LANGUAGE.fullmatch(language):
        raise WireError("language")
    return Parsed(
        text=text,
        blocks=_blocks(header, text, arrays),
        notes=_strings(header.get("notes")),
        origin=origin,
        pages=pages,
        aside=_asides(header, len(origin.parts) if origin else 1),
        language=language,
    )


def _clean(text: str) -> str:
    return _SURROGATE.sub("\ufffd", text)


_TYPES: dict[str, tuple[str, tuple[int, ...]]] = {
    "blocks": ("<i8", (5,)),
    "styles": ("<f8", (6,)),
    "runs": ("<i8", (5,)),
    "sizes": ("<f4", (2,)),
    "starts": ("<i8", ()),
    "words": ("<i8", (2,)),
    "page": ("<i8", ()),
    "line": ("<i8", ()),
    "boxes": ("<f4", (4,)),
}
"""The type of each array, and its shape after the first axis."""


def _arrays(parsed: Parsed) -> dict[str, _Array]:
    rows = [
        (BLOCK_KINDS.index(block.kind), block.start, block.end, block.level, block.content) for block in parsed.blocks
    ]
    styles = [
        (place, style.size, style.bold, style.italic, style.space_before, style.indent)
        for place, style in enumerate(block.style for block in parsed.blocks)
        if style
    ]
    found: dict[str, Any] = {"blocks": rows, "styles": styles}
    if parsed.origin:
        found["runs"] = parsed.origin.runs
    if parsed.pages:
        found |= {name: getattr(parsed.pages, name) for name in ("sizes", "starts", "words", "page", "line", "boxes")}
    return {name: np.asarray(rows, dtype=_TYPES[name][0]).reshape(-1, *_TYPES[name][1]) for name, rows in found.items()}


def _texts(header: dict[str, Any], data: bytes, place: int) -> tuple[list[str], int]:
    texts = []
    for length in _whole_numbers(header.get("texts")):
        piece = data[place : place + length]
        if len(piece) < length:
            raise WireError("half a text")
        try:
            texts.append(piece.decode())
        except UnicodeDecodeError as error:
            raise WireError("a text that is not UTF-8") from error
        place += length
    if not texts:
        raise WireError("no text")
    return texts, place


def _unpack_arrays(header: dict[str, Any], data: bytes, place: int) -> dict[str, _Array]:
    arrays: dict[str, _Array] = {}
    for name, shape in _mapping(header.get("arrays")).items():
        if name not in _TYPES:
            raise WireError("an array with an unknown name")
        kind, rest = _TYPES[name]
        sizes = _whole_numbers(shape)
        if len(sizes) != 1 + len(rest) or tuple(sizes[1:]) != rest:
            raise WireError(f"the shape of {name}")
        count = math.prod(sizes)
        if place + count * int(kind[2]) > len(data):
            raise WireError("half an array")
        native = np.dtype(kind).newbyteorder("=")
        arrays[name] = np.frombuffer(data, kind, count, place).astype(native).reshape(sizes)
        place += count * int(kind[2])
    if place != len(data):
        raise WireError("bytes after the end")
    return arrays


def _blocks(header: dict[str, Any], text: str, arrays: dict[str, _Array]) -> tuple[Block, ...]:
    rows = _array(arrays, "blocks")
    kinds, starts, ends, levels, contents = rows.T
    _demand(
        (kinds >= 0) & (kinds < len(BLOCK_KINDS)),
        starts >= 0,
        ends <= len(text),
        starts < ends,
        starts[1:] >= ends[:-1],
    )
    _demand(starts <= contents, contents <= ends, levels >= 0, (levels > 0) == _LEVELLED[kinds])
    for kind, start, end in rows[:, :3].tolist():
        if kind != _PAGE_BREAK and (text[start].isspace() or text[end - 1] in "\r\n"):
            raise WireError("a block that begins with white space, or ends with a line end")
    titles = {_place(key, rows): _string(title) for key, title in _mapping(header.get("titles")).items()}
    tags = {_place(key, rows): _strings(names) for key, names in _mapping(header.get("tags")).items()}
    styles = _styles(arrays, len(rows))
    return tuple(
        Block(
            BLOCK_KINDS[kind], start, end, level, content, titles.get(place, ""), tags.get(place, ()), styles.get(place)
        )
        for place, (kind, start, end, level, content) in enumerate(rows.tolist())
    )


def _styles(arrays: dict[str, _Array], blocks: int) -> dict[int, Style]:
    rows = _array(arrays, "styles")
    _demand(np.isfinite(rows), rows[:, 0] >= 0, rows[:, 0] < blocks)
    return {
        int(place): Style(size, bold != 0, italic != 0, space, indent)
        for place, size, bold, italic, space, indent in rows.tolist()
    }


def _origin(header: dict[str, Any], text: str, texts: tuple[str, ...], arrays: dict[str, _Array]) -> Origin | None:
    if header.get("origin") is None:
        _demand(np.array([not texts, "runs" not in arrays]))
        return None
    stated = _mapping(header["origin"])
    unit, parts, runs = _string(stated.get("unit")), _strings(stated.get("parts")), _array(arrays, "runs")
    start, length, part, source, source_length = runs.T
    _demand(start >= 0, length > 0, length <= len(text), start + length <= len(text))
    _demand(start[1:] >= (start + length)[:-1], part >= 0, part < len(parts), source >= 0, source_length >= 0)
    if texts:
        _demand(np.array([len(texts) == len(parts)]))
        lengths = np.array([len(text) for text in texts], dtype=np.int64)
        _demand(source_length <= lengths[part], source <= lengths[part] - source_length)
    return Origin(unit, parts, runs, texts)


def _pages(text: str, arrays: dict[str, _Array]) -> Pages:
    sizes, starts, words, page, line, boxes = (
        _array(arrays, name) for name in ("sizes", "starts", "words", "page", "line", "boxes")
    )
    _demand(np.isfinite(sizes), sizes > 0, starts >= 0, starts <= len(text), starts[1:] >= starts[:-1])
    _demand(words >= 0, words <= len(text), words[:, 0] < words[:, 1], words[1:, 0] >= words[:-1, 1])
    _demand(np.array([len(sizes) == len(starts), len(words) == len(page) == len(line) == len(boxes)]))
    _demand(page >= 0, page < len(sizes), line >= 0, np.isfinite(boxes))
    return Pages(sizes, starts, words, page, line, boxes)


def _asides(header: dict[str, Any], parts: int) -> tuple[Aside, ...]:
    asides = []
    for row in _rows(header.get("asides")):
        if len(row) != 4 or not _is_whole(row[2]) or row[2] >= parts:
            raise WireError("excluded text")
        asides.append(Aside(_string(row[0]), _string(row[1]), row[2], _box(row[3])))
    return tuple(asides)


def _box(value: Any) -> tuple[float, float, float, float] | None:
    if value is None:
        return None
    if not isinstance(value, list) or len(value) != 4 or not all(map(_is_number, value)):
        raise WireError("a box")
    left, top, right, bottom = map(float, value)
    return left, top, right, bottom


def _is_whole(value: Any) -> bool:
    return type(value) is int and 0 <= value < 2**62


def _is_number(value: Any) -> bool:
    return type(value) in (int, float) and abs(value) < 1e9


def _whole_numbers(value: Any) -> list[int]:
    if not isinstance(value, list) or not all(map(_is_whole, value)):
        raise WireError("numbers")
    return value


def _mapping(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise WireError("a table")
    return value


def _rows(value: Any) -> Iterable[Sequence[Any]]:
    if not isinstance(value, list) or not all(isinstance(row, list) for row in value):
        raise WireError("rows")
    return value


def _string(value: Any) -> str:
    # JSON can contain a lone surrogate as an escape.
    if not isinstance(value, str) or _SURROGATE.search(value):
        raise WireError("a text")
    return value


def _strings(value: Any) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise WireError("texts")
    return tuple(map(_string, value))


def _place(key: str, rows: _Array) -> int:
    if not (key.isascii() and key.isdigit() and len(key) < 12 and int(key) < len(rows)):
        raise WireError("the place of a block")
    return int(key)


def _array(arrays: dict[str, _Array], name: str) -> _Array:
    if name not in arrays:
        raise WireError(f"no array of {name}")
    return arrays[name]


def _demand(*conditions: Bools) -> None:
    for condition in conditions:
        if not np.all(condition):
            raise WireError("inconsistent numbers")
