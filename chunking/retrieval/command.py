"""``python -m chunking evaluate retrieval``."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping
from pathlib import Path

from chunking import embedding, evaluation, tokens
from chunking.embedding.vector_cache import default_cache
from chunking.errors import ChunkscopeError
from chunking.figures import page
from chunking.loading import files, is_archive
from chunking.retrieval.evaluate import RetrievalOptions, evaluate
from chunking.retrieval.measures import BUDGETS, Cutoffs
from chunking.retrieval.questions import folders, own
from chunking.retrieval.questions.data import QuestionSet
from chunking.retrieval.reports import report, summary, table
from chunking.retrieval.search.index import AT_ONCE, CHOICES
from chunking.retrieval.search.ranking import METHODS, Method
from chunking.runtime.progress import Tell
from chunking.workspace import Tools


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.add_argument("folder", metavar="FOLDER", type=Path, help=f"or ZIP, with {', or '.join(folders.LAYOUTS)}")
    parser.add_argument("--strategies", required=True, metavar="A,B,…", help="strategies, as in 'compare'")
    parser.add_argument(
        "-p",
        dest="params",
        metavar="KEY=VALUE",
        action="append",
        default=[],
        help="a parameter of every strategy that has it",
    )
    kept = parser.add_mutually_exclusive_group()
    kept.add_argument(
        "--top-k", type=int, default=10, metavar="K", help="evaluate the first K passages of each ranking"
    )
    kept.add_argument(
        "--budget",
        type=int,
        metavar="TOKENS",
        help="evaluate as many passages as fit into TOKENS (span judgements only)",
    )
    parser.add_argument("--retriever", default="dense", metavar="A,B,…", help=f"ways to search: {', '.join(METHODS)}")
    parser.add_argument(
        "--index",
        choices=CHOICES,
        default="auto",
        help="dense search: compare every passage (exact), or only those that a vector index selects, with its recall "
        "measured. 'auto' uses the index "
        f"from {AT_ONCE.passages:,} passages and {AT_ONCE.questions:,} questions",
    )
    parser.add_argument(
        "--rank",
        choices=summary.RANKS,
        default="measure",
        help="order of the rows: by the main measure, or by one score of sizes and retrieval",
    )
    parser.add_argument("--split", metavar="NAME", help="judgements to use: 'test' for qrels/test.tsv")
    parser.add_argument("--format", choices=("json", "table"), default="json", help="output format")
    parser.add_argument("--report", type=Path, metavar="FILE.html", help="also write a report as one HTML file")
    parser.add_argument(
        "--encoder", default=embedding.DEFAULT_ENCODER, metavar="NAME", help="encoder of passages and questions"
    )
    parser.add_argument(
        "--tokenizer", default=tokens.DEFAULT_TOKENIZER, metavar="NAME", help="tokenizer that counts tokens"
    )
    parser.add_argument("--splitter", metavar="NAME", help="sentence splitter; by language if absent")


def run(options: argparse.Namespace, pairs: Mapping[str, str], tell: Tell) -> None:
    """Evaluate and print.

    Args:
        options: of :func:`add_arguments`.
        pairs: the parameters for all strategies.
        tell: told what is being done and how far it is.
    """
    settings = evaluation.read_settings(options.strategies, pairs)
    if options.report:
        page.check_place(options.report)
    known = _question_set(options.folder, options.split)
    if options.budget and known.truth == "documents":
        raise ChunkscopeError(
            "Judged documents have no recall within a number of tokens.", "Give --top-k, or a set with spans."
        )
    kept = Cutoffs(options.top_k, (options.budget,) if options.budget else BUDGETS)
    tools = Tools(options.encoder, options.tokenizer, options.splitter)
    asked = RetrievalOptions(methods(options.retriever), kept, tools, options.index)
    evaluation_ = evaluate(known, settings, asked, default_cache(), tell)
    found = summary.as_dict(evaluation_, rank=options.rank, tell=tell)
    if options.format == "table":
        sys.stdout.write(table.text(found))
    else:
        for note in found["notes"]:
            print(f"note: {note}", file=sys.stderr)
        print(json.dumps(found, ensure_ascii=False, indent=2))
    if options.report:
        page.write(options.report, report.html(found, options.line, report.words(known)))


def _question_set(path: Path, split: str | None) -> QuestionSet:
    """Read the set of a folder, or of an archive of one."""
    if not path.is_file() or not is_archive(data := files.read(path), path.name):
        return folders.read(path, split)
    return own.of_files({path.name: data}, path.name, split)


def methods(line: str) -> tuple[Method, ...]:
    """Return the ways to search that a line names."""
    found = tuple(dict.fromkeys(name.strip() for name in line.split(",") if name.strip()))
    return found  # type: ignore[return-value]  # Options refuses what is none
