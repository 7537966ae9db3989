"""The commands about settings: those of files, their differences, and the strategies with their parameters."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict, replace
from pathlib import Path

from chunking import strategies
from chunking.commands.options import READING, add_options, config, formats, write
from chunking.errors import ChunkscopeError
from chunking.settings import difference, difference_text, load_settings, settings_toml

DIFFERENT = 1
"""Exit code where two files differ, as of ``diff``."""


def add_settings(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``settings``."""
    add_options(parser, *READING, "--strategies", "--output")
    parser.set_defaults(command=_settings)


def add_diff(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``diff``."""
    parser.add_argument("before", type=Path, metavar="BEFORE.toml", help="a settings file")
    parser.add_argument("after", type=Path, metavar="AFTER.toml", help="the file to compare it with")
    add_options(parser, formats("text", "json"))
    parser.set_defaults(command=_diff)


def _settings(options: argparse.Namespace) -> None:
    file = config(options)
    if options.strategies is not None:
        file = replace(file, settings=strategies.parse_named(options.strategies))
    if not file.settings:
        raise ChunkscopeError("No strategy was given.", "Give --strategies A,B,…, or --config FILE.toml with settings.")
    write(options, settings_toml(file))


def _diff(options: argparse.Namespace) -> int:
    changes = difference(load_settings(options.before), load_settings(options.after))
    if options.format == "json":
        print(json.dumps([asdict(change) for change in changes], ensure_ascii=False, indent=2))
    else:
        sys.stdout.write(difference_text(changes, str(options.before), str(options.after)))
    return DIFFERENT if changes else 0


def add_strategy_list(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``strategies``."""
    parser.add_argument("--json", action="store_true", help="as JSON, with every parameter")
    parser.set_defaults(command=_strategies)


def _strategies(options: argparse.Namespace) -> None:
    rows = [strategies.describe(strategy) for strategy in strategies.REGISTRY.values()]
    if options.json:
        print(json.dumps(rows, ensure_ascii=False, indent=2))
        return
    for row in rows:
        print(f"{row['name']:<20} {row['family']:<10} {row['summary']}")
