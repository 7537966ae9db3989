"""Token counts by the encoder's own tokenizer, so that a limit of size can be the limit of the encoder.

A chunk of 240 tokens of ``cl100k_base`` may have 600 word pieces of an English encoder in Russian: what exceeds the
encoder's limit is truncated. Counted in the encoder's own tokens, a maximum means what the encoder reads.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from chunking.embedding.encoders import Encoder
from chunking.errors import ChunkscopeError
from chunking.runtime.arrays import Bools, Int64

AS_ENCODER = "encoder"
"""The name that selects the tokenizer of the encoder, whichever encoder is chosen."""


class EncoderTokens:
    """The tokens of texts as the encoder counts them, without its prompt and special tokens.

    Args:
        encoder: counts.
        words_apart: whether no token of it contains white space or depends on the white space around it, so that texts
            can be counted word by word.
    """

    def __init__(self, encoder: Encoder, words_apart: bool) -> None:
        self.name = f"{AS_ENCODER}:{encoder.name}"
        self._encoder = encoder
        self._words_apart = words_apart
        self._around = int(encoder.token_counts([""])[0])

    def count(self, texts: Sequence[str]) -> Int64:
        """Return the number of tokens of each text: ``(n,)`` int64."""
        counts = self._encoder.token_counts(texts) if texts else np.zeros(0, dtype=np.int64)
        return np.maximum(counts - self._around, 0)

    def seams(self, text: str) -> Bools:
        """Return the places that no token can straddle, see :meth:`chunking.tokens.TokenCounter.seams`."""
        seams = np.ones(len(text) + 1, dtype=np.bool_)
        space = np.fromiter((character in " \t\n\r" for character in text), dtype=np.bool_, count=len(text))
        seams[1:-1] = (space[:-1] | space[1:]) if self._words_apart else False
        return seams


def own_tokens(encoder: Encoder) -> EncoderTokens:
    """Return the counter of an encoder's own tokens, the same object for the same encoder.

    Raises:
        ChunkscopeError: it has none, or they are unknown.
    """
    counter = _counters.get(id(encoder))  # a counter holds its encoder, so no other has its identity meanwhile
    if counter is not None:
        return counter
    if not encoder.token_counts(["word"])[0]:
        raise ChunkscopeError(
            f"The encoder {encoder.name!r:.120} has no tokenizer that can be used here.",
            "Choose cl100k_base or all-MiniLM-L6-v2 as the tokenizer, or another encoder.",
        )
    counter = _counters.setdefault(id(encoder), EncoderTokens(encoder, bool(getattr(encoder, "words_apart", False))))
    for older in list(_counters)[:-_KEPT]:
        _counters.pop(older, None)
    return counter


_KEPT = 8
_counters: dict[int, EncoderTokens] = {}
