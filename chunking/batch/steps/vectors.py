"""The vectors of a part's texts, by their content: a text is embedded once, whichever strategies it is a chunk of.

They are kept at half the size: :func:`chunking.embedding.embed` gives numbers that float16 holds exactly. No cache
that other runs fill is used, since a text's vector depends, in its last bit, on the texts that it was encoded with;
here they are the same whether a run was stopped or not.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from chunking import embedding
from chunking.batch.storage import files, storage
from chunking.runtime.arrays import Bools, Float32, Int64


class VectorFiles:
    """The vectors of a part, in the files of a folder.

    Args:
        folder: of the part.
        encoder: name of the encoder.
    """

    def __init__(self, folder: str, encoder: str) -> None:
        self._folder = folder
        self._encoder = embedding.get_encoder(encoder)
        self.embedded = 0
        self._place: dict[bytes, int] = {}
        self._vectors: list[npt.NDArray[np.float16]] = []
        self._long: list[Bools] = []
        for path in storage.listed(folder):
            found = files.read_arrays(path)
            if found is not None:
                self._add(found["key"].tobytes(), found["vector"], found["long"])

    def embed(self, texts: Sequence[str]) -> None:
        """Have the vectors of texts; what is missing is encoded, together, and in its file before this returns."""
        missing = {name: text for text in texts if (name := files.key(text)) not in self._place}
        if not missing:
            return
        some = list(missing.values())
        vectors = embedding.embed(some, self._encoder).astype(np.float16)
        long = embedding.truncated(some, self._encoder)
        keys = b"".join(missing)
        path = f"{self._folder}/{hashlib.sha256(keys).hexdigest()[:16]}.npz"
        files.write_arrays(path, {"key": np.frombuffer(keys, dtype=np.uint8), "vector": vectors, "long": long})
        self._add(keys, vectors, long)
        self.embedded += len(some)

    def _add(self, keys: bytes, vectors: npt.NDArray[np.float16], long: Bools) -> None:
        size = files.KEY_BYTES
        base = sum(map(len, self._vectors))
        for place in range(len(vectors)):
            self._place.setdefault(keys[size * place : size * (place + 1)], base + place)
        self._vectors.append(vectors)
        self._long.append(long)

    def __contains__(self, key: bytes) -> bool:
        return key in self._place

    def of(self, keys: Sequence[bytes]) -> Float32:
        """Return ``(n, dim)`` float32 of texts by their keys; :class:`KeyError` where one is missing."""
        if not keys:
            return np.zeros((0, self._encoder.dimension), dtype=np.float32)
        if len(self._vectors) > 1:
            self._vectors = [np.concatenate(self._vectors)]
        return self._vectors[0][self._places(keys)].astype(np.float32)

    def truncated(self, keys: Sequence[bytes]) -> int:
        """How many of the texts the encoder does not read to the end."""
        return int(np.concatenate(self._long)[self._places(keys)].sum()) if keys else 0

    def _places(self, keys: Sequence[bytes]) -> Int64:
        return np.fromiter((self._place[key] for key in keys), dtype=np.int64, count=len(keys))
