"""The list in an archive of a library: what it holds, and the files by their content."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from typing import Any, TypeVar

from chunking.errors import ChunkscopeError
from chunking.loading import FORMATS, LoadParameters
from chunking.runtime import structured
from chunking.runtime.structured import SizeLimit, StructureError
from chunking.store.checks import TEXT_LIMIT, checked_name, checked_tags
from chunking.store.database.tables import decode_text, encode_text
from chunking.store.documents import Attachment, Choices, LibraryDocument, ListedDocument
from chunking.store.files import is_digest

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

_Kind = TypeVar("_Kind")
_LARGEST = 2**53
_TEXTS = ("id", "name", "source", "key", "format", "language", "added", "opened", "replaced_by", "path")
_ENVELOPE = 4096
"""Bytes of a part that are left for what is around its entries."""


@dataclass(frozen=True)
class Manifest:
    """The list of an archive.

    Attributes:
        documents: in no order.
        sets: names of sets, with the ids of their documents.
        drafts: texts by key.
    """

    documents: tuple[ListedDocument, ...]
    sets: tuple[tuple[str, tuple[str, ...]], ...]
    drafts: tuple[tuple[str, str], ...]

    @property
    def contents(self) -> dict[str, int]:
        """Sizes of all files by their content."""
        sizes = {each.content: each.size for each in self.documents}
        return sizes | {one.content: one.size for each in self.documents for one in each.attachments}


def listed(entry: LibraryDocument) -> ListedDocument:
    """Return a document as an archive lists it: nobody else sees it there, and it is watched nowhere."""
    return ListedDocument(**{name: getattr(entry, name) for name in ListedDocument.__dataclass_fields__})


def part_name(number: int) -> str:
    """Return the name in the archive of a part of the list, counted from 1."""
    return NAME if number == 1 else f"manifest-{number}.json"


def dump(manifest: Manifest, exported: str) -> list[bytes]:
    """Return the list as JSON, in as many parts as it needs; most need one.

    Args:
        manifest: the list.
        exported: when, ISO 8601 in UTC.

    Raises:
        ChunkscopeError: it has more parts than may be imported.
    """
    groups = list(_grouped(_entries(manifest)))
    if len(groups) > MOST_PARTS:
        raise ChunkscopeError("The library is too large for one archive.", "Use the command backup FOLDER.")
    version = VERSION if len(groups) == 1 else VERSION_OF_PARTS
    head = {"format": FORMAT, "version": version, "parts": len(groups), "exported": exported}
    return [
        structured.encode(head)[:-1]
        + b"".join(b',"%s":[%s]' % (name.encode(), b",".join(group[name])) for name in ("documents", "sets"))
        + b',"drafts":{%s}}' % b",".join(group["drafts"])
        for group in groups
    ]


_Group = dict[str, list[bytes]]


def _entries(manifest: Manifest) -> Iterator[tuple[str, bytes]]:
    for each in manifest.documents:
        yield "documents", structured.encode(_encoded(asdict(each) | {"choices": each.choices.chosen()}))
    for name, ids in manifest.sets:
        yield "sets", structured.encode({"name": encode_text(name), "documents": ids})
    for key, text in manifest.drafts:
        yield "drafts", b"%s:%s" % (structured.encode(encode_text(key)), structured.encode(encode_text(text)))


def _grouped(entries: Iterable[tuple[str, bytes]]) -> Iterator[_Group]:
    group, size = _empty_group(), 0
    for kind, entry in entries:
        if size + len(entry) + 1 > LIMIT.bytes - _ENVELOPE:
            yield group
            group, size = _empty_group(), 0
        group[kind].append(entry)
        size += len(entry) + 1
    yield group


def _empty_group() -> _Group:
    return {"documents": [], "sets": [], "drafts": []}


def _encoded(value: Any) -> Any:
    """Return a value whose texts JSON can hold, see :mod:`chunking.store.database.tables`."""
    if isinstance(value, str):
        return encode_text(value)
    if isinstance(value, dict):
        return {name: _encoded(each) for name, each in value.items()}
    return [_encoded(each) for each in value] if isinstance(value, list | tuple) else value


@dataclass(frozen=True)
class _Head:
    format: str
    version: int
    parts: int = 1


@dataclass(frozen=True)
class _ListedSet:
    name: str
    documents: tuple[str, ...]


@dataclass(frozen=True)
class _Part:
    documents: tuple[ListedDocument, ...]
    sets: tuple[_ListedSet, ...]
    drafts: dict[str, str]


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


def read(parts: Iterable[bytes]) -> Manifest:
    """Return the list of an archive, in which everything may be wrong.

    Args:
        parts: all of its parts, in order; each is decoded before the next one is taken.

    Raises:
        ChunkscopeError: it is not of the format, or of a later version.
    """
    documents: list[ListedDocument] = []
    sets: list[tuple[str, tuple[str, ...]]] = []
    drafts: dict[str, str] = {}
    for data in parts:
        part = _decode(data, _Part)
        documents += map(_checked, part.documents)
        sets += [(checked_name(decode_text(each.name)), each.documents) for each in part.sets]
        drafts |= {decode_text(key): decode_text(text) for key, text in part.drafts.items()}
        if len(drafts) > MOST_DRAFTS or any(len(text) > DRAFT_LIMIT for text in drafts.values()):
            raise _invalid("its drafts are too many or too long")
    ids = {each.id: each.id for each in documents}
    if len(ids) < len(documents):
        raise _invalid("it lists a document twice")
    known_sets = tuple((name, tuple(ids[id] for id in members if id in ids)) for name, members in sets)
    return Manifest(tuple(documents), known_sets, tuple(drafts.items()))


def _decode(data: bytes, kind: type[_Kind]) -> _Kind:
    try:
        return structured.decode(data, kind, LIMIT)
    except StructureError as error:
        raise _invalid(str(error)) from error


def _checked(given: ListedDocument) -> ListedDocument:
    """Return a document whose values are all within their bounds."""
    texts = {name: _text(getattr(given, name)) for name in _TEXTS}
    if given.format not in FORMATS:
        raise ChunkscopeError(
            f"The archive has a document of the format {given.format!r:.40}, which is not known.", "Update Chunkscope."
        )
    options = tuple((_text(name), _text(value)) for name, value in given.options)
    try:
        LoadParameters(**dict(options))
    except TypeError as error:
        raise _invalid("a document has an unknown option") from error
    if not (is_digest(given.content) and is_digest(given.text_hash)):
        raise _invalid("a hash has another form")
    if not (0 <= given.size < _LARGEST and 0 <= given.characters < _LARGEST):
        raise _invalid("a size is out of range")
    changed: dict[str, Any] = texts | {"name": checked_name(texts["name"]), "source": checked_name(texts["source"])}
    changed |= {"options": options, "tags": checked_tags(tuple(map(_text, given.tags)))}
    changed |= {"choices": Choices(**{name: _text(value) for name, value in asdict(given.choices).items()})}
    return replace(given, **changed, attachments=tuple(map(_checked_attachment, given.attachments)))


def _checked_attachment(given: Attachment) -> Attachment:
    if not is_digest(given.content) or not 0 <= given.size < _LARGEST:
        raise _invalid("an attachment has another form")
    return replace(given, name=checked_name(_text(given.name)), added=_text(given.added))


def _text(given: str) -> str:
    if len(given) > 10 * TEXT_LIMIT:
        raise _invalid("a text is too long")
    return decode_text(given)


def _invalid(why: str) -> ChunkscopeError:
    return ChunkscopeError(f"The archive is damaged or not of a library: {why}.", "Export the library again.")
