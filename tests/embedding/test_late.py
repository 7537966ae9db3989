"""Late chunking: every token is owned by one window, and a chunk's vector is the mean of its tokens in context."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunking import ChunkscopeError, embedding
from chunking.embedding import late
from chunking.embedding.transformer import TokenVectors, check_averages
from chunking.embedding.vector_cache import VectorCache
from chunking.runtime.arrays import Float32, Int64

LETTERS = "abcdefgh"


class Letters:
    """A token for each letter of :data:`LETTERS`, whose vector also has some of the first letter of its window."""

    name, key = "letters", "letters/1"
    dimension = len(LETTERS)
    max_tokens = token_room = 4
    languages: tuple[str, ...] = ()

    def __init__(self) -> None:
        self.read: list[str] = []

    def encode(self, texts: Sequence[str]) -> Float32:
        return np.eye(self.dimension, dtype=np.float32)[[0] * len(texts)]

    def token_counts(self, texts: Sequence[str]) -> Int64:
        return np.array([len(self.token_starts(text)) for text in texts], dtype=np.int64)

    def token_starts(self, text: str) -> Int64:
        return np.array([place for place, letter in enumerate(text) if letter in LETTERS], dtype=np.int64)

    def token_vectors(self, texts: Sequence[str]) -> list[TokenVectors]:
        self.read += texts
        return [TokenVectors(self.token_starts(text), self._vectors(text)) for text in texts]

    def _vectors(self, text: str) -> Float32:
        letters = [LETTERS.index(letter) for letter in text if letter in LETTERS]
        rows = np.eye(self.dimension, dtype=np.float32)[letters]
        rows[:, letters[:1]] += 0.25
        return rows


@given(count=st.integers(0, 60), room=st.integers(2, 12), tail=st.integers(0, 3))
def test_windows_own_every_token_once_and_read_what_they_own(count: int, room: int, tail: int) -> None:
    starts = 2 * np.arange(count, dtype=np.int64) + 1
    length = 2 * count + tail
    parts = late.windows(starts, length, room)
    assert parts[0].own_start == 0 and parts[-1].own_end == length
    for before, after in pairwise(parts):
        assert before.own_end == after.own_start
    for part in parts:
        inside = starts[(starts >= part.start) & (starts < part.end)]
        own = starts[(starts >= part.own_start) & (starts < part.own_end)]
        assert len(inside) <= room
        assert set(own.tolist()) <= set(inside.tolist())


def test_a_vector_is_the_mean_of_the_tokens_of_its_chunk_in_their_windows() -> None:
    encoder = Letters()
    found = late.embed("a b c d", np.array([[0, 3], [3, 7]]), encoder)
    assert encoder.read == ["a b c d"]
    expected = np.zeros((2, encoder.dimension))
    expected[0, :2] = [1.5, 1.0]  # a is the first of its window, so all vectors have some of it
    expected[1, [0, 2, 3]] = [0.5, 1.0, 1.0]
    expected /= np.linalg.norm(expected, axis=1, keepdims=True)
    assert np.abs(found - expected).max() < 1e-3


def test_a_long_document_is_read_in_windows_of_the_limit() -> None:
    encoder = Letters()
    late.embed("abcdefgh", np.array([[0, 8]]), encoder)
    assert encoder.read == ["abcd", "cdef", "efgh"]


def test_a_chunk_without_a_token_is_embedded_alone() -> None:
    found = late.embed("ab -- cd", np.array([[0, 2], [2, 6]]), Letters())
    assert found[1].tolist() == [1.0, *[0.0] * 7]
    assert np.linalg.norm(found, axis=1) == pytest.approx([1.0, 1.0], abs=1e-3)


def test_what_is_in_the_cache_is_not_read_again(tmp_path: Path) -> None:
    cache, encoder = VectorCache(tmp_path / "vectors.sqlite3"), Letters()
    spans = np.array([[0, 3], [3, 8]])
    first = late.embed("abcdefgh", spans, encoder, cache)
    encoder.read.clear()
    assert np.array_equal(late.embed("abcdefgh", spans[::-1], encoder, cache), first[::-1])
    assert encoder.read == []
    assert not np.array_equal(late.embed("hgfedcba", spans, encoder, cache), first)


@pytest.mark.parametrize(("name", "why"), [("static", "would equal embed=chunk"), ("char-ngrams", "no token vectors")])
def test_an_encoder_without_token_vectors_is_refused_with_what_to_do(name: str, why: str) -> None:
    with pytest.raises(ChunkscopeError, match=rf"{why}.*embed=late with all-MiniLM-L6-v2"):
        late.embed("text", np.array([[0, 4]]), embedding.get_encoder(name))


class Module:
    def get_config_dict(self) -> dict[str, object]:
        return {"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": False, "include_prompt": True}


def test_a_model_that_does_not_average_its_tokens_is_refused() -> None:
    class Pooling(Module):
        pass

    class Model(list[object]):
        tokenizer = None

    with pytest.raises(ChunkscopeError, match="does not average token vectors"):
        check_averages(Model([Pooling()]), "cls")


def test_of_a_text_that_fits_the_model_the_tokens_make_the_vector_of_the_text() -> None:
    """Beside the two special tokens, which belong to no chunk."""
    encoder = embedding.get_encoder("all-MiniLM-L6-v2")
    text = "The keeper lights the lamp at dusk."
    (alone,) = encoder.encode([text])
    (whole,) = late.embed(text, np.array([[0, len(text)]]), encoder)
    assert float(alone @ whole) > 0.98
    parts = late.embed(text, np.array([[0, 10], [10, len(text)]]), encoder)
    (subject,) = encoder.encode([text[:10]])
    assert float(parts[0] @ alone) > float(subject @ alone) + 0.05  # it knows what the keeper does


def test_the_model_knows_where_its_tokens_begin() -> None:
    encoder = late.check(embedding.get_encoder("all-MiniLM-L6-v2"))
    assert encoder.token_starts("Ünder the lamp,\n oil").tolist() == [0, 6, 10, 14, 17]
    (found,) = encoder.token_vectors(["the lamp"])
    assert found.starts.tolist() == [0, 4] and found.vectors.shape == (2, 384)
