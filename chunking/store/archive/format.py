"""The format of an archive of a library: a ZIP with a list in JSON, reviews as lines of JSON, and files by content."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set
from dataclasses import dataclass, fields, replace
from typing import TypeVar

from chunking.errors import ChunkscopeError
from chunking.loading import FORMATS, LoadParameters
from chunking.reference.events import Event
from chunking.runtime import structured
from chunking.runtime.structured import SizeLimit, StructureError
from chunking.runtime.surrogates import change_texts, decode_text, encode_text
from chunking.store.documents import TEXT_LIMIT, ListedDocument, checked_name, checked_tags
from chunking.store.storage import is_digest

NAME, REVIEWS, FILES = "manifest.json", "reviews.jsonl", "files/"
"""Names in the archive: the list, the reviews, and the folder of the files."""

FORMAT, VERSION, VERSION_OF_PARTS = "chunkscope-library", 1, 2
"""Format and version of the list; of one in parts, of which an earlier Chunkscope would read the first alone."""

LIMIT = SizeLimit(4 * 2**20)
"""Limit of each part of the list."""

MOST_PARTS = 16
"""Limit of the parts of the list."""

MOST_DRAFTS, DRAFT_LIMIT = 10_000, 100_000
"""Limits of the drafts, and of the characters of one."""

EVENTS_LIMIT = SizeLimit(64 * 2**20, 16_000_000)
"""Limit of the reviews."""

EVENT_LIMIT, MOST_EVENTS = 64 * 2**10, 200_000
"""Limits of the bytes of an event, and of the events."""

Decoded = TypeVar("Decoded")
_LARGEST = 2**53
_ENVELOPE = 4096
"""Bytes of a part that are left for what is around its entries."""


@dataclass(frozen=True)
class ListedSet:
    """A set of documents as an archive lists it: its name, and the ids of its documents."""

    name: str
    documents: tuple[str, ...]


@dataclass(frozen=True)
class Manifest:
    """The list of an archive, or a part of it.

    Attributes:
        documents: in no order.
        sets: of those documents.
        drafts: texts by key.
    """

    documents: tuple[ListedDocument, ...]
    sets: tuple[ListedSet, ...]
    drafts: dict[str, str]

    @property
    def file_sizes(self) -> dict[str, int]:
        """Sizes of all files by their content."""
        sizes: dict[str, int] = {}
        for document in self.documents:
            sizes |= document.file_sizes
        return sizes


@dataclass(frozen=True)
class _Head:
    format: str
    version: int
    parts: int = 1


# --- the list


def part_name(number: int) -> str:
    """Return the name in the archive of a part of the list, counted from 1."""
    return NAME if number == 1 else f"manifest-{number}.json"


def dump_manifest(manifest: Manifest, exported: str) -> list[bytes]:
    """Return the list as JSON, in as many parts as it needs; most need one.

    Args:
        manifest: the list.
        exported: when, ISO 8601 in UTC.

    Raises:
        ChunkscopeError: it has more parts than may be imported.
    """
    groups = list(_group(_entries(manifest)))
    if len(groups) > MOST_PARTS:
        raise ChunkscopeError("The library is too large for one archive.", "Use the command backup FOLDER.")
    version = VERSION if len(groups) == 1 else VERSION_OF_PARTS
    head = structured.encode({"format": FORMAT, "version": version, "parts": len(groups), "exported": exported})[:-1]
    return [
        b'%s,"documents":[%s],"sets":[%s],"drafts":{%s}}' % (head, *(b",".join(entries) for entries in group))
        for group in groups
    ]


def _entries(manifest: Manifest) -> Iterator[tuple[int, bytes]]:
    """Yield the entries of the list as JSON, with the place of their kind in it."""
    for document in manifest.documents:
        values = {field.name: getattr(document, field.name) for field in fields(ListedDocument)}
        yield 0, structured.encode(change_texts(values | {"choices": document.choices.as_dict()}, encode_text))
    for listed_set in manifest.sets:
        yield 1, structured.encode(change_texts(listed_set, encode_text))
    for key, text in manifest.drafts.items():
        yield 2, b"%s:%s" % (structured.encode(encode_text(key)), structured.encode(encode_text(text)))


def _group(entries: Iterable[tuple[int, bytes]]) -> Iterator[tuple[list[bytes], list[bytes], list[bytes]]]:
    group: tuple[list[bytes], list[bytes], list[bytes]] = [], [], []
    size = 0
    for kind, entry in entries:
        if size + len(entry) + 1 > LIMIT.bytes - _ENVELOPE:
            yield group
            group, size = ([], [], []), 0
        group[kind].append(entry)
        size += len(entry) + 1
    yield group


def count_parts(data: bytes) -> int:
    """Return of how many parts the list is whose first one is given.

    Raises:
        ChunkscopeError: it is not of the format, or of a later version.
    """
    head = _decode(data, _Head)
    if head.format != FORMAT:
        raise _invalid("it is not a list of a library")
    if head.version != (VERSION if head.parts == 1 else VERSION_OF_PARTS):
        raise ChunkscopeError("The archive is of another version of Chunkscope.", "Update Chunkscope, then import it.")
    if not 1 <= head.parts <= MOST_PARTS:
        raise _invalid(f"it has more than {MOST_PARTS} parts")
    return head.parts


def read_manifest(parts: Iterable[bytes]) -> Manifest:
    """Return the list of an archive, in which everything may be wrong.

    Args:
        parts: all of its parts, in order; each is decoded before the next one is taken.

    Raises:
        ChunkscopeError: it is not of the format, or of a later version.
    """
    documents: list[ListedDocument] = []
    sets: list[ListedSet] = []
    drafts: dict[str, str] = {}
    for data in parts:
        part = _decode(data, Manifest)
        documents += map(_check_document, part.documents)
        sets += [
            ListedSet(checked_name(decode_text(document_set.name)), document_set.documents)
            for document_set in part.sets
        ]
        drafts |= change_texts(part.drafts, decode_text)
        if len(drafts) > MOST_DRAFTS or any(len(text) > DRAFT_LIMIT for text in drafts.values()):
            raise _invalid("its drafts are too many or too long")
    ids = {document.id for document in documents}
    if len(ids) < len(documents):
        raise _invalid("it lists a document twice")
    known_sets = tuple(
        ListedSet(document_set.name, tuple(id for id in document_set.documents if id in ids)) for document_set in sets
    )
    return Manifest(tuple(documents), known_sets, drafts)


def _decode(data: bytes, kind: type[Decoded]) -> Decoded:
    try:
        return structured.decode(data, kind, LIMIT)
    except StructureError as error:
        raise _invalid(str(error)) from error


def _check_document(document: ListedDocument) -> ListedDocument:
    """Return a document whose values are all within their bounds."""
    document = change_texts(document, _text)
    if document.format not in FORMATS:
        raise ChunkscopeError(
            f"The archive has a document of the format {document.format!r:.40}, which is not known.",
            "Update Chunkscope.",
        )
    try:
        LoadParameters(**dict(document.options))
    except TypeError as error:
        raise _invalid("a document has an unknown option") from error
    if not all(map(is_digest, (document.content, document.text_hash, *document.file_sizes))):
        raise _invalid("a hash has another form")
    if not all(0 <= size < _LARGEST for size in (document.size, document.characters, *document.file_sizes.values())):
        raise _invalid("a size is out of range")
    attachments = tuple(replace(attachment, name=checked_name(attachment.name)) for attachment in document.attachments)
    return replace(
        document,
        name=checked_name(document.name),
        source=checked_name(document.source),
        tags=checked_tags(document.tags),
        attachments=attachments,
    )


def _text(text: str) -> str:
    if len(text) > 10 * TEXT_LIMIT:
        raise _invalid("a text is too long")
    return decode_text(text)


def _invalid(why: str) -> ChunkscopeError:
    return ChunkscopeError(f"The archive is damaged or not of a library: {why}.", "Export the library again.")


# --- the reviews


def dump_events(events: Iterable[Event]) -> Iterator[bytes]:
    """Yield the line of each event."""
    for event in events:
        yield structured.encode(change_texts(event, encode_text)) + b"\n"


def read_events(data: bytes, documents: Set[str]) -> list[Event]:
    """Return the events of some documents.

    Args:
        data: the whole file, in which everything may be wrong.
        documents: hashes of the texts; events of others are left out.

    Raises:
        ChunkscopeError: a line is no event, or the file is too large.
    """
    events: list[Event] = []
    try:
        for event in structured.decode_lines(data, Event, EVENTS_LIMIT, EVENT_LIMIT):
            if event.document in documents:
                events.append(change_texts(event, decode_text))
            if len(events) > MOST_EVENTS:
                raise StructureError(f"they are more than {MOST_EVENTS:,}")
    except StructureError as error:
        raise ChunkscopeError(
            f"The reviews in the archive are damaged or too large: {error}.", "Export the library again."
        ) from error
    return events
