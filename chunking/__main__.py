"""The command line: ``chunkscope COMMAND``, or ``python -m chunking COMMAND``; ``chunkscope`` alone opens the app."""

from __future__ import annotations

import argparse
import json
import os
import shlex
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import NoReturn

from chunking import __version__, embedding, evaluation, export, installation, loading, sentences, strategies, tokens
from chunking.alignment import uploads
from chunking.batch import command as batch_command
from chunking.checks import checks
from chunking.checks import command as check_command
from chunking.comparison import report
from chunking.document import Document
from chunking.embedding.vector_cache import default_cache
from chunking.errors import ChunkscopeError
from chunking.evaluation import report as evaluation_report
from chunking.evaluation import table as evaluation_table
from chunking.figures import page as report_page
from chunking.gold import gold
from chunking.loading import LoadParameters, files
from chunking.retrieval import command as retrieval_command
from chunking.runtime.progress import Tell
from chunking.strategies import Segmentation, Strategy
from chunking.workspace import Tools, Workspace

_MODULE = "python -m chunking"


def console() -> int:
    """Run the installed command ``chunkscope``: open the app, or run the command that is named."""
    return main(sys.argv[1:] or ["app"], "chunkscope")


def main(arguments: Sequence[str] | None = None, program: str = _MODULE) -> int:
    """Run a command; the exit code is 0, or 2 for bad input, which is explained on standard error."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            # A file's name may hold bytes that are no UTF-8.
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    try:
        parser = argument_parser(program)
        options, rest = parser.parse_known_args(arguments)
        options.rest = rest
        if rest and options.command is not _app:
            parser.error(f"unrecognized arguments: {shlex.join(rest)}")
        options.line = shlex.join([*program.split(), *(sys.argv[1:] if arguments is None else arguments)])
        options.command(options)
    except ChunkscopeError as error:
        print(f"chunking: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        # The reader (head, less) has seen enough; closing quietly is what other tools do.
        sys.stderr.close()
    return 0


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise ChunkscopeError(f"{message[:1].upper()}{message[1:]}.", f"See '{self.prog} --help'.")


def argument_parser(program: str) -> argparse.ArgumentParser:
    """Return the parser of every command, for a program of that name."""
    parser = _Parser(prog=program, description="Where a document breaks into chunks, and why.")
    parser.add_argument("--version", action="version", version=f"chunkscope {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND", parser_class=_Parser)

    listing = commands.add_parser("strategies", help="list the strategies and their parameters")
    listing.add_argument("--json", action="store_true", help="as JSON, with every parameter")
    listing.set_defaults(command=_strategies)

    split = commands.add_parser("split", help="split a file into chunks")
    _add_document(split)
    split.add_argument("--strategy", required=True, metavar="NAME", help="which strategy; see 'strategies'")
    split.add_argument("--format", choices=("jsonl", "json", "csv"), default="jsonl", help="what to print")
    split.set_defaults(command=_split)

    signals = commands.add_parser("signals", help="print the distances of every gap")
    _add_document(signals)
    signals.add_argument("--strategy", default="structural", metavar="NAME", help="a strategy with a curve")
    signals.add_argument("--format", choices=("jsonl", "csv"), default="jsonl", help="what to print")
    signals.set_defaults(command=_signals)

    check = commands.add_parser("check", help="look for doubtful chunks of a file, without a question")
    _add_document(check)
    check.add_argument("--strategy", required=True, metavar="NAME", help="which strategy; see 'strategies'")
    check.add_argument("--format", choices=("json", "table"), default="json", help="what to print")
    check.set_defaults(command=_check)

    compare = commands.add_parser("compare", help="compare what strategies make of a file")
    _add_file(compare)
    compare.add_argument(
        "--strategies",
        required=True,
        metavar="A,B,…",
        help="strategies, with parameters where wanted: structural:alpha=0.3,percentile:window=1;percentile=90",
    )
    compare.add_argument(
        "--gold",
        type=Path,
        metavar="FILE",
        help="true boundaries: JSON with their offsets, the gold of reviews (JSON Lines), or the true chunks",
    )
    compare.add_argument(
        "--chunks", type=Path, action="append", default=[], metavar="FILE", help="your own chunks, as a further lane"
    )
    compare.add_argument(
        "--tolerance", type=int, default=0, metavar="GAPS", help="how far two boundaries may lie apart in F1"
    )
    compare.add_argument("--format", choices=("json",), default="json", help="what to print")
    compare.set_defaults(command=_compare)

    evaluate = commands.add_parser("evaluate", help="measure strategies against what is known to be true")
    kinds = evaluate.add_subparsers(required=True, metavar="WHAT", parser_class=_Parser)
    _add_segmentation(kinds)
    retrieval = kinds.add_parser("retrieval", help="whether questions find their answers, over a corpus")
    retrieval_command.add_arguments(retrieval)
    retrieval.set_defaults(command=_evaluate_retrieval)

    batch = commands.add_parser("run", help="cut and evaluate whole data sets, part by part")
    batch_command.add_arguments(batch)
    _add_splitter(batch)
    batch.set_defaults(command=_run)

    app = commands.add_parser(
        "app",
        help="open the app in a browser",
        usage="%(prog)s [OPTION…]",
        description="Open the app in a browser. Options are those of `streamlit run`, such as --server.port=8600.",
    )
    app.set_defaults(command=_app)
    return parser


def _add_segmentation(commands: argparse._SubParsersAction[_Parser]) -> None:
    parser = commands.add_parser("segmentation", help="against true boundaries, over a set of documents")
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
    parser.add_argument("--tokenizer", default=tokens.DEFAULT_TOKENIZER, metavar="NAME", help="what counts tokens")
    parser.add_argument("--language", metavar="CODE", help="of all documents; by default the file's, else detected")
    parser.add_argument(
        "--tolerance", type=int, default=1, metavar="GAPS", help="how far two boundaries may lie apart in f1_tolerance"
    )
    parser.add_argument("--report", type=Path, metavar="FILE.html", help="write everything to one HTML file, too")
    parser.set_defaults(command=_evaluate_segmentation)


def _add_document(parser: argparse.ArgumentParser) -> None:
    _add_file(parser)
    parser.add_argument(
        "-p", dest="params", metavar="KEY=VALUE", action="append", default=[], help="a parameter of the strategy"
    )


def _add_file(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", type=Path, help="the document")
    parser.add_argument("--encoder", default=embedding.DEFAULT_ENCODER, metavar="NAME", help="what embeds sentences")
    parser.add_argument("--tokenizer", default=tokens.DEFAULT_TOKENIZER, metavar="NAME", help="what counts tokens")
    _add_splitter(parser)
    parser.add_argument("--language", metavar="CODE", help="ISO 639-1 code; detected if absent")
    for known in LoadParameters.describe():
        parser.add_argument(f"--{known.name}", choices=known.choices, default=known.default, help=known.help)


def _add_splitter(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--splitter", metavar="NAME", help="what splits sentences; by language if absent")
    parser.add_argument("--nlp", choices=_NLP, help="spaCy or Kiwi: another name for their splitters")


_NLP: dict[str, str] = {"spacy": sentences.SPACY, "kiwi": sentences.KIWI}
"""What the reference program calls its splitters."""


def _splitter(options: argparse.Namespace) -> str | None:
    if options.nlp and options.splitter and _NLP[options.nlp] != options.splitter:
        raise ChunkscopeError(f"--nlp {options.nlp} is not --splitter {options.splitter}.", "Give one of the two.")
    name: str | None = _NLP[options.nlp] if options.nlp else options.splitter
    return name


def _app(options: argparse.Namespace) -> None:
    if find_spec("streamlit") is None:
        command = installation.install_command("app")
        raise ChunkscopeError("The app needs streamlit, which is not installed.", f"Install it: {command}.")
    script = installation.app_folder() / "app.py"
    # -P: a file of the folder that one happens to be in must not take the place of a module.
    words = [sys.executable, "-P", "-m", "streamlit", "run", str(script), *options.rest]
    if os.name == "nt":
        sys.exit(subprocess.call(words))
    os.execv(sys.executable, words)


def _strategies(options: argparse.Namespace) -> None:
    rows = [strategies.describe(strategy) for strategy in strategies.REGISTRY.values()]
    if options.json:
        print(json.dumps(rows, ensure_ascii=False, indent=2))
        return
    for row in rows:
        print(f"{row['name']:<20} {row['family']:<10} {row['summary']}")


def _split(options: argparse.Namespace) -> None:
    rows = export.chunk_rows(_segment(options))
    if options.format == "json":
        print(json.dumps(rows, ensure_ascii=False, indent=2))
    else:
        sys.stdout.write(export.jsonl(rows) if options.format == "jsonl" else export.table(rows, export.CHUNK_COLUMNS))


def _signals(options: argparse.Namespace) -> None:
    segmentation = _segment(options)
    if segmentation.signals is None:
        raise ChunkscopeError(f"{segmentation.strategy} has no curve.", "Choose a fused or a semantic strategy.")
    rows = list(export.gap_rows(segmentation))
    sys.stdout.write(export.jsonl(rows) if options.format == "jsonl" else export.table(rows, export.GAP_COLUMNS))


def _check(options: argparse.Namespace) -> None:
    segmentation, workspace = _segmented(options)
    found = checks.check(segmentation, workspace)
    if options.format == "table":
        sys.stdout.write(check_command.text(found))
    else:
        print(json.dumps(found.as_dict(), ensure_ascii=False, indent=2))


def _compare(options: argparse.Namespace) -> None:
    settings = _labelled(options.strategies)
    workspace = _workspace(options)
    given = options.gold
    true = gold.read_with_notes(files.read(given), given.name, workspace.document) if given else gold.LoadedReference()
    own = {name: uploads.read(files.read(path), path.name) for name, path in _named(options.chunks).items()}
    counters = {name: tokens.get_tokenizer(name) for name in (options.tokenizer, *tokens.tokenizer_names())}
    entries, failed = _run_all(settings, workspace)
    entries += [report.own_entry(workspace, name, pieces) for name, pieces in own.items()]
    for note in (*workspace.document.notes, *true.notes, *(f"{label}: {problem}" for label, problem in failed.items())):
        print(f"note: {note}", file=sys.stderr)
    found = report.as_dict(report.make(workspace, entries, true.reference), counters, options.tolerance)
    print(json.dumps(found | {"failed": failed}, ensure_ascii=False, indent=2))


def _evaluate_segmentation(options: argparse.Namespace) -> None:
    first = strategies.parse_all(options.strategies)[0].strategy
    settings = evaluation.read_settings(options.strategies, _pairs(options.params, first))
    tools = Tools(options.encoder, options.tokenizer)
    asked = evaluation.SegmentationOptions(options.granularity, options.tolerance, tools, options.language)
    if options.report:
        report_page.check_place(options.report)
    data = evaluation.read(files.read(options.data), options.data.name)
    with _progress() as tell:
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
    pairs = _pairs(options.params, strategies.parse_all(options.strategies)[0].strategy)
    with _progress() as tell:
        retrieval_command.run(options, pairs, tell)


def _run(options: argparse.Namespace) -> None:
    pairs = _pairs(options.params, strategies.parse_all(options.method)[0].strategy)
    with _progress() as tell:
        batch_command.run(options, pairs, _splitter(options), tell)


@contextmanager
def _progress() -> Iterator[Tell]:
    """Tells a person at a terminal how far it is, on one line of standard error that is gone afterwards."""
    if not sys.stderr.isatty():
        yield lambda *_: None
        return

    def tell(what: str, done: int, total: int) -> None:
        count = f" {done:,} / {total:,}" if total else ""
        print(f"\r\x1b[K{what}{count}", end="", file=sys.stderr, flush=True)

    try:
        yield tell
    finally:
        print("\r\x1b[K", end="", file=sys.stderr, flush=True)


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


def _workspace(options: argparse.Namespace) -> Workspace:
    document = _load(options.file, options)
    return Workspace(document, Tools(options.encoder, options.tokenizer, _splitter(options)), default_cache())


def _segment(options: argparse.Namespace) -> Segmentation:
    return _segmented(options)[0]


def _segmented(options: argparse.Namespace) -> tuple[Segmentation, Workspace]:
    strategy = strategies.get(options.strategy)
    params = strategies.parameters(strategy, _pairs(options.params, strategy))
    workspace = _workspace(options)
    document = workspace.document
    segmentation = strategy.run(workspace, params)
    for note in (*document.notes, *segmentation.warnings, *workspace.warnings(getattr(params, "window", 0))):
        print(f"note: {note}", file=sys.stderr)
    for line in export.limit_lines(segmentation):
        print(f"limit: {line}", file=sys.stderr)
    return segmentation, workspace


def _pairs(options: Sequence[str], strategy: Strategy) -> dict[str, str]:
    pairs: dict[str, str] = {}
    for option in options:
        name, sign, text = option.partition("=")
        if not sign:
            raise ChunkscopeError(
                f"-p takes KEY=VALUE, not {option!r:.60}.", f"For {strategy.name}, e.g. -p overlap=1."
            )
        pairs[name.strip()] = text
    return pairs


def _load(path: Path, options: argparse.Namespace) -> Document:
    params = LoadParameters(**{known.name: getattr(options, known.name) for known in LoadParameters.describe()})
    name, data = files.read_document(path)
    return loading.load(data, name, options.language, params)


if __name__ == "__main__":
    sys.exit(main())
