"""``python -m chunking run``."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping
from pathlib import Path

from chunking import embedding, evaluation, tokens
from chunking.batch import corpus, engines, experiment
from chunking.errors import ChunkscopeError
from chunking.retrieval.command import methods
from chunking.retrieval.evaluate import RetrievalOptions
from chunking.retrieval.measures import BUDGETS, Cutoffs
from chunking.retrieval.search.ranking import METHODS
from chunking.runtime.progress import Tell
from chunking.workspace import Tools


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command, except those that choose the sentence splitter."""
    parser.add_argument(
        "--mode", required=True, choices=("chunk", "eval"), help="write chunks, or search and measure as well"
    )
    parser.add_argument(
        "--datasets",
        required=True,
        metavar="FOLDER[,FOLDER…]",
        help="data sets, as in 'evaluate retrieval', or their addresses",
    )
    parser.add_argument("--method", required=True, metavar="A,B,…", help="strategies, as in 'compare'")
    parser.add_argument(
        "-p", dest="params", metavar="KEY=VALUE", action="append", default=[], help="a parameter for all that have it"
    )
    parser.add_argument("--out", type=Path, default=Path(), metavar="FOLDER", help="where data/ and results/ go")
    parser.add_argument(
        "--encoder", default=embedding.DEFAULT_ENCODER, metavar="NAME", help="encoder of chunks and questions"
    )
    parser.add_argument(
        "--tokenizer", default=tokens.DEFAULT_TOKENIZER, metavar="NAME", help="tokenizer that counts tokens"
    )
    parser.add_argument("--retriever", default="dense", metavar="A,B,…", help=f"ways to search: {', '.join(METHODS)}")
    kept = parser.add_mutually_exclusive_group()
    kept.add_argument("--top-k", type=int, default=10, metavar="K", help="evaluate the first K chunks of each ranking")
    kept.add_argument(
        "--budget", type=int, metavar="TOKENS", help="evaluate as many chunks as fit into TOKENS (span judgements only)"
    )
    parser.add_argument("--split", metavar="NAME", help="judgements to use: 'test' for qrels/test.tsv")
    parser.add_argument(
        "--chunks-format", choices=(*experiment.FORMS, "both"), default="jsonl", help="of the files in data/chunks"
    )
    parser.add_argument("--engine", choices=engines.ENGINES, default="local", help="where the work is done")
    parser.add_argument("--address", metavar="HOST:PORT", help="of a Ray cluster; absent, one begins on this machine")
    parser.add_argument("--workers", type=int, metavar="N", help="how many; one a core if absent")
    parser.add_argument(
        "--part-bytes", type=int, default=corpus.PART_BYTES, metavar="N", help="size of the parts that are done at once"
    )


def run(options: argparse.Namespace, pairs: Mapping[str, str], splitter: str | None, tell: Tell) -> None:
    """Run the experiment and print what was written, as JSON.

    Args:
        options: of :func:`add_arguments`.
        pairs: the parameters for all strategies.
        splitter: what splits sentences; ``None`` chooses by language.
        tell: told what is being done and how far it is.
    """
    folders = tuple(dict.fromkeys(Path(name.strip()) for name in options.datasets.split(",") if name.strip()))
    if not folders:
        raise ChunkscopeError("No data set is named.", "Name folders; commas part them.")
    kept = Cutoffs(options.top_k, (options.budget,) if options.budget else BUDGETS)
    plan = experiment.RunPlan(
        options.mode,
        folders,
        evaluation.read_settings(options.method, pairs),
        options.out,
        RetrievalOptions(methods(options.retriever), kept, Tools(options.encoder, options.tokenizer, splitter)),
        options.split,
        options.part_bytes,
        options.line,
        experiment.FORMS if options.chunks_format == "both" else (options.chunks_format,),
        "spans" if options.budget else None,
    )
    engines.get(options.engine, options.workers, options.address)  # refused before anything is read
    try:
        done = experiment.run(plan, lambda: engines.get(options.engine, options.workers, options.address), tell)
    except KeyboardInterrupt as stop:
        raise ChunkscopeError("Interrupted.", "What is finished stays: the same line goes on from there.") from stop
    for note in done.notes:
        print(f"note: {note}", file=sys.stderr)
    seconds = {step: round(spent, 3) for step, spent in sorted(done.seconds.items())}
    shown = {"out": str(options.out), "files": done.files, "made": dict(done.made), "seconds": seconds}
    print(json.dumps(shown, ensure_ascii=False, indent=2))
