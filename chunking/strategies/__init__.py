"""The registry of strategies, and the one-line notation of a strategy with its parameters."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Any

from chunking.errors import ChunkscopeError
from chunking.params import Parameters, Value
from chunking.strategies import changepoint, changepoint_tree, gaps, peers, recursive, setting, size
from chunking.strategies.base import Segmentation, Strategy
from chunking.strategies.layout import code, html, json, markdown
from chunking.strategies.sections import headings, paragraphs, sections
from chunking.strategies.setting import Setting
from chunking.workspace import Workspace

_FAMILIES = (
    gaps,
    changepoint,
    changepoint_tree,
    size,
    recursive,
    sections,
    paragraphs,
    headings,
    markdown,
    html,
    json,
    code,
    peers,
)

REGISTRY: Mapping[str, Strategy] = {strategy.name: strategy for family in _FAMILIES for strategy in family.STRATEGIES}
"""All strategies by name."""


def get(name: str) -> Strategy:
    """Return the strategy of that name; raise :class:`ChunkscopeError` if there is none."""
    if name not in REGISTRY:
        raise ChunkscopeError(f"Unknown strategy {name!r:.60}.", f"Choose one of: {', '.join(REGISTRY)}.")
    return REGISTRY[name]


def parameters(strategy: Strategy, texts: Mapping[str, str]) -> Parameters:
    """Parse the parameters of a strategy; the key ``preset`` names the preset that the others override."""
    given = dict(texts)
    named = given.pop("preset", None)
    return strategy.params.parse(given, _values(strategy, named) if named is not None else None)


def preset(strategy: Strategy, name: str) -> Parameters:
    """Return the parameters of a preset."""
    return strategy.params.parse({}, _values(strategy, name))


def _values(strategy: Strategy, name: str) -> Mapping[str, Value]:
    if name not in strategy.presets:
        known = ", ".join(strategy.presets) or "none"
        raise ChunkscopeError(f"{strategy.name} has no preset {name!r:.60}.", f"Presets: {known}.")
    return strategy.presets[name]


def parse(text: str, retrieval: bool = False) -> Setting:
    """Parse a setting written as ``NAME`` or ``NAME:KEY=VALUE;KEY=VALUE``.

    Args:
        text: the setting.
        retrieval: whether it may choose what is embedded and returned, see :mod:`chunking.strategies.context`.
    """
    return setting.parse(text, get, parameters, retrieval)


def parse_all(text: str, retrieval: bool = False) -> tuple[Setting, ...]:
    """Parse settings separated by commas, as :func:`parse` does; repeated ones are dropped."""
    found = parse_named(text, lambda line: parse(line, retrieval))
    return tuple({each.text: each for each in found.values()}.values())


def parse_named(text: str, make: Callable[[str], Setting] = parse) -> dict[str, Setting]:
    """Parse settings separated by commas, each ``NAME=SETTING`` or a setting that is its own name.

    Args:
        text: the settings.
        make: parses a setting without its name.

    Raises:
        ChunkscopeError: there is none, one is wrong, or two have the same name.
    """
    found: dict[str, Setting] = {}
    parts = [part.strip() for part in text.split(",") if part.strip()]
    for before, part in pairwise(parts):
        _refuse_comma(setting.named(before)[1], part)
    for name, line in map(setting.named, parts):
        made = make(line)
        if found.get(name, made) != made:
            raise ChunkscopeError(f"Two settings are named {name!r:.60}.", "Give each a name of its own.")
        found[name] = made
    if not found:
        raise ChunkscopeError("No strategy was given.", f"Choose one or more of: {', '.join(REGISTRY)}.")
    return found


def _refuse_comma(before: str, part: str) -> None:
    """Raise for a parameter that a comma separates from its strategy, as in ``recursive:size=500,overlap=0``."""
    name, colon, _ = before.partition(":")
    key, sign, value = (text.strip() for text in part.partition("="))
    if name not in REGISTRY or not sign or value.partition(":")[0].strip() in REGISTRY or ":" in key:
        return
    known = {each.name for each in REGISTRY[name].params.describe()} | {"preset"}
    if key in known or (colon and not value[:1].isalpha()):  # what begins with a letter may be a misspelt strategy
        joined = f"{before}{';' if colon else ':'}{part}"
        raise ChunkscopeError(
            f"Commas separate strategies, so {part!r:.60} is not a parameter of {name}.",
            f"Separate parameters with a semicolon, in quotes: '{joined:.200}'.",
        )


def run(name: str, workspace: Workspace, params: Parameters | None = None) -> Segmentation:
    """Run a strategy on a document, with its default parameters where none are given."""
    strategy = get(name)
    return strategy.run(workspace, params or strategy.params())


def describe(strategy: Strategy) -> dict[str, Any]:
    """Return the entry of a strategy in the output of ``python -m chunking strategies --json``."""
    params = {known.name: known.describe() for known in strategy.params.describe()}
    if strategy.presets:
        params["preset"] = {
            "type": "choice",
            "default": "default",
            "min": None,
            "max": None,
            "unit": "",
            "help": "A named setting that the other parameters override.",
            "choices": list(strategy.presets),
        }
    return {
        "name": strategy.name,
        "title": strategy.title,
        "family": strategy.family,
        "summary": strategy.summary,
        "origin": strategy.source,
        "tiles": strategy.tiles,
        "params": params,
    }


__all__ = [
    "REGISTRY",
    "Segmentation",
    "Setting",
    "Strategy",
    "describe",
    "get",
    "parameters",
    "parse",
    "parse_all",
    "parse_named",
    "preset",
    "run",
]
