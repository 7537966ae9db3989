"""The list in an archive of a library: what it holds, and the files by their content."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from chunking.errors import ChunkscopeError
from chunking.library.checks import TEXT_LIMIT, checked_name, checked_tags
from chunking.library.contract import ATTACHMENT_KINDS, Attachment, Choices, LibraryDocument, ListedDocument
from chunking.library.files import is_digest
from chunking.loading import FORMATS, LoadParameters

NAME, REVIEWS, FILES = "manifest.json", "reviews.jsonl", "files/"
"""Names in the archive: the list, the reviews, and the folder of the files."""

FORMAT, VERSION = "chunkscope-library", 1

_TEXTS = ("id", "name", "source", "key", "format", "language", "added", "opened", "replaced_by", "path")


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


def dump(manifest: Manifest, exported: str) -> bytes:
    """Return the list as JSON.

    Args:
        manifest: the list.
        exported: when, ISO 8601 in UTC.
    """
    documents = [asdict(each) | {"choices": json.loads(each.choices.as_json())} for each in manifest.documents]
    sets = [{"name": name, "documents": list(ids)} for name, ids in manifest.sets]
    content = {
        "format": FORMAT,
        "version": VERSION,
        "exported": exported,
        "documents": documents,
        "sets": sets,
        "drafts": dict(manifest.drafts),
    }
    return json.dumps(content, indent=1).encode()


def read(data: bytes) -> Manifest:
    """Return the list of an archive, in which everything may be wrong.

    Raises:
        ChunkscopeError: it is not of the format, or of a later version.
    """
    try:
        given = json.loads(data)
        if not isinstance(given, dict) or given.get("format") != FORMAT:
            raise _invalid("it is not a list of a library")
        if given.get("version") != VERSION:
            raise ChunkscopeError(
                "The archive is of another version of Chunkscope.", "Update Chunkscope, then import it."
            )
        documents = tuple(_document(each) for each in _list(given["documents"]))
        sets = tuple((checked_name(_text(each["name"])), _texts(each["documents"])) for each in _list(given["sets"]))
        drafts = tuple((_text(key), _text(text, 100_000)) for key, text in given["drafts"].items())
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
        if isinstance(error, ChunkscopeError):
            raise
        raise _invalid("an entry is missing or has another form") from error
    if len({each.id for each in documents}) < len(documents):
        raise _invalid("it lists a document twice")
    return Manifest(documents, sets, drafts)


def _document(given: Any) -> ListedDocument:
    texts = {name: _text(given[name]) for name in _TEXTS}
    if texts["format"] not in FORMATS:
        raise ChunkscopeError(
            f"The archive has a document of the format {texts['format']!r:.40}, which is not known.",
            "Update Chunkscope.",
        )
    options = tuple((_text(name), _text(value)) for name, value in _list(given["options"]))
    LoadParameters(**dict(options))
    return ListedDocument(
        **texts | {"name": checked_name(texts["name"]), "source": checked_name(texts["source"])},
        content=_digest(given["content"]),
        text_hash=_digest(given["text_hash"]),
        options=options,
        size=_number(given["size"]),
        characters=_number(given["characters"]),
        pasted=given["pasted"] is True,
        tags=checked_tags(_texts(given["tags"])),
        choices=Choices.from_mapping({name: _text(value) for name, value in given["choices"].items()}),
        attachments=tuple(_attachment(each) for each in _list(given["attachments"])),
    )


def _attachment(given: Any) -> Attachment:
    if given["kind"] not in ATTACHMENT_KINDS:
        raise _invalid("it has an unknown kind of attachment")
    name, added = checked_name(_text(given["name"])), _text(given["added"])
    return Attachment(given["kind"], name, _digest(given["content"]), _number(given["size"]), added)


def _list(given: Any) -> Sequence[Any]:
    if not isinstance(given, list) or len(given) > 1_000_000:
        raise TypeError("a list is expected")
    return given


def _texts(given: Any) -> tuple[str, ...]:
    return tuple(_text(each) for each in _list(given))


def _text(given: Any, limit: int = 10 * TEXT_LIMIT) -> str:
    if not isinstance(given, str) or len(given) > limit:
        raise TypeError("a text is expected")
    return given


def _digest(given: Any) -> str:
    if not isinstance(given, str) or not is_digest(given):
        raise TypeError("a hash is expected")
    return given


def _number(given: Any) -> int:
    if not isinstance(given, int) or isinstance(given, bool) or not 0 <= given < 2**53:
        raise TypeError("a number is expected")
    return given


def _invalid(why: str) -> ChunkscopeError:
    return ChunkscopeError(f"The archive is damaged or not of a library: {why}.", "Export the library again.")
