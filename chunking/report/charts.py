"""Dots with their intervals on an axis, for pages and reports."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from chunking.report import html
from chunking.report.formatting import NOTHING

Entry = tuple[str, float | None, Sequence[float] | None]
"""A row of a dot chart: its name, its mean and the ends of its interval, where it has them."""


@dataclass(frozen=True)
class Axis:
    """An axis in steps of 1, 2 or 5 times a power of ten.

    Attributes:
        step: between two ticks.
        first, last: the ends, in steps.
    """

    step: float
    first: int
    last: int

    @classmethod
    def of(cls, values: Sequence[float], most: int = 8) -> Axis:
        """Return an axis that holds all values, in at most about so many steps.

        No step is below 0.001, the least that percentages with one decimal tell apart.
        """
        low, high = min(values), max(values)
        span = (high - low) or 1.0
        steps = (base * 10.0**power for power in range(-3, 12) for base in (1, 2, 5))
        step = next(step for step in steps if step * most >= span)
        first = int(low // step)
        return cls(step, first, max(int(-(-high // step)), first + 1))

    @property
    def ticks(self) -> list[float]:
        """The values of the ticks."""
        return [self.step * number for number in range(self.first, self.last + 1)]

    def share(self, value: float) -> float:
        """Return the position of a value, from 0 at the first tick to 1 at the last."""
        return (value / self.step - self.first) / (self.last - self.first)

    def at(self, value: float) -> str:
        """Return the position of a value in percent, for SVG and CSS."""
        return f"{100 * self.share(value):.2f}%"


@dataclass(frozen=True)
class ChartRow:
    """A row of a chart.

    Attributes:
        name: of the row.
        text: its values in words.
        dots: the position of each dot on the axis, and its size: ``small``, ``middle``, ``large`` or the usual one.
        bar: the two ends of its interval.
        end, value: the words right of the dots, and where these end.
        quiet: whether the row is quieter than others.
    """

    name: str
    text: str
    dots: Sequence[tuple[str, str]] = ()
    bar: tuple[str, str] | None = None
    end: str = ""
    value: str = ""
    quiet: bool = False


def dot_chart(
    entries: Sequence[Entry],
    mark: float | None,
    title: str,
    format_value: Callable[[float], str],
    quiet: Collection[str] = (),
) -> Markup:
    """Return the dots with their intervals on an axis that holds 0 and the mark, a dashed line.

    Args:
        entries: a row each.
        mark: where the line is; ``None`` for none.
        title: the text alternative.
        format_value: a value in words.
        quiet: names of rows that are quieter.
    """
    ends = [end for _, value, interval in entries for end in (value, *(interval or ())) if end is not None]
    axis = Axis.of([0.0, mark or 0.0, *(ends or [1.0])], most=10)
    rows = [_entry_row(entry, format_value, axis, entry[0] in quiet) for entry in entries]
    return draw(rows, axis, title, format_value, mark)


def draw(
    rows: Sequence[ChartRow], axis: Axis, title: str, format_value: Callable[[float], str], mark: float | None = None
) -> Markup:
    """Return rows of dots with their axis."""
    ticks = [(axis.at(value), tick_words(format_value(value))) for value in axis.ticks]
    line = None if mark is None else axis.at(mark)
    return html.dot_chart(title, rows, ticks, line, f"{100 / (axis.last - axis.first):.4f}%")


def _entry_row(entry: Entry, format_value: Callable[[float], str], axis: Axis, quiet: bool) -> ChartRow:
    name, value, interval = entry
    if value is None:
        return ChartRow(name, NOTHING, quiet=quiet)
    words = format_value(value) + (f" [{', '.join(format_value(end) for end in interval)}]" if interval else "")
    bar = (axis.at(interval[0]), axis.at(interval[1])) if interval else None
    end = axis.at(max((value, *(interval or ()))))
    return ChartRow(name, words, ((axis.at(value), ""),), bar, end, format_value(value), quiet)


def tick_words(words: str) -> str:
    """Return the label of a tick: a value in words, without decimals that say nothing."""
    return "0" if words == "+0.0" else words.removesuffix(".0")
