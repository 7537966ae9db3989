"""A run as a report: an HTML file that loads nothing, and the same in Markdown. What came from data is never markup."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

from markupsafe import Markup

from chunking.batch import plots
from chunking.report import html, markdown
from chunking.report.formatting import NOTHING
from chunking.report.svg import SvgFigure
from chunking.retrieval.questions.data import QuestionSetRemark
from chunking.retrieval.reports import figures, table
from chunking.retrieval.reports.report import definitions
from chunking.retrieval.reports.results import RetrievalSummary, Sizes, failures


@dataclass(frozen=True, eq=False)
class ChunkSizes:
    """The sizes of the chunks of a strategy.

    Attributes:
        setting: the strategy with its parameters, in one line.
        documents: how many there are.
        tokens: number of chunks by their tokens.
        failed: the documents that could not be cut.
    """

    setting: str
    documents: int
    tokens: Counter[int]
    failed: tuple[QuestionSetRemark, ...] = ()

    @cached_property
    def sizes(self) -> Sizes:
        """The figures."""
        return Sizes.of(plots.expand(self.tokens))

    def cells(self) -> list[str]:
        """Return the figures as the cells of a table, under :data:`SIZE_HEADS`."""
        sizes = self.sizes
        if not sizes.number:
            return ["0", *[NOTHING] * 5]
        numbers = [f"{value:,.1f}" for value in (sizes.mean, sizes.median, sizes.deviation)]
        return [f"{sizes.number:,}", *numbers, f"{sizes.min:,}", f"{sizes.max:,}"]


SIZE_HEADS = ("chunks", "mean", "median", "deviation", "smallest", "largest")


@dataclass(frozen=True, eq=False)
class DataSetResult:
    """The results on a data set.

    Attributes:
        tokenizer: what counts tokens.
        sizes: by strategy.
        quality: of retrieval; ``None`` without an evaluation.
    """

    tokenizer: str
    sizes: Mapping[str, ChunkSizes]
    quality: RetrievalSummary | None

    def sizes_as_dict(self) -> dict[str, Any]:
        """Return the sizes as JSON has them."""
        return {
            name: {
                "setting": row.setting,
                "documents": row.documents,
                "tokenizer": self.tokenizer,
                **row.sizes.as_dict(),
                "failed": failures(row.failed),
            }
            for name, row in self.sizes.items()
        }


class _Writer(Protocol):
    """The writer of the parts of a report: :mod:`chunking.report.html`, or Markdown."""

    def heading(self, words: str, level: int) -> str: ...

    def paragraph(self, words: str) -> str: ...

    def bullets(self, texts: Sequence[str]) -> str: ...

    def command(self, line: str) -> str: ...

    def table(self, heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str: ...

    def figure(self, title: str, file: str) -> str: ...


class RunReport:
    """The report of a run.

    Args:
        results: by data set.
        notes: what a reader should know.
        command: the line that made it.

    Attributes:
        results: by data set.
        figures: by the name of their file, beside the report.
    """

    def __init__(self, results: Mapping[str, DataSetResult], notes: Sequence[str], command: str) -> None:
        self.results, self._notes, self._command = results, notes, command
        self._quality = [result.quality for result in results.values() if result.quality]
        self.figures: dict[str, SvgFigure] = {}
        for name, result in results.items():
            tokens = {strategy: row.tokens for strategy, row in result.sizes.items()}
            self.figures[f"plots/{name}-chunk-sizes.svg"] = plots.sizes(tokens)
            if result.quality:
                self.figures[f"plots/{name}-comparison.svg"] = plots.comparison(result.quality)
                pareto = figures.pareto(result.quality, result.quality.primary)
                self.figures[f"plots/{name}-size-and-quality.svg"] = pareto

    @property
    def title(self) -> str:
        """The subject of the report."""
        return "Retrieval by strategy" if self._quality else "Chunks by strategy"

    def html(self) -> str:
        """Return the report as one file that needs nothing else, and forbids itself to load anything."""
        return html.page(self.title, html.join(map(Markup, self._parts(_HtmlWriter(self.figures)))))

    def markdown(self) -> str:
        """Return the report in Markdown, with the figures beside it."""
        return "\n\n".join(self._parts(markdown)) + "\n"

    def _parts(self, write: _Writer) -> Iterator[str]:
        yield write.heading(self.title, 1)
        for name, result in self.results.items():
            yield write.heading(name, 2)
            if result.quality:
                yield from _quality(write, name, result.quality)
            yield write.heading("Tokens of the chunks", 3)
            yield write.paragraph(f"Counted with {result.tokenizer}, without what chunks repeat of each other.")
            rows = [[strategy, *row.cells()] for strategy, row in result.sizes.items()]
            yield write.table(["strategy", *SIZE_HEADS], rows)
            yield write.figure("Tokens of the chunks of each strategy", f"plots/{name}-chunk-sizes.svg")
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


def _definitions(summaries: Sequence[RetrievalSummary]) -> list[str]:
    """Return the definitions of the measures of all data sets."""
    entries: dict[str, str] = {}
    for summary in summaries:
        for name, meaning in definitions(summary).items():
            # Data sets with other truths may mean something else by a name.
            entries[name] = meaning if entries.get(name, meaning) == meaning else f"{entries[name]} {meaning}"
    return [f"{name}: {meaning}" for name, meaning in entries.items()]


def _quality(write: _Writer, name: str, summary: RetrievalSummary) -> Iterator[str]:
    main = summary.primary
    yield write.heading("Do questions find their answers?", 3)
    yield write.paragraph(f"{table.headline(summary)}.")
    yield write.paragraph(f"{main}: {summary.verdict}.")
    yield write.table(table.columns(summary)[:-1], [row[:-1] for row in table.cells(summary)])
    yield write.paragraph("In %: mean over questions, and the 95 % interval of the first.")
    yield write.figure(f"{main} of each strategy", f"plots/{name}-comparison.svg")
    yield write.figure(f"{main} against the size of the chunks", f"plots/{name}-size-and-quality.svg")
    pairs = table.pair_cells(summary.pairs.get(main, ()))
    if pairs:
        yield write.heading(f"Differences of {main}, in points", 3)
        yield write.table(["strategy", "less", *table.DIFFERENCE], pairs)
