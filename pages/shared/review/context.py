"""A document with its reviews, under the strategy that is judged."""

from __future__ import annotations

from dataclasses import dataclass, replace

from chunking.reference.state import Review
from chunking.review import candidates
from chunking.review.candidates import Candidate, Order, Progress
from chunking.review.exchange import ExistingReviews
from chunking.review.reviewed import ReviewedDocument
from chunking.store.review_rights import visible_events
from chunking.strategies import Segmentation, Setting
from pages.shared import identity


@dataclass(frozen=True, eq=False)
class ReviewContext(ReviewedDocument):
    """A document with its reviews, under the strategy that is judged.

    Attributes:
        setting, segmentation: the strategy, and its result.
        candidates: places to judge, in order.
        order, blind, reviewer: manner of the review, and the current reviewer.
    """

    setting: Setting
    segmentation: Segmentation
    candidates: tuple[Candidate, ...]
    order: Order
    blind: bool
    reviewer: str

    @property
    def own(self) -> Review:
        """The review of the current reviewer."""
        return self.reviews.get(self.reviewer, Review())

    @property
    def existing(self) -> ExistingReviews:
        """Judgements that no import overwrites."""
        return ExistingReviews(self.reviews, self.decisions)

    def progress(self, name: str) -> Progress:
        """Return the progress of a reviewer with these candidates."""
        return candidates.progress(self.candidates, self.reviews.get(name, Review()))

    @property
    def is_hidden(self) -> bool:
        """Whether the strategy's reasons and the verdicts of others are still hidden from the current reviewer."""
        return self.blind and self.progress(self.reviewer).open > 0


def visible(context: ReviewContext) -> ReviewContext:
    """Return a review with the events alone that the person of this session may take with her now."""
    events = visible_events(context.events, identity.current())
    return replace(
        context, events=tuple(event for event in events if not context.is_hidden or event.reviewer == context.reviewer)
    )
