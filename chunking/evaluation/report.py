"""An evaluation as one HTML file that needs nothing else: no script, no request, figures as inline SVG.

Names, ids and reasons may come from anywhere: they are escaped, and the file forbids itself to load anything.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from html import escape
from typing import Any

from chunking.evaluation.segmentation import BASELINES, MEASURES
from chunking.evaluation.summary import RATIO
from chunking.evaluation.table import cells, columns, group_cells, headline, pair_cells, ranked
from chunking.plots import PALETTES

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

_LEGEND = (
    "In %: mean over documents and its 95 % interval. Pk and WindowDiff (WD) are errors, less is better; (none) beside "
    "them is what they are of no boundary at all. B is boundary similarity, s seconds without embedding."
)

_TITLES = {name: measure.title for name, measure in MEASURES.items()} | {RATIO: "Cuts ÷ true boundaries"}

_REFERENCE = {name: "none" if measure.error else "random" for name, measure in MEASURES.items()}
"""The baseline that the line through each figure stands for."""

_WIDTH, _LEFT, _RIGHT, _TOP, _ROW, _FOOT = 860, 300, 70, 8, 24, 30
_LABEL = 42
"""Characters of a name that have room beside the figure."""

_CSS = """
body { font: 15px/1.5 system-ui, sans-serif; color: var(--text); background: var(--surface);
  margin: 2rem auto; max-width: 72rem; padding: 0 1rem; overflow-wrap: anywhere; }
h1 { font-size: 1.4rem; } h2 { font-size: 1.1rem; margin-top: 2.2rem; } h3 { font-size: 1rem; margin-bottom: 0.2rem; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: 0.87rem; }
.wide { overflow-x: auto; overflow-wrap: normal; } .numbers td + td { white-space: pre; }
th, td { text-align: left; padding: 0.2rem 0.9rem 0.2rem 0; border-top: 1px solid var(--grid); vertical-align: top; }
th { color: var(--muted); font-weight: 500; } td.base, .base { color: var(--muted); }
pre { white-space: pre-wrap; border: 1px solid var(--grid); border-radius: 4px; padding: 0.6rem; font-size: 0.85rem; }
dt { font-weight: 600; } dd { margin: 0 0 0.4rem; color: var(--muted); }
svg { width: 100%; max-width: 54rem; height: auto; font-size: 12px; }
svg text { fill: var(--text); } svg .quiet { fill: var(--muted); } svg .line { stroke: var(--grid); }
svg .bar { stroke: var(--semantic); stroke-width: 2; } svg .dot { fill: var(--semantic); }
svg .base .bar { stroke: var(--muted); } svg .base .dot { fill: var(--muted); }
svg .mark { stroke: var(--structural); stroke-dasharray: 4 3; }
"""


def html(found: dict[str, Any], command: str) -> str:
    """The report of what :func:`chunking.evaluation.summary.as_dict` gives.

    Args:
        found: the evaluation.
        command: the line that made it, shown as it is.
    """
    figures = "".join(f"<h3>{_text(title)}</h3>{figure(found, name)}" for name, title in _TITLES.items())
    measures = [measure.title for measure in MEASURES.values()]
    pairs = [[cell.replace(" p ", "\np ") for cell in row] for row in pair_cells(found, baselines=True)]
    sections = [
        ("Results", f"<p>{_text(_LEGEND)}</p>{_table(columns(found), cells(found), numbers=True)}"),
        ("Notes", _list(found["notes"])),
        ("Figures", "<p>Dot: mean; bar: 95 % interval; dashed: what the baseline gets.</p>" + figures),
        ("Pairs", "<p>Differences in points.</p>" + _table(["strategy", "less", *measures], pairs, numbers=True)),
        ("By group: F1 / Pk", _table(["strategy", *found["groups"]], group_cells(found)) if found["groups"] else ""),
        ("Failures", _failures(found)),
        ("Lines that were put right or left out", _lines(found["data"])),
        ("How it was made", f"<pre>{_text(command)}</pre>{_method(found)}"),
        ("What the numbers are", _definitions()),
    ]
    body = "".join(f"<section><h2>{_text(title)}</h2>{content}</section>" for title, content in sections if content)
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
        f"<title>Segmentation: {_text(found['data']['name'])}</title><style>{_colors()}{_CSS}</style></head><body>"
        f"<h1>Segmentation: {_text(found['data']['name'])}</h1><p>{_text(headline(found))}.</p>{body}</body></html>\n"
    )


def _text(value: object) -> str:
    """Any text, as HTML; what cannot be printed is shown as U+FFFD."""
    return escape("".join(each if each.isprintable() or each == "\n" else "\ufffd" for each in str(value)))


def _colors() -> str:
    themes = {
        name: "".join(f"--{role}:{value};" for role, value in asdict(PALETTES[name]).items()) for name in PALETTES
    }
    dark = f"@media(prefers-color-scheme:dark){{:root{{{themes['dark']}}}}}"
    return f":root{{color-scheme:light dark;{themes['light']}}}{dark}"


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]], numbers: bool = False) -> str:
    """A table; rows of baselines are quieter, and cells of numbers keep their lines."""
    head = "".join(f"<th>{_text(each)}</th>" for each in heads)
    body = "".join(f"<tr>{''.join(f'<td{_quiet(row[0])}>{_text(cell)}</td>' for cell in row)}</tr>" for row in rows)
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    return f'<div class="wide{" numbers" * numbers}">{table}</div>'


def _quiet(name: str) -> str:
    return ' class="base"' if name in BASELINES else ""


def _list(lines: Sequence[str]) -> str:
    return f"<ul>{''.join(f'<li>{_text(line)}</li>' for line in lines)}</ul>" if lines else ""


def _failures(found: dict[str, Any]) -> str:
    rows = [
        [name, each["id"], str(each["line"]), each["what"]]
        for name, row in found["strategies"].items()
        for each in row["failed"]
    ]
    return _table(["strategy", "document", "line", "why"], rows) if rows else ""


def _lines(data: dict[str, Any]) -> str:
    rows = [
        [str(each["line"]), each["id"], what, each["what"]]
        for key, what in (("left_out", "left out"), ("repaired", "put right"))
        for each in data[key]
    ]
    return _table(["line", "document", "", "what"], rows) if rows else ""


def _method(found: dict[str, Any]) -> str:
    method = found["method"]
    return (
        f"<p>{method['resamples']:,} resamples, {method['permutations']:,} sign flips (all of them where there are no "
        f"more), up to {method['random_draws']:,} random segmentations a document, seed {method['seed']}. Embedding "
        f"took {found['embedding_seconds']:.1f} s and is in no strategy's seconds.</p>"
    )


def _definitions() -> str:
    entries = "".join(
        f"<dt>{_text(_TITLES.get(name, name))}</dt><dd>{_text(words)}</dd>" for name, words in DEFINITIONS.items()
    )
    return f"<dl>{entries}</dl>"


# --- figures -------------------------------------------------------------------------------------------------------


def figure(found: dict[str, Any], name: str) -> str:
    """A measure of every row, a dot with its interval each, as SVG.

    Args:
        found: the evaluation.
        name: a measure, or ``boundaries_per_gold``.
    """
    rows = found["strategies"]
    ends = [end for row in rows.values() for end in (*(row[f"{name}_interval"] or ()), row[name]) if end is not None]
    step, top = _scale(max(ends, default=1.0))
    height = _TOP + _ROW * len(rows) + _FOOT
    bottom = height - _FOOT

    def x(value: float) -> float:
        return _LEFT + (_WIDTH - _LEFT - _RIGHT) * value / top

    parts = [
        f'<line class="line" x1="{x(tick):.1f}" x2="{x(tick):.1f}" y1="{_TOP}" y2="{bottom}"/>'
        f'<text class="quiet" x="{x(tick):.1f}" y="{bottom + 16}" text-anchor="middle">{_shown(name, tick)}</text>'
        for tick in (step * number for number in range(round(top / step) + 1))
    ]
    reference = rows[_REFERENCE[name]][name] if name in _REFERENCE else 1.0
    if reference is not None:
        at = f"{x(reference):.1f}"
        parts.append(f'<line class="mark" x1="{at}" x2="{at}" y1="{_TOP}" y2="{bottom}"/>')
    for place, row in enumerate(ranked(found)):
        y = _TOP + _ROW * place + _ROW / 2
        parts.append(f"<g{_quiet(row)}>{_one(row, rows[row], name, x, y)}</g>")
    title = _text(f"{_TITLES[name]} of {len(rows)} rows")
    return f'<svg viewBox="0 0 {_WIDTH} {height}" role="img" aria-label="{title}">{"".join(parts)}</svg>'


def _one(label: str, row: dict[str, Any], name: str, x: Any, y: float) -> str:
    short = label if len(label) <= _LABEL else label[: _LABEL - 1] + "…"
    value, interval = row[name], row[f"{name}_interval"]
    words = f'<text x="{_LEFT - 12}" y="{y + 4:.1f}" text-anchor="end">{_text(short)}'
    if value is None:
        return f"<title>{_text(label)}: –</title>{words}</text>"
    said = _shown(name, value) + (f" [{', '.join(_shown(name, end) for end in interval)}]" if interval else "")
    bar = ""
    if interval:
        bar = f'<line class="bar" x1="{x(interval[0]):.1f}" x2="{x(interval[1]):.1f}" y1="{y}" y2="{y}"/>'
    edge = max((value, *(interval or ())))
    return (
        f"<title>{_text(label)}: {said}</title>{words}</text>{bar}"
        f'<circle class="dot" cx="{x(value):.1f}" cy="{y}" r="4.5"/>'
        f'<text class="quiet" x="{x(edge) + 9:.1f}" y="{y + 4:.1f}">{_shown(name, value)}</text>'
    )


def _shown(name: str, value: float) -> str:
    return f"{value:.3g}" if name == RATIO else f"{100 * value:.1f}".removesuffix(".0")


def _scale(largest: float) -> tuple[float, float]:
    """A step of 1, 2 or 5 times a power of ten, and the end of an axis of ten steps at most."""
    step = next(
        base * 10.0**power for power in range(-3, 9) for base in (1, 2, 5) if base * 10.0**power * 10 >= largest
    )
    return step, step * max(1, -(-largest // step))
