"""The command ``split``: the chunks of files, folders, archives and standard input."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import Any

from chunking import export
from chunking.commands.options import READING, STRATEGY, add_options, config, option, progress, setting, write
from chunking.commands.split_many import LIBRARY_ROWS, Input, Run, Splitter
from chunking.embedding.vector_cache import default_cache
from chunking.errors import ChunkscopeError
from chunking.loading import files
from chunking.settings import SettingsFile
from chunking.strategies import Segmentation, Setting

STANDARD_INPUT = Path("-")

_DEFAULT = "structural"


def _json(segmentation: Segmentation) -> str:
    return json.dumps(export.chunk_rows(segmentation), ensure_ascii=False, indent=2) + "\n"


def _lines(make: Callable[[Segmentation], list[dict[str, Any]]], segmentation: Segmentation) -> str:
    return export.jsonl(make(segmentation))


_WRITERS: dict[str, Callable[[Segmentation], str | bytes]] = {
    "jsonl": partial(_lines, export.chunk_rows),
    **{name: partial(_lines, make) for name, make in LIBRARY_ROWS.items()},
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


def add_documents(parser: argparse.ArgumentParser) -> None:
    """Add the options of the documents that are split, and of how they are."""
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
    parser.add_argument(
        "--advised",
        action="store_true",
        help="split each document with the setting that 'suggest' advises for it; a row says which",
    )
    add_options(parser, option("--workers", help="processes for many documents; one for each core if absent"))


def add_split(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``split``."""
    add_documents(parser)
    since = (
        "write only the chunks that are added, changed or removed since the last run with this file, and bring it "
        "up to date; it is made if absent"
    )
    output = f"where the result goes, the folder of --format {_DATASET}; standard output if absent"
    formats = "output format; what --output ends in if absent, else jsonl"
    add_options(
        parser,
        option("--since", type=Path, metavar="STATE", help=since),
        option("--format", choices=(*_WRITERS, _DATASET), default=None, help=formats),
        option("--output", help=output),
    )
    parser.set_defaults(command=_split)


def _split(options: argparse.Namespace) -> int:
    output_format = options.format or _ENDINGS.get(options.output.suffix.lower() if options.output else "", "jsonl")
    if output_format == _DATASET and not options.output:
        raise ChunkscopeError("A dataset is a folder.", "Name it: --output FOLDER.")
    file = document_config(options)
    splitter = Splitter(file, document_setting(options, file), output_format, default_cache())
    failures: list[ChunkscopeError] = []
    search = files.Search(tuple(options.include), tuple(options.exclude), failures.append)
    found = find_inputs(options, search)
    first = list(islice(found, 2))
    if options.since is None and _is_single(options.files, first):
        if failures:
            raise failures[0]
        _write_one(options, splitter, *first[0])
        return 0
    if not first:
        raise failures[0]
    return Run(splitter, options.output, options.since, options.workers).split(chain(first, found), search, failures)


def document_config(options: argparse.Namespace) -> SettingsFile:
    """Return the settings file of the options, without settings of single documents where they name a strategy.

    Raises:
        ChunkscopeError: options contradict each other.
    """
    if options.workers is not None and options.workers < 1:
        raise ChunkscopeError("Workers are counted from 1.", "Give --workers 1 or more.")
    if options.advised and (options.strategy or options.setting or options.params):
        raise ChunkscopeError("--advised chooses the strategy and its parameters.", "Leave it out, or the others.")
    file = config(options)
    return replace(file, documents={}) if options.strategy else file


def document_setting(options: argparse.Namespace, file: SettingsFile) -> Setting | None:
    """Return the setting of documents without one of their own; ``None`` for the one that is advised for each."""
    return None if options.advised else setting(options, file, _DEFAULT)


def find_inputs(options: argparse.Namespace, search: files.Search) -> Iterator[Input]:
    """Yield path, name and bytes of each document that the options name.

    Raises:
        ChunkscopeError: options contradict each other, or nothing is found.
    """
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


def _write_one(options: argparse.Namespace, splitter: Splitter, path: Path, name: str, data: bytes) -> None:
    with progress() as tell:
        segmentation = splitter.split(str(path), data, name, tell)[1]
    if splitter.output_format == _DATASET:
        for file, content in export.dataset_files(segmentation).items():
            files.write(options.output / file, content)
    else:
        write(options, _WRITERS[splitter.output_format](segmentation))
