"""E-mails (EML), mailboxes (MBOX) and web pages that browsers save as one file (MHTML), read by :mod:`email`.

The subject is a heading; sender, recipients and date are a paragraph. Of alternative contents the HTML is read, by
:mod:`chunking.loading.markup.html`, else the plain text; several parts follow each other, and so do messages inside a
message, one level deeper. Attachments and pictures are listed by name, type and size, and not read.
"""

from __future__ import annotations

import email
import email.errors
import email.header
import email.message
import re
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from chunking.errors import ChunkscopeError
from chunking.loading.decode import decode, decode_as
from chunking.loading.markup import html
from chunking.loading.markup.layout import Item, LayoutWriter
from chunking.loading.parsed import LoadParameters, Parsed
from chunking.loading.text import plain
from chunking.runtime.patterns import compile_pattern
from chunking.runtime.progress import Progress
from chunking.runtime.surrogates import replace_surrogates
from chunking.runtime.wording import plural

MAX_DEPTH = 20
"""Limit of messages and parts inside each other."""

MAX_PARTS = 200
"""Limit of the parts of a message that have parts, whose ends :mod:`email` looks for in every line."""

MAX_MESSAGES = 10_000
"""Limit of the messages of a mailbox."""

_FROM_LINE = compile_pattern(rb"(?:\A|(?<=\n\n)|(?<=\n\r\n))From [^\r\n]{1,500}\r?\n")
_BOUNDARY = compile_pattern(rb"\bboundary[ \t\r\n]{0,9}=", re.IGNORECASE)
_FIELDS = ("From", "To", "Cc", "Date")
_REMEDY = "Open it in a mail program, save it as HTML or text, and load that."


def parse(data: bytes, name: str, params: LoadParameters, progress: Progress | None = None) -> Parsed:
    """Return the text, blocks and origin of an e-mail, a mailbox or a saved page.

    Args:
        data: the whole file.
        name: its name, for messages.
        params: how HTML is read.
        progress: called with the messages done and the total.

    Raises:
        ChunkscopeError: the file is not an e-mail, or has too many parts.
    """
    if b"\0" in data[:100]:  # UTF-16
        data = decode(data, name).text.encode()
    messages = list(_messages(data))
    if len(messages) > MAX_MESSAGES:
        raise ChunkscopeError(f"“{name}” has more than {MAX_MESSAGES:,} messages.", "Split it and load a part.")
    reader = _MailReader(params)
    for number, source in enumerate(messages, 1):
        if len(_BOUNDARY.findall(source)) > MAX_PARTS:
            raise ChunkscopeError(f"“{name}” has a message with more than {MAX_PARTS:,} parts in parts.", _REMEDY)
        try:
            message = email.message_from_bytes(source)
        except (RecursionError, ValueError, LookupError) as error:
            raise ChunkscopeError(f"“{name}” cannot be read as an e-mail.", _REMEDY) from error
        if not message.keys():
            raise ChunkscopeError(f"“{name}” is not an e-mail: it has no header.", _REMEDY)
        reader.read_message(message, 1)
        if progress:
            progress(number, len(messages))
    return reader.finish()


def _messages(data: bytes) -> Iterator[bytes]:
    """Yield the messages of a mailbox, each after its line ``From …``; a file without such a first line is one."""
    lines = list(_FROM_LINE.finditer(data))
    if not lines or lines[0].start() > 0:
        yield data
        return
    starts = [line.end() for line in lines]
    ends = [*(line.start() for line in lines[1:]), len(data)]
    for start, end in zip(starts, ends, strict=True):
        yield data[start:end]


class _MailReader:
    """One pass over the messages of a file."""

    def __init__(self, params: LoadParameters) -> None:
        self._params = params
        self._writer = LayoutWriter("characters of the part")
        self._name = ""
        self._count = self._deep = 0
        self._remarks: dict[str, None] = {}
        self._attachments: list[Item] = []
        self._language = ""

    def finish(self) -> Parsed:
        """Return the result."""
        notes = list(self._remarks)
        if self._deep:
            words = ("part was left out: it is nested too deeply.", "parts were left out: they are nested too deeply.")
            notes.append(plural(self._deep, *words))
        return self._writer.finish(tuple(notes), self._language)

    def read_message(self, message: email.message.Message, level: int, depth: int = 0) -> None:
        """Add the header, the contents and the attachments of a message."""
        self._count += 1
        outer, outer_attachments = self._name, self._attachments
        self._name, self._attachments = f"message {self._count:,}", []
        self._writer.begin_page()
        subject = _header(message, "Subject")
        self._writer.add(Item("heading", subject, f"{self._name}, subject", level))
        fields = "\n".join(f"{field}: {value}" for field in _FIELDS if (value := _header(message, field)))
        self._writer.add(Item("paragraph", fields, f"{self._name}, header"))
        self._part(message, level, depth)
        for attachment in self._attachments:
            self._writer.add(attachment)
        self._name, self._attachments = outer, outer_attachments

    def _part(self, part: email.message.Message, level: int, depth: int) -> None:
        """Add a part of a message and all parts in it."""
        kind = part.get_content_type()
        if depth > MAX_DEPTH:
            self._deep += 1
        elif kind == "message/rfc822" and part.is_multipart():
            for inner in _parts(part):
                self.read_message(inner, level + 1, depth + 1)
        elif kind == "multipart/alternative":
            self._alternative(_parts(part), level, depth + 1)
        elif part.is_multipart():
            for inner in _parts(part):
                self._part(inner, level, depth + 1)
        elif kind in ("text/plain", "text/html", "application/xhtml+xml") and not _is_attachment(part):
            self._text(part, kind)
        elif kind.partition("/")[0] != "multipart":
            self._list(part, kind)

    def _alternative(self, parts: list[email.message.Message], level: int, depth: int) -> None:
        """Add the first of the alternatives that has text, of HTML and others in this order."""
        ranked = sorted(parts, key=lambda part: not _has_html(part, MAX_DEPTH))
        for part in ranked:
            before = self._writer.length
            self._part(part, level, depth)
            if self._writer.length > before:
                return

    def _text(self, part: email.message.Message, kind: str) -> None:
        payload = part.get_payload(decode=True)
        if not isinstance(payload, bytes) or not payload.strip():
            return
        try:
            decoded = decode_as(payload, part.get_content_charset() or "") or decode(payload, "a part")
            parsed = html.parse(decoded.text, "part.html", self._params) if kind != "text/plain" else None
        except ChunkscopeError as error:
            self._remarks[f"A part was left out: {error.problem}"] = None
            return
        text = parsed.text if parsed else replace_surrogates(decoded.text)
        if not text.strip():
            return
        self._writer.separate("paragraph")
        index = self._writer.add_part(f"{self._name}, {'HTML' if parsed else 'text'}")
        if parsed is None:
            self._writer.include_text(text, plain.blocks(text), index)
            return
        self._language = self._language or parsed.language
        self._writer.include(parsed, index)
        self._remarks |= dict.fromkeys(parsed.notes)
        self._writer.aside.extend(aside._replace(part=index) for aside in parsed.aside)

    def _list(self, part: email.message.Message, kind: str) -> None:
        """Keep name, type and size of an attachment for the end of the message."""
        payload = part.get_payload(decode=True)
        size = len(payload) if isinstance(payload, bytes) else 0
        name = _decode_header(part.get_filename() or "") or "without a name"
        number = len(self._attachments) + 1
        text = f"Attachment: {' '.join(name.split())} ({kind}, {_size(size)})"
        self._attachments.append(Item("list_item", text, f"{self._name}, attachment {number:,}", 1))


def _parts(part: email.message.Message) -> list[Any]:
    payload = part.get_payload()
    return [inner for inner in payload if isinstance(inner, email.message.Message)] if isinstance(payload, list) else []


def _has_html(part: email.message.Message, depth: int) -> bool:
    if part.get_content_type() in ("text/html", "application/xhtml+xml"):
        return True
    return depth > 0 and any(_has_html(inner, depth - 1) for inner in _parts(part))


def _is_attachment(part: email.message.Message) -> bool:
    return part.get_content_disposition() == "attachment" or (
        part.get_content_disposition() is None and bool(part.get_filename()) and part.get_content_type() != "text/html"
    )


def _header(message: email.message.Message, name: str) -> str:
    return _decode_header(message.get(name, ""))


def _decode_header(value: object) -> str:
    """Return a header's text in one line, with encoded words (``=?utf-8?…?=``) decoded."""
    text = str(value)
    with suppress(ValueError, LookupError, email.errors.HeaderParseError):  # else as it is in the file
        text = str(email.header.make_header(email.header.decode_header(text)))
    return " ".join(replace_surrogates(text).split())


def _size(count: int) -> str:
    return f"{count:,} bytes" if count < 10_000 else f"{count / 1000:,.0f} kB"
