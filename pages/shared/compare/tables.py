"""Tables and figures below the lanes: agreement, requested vs. actual sizes and overlap, lost text, sizes."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import streamlit as st

from chunking import glossary, tokens
from chunking.comparison import OverlapOutcome, SizeOutcome, SizeSummary, coverage, first_words
from chunking.comparison.agreement import METRICS, Metric, get_metric
from chunking.comparison.report import REFERENCE, Comparison, ComparisonEntry
from chunking.report.html import explained
from chunking.report.lanes import REFERENCE_TITLE, sizes_figure
from chunking.workspace import DocumentAnalysis
from pages.shared.compare import lanes
from pages.shared.components.figure import figure
from pages.shared.components.glossary import columns as table_columns
from pages.shared.components.glossary import term
from pages.shared.documents import results
from pages.shared.frame import frame, markup
from pages.shared.settings import controls


def agreement(workspace: DocumentAnalysis, compared: Comparison) -> None:
    """Show how far every two lanes agree, with the agreement expected by chance."""
    if not len(compared.offsets):
        frame.show_empty(
            "A document of one sentence has no gaps, so there are no boundaries to compare.",
            "Open a longer document above.",
        )
        return
    if len(compared.entries) == 1 and not compared.reference.complete_boundaries:
        frame.show_empty(
            "A single lane has none to agree with.",
            "Add a strategy under “Strategies”, or reference boundaries under “Your own chunks”.",
        )
        return
    left, middle, right = st.columns([3, 3, 5], vertical_alignment="bottom")
    with left:
        metric = _measure()
    tolerance = 0
    if metric.takes_tolerance:
        with middle:
            tolerance = controls.number(
                "Tolerance, in sentences", 0, 5, 0, name="tolerance", slider=True, help=_TOLERANCE
            )
    labels, matrix = results.of(workspace).derive(
        (metric.name, tolerance, compared.reference.complete_boundaries),
        compared.entries,
        lambda: compared.matrix(metric.name, tolerance),
    )
    with right:
        markup.show(f'<span class="cs-quiet">{markup.escape(metric.help)} {_CHANCE}</span>')
    titles = {entry.label: lanes.lane_title(number, entry) for number, entry in enumerate(compared.entries)}
    names = [markup.escape(titles[label]) if label in titles else explained(REFERENCE_TITLE) for label in labels]
    heads = "".join(f"<th>{explained(_short(label, compared))}</th>" for label in labels)
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
        "" if metric.symmetric else '<p class="cs-quiet">Rows are the reference, columns the lane compared with it.</p>'
    )
    table = f'<table class="cs-matrix"><tr><th></th>{heads}</tr>{"".join(rows)}</table>'
    markup.show(markup.wide(table, "Agreement") + order)


def _measure() -> Metric:
    """Draw the choice of the measure, and return it."""
    name = controls.select(
        "Measure",
        list(METRICS),
        name="measure",
        titles=lambda name: f"{METRICS[name].title}: {_BEST[METRICS[name].best]}",
        help="The measure of agreement between the boundaries of two lanes.",
    )
    return get_metric(name)


_BEST = {1.0: "1 means identical", 0.0: "an error, 0 means identical"}
_TOLERANCE = "How many gaps apart two boundaries may be and still match."
_CHANCE = (
    f"Small: {term('chance')}, the mean of random cuts with the same chunk sizes; the tooltip has the range that "
    f"contains 95 % of them. The colour shows chance-corrected {term('agreement')}: none at 0, full at 1."
)


def _short(label: str, compared: Comparison) -> str:
    if label == REFERENCE:
        return "Ref."
    return str(lanes.lane_numbers(compared)[[entry.label for entry in compared.entries].index(label)])


def _cell(value: float, chance: float, between: tuple[float, float], beyond: float) -> str:
    share = max(0.0, min(1.0, beyond))
    by_chance = f"chance {chance:.3f} (95 %: {between[0]:.3f} to {between[1]:.3f})"
    title = f"{value:.3f}; {by_chance}; chance-corrected {beyond:.2f}"
    return f'<td style="--cs-share:{100 * share:.0f}%" title="{title}"><b>{value:.2f}</b><span>{chance:.2f}</span></td>'


def outcomes(workspace: DocumentAnalysis, compared: Comparison) -> tuple[list[str], list[SizeOutcome]]:
    """Return the tokenizers, that of the page first, and the outcome of each lane."""
    names = list(dict.fromkeys((workspace.tools.tokenizer, *tokens.tokenizer_names())))
    size_outcomes = results.of(workspace).derive(
        ("outcomes", *names),
        compared.entries,
        lambda: compared.outcomes({name: tokens.get_tokenizer(name) for name in names}),
    )
    return names, size_outcomes


def outcome(workspace: DocumentAnalysis, compared: Comparison) -> None:
    """Show requested vs. actual sizes and overlap of each lane."""
    counters, size_outcomes = outcomes(workspace, compared)
    body = "".join(
        f'<tr><th class="cs-lane">{markup.escape(lanes.lane_title(number, entry))}</th>'
        f"{_outcome_cells(outcome, workspace.tools.tokenizer, _has_nested_chunks(entry))}</tr>"
        for number, (entry, outcome) in enumerate(zip(compared.entries, size_outcomes, strict=True))
    )
    others = "".join(f"<th>{markup.escape(name)}</th>" for name in counters)
    heads = "".join(f'<th colspan="{width}">{explained(name)}</th>' for name, width in _OUTCOME_GROUPS)
    below = "".join(f"<th>{explained(name)}</th>" for name in _OUTCOME_HEADS)
    table = (
        f'<table class="cs-outcome"><tr><th class="cs-lane" rowspan="2">{explained("lane")}</th>'
        f'<th rowspan="2">{explained("chunks")}</th>{heads}'
        f'<th colspan="{len(counters)}">{explained("tokens in the index")} (× the document)</th></tr>'
        f"<tr>{below}{others}</tr>{body}</table>"
    )
    markup.show(f'{markup.wide(table, "Requested vs. actual")}<p class="cs-quiet">{_OUTCOME}</p>')
    _overlaps(compared, size_outcomes)


_OUTCOME_GROUPS = (("tokens per chunk", 3), ("limit violations", 2), ("overlap", 2), ("characters", 2))
_OUTCOME_HEADS = (
    "min", "median", "max", "above max", "below min", "requested", "in full at", "lost", "duplicated"
)  # fmt: skip
_OUTCOME = (
    "Tokens per chunk: excluding overlap. Limit violations: chunks, with their overlap, above the requested maximum or "
    "below the requested minimum. Overlap: boundaries at which it was reached in full, as far as whole words, "
    "sentences or lines allow. Lost: characters in no chunk, except white space. Duplicated: characters in more "
    "than one chunk, except overlap. Nested: chunks contain one another by design."
)


def _outcome_cells(outcome: SizeOutcome, tokenizer: str, nests: bool) -> str:
    summary: SizeSummary = outcome.tokens[tokenizer].own
    overlap = outcome.overlap
    boundaries = len(overlap.reached)
    requested = f"{overlap.requested:,} {overlap.unit}" if overlap.requested else "–"
    full = f"{overlap.in_full:,} <small>of {boundaries:,}</small>" if overlap.requested and boundaries else "–"

    def flagged(number: int, applies: bool = True) -> str:
        return f'<td class="cs-flag">{number:,}</td>' if number else f"<td>{'0' if applies else '–'}</td>"

    cells = [f"<td>{outcome.chunks:,}</td>"]
    cells += [f"<td>{value:,.0f}</td>" for value in (summary.minimum, summary.median, summary.maximum)]
    cells += [flagged(outcome.over_maximum, bool(outcome.requested.maximum))]
    cells += [flagged(outcome.under_minimum, bool(outcome.requested.minimum))]
    cells += [f"<td>{requested}</td><td>{full}</td>"]
    cells += [flagged(outcome.lost_text)]
    cells += ["<td><small>nested</small></td>" if nests else flagged(outcome.duplicated)]
    cells += [
        f"<td>{counted.whole.total:,} <small>× {counted.ratio:.2f}</small></td>" for counted in outcome.tokens.values()
    ]
    return "".join(cells)


# --- the overlap at each boundary ----------------------------------------------------------------------------------

_BARS = 240
"""Bars of a strip; with more boundaries, one bar covers several neighbours."""


def _overlaps(compared: Comparison, size_outcomes: Sequence[SizeOutcome]) -> None:
    """Show the overlap reached at each boundary, for each lane with a requested overlap."""
    strips = [
        f"<p>{_overlap_words(lanes.lane_title(number, entry), outcome.overlap)}</p>{_strip(outcome.overlap)}"
        for number, (entry, outcome) in enumerate(zip(compared.entries, size_outcomes, strict=True))
        if outcome.overlap.requested and len(outcome.overlap.reached)
    ]
    if strips:
        markup.show(
            "<p><b>Overlap reached at each boundary</b>, from the first to the last. "
            '<span class="cs-quiet"><i class="cs-key"></i> in full <i class="cs-key cs-part"></i> in part; '
            f"no bar: no overlap.</span></p>{''.join(strips)}"
        )


def _overlap_words(title: str, overlap: OverlapOutcome) -> str:
    boundaries = len(overlap.reached)
    unit = overlap.unit[:-1] if overlap.requested == 1 else overlap.unit

    def share(number: int) -> str:
        return f"{number:,} ({100 * number / boundaries:.0f} %)"

    missed = [
        f"{share(number)} {what}"
        for number, what in ((overlap.in_part, "have less"), (overlap.not_at_all, "have none"))
        if number
    ]
    at = f"{'only ' if 2 * overlap.in_full <= boundaries else ''}{share(overlap.in_full)}"
    if not missed:
        at = "every one"
    elif not overlap.in_full:
        at = "none"
    noun = "boundary" if boundaries == 1 else "boundaries"
    parts = [
        f"{overlap.requested:,} {unit} requested, reached in full at {at} of {boundaries:,} {noun}",
        ", ".join(missed),
    ]
    return f"{markup.escape(title)}: {'; '.join(filter(None, parts))}."


def _strip(overlap: OverlapOutcome) -> str:
    """Return bars with the share of the overlap that is reached; overlap reached in full fills the height."""
    shares = np.where(overlap.full, 1.0, np.minimum(overlap.reached / overlap.requested, 1.0))
    groups = np.array_split(np.arange(len(shares)), min(len(shares), _BARS))
    bars = "".join(
        f'<i class="{"cs-full" if overlap.full[group].all() else ""}" style="height:{100 * shares[group].mean():.0f}%">'
        "</i>"
        for group in groups
    )
    return f'<div class="cs-strip" role="img" aria-label="overlap reached at each boundary">{bars}</div>'


# --- lost and duplicated text --------------------------------------------------------------------------------------

_PLACES = 500
_PROBLEMS = f"lost: {glossary.define('lost')} duplicated: {glossary.define('duplicated')}"


def show_problem_positions(compared: Comparison, show: Callable[[int, int], None]) -> None:
    """Show where text is in no chunk or in several; selecting a row opens the place.

    Args:
        compared: the lanes.
        show: called with the lane, from 0, and the selected character offset.
    """
    rows = [
        (number, what, start, end)
        for number, entry in enumerate(compared.entries)
        for covered in (coverage(entry.segmentation),)
        for what, spans in (("lost", covered.lost), ("duplicated", covered.duplicated))
        if what == "lost" or not _has_nested_chunks(entry)  # nested chunks duplicate text by design
        for start, end in spans.tolist()
    ]
    if not rows:
        return
    summary = f"Lost or duplicated text: {len(rows):,} {'place' if len(rows) == 1 else 'places'}"
    visible_rows = rows[:_PLACES]
    limit = f", the first {_PLACES:,} are listed" if len(rows) > _PLACES else ""
    st.caption(f"{summary}{limit}. Select a row to see it in the text.")

    text = compared.sentences.document.text
    columns = {
        "lane": [lanes.lane_title(number, compared.entries[number]) for number, *_ in visible_rows],
        "problem": [what for _, what, *_ in visible_rows],
        "characters": [end - start for *_, start, end in visible_rows],
        "start": [start for *_, start, _ in visible_rows],
        "text": [first_words(text, start, end) for *_, start, end in visible_rows],
    }
    table_columns.choose_row(
        "_places_table",
        columns,
        lambda row: show(visible_rows[row][0], visible_rows[row][2]),
        most_height=320,
        config={"problem": st.column_config.Column(help=_PROBLEMS)},
    )


def _has_nested_chunks(entry: ComparisonEntry) -> bool:
    return any(chunk.parent is not None for chunk in entry.segmentation.chunks)


# --- sizes ---------------------------------------------------------------------------------------------------------


def sizes(workspace: DocumentAnalysis, compared: Comparison) -> None:
    """Show the chunk sizes of each lane."""
    titles, tokenizer = lanes.lane_titles(compared), workspace.tools.tokenizer
    tokens_of = [np.array([chunk.tokens for chunk in entry.segmentation.chunks] or [0]) for entry in compared.entries]
    levels = {"min": 0, "25th percentile": 25, "median": 50, "75th percentile": 75, "p95": 95, "max": 100}
    table: dict[str, Sequence[object]] = {
        "lane": titles,
        "chunks": [len(entry.segmentation.chunks) for entry in compared.entries],
        **{name: [float(np.percentile(tokens, level)) for tokens in tokens_of] for name, level in levels.items()},
    }
    label = f"Tokens of the chunks of {len(titles)} lanes, as boxes; the table below has their values."
    figure("_sizes", sizes_figure(compared, tokenizer, titles=titles), label, table)
