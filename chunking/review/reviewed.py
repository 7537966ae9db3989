"""A document with the judgements of its reviewers, and what follows from them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from chunking.reference import gaps_of
from chunking.reference.events import Event
from chunking.reference.state import Judgement, Review, decisions, reviews
from chunking.review import final
from chunking.review.candidates import Candidate, Progress
from chunking.runtime.arrays import Int64
from chunking.sentences import Sentences
from chunking.workspace import Workspace


@dataclass(frozen=True, eq=False)
class ReviewedDocument:
    """A document with its reviews.

    Attributes:
        workspace: the document.
        events: of all reviewers, in the order in which they were stored.
    """

    workspace: Workspace
    events: tuple[Event, ...]

    @cached_property
    def reviews(self) -> dict[str, Review]:
        """By reviewer."""
        return reviews(self.events)

    @cached_property
    def decisions(self) -> dict[int, Judgement]:
        """Decisions that count for all reviewers, by offset."""
        return decisions(self.events)

    @property
    def axis(self) -> tuple[Sentences, Int64]:
        """Sentences, and where gaps cut."""
        return self.workspace.sentences, self.workspace.offsets

    @cached_property
    def gold(self) -> final.FinalReference:
        """The reference that results, and the disagreements."""
        return final.resolve(self.reviews, self.decisions, self.axis)

    def gaps(self, offsets: Sequence[int]) -> Int64:
        """Return the gaps of places, ascending, each once."""
        sentences, gap_offsets = self.axis
        return np.unique(gaps_of(offsets, gap_offsets, sentences)) if len(offsets) else np.zeros(0, np.int64)

    def settled(self, candidates: Sequence[Candidate]) -> tuple[Progress, int]:
        """Return how many of a strategy's boundaries are settled by any reviewer, and how many of these are correct.

        A verdict on the very place counts before one on its gap.

        Args:
            candidates: of the strategy; gaps that were mixed in do not count.
        """
        right, wrong = set(self.gold.boundaries), set(self.gold.rejected)
        right_gaps, wrong_gaps = (set(self.gaps(each).tolist()) for each in (self.gold.boundaries, self.gold.rejected))
        passed = {offset for own in self.reviews.values() for offset in own.skipped}
        accepted = rejected = skipped = total = 0
        for each in candidates:
            if not each.proposed:
                continue
            total += 1
            if each.offset in right or (each.offset not in wrong and each.gap in right_gaps):
                accepted += 1
            elif each.offset in wrong or each.gap in wrong_gaps:
                rejected += 1
            elif each.offset in passed:
                skipped += 1
        return Progress(accepted + rejected, skipped, total - accepted - rejected - skipped), accepted
