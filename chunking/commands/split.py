"""The command ``split``: the chunks of files, folders, archives and standard input."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import IO, Any

from chunking import export, loading
from chunking.commands.options import (
    READING,
    STRATEGY,
    add_options,
    config,
    cut,
    option,
    progress,
    setting,
    write,
)
from chunking.embedding.vector_cache import VectorCache, default_cache
from chunking.errors import ChunkscopeError
from chunking.loading import files
from chunking.runtime.atomic import replacing_path
from chunking.runtime.wording import plural
from chunking.settings import SettingsFile
from chunking.strategies import Segmentation, Setting
from chunking.workspace import DocumentAnalysis

STANDARD_INPUT = Path("-")

SOME_FAILED = 1
"""Exit code where some documents could not be split, and others could."""

_IN_PROCESS = 32
"""Documents up to which no process is started for them."""

_DEFAULT = "structural"


def _json(segmentation: Segmentation) -> str:
    return json.dumps(export.chunk_rows(segmentation), ensure_ascii=False, indent=2) + "\n"


_ROWS: dict[str, Callable[[Segmentation], list[dict[str, Any]]]] = {
    "jsonl": export.chunk_rows,
    "langchain": export.langchain_rows,
    "llama-index": export.llama_index_rows,
    "haystack": export.haystack_rows,
}
"""What makes the rows of each format of lines, which the chunks of several documents can have besides CSV."""


def _lines(make: Callable[[Segmentation], list[dict[str, Any]]], segmentation: Segmentation) -> str:
    return export.jsonl(make(segmentation))


_WRITERS: dict[str, Callable[[Segmentation], str | bytes]] = {
    **{name: partial(_lines, make) for name, make in _ROWS.items()},
    "json": _json,
    "csv": lambda segmentation: export.table(export.chunk_rows(segmentation), export.CHUNK_COLUMNS),
    "spreadsheet": lambda segmentation: export.table(
        export.chunk_rows(segmentation), export.CHUNK_COLUMNS, spreadsheet=True
    ),
    "parquet": export.parquet,
}
"""What makes the content of each format of the chunks of one document."""

_DATASET = "dataset"
"""The format that is a folder."""

_ENDINGS = {".jsonl": "jsonl", ".json": "json", ".csv": "csv", ".parquet": "parquet"}

_COLUMNS = (
    *("document", "document_hash", "setting", "encoder", *export.CHUNK_COLUMNS),
    *("table_header", "parent", "source", "first_page", "last_page", "start_time", "end_time", "speakers"),
)
"""Columns of the table of the chunks of several documents."""


def add_split(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``split``."""
    paths = (
        "the documents: files, folders (without their data and source code, but for data sets), quoted patterns "
        "('docs/**/*.md'), archives, tables; - for standard input"
    )
    add_options(parser, option("files", metavar="PATH", help=paths), *READING, "-p", *STRATEGY)
    parser.add_argument(
        "--include",
        action="append",
        default=[],
        metavar="PATTERN",
        help="take these files of folders: '*.rst', 'guide/*'",
    )
    parser.add_argument(
        "--exclude", action="append", default=[], metavar="PATTERN", help="leave these files of folders out"
    )
    parser.add_argument(
        "--format-of", metavar="NAME", help="a name, or its ending, that says what standard input is: md, report.html"
    )
    output = f"where the result goes, the folder of --format {_DATASET}; standard output if absent"
    formats = "output format; what --output ends in if absent, else jsonl"
    add_options(
        parser,
        option("--workers", help="processes for many documents; one for each core if absent"),
        option("--format", choices=(*_WRITERS, _DATASET), default=None, help=formats),
        option("--output", help=output),
    )
    parser.set_defaults(command=_split)


def _split(options: argparse.Namespace) -> int:
    output_format = options.format or _ENDINGS.get(options.output.suffix.lower() if options.output else "", "jsonl")
    if output_format == _DATASET and not options.output:
        raise ChunkscopeError("A dataset is a folder.", "Name it: --output FOLDER.")
    file = config(options)
    splitter = _Splitter(file, setting(options, file, _DEFAULT), output_format, default_cache())
    if options.workers is not None and options.workers < 1:
        raise ChunkscopeError("Workers are counted from 1.", "Give --workers 1 or more.")
    failures: list[ChunkscopeError] = []
    search = files.Search(tuple(options.include), tuple(options.exclude), failures.append)
    found = _documents(options, search)
    first = list(islice(found, 2))
    if _is_single(options.files, first):
        if failures:
            raise failures[0]
        _write_one(options, output_format, splitter, *first[0][1:])
        return 0
    if not first:
        raise failures[0]
    return _split_all(options, splitter, chain(first, found), search, failures)


Input = tuple[Path, str, bytes]
"""Path, name and bytes of a document."""


def _documents(options: argparse.Namespace, search: files.Search) -> Iterator[Input]:
    if STANDARD_INPUT not in options.files:
        if options.format_of:
            raise ChunkscopeError("--format-of says what standard input is.", "Name it: -, or leave the option out.")
        yield from files.find_documents(options.files, search)
        return
    if len(options.files) > 1:
        raise ChunkscopeError("Standard input is one document.", "Give - alone, or files.")
    ending = options.format_of or "txt"
    name = ending if "." in ending else f"stdin.{ending}"
    yield STANDARD_INPUT, name, sys.stdin.buffer.read()


def _is_single(paths: list[Path], first: list[Input]) -> bool:
    """Return whether one document is named: a file, and not what holds documents."""
    return len(paths) == 1 and len(first) == 1 and first[0][0] == paths[0]


# --- one document ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Splitter:
    """How documents are split.

    Attributes:
        file: how they are read and measured.
        setting: the strategy.
        output_format: of the chunks.
        cache: of vectors and sentences; each process opens it once.
    """

    file: SettingsFile
    setting: Setting
    output_format: str
    cache: VectorCache

    def segmentation(self, name: str, data: bytes, prefix: str = "") -> tuple[Segmentation, DocumentAnalysis]:
        """Return the chunks of a document, and its analysis."""
        document = loading.load(data, name, self.file.language, self.file.loading)
        return cut(DocumentAnalysis(document, self.file.tools, self.cache), self.setting, prefix)

    def rows(self, path: str, name: str, data: bytes) -> list[dict[str, Any]]:
        """Return the rows of a document among others."""
        segmentation, workspace = self.segmentation(name, data, f"{path}: ")
        rows = _ROWS.get(self.output_format, export.chunk_rows)(segmentation)
        if self.output_format not in ("jsonl", "csv"):  # rows of a library name their document themselves
            return rows
        about = {
            "document": export.encodable(path),
            "document_hash": workspace.document.text_hash,
            "setting": self.setting.text,
            "encoder": workspace.encoder.name if self.setting.embeds else None,
        }
        return [about | row for row in rows]


def _write_one(options: argparse.Namespace, output_format: str, splitter: _Splitter, name: str, data: bytes) -> None:
    segmentation = splitter.segmentation(name, data)[0]
    if output_format == _DATASET:
        for path, content in export.dataset_files(segmentation).items():
            files.write(options.output / path, content)
    else:
        write(options, _WRITERS[output_format](segmentation))


# --- several documents -----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Outcome:
    """What became of a document.

    Attributes:
        number: of the document, from 0.
        lines: the chunks, a line each.
        problem: why there are none; empty if there are.
    """

    number: int
    lines: tuple[str, ...] = ()
    problem: str = ""


_Job = tuple[int, _Splitter, str, str, bytes]


def split_document(job: _Job) -> _Outcome:
    """Split a document; one that cannot be split does not end the others."""
    number, splitter, path, name, data = job
    try:
        rows = splitter.rows(path, name, data)
    except ChunkscopeError as error:
        return _Outcome(number, problem=f"{path}: {error}")
    if splitter.output_format == "csv":
        return _Outcome(number, tuple(export.table_lines(rows, _COLUMNS)))
    return _Outcome(number, tuple(export.jsonl([row]) for row in rows))


def _split_all(
    options: argparse.Namespace,
    splitter: _Splitter,
    documents: Iterator[Input],
    search: files.Search,
    failures: list[ChunkscopeError],
) -> int:
    """Split documents, each row with the document that it is of; return the exit code."""
    if splitter.output_format not in (*_ROWS, "csv"):
        raise ChunkscopeError(
            f"The chunks of several documents cannot be written as {splitter.output_format}.",
            f"Choose --format {', '.join(_ROWS)} or csv.",
        )
    jobs = ((number, splitter, str(path), name, data) for number, (path, name, data) in enumerate(documents))
    split, chunks, problems = 0, 0, 0
    with _output(options.output) as out, progress() as tell:
        if splitter.output_format == "csv":
            out.write(export.csv_line(_COLUMNS))
        for outcome in _in_order(_outcomes(jobs, options.workers)):
            out.writelines(outcome.lines)
            if outcome.problem:
                print(f"chunking: {outcome.problem}", file=sys.stderr)
                problems += 1
            else:
                split, chunks = split + 1, chunks + len(outcome.lines)
            tell(f"{plural(split, 'document')} split", 0, 0)
    for error in failures:
        print(f"chunking: {error}", file=sys.stderr)
    failed = problems + len(failures)
    skipped = [f"{count:,} {reason}" for reason, count in sorted(search.skipped.items())]
    words = ", ".join([plural(split, "document"), plural(chunks, "chunk"), *([f"{failed:,} failed"] if failed else [])])
    left_out = f"; left out: {', '.join(skipped)}" if skipped else ""
    print(f"split: {words}{left_out}", file=sys.stderr)
    if failed and not split:
        return 2
    return SOME_FAILED if failed else 0


def _outcomes(jobs: Iterator[_Job], workers: int | None) -> Iterator[_Outcome]:
    """Yield what becomes of documents: here, or in processes where there are many."""
    some = list(islice(jobs, _IN_PROCESS + 1))
    if workers == 1 or len(some) <= _IN_PROCESS:
        yield from map(split_document, chain(some, jobs))
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


@contextmanager
def _output(path: Path | None) -> Iterator[IO[str]]:
    """Yield where lines are written: a file that is there once all are, or standard output."""
    if path is None:
        yield sys.stdout
        return
    try:
        with replacing_path(path) as growing, growing.open("w", encoding="utf-8", newline="") as file:
            yield file
    except OSError as error:
        raise files.unwritable(path, error) from error
