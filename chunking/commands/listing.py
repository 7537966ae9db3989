"""The command that lists the strategies."""

from __future__ import annotations

import argparse
import json

from chunking import strategies


def add_strategies(parser: argparse.ArgumentParser) -> None:
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
