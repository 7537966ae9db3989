"""What both adapters are tried on: strategies and texts, with an encoder that loads no model."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pytest

from chunking import ChunkscopeError, embedding, from_text, strategies
from chunking.runtime.arrays import Float32, Int64
from chunking.strategies import Segmentation
from chunking.workspace import DocumentAnalysis, Models

MARKDOWN = (
    "# Tea\n\nBoil the water. Wait a little; then pour it. Stir twice.\n\n## Green\n\nCool it first. Serve it.\n\n"
    "# Bread\n\nKnead the dough. Let it rest. Bake it well. Bake it well. Bake it well.\n\n- flour\n- salt\n"
)
PLAIN = "Bake it well. Bake it well. Bake it well. Ça va 🙂. Bake it well. The end of the text, at last.\n" * 3
TEXTS = {"note.md": MARKDOWN, "plain.txt": PLAIN, "empty.txt": ""}


class Hashed:
    """An encoder whose vectors are as good as random and always the same."""

    name, key, dimension, max_tokens, languages = embedding.DEFAULT_ENCODER, "hashed", 8, 256, ("en",)

    def __init__(self) -> None:
        self.encoded: list[str] = []

    def encode(self, texts: Sequence[str]) -> Float32:
        self.encoded += texts
        digests = [hashlib.blake2b(text.encode(), digest_size=self.dimension).digest() for text in texts]
        vectors = np.array([list(digest) for digest in digests], dtype=np.float32) - 127.5
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        return vectors

    def token_counts(self, texts: Sequence[str]) -> Int64:
        return np.array([len(text.split()) for text in texts], dtype=np.int64)


@pytest.fixture(autouse=True)
def encoder(monkeypatch: pytest.MonkeyPatch, tmp_path: object) -> Hashed:
    made = Hashed()
    monkeypatch.setitem(embedding._encoders, embedding.DEFAULT_ENCODER, made)
    monkeypatch.setenv("CHUNKSCOPE_CACHE", str(tmp_path))
    return made


@dataclass(frozen=True)
class Case:
    """A strategy by name, with an overlap where it takes one."""

    name: str

    @property
    def setting(self) -> str:
        known = {parameter.name for parameter in strategies.get(self.name).params.describe()}
        return f"{self.name}:overlap=1" if "overlap" in known else self.name

    def taken(self, texts: dict[str, str]) -> dict[str, str]:
        """The texts that the strategy takes: a peer may refuse some."""
        taken = dict(texts)
        for name, text in texts.items():
            try:
                self.expected(text, name)
            except ChunkscopeError:
                del taken[name]
        return taken

    def expected(self, text: str, name: str) -> Segmentation:
        """What Chunkscope itself makes of a text."""
        format = "markdown" if name.endswith(".md") else "text"
        document = from_text(text, name, format, "en")
        return strategies.parse(self.setting).run(DocumentAnalysis(document, Models(splitter="rules")))


@pytest.fixture(params=strategies.REGISTRY)
def case(request: pytest.FixtureRequest) -> Case:
    if not strategies.get(request.param).installed():
        pytest.skip(f"{request.param} needs a library that is not installed")
    return Case(request.param)


@pytest.fixture
def texts() -> dict[str, str]:
    return TEXTS
