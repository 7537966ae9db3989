"""A disk cache of vectors by content; see :mod:`chunking.runtime.disk_cache` for its guarantees.

The file holds raw little-endian float32 numbers and hashes of texts: no pickles, no code, no texts. Beside it is the
file of the cached sentences.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Sequence
from functools import cached_property, lru_cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

from chunking.runtime.arrays import Bools, Float32
from chunking.runtime.disk_cache import DiskCache, Layout, default_folder
from chunking.sentences.store import SentenceStore

__all__ = ["DEFAULT_MAX_BYTES", "VectorCache", "default_cache", "default_folder"]


DEFAULT_MAX_BYTES = 512 * 2**20
"""Default size limit: 512 MiB, some 300,000 vectors of 384 dimensions."""

_LAYOUT = Layout(
    application=0x43_68_6B_76,  # "Chkv"
    table="vectors",
    value="vector",
    count="dimension",
    unit=4,
    overhead=256,  # measured, rounded up
    page=8192,  # five vectors of 384 dimensions; the default of 4096 would hold two and waste a fifth
    contents="Vectors",
)


def default_cache() -> VectorCache:
    """Return the cache in the default folder."""
    return VectorCache(default_folder() / "vectors-1.sqlite3")


class VectorCache(DiskCache):
    """A bounded cache of vectors by encoder and text, see the module.

    Args:
        path: the database file; it and its folder are created when first needed.
        max_bytes: limit of :attr:`size`.
        clock: returns the time in seconds, for the stamps of last use.
    """

    def __init__(
        self, path: Path | str, max_bytes: int = DEFAULT_MAX_BYTES, clock: Callable[[], float] = time.time
    ) -> None:
        super().__init__(path, _LAYOUT, max_bytes, clock)

    def __reduce__(self) -> tuple[Callable[[Path, int], VectorCache], tuple[Path, int]]:
        """Pickle the place of the file; another process opens it for itself, once."""
        return _open_cache, (self.path.absolute(), self.max_bytes)

    @cached_property
    def sentences(self) -> SentenceStore:
        """The cache of sentences, in a file beside this one."""
        return SentenceStore(self.path.with_name("sentences-1.sqlite3"))

    def close(self) -> None:
        """Close both files; they are opened again when needed."""
        super().close()
        if "sentences" in self.__dict__:
            self.sentences.close()

    def get_many(self, encoder_key: str, texts: Sequence[str], dimension: int) -> tuple[Float32, Bools]:
        """Return the cached vectors of texts.

        Args:
            encoder_key: identity of the encoder's weights.
            texts: ``n`` texts.
            dimension: dimension of the encoder's vectors; a vector of another one counts as damaged.

        Returns:
            ``(n, dimension)`` float32 vectors, zero where missing, and ``(n,)`` bool, whether each was found.
        """
        keys = [_key(encoder_key, text) for text in texts]
        stored = self.read_many(list(dict.fromkeys(keys)), dimension)
        is_cached = np.fromiter((key in stored for key in keys), dtype=np.bool_, count=len(keys))
        vectors = np.zeros((len(texts), dimension), dtype=np.float32)
        blobs = b"".join(stored[key] for key in keys if key in stored)
        vectors[is_cached] = np.frombuffer(blobs, dtype="<f4").reshape(-1, dimension)
        return vectors, is_cached

    def forget(self, text_hash: str) -> bool:
        """Overwrite the vectors and sentences of a document, see :meth:`DiskCache.forget`."""
        return all([super().forget(text_hash), self.sentences.forget(text_hash)])

    def put_many(
        self,
        encoder_key: str,
        texts: Sequence[str],
        vectors: npt.ArrayLike,
        origins: Sequence[str] | None = None,
    ) -> None:
        """Store vectors, all in one transaction. Texts that exist are left as they are.

        Args:
            encoder_key: identity of the encoder's weights.
            texts: ``n`` texts.
            vectors: ``(n, dimension)``, stored as float32.
            origins: hash (hex) of the document that each text is of; ``None`` if that is not known.
        """
        rows = np.ascontiguousarray(vectors, dtype="<f4")
        if rows.ndim != 2 or len(rows) != len(texts):
            raise ValueError("vectors must be one row a text")
        keys = [_key(encoder_key, text) for text in texts]
        self.write_many(
            {key: row.tobytes() for key, row in zip(keys, rows, strict=True)},
            dict(zip(keys, origins, strict=True)) if origins is not None else None,
        )


@lru_cache(maxsize=4)
def _open_cache(path: Path, max_bytes: int) -> VectorCache:
    return VectorCache(path, max_bytes)


def _key(encoder_key: str, text: str) -> bytes:
    content = f"{encoder_key}\0{text}".encode("utf-8", "surrogatepass")
    return hashlib.blake2b(content, digest_size=16).digest()
