"""A run as a report: an HTML file that loads nothing, and the same in Markdown. What came from data is never markup."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol

from markupsafe import Markup

from chunking.report import html, markdown
from chunking.report.formatting import NOTHING
from chunking.report.svg import SvgFigure
from chunking.retrieval.reports import table
from chunking.retrieval.reports.report import definitions


class _Writer(Protocol):
    """What writes the parts of a report: :mod:`chunking.report.html`, or Markdown."""

    def heading(self, words: str, level: int) -> str: ...

    def paragraph(self, words: str) -> str: ...

    def bullets(self, texts: Sequence[str]) -> str: ...

    def command(self, line: str) -> str: ...

    def table(self, heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str: ...

    def figure(self, title: str, file: str) -> str: ...


class RunReport:
    """The report of a run.

    Args:
        measured: by data set and strategy, the sizes of chunks.
        quality: by data set, the result of :func:`chunking.retrieval.reports.as_dict`; empty without an evaluation.
        figures: by the name of their file.
        notes: what a reader should know.
        command: the line that made it.
    """

    def __init__(
        self,
        measured: Mapping[str, Mapping[str, Any]],
        quality: Mapping[str, dict[str, Any]],
        figures: Mapping[str, SvgFigure],
        notes: Sequence[str],
        command: str,
    ) -> None:
        self._measured, self._quality, self._figures = measured, quality, figures
        self._notes, self._command = notes, command

    @property
    def title(self) -> str:
        """What the report is about."""
        return "Retrieval by strategy" if self._quality else "Chunks by strategy"

    def html(self) -> str:
        """Return the report as one file that needs nothing else, and forbids itself to load anything."""
        return html.page(self.title, html.join(map(Markup, self._parts(_HtmlWriter(self._figures)))))

    def markdown(self) -> str:
        """Return the report in Markdown, with the figures beside it."""
        return "\n\n".join(self._parts(markdown)) + "\n"

    def _parts(self, write: _Writer) -> Iterator[str]:
        yield write.heading(self.title, 1)
        for name, rows in self._measured.items():
            yield write.heading(name, 2)
            if name in self._quality:
                yield from _quality(write, name, self._quality[name])
            yield from _sizes(write, name, rows)
        if self._notes:
            yield write.heading("Notes", 2)
            yield write.bullets(self._notes)
        if self._command:
            yield write.heading("How it was made", 2)
            yield write.command(self._command)
        if self._quality:
            yield write.heading("What the numbers are", 2)
            yield write.bullets(_definitions(self._quality))


class _HtmlWriter:
    """HTML with the figures in the page, and tables of numbers."""

    def __init__(self, figures: Mapping[str, SvgFigure]) -> None:
        self._figures = figures

    heading = staticmethod(html.heading)
    paragraph = staticmethod(html.paragraph)
    bullets = staticmethod(html.bullets)
    command = staticmethod(html.command)

    def table(self, heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
        return html.table(heads, rows, "numbers")

    def figure(self, title: str, file: str) -> str:
        return self._figures[file].markup


def _definitions(quality: Mapping[str, dict[str, Any]]) -> list[str]:
    """Return the definitions of the measures of all data sets."""
    entries: dict[str, str] = {}
    for summary in quality.values():
        for name, meaning in definitions(summary).items():
            # Data sets with other truths may mean something else by a name.
            entries[name] = meaning if entries.get(name, meaning) == meaning else f"{entries[name]} {meaning}"
    return [f"{name}: {meaning}" for name, meaning in entries.items()]


def _quality(write: _Writer, name: str, summary: dict[str, Any]) -> Iterator[str]:
    main = summary["primary"]
    untimed = summary | {"strategies": {row: values | {"seconds": {}} for row, values in summary["strategies"].items()}}
    yield write.heading("Do questions find their answers?", 3)
    yield write.paragraph(f"{table.headline(summary)}.")
    yield write.paragraph(f"{main}: {summary['verdict']}.")
    yield write.table(table.columns(summary)[:-1], [row[:-1] for row in table.cells(untimed)])
    yield write.paragraph("In %: mean over questions, and the 95 % interval of the first.")
    yield write.figure(f"{main} of each strategy", comparison_file(name))
    yield write.figure(f"{main} against the size of the chunks", pareto_file(name))
    pairs = table.pair_cells(summary)
    if pairs:
        yield write.heading(f"Differences of {main}, in points", 3)
        yield write.table(["strategy", "less", *table.DIFFERENCE], pairs)


def comparison_file(name: str) -> str:
    """Return the figure that compares the strategies on a data set, beside the report."""
    return f"plots/{name}-comparison.svg"


def pareto_file(name: str) -> str:
    """Return the figure of size against quality."""
    return f"plots/{name}-size-and-quality.svg"


def sizes_file(name: str) -> str:
    """Return the figure of the sizes of chunks."""
    return f"plots/{name}-chunk-sizes.svg"


def _sizes(write: _Writer, name: str, rows: Mapping[str, Any]) -> Iterator[str]:
    title = "Tokens of the chunks"
    tokenizer = next(iter(rows.values()))["tokenizer"]
    yield write.heading(title, 3)
    yield write.paragraph(f"Counted with {tokenizer}, without what chunks repeat of each other.")
    heads = ["strategy", "chunks", "mean", "median", "deviation", "smallest", "largest"]
    yield write.table(heads, [[strategy, *_size_cells(row)] for strategy, row in rows.items()])
    yield write.figure(f"{title} of each strategy", sizes_file(name))


def _size_cells(row: Mapping[str, Any]) -> list[str]:
    if not row["number"]:
        return ["0", *[NOTHING] * 5]
    numbers = [f"{row[key]:,.1f}" for key in ("mean", "median", "deviation")]
    return [f"{row['number']:,}", *numbers, f"{row['min']:,}", f"{row['max']:,}"]
