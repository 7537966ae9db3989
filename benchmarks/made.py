"""Generated documents for the benchmark: English-like sentences with layout, vectors that drift from topic to topic."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from chunking import from_text, load, sentences
from chunking.document import Document
from chunking.embedding import get_encoder
from chunking.embedding.vector_cache import default_cache
from chunking.runtime.arrays import Float32
from chunking.sentences import Sentences
from chunking.workspace import DocumentAnalysis

_SYLLABLES = tuple("ka lo mi ten sar vel dor an ri qua ble stro fen gi hal op zu ne ter wy".split(" "))  # noqa: SIM905
_TOPIC = 12
"""Sentences of one topic."""
_PARAGRAPH = 4
_DIMENSION = 384


def text(count: int, seed: int = 0) -> str:
    """Return a Markdown text of ``count`` sentences: a heading every 40, a list item every 25, paragraphs of four."""
    random = np.random.default_rng(seed)
    words = ["".join(random.choice(_SYLLABLES, random.integers(1, 4))) for _ in range(4000)]
    parts: list[str] = []
    for number in range(count):
        if number % 40 == 0:
            parts.append(f"\n\n{'#' * (1 + number // 40 % 3)} {' '.join(random.choice(words, 3)).capitalize()}\n\n")
            continue
        sentence = " ".join(random.choice(words, random.integers(6, 26))).capitalize() + "."
        if number % 25 == 0:
            parts.append(f"\n\n- {sentence}\n\n")
        else:
            parts.append(sentence + ("\n\n" if number % _PARAGRAPH == 0 else " "))
    return "".join(parts).lstrip()


def vectors(count: int, seed: int = 0) -> Float32:
    """Return ``(count, 384)`` float32 of unit length, scattered about a direction that changes every dozen
    sentences.
    """
    random = np.random.default_rng(seed)
    topics = random.standard_normal((count // _TOPIC + 1, _DIMENSION), dtype=np.float32)
    made = np.repeat(topics, _TOPIC, axis=0)[:count] + random.standard_normal((count, _DIMENSION), dtype=np.float32)
    length = np.linalg.norm(made, axis=1, keepdims=True)
    unit: Float32 = made / length
    return unit


def document(count: int) -> tuple[Document, Sentences]:
    """Return a document and its sentences, by the rules, which need no model."""
    made = from_text(text(count), f"made-{count}.md", "markdown", language="en")
    return made, sentences.split(made, "rules")


def file(folder: Path, count: int) -> Path:
    """Return a file of ``count`` sentences whose vectors are in the cache that a server uses."""
    path = folder / f"made-{count}.md"
    path.write_text(text(count), encoding="utf-8")
    units = sentences.split(load(path.read_bytes(), path.name))
    default_cache().put_many(get_encoder().key, units.texts, vectors(len(units)))
    return path


def workspace(count: int) -> DocumentAnalysis:
    """Return a document with vectors, as it is after embedding."""
    made, units = document(count)
    return DocumentAnalysis(made, precomputed=(units, vectors(len(units))))
