"""The parts of all reports: a self-contained HTML page, its tables, lists and figures.

A page makes no request and forbids itself to load anything; a report has no script. Its figures are HTML, CSS and SVG
in the colours of :mod:`chunking.figures.plots`, by the theme of whoever looks. Names, ids and texts may come from
anywhere: they are escaped here. Tables and figures can stand alone as well, beside :func:`style`.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import asdict
from html import escape
from pathlib import Path
from typing import Literal

from chunking import __version__, glossary
from chunking.errors import ChunkscopeError
from chunking.figures.cells import NOTHING
from chunking.figures.theme import PALETTES
from chunking.loading import files
from chunking.runtime.patterns import compile_pattern

Entry = tuple[str, float | None, Sequence[float] | None]
"""A row of a figure: its name, its mean and the ends of its interval, where it has them."""

_PAGE = """
body { font: 15px/1.5 system-ui, sans-serif; background: var(--surface); margin: 2rem auto; max-width: 72rem;
  padding: 0 1rem; }
h1 { font-size: 1.4rem; } h2 { font-size: 1.15rem; margin-top: 2.2rem; }
h3 { font-size: 1rem; margin: 1.4rem 0 0.2rem; }
.figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(28rem, 100%), 1fr)); gap: 0 2rem; }
pre { white-space: pre-wrap; border: 1px solid var(--grid); border-radius: 4px; padding: 0.6rem; font-size: 0.85rem; }
summary { cursor: pointer; color: var(--muted); }
p.verdict { font-size: 1.1rem; font-weight: 600; max-width: 60rem; }
p.verdict span { font-weight: 400; color: var(--muted); }
.cs-term { border-bottom: 1px dotted currentColor; cursor: help; }
.cs-term:focus::after { content: ": " attr(title); white-space: normal; display: inline-block; max-width: 22rem; }
"""

_PRINTED = """
@media print {
  :root { color-scheme: light; }
  body { margin: 0; max-width: none; font-size: 10pt; }
  h1, h2, h3, h2 + p, h3 + p { break-after: avoid; }
  tr, svg, .chart, .row { break-inside: avoid; }
  body .wide { overflow: visible; }
  body .wide table th, body .wide table td + td { white-space: pre-line; overflow-wrap: break-word; min-width: 0;
    padding-right: 0.6rem; }
  body table { font-size: 8.5pt; }
  details::details-content { content-visibility: visible; display: block; }
}
@page { margin: 15mm; }
"""
"""On paper, and in the PDF that a browser prints."""

_CONTENT = """
{ color: var(--text); overflow-wrap: anywhere; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: 0.87rem; width: auto; margin: 0; }
.wide { overflow-x: auto; overflow-wrap: normal; }
.numbers td + td { white-space: pre; }
.pairs td { white-space: nowrap; }
.pairs td:last-child { white-space: normal; overflow-wrap: anywhere; min-width: 12rem; }
.pairs td:nth-child(-n+2), .numbers td:first-child, .numbers th:first-child { white-space: normal;
  overflow-wrap: break-word; max-width: 18rem; }
.words td:first-child { overflow-wrap: anywhere; min-width: 20rem; }
.words th { white-space: normal; overflow-wrap: break-word; max-width: 11rem; }
th, td { text-align: left; padding: 0.2rem 0.9rem 0.2rem 0; border-top: 1px solid var(--grid); vertical-align: top; }
th { color: var(--muted); font-weight: 500; white-space: nowrap; }
td.base { color: var(--muted); }
td.flag { font-weight: 600; }
p.legend { color: var(--muted); max-width: 60rem; }
p, li, dt, dd { font-size: inherit; }
dt { font-weight: 600; }
dd { margin: 0 0 0.4rem; color: var(--muted); max-width: 60rem; }
dl.facts { display: grid; grid-template-columns: fit-content(40%) 1fr; gap: 0.15rem 1.4rem; }
dl.facts dt { font-weight: 400; color: var(--muted); }
dl.facts dd { margin: 0; color: var(--text); }
.chart { max-width: 54rem; font-size: 0.82rem; margin-bottom: 0.8rem; }
.row { display: flex; height: 1.6rem; align-items: center; }
.row span { flex: 0 1 min(13rem, 30%); min-width: 6rem; overflow: hidden; text-overflow: ellipsis; white-space: nowrap;
  padding-right: 0.8rem; }
.track { flex: 1; position: relative; align-self: stretch; margin-right: min(5rem, 12%);
  border-right: 1px solid var(--grid);
  background: repeating-linear-gradient(to right, var(--grid) 0 1px, transparent 1px var(--step)); }
.track i { position: absolute; top: 0; bottom: 0; }
.track i.bar { top: calc(50% - 1px); bottom: auto; height: 2px; background: var(--fused); }
.track i.dot { top: calc(50% - 0.3rem); bottom: auto; width: 0.6rem; height: 0.6rem; margin-left: -0.3rem;
  border-radius: 50%; background: var(--fused); }
.track i.mark { border-left: 2px dashed var(--structural); margin-left: -1px; }
.track b { position: absolute; top: 50%; transform: translateY(-50%); margin-left: 0.6rem; font-weight: 400;
  white-space: nowrap; color: var(--muted); font-size: 0.78rem; background: var(--surface); padding: 0 0.15rem; }
.axis .track { background: none; border: none; }
.axis .track b { margin: 0; transform: translate(-50%, -50%); }
.track i.small { opacity: 0.55; transform: scale(0.6); }
.track i.middle { opacity: 0.8; transform: scale(0.85); }
.track i.large { transform: scale(1.15); }
.base span { color: var(--muted); }
.base i.bar, .base i.dot { background: var(--muted); }
.strips { display: grid; grid-template-columns: repeat(auto-fill, minmax(15rem, 1fr)); gap: 0.8rem 1.6rem; }
.strips b { font-weight: 500; display: block; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.strips small { color: var(--muted); font-variant-numeric: tabular-nums; display: flex;
  justify-content: space-between; }
.strip { display: flex; align-items: flex-end; gap: 1px; height: 3rem; border-bottom: 1px solid var(--muted); }
.strip i { flex: 1 1 0; min-width: 0; background: var(--semantic); }
svg.figure { max-width: 54rem; width: 100%; display: block; margin: 0.8rem 0; }
"""

_RULE = compile_pattern(r"(?<![^{}])([^{}]*+)\{([^{}]*+)\}")


def style(scope: str) -> str:
    """Return the style sheet of tables and figures inside the elements that a CSS selector names.

    They use the colours of :mod:`chunking.figures.plots`, each in a property of its role's name (``--text``).
    """
    rules = []
    for names, body in _RULE.findall(_CONTENT):
        selectors = ", ".join(f"{scope} {name.strip()}".strip() for name in names.split(","))
        rules.append(f"{selectors} {{{body}}}")
    # In a narrow window, half of the ticks have no number.
    rules.append(f"@media (max-width: 640px) {{ {scope} .axis .track b:nth-child(even) {{display: none}} }}")
    return "\n".join(rules)


def html(title: str, body: str, *, rules: str = "", script: str = "") -> str:
    """Return a whole page.

    Args:
        title: of the window.
        body: HTML.
        rules: further rules of its style sheet.
        script: an ES module, which the page runs; no other script is allowed, and nothing can be loaded or sent.
    """
    allowed = "style-src 'unsafe-inline'"
    if script:
        digest = base64.b64encode(hashlib.sha256(script.encode("utf-8")).digest()).decode("ascii")
        allowed += f"; script-src 'sha256-{digest}'"
        body += f'<script type="module">{script}</script>'
    else:
        body += f'<p class="legend">Chunkscope {text(__version__)}</p>'
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; {allowed}">'
        f"<title>{text(title)}</title><style>{_colors()}{_PAGE}{style('body')}{_PRINTED}{rules}</style></head>"
        f"<body>{body}</body></html>\n"
    )


def sections(entries: Sequence[tuple[str, str]]) -> str:
    """Return the parts of a page by their titles, as HTML; those without content are left out."""
    return "".join(f"<section><h2>{text(title)}</h2>{content}</section>" for title, content in entries if content)


def text(value: object) -> str:
    """Return any text, as HTML; what cannot be printed is shown as U+FFFD."""
    words = str(value)
    if not words.isprintable():
        words = "".join(each if each.isprintable() or each == "\n" else "\ufffd" for each in words)
    return escape(words)


def explained(words: str, name: str = "") -> str:
    """Return words as HTML, with the definition of the term that they stand for on hover, focus or tap.

    Args:
        words: any text; it stays as it is where the glossary does not know it.
        name: of the term in :mod:`chunking.glossary`, where the words are not its own.

    Raises:
        KeyError: the glossary has no term of that name.
    """
    term = glossary.TERMS[name] if name else glossary.find(words)
    if term is None:
        return text(words)
    about = f'data-term="{text(term.name)}" title="{text(term.meaning)}"'
    return f'<span class="cs-term" tabindex="0" {about}>{text(words)}</span>'


_UNPRINTABLE = compile_pattern("[\0-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")


def prose(value: str) -> str:
    """Return the text of a document, as HTML: tabs, line ends and unusual spaces stay as they are."""
    return escape(_UNPRINTABLE.sub("\ufffd", value))


def _colors() -> str:
    themes = {
        name: "".join(f"--{role}:{value};" for role, value in asdict(palette).items())
        for name, palette in PALETTES.items()
    }
    dark = f"@media(prefers-color-scheme:dark){{:root{{{themes['dark']}}}}}"
    return f":root{{color-scheme:light dark;{themes['light']}}}{dark}"


# --- text and tables -----------------------------------------------------------------------------------------------


def tabulated(
    heads: Sequence[str],
    rows: Sequence[Sequence[str]],
    kind: Literal["", "numbers", "pairs", "words"] = "",
    quiet: Collection[str] = (),
    names: Collection[str] = (),
) -> str:
    """Return a table, with the definition of each head that the glossary knows.

    Args:
        heads: of the columns.
        rows: of cells; one that ends with ⚠ stands out.
        kind: what the cells hold: a name and ``numbers``, which keep their lines; ``pairs`` of names, numbers and
            words at the end; ``words``, sentences in the first cell, with heads that may be long.
        quiet: rows whose first cell is one of these, which the glossary may define, are quieter.
        names: heads that are names of strategies, whatever the glossary knows under them.
    """
    head = "".join(f"<th>{text(each) if each in names else explained(each)}</th>" for each in heads)
    body = "".join(_row(row, row[0] in quiet) for row in rows)
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    return f'<div class="{f"wide {kind}".strip()}" tabindex="0" role="region" aria-label="Table">{table}</div>'


def _row(row: Sequence[str], quiet: bool) -> str:
    cells = (explained(cell) if quiet and not place else text(cell) for place, cell in enumerate(row))
    looks = (_look(quiet, cell) for cell in row)
    return f"<tr>{''.join(f'<td{look}>{cell}</td>' for look, cell in zip(looks, cells, strict=True))}</tr>"


def _look(quiet: bool, cell: str) -> str:
    return ' class="flag"' if cell.endswith("⚠") else ' class="base"' if quiet else ""


def bullets(texts: Sequence[str]) -> str:
    """Return a list of remarks; empty where there is none."""
    return f"<ul>{''.join(f'<li>{text(each)}</li>' for each in texts)}</ul>" if texts else ""


def defined(entries: Mapping[str, str], facts: bool = False) -> str:
    """Return a definition list, or with ``facts`` a list of properties in two columns."""
    parts = "".join(f"<dt>{text(name)}</dt><dd>{text(words)}</dd>" for name, words in entries.items())
    return f'<dl class="facts">{parts}</dl>' if facts else f"<dl>{parts}</dl>"


# --- figures -------------------------------------------------------------------------------------------------------


def chart(
    entries: Sequence[Entry],
    mark: float | None,
    title: str,
    shown: Callable[[float], str],
    quiet: Collection[str] = (),
) -> str:
    """Return the dots with their intervals on an axis that holds 0 and the mark, a dashed line.

    Args:
        entries: a row each.
        mark: where the line is; ``None`` for none.
        title: the text alternative.
        shown: a value in words.
        quiet: names of rows that are quieter.
    """
    ends = [end for _, value, interval in entries for end in (value, *(interval or ())) if end is not None]
    axis = ChartAxis.of(min(ends, default=0.0), max(ends, default=1.0), mark or 0.0)
    line = f'<i class="mark" style="left:{axis.at(mark)}"></i>' if mark is not None else ""
    rows = [_one(entry, shown, axis, line, entry[0] in quiet) for entry in entries]
    return framed(rows, axis, title, shown)


def framed(rows: Sequence[str], axis: ChartAxis, title: str, shown: Callable[[float], str]) -> str:
    """Return the rows of a figure with their axis; see :func:`row`."""
    ticks = "".join(f'<b style="left:{axis.at(value)}">{_tick(shown(value))}</b>' for value in axis.ticks)
    return (
        f'<div class="chart" role="img" aria-label="{text(title)}" style="--step:{axis.share:.4f}%">{"".join(rows)}'
        f'<div class="row axis"><span></span><div class="track">{ticks}</div></div></div>'
    )


def row(name: str, said: str, marks: str, quiet: bool = False) -> str:
    """Return a row of a figure: its name, its tooltip, and its marks as HTML."""
    return (
        f'<div class="row{" base" * quiet}" title="{text(name)}: {text(said)}"><span>{text(name)}</span>'
        f'<div class="track">{marks}</div></div>'
    )


def _one(entry: Entry, shown: Callable[[float], str], axis: ChartAxis, line: str, quiet: bool) -> str:
    label, value, interval = entry
    said, marks = NOTHING, ""
    if value is not None:
        said = shown(value) + (f" [{', '.join(shown(end) for end in interval)}]" if interval else "")
        marks = axis.bar(*interval) if interval else ""
        edge = max((value, *(interval or ())))
        marks += f'<i class="dot" style="left:{axis.at(value)}"></i><b style="left:{axis.at(edge)}">{shown(value)}</b>'
    return row(label, said, line + marks, quiet)


def _tick(shown: str) -> str:
    return "0" if shown == "+0.0" else shown.removesuffix(".0")


class ChartAxis:
    """An axis of about ten steps.

    Args:
        step: between two ticks.
        low, high: the ends, in steps.
    """

    def __init__(self, step: float, low: int, high: int) -> None:
        self._step, self._low, self._high = step, low, high

    @classmethod
    def of(cls, smallest: float, largest: float, mark: float = 0.0) -> ChartAxis:
        """Return one that holds all of these and 0, in steps of 1, 2 or 5 times a power of ten."""
        smallest, largest = min(smallest, mark, 0.0), max(largest, mark, 0.0)
        span = (largest - smallest) or 1.0
        steps = (base * 10.0**power for power in range(-3, 9) for base in (1, 2, 5))
        step = next(step for step in steps if step * 10 >= span)
        low = int(smallest // step)
        return cls(step, low, max(int(-(-largest // step)), low + 1))

    @property
    def share(self) -> float:
        """A step, in percent of the whole."""
        return 100 / (self._high - self._low)

    @property
    def ticks(self) -> list[float]:
        """The values of the ticks."""
        return [self._step * number for number in range(self._low, self._high + 1)]

    def at(self, value: float) -> str:
        """Return the place of a value, in CSS."""
        return f"{100 * (value / self._step - self._low) / (self._high - self._low):.2f}%"

    def bar(self, start: float, end: float) -> str:
        """Return a bar between two values, as HTML."""
        return f'<i class="bar" style="left:{self.at(start)};right:calc(100% - {self.at(end)})"></i>'


# --- the file --------------------------------------------------------------------------------------------------------


def check_place(path: Path) -> None:
    """Check early that a file can be written to a path.

    Raises:
        ChunkscopeError: its folder does not exist, or it is a folder.
    """
    if not path.parent.is_dir() or path.is_dir():
        raise ChunkscopeError(f"{path} cannot be written.", "Choose a file in an existing folder.")


def write(path: Path, content: str) -> None:
    """Write a file.

    Raises:
        ChunkscopeError: it cannot be written.
    """
    files.write(path, content.encode("utf-8", "replace"), folders=False)
