"""A document at a setting, with the data of every other setting, computed once per document and curves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from functools import cached_property, partial
from hashlib import blake2b
from typing import TypeVar, cast

import streamlit as st

from chunking.chunks import SizeParameters
from chunking.chunks.constraints import FREE
from chunking.reference import Reference, reference_gaps
from chunking.runtime.arrays import Bools, Int64
from chunking.signals.signals import Signals
from chunking.strategies import Segmentation
from chunking.strategies.gaps import StructuralParameters
from chunking.tuning.choice import Choice, choose
from chunking.tuning.landscape import ALPHAS, Landscape, Plateau, landscape, plateau
from chunking.tuning.plane import Plane, plane
from chunking.tuning.stability import Stability, stability
from chunking.tuning.units import ReferenceCurves
from chunking.workspace import DocumentAnalysis
from pages.shared.documents.session_documents import OpenDocument
from pages.shared.reference import own_chunks
from pages.shared.settings import address_positions
from pages.shared.storage import forgetting

FINE = 20_000
"""Gaps above which the landscape has one row per five slider steps: the figure has no pixels for more."""

Made = TypeVar("Made")

_WINDOWS = 1 + int(StructuralParameters.lookup("window").maximum or 0)

SIZES = frozenset(parameter.name for parameter in SizeParameters.describe())
"""Parameters that apply after the threshold."""


def _cached(workspace: DocumentAnalysis, what: str, made_of: object, make: Callable[[], Made], said: str = "") -> Made:
    """Return what is made of a document, from the cache or made now.

    Args:
        workspace: the document.
        what: is made.
        made_of: identifies what it is made of besides the document.
        make: makes it.
        said: shown meanwhile; nothing where it is made quickly.
    """
    key = blake2b(repr(made_of).encode(), digest_size=12).hexdigest()
    return cast(Made, _made(f"{workspace.key}/{what}/{key}", make, said))


@forgetting.cleared_on_deletion
@st.cache_resource(max_entries=16, ttl=6 * 3600, show_spinner=False)
def _made(key: str, _make: Callable[[], object], _said: str) -> object:
    with st.spinner(_said) if _said else nullcontext():
        return _make()


@dataclass(frozen=True, eq=False)
class TunedDocument:
    """A document at the current setting, with the data of every other setting.

    Attributes:
        opened, workspace, segmentation: the document and its segmentation at the current setting.
    """

    opened: OpenDocument
    workspace: DocumentAnalysis
    segmentation: Segmentation

    @property
    def signals(self) -> Signals:
        """The curves."""
        return cast(Signals, self.segmentation.signals)

    @property
    def params(self) -> StructuralParameters:
        """The setting."""
        return cast(StructuralParameters, self.segmentation.params)

    @cached_property
    def _curves(self) -> tuple[object, ...]:
        """What the two curves are made of besides the document."""
        params = self.params
        return params.window, params.block, params.structure, sorted(params.features_off), params.keep_together

    @cached_property
    def kept(self) -> Bools:
        """The gaps that are never cut, ``(n_gaps,)``."""
        kept: Bools = self.params.held(self.workspace.constraints).at(self.signals.offsets) != FREE
        return kept

    @cached_property
    def landscape(self) -> Landscape:
        """Every setting at once."""
        semantic, structural = self.signals.semantic, self.signals.structural
        alphas = ALPHAS if len(semantic) <= FINE else ALPHAS[::5]
        return _cached(
            self.workspace, "landscape", self._curves, lambda: landscape(semantic, structural, alphas, self.kept)
        )

    @cached_property
    def plateau(self) -> Plateau:
        """How far the setting can be moved."""
        return plateau(self.signals.semantic, self.signals.structural, self.params.alpha, self.params.percentile)

    @cached_property
    def reference(self) -> Reference:
        """The reference of the document."""
        return own_chunks.reference_of(self.opened)

    @cached_property
    def reference_gaps(self) -> Int64:
        """Gaps of the boundaries of a complete reference; empty where there is none."""
        return reference_gaps(self.reference.complete_boundaries, self.signals.offsets, self.signals.sentences)

    @property
    def plane(self) -> Plane:
        """The plane of settings."""
        tokens, reference = self.workspace.cut_points.tokens, self.reference_gaps if len(self.reference_gaps) else None
        made_of = (self._curves, self.workspace.tools.tokenizer, self.reference_gaps.tolist())
        make = partial(plane, self.landscape, tokens=tokens, reference=reference)
        return _cached(self.workspace, "plane", made_of, make, "Computing every setting…")

    @cached_property
    def choice(self) -> Choice | None:
        """The setting that the reference boundaries support by F1; ``None`` without any."""
        if not len(self.reference_gaps):
            return None
        semantic, structural = self.signals.semantic, self.signals.structural
        curves = ReferenceCurves("this document", semantic, structural, self.reference_gaps, self.kept)
        message = "Scoring every setting against the reference…"
        return _cached(
            self.workspace,
            "choice",
            (self._curves, self.reference_gaps.tolist()),
            lambda: choose([curves], "f1"),
            message,
        )

    def stability(self, others: Sequence[DocumentAnalysis]) -> Stability:
        """Return the stability of each boundary, with the other encoders whose vectors are there."""
        workspace, params = self.workspace, self.params
        windows = [window for window in range(_WINDOWS) if workspace.has_vectors(window)]
        embedded = [other.key for other in others if other.has_vectors(params.window)]
        setting = [(name, value) for name, value in params.values().items() if name not in SIZES]
        make = partial(stability, workspace, params, others)
        return _cached(
            workspace, "stability", (setting, windows, embedded), make, "Testing the stability of each boundary…"
        )

    @property
    def gap(self) -> int | None:
        """The selected gap."""
        return address_positions.chosen_gap(self.opened.document, len(self.signals))
