"""The registry of strategies: each by its name, with its presets and its description."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from chunking.errors import ChunkscopeError
from chunking.params import Parameters, Value
from chunking.strategies import changepoint, changepoint_tree, gaps, other_splitters, recursive, size
from chunking.strategies.base import Segmentation, Strategy
from chunking.strategies.layout import code, html, json, markdown
from chunking.strategies.sections import headings, paragraphs, sections
from chunking.workspace import DocumentAnalysis

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
    other_splitters,
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
    texts_without_preset = dict(texts)
    preset_name = texts_without_preset.pop("preset", None)
    return strategy.params.parse(
        texts_without_preset, _values(strategy, preset_name) if preset_name is not None else None
    )


def preset(strategy: Strategy, name: str) -> Parameters:
    """Return the parameters of a preset."""
    return strategy.params.parse({}, _values(strategy, name))


def _values(strategy: Strategy, name: str) -> Mapping[str, Value]:
    if name not in strategy.presets:
        presets = ", ".join(strategy.presets) or "none"
        raise ChunkscopeError(f"{strategy.name} has no preset {name!r:.60}.", f"Presets: {presets}.")
    return strategy.presets[name]


def run(name: str, workspace: DocumentAnalysis, params: Parameters | None = None) -> Segmentation:
    """Run a strategy on a document, with its default parameters where none are given."""
    strategy = get(name)
    return strategy.run(workspace, params or strategy.params())


def describe(strategy: Strategy) -> dict[str, Any]:
    """Return the entry of a strategy in the output of ``python -m chunking strategies --json``."""
    params = {parameter.name: parameter.describe() for parameter in strategy.params.describe()}
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
