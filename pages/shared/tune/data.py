"""Data of the Tune page, computed once per document and curves; a slider move recomputes none of it."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b

import numpy as np
import streamlit as st

from chunking.chunks import SizeParameters
from chunking.runtime.arrays import Float64, Int64
from chunking.strategies.gaps import StructuralParameters
from chunking.tuning.choice import Choice, GoldCurves, Measure, choose
from chunking.tuning.landscape import ALPHAS, STEPS, BoundaryChanges, Landscape, changes, landscape
from chunking.tuning.plane import Plane, plane
from chunking.tuning.stability import Stability, stability
from chunking.workspace import Workspace
from pages.shared.storage import current

FINE = 20_000
"""Gaps above which the landscape has one row per five slider steps: the figure has no pixels for more."""

_WALKED = 20_000_000
"""Gaps times changes that are searched at most when another percentile is set."""


def curves_key(workspace: Workspace, params: StructuralParameters) -> str:
    """Return the key of the two curves: document, tools and parameters."""
    made_with = (params.window, params.block, params.structure, sorted(params.features_off))
    return blake2b(f"{workspace.key}/{made_with}".encode(), digest_size=12).hexdigest()


def landscape_of(key: str, semantic: Float64, structural: Float64) -> Landscape:
    """Return the landscape of two curves, cached by their key."""
    return _landscape(key, semantic, structural)


@current.cleared_on_deletion
@st.cache_resource(max_entries=6, ttl=6 * 3600, show_spinner=False)
def _landscape(key: str, _semantic: Float64, _structural: Float64) -> Landscape:
    return landscape(_semantic, _structural, ALPHAS if len(_semantic) <= FINE else ALPHAS[::5])


@current.cleared_on_deletion
@st.cache_resource(max_entries=64, ttl=6 * 3600, show_spinner=False)
def _changes(key: str, percentile: float, _semantic: Float64, _structural: Float64) -> BoundaryChanges:
    return changes(_semantic, _structural, percentile, min(STEPS, max(1, _WALKED // max(len(_semantic), 1))))


def changes_of(key: str, semantic: Float64, structural: Float64, percentile: float) -> BoundaryChanges:
    """Return where along α the boundaries change at a percentile, cached by the key of the curves."""
    return _changes(key, percentile, semantic, structural)


def plane_of(key: str, workspace: Workspace, found: Landscape, gold: Int64) -> tuple[str, Plane]:
    """Return the plane of settings and its key, which names curves, tokenizer and reference boundaries."""
    whole = blake2b(f"{key}/{workspace.tools.tokenizer}/{gold.tolist()}".encode(), digest_size=12).hexdigest()
    return whole, _plane(whole, workspace, found, gold)


@current.cleared_on_deletion
@st.cache_resource(max_entries=12, ttl=6 * 3600, show_spinner="Computing every setting…")
def _plane(key: str, _workspace: Workspace, _found: Landscape, _gold: Int64) -> Plane:
    return plane(_found, tokens=_workspace.grid.tokens, gold=_gold if len(_gold) else None)


def choice_of(key: str, semantic: Float64, structural: Float64, gold: Int64, measure: Measure) -> Choice:
    """Return the setting that the reference boundaries support, cached by the curves and the boundaries."""
    known = blake2b(f"{key}/{gold.tolist()}/{measure}".encode(), digest_size=12).hexdigest()
    return _choice(known, semantic, structural, gold, measure)


@current.cleared_on_deletion
@st.cache_resource(max_entries=12, ttl=6 * 3600, show_spinner="Scoring every setting against the reference…")
def _choice(key: str, _semantic: Float64, _structural: Float64, _gold: Int64, _measure: Measure) -> Choice:
    return choose([GoldCurves("this document", _semantic, _structural, _gold)], _measure)


def stability_of(workspace: Workspace, params: StructuralParameters, others: Sequence[Workspace]) -> Stability:
    """Return the stability of each boundary, cached by the setting and the available vectors."""
    windows = [window for window in range(_WINDOWS) if workspace.has_vectors(window)]
    embedded = [other.key for other in others if other.has_vectors(params.window)]
    setting = [(name, value) for name, value in params.values().items() if name not in SIZES]
    known = blake2b(f"{workspace.key}/{setting}/{windows}/{embedded}".encode(), digest_size=12).hexdigest()
    return _stability(known, workspace, params, others)


@current.cleared_on_deletion
@st.cache_resource(max_entries=32, ttl=6 * 3600, show_spinner="Testing the stability of each boundary…")
def _stability(
    key: str, _workspace: Workspace, _params: StructuralParameters, _others: Sequence[Workspace]
) -> Stability:
    return stability(_workspace, _params, _others)


_WINDOWS = 1 + int(StructuralParameters.lookup("window").maximum or 0)

SIZES = frozenset(known.name for known in SizeParameters.describe())
"""Parameters that apply after the threshold."""


def smaller(found: Landscape) -> Int64:
    """Return ``(A, n_gaps)`` int64: at each α, how many gaps have a smaller distance; exact, unlike percentiles."""
    counts: Int64 = np.rint(found.flip.astype(np.float64) * (len(found) - 1) / 100).astype(np.int64)
    return counts


def just_below(count: int, gaps: int) -> float | None:
    """Return the highest percentile of the control at which a gap is a boundary.

    Args:
        count: how many of the gaps have a smaller distance.
        gaps: all gaps, at least two.

    Returns:
        ``None`` where that percentile is below the control's minimum.
    """
    known = StructuralParameters.lookup("percentile")
    low, high = round(10 * float(known.minimum or 0)), round(10 * float(known.maximum or 0))
    # A gap is cut while the percentile is below 100 · count ÷ (gaps − 1); in tenths, and without rounding.
    tenths = -(-1000 * count // (gaps - 1)) - 1
    return min(tenths, high) / 10 if tenths >= low else None
