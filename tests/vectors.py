"""Vectors that are made up, so that no model is loaded."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np

from chunking import embedding
from chunking.runtime.arrays import Float32, Int64


def unit(rows: np.ndarray) -> np.ndarray:
    """The rows with a length of one."""
    made: np.ndarray = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return made


def hashed(texts: Sequence[str]) -> Float32:
    """A vector a text, as good as random and always the same for the same text."""
    rows = [np.frombuffer(hashlib.blake2b(text.encode()).digest(), dtype=np.uint8) for text in texts]
    return unit(np.array(rows, dtype=np.float32).reshape(-1, 64))


def topics(sizes: list[int], noise: float = 0.3, dimension: int = 48, seed: int = 3) -> np.ndarray:
    """Vectors of so many sentences a topic, which are near each other within one and far between two."""
    random = np.random.default_rng(seed)
    rows = np.repeat(random.standard_normal((len(sizes), dimension)), sizes, axis=0)
    return unit(rows + noise * random.standard_normal(rows.shape))


def topic_gaps(sizes: list[int]) -> list[int]:
    """The gaps between the topics of such sizes."""
    gaps: list[int] = (np.cumsum(sizes)[:-1] - 1).tolist()
    return gaps


class Hashed:
    """An encoder of such vectors, under the name of the default one for English, that keeps what it is given."""

    name, key, dimension, max_tokens, languages = embedding.Static.name, "hashed", 64, 256, ("en",)

    def __init__(self) -> None:
        self.encoded: list[str] = []

    def encode(self, texts: Sequence[str]) -> Float32:
        self.encoded += texts
        return hashed(texts)

    def token_counts(self, texts: Sequence[str]) -> Int64:
        return np.array([len(text.split()) for text in texts], dtype=np.int64)
