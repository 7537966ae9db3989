"""The command line: ``chunkscope COMMAND``, or ``python -m chunking COMMAND``; ``chunkscope`` alone opens the app."""

from __future__ import annotations

import argparse
import importlib
import shlex
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

from chunking import __version__
from chunking.errors import ChunkscopeError

_MODULE = "python -m chunking"

_COMMANDS = {
    "strategies": ("list the strategies and their parameters", "settings:add_strategy_list"),
    "split": ("split files into chunks", "split:add_split"),
    "inspect": ("write where a file breaks, and why, as one HTML page", "documents:add_inspect"),
    "push": ("write chunks with their vectors into Qdrant, Chroma or PostgreSQL", "push:add_push"),
    "audit-store": ("report what is wrong with the chunks of a vector store", "audit_store:add_audit_store"),
    "signals": ("print the distances of every gap", "documents:add_signals"),
    "check": ("look for doubtful chunks of files, without a question", "check:add_check"),
    "compare": ("compare what strategies make of a file", "documents:add_compare"),
    "settings": ("write a settings file", "settings:add_settings"),
    "diff": ("compare two settings files or versions of documents, and what the change costs", "diff:add_diff"),
    "suggest": ("advise a strategy, a setting and a maximum for files", "suggest:add_suggest"),
    "evaluate segmentation": (
        "against reference boundaries, over a set of documents",
        "evaluation.segmentation:add_segmentation",
    ),
    "evaluate retrieval": ("whether questions find their answers, over a corpus", "evaluation.retrieval:add_retrieval"),
    "evaluate answers": (
        "whether a model behind an endpoint answers from what strategies retrieve",
        "evaluation.answers:add_answers",
    ),
    "evaluate review": (
        "what people judged of a document, and what that says of strategies",
        "evaluation.review:add_review",
    ),
    "questions proxies": ("make questions of headings or sentences of documents", "evaluation.questions:add_proxies"),
    "questions generate": (
        "let a model behind an endpoint write questions on documents",
        "evaluation.questions:add_generate",
    ),
    "run": ("cut and evaluate whole data sets, part by part", "evaluation.run:add_run"),
    "library list": ("list the documents that are kept", "library:add_list"),
    "library add": ("keep documents", "library:add_add"),
    "library export": ("write all that is kept as one archive", "library:add_export"),
    "library import": ("take in an archive of a library", "library:add_import"),
    "library delete": ("delete documents with all that was made of them", "library:add_delete"),
    "library scan": ("watch a folder, and bring the library in step with it", "library:add_scan"),
    "library evict": ("show or delete what the limits evict", "library:add_evict"),
    "library check": ("hold all files against their hashes", "library:add_check"),
    "audit": ("print who did what on a server with log-in", "library:add_audit"),
    "backup": ("copy reviews and library while the app runs", "library:add_backup"),
    "restore": ("put a backup in the place of what is empty", "library:add_restore"),
    "app": ("open the app in a browser", "app:add_app"),
}
"""What each command does, and what in :mod:`chunking.commands` adds its options."""

_STOPPED = 130
"""Exit code of what a person stopped, as shells have it."""

_GROUPS = {
    "evaluate": "measure strategies against what is known to be true",
    "questions": "make questions with answers for 'evaluate retrieval'",
    "library": "the documents that are kept on this machine",
}
"""What the commands of two words do together."""


def console() -> int:
    """Run the installed command ``chunkscope``: open the app, with options of its server, or run the command named."""
    words = sys.argv[1:]
    is_app = not words or words[0].startswith(_SERVER_OPTIONS)
    return main(["app", *words] if is_app else words, "chunkscope")


_SERVER_OPTIONS = ("--server.", "--browser.", "--theme.", "--logger.", "--client.", "--runner.", "--global.")
"""How the options of Streamlit begin, which the app takes."""


def main(arguments: Sequence[str] | None = None, program: str = _MODULE) -> int:
    """Run a command; the exit code is 0, what the command says, 2 for bad input, which standard error explains,
    or 130 where a person stopped it."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            # A file's name may hold bytes that are no UTF-8.
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    try:
        words = sys.argv[1:] if arguments is None else list(arguments)
        parser = argument_parser(program, _command_name(words))
        options, remaining = parser.parse_known_args(words)
        options.rest = remaining
        if remaining and not getattr(options, "takes_rest", False):
            parser.error(f"unrecognized arguments: {shlex.join(remaining)}")
        options.line = shlex.join([*program.split(), *words])
        for name in ("device", "precision"):
            if getattr(options, name, None):
                choose = getattr(importlib.import_module("chunking.embedding"), f"configure_{name}")
                choose(getattr(options, name))
        return options.command(options) or 0
    except ChunkscopeError as error:
        print(f"chunking: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("chunking: stopped.", file=sys.stderr)
        return _STOPPED
    except BrokenPipeError:
        # The reader (head, less) has seen enough; closing quietly is what other tools do.
        sys.stderr.close()
    return 0


def _command_name(arguments: Sequence[str]) -> str:
    """Return the command that is named, or as much of it as there is."""
    words = [word for word in arguments[:2] if not word.startswith("-")]
    line = " ".join(words)
    return line if line in _COMMANDS else words[0] if words else ""


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise ChunkscopeError(f"{message[:1].upper()}{message[1:]}.", f"See '{self.prog} --help'.")


def argument_parser(program: str, only: str | None = None) -> argparse.ArgumentParser:
    """Return the parser of the commands, for a program of that name.

    Args:
        program: what the user called.
        only: the command whose options are wanted; those of the others, and all that they import, are left out.
            ``None`` for all.
    """
    parser = _Parser(prog=program, description="Where a document breaks into chunks, and why.")
    parser.add_argument("--version", action="version", version=f"chunkscope {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND", parser_class=_Parser)
    groups: dict[str, Any] = {}
    for name, (about, where) in _COMMANDS.items():
        group, _, kind = name.partition(" ")
        if kind and group not in groups:
            group_parser = commands.add_parser(group, help=_GROUPS[group])
            groups[group] = group_parser.add_subparsers(required=True, metavar="WHAT", parser_class=_Parser)
        command_parser = groups[group].add_parser(kind, help=about) if kind else commands.add_parser(group, help=about)
        if only in (None, name):
            module, _, add = where.partition(":")
            getattr(importlib.import_module(f"chunking.commands.{module}"), add)(command_parser)
    return parser


if __name__ == "__main__":
    sys.exit(main())
