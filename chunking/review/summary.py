"""Sum up a review: its reviewers, their agreement, the reference that results, and what it says of strategies.

Everything follows from the document, the judgements and the settings, whatever database the judgements are kept in: a
review that is exported and read again gives the same.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from chunking import export
from chunking.alignment.relocation import anchor
from chunking.comparison import report
from chunking.comparison.report import Comparison, ComparisonEntry
from chunking.evaluation.intervals import LEVEL, RESAMPLES, SEED
from chunking.reference.precision import precision as precision_of
from chunking.reference.state import Judgement, Review
from chunking.review import agreement, candidates, estimates
from chunking.review.agreement import Agreement
from chunking.review.candidates import Candidate, Order
from chunking.review.estimates import BlindEstimates
from chunking.review.results import (
    DocumentFacts,
    PeopleScore,
    Position,
    ReferenceScore,
    ReferenceSummary,
    ReviewerSummary,
    ReviewSummary,
    StrategySummary,
)
from chunking.review.reviewed import Disagreement, ReviewedDocument
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


def summarize(
    reviewed: ReviewedDocument,
    entries: Sequence[ComparisonEntry],
    options: ReviewOptions | None = None,
    notes: Sequence[str] = (),
) -> ReviewSummary:
    """Return everything that is known of a review.

    Args:
        reviewed: the document with its reviews.
        entries: what strategies make of the document.
        options: the manner of the review, and what is shown of the reviewers.
        notes: remarks, in sentences.
    """
    options = options or ReviewOptions()
    workspace = reviewed.workspace
    document = workspace.document
    compared = report.make(workspace, entries, reviewed.reference.reference)
    labels = _shown_names(reviewed, options.names)
    return ReviewSummary(
        document=DocumentFacts(
            document.name, document.text_hash, len(document.text), len(workspace.sentences), len(workspace.offsets)
        ),
        facts=export.facts_of(workspace),
        judgements_sha256=judgements_hash(reviewed),
        order=options.order,
        names=options.names,
        reviewers=tuple(_reviewer(labels[name], reviewed.reviews[name]) for name in labels),
        agreement=_agreement(reviewed, labels),
        reference=_reference(reviewed),
        disagreements=_disagreements(reviewed, labels),
        strategies=_strategies(reviewed, compared, labels, options.order),
        notes=tuple(notes),
        method={"interval": LEVEL, "resamples": RESAMPLES, "seed": SEED, "random_draws": dict(report.DRAWS)},
    )


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


def _reviewer(name: str, review: Review) -> ReviewerSummary:
    return ReviewerSummary(
        name=name,
        judgements=len(review.judgements),
        blind=sum(judgement.blind for judgement in review.judgements.values()),
        boundaries=len(review.boundaries),
        non_boundaries=len(review.rejected),
        skipped=len(review.skipped),
        notes=len(review.notes),
        complete=review.complete,
    )


def _agreement(reviewed: ReviewedDocument, labels: Mapping[str, str]) -> Agreement:
    agreed = agreement.agreement_of({name: reviewed.reviews[name] for name in labels}, reviewed.axis)
    pairs = (replace(pair, left=labels[pair.left], right=labels[pair.right]) for pair in agreed.pairs)
    return replace(agreed, reviewers=tuple(labels[name] for name in agreed.reviewers), pairs=tuple(pairs))


# --- the reference -------------------------------------------------------------------------------------------------


def _reference(reviewed: ReviewedDocument) -> ReferenceSummary:
    final, text = reviewed.reference, reviewed.workspace.document.text
    return ReferenceSummary(
        complete=final.reference.complete,
        boundaries=tuple(_position(text, offset) for offset in final.boundaries),
        non_boundaries=final.rejected,
        added=final.reference.added,
        open=len(final.open),
    )


def _position(text: str, offset: int) -> Position:
    around = anchor(text, offset)
    return Position(offset, around.before, around.after)


def _disagreements(reviewed: ReviewedDocument, labels: Mapping[str, str]) -> tuple[Disagreement, ...]:
    """Return the disagreements with the text around them as it is today, and reviewers as they are shown."""
    text = reviewed.workspace.document.text
    disagreements = []
    for disagreement in reviewed.reference.disagreements:
        votes = (
            replace(vote, reviewer=labels[vote.reviewer]) for vote in disagreement.votes if vote.reviewer in labels
        )
        ordered = tuple(sorted(votes, key=lambda vote: (vote.reviewer, vote.offset)))
        position = _position(text, disagreement.offset)
        disagreements.append(replace(disagreement, votes=ordered, before=position.before, after=position.after))
    return tuple(disagreements)


# --- strategies ----------------------------------------------------------------------------------------------------


def _strategies(
    reviewed: ReviewedDocument, compared: Comparison, labels: Mapping[str, str], order: Order
) -> dict[str, StrategySummary]:
    against = _against_reference(compared)
    cuts = {entry.label: cuts.gaps for entry, cuts in zip(compared.entries, compared.cuts, strict=True)}
    complete = [name for name in labels if reviewed.reviews[name].complete]
    people = {name: reviewed.gaps(reviewed.reviews[name].boundaries) for name in complete}
    ceilings = {
        metric: agreement.ceiling(people, cuts, len(compared.sentences), metric)
        for metric in agreement.METRICS
        if people and cuts and len(compared.offsets)
    }
    summaries = {}
    for entry in compared.entries:
        with_people = {
            metric: PeopleScore(ceiling.strategies[entry.label], ceiling.people, ceiling.differences.get(entry.label))
            for metric, ceiling in ceilings.items()
        }
        summaries[entry.label] = _strategy(reviewed, entry, labels, order, against.get(entry.label), with_people)
    return summaries


def _against_reference(compared: Comparison) -> dict[str, dict[str, ReferenceScore]]:
    """Return the agreement of each strategy with a complete reference, with what chance gives, by measure."""
    if not compared.reference.complete_boundaries or not compared.entries:
        return {}
    matrices = {metric: compared.matrix(metric)[1] for metric in agreement.METRICS}
    return {
        entry.label: {
            metric: ReferenceScore(
                *(float(table[0, column]) for table in (matrix.values, matrix.chance, matrix.corrected))
            )
            for metric, matrix in matrices.items()
        }
        for column, entry in enumerate(compared.entries, 1)
    }


def _strategy(
    reviewed: ReviewedDocument,
    entry: ComparisonEntry,
    labels: Mapping[str, str],
    order: Order,
    reference: Mapping[str, ReferenceScore] | None,
    people: Mapping[str, PeopleScore],
) -> StrategySummary:
    setting = export.setting_text(entry.segmentation)
    setting_candidates = _candidates(reviewed, entry, setting, order)
    progress, accepted = reviewed.settled(setting_candidates)
    blind = _is_blind(reviewed, setting_candidates, setting)
    fair = progress.finished or blind or order == "random"
    precision = precision_of(accepted, progress.decided - accepted, progress.total)
    return StrategySummary(
        setting=setting,
        cuts=progress.total,
        judged=progress.decided,
        correct=accepted,
        skipped=progress.skipped,
        precision=precision.value,
        precision_interval=precision.interval if fair and precision.value is not None else None,
        blind=blind,
        caution=candidates.caution(order, blind, progress) if progress.decided else "",
        judged_blind=_blind_estimates(reviewed, entry, setting, labels),
        warnings=tuple(entry.segmentation.warnings),
        reference=reference,
        people=people,
    )


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
) -> dict[str, BlindEstimates]:
    """Return recall and F1 as each reviewer's blind judgements estimate them, by reviewer."""
    blind_candidates = _candidates(reviewed, entry, setting, "random", blind=True)
    # Places that a blind review of another strategy led to are no fair sample of this one's.
    settings = {candidate.offset: candidate.proposed for candidate in blind_candidates}
    rows: dict[str, BlindEstimates] = {}
    for name, label in labels.items():
        judgements = reviewed.reviews[name].judgements
        blind = {
            offset: judgement
            for offset, judgement in judgements.items()
            if judgement.blind and settings.get(offset) == judgement.proposed
        }
        estimate = estimates.of_blind(blind_candidates, Review(judgements=blind), len(reviewed.workspace.offsets))
        if estimate.precision.judged and estimate.recall.value is not None:
            rows[label] = estimate
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
