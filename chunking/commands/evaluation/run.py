"""The command ``run``."""

from __future__ import annotations

import argparse
import json
from dataclasses import replace
from pathlib import Path

from chunking import sentences
from chunking.batch import corpus, engines, experiment
from chunking.commands import several
from chunking.commands.evaluation.retrieval import add_search, search_options
from chunking.commands.options import MODELS, SPLITTER, add_options, config, option, print_notes, print_unused, progress
from chunking.errors import ChunkscopeError
from chunking.retrieval import measures


def add_run(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``run``."""
    parser.add_argument(
        "--mode", required=True, choices=("chunk", "eval"), help="write chunks, or search and measure as well"
    )
    parser.add_argument(
        "--datasets",
        required=True,
        metavar="FOLDER[,FOLDER…]",
        help="data sets, as in 'evaluate retrieval', or their addresses",
    )
    add_options(parser, option("--strategies", flag="--method"), "-p")
    parser.add_argument("--out", type=Path, default=Path(), metavar="FOLDER", help="where data/ and results/ go")
    add_options(parser, *MODELS, *SPLITTER, "--config")
    add_search(parser)
    parser.add_argument(
        "--chunks-format", choices=(*experiment.FORMS, "both"), default="jsonl", help="of the files in data/chunks"
    )
    parser.add_argument("--engine", choices=engines.ENGINES, default="local", help="where the work is done")
    parser.add_argument("--address", metavar="HOST:PORT", help="of a Ray cluster; absent, one begins on this machine")
    add_options(parser, "--workers")
    parser.add_argument(
        "--part-bytes", type=int, default=corpus.PART_BYTES, metavar="N", help="size of the parts that are done at once"
    )
    parser.set_defaults(command=_run)


def _run(options: argparse.Namespace) -> None:
    folders = tuple(dict.fromkeys(Path(name.strip()) for name in options.datasets.split(",") if name.strip()))
    if not folders:
        raise ChunkscopeError("No data set is named.", "Name folders; commas part them.")
    file = config(options)
    settings = several.settings(options.method, file, options.params, option="--method")
    print_unused(file, ("splitter",))
    tools = replace(file.tools, splitter=file.splitter or sentences.REFERENCE)
    plan = experiment.RunPlan(
        options.mode,
        folders,
        settings,
        options.out,
        search_options(options, tools),
        options.split,
        options.part_bytes,
        options.line,
        experiment.FORMS if options.chunks_format == "both" else (options.chunks_format,),
        "spans" if options.budget else None,
    )
    # What is missing is refused before anything is read.
    engines.get(options.engine, options.workers, options.address)
    if options.mode == "eval":
        measures.check_installed()
    try:
        with progress() as tell:
            done = experiment.run(plan, lambda: engines.get(options.engine, options.workers, options.address), tell)
    except KeyboardInterrupt as stop:
        raise ChunkscopeError("Interrupted.", "What is finished stays: the same line goes on from there.") from stop
    print_notes(done.notes)
    seconds = {step: round(spent, 3) for step, spent in sorted(done.seconds.items())}
    content = {"out": str(options.out), "files": done.files, "made": dict(done.made), "seconds": seconds}
    print(json.dumps(content, ensure_ascii=False, indent=2))
