"""The candidates on one document: what each makes of it, and how much they agree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from chunking.advice.results import MeasuredSetting
from chunking.advice.sections import DividedDocument
from chunking.checks import checks
from chunking.comparison import report
from chunking.comparison.agreement import AgreementMatrix, boundary_f1
from chunking.comparison.report import Comparison, ComparisonEntry
from chunking.embedding.encoders import UNLIMITED
from chunking.errors import ChunkscopeError
from chunking.reference import NO_REFERENCE, Reference
from chunking.strategies import Segmentation, Setting, parse
from chunking.strategies.changepoint import ChangepointParameters, supported
from chunking.strategies.gaps import StructuralParameters
from chunking.tuning.stability import stability
from chunking.workspace import DocumentAnalysis

AFFORDABLE = 5000
"""Sentences of a document up to which agreement and stability are computed."""


def setting_of(name: str, maximum: int) -> Setting:
    """Return a strategy at its defaults with a maximum, and with the minima and constraints that suit retrieval.

    Raises:
        ChunkscopeError: the defaults of the strategy leave no room in the maximum.
    """
    return parse(name).for_retrieval(maximum)


@dataclass(frozen=True, eq=False)
class Trials:
    """The candidates on a document, the advised one first.

    Attributes:
        workspace: the document.
        compared: their segmentations, with the reference.
        failed: the strategies that could not be run, with the reason.
    """

    workspace: DocumentAnalysis
    compared: Comparison
    failed: dict[str, str]

    @property
    def entries(self) -> tuple[ComparisonEntry, ...]:
        """The candidates that could be run, in order."""
        return self.compared.entries

    @property
    def affordable(self) -> bool:
        """Whether the document is short enough for agreement and stability."""
        return len(self.workspace.sentences) <= AFFORDABLE

    def settings(self) -> tuple[MeasuredSetting, ...]:
        """Return the sizes and scores of each."""
        return tuple(self._measure(index) for index in range(len(self.entries)))

    def f1(self, index: int) -> float | None:
        """Return boundary F1 of a candidate against a complete reference; ``None`` without one."""
        if not self.compared.reference.complete_boundaries:
            return None
        return boundary_f1(self.compared.reference_gaps, self.compared.cuts[index].gaps)

    def divided(self) -> DividedDocument | None:
        """Return into how many sections people divided the document; ``None`` without a complete reference."""
        if not self.compared.reference.complete_boundaries:
            return None
        boundaries = len(self.compared.reference_gaps)
        return DividedDocument(len(self.compared.sentences), boundaries + 1, supported(self.workspace).number)

    def agreement(self) -> AgreementMatrix:
        """Return the agreement of the candidates with each other and with chance, by boundary F1."""
        return report.make(self.workspace, self.entries).matrix("f1")[1]

    def stability(self) -> float | None:
        """Return the mean share of nearby settings under which a boundary of the advised setting remains.

        It is ``None`` where the strategy has no curve, or no gap is over its threshold.
        """
        params = self.entries[0].segmentation.params
        if not isinstance(params, StructuralParameters | ChangepointParameters) or len(self.workspace.sentences) < 2:
            return None
        stabilities = stability(self.workspace, params)
        return float(stabilities.overall.mean()) if len(stabilities.gaps) else None

    def _measure(self, index: int) -> MeasuredSetting:
        entry = self.entries[index]
        tokens = np.array([chunk.tokens for chunk in entry.segmentation.chunks] or [0], dtype=np.int64)
        exceeding = self._exceeding(entry.segmentation)
        chunks, f1 = len(entry.segmentation.chunks), self.f1(index)
        return MeasuredSetting(entry.label, chunks, float(np.median(tokens)), int(tokens.max()), exceeding, f1)

    def _exceeding(self, segmentation: Segmentation) -> int:
        encoder = self.workspace.retrieval_encoder
        return len(checks.unread(segmentation, encoder)) if encoder.max_tokens < UNLIMITED else 0


def run(workspace: DocumentAnalysis, names: Sequence[str], maximum: int, reference: Reference = NO_REFERENCE) -> Trials:
    """Run strategies on a document, each at its defaults with a maximum.

    Args:
        workspace: the document.
        names: the strategies.
        maximum: in tokens.
        reference: reference boundaries.

    Raises:
        ChunkscopeError: none of them could be run.
    """
    entries: list[ComparisonEntry] = []
    failures: dict[str, str] = {}
    for name in names:
        try:
            setting = setting_of(name, maximum)
            entries.append(report.entry(setting, setting.run(workspace)))
        except ChunkscopeError as error:
            failures[name] = str(error)
            if len(failures) == len(names):
                raise
    return Trials(workspace, report.make(workspace, entries, reference), failures)
