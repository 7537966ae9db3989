"""The command ``evaluate review``."""

from __future__ import annotations

import argparse
from pathlib import Path

from chunking import strategies
from chunking.commands import several
from chunking.commands.options import READING, add_options, config, formats, option, print_summary, workspace
from chunking.errors import ChunkscopeError
from chunking.loading import files
from chunking.report import html
from chunking.review import exchange, report, summary
from chunking.review.candidates import ORDERS
from chunking.review.reviewed import ReviewedDocument
from chunking.review.summary import ReviewOptions
from chunking.strategies import Setting
from chunking.workspace import DocumentAnalysis

_NOBODY = "-"
"""To whom boundaries without a reviewer are attributed."""


def add_review(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``evaluate review``."""
    add_options(parser, "file", *READING)
    parser.add_argument(
        "--reviews",
        type=Path,
        required=True,
        metavar="FILE.jsonl",
        help="the judgements, as Review exports them (Reference, JSONL)",
    )
    about = (
        "strategies to evaluate, as in 'compare'; if absent those of --config, else those whose boundaries were judged"
    )
    add_options(parser, option("--strategies", help=about), "-p")
    parser.add_argument(
        "--order",
        choices=ORDERS,
        default=ReviewOptions.order,
        help="of the judgements that were not blind: only in random order are some of the cuts a fair sample",
    )
    parser.add_argument(
        "--anonymous", action="store_true", help="number the reviewers, and leave out their names and notes"
    )
    add_options(parser, formats("json", "table"), "--report")
    parser.set_defaults(command=_evaluate_review)


def _evaluate_review(options: argparse.Namespace) -> None:
    file = config(options)
    if options.report:
        html.check_path(options.report)
    document = workspace(options, file)
    reviewed, notes = _read_reviews(options.reviews, document)
    has_settings = options.strategies is not None or file.settings
    settings = several.settings(options.strategies, file, options.params) if has_settings else _proposing(reviewed)
    entries, failed = several.run_all(settings, document)
    notes += [*document.document.notes, *(f"{label}: {problem}" for label, problem in failed.items())]
    results = summary.summarize(reviewed, entries, ReviewOptions(options.order, not options.anonymous), notes)
    print_summary(options, results, report.text)
    if options.report:
        html.write(options.report, report.page(results, options.line))


def _read_reviews(path: Path, document: DocumentAnalysis) -> tuple[ReviewedDocument, list[str]]:
    """Return the document with the judgements of a file, and remarks on what was not found again.

    Raises:
        ChunkscopeError: the file cannot be read, or has no judgements of reviewers on this document.
    """
    result = exchange.import_reviews(files.read(path), path.name, document.document, _NOBODY)
    reviewed = ReviewedDocument(document, result.events)
    if any(name == _NOBODY and review.judgements for name, review in reviewed.reviews.items()) or not result.events:
        raise ChunkscopeError(
            f"{path.name} has no judgements of reviewers.", "Export them on Review: Reference, JSONL."
        )
    return reviewed, list(result.notes)


def _proposing(reviewed: ReviewedDocument) -> dict[str, Setting]:
    """Return the settings whose boundaries were judged, as far as there are such strategies."""
    settings = {}
    for line in summary.proposing_settings(reviewed):
        try:
            settings[line] = strategies.parse(line)
        except ChunkscopeError:  # of another version
            continue
    return settings
