"""The command ``audit-store``: what is wrong with the chunks of a vector store, held against their documents."""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path, PurePath
from typing import NamedTuple

import numpy as np

from chunking import embedding, export, tokens
from chunking.checks import rules
from chunking.commands.options import (
    READING,
    STRATEGY,
    add_options,
    config,
    option,
    print_failures,
    print_notes,
    progress,
    setting,
    workspace_of,
)
from chunking.commands.push import add_store
from chunking.comparison.chunk_sizes import sizes
from chunking.embedding import Encoder
from chunking.errors import ChunkscopeError
from chunking.loading import files
from chunking.runtime.wording import plural
from chunking.settings import SettingsFile
from chunking.vector_stores.audit import (
    AUDIT_RULES,
    COLLECTION_RULES,
    AuditFinding,
    DocumentAudit,
    DocumentAuditor,
    collection_findings,
)
from chunking.vector_stores.audit_report import CollectionAudit, audit_json, audit_text
from chunking.vector_stores.location import open_store, parse_location
from chunking.vector_stores.stored_chunks import StoredChunk, StoredChunks, match_documents, read_chunks

FOUND = 1
"""Exit code where a rule of ``--fail-on`` is broken."""


def add_audit_store(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``audit-store``."""
    add_options(parser, "files", *READING, "-p", *STRATEGY)
    add_store(parser, "--from")
    parser.add_argument(
        "--text-field", default="", metavar="NAME", help="field of the text; found by the usual names if absent"
    )
    parser.add_argument(
        "--document-field",
        default="",
        metavar="NAME",
        help="field of the document's name or path; found by the usual names if absent. Chunks without one are "
        "looked for in every document",
    )
    levels, names = ", ".join(reversed(rules.LEVELS)), ", ".join(AUDIT_RULES)
    conditions = f"exit with {FOUND} if one of these rules is broken, or one of this level or above: {levels}; {names}"
    output = "write the chunks of each document to a file of this folder, which Compare and 'compare --chunks' open"
    add_options(
        parser,
        option("--fail-on", help=conditions),
        option("--json", help="print the report as JSON, with every finding"),
        option("--output", metavar="FOLDER", help=output),
    )
    parser.set_defaults(command=_audit)


class _Source(NamedTuple):
    """A document to hold chunks against."""

    path: str
    name: str
    data: bytes


def _audit(options: argparse.Namespace) -> int:
    location = parse_location(options.store)
    file = config(options)
    file = replace(file, documents={}) if options.strategy else file
    only_documents = bool(file.documents) and not file.settings
    stated = options.strategy or (options.config and not only_documents)
    expected = setting(options, file).text if stated else ""
    failing = rules.failing_rules(
        [name.strip() for text in options.fail_on for name in text.split(",") if name.strip()], AUDIT_RULES
    )
    if location.folder is not None and not location.folder.is_dir():
        raise ChunkscopeError(f"There is no folder {location.folder}.", "Name the folder of the store.")
    failures: list[ChunkscopeError] = []
    counter, token_counts = tokens.get_tokenizer(file.tools.tokenizer), list[int]()
    with StoredChunks() as stored:
        with open_store(location, options.collection, create=False) as store, progress() as tell:
            if not store.exists():
                raise ChunkscopeError(
                    f"{location} has no collection {options.collection!r:.60}.", "Name another --collection."
                )
            rows = store.rows(text=True)
            for number, chunk in enumerate(
                read_chunks(rows, options.collection, options.text_field, options.document_field), 1
            ):
                stored.add(chunk)
                token_counts.append(int(counter.count([chunk.text])[0]))
                if not number % 1000:
                    tell(f"{number:,} chunks read", 0, 0)
        encoder, unseen = _encoder(stored, file)
        meant = {expected, *(own_setting.text for own_setting in file.documents.values())} - {""}
        auditor = DocumentAuditor(encoder, expected)
        documents = list(_documents(options, file, stored, auditor, failures))
        if failures and not documents:
            raise failures[0]
        gone = dict(stored.unmatched())
        findings = [*collection_findings(stored.settings, stored.encoders, meant), *_gone(gone)]
        audit = CollectionAudit(
            str(location),
            options.collection,
            len(token_counts),
            sizes(np.array(token_counts, dtype=np.int64)),
            file.tools.tokenizer,
            stored.settings,
            stored.encoders,
            documents,
            gone,
            findings,
            unseen,
            failing,
        )
    sys.stdout.write(audit_json(audit) if options.json else audit_text(audit))
    if options.output:
        _print_compare(options.output, documents, options)
    code = print_failures(failures)
    return FOUND if audit.failed else code


def _encoder(stored: StoredChunks, file: SettingsFile) -> tuple[Encoder | None, dict[str, str]]:
    """Return the encoder of the vectors, or why its limit is unknown."""
    names = {name for name in stored.encoders if name}
    name = file.encoder or (names.pop() if len(names) == 1 else "")
    if not name:
        why = "several encoders" if names else "the encoder is unknown: name it with --encoder NAME"
        return None, {"over-encoder-limit": why}
    try:
        return embedding.get_encoder(name), {}
    except ChunkscopeError as error:
        return None, {"over-encoder-limit": error.problem.rstrip(".")}


def _gone(gone: dict[str, int]) -> Iterator[AuditFinding]:
    for name, count in gone.items():
        rule = COLLECTION_RULES["gone-document" if name else "stale-chunk"]
        where = "" if name else " without a document, in none of the sources"
        yield AuditFinding(rule, name, f"{plural(count, 'chunk')}{where}")


def _documents(
    options: argparse.Namespace,
    file: SettingsFile,
    stored: StoredChunks,
    auditor: DocumentAuditor,
    failures: list[ChunkscopeError],
) -> Iterator[DocumentAudit]:
    """Yield the audit of each source that can be read, and write its chunks where they are wanted."""
    paths = [str(path) for path, _, _ in files.find_documents(options.files, files.Search(on_failure=lambda _: None))]
    names = match_documents([export.encodable(path) for path in paths], stored.documents())
    search = files.Search(on_failure=failures.append)
    with progress() as tell:
        for done, (path, _, data) in enumerate(files.find_documents(options.files, search), 1):
            name = names.get(export.encodable(str(path)), "")
            if name:
                stored.match(name)
            try:
                workspace = workspace_of(str(path), data, file)
            except ChunkscopeError as error:
                failures.append(ChunkscopeError(f"{path}: {error.problem}", error.remedy))
                continue
            if not name:
                name = export.encodable(str(path))
                stored.claim(name, workspace.document.text)
                stored.match(name)
            chunks = stored.of_document(name)
            own_setting = file.setting_for(str(path))
            expected = own_setting.text if own_setting else auditor.setting
            yield replace(auditor, setting=expected).audit(workspace, path.as_posix(), chunks)
            if options.output and chunks:
                _write_chunks(_chunks_file(options.output, path.as_posix()), chunks)
            tell(f"{plural(done, 'document')} audited", 0, 0)


def _chunks_file(folder: Path, document: str) -> Path:
    """Return the file of the chunks of a document, inside a folder whatever the path of the document is."""
    path = PurePath(document)
    parts = [part for part in path.relative_to(path.anchor).parts if part != ".."]
    return folder.joinpath(*parts[:-1], f"{parts[-1]}.jsonl")


def _write_chunks(path: Path, chunks: Sequence[StoredChunk]) -> None:
    rows = [{"id": c.id, "text": c.text, "start": c.start, "end": c.end} for c in chunks]
    files.write(path, export.jsonl(rows).encode())


def _print_compare(folder: Path, documents: Sequence[DocumentAudit], options: argparse.Namespace) -> None:
    """Print the command that compares the chunks of the document with the most findings with a strategy."""
    written = [document for document in documents if document.chunks]
    if not written:
        return
    worst = max(written, key=lambda document: len(document.findings))
    line = ["chunkscope", "compare", worst.document, "--strategies", options.strategy or "structural"]
    line += ["--chunks", str(_chunks_file(folder, worst.document)), "--report", "compare.html"]
    print_notes(
        [
            f"{plural(len(written), 'file')} of chunks in {folder}; the page Compare opens them as your own chunks.",
            f"Beside a strategy, as one HTML file: {shlex.join(line)}",
        ]
    )
