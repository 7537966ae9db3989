"""Files embedded in a text as ``data:`` addresses: their encoded bytes are excluded from it.

A picture in Markdown (``![pump](data:image/png;base64,iVBOR…)``) may be longer than all the words around it. Its bytes
are neither words nor code; without them the address ends after its comma, and the text keeps its lines and its markup.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from chunking.document import Aside, Span
from chunking.loading.parsed import Parsed
from chunking.loading.writer import DocumentWriter
from chunking.runtime.patterns import compile_pattern
from chunking.runtime.wording import plural

EMBEDDED_FILE = "embedded file"
"""Kind of such excluded text."""

MIN_LENGTH = 200
"""Length from which encoded bytes are excluded, in characters; a shorter address may be an example."""

_OPENING = r"data:[\w.+-]{1,60}/[\w.+-]{1,60}(?:;[\w.+=-]{1,60}){0,4},"
_BYTES = r"[^\s\"'`()<>\[\]{}|\\]"
_ADDRESS = compile_pattern(rf"(?P<opening>{_OPENING})(?P<bytes>{_BYTES}{{{MIN_LENGTH},}}+)")


def exclude_files(text: str) -> Parsed:
    """Return a text without the bytes of embedded files, and its origin; with no such file the text as it is."""
    if next(_encoded_bytes(text), None) is None:
        return Parsed(text, ())
    writer = DocumentWriter("characters of the file")
    copy_without_files(writer, text, writer.add_part("", text), 0)
    return writer.parsed(tuple(remarks(writer.aside)))


def copy_without_files(writer: DocumentWriter, text: str, part: int, source: int) -> str:
    """Add a text of a part without the bytes of embedded files; return what was added.

    Args:
        writer: the document under construction.
        text: the text.
        part: index of its part.
        source: its offset in it.
    """
    pieces: list[str] = []
    offset = 0
    for opening, span in _encoded_bytes(text):
        pieces.append(text[offset : span.start])
        writer.copy(pieces[-1], part, source + offset)
        writer.exclude(EMBEDDED_FILE, f"{opening}… ({span.end - span.start:,} characters)", part)
        offset = span.end
    pieces.append(text[offset:])
    writer.copy(pieces[-1], part, source + offset)
    return "".join(pieces)


def remarks(aside: Iterable[Aside]) -> Iterator[str]:
    """Yield a remark about the embedded files among excluded texts, if there are any."""
    count = sum(excluded.kind == EMBEDDED_FILE for excluded in aside)
    if count:
        yield f"The encoded bytes of {plural(count, 'embedded file', 'embedded files')} are excluded from the text."


def _encoded_bytes(text: str) -> Iterator[tuple[str, Span]]:
    """Yield the opening of each address and the span of its bytes."""
    for match in _ADDRESS.finditer(text):
        yield match["opening"], Span(*match.span("bytes"))
