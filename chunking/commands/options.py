"""The options that several commands share, each declared once, and what the commands read from them."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Protocol, TypeVar

from chunking import embedding, export, loading, sentences, strategies, tokens
from chunking.embedding.vector_cache import VectorCache, default_cache
from chunking.errors import ChunkscopeError
from chunking.loading import LoadParameters, files
from chunking.runtime.progress import Tell
from chunking.settings import SettingsFile, load_settings
from chunking.strategies import Segmentation, Setting, Strategy
from chunking.strategies.setting import add_pair
from chunking.workspace import DocumentAnalysis

_NLP: dict[str, str] = {"spacy": sentences.SPACY, "kiwi": sentences.KIWI}
"""What the reference program calls its splitters."""


Option = tuple[str, str, dict[str, Any]]
"""An option by its name in the table, with the name that it has for a command and what differs from its entry."""

_OPTIONS: dict[str, dict[str, Any]] = {
    "file": {"metavar": "FILE", "type": Path, "help": "the document"},
    "files": {
        "metavar": "FILE",
        "type": Path,
        "nargs": "+",
        "help": "the documents: files, folders (without their data and source code, but for data sets), quoted "
        "patterns ('docs/**/*.md'); an archive (ZIP), a table (Parquet, Arrow) or JSON Lines of LangChain gives all in "
        "it",
    },
    "--encoder": {
        "metavar": "NAME",
        "help": f"encoder: {', '.join(embedding.encoder_names())}, a model's folder or name, or openai:MODEL. If "
        "absent, boundaries are found with static in English and char-ngrams in other languages, and all-MiniLM-L6-v2 "
        "searches where it is installed",
    },
    "--device": {
        "choices": embedding.DEVICE.names,
        "help": "where models run: auto is an accelerator where there is one",
    },
    "--precision": {
        "choices": embedding.PRECISION.names,
        "help": "the numbers that models compute with: bfloat16 is faster on processors that know it, and its vectors "
        "differ from the fourth digit on",
    },
    "--tokenizer": {
        "metavar": "NAME",
        "help": f"what counts tokens: {', '.join(tokens.tokenizer_names())}, or '{embedding.AS_ENCODER}' for the "
        f"encoder's own; by default that of --encoder where it has a limit, else {tokens.DEFAULT_TOKENIZER}",
    },
    "--splitter": {"metavar": "NAME", "help": "sentence splitter; by language if absent"},
    "--nlp": {"choices": _NLP, "help": "spaCy or Kiwi: another name for their splitters"},
    "--language": {"metavar": "CODE", "help": "ISO 639-1 code; detected if absent"},
    **{
        f"--{parameter.name}": {"choices": parameter.choices, "help": parameter.help}
        for parameter in LoadParameters.describe()
    },
    "--config": {
        "type": Path,
        "metavar": "FILE.toml",
        "help": "settings file, which other options override: strategies with parameters, encoder, tokenizer, "
        "splitter, language",
    },
    "-p": {
        "dest": "params",
        "metavar": "KEY=VALUE",
        "action": "append",
        "default": [],
        "help": "parameter of the strategy; of several strategies, for each that has it and is not given its own",
    },
    "--strategy": {
        "metavar": "NAME",
        "help": "strategy, see 'strategies', with parameters where wanted: structural:alpha=0.3;max_tokens=200. If "
        "absent, that of --config with its parameters",
    },
    "--setting": {"metavar": "NAME", "help": "setting of the file of --config, if it has several"},
    "--strategies": {
        "metavar": "A,B,…",
        "help": "strategies, with parameters where wanted: structural:alpha=0.3,percentile:window=1;percentile=90",
    },
    "--gold": {
        "type": Path,
        "metavar": "FILE",
        "help": "reference boundaries: JSON with their offsets, JSON Lines of reviews, or the chunks that they divide",
    },
    "--fail-on": {"action": "append", "default": [], "metavar": "CONDITION,…"},
    "--format": {"help": "output format"},
    "--json": {"action": "store_true", "help": "print the result as JSON"},
    "--since": {"metavar": "TIME", "help": "ISO 8601, such as 2026-11-25; in UTC unless it says"},
    "--workers": {"type": int, "metavar": "N", "help": "how many; one for each core if absent"},
    "--output": {"type": Path, "metavar": "PATH", "help": "where the result goes; standard output if absent"},
    "--questions": {"metavar": "FILE.jsonl", "type": Path},
    "--number": {"type": int, "metavar": "N"},
    "--seed": {"type": int, "default": 0, "metavar": "N"},
    "--price": {"metavar": "RATE"},
    "--yes": {"action": "store_true"},
    "--report": {"type": Path, "metavar": "FILE.html", "help": "also write a report as one HTML file"},
}
"""The options that several commands share, with the arguments of :meth:`argparse.ArgumentParser.add_argument`."""

MODELS = ("--encoder", "--device", "--precision", "--tokenizer")
"""The encoder, the device and precision of sentence-transformers models, and the tokenizer."""

SPLITTER = ("--splitter", "--nlp")
"""The sentence splitter."""

READING = (
    *MODELS,
    *SPLITTER,
    "--language",
    *(f"--{parameter.name}" for parameter in LoadParameters.describe()),
    "--config",
)
"""How documents are read and measured, and a settings file that this overrides."""

SOME_FAILED = 1
"""Exit code where some of several documents could not be used, and others could."""

STRATEGY = ("--strategy", "--setting")
"""One strategy, which a settings file may hold."""


def add_options(parser: argparse.ArgumentParser, *options: str | Option) -> None:
    """Add options of the table, each as it is or as :func:`option` and :func:`formats` change it."""
    for name, flag, changes in ((entry, entry, {}) if isinstance(entry, str) else entry for entry in options):
        parser.add_argument(flag, **_OPTIONS[name] | changes)


def option(name: str, flag: str = "", **changes: Any) -> Option:
    """Return an option of the table with other arguments, or under another name."""
    return name, flag or name, changes


def formats(*choices: str) -> Option:
    """Return the option of the output format, of which the first choice is the default."""
    return option("--format", choices=choices, default=choices[0])


def write(options: argparse.Namespace, content: str | bytes) -> None:
    """Write a result to the file of ``--output``, or to standard output.

    Raises:
        ChunkscopeError: the file cannot be written.
    """
    if options.output:
        files.write(options.output, content.encode() if isinstance(content, str) else content)
    elif isinstance(content, str):
        sys.stdout.write(content)
    else:
        sys.stdout.buffer.write(content)


def print_message(text: str) -> None:
    """Print a line to standard error, in place of the line of :func:`progress` if there is one."""
    print(f"{_CLEAR if sys.stderr.isatty() else ''}{text}", file=sys.stderr)


_CLEAR = "\r\x1b[K"
"""Empties the line of a terminal."""


def print_notes(notes: Iterable[str]) -> None:
    """Print notes to standard error, one per line."""
    for note in notes:
        print_message(f"note: {note}")


class Summary(Protocol):
    """The results of an evaluation or a review."""

    @property
    def notes(self) -> Sequence[str]:
        """What a reader should know."""

    def as_dict(self) -> dict[str, Any]:
        """Return the results as JSON has them."""


SomeSummary = TypeVar("SomeSummary", bound=Summary)


def print_summary(options: argparse.Namespace, summary: SomeSummary, table: Callable[[SomeSummary], str]) -> None:
    """Print a summary, as a table or as JSON, in which case its notes go to standard error."""
    if options.format == "table":
        sys.stdout.write(table(summary))
        return
    print_notes(summary.notes)
    print(json.dumps(summary.as_dict(), ensure_ascii=False, indent=2))


def splitter(options: argparse.Namespace) -> str | None:
    """Return the sentence splitter that the options name; ``None`` for that of the language."""
    if options.nlp and options.splitter and _NLP[options.nlp] != options.splitter:
        raise ChunkscopeError(f"--nlp {options.nlp} is not --splitter {options.splitter}.", "Give one of the two.")
    name: str | None = _NLP[options.nlp] if options.nlp else options.splitter
    return name


def config(options: argparse.Namespace) -> SettingsFile:
    """Return the settings file that the options name, or an empty one, with what other options say instead."""
    file = load_settings(options.config) if options.config else SettingsFile()
    names = [parameter.name for parameter in LoadParameters.describe()]
    overrides = {name: getattr(options, name, None) for name in ("encoder", "tokenizer", "language", *names)}
    return file.with_reading(overrides | {"splitter": splitter(options) if hasattr(options, "splitter") else None})


def print_unused(file: SettingsFile, used: Collection[str]) -> None:
    """Print a note on each value of a settings file that a command makes no use of.

    Args:
        file: the settings file.
        used: keys of the models and of the language that the command uses.
    """
    unused = [key for key in ("splitter", "language") if getattr(file, key) is not None and key not in used]
    print_notes(f"{key} of {file.name} is not used here." for key in (*unused, *file.loading.changed()))


def workspace(options: argparse.Namespace, file: SettingsFile | None = None) -> DocumentAnalysis:
    """Return the workspace of the document that the options name, read as :func:`config` says."""
    return workspace_of(*files.read_document(options.file), file or config(options), path=str(options.file))


Result = TypeVar("Result")


def each_document(
    options: argparse.Namespace,
    file: SettingsFile,
    failures: list[ChunkscopeError],
    use: Callable[[Path, DocumentAnalysis], Result],
) -> Iterator[Result]:
    """Yield what a function returns for each document that the options name, in order; one that fails ends no others.

    Args:
        options: the options.
        file: how documents are read and measured.
        failures: receives why documents cannot be read or used.
        use: gets the path and the workspace of a document.

    Raises:
        ChunkscopeError: the reason of the first that fails, where all do.
    """
    used = 0
    for path, name, data in files.find_documents(options.files, files.Search(on_failure=failures.append)):
        try:
            result = use(path, workspace_of(name, data, file, path=str(path)))
        except ChunkscopeError as error:
            failures.append(ChunkscopeError(f"{path}: {error.problem}", error.remedy))
            continue
        used += 1
        yield result
    if failures and not used:
        raise failures[0]


def print_failures(failures: Sequence[ChunkscopeError]) -> int:
    """Print why some of several documents could not be used, and return the exit code that says so, or 0."""
    for error in failures:
        print(f"chunking: {error}", file=sys.stderr)
    return SOME_FAILED if failures else 0


def workspace_of(
    name: str, data: bytes, file: SettingsFile, cache: VectorCache | None = None, path: str = ""
) -> DocumentAnalysis:
    """Return the workspace of a document, read, measured and edited as a settings file says.

    Args:
        name: of the document.
        data: its bytes.
        file: the settings file.
        cache: of vectors and sentences; the default one if absent.
        path: by which the file knows the document; its name if absent.

    Raises:
        ChunkscopeError: the document cannot be read.
    """
    document = loading.load(data, name, file.language, file.loading)
    return DocumentAnalysis(document, file.tools, cache or default_cache()).with_edits(file.edits_for(path or name))


def setting(options: argparse.Namespace, file: SettingsFile, default: str = "") -> Setting:
    """Return the setting of the options of a strategy and its parameters, on top of the file's.

    A strategy other than the file's has its own defaults, and a preset replaces the parameters of the file.

    Args:
        options: the options.
        file: the settings file.
        default: strategy if neither names one.

    Raises:
        ChunkscopeError: no strategy is named, or a name or value is not allowed.
    """
    if options.setting and not options.config:
        raise ChunkscopeError("--setting names a setting of a file.", "Give the file as well: --config FILE.toml.")
    file_setting = _of_file(options, file)
    name = options.strategy or (file_setting.strategy.name if file_setting else default)
    if not name:
        raise ChunkscopeError("No strategy was given.", "Give --strategy NAME, or --config FILE.toml with a setting.")
    name, _, line = name.partition(":")
    strategy = strategies.get(name)
    values = pairs([*filter(None, line.split(";")), *options.params], strategy)
    if file_setting is None or file_setting.strategy is not strategy or "preset" in values:
        return Setting(strategy, strategies.parameters(strategy, values))
    return replace(file_setting, params=strategy.params.parse(values, file_setting.params.values()))


def _of_file(options: argparse.Namespace, file: SettingsFile) -> Setting | None:
    """Return the setting that the file has for the options; ``None`` if they need none of it."""
    needless = options.strategy and not options.setting and len(file.settings) != 1
    return None if needless or not file.settings else file.setting(options.setting)


def segmented(options: argparse.Namespace, default: str = "") -> tuple[Segmentation, DocumentAnalysis]:
    """Cut the document that the options name; print the notes about it on standard error.

    Args:
        options: the options.
        default: strategy if neither they nor a settings file name one.
    """
    file = config(options)
    strategy_setting = setting(options, file, default)
    return cut(workspace(options, file), strategy_setting)


def cut(
    document: DocumentAnalysis, strategy_setting: Setting, prefix: str = ""
) -> tuple[Segmentation, DocumentAnalysis]:
    """Cut a document; print the notes about it on standard error, each after a prefix."""
    with progress() as tell:
        segmentation = run_setting(document, strategy_setting, tell)
    print_cut(document, segmentation, prefix)
    return segmentation, document


def run_setting(document: DocumentAnalysis, strategy_setting: Setting, tell: Tell) -> Segmentation:
    """Cut a document, and report how far what takes longest is: its sentences and their vectors."""
    name = document.document.name
    for window in strategy_setting.windows:
        document.split(partial(tell, f"{name}: splitting sentences, characters"))
        document.vectors(window, partial(tell, f"{name}: embedding sentences"))
    tell(f"{name}: cutting", 0, 0)
    return strategy_setting.run(document)


def print_cut(document: DocumentAnalysis, segmentation: Segmentation, prefix: str = "") -> None:
    """Print the notes about a document and its chunks on standard error, each after a prefix."""
    warnings = document.warnings(getattr(segmentation.params, "window", 0))
    for note in (*document.document.notes, *segmentation.warnings, *warnings):
        print_message(f"note: {prefix}{note}")
    if words := export.limits_in_words(segmentation):
        print_message(f"limits: {prefix}{words}")


def pairs(options: Sequence[str], strategy: Strategy) -> dict[str, str]:
    """Return parameters, given as ``KEY=VALUE``, by name.

    Raises:
        ChunkscopeError: one has no value, for which the message gives an example, or is given twice.
    """
    values: dict[str, str] = {}
    for option in options:
        name, sign, text = option.partition("=")
        if not sign:
            raise ChunkscopeError(
                f"-p takes KEY=VALUE, not {option!r:.60}.", f"For {strategy.name}, e.g. -p overlap=1."
            )
        add_pair(values, name, text)
    return values


PIPE_SECONDS = 10.0
"""Seconds between two lines of progress where standard error is no terminal."""


def _how_far(what: str, done: int, total: int) -> str:
    return f"{what} {done:,} / {total:,}" if total else what


def _line_by_line(clock: Callable[[], float]) -> Tell:
    """Return what prints the progress now and then; nothing before the first :data:`PIPE_SECONDS` are over."""
    last = clock()

    def tell(what: str, done: int, total: int) -> None:
        nonlocal last
        if clock() - last >= PIPE_SECONDS:
            last = clock()
            print(f"progress: {_how_far(what, done, total)}", file=sys.stderr, flush=True)

    return tell


@contextmanager
def progress() -> Iterator[Tell]:
    """Report how far it is on standard error: at a terminal on one line that is gone afterwards, else on a line of its
    own every :data:`PIPE_SECONDS`.
    """
    if not sys.stderr.isatty():
        yield _line_by_line(time.monotonic)
        return

    def tell(what: str, done: int, total: int) -> None:
        print(f"{_CLEAR}{_how_far(what, done, total)}", end="", file=sys.stderr, flush=True)

    try:
        yield tell
    finally:
        print(_CLEAR, end="", file=sys.stderr, flush=True)
