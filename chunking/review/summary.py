"""A review as data: its reviewers, their agreement, the reference that results, and what it says of strategies.

Everything follows from the document, the judgements and the settings, whatever database the judgements are kept in: a
review that is exported and read again gives the same.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from chunking import export
from chunking.comparison import report
from chunking.comparison.report import Comparison, ComparisonEntry
from chunking.evaluation.intervals import LEVEL, RESAMPLES, SEED
from chunking.reference.precision import precision as precision_of
from chunking.reference.relocation import anchor
from chunking.reference.state import Judgement, Review
from chunking.review import agreement, candidates, estimates
from chunking.review.agreement import Ceiling
from chunking.review.candidates import Candidate, Order
from chunking.review.reviewed import ReviewedDocument
from chunking.runtime.arrays import Int64


@dataclass(frozen=True)
class ReviewOptions:
    """Options of the summary of a review.

    Attributes:
        order: in which the cuts were judged by those who did not judge blind.
        names: whether reviewers are named, and their notes shown; otherwise they are numbered.
    """

    order: Order = "text"
    names: bool = True


def as_dict(
    reviewed: ReviewedDocument,
    entries: Sequence[ComparisonEntry],
    options: ReviewOptions | None = None,
    notes: Sequence[str] = (),
) -> dict[str, Any]:
    """Return everything that is known of a review, as JSON can hold it.

    Args:
        reviewed: the document with its reviews.
        entries: what strategies make of the document.
        options: the manner of the review, and what is shown of the reviewers.
        notes: remarks, in sentences.
    """
    options = options or ReviewOptions()
    workspace, final = reviewed.workspace, reviewed.reference
    compared = report.make(workspace, entries, final.reference)
    labels = _shown_names(reviewed, options.names)
    return {
        "document": {
            "name": workspace.document.name,
            "sha256": workspace.document.text_hash,
            "characters": len(workspace.document.text),
            "sentences": len(workspace.sentences),
            "gaps": len(workspace.offsets),
        },
        "facts": export.facts_of(workspace),
        "judgements_sha256": judgements_hash(reviewed),
        "order": options.order,
        "names": options.names,
        "reviewers": [_reviewer(labels[name], reviewed.reviews[name]) for name in labels],
        "agreement": _agreement(reviewed, labels),
        "reference": _reference(reviewed),
        "disagreements": _disagreements(reviewed, labels, options.names),
        "strategies": _strategies(reviewed, compared, labels, options.order),
        "notes": list(notes),
        "method": {"interval": LEVEL, "resamples": RESAMPLES, "seed": SEED, "random_draws": dict(report.DRAWS)},
    }


def judgements_hash(reviewed: ReviewedDocument) -> str:
    """Return the SHA-256 of all judgements and decisions, without names, notes and times."""
    took_part = filter(_took_part, reviewed.reviews.values())
    review_values = sorted(
        [review.complete, sorted(map(_judgement_values, review.judgements.values()))] for review in took_part
    )
    content = [
        reviewed.workspace.document.text_hash,
        review_values,
        sorted(map(_judgement_values, reviewed.decisions.values())),
    ]
    return hashlib.sha256(json.dumps(content).encode("utf-8")).hexdigest()


def _judgement_values(judgement: Judgement) -> list[Any]:
    target = -1 if judgement.target is None else judgement.target
    return [judgement.offset, judgement.verdict, target, judgement.proposed, judgement.blind]


def _took_part(review: Review) -> bool:
    return bool(review.judgements) or review.complete


def _shown_names(reviewed: ReviewedDocument, names: bool) -> dict[str, str]:
    """Return what each reviewer is called, those who judged most first, in an order that does not depend on names."""
    took_part = {name: review for name, review in reviewed.reviews.items() if _took_part(review)}
    ordered = sorted(took_part, key=lambda name: (-len(took_part[name].votes), sorted(took_part[name].votes.items())))
    return {name: name if names else f"Reviewer {number}" for number, name in enumerate(ordered, 1)}


def _reviewer(name: str, review: Review) -> dict[str, Any]:
    return {
        "name": name,
        "judgements": len(review.judgements),
        "blind": sum(judgement.blind for judgement in review.judgements.values()),
        "boundaries": len(review.boundaries),
        "non_boundaries": len(review.rejected),
        "skipped": len(review.skipped),
        "notes": len(review.notes),
        "complete": review.complete,
    }


# --- agreement -----------------------------------------------------------------------------------------------------


def _agreement(reviewed: ReviewedDocument, labels: Mapping[str, str]) -> dict[str, Any]:
    agreed = agreement.agreement_of({name: reviewed.reviews[name] for name in labels}, reviewed.axis)
    pairs = [asdict(pair) | {"left": labels[pair.left], "right": labels[pair.right]} for pair in agreed.pairs]
    return {"kappa": asdict(agreed.kappa), "pairs": pairs, "why": agreed.why}


# --- the reference -------------------------------------------------------------------------------------------------


def _reference(reviewed: ReviewedDocument) -> dict[str, Any]:
    final, text = reviewed.reference, reviewed.workspace.document.text
    return {
        "complete": final.reference.complete,
        "boundaries": [_position(text, offset) for offset in final.boundaries],
        "non_boundaries": list(final.rejected),
        "added": list(final.reference.added),
        "open": len(final.open),
    }


def _position(text: str, offset: int) -> dict[str, Any]:
    around = anchor(text, offset)
    return {"offset": offset, "before": around.before, "after": around.after}


def _disagreements(reviewed: ReviewedDocument, labels: Mapping[str, str], notes: bool) -> list[dict[str, Any]]:
    text = reviewed.workspace.document.text
    return [
        _position(text, disagreement.offset)
        | {"outcome": disagreement.outcome, "boundary": disagreement.boundary}
        | {
            "votes": [
                {"reviewer": labels[vote.reviewer], "boundary": vote.boundary} | ({"note": vote.note} if notes else {})
                for vote in sorted(disagreement.votes, key=lambda vote: (labels[vote.reviewer], vote.offset))
                if vote.reviewer in labels
            ]
        }
        for disagreement in reviewed.reference.disagreements
    ]


# --- strategies ----------------------------------------------------------------------------------------------------


def _strategies(
    reviewed: ReviewedDocument, compared: Comparison, labels: Mapping[str, str], order: Order
) -> dict[str, Any]:
    against = _against_reference(compared)
    cuts = {entry.label: cuts.gaps for entry, cuts in zip(compared.entries, compared.cuts, strict=True)}
    complete = [name for name in labels if reviewed.reviews[name].complete]
    people = {name: reviewed.gaps(reviewed.reviews[name].boundaries) for name in complete}
    ceilings = {
        metric: agreement.ceiling(people, cuts, len(compared.sentences), metric)
        for metric in agreement.METRICS
        if people and cuts and len(compared.offsets)
    }
    return {
        entry.label: _strategy(reviewed, entry, labels, order)
        | {"reference": against.get(entry.label)}
        | {"people": {metric: _with_people(ceiling, entry.label) for metric, ceiling in ceilings.items()}}
        for entry in compared.entries
    }


def _against_reference(compared: Comparison) -> dict[str, Any]:
    """Return the agreement of each strategy with a complete reference, with what chance gives, by measure."""
    if not compared.gold or not compared.entries:
        return {}
    matrices = {metric: compared.matrix(metric) for metric in agreement.METRICS}
    return {
        entry.label: {
            metric: {
                "value": float(matrix.values[0, column]),
                "chance": float(matrix.chance[0, column]),
                "corrected": float(matrix.corrected[0, column]),
            }
            for metric, (_, matrix) in matrices.items()
        }
        for column, entry in enumerate(compared.entries, 1)
    }


def _with_people(ceiling: Ceiling, label: str) -> dict[str, Any]:
    """Return a strategy's agreement with people, and that of people with each other."""
    parts = {
        "strategy": ceiling.strategies[label],
        "people": ceiling.people,
        "difference": ceiling.differences.get(label),
    }
    return {name: None if estimate is None else asdict(estimate) for name, estimate in parts.items()}


def _strategy(
    reviewed: ReviewedDocument, entry: ComparisonEntry, labels: Mapping[str, str], order: Order
) -> dict[str, Any]:
    setting = export.setting_text(entry.segmentation)
    setting_candidates = _candidates(reviewed, entry, setting, order)
    progress, accepted = reviewed.settled(setting_candidates)
    blind = _is_blind(reviewed, setting_candidates, setting)
    fair = progress.finished or blind or order == "random"
    precision = precision_of(accepted, progress.decided - accepted, progress.total)
    return {
        "setting": setting,
        "cuts": progress.total,
        "judged": progress.decided,
        "correct": accepted,
        "skipped": progress.skipped,
        "precision": precision.value,
        "precision_interval": precision.interval if fair and precision.value is not None else None,
        "blind": blind,
        "caution": candidates.caution(order, blind, progress) if progress.decided else "",
        "judged_blind": _blind_estimates(reviewed, entry, setting, labels),
        "warnings": list(entry.segmentation.warnings),
    }


def _candidates(
    reviewed: ReviewedDocument, entry: ComparisonEntry, setting: str, order: Order, blind: bool = False
) -> tuple[Candidate, ...]:
    workspace = reviewed.workspace
    seed = candidates.seed(workspace.document.text_hash, setting)
    return candidates.candidates(
        candidates.proposals(entry.segmentation), workspace.offsets, setting, order, blind, seed
    )


def _is_blind(reviewed: ReviewedDocument, setting_candidates: Sequence[Candidate], setting: str) -> bool:
    """Return whether every judgement of a strategy's cuts was made in a blind review of that strategy."""
    offsets = {candidate.offset for candidate in setting_candidates}
    judgements = [
        judgement
        for review in reviewed.reviews.values()
        for offset, judgement in review.judgements.items()
        if offset in offsets
    ]
    return bool(judgements) and all(judgement.blind and judgement.proposed == setting for judgement in judgements)


def _blind_estimates(
    reviewed: ReviewedDocument, entry: ComparisonEntry, setting: str, labels: Mapping[str, str]
) -> dict[str, Any]:
    """Return recall and F1 as each reviewer's blind judgements estimate them, by reviewer."""
    blind_candidates = _candidates(reviewed, entry, setting, "random", blind=True)
    # Places that a blind review of another strategy led to are no fair sample of this one's.
    settings = {candidate.offset: candidate.proposed for candidate in blind_candidates}
    rows: dict[str, Any] = {}
    for name, label in labels.items():
        judgements = reviewed.reviews[name].judgements
        blind = {
            offset: judgement
            for offset, judgement in judgements.items()
            if judgement.blind and settings.get(offset) == judgement.proposed
        }
        estimate = estimates.of_blind(blind_candidates, Review(judgements=blind), len(reviewed.workspace.offsets))
        if estimate.precision.judged and estimate.recall.value is not None:
            rows[label] = {
                "precision": estimate.precision.value,
                "precision_interval": estimate.precision.interval,
                "recall": estimate.recall.value,
                "recall_interval": estimate.recall.interval,
                "f1": estimate.f1.value,
                "f1_interval": estimate.f1.interval,
            }
    return rows


def proposing_settings(reviewed: ReviewedDocument) -> list[str]:
    """Return the settings whose boundaries were judged, each in one line, those with most judgements first."""
    settings = [
        judgement.proposed
        for review in reviewed.reviews.values()
        for judgement in review.judgements.values()
        if judgement.proposed
    ]
    names, counts = np.unique(np.array(settings, dtype=str), return_counts=True)
    order: Int64 = np.argsort(-counts, kind="stable")
    return [str(names[index]) for index in order.tolist()]
