"""Lanes: boundaries and predictions along a text, on the same axis."""

from __future__ import annotations

from collections.abc import Sequence

from chunking.report.theme import ENTRY_ROLES
from chunking.runtime.arrays import Int64
from pages.shared.frame import markup
from pages.shared.learn.texts import Texts


def boundary_lane(title: str, cuts: Int64, gaps: int, kind: str = "strategy") -> str:
    """Return a title with marks at gaps as HTML.

    Args:
        title: above the lane, as HTML.
        cuts: ascending gaps.
        gaps: number of gaps.
        kind: of what is compared, see :data:`chunking.report.theme.ENTRY_ROLES`.
    """
    role = ENTRY_ROLES[kind]
    marks = "".join(
        f'<u style="left: {_position(gap, gaps)}; background: var(--cs-{role})"></u>' for gap in cuts.tolist()
    )
    return f'{title}<div class="cs-scale cs-learn-lane">{marks}</div>'


def vote_lane(title: str, votes: Int64, labels: Sequence[str]) -> str:
    """Return a title with a bar at each gap as HTML.

    Args:
        title: above the lane, as HTML.
        votes: ``(n_gaps,)`` heights of the bars.
        labels: of each bar, shown in a tooltip.
    """
    gaps, most = len(votes), max(int(votes.max(initial=0)), 1)
    bars = "".join(
        f'<i style="left: {_position(gap, gaps)}; width: {60 / (gaps + 1):.2f}%; height: {100 * count / most:.1f}%" '
        f'title="{markup.escape(label)}"></i>'
        for gap, (count, label) in enumerate(zip(votes.tolist(), labels, strict=True))
        if count
    )
    return f'{title}<div class="cs-scale cs-learn-lane cs-learn-votes">{bars}</div>'


def lane_table(caption: str, rows: Sequence[Sequence[str]], head: Sequence[str]) -> None:
    """Show lanes, whose cells are HTML already, with what is said of each.

    Args:
        caption: of the table, for screen readers.
        rows: the lane and further cells of each.
        head: titles of the further cells.
    """
    attributes = f' class="cs-learn-lanes" aria-label="{markup.escape(caption)}"'
    markup.show(markup.table(map(markup.escape, ("", *head)), rows, attributes))


def agreement_cell(value: float, interval: tuple[float, float] | None, texts: Texts) -> str:
    """Return an agreement beyond chance as HTML, with its interval on a line of its own."""
    low, high = (texts.number(end, ".2f") for end in interval or (0.0, 0.0))
    ends = f"<small>{low} – {high}</small>" if interval else ""
    return f"<b>{texts.number(value, '.2f')}</b>{ends}"


def _position(gap: int, gaps: int) -> str:
    return f"{100 * (gap + 1) / (gaps + 1):.2f}%"
