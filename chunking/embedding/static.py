"""The encoder ``static``: one vector a word piece, distilled from all-MiniLM-L6-v2; needs no torch.

A text's vector is the sum of the vectors of its word pieces, normalised. The vectors are whole numbers, and so are the
sums and their squares: nothing is rounded before the last step, so a text has the same vector on every machine, in any
batch and any order. How the vectors were made, and what they are good and bad at, is in ``STATIC.md`` beside this file.
"""

from __future__ import annotations

import hashlib
import io
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from chunking.embedding.encoders import UNLIMITED, EncoderInfo
from chunking.errors import ChunkscopeError
from chunking.runtime.arrays import Float32, Int64
from chunking.tokens.word_pieces import WordCache, words_of

if TYPE_CHECKING:
    import tokenizers

STATIC_SHA256 = "1a38a4abd2314291d495cb15d1dfd531e25b80449779dd6d41ff37edbbb37fbc"
"""SHA-256 of :data:`STATIC_FILE`."""

STATIC_FILE = Path(__file__).with_name("static.npz")
"""The vectors and the vocabulary, see :class:`_Table`."""

_UNKNOWN = "[UNK]"
_LONGEST_WORD = 100
"""Characters of a word, above which it is one unknown piece, as in the vocabulary's original."""

_BATCH = 256
"""Texts that are summed at a time: their pieces fit the processor's cache."""


@dataclass(frozen=True, eq=False)
class _Table:
    """The vectors of all word pieces.

    Attributes:
        vectors: ``(n_pieces, dimension)`` int8; the zero vector for a piece that says nothing.
        tokenizer: cuts a word into pieces.
    """

    vectors: npt.NDArray[np.int8]
    tokenizer: tokenizers.Tokenizer


class Static:
    """A vector for each word piece, the sum of a text's pieces normalised.

    A text without a known piece (empty, white space, characters of no piece) gets the first axis, so that every vector
    has length 1.
    """

    name = "static"
    key = f"static/{STATIC_SHA256}"
    dimension = 256
    max_tokens = UNLIMITED
    languages = ("en",)
    words_apart = True
    """Word pieces are cut word by word, see :class:`chunking.embedding.own_tokens.EncoderTokens`."""

    @cached_property
    def _words(self) -> WordCache[tuple[int, ...]]:
        return WordCache(_table().tokenizer, lambda encoding: tuple(encoding.ids))

    def encode(self, texts: Sequence[str]) -> Float32:
        """Return the vectors of texts: ``(n, 256)`` float32, each of length 1.

        Raises:
            ChunkscopeError: the file of vectors is missing or damaged.
        """
        vectors = np.empty((len(texts), self.dimension), dtype=np.float32)
        for start in range(0, len(texts), _BATCH):
            batch = [words_of(text) for text in texts[start : start + _BATCH]]
            vectors[start : start + _BATCH] = self._sums(batch)
        return vectors

    def token_counts(self, texts: Sequence[str]) -> Int64:
        """Return the word pieces of each text: ``(n,)`` int64. There is no limit."""
        words = [words_of(text) for text in texts]
        by_word = self._words.read({word for text_words in words for word in text_words})
        return np.array([sum(len(by_word[word]) for word in text_words) for text_words in words], dtype=np.int64)

    def _sums(self, texts: Sequence[Sequence[str]]) -> Float32:
        """Return the vectors of texts that are given as words."""
        by_word = self._words.read({word for words in texts for word in words})
        rows = [[piece for word in words for piece in by_word[word]] for words in texts]
        lengths = np.fromiter(map(len, rows), dtype=np.int64, count=len(rows))
        pieces = np.fromiter((piece for row in rows for piece in row), dtype=np.int64, count=int(lengths.sum()))
        sums = _sum_vectors(_table().vectors, pieces, lengths)
        squares = np.einsum("ij,ij->i", sums, sums)
        sums[squares == 0, 0] = 1
        unit: Float32 = (sums / np.sqrt(np.maximum(squares, 1))[:, None]).astype(np.float32)
        return unit


def _sum_vectors(vectors: npt.NDArray[np.int8], pieces: Int64, lengths: Int64) -> Int64:
    """Return ``(n_texts, dimension)`` int64: the sum of each text's vectors."""
    sums = np.zeros((len(lengths), vectors.shape[1]), dtype=np.int64)
    nonempty = np.flatnonzero(lengths)
    if len(nonempty):
        begins = np.concatenate(([0], np.cumsum(lengths[nonempty])[:-1]))
        sums[nonempty] = np.add.reduceat(vectors[pieces], begins, axis=0, dtype=np.int32)
    return sums


@cache
def _table() -> _Table:
    """Read and verify the file of vectors.

    Raises:
        ChunkscopeError: it is missing or damaged.
    """
    remedy = "Install Chunkscope again: its file chunking/embedding/static.npz is part of it."
    try:
        data = STATIC_FILE.read_bytes()
    except OSError as error:
        raise ChunkscopeError(f"The vectors of the encoder static cannot be read: {error}.", remedy) from error
    if hashlib.sha256(data).hexdigest() != STATIC_SHA256:
        raise ChunkscopeError("The vectors of the encoder static are not the ones of this version.", remedy)
    with np.load(io.BytesIO(data)) as arrays:
        vocabulary = arrays["vocabulary"].tobytes().decode("utf-8").split("\n")
        return _Table(arrays["vectors"], tokenizer_of(vocabulary))


def tokenizer_of(vocabulary: Sequence[str]) -> tokenizers.Tokenizer:
    """Return what cuts a word into the pieces of a vocabulary: in lower case, without accents, as BERT does."""
    from tokenizers import Tokenizer
    from tokenizers.models import WordPiece
    from tokenizers.normalizers import BertNormalizer
    from tokenizers.pre_tokenizers import BertPreTokenizer

    numbered = {piece: number for number, piece in enumerate(vocabulary)}
    model = WordPiece(numbered, unk_token=_UNKNOWN, max_input_chars_per_word=_LONGEST_WORD)
    tokenizer = Tokenizer(model)
    tokenizer.normalizer = BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = BertPreTokenizer()
    return tokenizer


INFO = EncoderInfo(
    Static.name,
    "static (built in)",
    "A vector for each word piece, fitted to all-MiniLM-L6-v2: tens of thousands of sentences a second, without a "
    "model to load, the same on every machine. It knows words, not their order, and English best.",
    Static.languages,
)
