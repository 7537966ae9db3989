"""The sentences that the static encoder is fitted to: named files of text, no sentence twice."""

from __future__ import annotations

import gzip
import hashlib
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

TEXT = (
    "18f_handbook", "austen", "darwin", "eips", "holmes", "k8s_community",
    "keps", "meetings", "python_devguide", "rust_rfcs", "smith", "sociology",
)  # fmt: skip
"""Files of ``text/``: paragraphs, which are split into sentences."""

UNITS = {"task_dialogue": 20_000, "meeting": 30_000, "textbook": 60_000, "technical": 60_000}
"""Files of ``boundaries/``, and the most units that are taken of each."""

_BETWEEN_SENTENCES = re.compile(r"""(?<=[.!?])\s+(?=["'(\[]*[A-Z0-9])""")
"""Coarser than the product's own rules, and independent of them: better rules must not change what is fitted."""

LONGEST = 600
"""Characters of the longest text taken: MiniLM reads some 1,000, and one vector for more says little."""


@dataclass(frozen=True)
class Source:
    """The texts of one file, each once and in none of the files before it."""

    name: str
    texts: tuple[str, ...]


def read_corpus(folder: Path) -> list[Source]:
    """Return the sources of a data folder, in a fixed order.

    Raises:
        FileNotFoundError: a file is missing.
    """
    seen: set[str] = set()
    sources = [_source(name, _sentences(folder / "text" / f"{name}.jsonl.gz"), seen) for name in TEXT]
    for name, most in UNITS.items():
        source = _source(name, _units(folder / "boundaries" / f"{name}.jsonl.gz"), seen)
        sources.append(Source(name, _sample(source.texts, most)))
    return sources


def _source(name: str, texts: Iterator[str], seen: set[str]) -> Source:
    kept = []
    for text in texts:
        text = " ".join(text.split())
        if 3 <= len(text) <= LONGEST and text not in seen and any(map(str.isalpha, text)):
            seen.add(text)
            kept.append(text)
    return Source(name, tuple(kept))


def _sample(texts: tuple[str, ...], most: int) -> tuple[str, ...]:
    """Return those texts whose hashes are the least, in their order: the same on every machine."""
    ranked = sorted(range(len(texts)), key=lambda place: hashlib.sha256(texts[place].encode()).digest())
    return tuple(texts[place] for place in sorted(ranked[:most]))


def _rows(path: Path) -> Iterator[dict[str, object]]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)


def _sentences(path: Path) -> Iterator[str]:
    for row in _rows(path):
        yield from _BETWEEN_SENTENCES.split(str(row["text"]))


def _units(path: Path) -> Iterator[str]:
    for row in _rows(path):
        units = row["units"]
        assert isinstance(units, list)
        yield from map(str, units)
