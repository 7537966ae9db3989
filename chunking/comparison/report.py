"""A comparison: several segmentations of one document on the axis of its gaps, with the reference where there is one.

What the Compare page shows and ``python -m chunking compare`` prints are made from the same object.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np

from chunking.alignment.pieces import Piece
from chunking.comparison import agreement, chunk_sizes, cut_changes
from chunking.comparison.agreement import AgreementMatrix
from chunking.comparison.chunk_sizes import SizeOutcome
from chunking.comparison.cut_changes import UnitCuts
from chunking.params import Parameters
from chunking.reference import NO_REFERENCE, PartialScore, Reference, partial_score, reference_gaps
from chunking.runtime.arrays import Float64, Int64
from chunking.sentences import Sentences
from chunking.strategies import Segmentation, Setting, foreign
from chunking.tokens import TokenCounter
from chunking.workspace import DocumentAnalysis

Kind = Literal["strategy", "peer", "yours"]

REFERENCE = "gold"
"""The name of the reference boundaries among the segmentations."""

DRAWS = {"f1": 100, "window_diff": 100, "pk": 100, "boundary_similarity": 30}
"""Random segmentations behind each chance value; boundary similarity takes longer."""


@dataclass(frozen=True, eq=False)
class ComparisonEntry:
    """One segmentation of a comparison.

    Attributes:
        label: what it is called, unique in the comparison: the setting in one line.
        title: for people.
        kind: Chunkscope's own strategy, another library's, or the user's own chunks.
        segmentation: what it made of the document.
    """

    label: str
    title: str
    kind: Kind
    segmentation: Segmentation

    @cached_property
    def offsets(self) -> Int64:
        """``(n_cuts,)`` int64, where chunks start, but for the start of the text."""
        return cut_changes.cut_offsets(self.segmentation)


@dataclass(frozen=True, eq=False)
class Comparison:
    """Several segmentations of one document.

    Attributes:
        sentences: the units of the axis.
        offsets: ``(n_gaps,)`` int64, where each gap cuts the text.
        entries: the segmentations.
        reference: boundaries that people set; agreement with them exists where it is complete.
    """

    sentences: Sentences
    offsets: Int64
    entries: tuple[ComparisonEntry, ...]
    reference: Reference = NO_REFERENCE

    @cached_property
    def cuts(self) -> tuple[UnitCuts, ...]:
        """The cuts of each entry, at the nearest gaps."""
        return tuple(
            cut_changes.unit_cuts(at_gaps(entry.offsets, self.sentences, self.offsets), self.offsets)
            for entry in self.entries
        )

    @cached_property
    def reference_gaps(self) -> Int64:
        """The gaps of the boundaries of a complete reference; empty where there is none."""
        return reference_gaps(self.reference.complete_boundaries, self.offsets, self.sentences)

    @cached_property
    def partial_scores(self) -> dict[str, PartialScore]:
        """Each entry, by its label, against a partial reference; empty where the reference is complete."""
        if not self.reference.partial:
            return {}
        return {
            entry.label: partial_score(self.reference, cuts.gaps, self.offsets, self.sentences)
            for entry, cuts in zip(self.entries, self.cuts, strict=True)
        }

    @cached_property
    def consensus(self) -> Float64:
        """``(n_gaps,)`` float64: the share of entries that cut each gap."""
        return cut_changes.consensus([cuts.gaps for cuts in self.cuts], len(self.offsets))

    def matrix(self, metric: str, tolerance: int = 0) -> tuple[list[str], AgreementMatrix]:
        """Return agreement of every entry, and of a complete reference, with every other; the labels come first."""
        labels, cuts = [entry.label for entry in self.entries], [cuts.gaps for cuts in self.cuts]
        if self.reference.complete_boundaries:
            labels, cuts = [REFERENCE, *labels], [self.reference_gaps, *cuts]
        return labels, agreement.agreement_matrix(cuts, len(self.sentences), metric, tolerance, DRAWS[metric])

    def outcomes(self, counters: Mapping[str, TokenCounter]) -> list[SizeOutcome]:
        """Return the requested and actual sizes of each entry."""
        return chunk_sizes.outcomes([entry.segmentation for entry in self.entries], counters, self.offsets)


def at_gaps(offsets: Int64, sentences: Sentences, gap_offsets: Int64) -> Int64:
    """Return the offsets that lie between two sentences, wherever in the space between, at the place where their gap
    cuts.
    """
    if not len(gap_offsets) or not len(offsets):
        return offsets
    right = sentences.spans[1:, 0]
    gap = np.minimum(np.searchsorted(right, offsets), len(right) - 1)
    between = (sentences.spans[:-1, 1][gap] <= offsets) & (offsets <= right[gap])
    moved: Int64 = np.where(between, gap_offsets[gap], offsets)
    return moved


def entry(setting: Setting, segmentation: Segmentation, label: str = "") -> ComparisonEntry:
    """Return an entry for a strategy on a document; its label defaults to the setting in one line."""
    kind: Kind = "peer" if setting.strategy.family == "peers" else "strategy"
    return ComparisonEntry(label or setting.text, setting.title, kind, segmentation)


def own_entry(workspace: DocumentAnalysis, name: str, pieces: Sequence[Piece]) -> ComparisonEntry:
    """Return the user's own chunks, brought back to spans of the document."""
    label = f"yours: {name}"
    segmentation = foreign.segment(workspace, "yours", Parameters(), pieces, reason="given")
    return ComparisonEntry(label, label, "yours", segmentation)


def make(
    workspace: DocumentAnalysis, entries: Sequence[ComparisonEntry], reference: Reference = NO_REFERENCE
) -> Comparison:
    """Return the segmentations of a workspace's document on its sentences."""
    return Comparison(workspace.sentences, workspace.offsets, tuple(entries), reference)


def as_dict(comparison: Comparison, counters: Mapping[str, TokenCounter], tolerance: int = 0) -> dict[str, Any]:
    """Return the results of a comparison, as JSON can hold them; ``compare`` prints this."""
    document = comparison.sentences.document
    outcomes = comparison.outcomes(counters)
    shares = comparison.consensus
    summary: dict[str, Any] = {
        "document": {
            "name": document.name,
            "format": document.format,
            "language": document.language,
            "characters": len(document.text),
            "sentences": len(comparison.sentences),
        },
        "strategies": {
            entry.label: _strategy(entry, cuts, outcome)
            for entry, cuts, outcome in zip(comparison.entries, comparison.cuts, outcomes, strict=True)
        },
        "consensus": [
            {"gap": gap, "offset": int(comparison.offsets[gap]), "share": float(shares[gap])}
            for gap in np.flatnonzero(shares).tolist()
        ],
        "agreement": {name: _matrix(comparison, name, tolerance) for name in agreement.METRICS},
    }
    reference = comparison.reference
    if reference.judgements:
        summary["gold"] = {
            "boundaries": list(reference.boundaries),
            "gaps": reference_gaps(reference.boundaries, comparison.offsets, comparison.sentences).tolist(),
            "complete": reference.complete,
        }
    if reference.partial:
        summary["gold"] |= {
            "judgements": reference.judgements,
            "rejected": list(reference.rejected),
            "judged": {label: _partial(score) for label, score in comparison.partial_scores.items()},
        }
    return summary


def _partial(score: PartialScore) -> dict[str, Any]:
    """Return a strategy against a partial reference: on the gaps that were judged, and how many these are."""
    precision = score.precision
    return {
        "judgements": score.judgements,
        "precision": precision.value,
        "precision_interval": list(precision.interval),
        "judged_cuts": precision.judged,
        "cuts": precision.total,
        "recall_added": score.recall,
        "added_found": score.added_cut,
        "added": score.added,
    }


def _strategy(entry: ComparisonEntry, cuts: UnitCuts, outcome: SizeOutcome) -> dict[str, Any]:
    params = entry.segmentation.params.values()
    overlap = outcome.overlap
    return {
        "strategy": entry.segmentation.strategy,
        "params": {name: list(value) if isinstance(value, tuple) else value for name, value in params.items()},
        "chunks": outcome.chunks,
        "boundaries": entry.offsets.tolist(),
        "gaps": cuts.gaps.tolist(),
        "cuts_inside_sentences": cuts.inside,
        "tokens": {
            name: {
                "own": asdict(tokens.own),
                "with_overlap": asdict(tokens.whole),
                "document": tokens.document,
                "ratio": tokens.ratio,
            }
            for name, tokens in outcome.tokens.items()
        },
        "characters": asdict(outcome.characters),
        "overlap": {
            "asked": overlap.requested,
            "unit": overlap.unit,
            "boundaries": len(overlap.reached),
            "in_full": overlap.in_full,
            "in_part": overlap.in_part,
            "not_at_all": overlap.not_at_all,
            "reached": overlap.reached.tolist(),
        },
        "over_maximum": outcome.over_maximum,
        "under_minimum": outcome.under_minimum,
        "characters_lost": outcome.lost_text,
        "characters_doubled": outcome.duplicated,
        "chunks_not_in_document": len(entry.segmentation.unplaced),
        "warnings": list(entry.segmentation.warnings),
    }


def _matrix(comparison: Comparison, metric: str, tolerance: int) -> dict[str, Any]:
    labels, matrix = comparison.matrix(metric, tolerance)
    columns = {
        "value": matrix.values,
        "chance": matrix.chance,
        "chance_low": matrix.chance_low,
        "chance_high": matrix.chance_high,
        "corrected": matrix.corrected,
    }
    return {
        "tolerance": tolerance if matrix.metric.takes_tolerance else None,
        "best": matrix.metric.best,
        "pairs": {
            reference: {
                hypothesis: {name: float(values[row, column]) for name, values in columns.items()}
                for column, hypothesis in enumerate(labels)
                if row != column
            }
            for row, reference in enumerate(labels)
        },
    }
