"""Texts encoded in batches of similar length, each limited by its tokens, several at a time on the processor."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from chunking.runtime.arrays import Float32, Int64

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
        features = (self.model.preprocess([texts[place] for place in group], **self._options) for group in groups)
        found = np.concatenate(list(self._threads.map(self._vectors, features)))
        vectors = np.empty_like(found)
        vectors[np.concatenate(groups)] = found
        return vectors

    def _vectors(self, features: Any) -> Float32:
        """Return the vectors of one batch, of length 1."""
        torch = self._torch
        with torch.inference_mode():
            if (device := str(getattr(self.model, "device", "cpu"))) != "cpu":
                features = {name: _moved(value, device) for name, value in features.items()}
            vectors = self.model(features)["sentence_embedding"]
            vectors = torch.nn.functional.normalize(vectors[:, : self._dimension], dim=1).cpu().numpy()
        return np.asarray(vectors, dtype=np.float32)

    @property
    def _dimension(self) -> int | None:
        """Return the numbers of a vector that are kept, if the model's settings shorten it."""
        kept: int | None = getattr(self.model, "truncate_dim", None)
        return kept


def _moved(value: Any, device: str) -> Any:
    """Return a tensor on a device; anything else as it is."""
    return value.to(device) if hasattr(value, "to") else value


def batches(lengths: Int64, limit: int = BATCH_TOKENS) -> Iterator[list[int]]:
    """Yield places of texts of similar length; a batch has at most ``limit`` tokens with padding, or one text.

    The longest come first, so that no thread is left with a long one at the end.
    """
    group: list[int] = []
    for place in np.argsort(-lengths, kind="stable").tolist():
        if group and (len(group) + 1) * int(lengths[group[0]]) > limit:
            yield group
            group = []
        group.append(place)
    yield group
