"""The commands about questions: ``questions proxies``."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path

from chunking import loading
from chunking.commands.options import (
    SPLITTER,
    add_options,
    option,
    print_failures,
    print_notes,
    progress,
    splitter,
    write,
)
from chunking.document import Document
from chunking.errors import ChunkscopeError
from chunking.loading import files
from chunking.retrieval.questions import folders, own, proxies
from chunking.retrieval.questions.data import PROXIES
from chunking.runtime.wording import plural
from chunking.workspace import Models

_OUTPUT = "JSON Lines for 'evaluate retrieval FOLDER --questions FILE', or questions.jsonl in the folder itself; "


def add_proxies(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``questions proxies``."""
    add_options(parser, "files")
    parser.add_argument(
        "--kind",
        choices=proxies.KINDS,
        default="headings",
        help="headings: each is the question, and the text under it the answer. sentences: each is the question, and "
        "the sentences around it the answer. What a question is made of is not searched",
    )
    _add_choice(parser, "all headings, or one sentence in ten, if absent")
    add_options(parser, *SPLITTER, "--language")
    parser.set_defaults(command=_proxies)


def _add_choice(parser: argparse.ArgumentParser, without: str) -> None:
    parser.add_argument("--number", type=int, metavar="N", help=f"questions, at most; {without}")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="of the choice of questions; 0 if absent")
    add_options(parser, option("--output", metavar="FILE.jsonl", help=f"{_OUTPUT}standard output if absent"))


def _proxies(options: argparse.Namespace) -> int:
    failures: list[ChunkscopeError] = []
    documents = read_documents(options, failures)
    with progress() as tell:
        made = proxies.make(
            documents, options.kind, options.number, options.seed, Models(splitter=splitter(options)), tell
        )
    write(options, own.jsonl(made.questions))
    origin = next(question.origin for of_document in made.questions.values() for question in of_document)
    notes = [
        f"{plural(len(made), 'question')} on {plural(len(made.questions), 'document')}, of {made.candidates:,} "
        f"{options.kind}. They are proxies ({PROXIES[origin]}), not questions of people."
    ]
    notes += [f"{count:,} {options.kind} {reason} left out." for reason, count in sorted(made.left_out.items())]
    print_notes(notes)
    return print_failures(failures)


def read_documents(options: argparse.Namespace, failures: list[ChunkscopeError]) -> dict[str, Document]:
    """Return the documents that the options name, by the names that questions give them.

    A folder with a table of documents (``docs.jsonl``, ``corpus.jsonl``) stands for these. A document in a folder is
    called by its path in it, any other by its name.

    Args:
        options: the options.
        failures: receives why others cannot be read.

    Raises:
        ChunkscopeError: none can be read.
    """
    documents: dict[str, Document] = {}
    for path in options.files:
        if path.is_dir() and folders.table_of(reader := folders.FolderReader(path)):
            documents |= {source.id: source.open() for source in folders.read_corpus(reader)}
            continue
        for file, name, data in files.find_documents([path], files.Search(on_failure=failures.append)):
            try:
                document = loading.load(data, name, options.language)
            except ChunkscopeError as error:
                failures.append(ChunkscopeError(f"{file}: {error.problem}", error.remedy))
                continue
            documents[_name(path, file, name, documents)] = document
    if not documents:
        raise failures[0] if failures else ChunkscopeError("There is no document.", "Name files or folders.")
    return documents


def _name(path: Path, file: Path, name: str, documents: Mapping[str, Document]) -> str:
    """Return the name of a document in questions, which no other has."""
    inside = file.relative_to(path).as_posix() if path.is_dir() and file.is_relative_to(path) else Path(name).name
    return inside if inside not in documents else file.as_posix()
