"""The commands ``questions proxies`` and ``questions generate``."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

from chunking import loading
from chunking.commands.evaluation.endpoint import add_consent, add_model, chat_model, confirmed, cost, location
from chunking.commands.options import (
    SOME_FAILED,
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
from chunking.retrieval.questions import folders, generated, own, proxies
from chunking.retrieval.questions.chat import ChatModel
from chunking.retrieval.questions.data import PROXIES
from chunking.retrieval.questions.generated import GenerationPlan
from chunking.retrieval.questions.journal import Journal
from chunking.retrieval.questions.reader import FolderReader
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
    add_options(
        parser,
        option("--number", help="questions, at most; all headings, or one sentence in ten, if absent"),
        option("--seed", help="of the choice of questions; 0 if absent"),
        option("--output", metavar="FILE.jsonl", help=f"{_OUTPUT}standard output if absent"),
    )
    add_options(parser, *SPLITTER, "--language")
    parser.set_defaults(command=_proxies)


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


_PARTIAL = ".partial"
"""What the name of the journal of a run adds to that of its output."""

_NUMBER = 50


def add_generate(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``questions generate``."""
    add_options(parser, "files")
    add_model(parser)
    output = (
        f"{_OUTPUT}until it is complete, FILE.jsonl{_PARTIAL} keeps what was written, and the same command continues"
    )
    add_options(
        parser,
        option("--number", default=_NUMBER, help=f"questions, {_NUMBER} if absent"),
        option("--seed", help="of the choice of passages; 0 if absent"),
        option("--output", metavar="FILE.jsonl", required=True, help=output),
    )
    add_consent(parser)
    add_options(parser, *SPLITTER, "--language", "--tokenizer")
    parser.set_defaults(command=_generate)


def _generate(options: argparse.Namespace) -> int:
    model = chat_model(options)
    failures: list[ChunkscopeError] = []
    documents = read_documents(options, failures)
    tools = Models(splitter=splitter(options), **({"tokenizer": options.tokenizer} if options.tokenizer else {}))
    request = generated.plan(documents, options.number, options.seed, tools)
    journal = Journal(
        options.output.with_name(options.output.name + _PARTIAL),
        {
            "documents": request.documents_hash,
            "model": model.name,
            "endpoint": model.where.host,
            "prompt": generated.prompt_hash(),
            "seed": options.seed,
        },
    )
    print_notes(_estimate(options, request, model, journal))
    if not confirmed(options):
        print_notes(["Nothing was sent."])
        return SOME_FAILED
    date = datetime.now(UTC).date().isoformat()
    with progress() as tell:
        made = generated.generate(request, model, date, journal, tell=tell)
    rows = generated.rows(made, documents, model, date)
    write(options, "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))
    journal.remove()
    print_notes(_outcome(made, model))
    return print_failures(failures)


def _estimate(options: argparse.Namespace, request: GenerationPlan, model: ChatModel, journal: Journal) -> list[str]:
    """Return what is about to be sent, in words."""
    price = cost(options, request.tokens_sent, request.tokens_received)
    notes = [
        f"{plural(request.number, 'question')} on {plural(len(request.documents), 'document')} by "
        f"{location(model)}: about {plural(request.calls, 'call')}, {request.tokens_sent:,} tokens sent and "
        f"{request.tokens_received:,} received{price}; if many questions are dropped, at most {request.most_calls:,}."
    ]
    if journal.records:
        kept = sum(len(record.questions) for record in journal.records.values())
        notes.append(
            f"{journal.path} has {plural(kept, 'question')} on {plural(len(journal.records), 'passage')}, which are "
            "not asked for again."
        )
    return notes


def _outcome(made: generated.GeneratedQuestions, model: ChatModel) -> list[str]:
    """Return what came of a run, in words."""
    sent = f", {model.tokens_sent:,} tokens sent and {model.tokens_received:,} received" if model.tokens_sent else ""
    notes = [
        f"{plural(len(made), 'question')} on {plural(len(made.questions), 'document')}, from "
        f"{plural(made.passages, 'passage')}; {plural(model.calls, 'call')}{sent}."
    ]
    notes += [f"{count:,} {reason} left out." for reason, count in sorted(made.left_out.items())]
    return notes if made.complete else [*notes, "No passage is left: name more documents for more questions."]


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
        if path.is_dir() and folders.table_of(reader := FolderReader(path)):
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
