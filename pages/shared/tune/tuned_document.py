"""A document at a setting, with the data of every other setting."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import cast

from chunking.reference import Reference, gold_gaps
from chunking.runtime.arrays import Int64
from chunking.signals.signals import Signals
from chunking.strategies import Segmentation
from chunking.strategies.gaps import StructuralParameters
from chunking.tuning.choice import Choice
from chunking.tuning.landscape import Landscape, Plateau, plateau
from chunking.tuning.plane import Plane
from chunking.workspace import Workspace
from pages.shared.documents.documents import Opened
from pages.shared.reference import own_chunks
from pages.shared.settings import places
from pages.shared.tune import data as tune_data


@dataclass(frozen=True, eq=False)
class TunedDocument:
    """A document at the current setting, with the data of every other setting.

    Attributes:
        opened, workspace, segmentation: the document and its segmentation at the current setting.
    """

    opened: Opened
    workspace: Workspace
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
    def key(self) -> str:
        """Key of the two curves."""
        return tune_data.curves_key(self.workspace, self.params)

    @cached_property
    def landscape(self) -> Landscape:
        """Every setting at once."""
        return tune_data.landscape_of(self.key, self.signals.semantic, self.signals.structural)

    @cached_property
    def plateau(self) -> Plateau:
        """How far the setting can be moved."""
        return plateau(self.signals.semantic, self.signals.structural, self.params.alpha, self.params.percentile)

    @cached_property
    def reference(self) -> Reference:
        """The reference of the document."""
        return own_chunks.reference_of(self.opened)

    @cached_property
    def gold(self) -> Int64:
        """Gaps of the boundaries of a complete reference; empty where there is none."""
        return gold_gaps(self.reference.gold, self.signals.offsets, self.signals.sentences)

    @property
    def plane(self) -> Plane:
        """The plane of settings."""
        return tune_data.plane_of(self.key, self.workspace, self.landscape, self.gold)

    @cached_property
    def choice(self) -> Choice | None:
        """The setting that the reference supports; ``None`` without reference boundaries."""
        if not len(self.gold):
            return None
        return tune_data.choice_of(self.key, self.signals.semantic, self.signals.structural, self.gold)

    @property
    def gap(self) -> int | None:
        """The selected gap."""
        return places.chosen_gap(self.opened.document, len(self.signals))
