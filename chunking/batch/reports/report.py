"""A run as a report: an HTML file that loads nothing, and the same in Markdown. What came from data is never markup."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from chunking.figures import page
from chunking.figures.cells import NOTHING
from chunking.retrieval.reports import table
from chunking.retrieval.reports.report import definitions
from chunking.runtime.patterns import compile_pattern

_BACKTICKS = compile_pattern("`+")


@dataclass(frozen=True)
class Paragraph:
    """A paragraph."""

    text: str


@dataclass(frozen=True)
class ReportTable:
    """Rows of cells under heads."""

    heads: Sequence[str]
    rows: Sequence[Sequence[str]]


@dataclass(frozen=True)
class ReportFigure:
    """A figure: SVG, the file that has it beside the report, and what it shows."""

    svg: str
    file: str
    title: str


@dataclass(frozen=True)
class BulletList:
    """A list."""

    texts: Sequence[str]


@dataclass(frozen=True)
class CommandLine:
    """A line that was given."""

    line: str


Block = Paragraph | ReportTable | ReportFigure | BulletList | CommandLine


@dataclass(frozen=True)
class ReportSection:
    """A part of the report.

    Attributes:
        title: of it.
        level: 1 for the report itself, 2 for a data set, 3 below.
        blocks: what it holds.
    """

    title: str
    level: int
    blocks: Sequence[Block]


def sections(
    measured: Mapping[str, Mapping[str, Any]],
    quality: Mapping[str, dict[str, Any]],
    figures: Mapping[str, str],
    notes: Sequence[str],
    command: str,
) -> list[ReportSection]:
    """Return the report of a run.

    Args:
        measured: by data set and strategy, the sizes of chunks.
        quality: by data set, the result of :func:`chunking.retrieval.reports.as_dict`; empty without an evaluation.
        figures: SVG by the name of its file.
        notes: what a reader should know.
        command: the line that made it.
    """
    found = [ReportSection("Retrieval by strategy" if quality else "Chunks by strategy", 1, [])]
    for name, rows in measured.items():
        found.append(ReportSection(name, 2, []))
        if name in quality:
            found += _quality(name, quality[name], figures)
        found.append(_sizes(name, rows, figures))
    if notes:
        found.append(ReportSection("Notes", 2, [BulletList(notes)]))
    if command:
        found.append(ReportSection("How it was made", 2, [CommandLine(command)]))
    if quality:
        found.append(ReportSection("What the numbers are", 2, [BulletList(_definitions(quality))]))
    return found


def _definitions(quality: Mapping[str, dict[str, Any]]) -> list[str]:
    """Return the definitions of the measures of all data sets."""
    entries: dict[str, str] = {}
    for found in quality.values():
        for name, says in definitions(found).items():
            # Data sets with other truths may mean something else by a name.
            entries[name] = says if entries.get(name, says) == says else f"{entries[name]} {says}"
    return [f"{name}: {says}" for name, says in entries.items()]


def _quality(name: str, found: dict[str, Any], figures: Mapping[str, str]) -> list[ReportSection]:
    main = found["primary"]
    heads, cells = table.columns(found)[:-1], [row[:-1] for row in table.cells(_timed(found))]
    blocks: list[Block] = [
        Paragraph(f"{table.headline(found)}."),
        Paragraph(f"{main}: {found['verdict']}."),
        ReportTable(heads, cells),
        Paragraph("In %: mean over questions, and the 95 % interval of the first."),
        _figure(figures, comparison_file(name), f"{main} of each strategy"),
        _figure(figures, pareto_file(name), f"{main} against the size of the chunks"),
    ]
    sections = [ReportSection("Do questions find their answers?", 3, blocks)]
    pairs = table.pair_cells(found)
    if pairs:
        differences = ReportTable(["strategy", "less", "difference alone", "all together", "verdict"], pairs)
        sections.append(ReportSection(f"Differences of {main}, in points", 3, [differences]))
    return sections


def _figure(figures: Mapping[str, str], file: str, title: str) -> ReportFigure:
    return ReportFigure(figures[file], file, title)


def comparison_file(name: str) -> str:
    """Return the figure that compares the strategies on a data set, beside the report."""
    return f"plots/{name}-comparison.svg"


def pareto_file(name: str) -> str:
    """Return the figure of size against quality."""
    return f"plots/{name}-size-and-quality.svg"


def sizes_file(name: str) -> str:
    """Return the figure of the sizes of chunks."""
    return f"plots/{name}-chunk-sizes.svg"


def _timed(found: dict[str, Any]) -> dict[str, Any]:
    """Return the evaluation as the table of the command line takes it; how long rows took is not reported here."""
    return found | {"strategies": {name: row | {"seconds": {}} for name, row in found["strategies"].items()}}


def _sizes(name: str, rows: Mapping[str, Any], figures: Mapping[str, str]) -> ReportSection:
    heads = ["strategy", "chunks", "mean", "median", "deviation", "smallest", "largest"]
    cells = [[strategy, *_size_cells(row)] for strategy, row in rows.items()]
    tokenizer = next(iter(rows.values()))["tokenizer"]
    title = "Tokens of the chunks"
    return ReportSection(
        title,
        3,
        [
            Paragraph(f"Counted with {tokenizer}, without what chunks repeat of each other."),
            ReportTable(heads, cells),
            _figure(figures, sizes_file(name), f"{title} of each strategy"),
        ],
    )


def _size_cells(row: Mapping[str, Any]) -> list[str]:
    if not row["number"]:
        return ["0", *[NOTHING] * 5]
    numbers = [f"{row[key]:,.1f}" for key in ("mean", "median", "deviation")]
    return [f"{row['number']:,}", *numbers, f"{row['min']:,}", f"{row['max']:,}"]


# --- HTML ----------------------------------------------------------------------------------------------------------


def html(shown: Sequence[ReportSection]) -> str:
    """Return the report as one file that needs nothing else, and forbids itself to load anything."""
    body = "".join(
        f"<h{each.level}>{page.text(each.title)}</h{each.level}>{''.join(map(_html, each.blocks))}" for each in shown
    )
    return page.html(shown[0].title, body)


def _html(block: Block) -> str:
    if isinstance(block, Paragraph):
        return f"<p>{page.text(block.text)}</p>"
    if isinstance(block, BulletList):
        return page.bullets(block.texts)
    if isinstance(block, CommandLine):
        return f"<pre>{page.text(block.line)}</pre>"
    if isinstance(block, ReportFigure):
        return block.svg
    return page.tabulated(block.heads, block.rows, "numbers")


# --- Markdown ------------------------------------------------------------------------------------------------------


def markdown(shown: Sequence[ReportSection]) -> str:
    """Return the report in Markdown, with the figures beside it."""
    parts = []
    for each in shown:
        parts.append(f"{'#' * each.level} {escaped(each.title)}")
        parts += [_markdown(block) for block in each.blocks]
    return "\n\n".join(parts) + "\n"


def _printable(value: str) -> str:
    return "".join(each if each.isprintable() else "\ufffd" for each in value)


def _markdown(block: Block) -> str:
    if isinstance(block, Paragraph):
        return escaped(block.text)
    if isinstance(block, BulletList):
        return "\n".join(f"- {escaped(each)}" for each in block.texts)
    if isinstance(block, CommandLine):
        line = _printable(block.line)
        fence = "`" * max(3, 1 + max(map(len, _BACKTICKS.findall(line)), default=0))
        return f"{fence}\n{line}\n{fence}"
    if isinstance(block, ReportFigure):
        return f"![{escaped(block.title)}]({block.file.replace(' ', '%20')})"
    lines = [block.heads, ["---"] * len(block.heads), *block.rows]
    return "\n".join(
        f"| {' | '.join(cell if number == 1 else escaped(cell) for cell in row)} |" for number, row in enumerate(lines)
    )


_SIGNS = compile_pattern(
    r"[\\`*\[\]<|~$]"
    r"|(?<![^\W_])_|_(?![^\W_])"  # an underscore inside a word is only that
    r"|&(?=#?\w+;)"  # an entity
    r"|(?<=\w)@(?=[\w.-]+\.\w)|:(?=//)|(?<=\bwww)\.",  # an address
    re.IGNORECASE,
)
_MARK = compile_pattern(r"^(?:>|#(?=#|\s|$)|([-+=])(?=\1|\s|$))")
_NUMBERED = compile_pattern(r"^(\d+)([.)])(?=\s|$)")


def escaped(text: str) -> str:
    """Return a text as Markdown that shows just that text: only signs that would mean something get a backslash."""
    shown = _SIGNS.sub(r"\\\g<0>", _printable(text).strip())
    return _NUMBERED.sub(r"\1\\\2", _MARK.sub(r"\\\g<0>", shown))
