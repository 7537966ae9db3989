"""A comparison as a table: a row for each strategy, for a terminal or a spreadsheet."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from chunking.comparison.report import GOLD
from chunking.report.formatting import NOTHING, aligned, harmless

COLUMNS = (
    "strategy",
    "chunks",
    "tokens_mean",
    "tokens_median",
    "tokens_min",
    "tokens_max",
    "over_maximum",
    "under_minimum",
    "characters_lost",
    "f1",
    "boundary_similarity",
    "window_diff",
    "pk",
)
"""The columns; the last four compare with the reference boundaries and are empty without them."""

_SIZES = {"mean": "mean", "median": "median", "min": "minimum", "max": "maximum"}
_MEASURES = ("f1", "boundary_similarity", "window_diff", "pk")


def rows(found: dict[str, Any], tokenizer: str) -> list[dict[str, Any]]:
    """Return a record for each strategy, with :data:`COLUMNS`.

    Args:
        found: what :func:`chunking.comparison.report.as_dict` returns.
        tokenizer: which one counts the tokens, without overlap.
    """
    return [_row(name, entry, found["agreement"], tokenizer) for name, entry in found["strategies"].items()]


def _row(name: str, entry: dict[str, Any], agreement: dict[str, Any], tokenizer: str) -> dict[str, Any]:
    sizes = entry["tokens"][tokenizer]["own"]
    measures = {each: agreement[each]["pairs"].get(GOLD, {}).get(name, {}).get("value") for each in _MEASURES}
    return {
        "strategy": name,
        "chunks": entry["chunks"],
        **{f"tokens_{each}": sizes[key] for each, key in _SIZES.items()},
        **{each: entry[each] for each in ("over_maximum", "under_minimum", "characters_lost")},
        **measures,
    }


def text(rows: Sequence[dict[str, Any]]) -> str:
    """Return the records as aligned lines, without the columns that are empty in all of them."""
    shown = [name for name in COLUMNS if any(row[name] is not None for row in rows)]
    cells = [[_cell(row[name]) for name in shown] for row in rows]
    return harmless(aligned([[name.replace("_", " ") for name in shown], *cells])) + "\n"


def _cell(value: object) -> str:
    if value is None:
        return NOTHING
    if isinstance(value, float):
        return f"{value:.3f}" if value <= 1 else f"{value:,.1f}"
    return f"{value:,}" if isinstance(value, int) else str(value)
