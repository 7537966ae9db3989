"""Sentences that were told before, on disk: a model takes a minute for a million words, looking them up a second.

They are addressed by all that makes them: the text with its blocks, format and language, the splitter, the versions of
its libraries and the source of our own rules. Kept are spans as small numbers, and no text; see
:mod:`chunking.runtime.disk_cache` for the file. Only what a model tells is kept: rules are as quick as looking up.
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
import numpy.typing as npt

from chunking.document import Document
from chunking.runtime.disk_cache import DiskCache, Layout
from chunking.sentences.contract import Sentences
from chunking.sentences.kiwi import KIWI
from chunking.sentences.spacy_models import PREFIX, package

DEFAULT_MAX_BYTES = 64 * 2**20
"""Default bound of what is stored: 64 MiB, some 250,000 short documents or 100 million words."""

_LAYOUT = Layout(
    application=0x43_68_6B_73,  # "Chks"
    table="sentences",
    value="spans",
    count="bytes",
    unit=1,
    overhead=208,  # measured, rounded up
    page=4096,
    what="Sentences",
)

_MAKERS = ("__init__", "blocks", "contract", "kiwi", "parts", "rules", "spacy_models", "stops", "store", "told")
"""The modules of this package that have a say in what a sentence is, or in how it is kept."""

_SIZES = (1, 2, 4)


class SentenceStore(DiskCache):
    """The sentences of documents, see the module.

    Args:
        path: the database file; it and its folder are made when first needed.
        max_bytes: bound of :attr:`size`.
    """

    def __init__(self, path: Path | str, max_bytes: int = DEFAULT_MAX_BYTES) -> None:
        super().__init__(path, _LAYOUT, max_bytes)

    def known(self, documents: Sequence[Document], names: Sequence[str]) -> list[Sentences | None]:
        """The sentences of documents by their splitters; ``None`` where they are not there."""
        keys = [_key(document, name) for document, name in zip(documents, names, strict=True)]
        there = self.found(list(dict.fromkeys(key for key in keys if key is not None)))
        return [
            _unpacked(there[key], document, name) if key is not None and key in there else None
            for key, document, name in zip(keys, documents, names, strict=True)
        ]

    def remember(self, some: Iterable[Sentences]) -> None:
        """Keep sentences that :func:`chunking.sentences.split` made."""
        kept: dict[bytes, bytes] = {}
        for each in some:
            key = _key(each.document, each.splitter)
            if key is not None:
                kept[key] = _packed(each)
        self.keep(kept)


def _key(document: Document, name: str) -> bytes | None:
    """Identity of a document's sentences; ``None`` where they are not kept."""
    made_by = maker(name)
    if made_by is None:
        return None
    blocks = [(block.kind, block.start, block.end, block.content) for block in document.blocks]
    told = repr((made_by, document.format, document.language, blocks, len(document.text)))
    digest = hashlib.blake2b(told.encode("utf-8", "surrogatepass"), digest_size=16)
    digest.update(document.text.encode("utf-8", "surrogatepass"))
    return digest.digest()


@cache
def maker(name: str) -> str | None:
    """Identity of a splitter: its model, its libraries and our own rules; ``None`` where nothing is kept of it.

    That is: where it has no model, or where what made it cannot be told.
    """
    if name != KIWI and not name.startswith(PREFIX):
        return None
    libraries = ("kiwipiepy", "kiwipiepy_model") if name == KIWI else ("spacy", "thinc", "blis", package(name))
    try:
        versions = [f"{library} {version(library)}" for library in libraries]
    except PackageNotFoundError:
        return None
    try:
        sources = [pkgutil.get_data(__package__, f"{module}.py") or b"" for module in _MAKERS]
    except OSError:  # shipped without it
        return None
    rules = hashlib.blake2b(b"\0".join(sources), digest_size=16).hexdigest()
    return repr((name, versions, rules, unicodedata.unidata_version))


def _packed(some: Sentences) -> bytes:
    """Spans as the spaces between them, their lengths and the steps from block to block, each in as few bytes as do."""
    starts, ends = some.spans.T
    columns = (starts - np.concatenate(([0], ends))[:-1], ends - starts, np.diff(some.block, prepend=0))
    sizes = [next(size for size in _SIZES if column.max(initial=0) < 256**size) for column in columns]
    parts = [column.astype(f"<u{size}").tobytes() for column, size in zip(columns, sizes, strict=True)]
    return bytes(sizes) + b"".join(parts)


def _unpacked(blob: bytes, document: Document, name: str) -> Sentences:
    sizes = list(blob[:3])
    count = (len(blob) - 3) // sum(sizes)
    columns: list[npt.NDArray[np.int64]] = []
    offset = 3
    for size in sizes:
        columns.append(np.frombuffer(blob, f"<u{size}", count, offset).astype(np.int64))
        offset += size * count
    spaces, lengths, steps = columns
    ends = np.cumsum(spaces + lengths)
    return Sentences(document, np.stack((ends - lengths, ends), axis=1), np.cumsum(steps), name)
