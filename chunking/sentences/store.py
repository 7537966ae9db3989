"""A disk cache of sentences: a model takes a minute for a million words, a lookup a second.

The key covers everything the sentences depend on: the text with its blocks, format and language, the splitter, the
versions of its libraries and the source of our own rules. Spans are stored as small integers, without text; see
:mod:`chunking.runtime.disk_cache` for the file. Only sentences of models are stored: rules are as fast as a lookup.
"""

from __future__ import annotations

import hashlib
import pkgutil
import unicodedata
from collections.abc import Iterable, Sequence
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import numpy as np

from chunking.document import Document
from chunking.runtime.arrays import Int64
from chunking.runtime.disk_cache import DiskCache, Layout
from chunking.sentences.kiwi import KIWI
from chunking.sentences.sentences import Sentences
from chunking.sentences.spacy_models import PREFIX, package

DEFAULT_MAX_BYTES = 64 * 2**20
"""Default size limit: 64 MiB, some 250,000 short documents or 100 million words."""

_LAYOUT = Layout(
    application=0x43_68_6B_73,  # "Chks"
    table="sentences",
    value="spans",
    count="bytes",
    unit=1,
    overhead=208,  # measured, rounded up
    page=4096,
    contents="Sentences",
)

_SOURCES = (
    *("__init__.py", "abbreviations.py", "abbreviations.tsv", "blocks.py", "implicit_ends.py", "kiwi.py", "parts.py"),
    *("rules.py", "sentences.py", "spacy_models.py", "store.py"),
)
"""The files of this package that determine sentences or how they are stored."""

_SIZES = (1, 2, 4)


class SentenceStore(DiskCache):
    """A disk cache of the sentences of documents.

    Args:
        path: the database file; it and its folder are created when first needed.
        max_bytes: limit of :attr:`size`.
    """

    def __init__(self, path: Path | str, max_bytes: int = DEFAULT_MAX_BYTES) -> None:
        super().__init__(path, _LAYOUT, max_bytes)

    def lookup(self, documents: Sequence[Document], names: Sequence[str]) -> list[Sentences | None]:
        """Return the stored sentences of documents by their splitters; ``None`` where there are none."""
        keys = [_key(document, name) for document, name in zip(documents, names, strict=True)]
        records = self.read_many(list(dict.fromkeys(key for key in keys if key is not None)))
        return [
            _decode(records[key], document, name) if key is not None and key in records else None
            for key, document, name in zip(keys, documents, names, strict=True)
        ]

    def save(self, batch: Iterable[Sentences]) -> None:
        """Store sentences that :func:`chunking.sentences.split` made."""
        records: dict[bytes, bytes] = {}
        origins: dict[bytes, str] = {}
        for sentences in batch:
            key = _key(sentences.document, sentences.splitter)
            if key is not None:
                records[key], origins[key] = _encode(sentences), sentences.document.text_hash
        self.write_many(records, origins)


def _key(document: Document, name: str) -> bytes | None:
    """Return the key of a document's sentences; ``None`` if they are not stored."""
    identity = splitter_identity(name)
    if identity is None:
        return None
    blocks = [(block.kind, block.start, block.end, block.content) for block in document.blocks]
    fields = repr((identity, document.format, document.language, blocks, len(document.text)))
    digest = hashlib.blake2b(fields.encode("utf-8", "surrogatepass"), digest_size=16)
    digest.update(document.text.encode("utf-8", "surrogatepass"))
    return digest.digest()


@cache
def splitter_identity(name: str) -> str | None:
    """Return the identity of a splitter: its model, its libraries and our own rules.

    ``None`` where nothing is stored: the splitter has no model, or its versions cannot be determined.
    """
    if name != KIWI and not name.startswith(PREFIX):
        return None
    libraries = ("kiwipiepy", "kiwipiepy_model") if name == KIWI else ("spacy", "thinc", "blis", package(name))
    try:
        versions = [f"{library} {version(library)}" for library in libraries]
    except PackageNotFoundError:
        return None
    try:
        sources = [pkgutil.get_data(__package__, name) or b"" for name in _SOURCES]
    except OSError:  # distributed without sources
        return None
    rules = hashlib.blake2b(b"\0".join(sources), digest_size=16).hexdigest()
    return repr((name, versions, rules, unicodedata.unidata_version))


def _encode(sentences: Sentences) -> bytes:
    """Encode the space between spans, their lengths and the steps between blocks in as few bytes as possible."""
    starts, ends = sentences.spans.T
    columns = (starts - np.concatenate(([0], ends))[:-1], ends - starts, np.diff(sentences.block, prepend=0))
    sizes = [next(size for size in _SIZES if column.max(initial=0) < 256**size) for column in columns]
    parts = [column.astype(f"<u{size}").tobytes() for column, size in zip(columns, sizes, strict=True)]
    return bytes(sizes) + b"".join(parts)


def _decode(blob: bytes, document: Document, name: str) -> Sentences:
    sizes = list(blob[:3])
    count = (len(blob) - 3) // sum(sizes)
    columns: list[Int64] = []
    offset = 3
    for size in sizes:
        columns.append(np.frombuffer(blob, f"<u{size}", count, offset).astype(np.int64))
        offset += size * count
    spaces, lengths, steps = columns
    ends = np.cumsum(spaces + lengths)
    return Sentences(document, np.stack((ends - lengths, ends), axis=1), np.cumsum(steps), name)
