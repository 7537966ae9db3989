"""Documents and the results of loaders as bytes, from a process of their own to its caller and back.

What comes from a process is not trusted: :func:`unpack` checks every type, length, span and order, so that the result
either satisfies :mod:`chunking.document` or is rejected.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from chunking.document import BLOCK_KINDS, Aside, Block, Document, Style
from chunking.document.origin import Origin
from chunking.document.pages import Pages
from chunking.isolation import frames, message
from chunking.isolation.frames import TooMuch, WireError
from chunking.isolation.message import Message, demand, is_number, is_whole, mapping, string, strings
from chunking.loading.parsed import Parsed
from chunking.runtime.patterns import compile_pattern

MAX_TEXT = frames.MAX_TEXT
"""Limit of the bytes (UTF-8) of the text of a file."""

_LANGUAGE = compile_pattern(r"(?:[a-z]{2,3})?")
_LEVELLED = np.array([kind in ("heading", "list_item", "quote") for kind in BLOCK_KINDS])
_PAGE_BREAK = BLOCK_KINDS.index("page_break")

TYPES: message.Types = {
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


def pack(parsed: Parsed) -> bytes:
    """Serialise a loader's result.

    Raises:
        TooMuch: its text exceeds :data:`MAX_TEXT`, or the whole the limit of a frame.
    """
    return message.pack(to_message(parsed), TYPES)


def unpack(data: bytes) -> Parsed:
    """Deserialise and validate the output of :func:`pack`.

    Raises:
        WireError: anything in it violates :mod:`chunking.document`.
    """
    return from_message(message.unpack(data, TYPES))


def pack_document(document: Document) -> bytes:
    """Serialise a document; see :func:`pack`."""
    return message.pack(message_of(document), TYPES)


def unpack_document(data: bytes) -> Document:
    """Deserialise and validate the output of :func:`pack_document`; see :func:`unpack`."""
    return document_of(message.unpack(data, TYPES))


def to_message(parsed: Parsed | Document) -> Message:
    """Return a loader's result, or a document without its name, as a message.

    Raises:
        TooMuch: its text exceeds :data:`MAX_TEXT`.
    """
    origin, blocks = parsed.origin, parsed.blocks
    if len(parsed.text.encode("utf-8", "replace")) > MAX_TEXT:
        raise TooMuch("text")
    header = {
        "notes": parsed.notes,
        "language": parsed.language,
        "asides": parsed.aside,
        "titles": {place: block.title for place, block in enumerate(blocks) if block.title},
        "tags": {place: block.tags for place, block in enumerate(blocks) if block.tags},
        "origin": {"unit": origin.unit, "parts": origin.parts} if origin else None,
        "pages": parsed.pages is not None,
    }
    return Message(header, (parsed.text, *(origin.texts if origin else ())), _arrays(parsed))


def message_of(document: Document) -> Message:
    """Return a document as a message; see :func:`to_message`."""
    sent = to_message(document)
    named = {"name": document.name, "format": document.format, "options": document.load_options}
    return Message(sent.header | named, sent.texts, sent.arrays)


def document_of(received: Message) -> Document:
    """Return the document of a message.

    Raises:
        WireError: anything in it violates :mod:`chunking.document`.
    """
    parsed, header = from_message(received), received.header
    options = tuple((string(name), string(value)) for name, value in _rows(header.get("options"), 2))
    return Document(
        text=parsed.text,
        blocks=parsed.blocks,
        name=string(header.get("name")),
        format=string(header.get("format")),
        language=parsed.language,
        notes=parsed.notes,
        origin=parsed.origin,
        pages=parsed.pages,
        aside=parsed.aside,
        load_options=options,
    )


def from_message(received: Message) -> Parsed:
    """Return the loader's result of a message.

    Raises:
        WireError: anything in it violates :mod:`chunking.document`.
    """
    header = received.header
    if not received.texts:
        raise WireError("no text")
    text, *texts = received.texts
    if len(text.encode()) > MAX_TEXT:
        raise TooMuch("text")
    origin = _origin(received, text, tuple(texts))
    language = string(header.get("language"))
    if not _LANGUAGE.fullmatch(language):
        raise WireError("language")
    return Parsed(
        text=text,
        blocks=_blocks(received, text),
        notes=strings(header.get("notes")),
        origin=origin,
        pages=_pages(text, received) if header.get("pages") is True else None,
        aside=_asides(header, len(origin.parts) if origin else 1),
        language=language,
    )


def _arrays(parsed: Parsed | Document) -> dict[str, message.Array]:
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
    return found


def _blocks(received: Message, text: str) -> tuple[Block, ...]:
    header, rows = received.header, received.array("blocks")
    kinds, starts, ends, levels, contents = rows.T
    demand(
        (kinds >= 0) & (kinds < len(BLOCK_KINDS)),
        starts >= 0,
        ends <= len(text),
        starts < ends,
        starts[1:] >= ends[:-1],
    )
    demand(starts <= contents, contents <= ends, levels >= 0, (levels > 0) == _LEVELLED[kinds])
    for kind, start, end in rows[:, :3].tolist():
        if kind != _PAGE_BREAK and (text[start].isspace() or text[end - 1] in "\r\n"):
            raise WireError("a block that begins with white space, or ends with a line end")
    titles = {_place(key, len(rows)): string(title) for key, title in mapping(header.get("titles")).items()}
    tags = {_place(key, len(rows)): strings(names) for key, names in mapping(header.get("tags")).items()}
    styles = _styles(received, len(rows))
    return tuple(
        Block(
            BLOCK_KINDS[kind], start, end, level, content, titles.get(place, ""), tags.get(place, ()), styles.get(place)
        )
        for place, (kind, start, end, level, content) in enumerate(rows.tolist())
    )


def _styles(received: Message, blocks: int) -> dict[int, Style]:
    rows = received.array("styles")
    demand(np.isfinite(rows), rows[:, 0] >= 0, rows[:, 0] < blocks)
    return {
        int(place): Style(size, bold != 0, italic != 0, space, indent)
        for place, size, bold, italic, space, indent in rows.tolist()
    }


def _origin(received: Message, text: str, texts: tuple[str, ...]) -> Origin | None:
    if received.header.get("origin") is None:
        demand(not texts, "runs" not in received.arrays)
        return None
    stated = mapping(received.header["origin"])
    unit, parts, runs = string(stated.get("unit")), strings(stated.get("parts")), received.array("runs")
    start, length, part, source, source_length = runs.T
    demand(start >= 0, length > 0, length <= len(text), start + length <= len(text))
    demand(start[1:] >= (start + length)[:-1], part >= 0, part < len(parts), source >= 0, source_length >= 0)
    if texts:
        demand(len(texts) == len(parts))
        lengths = np.array([len(text) for text in texts], dtype=np.int64)
        demand(source_length <= lengths[part], source <= lengths[part] - source_length)
    return Origin(unit, parts, runs, texts)


def _pages(text: str, received: Message) -> Pages:
    sizes, starts, words, page, line, boxes = (
        received.array(name) for name in ("sizes", "starts", "words", "page", "line", "boxes")
    )
    demand(np.isfinite(sizes), sizes > 0, starts >= 0, starts <= len(text), starts[1:] >= starts[:-1])
    demand(words >= 0, words <= len(text), words[:, 0] < words[:, 1], words[1:, 0] >= words[:-1, 1])
    demand(len(sizes) == len(starts), len(words) == len(page) == len(line) == len(boxes))
    demand(page >= 0, page < len(sizes), line >= 0, np.isfinite(boxes))
    return Pages(sizes, starts, words, page, line, boxes)


def _asides(header: dict[str, Any], parts: int) -> tuple[Aside, ...]:
    asides = []
    for kind, text, part, box in _rows(header.get("asides"), 4):
        if not is_whole(part) or part >= parts:
            raise WireError("excluded text")
        asides.append(Aside(string(kind), string(text), part, _box(box)))
    return tuple(asides)


def _box(value: Any) -> tuple[float, float, float, float] | None:
    if value is None:
        return None
    if not isinstance(value, list) or len(value) != 4 or not all(map(is_number, value)):
        raise WireError("a box")
    left, top, right, bottom = map(float, value)
    return left, top, right, bottom


def _rows(value: Any, length: int) -> Iterable[Sequence[Any]]:
    if not isinstance(value, list) or not all(isinstance(row, list) and len(row) == length for row in value):
        raise WireError("rows")
    return value


def _place(key: str, count: int) -> int:
    if not (key.isascii() and key.isdigit() and len(key) < 12 and int(key) < count):
        raise WireError("the place of a block")
    return int(key)
