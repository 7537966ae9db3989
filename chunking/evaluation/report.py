"""An evaluation as one HTML file that needs nothing else: no script, no request, figures of HTML and CSS alone.

Its tables and figures stand alone as well, for a page: :func:`results`, :func:`figure` and so on, with :func:`style`.

Names, ids and reasons may come from anywhere: they are escaped, and the file forbids itself to load anything.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from html import escape
from typing import Any

from chunking import embedding, tokens
from chunking.evaluation.segmentation import BASELINES, MEASURES, Options
from chunking.evaluation.summary import RATIO, no_better_than_none
from chunking.evaluation.table import (
    NOTHING,
    against,
    against_cells,
    cells,
    columns,
    group_cells,
    headline,
    pair_cells,
    percent,
    ranked,
)
from chunking.plots import PALETTES
from chunking.strategies import Setting

DEFINITIONS: dict[str, str] = {
    "f1": "2 · hits ÷ (cuts + true boundaries); a hit is a cut at a true boundary (van Rijsbergen 1979).",
    "f1_tolerance": "The same; a cut may lie as many gaps away as the tolerance says, matched one to one.",
    "boundary_similarity": "Fournier's B (2013), similar to F1, where a cut one gap away counts half.",
    "pk": "Share of windows, half a mean true segment long, in which only one of strategy and truth has a boundary "
    "(Beeferman, Berger and Lafferty 1999). An error: less is better.",
    "window_diff": "Share of such windows in which the numbers of boundaries differ (Pevzner and Hearst 2002). An "
    "error: less is better.",
    RATIO: "All cuts ÷ all true boundaries.",
    "none, even, random": "No boundary at all; as many as are true, evenly spaced; as many as are true, anywhere "
    "(expectation over seeded draws).",
    "intervals": "95 %, percentile bootstrap over documents. Pairs: the same of the difference document by document, "
    "and p of a two-sided sign-flip permutation test, not corrected for the number of tests.",
}
"""What the numbers are."""

LEGEND = (
    "In %: mean over documents and its 95 % interval. Pk and WindowDiff (WD) are errors, less is better; (none) beside "
    "them is what they are of no boundary at all. B is boundary similarity, s seconds without embedding."
)
NO_BETTER = "⚠: Pk is not better than that of no boundary at all."

TITLES = {name: measure.title for name, measure in MEASURES.items()} | {RATIO: "Cuts ÷ true boundaries"}
"""What there is a figure of, by name."""

_REFERENCE = {name: "none" if measure.error else "random" for name, measure in MEASURES.items()}
"""The baseline that the line through each figure stands for."""

MARKS = {name: f"what {row} gets" for name, row in _REFERENCE.items()} | {RATIO: "as many as are true"}
"""What the line through each figure is, in words."""

_PAGE = """
body { font: 15px/1.5 system-ui, sans-serif; background: var(--surface); margin: 2rem auto; max-width: 72rem;
  padding: 0 1rem; }
h1 { font-size: 1.4rem; } h2 { font-size: 1.1rem; margin-top: 2.2rem; } h3 { font-size: 1rem; margin-bottom: 0.2rem; }
.figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(28rem, 100%), 1fr)); gap: 0 2rem; }
pre { white-space: pre-wrap; border: 1px solid var(--grid); border-radius: 4px; padding: 0.6rem; font-size: 0.85rem; }
"""

_CONTENT = """
{ color: var(--text); overflow-wrap: anywhere; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: 0.87rem; width: auto; margin: 0; }
.wide { overflow-x: auto; overflow-wrap: normal; }
.numbers td + td { white-space: pre; }
th, td { text-align: left; padding: 0.2rem 0.9rem 0.2rem 0; border-top: 1px solid var(--grid); vertical-align: top; }
th { color: var(--muted); font-weight: 500; white-space: nowrap; }
td.base { color: var(--muted); }
td.flag { color: var(--structural); }
p.legend { color: var(--muted); max-width: 60rem; }
p, li, dt, dd { font-size: inherit; }
dt { font-weight: 600; }
dd { margin: 0 0 0.4rem; color: var(--muted); max-width: 60rem; }
.chart { max-width: 54rem; font-size: 0.82rem; }
.row { display: flex; height: 1.6rem; align-items: center; }
.row span { flex: 0 1 13rem; min-width: 6rem; overflow: hidden; text-overflow: ellipsis; white-space: nowrap;
  padding-right: 0.8rem; }
.track { flex: 1; position: relative; align-self: stretch; margin-right: 5rem; border-right: 1px solid var(--grid);
  background: repeating-linear-gradient(to right, var(--grid) 0 1px, transparent 1px var(--step)); }
.track i { position: absolute; top: 0; bottom: 0; }
.track i.bar { top: calc(50% - 1px); bottom: auto; height: 2px; background: var(--semantic); }
.track i.dot { top: calc(50% - 0.3rem); bottom: auto; width: 0.6rem; height: 0.6rem; margin-left: -0.3rem;
  border-radius: 50%; background: var(--semantic); }
.track i.mark { border-left: 2px dashed var(--structural); margin-left: -1px; }
.track b { position: absolute; top: 50%; transform: translateY(-50%); margin-left: 0.6rem; font-weight: 400;
  white-space: nowrap; color: var(--muted); font-size: 0.78rem; background: var(--surface); padding: 0 0.15rem; }
.axis .track { background: none; border: none; }
.axis .track b { margin: 0; transform: translate(-50%, -50%); }
.base span { color: var(--muted); }
.base i.bar, .base i.dot { background: var(--muted); }
"""


def style(scope: str) -> str:
    """The style sheet of tables and figures inside the elements that a CSS selector names.

    They use the colours of :mod:`chunking.plots`, each in a property of its role's name (``--text``).
    """
    rules = []
    for names, body in _RULE.findall(_CONTENT):
        selectors = ", ".join(f"{scope} {name.strip()}".strip() for name in names.split(","))
        rules.append(f"{selectors} {{{body}}}")
    return "\n".join(rules)


_RULE = re.compile(r"([^{}]*)\{([^{}]*)\}")


def html(found: dict[str, Any], command: str) -> str:
    """The report of what :func:`chunking.evaluation.summary.as_dict` gives.

    Args:
        found: the evaluation.
        command: the line that made it, shown as it is.
    """
    figures = "".join(
        f'<div><h3>{_text(title)}</h3><p class="legend">Dashed: {MARKS[name]}.</p>{figure(found, name)}</div>'
        for name, title in TITLES.items()
    )
    best = next(name for name in ranked(found) if name not in BASELINES)
    sections = [
        ("Results", results(found)),
        ("Notes", bullets(found["notes"])),
        ("Figures", "<p>Dot: mean; bar: 95 % interval.</p>" + f'<div class="figures">{figures}</div>'),
        (f"Boundary F1 less that of {best}", "<p>Points.</p>" + difference_figure(found, "f1", best)),
        ("Pairs", "<p>Differences in points.</p>" + _pairs(found)),
        ("By group: F1 / Pk", groups(found)),
        ("Failures", failures(found)),
        ("Documents that were put right or left out", lines(found["data"])),
        ("How it was made", f"<pre>{_text(command)}</pre><p>{_text(method(found))}</p>"),
        ("What the numbers are", definitions()),
    ]
    body = "".join(f"<section><h2>{_text(title)}</h2>{content}</section>" for title, content in sections if content)
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
        f"<title>Segmentation: {_text(found['data']['name'])}</title><style>{_colors()}{_PAGE}{style('body')}</style>"
        f"</head><body><h1>Segmentation: {_text(found['data']['name'])}</h1><p>{_text(headline(found))}.</p>{body}"
        "</body></html>\n"
    )


def command_line(path: str, settings: Mapping[str, Setting], options: Options) -> str:
    """The command that evaluates the same from the file at ``path``."""
    path = f"./{path}" if path.startswith("-") else path
    words = ["python", "-m", "chunking", "evaluate", "segmentation", path, "--strategies", ",".join(settings)]
    asked = {
        "granularity": (options.granularity, Options.granularity),
        "tolerance": (str(options.tolerance), str(Options.tolerance)),
        "encoder": (options.tools.encoder, embedding.DEFAULT_ENCODER),
        "tokenizer": (options.tools.tokenizer, tokens.DEFAULT_TOKENIZER),
        "language": (options.language, None),
    }
    for name, (value, usual) in asked.items():
        if value is not None and value != usual:
            words += [f"--{name}", value]
    return shlex.join(words)


def _text(value: object) -> str:
    """Any text, as HTML; what cannot be printed is shown as U+FFFD."""
    return escape("".join(each if each.isprintable() or each == "\n" else "\ufffd" for each in str(value)))


def _colors() -> str:
    themes = {
        name: "".join(f"--{role}:{value};" for role, value in asdict(PALETTES[name]).items()) for name in PALETTES
    }
    dark = f"@media(prefers-color-scheme:dark){{:root{{{themes['dark']}}}}}"
    return f":root{{color-scheme:light dark;{themes['light']}}}{dark}"


# --- tables --------------------------------------------------------------------------------------------------------


def results(found: dict[str, Any]) -> str:
    """The main table with its legend; where Pk is no better than without any boundary, it says so."""
    heads, rows = columns(found), cells(found)
    weak = no_better_than_none(found)
    pk = heads.index("Pk")
    rows = [[*row[:pk], f"{row[pk]} ⚠", *row[pk + 1 :]] if row[0] in weak else row for row in rows]
    legend = f"{LEGEND} {NO_BETTER}" if weak else LEGEND
    return f'{tabulated(heads, rows, numbers=True)}<p class="legend">{_text(legend)}</p>'


def differences(found: dict[str, Any], other: str) -> str:
    """What each row has more than ``other``, measure by measure, in points."""
    return tabulated(["strategy", *_MEASURE_TITLES], _broken(against_cells(found, other)), numbers=True)


def _pairs(found: dict[str, Any]) -> str:
    return tabulated(["strategy", "less", *_MEASURE_TITLES], _broken(pair_cells(found, baselines=True)), numbers=True)


_MEASURE_TITLES = [measure.title for measure in MEASURES.values()]


def _broken(rows: Sequence[Sequence[str]]) -> list[list[str]]:
    """Cells with their p-value on a line of its own."""
    return [[cell.replace(" p ", "\np ") for cell in row] for row in rows]


def tabulated(heads: Sequence[str], rows: Sequence[Sequence[str]], numbers: bool = False) -> str:
    """A table; rows of baselines are quieter, and cells of numbers keep their lines."""
    head = "".join(f"<th>{_text(each)}</th>" for each in heads)
    body = "".join(
        f"<tr>{''.join(f'<td{_look(row[0], cell)}>{_text(cell)}</td>' for cell in row)}</tr>" for row in rows
    )
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    return f'<div class="wide{" numbers" * numbers}">{table}</div>'


def _look(name: str, cell: str) -> str:
    return ' class="flag"' if cell.endswith("⚠") else _quiet(name)


def _quiet(name: str) -> str:
    return ' class="base"' if name in BASELINES else ""


def bullets(texts: Sequence[str]) -> str:
    """A list of remarks; empty where there is none."""
    return f"<ul>{''.join(f'<li>{_text(each)}</li>' for each in texts)}</ul>" if texts else ""


def groups(found: dict[str, Any]) -> str:
    """F1 and Pk by group; empty where there is no group."""
    return tabulated(["strategy", *found["groups"]], group_cells(found)) if found["groups"] else ""


def failures(found: dict[str, Any]) -> str:
    """Which strategy could not do which document, and why; empty where all could."""
    rows = [
        [name, each["id"], _line(each), each["what"]]
        for name, row in found["strategies"].items()
        for each in row["failed"]
    ]
    return tabulated(["strategy", "document", "line", "why"], rows) if rows else ""


def lines(data: dict[str, Any]) -> str:
    """What of the data was put right or left out; empty where nothing was."""
    rows = [
        [_line(each), each["id"], what, each["what"]]
        for key, what in (("left_out", "left out"), ("repaired", "put right"))
        for each in data[key]
    ]
    return tabulated(["line", "document", "", "what"], rows) if rows else ""


def _line(remark: Mapping[str, Any]) -> str:
    return f"{remark['line']}" if remark["line"] else NOTHING


def method(found: dict[str, Any]) -> str:
    """How the intervals were made, in words."""
    known = found["method"]
    return (
        f"{known['resamples']:,} resamples, {known['permutations']:,} sign flips (all of them where there are no "
        f"more), up to {known['random_draws']:,} random segmentations a document, seed {known['seed']}. Embedding "
        f"took {found['embedding_seconds']:.1f} s and is in no strategy's seconds."
    )


def definitions() -> str:
    """What the numbers are."""
    entries = "".join(
        f"<dt>{_text(TITLES.get(name, name))}</dt><dd>{_text(words)}</dd>" for name, words in DEFINITIONS.items()
    )
    return f"<dl>{entries}</dl>"


# --- figures -------------------------------------------------------------------------------------------------------

Entry = tuple[str, float | None, Sequence[float] | None]
"""A row: its name, its mean and the ends of its interval, where it has them."""


def figure(found: dict[str, Any], name: str) -> str:
    """A measure of every row, a dot with its interval each.

    Args:
        found: the evaluation.
        name: a measure, or ``boundaries_per_gold``.
    """
    rows = found["strategies"]
    entries = [(row, rows[row][name], rows[row][f"{name}_interval"]) for row in ranked(found)]
    mark = rows[_REFERENCE[name]][name] if name in _REFERENCE else 1.0
    shown = (lambda value: f"{value:.3g}") if name == RATIO else percent
    return chart(entries, mark, f"{TITLES[name]} of {len(rows)} rows", shown)


def difference_figure(found: dict[str, Any], name: str, other: str) -> str:
    """What every row has more of a measure than ``other``, a dot with its interval each."""
    tests = against(found, other)
    entries = [(row, test[name]["difference"], test[name]["interval"]) for row, test in tests.items()]
    title = f"{TITLES[name]} of {len(entries)} rows less that of {other}"
    return chart(entries, 0.0, title, lambda value: percent(value, sign="+"))


def _tick(shown: str) -> str:
    return "0" if shown == "+0.0" else shown.removesuffix(".0")


def chart(entries: Sequence[Entry], mark: float | None, title: str, shown: Callable[[float], str]) -> str:
    """Dots with their intervals on an axis that holds 0 and the mark, a dashed line."""
    ends = [end for _, value, interval in entries for end in (value, *(interval or ())) if end is not None]
    step, low, high = _axis(min(ends, default=0.0), max(ends, default=1.0), mark or 0.0)

    def at(value: float) -> str:
        return f"{100 * (value / step - low) / (high - low):.2f}%"

    line = f'<i class="mark" style="left:{at(mark)}"></i>' if mark is not None else ""
    rows = "".join(_one(entry, shown, at, line) for entry in entries)
    ticks = "".join(
        f'<b style="left:{at(step * number)}">{_tick(shown(step * number))}</b>' for number in range(low, high + 1)
    )
    return (
        f'<div class="chart" role="img" aria-label="{_text(title)}" style="--step:{100 / (high - low):.4f}%">{rows}'
        f'<div class="row axis"><span></span><div class="track">{ticks}</div></div></div>'
    )


def _one(entry: Entry, shown: Callable[[float], str], at: Callable[[float], str], line: str) -> str:
    label, value, interval = entry
    said, marks = NOTHING, ""
    if value is not None:
        said = shown(value) + (f" [{', '.join(shown(end) for end in interval)}]" if interval else "")
        if interval:
            marks = f'<i class="bar" style="left:{at(interval[0])};right:calc(100% - {at(interval[1])})"></i>'
        edge = max((value, *(interval or ())))
        marks += f'<i class="dot" style="left:{at(value)}"></i><b style="left:{at(edge)}">{shown(value)}</b>'
    base = " base" * (label in BASELINES)
    return (
        f'<div class="row{base}" title="{_text(label)}: {said}"><span>{_text(label)}</span>'
        f'<div class="track">{line}{marks}</div></div>'
    )


def _axis(smallest: float, largest: float, mark: float) -> tuple[float, int, int]:
    """A step of 1, 2 or 5 times a power of ten, and the ends, in steps, of an axis of about ten with 0 and the mark."""
    smallest, largest = min(smallest, mark, 0.0), max(largest, mark, 0.0)
    span = largest - smallest
    step = next(base * 10.0**power for power in range(-3, 9) for base in (1, 2, 5) if base * 10.0**power * 10 >= span)
    return step, int(smallest // step), max(int(-(-largest // step)), int(smallest // step) + 1)
