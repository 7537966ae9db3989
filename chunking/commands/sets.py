"""The commands about whole sets: evaluate segmentation, evaluate retrieval, and run."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from chunking import embedding, evaluation, sentences, strategies, tokens
from chunking.commands.options import add_device, add_splitter, pairs, progress, splitter
from chunking.embedding.vector_cache import default_cache
from chunking.evaluation import report as evaluation_report
from chunking.evaluation import table as evaluation_table
from chunking.figures import page as report_page
from chunking.loading import files
from chunking.workspace import Tools


def add_segmentation(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``evaluate segmentation``."""
    parser.add_argument("data", metavar="DATA.jsonl", type=Path, help="a document a line: id, units, boundaries")
    parser.add_argument("--strategies", required=True, metavar="A,B,…", help="strategies, as in 'compare'")
    parser.add_argument(
        "-p",
        dest="params",
        metavar="KEY=VALUE",
        action="append",
        default=[],
        help="a parameter for every strategy that has it and is not given its own",
    )
    parser.add_argument(
        "--granularity",
        choices=("default", "gold"),
        default="default",
        help="gold: every curve is cut at as many gaps as there are true boundaries",
    )
    parser.add_argument("--format", choices=("json", "table"), default="json", help="what to print")
    parser.add_argument("--encoder", default=embedding.DEFAULT_ENCODER, metavar="NAME", help="what embeds units")
    add_device(parser)
    parser.add_argument("--tokenizer", default=tokens.DEFAULT_TOKENIZER, metavar="NAME", help="what counts tokens")
    parser.add_argument("--language", metavar="CODE", help="of all documents; by default the file's, else detected")
    parser.add_argument(
        "--tolerance", type=int, default=1, metavar="GAPS", help="how far two boundaries may lie apart in f1_tolerance"
    )
    parser.add_argument("--report", type=Path, metavar="FILE.html", help="write everything to one HTML file, too")
    parser.set_defaults(command=_evaluate_segmentation)


def add_retrieval(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``evaluate retrieval``."""
    from chunking.retrieval import command

    command.add_arguments(parser)
    add_device(parser)
    parser.set_defaults(command=_evaluate_retrieval)


def add_run(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``run``."""
    from chunking.batch import command

    command.add_arguments(parser)
    add_splitter(parser)
    parser.set_defaults(command=_run)


def _evaluate_segmentation(options: argparse.Namespace) -> None:
    first = strategies.parse_all(options.strategies)[0].strategy
    settings = evaluation.read_settings(options.strategies, pairs(options.params, first))
    tools = Tools(options.encoder, options.tokenizer)
    asked = evaluation.SegmentationOptions(options.granularity, options.tolerance, tools, options.language)
    if options.report:
        report_page.check_place(options.report)
    data = evaluation.read(files.read(options.data), options.data.name)
    with progress() as tell:
        found = evaluation.as_dict(evaluation.evaluate(data, settings, asked, default_cache(), tell))
    if options.format == "table":
        sys.stdout.write(evaluation_table.text(found))
    else:
        for note in found["notes"]:
            print(f"note: {note}", file=sys.stderr)
        print(json.dumps(found, ensure_ascii=False, indent=2))
    if options.report:
        report_page.write(options.report, evaluation_report.html(found, options.line))


def _evaluate_retrieval(options: argparse.Namespace) -> None:
    from chunking.retrieval import command

    given = pairs(options.params, strategies.parse_all(options.strategies)[0].strategy)
    with progress() as tell:
        command.run(options, given, tell)


def _run(options: argparse.Namespace) -> None:
    from chunking.batch import command

    given = pairs(options.params, strategies.parse_all(options.method)[0].strategy)
    with progress() as tell:
        command.run(options, given, splitter(options) or sentences.REFERENCE, tell)
