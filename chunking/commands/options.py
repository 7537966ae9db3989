"""What several commands have in common: the options of a document, parameters, progress."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from chunking import embedding, export, loading, sentences, strategies, tokens
from chunking.document import Document
from chunking.embedding.vector_cache import default_cache
from chunking.errors import ChunkscopeError
from chunking.loading import LoadParameters, files
from chunking.runtime.progress import Tell
from chunking.strategies import Segmentation, Strategy
from chunking.workspace import Tools, Workspace

_NLP: dict[str, str] = {"spacy": sentences.SPACY, "kiwi": sentences.KIWI}
"""What the reference program calls its splitters."""


def add_document(parser: argparse.ArgumentParser) -> None:
    """Add the options of a document and of a strategy's parameters."""
    add_file(parser)
    parser.add_argument(
        "-p", dest="params", metavar="KEY=VALUE", action="append", default=[], help="a parameter of the strategy"
    )


def add_file(parser: argparse.ArgumentParser) -> None:
    """Add the options of a document."""
    parser.add_argument("file", metavar="FILE", type=Path, help="the document")
    parser.add_argument("--encoder", default=embedding.DEFAULT_ENCODER, metavar="NAME", help="what embeds sentences")
    add_device(parser)
    parser.add_argument("--tokenizer", default=tokens.DEFAULT_TOKENIZER, metavar="NAME", help="what counts tokens")
    add_splitter(parser)
    parser.add_argument("--language", metavar="CODE", help="ISO 639-1 code; detected if absent")
    for known in LoadParameters.describe():
        parser.add_argument(f"--{known.name}", choices=known.choices, default=known.default, help=known.help)


def add_device(parser: argparse.ArgumentParser) -> None:
    """Add the option of the device that sentence-transformers models run on."""
    parser.add_argument(
        "--device", choices=embedding.DEVICES, help="where models run: auto is an accelerator where there is one"
    )


def add_splitter(parser: argparse.ArgumentParser) -> None:
    """Add the options of the sentence splitter."""
    parser.add_argument("--splitter", metavar="NAME", help="what splits sentences; by language if absent")
    parser.add_argument("--nlp", choices=_NLP, help="spaCy or Kiwi: another name for their splitters")


def splitter(options: argparse.Namespace) -> str | None:
    """Return the sentence splitter that the options name; ``None`` for that of the language."""
    if options.nlp and options.splitter and _NLP[options.nlp] != options.splitter:
        raise ChunkscopeError(f"--nlp {options.nlp} is not --splitter {options.splitter}.", "Give one of the two.")
    name: str | None = _NLP[options.nlp] if options.nlp else options.splitter
    return name


def workspace(options: argparse.Namespace) -> Workspace:
    """Return the workspace of the document that the options name."""
    document = _load(options.file, options)
    return Workspace(document, Tools(options.encoder, options.tokenizer, splitter(options)), default_cache())


def _load(path: Path, options: argparse.Namespace) -> Document:
    params = LoadParameters(**{known.name: getattr(options, known.name) for known in LoadParameters.describe()})
    name, data = files.read_document(path)
    return loading.load(data, name, options.language, params)


def segmented(options: argparse.Namespace) -> tuple[Segmentation, Workspace]:
    """Cut the document that the options name; print the notes about it on standard error."""
    strategy = strategies.get(options.strategy)
    params = strategies.parameters(strategy, pairs(options.params, strategy))
    document = workspace(options)
    segmentation = strategy.run(document, params)
    notes = (*document.document.notes, *segmentation.warnings, *document.warnings(getattr(params, "window", 0)))
    for note in notes:
        print(f"note: {note}", file=sys.stderr)
    for line in export.limit_lines(segmentation):
        print(f"limit: {line}", file=sys.stderr)
    return segmentation, document


def pairs(options: Sequence[str], strategy: Strategy) -> dict[str, str]:
    """Return parameters, given as ``KEY=VALUE``, by name.

    Raises:
        ChunkscopeError: one has no value; the message gives an example for the strategy.
    """
    found: dict[str, str] = {}
    for option in options:
        name, sign, text = option.partition("=")
        if not sign:
            raise ChunkscopeError(
                f"-p takes KEY=VALUE, not {option!r:.60}.", f"For {strategy.name}, e.g. -p overlap=1."
            )
        found[name.strip()] = text
    return found


@contextmanager
def progress() -> Iterator[Tell]:
    """Tell a person at a terminal how far it is, on one line of standard error that is gone afterwards."""
    if not sys.stderr.isatty():
        yield lambda *_: None
        return

    def tell(what: str, done: int, total: int) -> None:
        count = f" {done:,} / {total:,}" if total else ""
        print(f"\r\x1b[K{what}{count}", end="", file=sys.stderr, flush=True)

    try:
        yield tell
    finally:
        print("\r\x1b[K", end="", file=sys.stderr, flush=True)
