"""Many documents split into one stream of rows, in processes, and only what changed since an earlier run."""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import IO, Any, Protocol

from chunking import export
from chunking.chunks.edits import digest
from chunking.commands.options import SOME_FAILED, print_cut, print_message, progress, run_setting, workspace_of
from chunking.embedding.vector_cache import VectorCache
from chunking.errors import ChunkscopeError
from chunking.export.state import SplitState, split_state
from chunking.installation import versions
from chunking.loading import files
from chunking.runtime.atomic import replacing_path
from chunking.runtime.progress import Tell, quiet
from chunking.runtime.wording import plural
from chunking.settings import SettingsFile
from chunking.strategies import Segmentation, Setting
from chunking.workspace import DocumentAnalysis

Rows = Sequence[dict[str, Any]]

_IN_PROCESS = 32
"""Documents up to which no process is started for them."""

LIBRARY_ROWS: dict[str, Callable[[Segmentation], list[dict[str, Any]]]] = {
    "langchain": export.langchain_rows,
    "llama-index": export.llama_index_rows,
    "haystack": export.haystack_rows,
}
"""What makes the rows of other libraries, which name their document themselves."""

_OWN_ROWS: dict[str, Callable[[Segmentation], list[dict[str, Any]]]] = {
    "jsonl": export.chunk_rows,
    "csv": export.chunk_rows,
    "parquet": export.several_rows,
}
"""What makes Chunkscope's rows of each format, before which the document is named."""

_COLUMNS = (
    *("document", "document_hash", "setting", "encoder", *export.CHUNK_COLUMNS),
    *("table_header", "parent", "source", "first_page", "last_page", "start_time", "end_time", "speakers"),
)
"""Columns of the table of the chunks of several documents."""


@dataclass(frozen=True)
class Splitter:
    """How documents are split.

    Attributes:
        file: how they are read and measured, and the settings of single documents.
        setting: of the documents for which the file has none; ``None`` for the one that is advised for each.
        output_format: of the chunks.
        cache: of vectors and sentences; each process opens it once.
    """

    file: SettingsFile
    setting: Setting | None
    output_format: str
    cache: VectorCache

    def split(
        self, path: str, data: bytes, name: str = "", tell: Tell = quiet
    ) -> tuple[Setting, Segmentation, DocumentAnalysis]:
        """Return the setting of a document, its chunks and its analysis; print the notes about it.

        Args:
            path: of the document, by which it may have a setting of its own.
            data: its bytes.
            name: of a document that is alone; among others its path is its name, with which each note begins.
            tell: receives the progress.
        """
        tell(f"{name or path}: reading", 0, 0)
        workspace = workspace_of(name or path, data, self.file, self.cache, path)
        setting = self.file.setting_for(path) or self.setting
        setting, segmentation = (setting, run_setting(workspace, setting, tell)) if setting else _advised(workspace)
        print_cut(workspace, segmentation, "" if name else f"{path}: ")
        return setting, segmentation, workspace

    def rows(self, path: str, data: bytes, tell: Tell = quiet) -> Rows:
        """Return the rows of a document among others; ``tell`` receives the progress."""
        setting, segmentation, workspace = self.split(path, data, tell=tell)
        if self.output_format in LIBRARY_ROWS:
            return LIBRARY_ROWS[self.output_format](segmentation)
        about = {
            "document": export.encodable(path),
            "document_hash": workspace.document.text_hash,
            "setting": setting.text,
            "encoder": workspace.encoder.name if setting.embeds else None,
        }
        return [about | row for row in _OWN_ROWS[self.output_format](segmentation)]

    def digest(self, path: str, data: bytes) -> bytes:
        """Return a hash of a document and all that its chunks depend on."""
        setting = self.file.setting_for(path) or self.setting
        # Advice keeps chunks within what the encoder that is installed for searching reads.
        how = setting.text if setting else f"advised for {self.file.tools.retrieval_encoder}"
        edits = self.file.edits_for(path)
        depends_on = [how, self.file.reading(), versions(), self.output_format, *([digest(edits)] if edits else [])]
        return hashlib.blake2b(json.dumps(depends_on).encode() + data, digest_size=16).digest()


def _advised(workspace: DocumentAnalysis) -> tuple[Setting, Segmentation]:
    from chunking.advice import advised_segmentation  # which one setting for all need not wait for

    return advised_segmentation(workspace)


Input = tuple[Path, str, bytes]
"""Path, name and bytes of a document."""


@dataclass(frozen=True)
class _Job:
    """A document to split.

    Attributes:
        number: of the document, from 0.
        splitter: how it is split.
        path: of the document.
        data: its bytes.
        digest: of the document and all that its chunks depend on, where there is a state.
    """

    number: int
    splitter: Splitter
    path: str
    data: bytes
    digest: bytes = b""


@dataclass(frozen=True)
class _Outcome:
    """What became of a document.

    Attributes:
        number, path, digest: of the document, as in its job.
        rows: the chunks.
        problem: why there are none; empty if there are.
    """

    number: int
    path: str
    digest: bytes
    rows: Rows = ()
    problem: str = ""


def split_document(job: _Job, tell: Tell = quiet) -> _Outcome:
    """Split a document; one that cannot be split does not end the others."""
    try:
        return _Outcome(job.number, job.path, job.digest, job.splitter.rows(job.path, job.data, tell))
    except ChunkscopeError as error:
        return _Outcome(job.number, job.path, job.digest, problem=f"{job.path}: {error}")


class Sink(Protocol):
    """What takes the chunks of many documents, one after the other."""

    def digest(self, path: str, data: bytes) -> bytes:
        """Return a hash of a document and all that its chunks depend on; empty where nothing is compared."""
        ...

    def keep_unchanged(self, path: str, digest: bytes) -> bool:
        """Return whether a document need not be split again; its chunks stay then."""
        ...

    def keep(self, path: str) -> None:
        """Keep the chunks of a document that could not be split this time."""
        ...

    def take(self, path: str, digest: bytes, rows: Rows) -> None:
        """Take the chunks of a document."""
        ...


@dataclass
class DocumentCounts:
    """How many documents there were."""

    split: int = 0
    unchanged: int = 0
    failed: int = 0

    def exit_code(self) -> int:
        """Return the exit code of a run: 2 where there was nothing but failures."""
        if self.failed and not self.split + self.unchanged:
            return 2
        return SOME_FAILED if self.failed else 0


def split_documents(
    splitter: Splitter,
    documents: Iterable[Input],
    sink: Sink,
    workers: int | None = None,
    failures: Sequence[ChunkscopeError] = (),
) -> DocumentCounts:
    """Split documents, in processes where there are many, and give their chunks to a sink in order.

    What fails is printed and does not end the others.

    Args:
        splitter: how they are split.
        documents: what to split.
        sink: takes the chunks.
        workers: processes; ``None`` for one a core.
        failures: errors of what could not be read, which become more as documents are found.
    """
    counts = DocumentCounts()
    with progress() as tell:
        tell("looking for documents", 0, 0)
        for outcome in _in_order(_outcomes(_jobs(splitter, documents, sink, counts), workers, tell)):
            if outcome.problem:
                print_message(f"chunking: {outcome.problem}")
                counts.failed += 1
                sink.keep(outcome.path)
            else:
                sink.take(outcome.path, outcome.digest, outcome.rows)
                counts.split += 1
            tell(f"{plural(counts.split, 'document')} split", 0, 0)
    for error in failures:
        print(f"chunking: {error}", file=sys.stderr)
    counts.failed += len(failures)
    return counts


def _jobs(splitter: Splitter, documents: Iterable[Input], sink: Sink, counts: DocumentCounts) -> Iterator[_Job]:
    """Yield the documents that have to be split."""
    number = 0
    for path, _, data in documents:
        digest = sink.digest(str(path), data)
        if sink.keep_unchanged(str(path), digest):
            counts.unchanged += 1
            continue
        yield _Job(number, splitter, str(path), data, digest)
        number += 1


@dataclass
class _RowSink:
    """Writes the chunks of documents as rows, or only what changed since an earlier run.

    Attributes:
        splitter: how the documents are split.
        write: writes rows.
        state: of the earlier run; ``None`` for all rows.
        rows, removed: how many rows were written of chunks that are there, and that are gone.
    """

    splitter: Splitter
    write: Callable[[Rows], None]
    state: SplitState | None
    rows: int = 0
    removed: int = 0

    def digest(self, path: str, data: bytes) -> bytes:
        return self.splitter.digest(path, data) if self.state else b""

    def keep_unchanged(self, path: str, digest: bytes) -> bool:
        return self.state is not None and self.state.keep_unchanged(path, digest)

    def keep(self, path: str) -> None:
        if self.state:
            self.state.keep(path)

    def take(self, path: str, digest: bytes, rows: Rows) -> None:
        self.write_rows(self.state.changes(path, digest, rows) if self.state else rows)

    def write_rows(self, rows: Rows) -> None:
        self.write(rows)
        removed = sum(row.get("change") == "removed" for row in rows)
        self.rows += len(rows) - removed
        self.removed += removed

    def sentence(self, counts: DocumentCounts, skipped: str) -> str:
        """Return what was done, in words."""
        changes = self.state is not None
        words = [plural(counts.split, "document")]
        words += [f"{counts.unchanged:,} unchanged"] if changes else []
        words += [plural(self.rows, "added or changed chunk")] if changes else [plural(self.rows, "chunk")]
        words += [f"{self.removed:,} removed"] if changes else []
        words += [f"{counts.failed:,} failed"] if counts.failed else []
        return ", ".join(words) + skipped


def skipped_text(search: files.Search) -> str:
    """Return which files of folders were left out, to end a sentence with; empty for none."""
    skipped = [f"{count:,} {reason}" for reason, count in sorted(search.skipped.items())]
    return f"; left out: {', '.join(skipped)}" if skipped else ""


@dataclass(frozen=True)
class Run:
    """A run over many documents.

    Attributes:
        splitter: how they are split.
        output: the file of the rows; ``None`` for standard output.
        since: the state of the last run, if only what changed is wanted.
        workers: processes; ``None`` for one a core.
    """

    splitter: Splitter
    output: Path | None = None
    since: Path | None = None
    workers: int | None = None

    def __post_init__(self) -> None:
        allowed = [*_OWN_ROWS, *(LIBRARY_ROWS if self.since is None else ())]
        if self.splitter.output_format not in allowed:
            what = "The chunks of several documents" if self.since is None else "Changes"
            raise ChunkscopeError(
                f"{what} cannot be written as {self.splitter.output_format}.", f"Choose --format {', '.join(allowed)}."
            )

    def split(self, documents: Iterable[Input], search: files.Search, failures: Sequence[ChunkscopeError]) -> int:
        """Split documents, each row with the document that it is of; return the exit code.

        Args:
            documents: what to split.
            search: what has found them.
            failures: errors of what it could not read, which become more as it finds documents.
        """
        with (
            split_state(self.since) if self.since else nullcontext() as state,
            _writer(self.splitter.output_format, self.output, changes=state is not None) as write,
        ):
            sink = _RowSink(self.splitter, write, state)
            counts = split_documents(self.splitter, documents, sink, self.workers, failures)
            # What could not be found may still be there.
            for row in state.remove_absent() if state and not failures else ():
                sink.write_rows([row])
        print(f"split: {sink.sentence(counts, skipped_text(search))}", file=sys.stderr)
        return counts.exit_code()


def _outcomes(jobs: Iterator[_Job], workers: int | None, tell: Tell) -> Iterator[_Outcome]:
    """Yield what becomes of documents: here, or in processes where there are many."""
    some = list(islice(jobs, _IN_PROCESS + 1))
    if workers == 1 or len(some) <= _IN_PROCESS:
        yield from (split_document(job, tell) for job in chain(some, jobs))
        return
    from chunking.batch.engines import LocalEngine  # which a few documents need not wait for

    with LocalEngine(workers) as engine:
        yield from engine.run(split_document, chain(some, jobs))


def _in_order(outcomes: Iterable[_Outcome]) -> Iterator[_Outcome]:
    """Yield outcomes by their numbers, each as soon as those before it are there."""
    waiting: dict[int, _Outcome] = {}
    following = 0
    for outcome in outcomes:
        waiting[outcome.number] = outcome
        while following in waiting:
            yield waiting.pop(following)
            following += 1


# --- output ----------------------------------------------------------------------------------------------------------


@contextmanager
def _writer(output_format: str, path: Path | None, *, changes: bool) -> Iterator[Callable[[Rows], None]]:
    """Yield what writes rows: to a file that is there once all are, or to standard output."""
    with _output(path) as out:
        if output_format == "parquet":
            with export.ParquetTable(out, changes=changes) as table:
                yield table.write
        else:
            columns = ("change", *_COLUMNS) if changes else _COLUMNS
            if output_format == "csv":
                out.write(export.csv_line(columns).encode())
            yield partial(_write_lines, out, columns if output_format == "csv" else ())


def _write_lines(out: IO[bytes], columns: Sequence[str], rows: Rows) -> None:
    lines = export.table_lines(rows, columns) if columns else (export.jsonl([row]) for row in rows)
    out.writelines(line.encode() for line in lines)


@contextmanager
def _output(path: Path | None) -> Iterator[IO[bytes]]:
    if path is None:
        yield sys.stdout.buffer
        return
    try:
        with replacing_path(path) as growing, growing.open("wb") as file:
            yield file
    except OSError as error:
        raise files.unwritable(path, error) from error
