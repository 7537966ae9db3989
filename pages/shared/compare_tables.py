"""What the lanes of a comparison have in common and what came of each, in tables and figures."""

from __future__ import annotations

import streamlit as st

from chunking import tokens
from chunking.agreement import METRICS, get_metric
from chunking.comparison import Outcome, Sizes
from chunking.report import GOLD, Comparison
from chunking.size_figure import sizes_figure
from chunking.workspace import Workspace
from pages.shared import controls, markup
from pages.shared.components.figure import figure


def agreement(workspace: Workspace, compared: Comparison) -> None:
    left, middle, right = st.columns([3, 3, 5], vertical_alignment="bottom")
    with left:
        name = st.selectbox(
            "Measure",
            list(METRICS),
            **controls.bound("measure", "How far two lanes agree on their boundaries."),
        )
    metric = get_metric(name)
    tolerance = 0
    if metric.takes_tolerance:
        with middle:
            tolerance = st.slider("Tolerance, in sentences", 0, 5, 0, **controls.bound("tolerance", _TOLERANCE))
    labels, matrix = compared.matrix(name, tolerance)
    with right:
        markup.show(f'<span class="cs-quiet">{markup.escape(metric.help)} {_CHANCE}</span>')
    titles = {entry.label: f"{number} · {entry.title}" for number, entry in enumerate(compared.entries, 1)}
    names = [markup.escape(titles.get(label, "Gold")) for label in labels]
    heads = "".join(f"<th>{_short(label, compared)}</th>" for label in labels)
    rows = []
    for row, title in enumerate(names):
        cells = "".join(
            '<td class="cs-same"></td>'
            if row == column
            else _cell(
                matrix.values[row, column],
                matrix.chance[row, column],
                (matrix.chance_low[row, column], matrix.chance_high[row, column]),
                matrix.corrected[row, column],
            )
            for column in range(len(names))
        )
        rows.append(f"<tr><th>{title}</th>{cells}</tr>")
    order = (
        "" if metric.symmetric else '<p class="cs-quiet">Rows are the reference, columns what is compared with it.</p>'
    )
    markup.show(f'<table class="cs-matrix"><tr><th></th>{heads}</tr>{"".join(rows)}</table>{order}')


_TOLERANCE = "How many gaps two boundaries may lie apart and still be one."
_CHANCE = (
    "Small: what random cuts of the same sizes get, mean and the range of 95 % of them. "
    "The colour is agreement beyond chance: none at 0, full at 1."
)


def _short(label: str, compared: Comparison) -> str:
    if label == GOLD:
        return "Gold"
    return str([entry.label for entry in compared.entries].index(label) + 1)


def _cell(value: float, chance: float, between: tuple[float, float], beyond: float) -> str:
    share = max(0.0, min(1.0, beyond))
    by_chance = f"chance {chance:.3f}, 95 % between {between[0]:.3f} and {between[1]:.3f}"
    title = f"{value:.3f}; {by_chance}; beyond chance {beyond:.2f}"
    return f'<td style="--cs-share:{100 * share:.0f}%" title="{title}"><b>{value:.2f}</b><span>{chance:.2f}</span></td>'


def outcome(workspace: Workspace, compared: Comparison) -> None:
    counters = {name: tokens.get_tokenizer(name) for name in (workspace.tools.tokenizer, *tokens.tokenizer_names())}
    outcomes = compared.outcomes(counters)
    body = "".join(
        f'<tr><th class="cs-lane">{number} · {markup.escape(entry.title)}</th>'
        f"{_outcome_cells(outcome, workspace.tools.tokenizer)}</tr>"
        for number, (entry, outcome) in enumerate(zip(compared.entries, outcomes, strict=True), 1)
    )
    others = "".join(f"<th>{markup.escape(name)}</th>" for name in counters)
    markup.show(
        f'<div class="cs-wide"><table class="cs-outcome"><tr><th class="cs-lane" rowspan="2">Lane</th>'
        f'<th rowspan="2">chunks</th>'
        f'<th colspan="3">tokens a chunk</th><th colspan="2">limits broken</th><th colspan="4">overlap reached</th>'
        f'<th colspan="2">characters</th><th colspan="{len(counters)}">tokens in the index (× the document)</th></tr>'
        f"<tr><th>min</th><th>median</th><th>max</th><th>over</th><th>under</th><th>asked</th><th>in full</th>"
        f"<th>in part</th><th>none</th><th>lost</th><th>doubled</th>{others}</tr>{body}</table></div>"
        f'<p class="cs-quiet">{_OUTCOME}</p>'
    )


_OUTCOME = (
    "Tokens a chunk: its own text. Limits: chunks, with their overlap, over the maximum or under the minimum that was "
    "asked for. Overlap: at how many boundaries it was reached, as far as whole words, sentences or lines allow. "
    "Lost: characters, white space aside, in no chunk. Doubled: characters that belong to more than one chunk, "
    "overlap aside."
)


def _outcome_cells(outcome: Outcome, tokenizer: str) -> str:
    own: Sizes = outcome.tokens[tokenizer].own
    overlap = outcome.overlap
    asked = f"{overlap.asked} {overlap.unit}" if overlap.asked else "–"
    boundaries = len(overlap.reached)

    def share(number: int) -> str:
        return f"{number:,} <small>{100 * number / boundaries:.0f} %</small>" if overlap.asked and boundaries else "–"

    def flagged(number: int, applies: bool = True) -> str:
        return f'<td class="cs-flag">{number:,}</td>' if number else f"<td>{'0' if applies else '–'}</td>"

    cells = [f"<td>{outcome.chunks:,}</td>"]
    cells += [f"<td>{value:,.0f}</td>" for value in (own.minimum, own.median, own.maximum)]
    cells += [flagged(outcome.over_maximum, bool(outcome.asked.maximum))]
    cells += [flagged(outcome.under_minimum, bool(outcome.asked.minimum))]
    cells += [f"<td>{asked}</td>"]
    cells += [f"<td>{share(number)}</td>" for number in (overlap.in_full, overlap.in_part, overlap.not_at_all)]
    cells += [flagged(outcome.lost_text), flagged(outcome.doubled)]
    cells += [
        f"<td>{counted.whole.total:,} <small>× {counted.ratio:.2f}</small></td>" for counted in outcome.tokens.values()
    ]
    return "".join(cells)


def sizes(workspace: Workspace, compared: Comparison) -> None:
    figure("_sizes", sizes_figure(compared, workspace.tools.tokenizer))
