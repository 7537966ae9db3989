"""Models of sentence-transformers: texts in batches of similar length, and the vectors of single tokens."""

from __future__ import annotations

import importlib
import threading
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol, runtime_checkable

import numpy as np

from chunking.embedding.encoders import PRECISION, Encoder
from chunking.errors import ChunkscopeError
from chunking.runtime.arrays import Float32, Int64
from chunking.tokens import well_formed

BATCH_TOKENS = 1024
"""Tokens per forward pass, with padding: few enough that activations stay in the processor's cache, and that long texts
take no more memory than short ones."""


class BatchEncoder:
    """A loaded sentence-transformers model that encodes texts in batches of similar length.

    Batches run in as many threads as torch would use for one product, each computing alone: parallel batches never wait
    for each other; the threads of one product do, at each of its hundred steps.

    Args:
        model: the model; untyped, since its types would make mypy read all of torch.
        prompt: what precedes each text.
    """

    def __init__(self, model: Any, prompt: str = "") -> None:
        torch: Any = importlib.import_module("torch")
        self._torch = torch
        self.model = model
        self._options = {"prompt": prompt} if prompt else {}
        self._threads = ThreadPoolExecutor(torch.get_num_threads(), initializer=torch.set_num_threads, initargs=(1,))

    def encode(self, texts: Sequence[str], lengths: Int64) -> Float32:
        """Return the vectors of texts: ``(n, dimension)`` float32, each of length 1.

        Not thread-safe: tokenizers are not.

        Args:
            texts: at least one text.
            lengths: ``(n,)`` tokens of each text that the model reads, with prompt and special tokens.
        """
        groups = list(batches(lengths))
        # Tokenised lazily here, while the threads run the batches before.
        features = (self.model.preprocess([texts[index] for index in group], **self._options) for group in groups)
        by_length = np.concatenate(list(self._threads.map(self._vectors, features)))
        vectors = np.empty_like(by_length)
        vectors[np.concatenate(groups)] = by_length
        return vectors

    def _vectors(self, features: Any) -> Float32:
        """Return the vectors of one batch, of length 1."""
        torch = self._torch
        with torch.inference_mode():
            if (device := str(getattr(self.model, "device", "cpu"))) != "cpu":
                features = {name: _move_to(value, device) for name, value in features.items()}
            vectors = self.model(features)["sentence_embedding"]
            vectors = torch.nn.functional.normalize(vectors[:, : self._dimension], dim=1).float().cpu().numpy()
        return np.asarray(vectors, dtype=np.float32)

    @property
    def _dimension(self) -> int | None:
        """Return the numbers of a vector that are kept, if the model's settings shorten it."""
        dimension: int | None = getattr(self.model, "truncate_dim", None)
        return dimension


def _move_to(value: Any, device: str) -> Any:
    """Return a tensor on a device; anything else as it is."""
    return value.to(device) if hasattr(value, "to") else value


def batches(lengths: Int64, limit: int = BATCH_TOKENS) -> Iterator[list[int]]:
    """Yield places of texts of similar length; a batch has at most ``limit`` tokens with padding, or one text.

    The longest come first, so that no thread is left with a long one at the end.
    """
    group: list[int] = []
    for index in np.argsort(-lengths, kind="stable").tolist():
        if group and (len(group) + 1) * int(lengths[group[0]]) > limit:
            yield group
            group = []
        group.append(index)
    yield group


_WINDOWS = 8
"""Windows per forward pass."""


@dataclass(frozen=True, eq=False)
class TokenVectors:
    """The tokens of a text, without special ones.

    Attributes:
        starts: ``(n,)`` int64, where each begins in the text, ascending.
        vectors: ``(n, dim)`` float32.
    """

    starts: Int64
    vectors: Float32


@runtime_checkable
class TokenEncoder(Encoder, Protocol):
    """An encoder that gives the vectors of single tokens, read with the text around them."""

    def token_starts(self, text: str) -> Int64:
        """Return where each token of a text begins, however long the text is: ``(n,)`` int64, ascending.

        Raises:
            ChunkscopeError: the model does not average token vectors, or cannot be loaded.
        """
        ...

    def token_vectors(self, texts: Sequence[str]) -> list[TokenVectors]:
        """Return the tokens of each text up to :attr:`max_tokens`.

        Raises:
            ChunkscopeError: as :meth:`token_starts`.
        """
        ...

    @property
    def token_room(self) -> int:
        """Tokens of a text that are read at once, beside special ones and a prompt."""
        ...


def check_averages(model: Any, name: str) -> None:
    """Raise where the vector of a text is not the mean of its token vectors, or tokens have no places."""
    supported = {"Transformer", "Pooling", "Normalize", "Dropout"}
    others = [type(module).__name__ for module in model if type(module).__name__ not in supported]
    modes = [_pooling(module) for module in model if type(module).__name__ == "Pooling"]
    if others or modes != ["mean"] or not getattr(model.tokenizer, "is_fast", False):
        raise ChunkscopeError(
            f"The encoder {name!r:.120} does not average token vectors, so late chunking is undefined for it.",
            REMEDY,
        )


REMEDY = (
    "Use embed=chunk, headings or title with it; or embed=late with all-MiniLM-L6-v2 or another model of "
    "sentence-transformers with mean pooling."
)


def _pooling(module: Any) -> str:
    """Return the pooling of a module by its name."""
    settings = module.get_config_dict()
    if "pooling_mode" in settings:
        return str(settings["pooling_mode"])
    modes = [key.removeprefix("pooling_mode_") for key, value in settings.items() if value is True]
    return "+".join(mode.removesuffix("_tokens") for mode in modes if mode != "include_prompt")


def _token_starts(model: Any, text: str) -> Int64:
    """Return where each token of a text begins: ``(n,)`` int64."""
    encoding = model.tokenizer(
        text, add_special_tokens=False, return_offsets_mapping=True, truncation=False, verbose=False
    )
    return np.array([start for start, end in encoding["offset_mapping"] if end > start], dtype=np.int64)


def _token_vectors(model: Any, texts: Sequence[str], limit: int, prompt: str = "") -> list[TokenVectors]:
    """Return the tokens of each text.

    Args:
        model: a SentenceTransformer.
        texts: the texts.
        limit: most tokens that are read of each, with special ones and the prompt.
        prompt: put before each text; its tokens are left out.
    """
    vectors: list[TokenVectors] = []
    for first in range(0, len(texts), _WINDOWS):
        vectors += _read_windows(model, [prompt + text for text in texts[first : first + _WINDOWS]], limit, len(prompt))
    return vectors


def _read_windows(model: Any, texts: Sequence[str], limit: int, skipped: int) -> list[TokenVectors]:
    torch: Any = importlib.import_module("torch")
    features = model.tokenizer(
        list(texts), return_offsets_mapping=True, padding=True, truncation=True, max_length=limit, return_tensors="pt"
    )
    offsets = features.pop("offset_mapping").numpy()
    with torch.inference_mode():
        read = {name: value.to(model.device) for name, value in features.items()}
        rows = model[0](read)["token_embeddings"].float().cpu().numpy()
    is_token = (offsets[..., 1] > offsets[..., 0]) & (offsets[..., 0] >= skipped)  # special tokens have no characters
    return [
        TokenVectors(offset[real, 0].astype(np.int64) - skipped, row[real].astype(np.float32))
        for offset, row, real in zip(offsets, rows, is_token, strict=True)
    ]


class TransformerModel(ABC):
    """An encoder by a model of sentence-transformers, which is loaded when it is first needed."""

    name: str
    _longest = 8192
    """Tokens of a text that are read at once for the vectors of tokens, of a model without a limit."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._precision = PRECISION.name

    @property
    def _version(self) -> str:
        """What the key of its vectors has for its precision: nothing for the usual one."""
        return "" if self._precision == PRECISION.names[0] else f"/{self._precision}"

    @property
    @abstractmethod
    def dimension(self) -> int:
        """Length of a vector."""

    @property
    @abstractmethod
    def max_tokens(self) -> int:
        """Most tokens of a text that are read, including special tokens."""

    @property
    def _prompt(self) -> str:
        """What precedes each text."""
        return ""

    @abstractmethod
    def _load(self) -> Any:
        """Load the model; the lock is held."""

    @abstractmethod
    def token_counts(self, texts: Sequence[str]) -> Int64:
        """Return the tokens of each text, see :class:`chunking.embedding.Encoder`."""

    def _lengths(self, texts: Sequence[str]) -> Int64:
        """Return the tokens of each text, or more than it has if they cannot be counted: ``(n,)`` int64."""
        return self.token_counts(texts)

    @cached_property
    def _encoder(self) -> BatchEncoder:
        return BatchEncoder(self._load(), self._prompt)

    @property
    def _model(self) -> Any:
        """The loaded model; the lock is held."""
        return self._encoder.model

    def encode(self, texts: Sequence[str]) -> Float32:
        """Return the vectors of texts: ``(n, dimension)`` float32, each of length 1.

        Raises:
            ChunkscopeError: the model cannot be loaded, or is not the original one.
        """
        if not texts:
            return np.zeros((0, self.dimension), dtype=np.float32)
        readable = [well_formed(text) for text in texts]
        with self._lock:  # loaded by one thread; its tokenizer is not thread-safe
            return self._encoder.encode(readable, np.minimum(self._lengths(readable), self.max_tokens))

    @property
    def token_room(self) -> int:
        """Tokens of a text that are read at once, beside special ones and the prompt."""
        return max(min(self.max_tokens, self._longest) - int(self.token_counts([""])[0]), 2)

    def token_starts(self, text: str) -> Int64:
        """Return where each token of a text begins, however long the text is: ``(n,)`` int64.

        Raises:
            ChunkscopeError: the model does not average token vectors, or cannot be loaded.
        """
        with self._lock:
            check_averages(self._model, self.name)
            return _token_starts(self._model, well_formed(text))

    def token_vectors(self, texts: Sequence[str]) -> list[TokenVectors]:
        """Return the tokens of each text up to the limit, read with the text around them.

        Raises:
            ChunkscopeError: as :meth:`token_starts`.
        """
        readable = [well_formed(text) for text in texts]
        with self._lock:
            check_averages(self._model, self.name)
            return _token_vectors(self._model, readable, min(self.max_tokens, self._longest), self._prompt)
