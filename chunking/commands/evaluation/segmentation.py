"""The command about a set of segmented documents: evaluate segmentation."""

from __future__ import annotations

import argparse
from pathlib import Path

from chunking import evaluation
from chunking.commands import several
from chunking.commands.options import (
    MODELS,
    add_options,
    config,
    formats,
    option,
    print_summary,
    print_unused,
    progress,
)
from chunking.embedding.vector_cache import default_cache
from chunking.evaluation import report as evaluation_report
from chunking.evaluation import table as evaluation_table
from chunking.loading import files
from chunking.report import html
from chunking.workspace import Models


def add_segmentation(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``evaluate segmentation``."""
    parser.add_argument(
        "data",
        metavar="DATA.jsonl",
        type=Path,
        nargs="+",
        help="a document a line: id, units, boundaries. Each of several files is a group of the results",
    )
    add_options(parser, "--strategies", "-p")
    parser.add_argument(
        "--granularity",
        choices=("default", "gold"),
        default="default",
        help="gold: every curve is cut at as many gaps as there are reference boundaries",
    )
    language = "ISO 639-1 code; by default the file's for each document, else detected"
    add_options(parser, formats("json", "table"), *MODELS, option("--language", help=language), "--config")
    parser.add_argument(
        "--tolerance", type=int, default=1, metavar="GAPS", help="how far two boundaries may lie apart in f1_tolerance"
    )
    add_options(parser, "--report")
    parser.set_defaults(command=_evaluate_segmentation)


def _evaluate_segmentation(options: argparse.Namespace) -> None:
    file = config(options)
    settings = several.settings(options.strategies, file, options.params)
    print_unused(file, ("language",))
    tools = Models(file.encoder, file.tokenizer)
    evaluation_options = evaluation.SegmentationOptions(options.granularity, options.tolerance, tools, file.language)
    if options.report:
        html.check_path(options.report)
    data = evaluation.read_all({str(path): files.read(path) for path in options.data})
    with progress() as tell:
        summary = evaluation.summarize(evaluation.evaluate(data, settings, evaluation_options, default_cache(), tell))
    print_summary(options, summary, evaluation_table.text)
    if options.report:
        html.write(options.report, evaluation_report.page(summary, options.line))
