"""The reference of a document: places known to be boundaries, places known to be none, and what follows of a strategy.

Where nobody has judged the whole text, a place that is not listed is unknown, and not a place without a boundary. So a
measure that needs every gap (F1, Pk, agreement) exists for a complete reference alone. Of a partial one,
:func:`partial_score` compares a strategy on the judged gaps.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from chunking.gold.gaps import gold_gaps
from chunking.gold.precision import Precision, precision
from chunking.runtime.arrays import Int64
from chunking.sentences import Sentences


@dataclass(frozen=True)
class Reference:
    """Boundaries that people set on a document, as offsets in ascending order.

    Attributes:
        boundaries: places that are boundaries.
        rejected: places that were judged and are none.
        added: the boundaries that no strategy had proposed to whoever set them.
        complete: whether every place that is not listed is a non-boundary; if not, it is unknown.
        reviewers: who judged; empty where the reference did not come from reviews.
    """

    boundaries: tuple[int, ...] = ()
    rejected: tuple[int, ...] = ()
    added: tuple[int, ...] = ()
    complete: bool = True
    reviewers: tuple[str, ...] = ()

    @property
    def judgements(self) -> int:
        """The number of judged places, on which every figure of a partial reference rests."""
        return len(self.boundaries) + len(self.rejected)

    @property
    def gold(self) -> tuple[int, ...]:
        """The boundaries of a complete reference; of a partial one none, since it is no gold."""
        return self.boundaries if self.complete else ()

    @property
    def partial(self) -> bool:
        """Whether there are judgements, though not of the whole document."""
        return not self.complete and self.judgements > 0


NO_REFERENCE = Reference()
"""Of a document on which nobody has set a boundary."""


@dataclass(frozen=True)
class PartialScore:
    """A strategy against a partial reference, on judged gaps alone.

    Attributes:
        precision: of its cuts, as far as they were judged.
        found: added boundaries that it cuts.
        added: all added boundaries; those that some strategy proposed say nothing of recall, since they were judged
            because they were cut.
        judgements: judged gaps.
    """

    precision: Precision
    found: int
    added: int
    judgements: int

    @property
    def recall(self) -> float | None:
        """The share of the added boundaries that it cuts; ``None`` where none was added."""
        return self.found / self.added if self.added else None


def partial_score(reference: Reference, cuts: Sequence[int] | Int64, offsets: Int64, units: Sentences) -> PartialScore:
    """Compare a strategy with a partial reference.

    Args:
        reference: see :class:`Reference`.
        cuts: gaps that the strategy cuts.
        offsets: ``(n_gaps,)`` int64, where each gap cuts the text.
        units: the sentences.
    """
    right, wrong, added = (
        {*gold_gaps(places, offsets, units).tolist()}
        for places in (reference.boundaries, reference.rejected, reference.added)
    )
    wrong -= right
    cut = {int(gap) for gap in cuts}
    return PartialScore(
        precision(len(cut & right), len(cut & wrong), len(cut)), len(cut & added), len(added), len(right | wrong)
    )
