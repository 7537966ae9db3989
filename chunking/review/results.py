"""What a review says of reviewers, reference and strategies, in numbers and as JSON.

:mod:`chunking.review.summary` makes it, and :mod:`chunking.review.report` shows it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from chunking.reference.precision import Interval, Precision
from chunking.review.agreement import Agreement, AgreementEstimate
from chunking.review.candidates import Order
from chunking.review.estimates import BlindEstimates, Estimate
from chunking.review.reviewed import Disagreement


@dataclass(frozen=True)
class DocumentFacts:
    """The document of a review.

    Attributes:
        name: of the document.
        sha256: of its text.
        characters, sentences, gaps: how many it has.
    """

    name: str
    sha256: str
    characters: int
    sentences: int
    gaps: int


@dataclass(frozen=True)
class ReviewerSummary:
    """What a reviewer did.

    Attributes:
        name: as it is shown.
        judgements: how many there are.
        blind: how many of them did not show whether a strategy cuts there.
        boundaries, non_boundaries, skipped, notes: how many there are of each.
        complete: whether the reviewer has marked the document as complete.
    """

    name: str
    judgements: int
    blind: int
    boundaries: int
    non_boundaries: int
    skipped: int
    notes: int
    complete: bool


@dataclass(frozen=True)
class Position:
    """An offset with the text around it."""

    offset: int
    before: str
    after: str


@dataclass(frozen=True)
class ReferenceSummary:
    """The reference that results.

    Attributes:
        complete: whether all other gaps are non-boundaries.
        boundaries: in the order of the text.
        non_boundaries: offsets that were judged to be none.
        added: offsets of the boundaries that no strategy proposed.
        open: number of disagreements that wait for a decision.
    """

    complete: bool
    boundaries: tuple[Position, ...]
    non_boundaries: tuple[int, ...]
    added: tuple[int, ...]
    open: int


@dataclass(frozen=True)
class ReferenceScore:
    """A measure of a strategy against the reference, that of chance, and the measure beyond chance."""

    value: float
    chance: float
    corrected: float


@dataclass(frozen=True)
class PeopleScore:
    """A strategy's agreement with people, that of people with each other, and the difference of the two."""

    strategy: AgreementEstimate | None
    people: AgreementEstimate | None
    difference: AgreementEstimate | None


@dataclass(frozen=True)
class StrategySummary:
    """What the judgements say of a strategy.

    Attributes:
        setting: it with its parameters, in one line.
        cuts: how many it makes.
        judged: how many of them are settled.
        correct: how many of those are boundaries.
        skipped: how many of the others were skipped.
        precision: the share that is correct; ``None`` if none was judged.
        precision_interval: of it; ``None`` where what was judged is no fair sample.
        blind: whether all judgements of its cuts were made in a blind review of it.
        caution: why the precision is not to be relied on; else empty.
        judged_blind: estimates from blind judgements, by reviewer.
        warnings: of its segmentation.
        reference: each measure against a complete reference; ``None`` without one.
        people: each measure of agreement with the reviewers who marked the document as complete.
    """

    setting: str
    cuts: int
    judged: int
    correct: int
    skipped: int
    precision: float | None
    precision_interval: Interval | None
    blind: bool
    caution: str
    judged_blind: Mapping[str, BlindEstimates]
    warnings: tuple[str, ...]
    reference: Mapping[str, ReferenceScore] | None
    people: Mapping[str, PeopleScore]

    def as_dict(self) -> dict[str, Any]:
        """Return the strategy as JSON has it."""
        blind = {reviewer: _blind(estimates) for reviewer, estimates in self.judged_blind.items()}
        return asdict(self) | {"judged_blind": blind}


def _blind(estimates: BlindEstimates) -> dict[str, Any]:
    shares: dict[str, Precision | Estimate] = {
        "precision": estimates.precision,
        "recall": estimates.recall,
        "f1": estimates.f1,
    }
    return {
        key: value
        for name, share in shares.items()
        for key, value in ((name, share.value), (f"{name}_interval", share.interval))
    }


@dataclass(frozen=True)
class ReviewSummary:
    """Everything that is known of a review.

    Attributes:
        document: the document.
        facts: what strategies depend on, by name.
        judgements_sha256: of all judgements and decisions, without names, notes and times.
        order: in which the cuts were judged by those who did not judge blind.
        names: whether reviewers are named, and their notes shown; otherwise they are numbered.
        reviewers: those who judged most first.
        agreement: of the reviewers.
        reference: what results.
        disagreements: in the order of the text.
        strategies: by their names.
        notes: remarks, in sentences.
        method: how intervals and levels of chance were computed.
    """

    document: DocumentFacts
    facts: Mapping[str, str]
    judgements_sha256: str
    order: Order
    names: bool
    reviewers: tuple[ReviewerSummary, ...]
    agreement: Agreement
    reference: ReferenceSummary
    disagreements: tuple[Disagreement, ...]
    strategies: Mapping[str, StrategySummary]
    notes: tuple[str, ...]
    method: Mapping[str, Any]

    def as_dict(self) -> dict[str, Any]:
        """Return the review as JSON has it."""
        agreement = asdict(self.agreement)
        return vars(self) | {
            "document": asdict(self.document),
            "reviewers": list(map(asdict, self.reviewers)),
            "agreement": {name: agreement[name] for name in ("kappa", "pairs", "why")},
            "reference": asdict(self.reference),
            "disagreements": list(map(self._disagreement, self.disagreements)),
            "strategies": {name: strategy.as_dict() for name, strategy in self.strategies.items()},
        }

    def _disagreement(self, disagreement: Disagreement) -> dict[str, Any]:
        names = ("reviewer", "boundary", *(("note",) if self.names else ()))
        votes = [{name: getattr(vote, name) for name in names} for vote in disagreement.votes]
        keys = ("offset", "before", "after", "outcome", "boundary")
        return {key: getattr(disagreement, key) for key in keys} | {"votes": votes}
