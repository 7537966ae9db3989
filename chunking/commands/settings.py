"""The commands about settings: those of files, and the strategies with their parameters."""

from __future__ import annotations

import argparse
import json
from dataclasses import replace

from chunking import strategies
from chunking.commands.options import READING, add_options, config, option, write
from chunking.errors import ChunkscopeError
from chunking.settings import settings_toml


def add_settings(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``settings``."""
    add_options(parser, *READING, "--strategies", "--output")
    parser.set_defaults(command=_settings)


def _settings(options: argparse.Namespace) -> None:
    file = config(options)
    if options.strategies is not None:
        file = replace(file, settings=strategies.parse_named(options.strategies))
    if not file.settings:
        raise ChunkscopeError("No strategy was given.", "Give --strategies A,B,…, or --config FILE.toml with settings.")
    write(options, settings_toml(file))


def add_strategy_list(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``strategies``."""
    add_options(parser, option("--json", help="as JSON, with every parameter"))
    parser.set_defaults(command=_strategies)


def _strategies(options: argparse.Namespace) -> None:
    rows = [strategies.describe(strategy) for strategy in strategies.REGISTRY.values()]
    if options.json:
        print(json.dumps(rows, ensure_ascii=False, indent=2))
        return
    for row in rows:
        print(f"{row['name']:<20} {row['family']:<10} {row['summary']}")
