"""The review desk: places of a text, judged one by one by a key."""

from pages.shared.components.review_desk.component import (
    Candidate,
    Desk,
    Dispute,
    Known,
    Sent,
    Vote,
    named,
    next_wanted,
    review_desk,
    sent,
)

__all__ = [
    "Candidate",
    "Desk",
    "Dispute",
    "Known",
    "Sent",
    "Vote",
    "named",
    "next_wanted",
    "review_desk",
    "sent",
]
