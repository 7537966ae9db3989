"""The commands about one document: inspect, signals and compare."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from chunking import export, strategies, tokens
from chunking.alignment import uploads
from chunking.commands import several
from chunking.commands.options import (
    READING,
    STRATEGY,
    add_options,
    config,
    formats,
    option,
    print_notes,
    progress,
    segmented,
    workspace,
)
from chunking.comparison import report
from chunking.comparison.report import REFERENCE
from chunking.errors import ChunkscopeError
from chunking.loading import files
from chunking.reference import files as reference_files
from chunking.report import html
from chunking.report.formatting import NOTHING, aligned, harmless
from chunking.workspace import DocumentAnalysis

_DOCUMENT = ("file", *READING, "-p", *STRATEGY)
"""The options of a document and of a strategy for it."""


def add_inspect(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``inspect``."""
    output = "where the page is written; standard output if absent"
    add_options(parser, *_DOCUMENT, "--gold", option("--output", help=output))
    parser.set_defaults(command=_inspect)


def add_signals(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``signals``."""
    add_options(parser, *_DOCUMENT, formats("jsonl", "csv"))
    parser.set_defaults(command=_signals)


def add_compare(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``compare``."""
    add_options(parser, "file", *READING, "--strategies", "--gold")
    parser.add_argument(
        "--chunks", type=Path, action="append", default=[], metavar="FILE", help="your own chunks, as a further lane"
    )
    parser.add_argument(
        "--tolerance", type=int, default=0, metavar="GAPS", help="how far two boundaries may lie apart in F1"
    )
    parser.add_argument(
        "--edits",
        type=int,
        default=0,
        metavar="PLACES",
        help="also measure the share of chunks that changes when a word is inserted, at so many places; 36 suffice",
    )
    add_options(parser, formats("json", "table", "csv", "html"), "--report")
    parser.set_defaults(command=_compare)


def _inspect(options: argparse.Namespace) -> None:
    from chunking.standalone import StandalonePage  # which `split` need not wait for

    if options.output:
        html.check_path(options.output)
    segmentation, document = segmented(options, "structural")
    setting = strategies.Setting(strategies.get(segmentation.strategy), segmentation.params)
    compared = report.make(document, [report.entry(setting, segmentation)], _reference(options, document).reference)
    page = StandalonePage(document, compared, str(options.file))
    if options.output:
        page.save(options.output)
    else:
        sys.stdout.write(page.html)


def _reference(options: argparse.Namespace, document: DocumentAnalysis) -> reference_files.LoadedReference:
    """Return the reference boundaries that the options name."""
    path = options.gold
    return (
        reference_files.read_with_notes(files.read(path), path.name, document.document)
        if path
        else reference_files.LoadedReference()
    )


def _signals(options: argparse.Namespace) -> None:
    segmentation = segmented(options, "structural")[0]
    if segmentation.signals is None:
        raise ChunkscopeError(f"{segmentation.strategy} has no curve.", "Choose a fused or a semantic strategy.")
    rows = list(export.gap_rows(segmentation))
    sys.stdout.write(export.jsonl(rows) if options.format == "jsonl" else export.table(rows, export.GAP_COLUMNS))


def _compare(options: argparse.Namespace) -> None:
    from chunking.standalone import StandalonePage

    file = config(options)
    settings = several.settings(options.strategies, file)
    if options.report:
        html.check_path(options.report)
    document = workspace(options, file)
    reference = _reference(options, document)
    own_chunks = {
        name: uploads.read(files.read(path), path.name) for name, path in _files_by_name(options.chunks).items()
    }
    counters = {name: tokens.get_tokenizer(name) for name in (document.tools.tokenizer, *tokens.tokenizer_names())}
    entries, failed = several.run_all(settings, document)
    _refuse_names([*settings, *own_chunks])
    entries += [report.own_entry(document, name, pieces) for name, pieces in own_chunks.items()]
    print_notes(
        [*document.document.notes, *reference.notes, *(f"{label}: {problem}" for label, problem in failed.items())]
    )
    compared = report.make(document, entries, reference.reference)
    page = StandalonePage(document, compared, str(options.file))
    if options.report:
        page.save(options.report)
    if options.format == "html":
        sys.stdout.write(page.html)
        return
    comparison = report.as_dict(compared, counters, options.tolerance)
    if options.edits > 0:
        _add_edits(
            comparison, document, {name: settings[name] for name in settings if name not in failed}, options.edits
        )
    if options.format == "json":
        print(json.dumps(comparison | {"failed": failed}, ensure_ascii=False, indent=2))
        return
    rows = comparison_rows(comparison, document.tools.tokenizer)
    output = export.table(rows, COMPARISON_COLUMNS) if options.format == "csv" else comparison_text(rows)
    sys.stdout.write(output)


def _add_edits(
    comparison: dict[str, Any], document: DocumentAnalysis, settings: Mapping[str, strategies.Setting], places: int
) -> None:
    """Add to each strategy of a comparison how many of its chunks change after an edit."""
    from chunking.retrieval.edit_stability import edit_stability  # which no other command needs

    with progress() as tell:
        stabilities = edit_stability(document, list(settings.values()), places, tell)
    for name, stability in zip(settings, stabilities, strict=True):
        comparison["strategies"][name]["edits"] = {
            "places": len(stability.changed), "median": stability.median, "worst": stability.worst,
        }  # fmt: skip


def _refuse_names(names: Sequence[str]) -> None:
    """Raise if a row has the name of the reference boundaries, or two have one name."""
    for index, name in enumerate(names):
        if name == report.REFERENCE or name in names[:index]:
            whose = "the reference boundaries" if name == report.REFERENCE else "another row"
            raise ChunkscopeError(f"{name!r:.60} is the name of {whose}.", "Give the setting another name.")


def _files_by_name(paths: Sequence[Path]) -> dict[str, Path]:
    """Return files by their names, or by their whole paths where several have one name."""
    names = [path.name for path in paths]
    return {path.name if names.count(path.name) == 1 else str(path): path for path in paths}


COMPARISON_COLUMNS = (
    "strategy",
    "chunks",
    "tokens_mean",
    "tokens_median",
    "tokens_min",
    "tokens_max",
    "over_maximum",
    "under_minimum",
    "characters_lost",
    "edits_median",
    "edits_worst",
    "f1",
    "boundary_similarity",
    "window_diff",
    "pk",
)
"""The columns; the last four compare with the reference boundaries and are empty without them, as the two before are
without ``--edits``."""

_SIZE_NAMES = {"mean": "mean", "median": "median", "min": "minimum", "max": "maximum"}
_MEASURES = ("f1", "boundary_similarity", "window_diff", "pk")


def comparison_rows(comparison: dict[str, Any], tokenizer: str) -> list[dict[str, Any]]:
    """Return a record for each strategy, with :data:`COMPARISON_COLUMNS`.

    Args:
        comparison: what :func:`chunking.comparison.report.as_dict` returns.
        tokenizer: which one counts the tokens, without overlap.
    """
    return [_row(name, entry, comparison["agreement"], tokenizer) for name, entry in comparison["strategies"].items()]


def _row(name: str, entry: dict[str, Any], agreement: dict[str, Any], tokenizer: str) -> dict[str, Any]:
    sizes = entry["tokens"][tokenizer]["own"]
    measures = {
        measure: agreement[measure]["pairs"].get(REFERENCE, {}).get(name, {}).get("value") for measure in _MEASURES
    }
    return {
        "strategy": name,
        "chunks": entry["chunks"],
        **{f"tokens_{column}": sizes[key] for column, key in _SIZE_NAMES.items()},
        **{column: entry[column] for column in ("over_maximum", "under_minimum", "characters_lost")},
        **{f"edits_{column}": entry.get("edits", {}).get(column) for column in ("median", "worst")},
        **measures,
    }


def comparison_text(rows: Sequence[dict[str, Any]]) -> str:
    """Return the records as aligned lines, without the columns that are empty in all of them."""
    columns = [name for name in COMPARISON_COLUMNS if any(row[name] is not None for row in rows)]
    cells = [[_cell(row[name]) for name in columns] for row in rows]
    return harmless(aligned([[name.replace("_", " ") for name in columns], *cells])) + "\n"


def _cell(value: object) -> str:
    if value is None:
        return NOTHING
    if isinstance(value, float):
        return f"{value:.3f}" if value <= 1 else f"{value:,.1f}"
    return f"{value:,}" if isinstance(value, int) else str(value)
