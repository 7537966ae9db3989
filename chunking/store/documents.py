"""What the library holds: documents with what belongs to them, sets of documents, and checks of what is entered."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field, fields
from typing import Literal, get_args

from chunking.document import Document
from chunking.errors import ChunkscopeError
from chunking.loading import MAX_FILE_BYTES, TEXT_FORMATS, clean_name

Visibility = Literal["private", "team", "public"]
VISIBILITIES: tuple[Visibility, ...] = get_args(Visibility)

AttachmentKind = Literal["reference", "chunks", "questions"]
ATTACHMENT_KINDS: tuple[AttachmentKind, ...] = get_args(AttachmentKind)

TEXT_LIMIT = 200
"""Maximum length of a name, an owner, a team or a key, in characters, so that an index can hold them."""

TAG_LIMIT, MOST_TAGS = 60, 40
"""Characters of a tag, and tags of a document."""


@dataclass(frozen=True)
class DocumentSettings:
    """What a person chose for a document; empty where nothing was.

    Attributes:
        encoder, tokenizer, splitter: as of :class:`chunking.workspace.Models`.
        language: ISO 639-1 code.
        content: ``all`` or ``main``, for web pages.
        strategy: with its parameters, as on the command line.
        edits: by hand, as :func:`chunking.chunks.edits.packed` writes them.
    """

    encoder: str = ""
    tokenizer: str = ""
    splitter: str = ""
    language: str = ""
    content: str = ""
    strategy: str = ""
    edits: str = ""

    def as_dict(self) -> dict[str, str]:
        """Return the choices by name, without those that were not made."""
        return {name: value for name, value in asdict(self).items() if value}

    def as_json(self) -> str:
        """Return the choices as JSON, without those that were not made."""
        return json.dumps(self.as_dict())

    @classmethod
    def from_json(cls, text: str) -> DocumentSettings:
        """Return choices; what a later version may choose as well is left out."""
        names = {field.name for field in fields(cls)}
        return cls(**{name: str(value) for name, value in json.loads(text).items() if name in names})


@dataclass(frozen=True)
class NewDocument:
    """A document to be added.

    Attributes:
        data: its file; the text in UTF-8 where it was pasted.
        document: as it was loaded from ``data``.
        pasted: whether it is a text without a file.
        tags, choices: as of :class:`LibraryDocument`.
    """

    data: bytes = field(repr=False)
    document: Document = field(repr=False)
    pasted: bool = False
    tags: tuple[str, ...] = ()
    choices: DocumentSettings = DocumentSettings()

    @classmethod
    def from_pasted(cls, document: Document) -> NewDocument:
        """Return the document of a pasted text, see :func:`chunking.loading.from_text`."""
        if document.format not in TEXT_FORMATS:
            raise ChunkscopeError(f"{document.format!r:.40} is not a text format.", "Add the file instead.")
        return cls(document.text.encode("utf-8", "replace"), document, pasted=True)


@dataclass(frozen=True)
class Attachment:
    """A file that belongs to a document.

    Attributes:
        kind: a reference, own chunks or questions.
        name: of the file; unique among those of its kind.
        content: SHA-256 of the file.
        size: in bytes.
        added: when, ISO 8601 in UTC.
    """

    kind: AttachmentKind
    name: str
    content: str
    size: int
    added: str = ""


@dataclass(frozen=True, kw_only=True)
class ListedDocument:
    """What the list of an archive says of a document.

    Attributes:
        id: nobody can guess it.
        name: for display; a file's name may have a path.
        source: the name that it was first read by, whose ending says how.
        content: SHA-256 of its file.
        text_hash, key: of :class:`~chunking.document.Document`, as first loaded.
        format, language: as first loaded.
        options: loading parameters that differ from their defaults.
        size: of the file, in bytes.
        characters: of the text.
        pasted: whether it is a text without a file.
        tags: in order.
        choices: what was chosen for it.
        attachments: by kind and name.
        added, opened: when, ISO 8601 in UTC.
        replaced_by: id of the version after it; empty where there is none.
        path: where it lies in the watched folder that it comes from.
    """

    id: str
    name: str
    source: str
    content: str
    text_hash: str
    key: str
    format: str
    language: str
    options: tuple[tuple[str, str], ...]
    size: int
    characters: int
    pasted: bool
    tags: tuple[str, ...]
    choices: DocumentSettings
    attachments: tuple[Attachment, ...]
    added: str
    opened: str
    replaced_by: str
    path: str

    def attached(self, kind: AttachmentKind) -> tuple[Attachment, ...]:
        """Return the attachments of a kind."""
        return tuple(attachment for attachment in self.attachments if attachment.kind == kind)

    @property
    def file_sizes(self) -> dict[str, int]:
        """The sizes of its files in bytes, by their content."""
        return {self.content: self.size} | {attachment.content: attachment.size for attachment in self.attachments}


@dataclass(frozen=True, kw_only=True)
class LibraryDocument(ListedDocument):
    """A document of the library.

    Attributes:
        owner: whose it is.
        visibility: who may read it.
        team: with which it is shared, where it is.
        link: what a public link has in it; empty for others than its owner, and where there is none.
        previous: id of the version before it; empty where there is none.
        folder: the watched folder that it comes from.
        missing: since when its file is gone from that folder; empty while it is there.
        version: number of changes, from 1.
    """

    owner: str
    visibility: Visibility
    team: str
    link: str
    previous: str
    folder: str
    missing: str
    version: int

    @property
    def link_name(self) -> str:
        """The name in links: the end of its name, and the beginning of its key."""
        return f"{self.name[-60:]} ({self.key[:6]})"


@dataclass(frozen=True)
class DocumentSet:
    """Documents under a name.

    Attributes:
        id: nobody can guess it.
        name: unique among those of its owner.
        documents: ids of its documents, in order.
        version: number of changes, from 1.
    """

    id: str
    name: str
    documents: tuple[str, ...]
    version: int


@dataclass(frozen=True)
class Query:
    """Which documents to list, and how.

    Attributes:
        text: in the name, in any case; a word of several must each be there.
        tag, format, document_set: where given, only those.
        order: newest first, but for names, which are ascending.
        superseded: whether to list versions that were replaced as well.
        offset, limit: which part of the list.
    """

    text: str = ""
    tag: str = ""
    format: str = ""
    document_set: str = ""
    order: Literal["opened", "added", "name", "size"] = "opened"
    superseded: bool = False
    offset: int = 0
    limit: int = 50


@dataclass(frozen=True)
class Facets:
    """What documents can be filtered by: the tags and the formats that there are, in order."""

    tags: tuple[str, ...] = ()
    formats: tuple[str, ...] = ()


@dataclass(frozen=True)
class Listing:
    """A part of a list of documents, and how many there are in all."""

    documents: tuple[LibraryDocument, ...]
    total: int


def checked_name(name: str) -> str:
    """Return a name as it is kept.

    Raises:
        ChunkscopeError: it is empty.
    """
    if not name.strip():
        raise ChunkscopeError("The name is empty.", "Give it a name.")
    return clean_name(name)


def checked_tags(tags: tuple[str, ...]) -> tuple[str, ...]:
    """Return tags as they are kept: each once, in order, without white space around them.

    Raises:
        ChunkscopeError: one is empty or too long, or there are too many.
    """
    cleaned = tuple(sorted({" ".join(tag.split()) for tag in tags}))
    if len(cleaned) > MOST_TAGS or any(not tag or len(tag) > TAG_LIMIT for tag in cleaned):
        raise ChunkscopeError(
            "The tags cannot be kept.", f"Give at most {MOST_TAGS} tags of 1 to {TAG_LIMIT} characters each."
        )
    return cleaned


def check_key(text: str, subject: str) -> None:
    """Check a text that an index has to hold.

    Raises:
        ChunkscopeError: it is empty or too long.
    """
    if not text or len(text) > TEXT_LIMIT:
        raise ChunkscopeError(f"{subject} is empty or too long.", f"Use 1 to {TEXT_LIMIT} characters.")


def check_size(data: bytes) -> None:
    """Check the size of a file.

    Raises:
        ChunkscopeError: it is too large.
    """
    if len(data) > MAX_FILE_BYTES:
        raise ChunkscopeError(
            f"The file is larger than {MAX_FILE_BYTES // 2**20} MiB.",
            "Nothing was stored. Split it, and add the parts.",
        )
