"""Which controls of a setting a page without a server can follow exactly, and what it needs for that.

The script computes what the library computes, but it has no tokenizer: it knows the tokens of runs of sentences, of the
pieces of sentences that exceed the present maximum, and where an overlap is measured in tokens, of runs of words.
Settings for which that is not enough are left out of the range of a control, or the control says why it cannot be
moved.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from chunking.chunks import Grid, SizeParameters
from chunking.curves.thresholds import AMOUNT_OF, RULES, Rule
from chunking.params import Parameters
from chunking.standalone.packing import Packed, whole
from chunking.strategies import Segmentation
from chunking.strategies.changepoint import FINEST, ChangepointParameters
from chunking.strategies.gaps import StructuralParameters
from chunking.tokens import SpanTokens
from chunking.workspace import Workspace

ALPHAS = tuple(np.linspace(0, 1, 21).round(2).tolist())
"""Values of α at which a page has the divisions at change points, beside that of the setting."""

FINENESSES = tuple(np.linspace(-FINEST, FINEST, 13).tolist())
"""Values of the fineness, in the same way."""

ALL_PAIRS = 200
"""Sentences up to which a page has every α at every fineness: up to two seconds of work and 0.6 MB of a file."""

_LONGEST = 5_000
"""Sentences of a document that is divided so often."""


@dataclass(frozen=True)
class Control:
    """A parameter that can be moved on the page.

    Attributes:
        name: of the parameter.
        key: its name in the scripts.
        title, unit, help: for people.
        value, low, high, step: of the slider.
        reason: why it cannot be moved; empty if it can.
        note: what else a move does.
    """

    name: str
    key: str
    title: str
    unit: str
    help: str
    value: float
    low: float
    high: float
    step: float
    reason: str = ""
    note: str = ""


def rule_of(strategy: str, params: Parameters) -> Rule | None:
    """Return the threshold rule of a strategy; ``None`` if it has none."""
    named = params.threshold if isinstance(params, StructuralParameters) else strategy
    return next((rule for rule in RULES if rule == named), None)


def grid_of(workspace: Workspace, params: SizeParameters) -> Grid:
    """Return the places where a setting can cut: the gaps, and places in sentences that exceed the maximum."""
    room = params.max_tokens
    if not room:
        return workspace.grid
    return workspace.grid.divided(room - (params.overlap if params.overlap_unit == "tokens" else 0))


def controls(workspace: Workspace, segmentation: Segmentation) -> tuple[Control, ...]:
    """Return the controls of a segmentation; none for a strategy without curves."""
    params = segmentation.params
    if segmentation.signals is None or not isinstance(params, SizeParameters):
        return ()
    if isinstance(params, ChangepointParameters):
        return _division_controls(params, len(workspace.sentences)) if is_divided(segmentation) else ()
    rule = rule_of(segmentation.strategy, params)
    if rule is None:
        return ()
    reason = obstacle(workspace, params)
    alpha = (_control(params, "alpha", "alpha", reason),) if isinstance(params, StructuralParameters) else ()
    return (*alpha, _control(params, AMOUNT_OF[rule], "amount", reason), _overlap(workspace, params))


_LIMITED = "With size limits each value is another division of the document, which needs Chunkscope."
_ALONE = "In a document of this length, a move returns {} to {}."
_IDLE = "The number of boundaries is given, so the fineness has no effect."
_UNCOUNTED = "Some places of this text lie inside a token, so that counts need a tokenizer."
_OVERSIZED = "A sentence exceeds the maximum, so that an overlap in tokens needs a tokenizer."


def _division_controls(params: ChangepointParameters, sentences: int) -> tuple[Control, ...]:
    limits = _LIMITED if params.min_tokens or params.max_tokens else ""
    idle = _IDLE if "fineness" in params.idle else ""
    alpha = replace(_control(params, "alpha", "alpha", limits), step=ALPHAS[1] - ALPHAS[0])
    fineness = replace(_control(params, "fineness", "fineness", limits or idle), step=FINENESSES[1] - FINENESSES[0])
    if sentences > ALL_PAIRS and not (limits or idle):
        alpha = replace(alpha, note=_ALONE.format(fineness.title, f"{fineness.value:g}"))
        fineness = replace(fineness, note=_ALONE.format(alpha.title, f"{alpha.value:g}"))
    return (
        alpha,
        fineness,
        replace(_control(params, "overlap", "overlap", limits), high=_most_sentences(params))
        if params.overlap_unit == "sentences"
        else _control(params, "overlap", "overlap", "An overlap in tokens needs Chunkscope here."),
    )


def _most_sentences(params: SizeParameters) -> float:
    return max(12.0, float(params.overlap))


def _overlap(workspace: Workspace, params: SizeParameters) -> Control:
    """Return the control of the overlap, up to what can be computed without a tokenizer."""
    reason = obstacle(workspace, params) or _word_obstacle(workspace, params)
    if reason or params.overlap_unit == "sentences":
        return replace(_control(params, "overlap", "overlap", reason), high=_most_sentences(params))
    high = 200 if params.overlap <= 200 else 1000
    if params.max_tokens:
        table = workspace.grid.tokens
        alone = np.arange(len(table.cuts) - 1)
        high = min(
            high, params.max_tokens - max(params.min_tokens, int(table.span_counts(alone, alone + 1).max(initial=1)))
        )
    if high < max(params.overlap, 1):
        return _control(params, "overlap", "overlap", "The longest sentence leaves no room for another overlap.")
    return replace(_control(params, "overlap", "overlap"), high=float(high))


def _control(params: Parameters, name: str, key: str, reason: str = "") -> Control:
    known = params.lookup(name)
    unit = str(getattr(params, "overlap_unit", "")) if name == "overlap" else known.unit
    low, high, step = float(known.minimum or 0), float(known.maximum or 0), float(known.step or 1)
    return Control(name, key, known.title, unit, known.help, float(getattr(params, name)), low, high, step, reason)


def is_divided(segmentation: Segmentation) -> bool:
    """Return whether a segmentation is one of change points, of which some divisions can be made in advance."""
    sentences = len(segmentation.signals.sentences) if segmentation.signals is not None else 0
    return segmentation.strategy == "changepoint" and 2 <= sentences <= _LONGEST


def is_live(workspace: Workspace, segmentation: Segmentation) -> bool:
    """Return whether the script can compute the segmentation by itself."""
    params = segmentation.params
    if segmentation.signals is None or not isinstance(params, SizeParameters):
        return False
    return rule_of(segmentation.strategy, params) is not None and not obstacle(workspace, params)


def obstacle(workspace: Workspace, params: SizeParameters) -> str:
    """Return why no control of a setting can be followed; empty if the script knows all tokens that it needs."""
    if not grid_of(workspace, params).tokens.additive:
        return _UNCOUNTED
    return _word_obstacle(workspace, params) if params.overlap else ""


def _word_obstacle(workspace: Workspace, params: SizeParameters) -> str:
    """Return why an overlap in tokens cannot be computed."""
    if params.overlap_unit != "tokens":
        return ""
    if grid_of(workspace, params) is not workspace.grid:
        return _OVERSIZED
    return "" if workspace.grid.words.additive else _UNCOUNTED


def packed_ground(workspace: Workspace, params: SizeParameters) -> dict[str, Any]:
    """Return the places where a setting can cut and the tokens between them, see ``Ground`` in ``chunks.js``."""
    grid = grid_of(workspace, params)
    words = None
    if params.overlap_unit == "tokens" and not _word_obstacle(workspace, params):
        table = workspace.grid.words
        words = {"starts": whole(workspace.grid.word_starts), "cuts": whole(table.cuts), "tokens": _tokens(table)}
    return {
        "length": len(workspace.document.text),
        "offsets": whole(grid.offsets),
        "gaps": whole(grid.gaps),
        "tokens": _tokens(grid.tokens),
        "words": words,
    }


def _tokens(table: SpanTokens) -> dict[str, Packed]:
    head, tail, to_after, to_before = table.parts()
    return {"head": whole(head), "tail": whole(tail), "toAfter": whole(to_after), "toBefore": whole(to_before)}


def setting_values(params: Any, strategy: str) -> dict[str, Any]:
    """Return the values that the scripts begin with, see ``Setting`` in ``cuts.js``."""
    rule = rule_of(strategy, params)
    return {
        "rule": rule or "penalty",
        "alpha": getattr(params, "alpha", 1.0),
        "amount": getattr(params, AMOUNT_OF[rule] if rule else "percentile", 0.0),
        "count": getattr(params, "boundaries", 0),
        "fineness": getattr(params, "fineness", 0.0),
        "minimum": params.min_tokens,
        "maximum": params.max_tokens,
        "overlap": params.overlap,
        "overlapUnit": params.overlap_unit,
    }
