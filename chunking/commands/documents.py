"""The commands about one document: split, signals, check and compare."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from chunking import export, strategies, tokens
from chunking.alignment import uploads
from chunking.checks import checks
from chunking.checks import command as check_command
from chunking.commands.options import add_document, add_file, segmented, workspace
from chunking.comparison import report
from chunking.errors import ChunkscopeError
from chunking.gold import gold
from chunking.loading import files
from chunking.workspace import Workspace


def add_split(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``split``."""
    add_document(parser)
    parser.add_argument("--strategy", required=True, metavar="NAME", help="which strategy; see 'strategies'")
    parser.add_argument("--format", choices=("jsonl", "json", "csv"), default="jsonl", help="what to print")
    parser.set_defaults(command=_split)


def add_signals(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``signals``."""
    add_document(parser)
    parser.add_argument("--strategy", default="structural", metavar="NAME", help="a strategy with a curve")
    parser.add_argument("--format", choices=("jsonl", "csv"), default="jsonl", help="what to print")
    parser.set_defaults(command=_signals)


def add_check(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``check``."""
    add_document(parser)
    parser.add_argument("--strategy", required=True, metavar="NAME", help="which strategy; see 'strategies'")
    parser.add_argument("--format", choices=("json", "table"), default="json", help="what to print")
    parser.set_defaults(command=_check)


def add_compare(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``compare``."""
    add_file(parser)
    parser.add_argument(
        "--strategies",
        required=True,
        metavar="A,B,…",
        help="strategies, with parameters where wanted: structural:alpha=0.3,percentile:window=1;percentile=90",
    )
    parser.add_argument(
        "--gold",
        type=Path,
        metavar="FILE",
        help="true boundaries: JSON with their offsets, the gold of reviews (JSON Lines), or the true chunks",
    )
    parser.add_argument(
        "--chunks", type=Path, action="append", default=[], metavar="FILE", help="your own chunks, as a further lane"
    )
    parser.add_argument(
        "--tolerance", type=int, default=0, metavar="GAPS", help="how far two boundaries may lie apart in F1"
    )
    parser.add_argument("--format", choices=("json",), default="json", help="what to print")
    parser.set_defaults(command=_compare)


def _split(options: argparse.Namespace) -> None:
    rows = export.chunk_rows(segmented(options)[0])
    if options.format == "json":
        print(json.dumps(rows, ensure_ascii=False, indent=2))
    else:
        sys.stdout.write(export.jsonl(rows) if options.format == "jsonl" else export.table(rows, export.CHUNK_COLUMNS))


def _signals(options: argparse.Namespace) -> None:
    segmentation = segmented(options)[0]
    if segmentation.signals is None:
        raise ChunkscopeError(f"{segmentation.strategy} has no curve.", "Choose a fused or a semantic strategy.")
    rows = list(export.gap_rows(segmentation))
    sys.stdout.write(export.jsonl(rows) if options.format == "jsonl" else export.table(rows, export.GAP_COLUMNS))


def _check(options: argparse.Namespace) -> None:
    segmentation, document = segmented(options)
    found = checks.check(segmentation, document)
    if options.format == "table":
        sys.stdout.write(check_command.text(found))
    else:
        print(json.dumps(found.as_dict(), ensure_ascii=False, indent=2))


def _compare(options: argparse.Namespace) -> None:
    settings = _labelled(options.strategies)
    document = workspace(options)
    given = options.gold
    true = gold.read_with_notes(files.read(given), given.name, document.document) if given else gold.LoadedReference()
    own = {name: uploads.read(files.read(path), path.name) for name, path in _named(options.chunks).items()}
    counters = {name: tokens.get_tokenizer(name) for name in (options.tokenizer, *tokens.tokenizer_names())}
    entries, failed = _run_all(settings, document)
    entries += [report.own_entry(document, name, pieces) for name, pieces in own.items()]
    for note in (*document.document.notes, *true.notes, *(f"{label}: {problem}" for label, problem in failed.items())):
        print(f"note: {note}", file=sys.stderr)
    found = report.as_dict(report.make(document, entries, true.reference), counters, options.tolerance)
    print(json.dumps(found | {"failed": failed}, ensure_ascii=False, indent=2))


def _labelled(line: str) -> dict[str, strategies.Setting]:
    """Return the settings of a line, each called as it was written there."""
    strategies.parse_all(line)  # refuses a line without any
    return {part.strip(): strategies.parse(part) for part in line.split(",") if part.strip()}


def _named(paths: Sequence[Path]) -> dict[str, Path]:
    """Return files by their names, or by their whole paths where several have one name."""
    names = [path.name for path in paths]
    return {path.name if names.count(path.name) == 1 else str(path): path for path in paths}


def _run_all(
    settings: dict[str, strategies.Setting], workspace: Workspace
) -> tuple[list[report.ComparisonEntry], dict[str, str]]:
    """Run each setting on the document; return the segmentations and the failures, or raise if all fail."""
    entries, failed = [], {}
    for label, setting in settings.items():
        try:
            entries.append(report.entry(setting, setting.run(workspace), label))
        except ChunkscopeError as error:
            failed[label] = str(error)
            if len(failed) == len(settings):
                raise
    return entries, failed
