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
    workspace, gold = reviewed.workspace, reviewed.gold
    compared = report.make(workspace, entries, gold.reference)
    shown = _shown_names(reviewed, options.names)
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
        "reviewers": [_reviewer(shown[name], reviewed.reviews[name]) for name in shown],
        "agreement": _agreement(reviewed, shown),
        "reference": _reference(reviewed),
        "disagreements": _disagreements(reviewed, shown, options.names),
        "strategies": _strategies(reviewed, compared, shown, options.order),
        "notes": list(notes),
        "method": {"interval": LEVEL, "resamples": RESAMPLES, "seed": SEED, "random_draws": dict(report.DRAWS)},
    }


def judgements_hash(reviewed: ReviewedDocument) -> str:
    """Return the SHA-256 of all judgements and decisions, without names, notes and times."""
    took_part = filter(_took_part, reviewed.reviews.values())
    judged = sorted([own.complete, sorted(map(_said, own.judgements.values()))] for own in took_part)
    whole = [reviewed.workspace.document.text_hash, judged, sorted(map(_said, reviewed.decisions.values()))]
    return hashlib.sha256(json.dumps(whole).encode("utf-8")).hexdigest()


def _said(judgement: Judgement) -> list[Any]:
    target = -1 if judgement.target is None else judgement.target
    return [judgement.offset, judgement.verdict, target, judgement.proposed, judgement.blind]


def _took_part(own: Review) -> bool:
    return bool(own.judgements) or own.complete


def _shown_names(reviewed: ReviewedDocument, names: bool) -> dict[str, str]:
    """Return what each reviewer is called, those who judged most first, in an order that does not depend on names."""
    took_part = {name: own for name, own in reviewed.reviews.items() if _took_part(own)}
    ordered = sorted(took_part, key=lambda name: (-len(took_part[name].votes), sorted(took_part[name].votes.items())))
    return {name: name if names else f"Reviewer {number}" for number, name in enumerate(ordered, 1)}


def _reviewer(name: str, own: Review) -> dict[str, Any]:
    return {
        "name": name,
        "judgements": len(own.judgements),
        "blind": sum(each.blind for each in own.judgements.values()),
        "boundaries": len(own.boundaries),
        "non_boundaries": len(own.rejected),
        "skipped": len(own.skipped),
        "notes": len(own.notes),
        "complete": own.complete,
    }


# --- agreement -----------------------------------------------------------------------------------------------------


def _agreement(reviewed: ReviewedDocument, shown: Mapping[str, str]) -> dict[str, Any]:
    found = agreement.agreement_of({name: reviewed.reviews[name] for name in shown}, reviewed.axis)
    pairs = [asdict(pair) | {"left": shown[pair.left], "right": shown[pair.right]} for pair in found.pairs]
    return {"kappa": asdict(found.kappa), "pairs": pairs, "why": found.why}


# --- the reference -------------------------------------------------------------------------------------------------


def _reference(reviewed: ReviewedDocument) -> dict[str, Any]:
    gold, text = reviewed.gold, reviewed.workspace.document.text
    return {
        "complete": gold.reference.complete,
        "boundaries": [_place(text, offset) for offset in gold.boundaries],
        "non_boundaries": list(gold.rejected),
        "added": list(gold.reference.added),
        "open": len(gold.open),
    }


def _place(text: str, offset: int) -> dict[str, Any]:
    around = anchor(text, offset)
    return {"offset": offset, "before": around.before, "after": around.after}


def _disagreements(reviewed: ReviewedDocument, shown: Mapping[str, str], notes: bool) -> list[dict[str, Any]]:
    text = reviewed.workspace.document.text
    return [
        _place(text, each.offset)
        | {"outcome": each.outcome, "boundary": each.boundary}
        | {
            "votes": [
                {"reviewer": shown[vote.reviewer], "boundary": vote.boundary} | ({"note": vote.note} if notes else {})
                for vote in sorted(each.votes, key=lambda vote: (shown[vote.reviewer], vote.offset))
                if vote.reviewer in shown
            ]
        }
        for each in reviewed.gold.disagreements
    ]


# --- strategies ----------------------------------------------------------------------------------------------------


def _strategies(
    reviewed: ReviewedDocument, compared: Comparison, shown: Mapping[str, str], order: Order
) -> dict[str, Any]:
    against = _against_reference(compared)
    cuts = {entry.label: cuts.gaps for entry, cuts in zip(compared.entries, compared.cuts, strict=True)}
    complete = [name for name in shown if reviewed.reviews[name].complete]
    people = {name: reviewed.gaps(reviewed.reviews[name].boundaries) for name in complete}
    ceilings = {
        metric: agreement.ceiling(people, cuts, len(compared.sentences), metric)
        for metric in agreement.METRICS
        if people and cuts and len(compared.offsets)
    }
    return {
        entry.label: _strategy(reviewed, entry, shown, order)
        | {"reference": against.get(entry.label)}
        | {"people": {metric: _with_people(found, entry.label) for metric, found in ceilings.items()}}
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
                "value": float(matrix.values[0, place]),
                "chance": float(matrix.chance[0, place]),
                "corrected": float(matrix.corrected[0, place]),
            }
            for metric, (_, matrix) in matrices.items()
        }
        for place, entry in enumerate(compared.entries, 1)
    }


def _with_people(found: Ceiling, label: str) -> dict[str, Any]:
    """Return a strategy's agreement with people, and that of people with each other."""
    shown = {"strategy": found.strategies[label], "people": found.people, "difference": found.differences.get(label)}
    return {name: None if each is None else asdict(each) for name, each in shown.items()}


def _strategy(
    reviewed: ReviewedDocument, entry: ComparisonEntry, shown: Mapping[str, str], order: Order
) -> dict[str, Any]:
    setting = export.setting_text(entry.segmentation)
    judged = _candidates(reviewed, entry, setting, order)
    progress, accepted = reviewed.settled(judged)
    blind = _is_blind(reviewed, judged, setting)
    fair = progress.finished or blind or order == "random"
    found = precision_of(accepted, progress.decided - accepted, progress.total)
    return {
        "setting": setting,
        "cuts": progress.total,
        "judged": progress.decided,
        "correct": accepted,
        "skipped": progress.skipped,
        "precision": found.value,
        "precision_interval": found.interval if fair and found.value is not None else None,
        "blind": blind,
        "caution": candidates.caution(order, blind, progress) if progress.decided else "",
        "judged_blind": _blind_estimates(reviewed, entry, setting, shown),
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


def _is_blind(reviewed: ReviewedDocument, judged: Sequence[Candidate], setting: str) -> bool:
    """Return whether every judgement of a strategy's cuts was made in a blind review of that strategy."""
    offsets = {each.offset for each in judged}
    made = [known for own in reviewed.reviews.values() for offset, known in own.judgements.items() if offset in offsets]
    return bool(made) and all(known.blind and known.proposed == setting for known in made)


def _blind_estimates(
    reviewed: ReviewedDocument, entry: ComparisonEntry, setting: str, shown: Mapping[str, str]
) -> dict[str, Any]:
    """Return recall and F1 as each reviewer's blind judgements estimate them, by reviewer."""
    mixed = _candidates(reviewed, entry, setting, "random", blind=True)
    # Places that a blind review of another strategy led to are no fair sample of this one's.
    proposed = {each.offset: each.proposed for each in mixed}
    found: dict[str, Any] = {}
    for name, label in shown.items():
        known = reviewed.reviews[name].judgements
        own = {place: each for place, each in known.items() if each.blind and proposed.get(place) == each.proposed}
        made = estimates.of_blind(mixed, Review(judgements=own), len(reviewed.workspace.offsets))
        if made.precision.judged and made.recall.value is not None:
            found[label] = {
                "precision": made.precision.value,
                "precision_interval": made.precision.interval,
                "recall": made.recall.value,
                "recall_interval": made.recall.interval,
                "f1": made.f1.value,
                "f1_interval": made.f1.interval,
            }
    return found


def proposing_settings(reviewed: ReviewedDocument) -> list[str]:
    """Return the settings whose boundaries were judged, each in one line, those with most judgements first."""
    made = [known.proposed for own in reviewed.reviews.values() for known in own.judgements.values() if known.proposed]
    names, counts = np.unique(np.array(made, dtype=str), return_counts=True)
    order: Int64 = np.argsort(-counts, kind="stable")
    return [str(names[place]) for place in order.tolist()]
