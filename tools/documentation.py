"""Pages of the documentation that come from the code: command line, strategies, measurements, glossary.

The glossary is kept in the repository, the others are written while the documentation is built. Run as a program, this
module writes the glossary.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping
from pathlib import Path

from benchmarks import results
from chunking import glossary, strategies
from chunking.__main__ import argument_parser
from chunking.params import Parameter
from chunking.strategies import Strategy


def command_line() -> str:
    """Return the page of every command, from its own ``--help``."""
    parts = [
        "# Command line",
        "`chunkscope COMMAND` and `python -m chunking COMMAND` are the same. Results go to standard output in UTF-8; "
        "notes and errors go to standard error. The exit code is 0, or 2 for bad input; 1 where check or audit-store "
        "finds what --fail-on names, where diff finds a difference, where some of several documents cannot be read, "
        "and where nothing was sent because nobody confirmed it; 130 where it was stopped.",
    ]
    for name, command in _commands(argument_parser("chunkscope")):
        parts += [f"## {name}", f"```text\n{command.format_help().strip()}\n```"]
    return "\n\n".join(parts) + "\n"


def _commands(parent: argparse.ArgumentParser, prefix: str = "") -> Iterator[tuple[str, argparse.ArgumentParser]]:
    for action in parent._actions:
        if isinstance(action, argparse._SubParsersAction):
            for name, command in action.choices.items():
                nested = list(_commands(command, f"{prefix}{name} "))
                yield from nested or [(f"{prefix}{name}", command)]


def strategy_pages() -> str:
    """Return the page of every strategy with its parameters, by family."""
    parts = [
        "# Strategies",
        "Every strategy of our own takes `overlap`, `min_tokens`, `soft_min_tokens`, `max_tokens` and "
        "`keep_together`: no chunk exceeds the maximum, overlap counted, and each cut or merge that a limit caused, "
        "or that was left out to keep something together, says so. On the command line and in links a strategy "
        "carries its parameters: `structural:alpha=0.3;max_tokens=512`.",
    ]
    families: dict[str, list[Strategy]] = {}
    for strategy in strategies.REGISTRY.values():
        families.setdefault(strategy.family, []).append(strategy)
    for family, members in families.items():
        parts.append(f"## {family[:1].upper()}{family[1:]}")
        parts += [_strategy(strategy) for strategy in members]
    return "\n\n".join(parts) + "\n"


def _strategy(strategy: Strategy) -> str:
    lines = [
        f"### `{strategy.name}`: {strategy.title} {{#{strategy.name}}}",
        strategy.summary,
        f"Source: {strategy.origin}."
        + ("" if strategy.tiles else " Its chunks nest or repeat text, so they do not tile the document."),
    ]
    if strategy.presets:
        lines += [f"Preset `{name}`: {_values(values)}." for name, values in strategy.presets.items()]
    rows = [_row(known) for known in strategy.params.describe()]
    head = "| parameter | default | values | meaning |\n|---|---|---|---|"
    return "\n\n".join([*lines, "\n".join([head, *rows])])


def _values(values: Mapping[str, object]) -> str:
    return ", ".join(f"`{name}={value}`" for name, value in values.items()) or "the defaults"


def _row(known: Parameter) -> str:
    unit = f" {known.unit}" if known.unit else ""
    default = known.format(known.default) or "none"
    return f"| `{known.name}` | {default}{unit} | {known.allowed} | {known.help} |".replace("\n", " ")


def glossary_page() -> str:
    """Return the page of the terms with their definitions and the words that they replace."""
    rows = [
        " | ".join((", ".join((term.name, *term.also)), term.meaning, term.formula, ", ".join(term.retired)))
        for term in glossary.TERMS.values()
    ]
    parts = [
        "# Glossary",
        "One concept has one term, in the code, on the pages, on the command line and in the documentation. A test "
        "keeps the words of the last column out of everything that a user reads. Behind a term are its other forms in "
        "tables and figures.",
        "\n".join(["| term | meaning | formula | not |", "|---|---|---|---|", *(f"| {row} |" for row in rows)]),
    ]
    return "\n\n".join(parts) + "\n"


def pages() -> dict[str, str]:
    """Return the text of each generated page by its path below ``docs``."""
    return {
        "reference/command-line.md": command_line(),
        "reference/strategies.md": strategy_pages(),
        "measurements/results.md": results.recorded(),
    }


if __name__ == "__main__":
    (Path(__file__).parent.parent / "docs" / "glossary.md").write_text(glossary_page(), encoding="utf-8")
