"""Data of the Tune page, computed once per document and curves; a slider move recomputes none of it."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b

import streamlit as st

from chunking.chunks import SizeParameters
from chunking.runtime.arrays import Float64, Int64
from chunking.strategies.gaps import StructuralParameters
from chunking.tuning.choice import Choice, GoldCurves, choose
from chunking.tuning.landscape import ALPHAS, Landscape, landscape
from chunking.tuning.plane import Plane, plane
from chunking.tuning.stability import Stability, stability
from chunking.workspace import Workspace
from pages.shared.storage import current

FINE = 20_000
"""Gaps above which the landscape has one row per five slider steps: the figure has no pixels for more."""


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


def plane_of(key: str, workspace: Workspace, found: Landscape, gold: Int64) -> Plane:
    """Return the plane of settings, cached by curves, tokenizer and reference boundaries."""
    whole = blake2b(f"{key}/{workspace.tools.tokenizer}/{gold.tolist()}".encode(), digest_size=12).hexdigest()
    return _plane(whole, workspace, found, gold)


@current.cleared_on_deletion
@st.cache_resource(max_entries=12, ttl=6 * 3600, show_spinner="Computing every setting…")
def _plane(key: str, _workspace: Workspace, _found: Landscape, _gold: Int64) -> Plane:
    return plane(_found, tokens=_workspace.grid.tokens, gold=_gold if len(_gold) else None)


def choice_of(key: str, semantic: Float64, structural: Float64, gold: Int64) -> Choice:
    """Return the setting that the reference boundaries support by F1, cached by the curves and the boundaries."""
    whole = blake2b(f"{key}/{gold.tolist()}".encode(), digest_size=12).hexdigest()
    return _choice(whole, semantic, structural, gold)


@current.cleared_on_deletion
@st.cache_resource(max_entries=12, ttl=6 * 3600, show_spinner="Scoring every setting against the reference…")
def _choice(key: str, _semantic: Float64, _structural: Float64, _gold: Int64) -> Choice:
    return choose([GoldCurves("this document", _semantic, _structural, _gold)], "f1")


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
