"""Other files in a Word document (``altChunk``), which Word shows where they stand, as if they were its own text."""

from __future__ import annotations

from chunking.loading.binary import mail, rtf
from chunking.loading.decode import decode
from chunking.loading.markup import html
from chunking.loading.parsed import LoadParameters, Parsed
from chunking.loading.text import plain
from chunking.loading.writer import DocumentWriter

MAX_DEPTH = 3
"""Limit of documents inside each other."""

_HTML = ("text/html", "application/xhtml+xml")
_SAVED_PAGES = ("message/rfc822", "multipart/related", "application/x-mimearchive")
_RICH_TEXT = ("application/rtf", "text/rtf", "application/msword")


def parse_import(data: bytes, content_type: str, name: str) -> Parsed | None:
    """Return what another reader makes of an imported file; ``None`` if there is none for its content type.

    Args:
        data: the imported file.
        content_type: as the document states it.
        name: name of the document, for messages.

    Raises:
        ChunkscopeError: it is damaged, or not what its content type says.
    """
    params = LoadParameters()
    kind = content_type.partition(";")[0].strip().lower()
    if kind in _HTML:
        return html.parse(decode(data, name).text, "import.html", params)
    if kind in _SAVED_PAGES:
        return mail.parse(data, name, params)
    if kind in _RICH_TEXT:
        return rtf.parse(data, name, params)
    if kind == "text/plain":
        text = decode(data, name).text.rstrip()
        writer = DocumentWriter("characters of the file")
        writer.include_text(text, plain.blocks(text), writer.add_part(""))
        return writer.parsed()
    return None
