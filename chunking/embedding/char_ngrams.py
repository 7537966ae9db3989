"""An encoder without a model: it compares the character n-grams of texts, in any language."""

from __future__ import annotations

import importlib
import unicodedata
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from chunking.embedding.encoders import UNLIMITED, EncoderInfo
from chunking.runtime.arrays import Float32, Int64
from chunking.tokens import well_formed

_LEAST, _MOST, _DIMENSION = 2, 4, 1024


class CharNgrams:
    """Character n-grams (2 to 4 characters within words), hashed to 1,024 signed numbers, damped and normalised.

    Words are padded with a space at either end, folded to lower case and normalised (NFKC). A number is
    ``sign(x) · log(1 + |x|)`` of the signed count, so that a frequent n-gram weighs little more than a rare one. A text
    without n-grams (empty or white space), or whose counts cancel out, gets the first axis, so that every vector has
    length 1.
    """

    name = "char-ngrams"
    key = f"char-ngrams/1/char_wb/{_LEAST}-{_MOST}/{_DIMENSION}"
    dimension = _DIMENSION
    max_tokens = UNLIMITED
    languages: tuple[str, ...] = ()

    @cached_property
    def _vectorizer(self) -> Any:
        """scikit-learn's hashing vectorizer, which is stateless: threads may share it."""
        text: Any = importlib.import_module("sklearn.feature_extraction.text")
        return text.HashingVectorizer(
            analyzer="char_wb",
            ngram_range=(_LEAST, _MOST),
            n_features=_DIMENSION,
            norm=None,
            alternate_sign=True,
            preprocessor=_fold,
            dtype=np.float64,
        )

    def encode(self, texts: Sequence[str]) -> Float32:
        """Return the vectors of texts: ``(n, 1024)`` float32, each of length 1."""
        if not texts:
            return np.zeros((0, self.dimension), dtype=np.float32)
        counts = self._vectorizer.transform(texts).toarray()
        damped = np.sign(counts) * np.log1p(np.abs(counts))
        damped[~damped.any(axis=1), 0] = 1.0
        unit: Float32 = (damped / np.linalg.norm(damped, axis=1, keepdims=True)).astype(np.float32)
        return unit

    def token_counts(self, texts: Sequence[str]) -> Int64:
        """Return zeros: there are no tokens, and no limit."""
        return np.zeros(len(texts), dtype=np.int64)


def _fold(text: str) -> str:
    return unicodedata.normalize("NFKC", well_formed(text)).casefold()


INFO = EncoderInfo(
    CharNgrams.name,
    "Shared letters (built in)",
    "No model: it compares the runs of two to four letters that two texts share. It works for every language, at "
    "once and on this machine; its distance measures differences of wording, not of meaning.",
)
