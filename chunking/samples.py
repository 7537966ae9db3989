"""The documents that come with Chunkscope: a text, gold boundaries, and sentences so that no splitter is needed.

A sample is ``NAME.md`` or ``NAME.txt`` with ``NAME.json`` (title, what it teaches, language, gold) and ``NAME.npz``
(spans and blocks of its sentences, the hash of their document). The last is made by ``python -m chunking.samples`` from
the other two.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from chunking import installation, loading, sentences
from chunking.document import Document
from chunking.sentences import Sentences

FOLDER = installation.app_folder() / "sample_docs"


@dataclass(frozen=True, eq=False)
class Sample:
    """A sample document with its gold boundaries and sentences.

    Attributes:
        name: file name without ending.
        title: what to call it.
        teaches: one sentence on what it shows about chunking.
        document: the text with its layout.
        boundaries: offsets where a person would begin a new segment, ascending, 0 left out.
        sentences: its sentences, if they are bundled and still match the text.
    """

    name: str
    title: str
    teaches: str
    document: Document
    boundaries: tuple[int, ...]
    sentences: Sentences | None


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
        sentences=_read_sentences(folder / f"{name}.npz", document),
    )


@cache
def text_hashes() -> frozenset[str]:
    """Return the hashes of the texts that everybody has, see :attr:`chunking.document.Document.text_hash`."""
    return frozenset(load(name).document.text_hash for name in names())


def _about(folder: Path, name: str) -> dict[str, Any]:
    about: dict[str, Any] = json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))
    return about


def _read_sentences(path: Path, document: Document) -> Sentences | None:
    if not path.exists():
        return None
    with np.load(path, allow_pickle=False) as arrays:
        if str(arrays["document"]) != document.key:
            return None
        spans, block = (arrays[name].astype(np.int64) for name in ("spans", "block"))
        return Sentences(document, spans, block, str(arrays["splitter"]))


def write_sentences(name: str, folder: Path = FOLDER) -> None:
    """Split a sample into sentences, and keep them beside it."""
    path = folder / f"{name}.npz"
    path.unlink(missing_ok=True)  # what an older program wrote may not be readable
    document = load(name, folder).document
    units = sentences.split(document)
    np.savez_compressed(
        path,
        document=document.key,
        splitter=units.splitter,
        spans=units.spans.astype(np.int32),
        block=units.block.astype(np.int32),
    )


if __name__ == "__main__":
    for sample_name in names():
        write_sentences(sample_name)
        print(sample_name)
