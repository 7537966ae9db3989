"""The documents whose outputs are recorded: the samples, and a few of other formats."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from chunking import Document, DocumentAnalysis, Models, load

ROOT = Path(__file__).resolve().parents[2]
SAMPLES = ROOT / "sample_docs"
OTHERS = Path(__file__).parent / "documents"


@dataclass(frozen=True)
class GoldenDocument:
    """A document whose outputs are recorded.

    Attributes:
        path: its file.
        about: title, language and reference boundaries of a sample; empty for the others.
    """

    path: Path
    about: dict[str, object]

    @property
    def name(self) -> str:
        """The name of its file."""
        return self.path.name

    @property
    def folder(self) -> str:
        """The name of the folder of its outputs: tools take what ends in ``.py`` for a program."""
        return self.path.name.replace(".", "-")

    @property
    def is_sample(self) -> bool:
        """Whether it comes with Chunkscope."""
        return bool(self.about)

    @property
    def encoder(self) -> str:
        """The encoder that knows its language, of those that need no model."""
        return "char-ngrams" if self.about.get("language") == "ko" else "static"

    @property
    def options(self) -> tuple[str, ...]:
        """The options of the command line that make every machine compute the same."""
        language = ("--language", str(self.about["language"])) if self.is_sample else ()
        return "--encoder", self.encoder, "--splitter", "rules", *language

    @cached_property
    def document(self) -> Document:
        """The document as the library loads it."""
        language = str(self.about["language"]) if self.is_sample else None
        return load(self.path.read_bytes(), self.path.name, language=language)

    @cached_property
    def workspace(self) -> DocumentAnalysis:
        """The document with its measurements."""
        return DocumentAnalysis(self.document, Models(self.encoder, splitter="rules"))


def golden_documents() -> list[GoldenDocument]:
    """Return all documents, samples first, in alphabetical order."""
    samples = [
        GoldenDocument(path, json.loads(path.with_suffix(".json").read_text(encoding="utf-8")))
        for path in SAMPLES.iterdir()
        if path.suffix in (".md", ".txt")
    ]
    others = [GoldenDocument(path, {}) for path in OTHERS.iterdir()]
    return [*sorted(samples, key=_by_name), *sorted(others, key=_by_name)]


def _by_name(document: GoldenDocument) -> str:
    return document.name
