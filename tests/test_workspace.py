"""A document is measured once, whatever is asked of it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pytest

from chunking import embedding, from_text, strategies
from chunking.strategies.gaps import StructuralParameters
from chunking.workspace import Tools, Workspace

TEXT = "# Tea\n\nBoil the water. Wait a little. Pour it slowly.\n\n# Bread\n\nKnead the dough. Let it rest. Bake it.\n"


class Counting:
    """An encoder that counts what it is given."""

    name, key, dimension, max_tokens, languages = "counting", "counting/1", 3, 4, ("en",)

    def __init__(self) -> None:
        self.encoded: list[str] = []

    def encode(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        self.encoded += texts
        rows = [[len(text) % 7 + 1, len(text) % 3, text.count("e")] for text in texts]
        vectors = np.array(rows, dtype=np.float32)
        unit: npt.NDArray[np.float32] = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        return unit

    def token_counts(self, texts: Sequence[str]) -> npt.NDArray[np.int64]:
        return np.array([len(text.split()) for text in texts], dtype=np.int64)


@pytest.fixture
def encoder(monkeypatch: pytest.MonkeyPatch) -> Counting:
    made = Counting()
    monkeypatch.setattr(embedding, "get_encoder", lambda name=embedding.DEFAULT_ENCODER: made)
    return made


def workspace(language: str = "en") -> Workspace:
    return Workspace(from_text(TEXT, language=language), Tools(splitter="rules"))


def test_alpha_percentile_overlap_and_block_never_embed(encoder: Counting) -> None:
    made = workspace()
    strategies.run("structural", made, StructuralParameters())
    first = list(encoder.encoded)
    assert len(first) == 8
    for changed in ({"alpha": 0.1}, {"percentile": 70.0}, {"overlap": 2}, {"block": 1}, {"structure": "reference"}):
        strategies.run("structural", made, StructuralParameters(**changed))
    assert encoder.encoded == first
    strategies.run("structural", made, StructuralParameters(window=1))
    assert len(encoder.encoded) > len(first)


def test_another_tokenizer_shares_everything_but_the_counts(encoder: Counting) -> None:
    made = workspace()
    other = made.counted_by("all-MiniLM-L6-v2")
    assert other.sentences is made.sentences
    assert other.vectors() is made.vectors()
    assert other.grid.counter.name == "all-MiniLM-L6-v2"
    assert made.grid.counter.name == "cl100k_base"


def test_progress_can_stop_the_work_and_it_starts_again(encoder: Counting) -> None:
    made = workspace()

    def stop(done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        made.vectors(0, stop)
    assert not made.embedded()
    assert made.vectors(0).shape == (8, 3)
    assert made.embedded()


def test_warns_of_long_sentences_and_of_another_language(encoder: Counting) -> None:
    assert made_warnings("en") == []
    assert any("trained on en" in warning for warning in made_warnings("de"))
    encoder.max_tokens = 2
    assert any("longer than the 2 tokens" in warning for warning in made_warnings("und"))


def made_warnings(language: str) -> list[str]:
    return list(workspace(language).warnings())
