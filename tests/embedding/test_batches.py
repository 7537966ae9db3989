"""Texts in batches of similar length: their size, their order, and what runs where."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunking.embedding.transformer import BATCH_TOKENS, BatchEncoder, batches


@given(st.lists(st.integers(0, 3000), min_size=1, max_size=200))
def test_batches_hold_each_text_once_and_keep_their_size(lengths: list[int]) -> None:
    found = list(batches(np.array(lengths)))
    assert sorted(place for batch in found for place in batch) == list(range(len(lengths)))
    for batch in found:
        longest = max(lengths[place] for place in batch)
        assert len(batch) == 1 or len(batch) * longest <= BATCH_TOKENS
    order = [lengths[place] for batch in found for place in batch]
    assert order == sorted(order, reverse=True)


class LengthModel:
    """A model whose vectors tell the length of a text, and which remembers its batches."""

    def __init__(self) -> None:
        self.batches: list[list[str]] = []
        self.threads: set[int] = set()

    def preprocess(self, texts: list[str], prompt: str = "") -> dict[str, Any]:
        self.batches.append([prompt + text for text in texts])
        return {"texts": self.batches[-1]}

    def __call__(self, features: dict[str, list[str]]) -> dict[str, Any]:
        torch = pytest.importorskip("torch")
        self.threads.add(threading.get_ident())
        rows = [[float(len(text)), 1.0, 5.0] for text in features["texts"]]
        return {"sentence_embedding": torch.tensor(rows)}


def test_vectors_are_those_of_the_texts_in_their_order() -> None:
    pytest.importorskip("torch")
    texts = ["a" * (7 * number % 61 + 1) for number in range(200)]
    model = LengthModel()
    vectors = BatchEncoder(model).encode(texts, np.array([len(text) for text in texts]))
    assert vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1)
    assert np.allclose(vectors[:, 0] / vectors[:, 1], [len(text) for text in texts], rtol=1e-5)
    assert len(model.batches) > 3
    assert max(len(batch) * len(batch[0]) for batch in model.batches) <= BATCH_TOKENS
    assert threading.get_ident() not in model.threads


def test_the_prompt_precedes_each_text_and_a_shortened_vector_has_length_one() -> None:
    pytest.importorskip("torch")
    model: Any = LengthModel()
    model.truncate_dim = 2
    vectors = BatchEncoder(model, "title: ").encode(["a", "bcd"], np.array([8, 10]))
    assert model.batches == [["title: bcd", "title: a"]]
    assert vectors.shape == (2, 2)
    assert np.allclose(vectors[:, 0] / vectors[:, 1], [8, 10], rtol=1e-5)


def test_a_failure_in_a_batch_is_raised() -> None:
    pytest.importorskip("torch")

    class Failing(LengthModel):
        def __call__(self, features: dict[str, list[str]]) -> dict[str, Any]:
            raise MemoryError("no room")

    with pytest.raises(MemoryError, match="no room"):
        BatchEncoder(Failing()).encode(["a", "b"], np.array([1, 1]))
