"""The command ``suggest``."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from chunking import advice
from chunking.advice import summary
from chunking.commands.evaluation.retrieval import question_set
from chunking.commands.options import (
    READING,
    add_options,
    config,
    each_document,
    formats,
    option,
    print_failures,
    print_notes,
    progress,
)
from chunking.embedding.vector_cache import default_cache
from chunking.errors import ChunkscopeError
from chunking.loading import files
from chunking.reference import NO_REFERENCE, LoadedReference
from chunking.reference import files as reference_files
from chunking.retrieval.questions import folders
from chunking.settings import settings_toml
from chunking.workspace import DocumentAnalysis


def add_suggest(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``suggest``."""
    add_options(parser, "files", *READING, "--gold")
    questions = f"questions to search with, in a folder or ZIP with {', or '.join(folders.LAYOUTS)}"
    add_options(parser, option("--questions", metavar="FOLDER", help=questions))
    add_options(parser, formats("text", "json", "toml"))
    parser.set_defaults(command=_suggest)


def _suggest(options: argparse.Namespace) -> int:
    file = config(options)
    failures: list[ChunkscopeError] = []
    documents = list(each_document(options, file, failures, lambda _, document: document))
    references = _references(options.gold, documents)
    questions = question_set(options.questions, None) if options.questions else None
    notes = [note for document in documents for note in document.document.notes]
    print_notes([*notes, *(note for reference in references for note in reference.notes)])
    with progress() as tell:
        boundaries = [reference.reference for reference in references]
        suggestions = advice.advise_all(documents, boundaries, questions, default_cache(), tell)
    if options.format == "json":
        print(json.dumps(summary.as_dict(suggestions), ensure_ascii=False, indent=2))
    elif options.format == "toml":
        sys.stdout.write(settings_toml(summary.settings_file(suggestions, file)))
    else:
        sys.stdout.write(summary.text(suggestions))
    return print_failures(failures)


def _references(path: Path | None, documents: Sequence[DocumentAnalysis]) -> list[LoadedReference]:
    """Return the reference of each document; of several documents, those that the file does not name have none.

    Raises:
        ChunkscopeError: the file cannot be read, or holds the boundaries of none of them.
    """
    if path is None:
        return [LoadedReference() for _ in documents]
    data, references, errors = files.read(path), list[LoadedReference](), list[ChunkscopeError]()
    if len(documents) > 1 and not reference_files.is_lines(data, path.name):
        raise ChunkscopeError(
            f"{path.name:.60} does not say which document its boundaries are of.",
            "Give one FILE, or boundaries in JSON Lines, a document per line.",
        )
    for document in documents:
        try:
            references.append(reference_files.read_with_notes(data, path.name, document.document))
        except ChunkscopeError as error:
            errors.append(error)
            references.append(LoadedReference(NO_REFERENCE, (f"{document.document.name}: {error.problem}",)))
    if len(errors) == len(documents):
        raise errors[0]
    return references
