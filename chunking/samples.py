"""The documents that come with Chunkscope: a text, gold boundaries, and vectors so that no model is needed to begin.

A sample is ``NAME.md`` or ``NAME.txt`` with ``NAME.json`` (title, what it teaches, language, gold) and ``NAME.npz``
(sentence spans, vectors of sentences and of their windows of three as float16, the hash of their document). The last is
made by ``python -m chunking.samples`` from the other two.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from chunking import embedding, installation, loading, sentences
from chunking.document import Document
from chunking.sentences import Sentences
from chunking.signals.distances import windows
from chunking.workspace import Precomputed

_VECTORS = ("vectors", "windows")
"""Arrays of a sample's vectors: of single sentences, and with a neighbour on either side."""

FOLDER = installation.app_folder() / "sample_docs"


@dataclass(frozen=True, eq=False)
class Sample:
    """A sample document with its gold boundaries, sentences and vectors.

    Attributes:
        name: file name without ending.
        title: what to call it.
        teaches: one sentence on what it shows about chunking.
        document: the text with its layout.
        boundaries: offsets where a person would begin a new segment, ascending, 0 left out.
        precomputed: its sentences and their vectors, if they are bundled and still match the text.
    """

    name: str
    title: str
    teaches: str
    document: Document
    boundaries: tuple[int, ...]
    precomputed: Precomputed | None


def folder_for_commands() -> str:
    """Return the folder of the samples as a command names it: relative if the working directory contains it."""
    here = Path.cwd()
    return (FOLDER.relative_to(here) if FOLDER.is_relative_to(here) else FOLDER).as_posix()


def names(folder: Path = FOLDER) -> list[str]:
    """Return the samples of a folder, in alphabetical order."""
    return sorted(path.stem for path in folder.glob("*.json"))


def load(name: str, folder: Path = FOLDER) -> Sample:
    """Read a sample."""
    about = _about(folder, name)
    path = next(path for suffix in (".md", ".txt") if (path := folder / f"{name}{suffix}").exists())
    document = loading.load(path.read_bytes(), path.name, language=about["language"])
    return Sample(
        name=name,
        title=about["title"],
        teaches=about["teaches"],
        document=document,
        boundaries=tuple(about["gold"]),
        precomputed=_read_precomputed(folder / f"{name}.npz", document),
    )


@cache
def text_hashes() -> frozenset[str]:
    """Return the hashes of the texts that everybody has, see :attr:`chunking.document.Document.text_hash`."""
    return frozenset(load(name).document.text_hash for name in names())


def _about(folder: Path, name: str) -> dict[str, Any]:
    about: dict[str, Any] = json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))
    return about


def _read_precomputed(path: Path, document: Document) -> Precomputed | None:
    if not path.exists():
        return None
    with np.load(path, allow_pickle=False) as arrays:
        if str(arrays["document"]) != document.key:
            return None
        units = Sentences(
            document, arrays["spans"].astype(np.int64), arrays["block"].astype(np.int64), str(arrays["splitter"])
        )
        return units, *(arrays[name].astype(np.float32) for name in _VECTORS)


def write_vectors(name: str, folder: Path = FOLDER) -> None:
    """Split and embed a sample, and keep the result beside it."""
    path = folder / f"{name}.npz"
    path.unlink(missing_ok=True)  # what an older program wrote may not be readable
    document = load(name, folder).document
    units = sentences.split(document)
    encoder = embedding.get_encoder()
    embedded = [embedding.embed(windows(units.texts, window), encoder) for window in (0, 1)]
    np.savez_compressed(
        path,
        document=document.key,
        splitter=units.splitter,
        spans=units.spans.astype(np.int32),
        block=units.block.astype(np.int32),
        vectors=embedded[0].astype(np.float16),
        windows=embedded[1].astype(np.float16),
    )


if __name__ == "__main__":
    for sample_name in names():
        write_vectors(sample_name)
        print(sample_name)
