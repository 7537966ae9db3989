"""The rows of a verdict: strategies with a mean as a dot and its interval as a line, on one axis."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from chunking.reference.precision import Interval
from chunking.report.formatting import percent
from chunking.report.html import explained
from pages.shared.frame import markup


@dataclass(frozen=True)
class VerdictRow:
    """A strategy.

    Attributes:
        title: its name.
        setting: in one line, shown when pointed at.
        mean: from 0 to 1.
        interval: of the mean; ``None`` without one.
        before, after: cells before the mean and behind it, as HTML with their tags.
    """

    title: str
    setting: str
    mean: float
    interval: Interval | None
    before: str = ""
    after: str = ""

    @property
    def ends(self) -> Interval:
        """The ends of what is drawn."""
        return self.interval or (self.mean, self.mean)


def table(label: str, heads: Sequence[str], rows: Sequence[VerdictRow]) -> str:
    """Return the rows as HTML.

    Args:
        label: what the rows are, for whoever does not see them.
        heads: cells of the first row, as HTML with their tags.
        rows: at least one, the best first.
    """
    low = np.floor(10 * min(row.ends[0] for row in rows)) / 10
    high = np.ceil(10 * max(row.ends[1] for row in rows)) / 10
    span = max(float(high - low), 0.1)
    lines = [f"<tr>{''.join(heads)}</tr>", *(_line(row, float(low), span) for row in rows)]
    return (
        f'<div class="cs-v-rows" tabindex="0" role="region" aria-label="{markup.escape(label)}">'
        f"<table>{''.join(lines)}</table></div>"
    )


def _line(row: VerdictRow, low: float, span: float) -> str:
    start, stop = row.ends
    return (
        f'<tr><th scope="row" title="{markup.escape(row.setting)}">{markup.escape(row.title)}</th>{row.before}'
        f'<td class="cs-v-track"><i style="left:{100 * (start - low) / span:.2f}%;'
        f'width:{100 * (stop - start) / span:.2f}%"></i><b style="left:{100 * (row.mean - low) / span:.2f}%"></b></td>'
        f'<td class="cs-v-mean">{percent(row.mean)}</td>{row.after}</tr>'
    )


def heads(measure: str, best: str, before: str = "") -> list[str]:
    """Return the cells of the first row up to the difference from the best.

    Args:
        measure: its title.
        best: title of the best strategy.
        before: cells before the mean, as HTML with their tags.
    """
    return [
        head(explained("strategy")),
        *([before] if before else []),
        head(f"{explained(measure)}, %, with its 95 % interval", 2),
        head(f"{explained('difference')} from {markup.escape(best)}"),
    ]


def head(words: str, columns: int = 1) -> str:
    """Return a cell of the first row, of HTML, over some columns."""
    return f'<th scope="col"{f" colspan={columns}" * (columns > 1)}>{words}</th>'


def standing(worse: Sequence[bool]) -> str:
    """Return how many of the others are significantly worse than the best, in words."""
    count = sum(worse)
    if count == len(worse):
        return "All others are significantly worse."
    others = "1 other" if len(worse) == 1 else f"{len(worse):,} others"
    return f"{count:,} of {others} significantly worse; the rest do not differ significantly."


def points(mean: float, interval: Interval) -> str:
    """Return a difference with its interval in percentage points."""
    low, high = (100 * end for end in interval)
    return f"{100 * mean:+.0f} points ({low:+.0f} to {high:+.0f})".replace("-", "−")
