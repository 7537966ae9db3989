"""What the lanes of a comparison have in common and what came of each, in tables and figures."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import streamlit as st

from chunking import tokens
from chunking.comparison import Outcome, OverlapOutcome, Sizes, coverage, first_words
from chunking.comparison.agreement import METRICS, Metric, get_metric
from chunking.comparison.report import GOLD, Comparison, Entry
from chunking.figures.sizes import sizes_figure
from chunking.workspace import Workspace
from pages.shared.compare import data as compare_data
from pages.shared.components.figure import figure
from pages.shared.documents import results
from pages.shared.frame import markup
from pages.shared.settings import controls


def agreement(workspace: Workspace, compared: Comparison) -> None:
    """How far every two lanes agree, beside what chance gives."""
    if not len(compared.offsets):
        st.info("A document of one sentence has no gap, so there is nothing to agree on.")
        return
    left, middle, right = st.columns([3, 3, 5], vertical_alignment="bottom")
    with left:
        metric = _measure()
    tolerance = 0
    if metric.takes_tolerance:
        with middle:
            tolerance = st.slider("Tolerance, in sentences", 0, 5, 0, **controls.bound("tolerance", _TOLERANCE))
    labels, matrix = results.of(workspace).derive(
        (metric.name, tolerance, compared.gold), compared.entries, lambda: compared.matrix(metric.name, tolerance)
    )
    with right:
        markup.show(f'<span class="cs-quiet">{markup.escape(metric.help)} {_CHANCE}</span>')
    titles = {entry.label: compare_data.numbered(number, entry) for number, entry in enumerate(compared.entries)}
    names = [markup.escape(titles.get(label, compare_data.GOLD_TITLE)) for label in labels]
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


_MEASURE = "_measure"


def _measure() -> Metric:
    """The measure that the address names; its widget is not bound to it, since that would put the title there."""
    asked = st.query_params.get("measure", "")
    names = list(METRICS)
    st.session_state[_MEASURE] = asked if asked in METRICS else names[0]

    def keep() -> None:
        chosen = st.session_state[_MEASURE]
        if chosen == names[0]:
            st.query_params.pop("measure", None)
        else:
            st.query_params["measure"] = chosen

    name = st.selectbox(
        "Measure",
        names,
        format_func=lambda name: f"{METRICS[name].title}: {_BEST[METRICS[name].best]}",
        key=_MEASURE,
        on_change=keep,
        help="How far two lanes agree on their boundaries.",
    )
    return get_metric(name)


_BEST = {1.0: "1 is the same", 0.0: "an error, 0 is the same"}
_TOLERANCE = "How many gaps two boundaries may lie apart and still be one."
_CHANCE = (
    "Small: the mean of what random cuts of the same sizes get; the range that holds 95 % of them is in the tooltip. "
    "The colour is agreement beyond chance: none at 0, full at 1."
)


def _short(label: str, compared: Comparison) -> str:
    if label == GOLD:
        return "Gold"
    return str(compare_data.numbers(compared)[[entry.label for entry in compared.entries].index(label)])


def _cell(value: float, chance: float, between: tuple[float, float], beyond: float) -> str:
    share = max(0.0, min(1.0, beyond))
    by_chance = f"chance {chance:.3f}, 95 % between {between[0]:.3f} and {between[1]:.3f}"
    title = f"{value:.3f}; {by_chance}; beyond chance {beyond:.2f}"
    return f'<td style="--cs-share:{100 * share:.0f}%" title="{title}"><b>{value:.2f}</b><span>{chance:.2f}</span></td>'


def outcomes(workspace: Workspace, compared: Comparison) -> tuple[list[str], list[Outcome]]:
    """The tokenizers, that of the page first, and what came of each lane."""
    names = list(dict.fromkeys((workspace.tools.tokenizer, *tokens.tokenizer_names())))
    found = results.of(workspace).derive(
        ("outcomes", *names),
        compared.entries,
        lambda: compared.outcomes({name: tokens.get_tokenizer(name) for name in names}),
    )
    return names, found


def outcome(workspace: Workspace, compared: Comparison) -> None:
    """What was asked of each lane and what came out."""
    counters, found = outcomes(workspace, compared)
    body = "".join(
        f'<tr><th class="cs-lane">{markup.escape(compare_data.numbered(number, entry))}</th>'
        f"{_outcome_cells(outcome, workspace.tools.tokenizer, _nests(entry))}</tr>"
        for number, (entry, outcome) in enumerate(zip(compared.entries, found, strict=True))
    )
    others = "".join(f"<th>{markup.escape(name)}</th>" for name in counters)
    markup.show(
        f'<div class="cs-wide"><table class="cs-outcome"><tr><th class="cs-lane" rowspan="2">lane</th>'
        f'<th rowspan="2">chunks</th>'
        f'<th colspan="3">tokens a chunk</th><th colspan="2">limits broken</th><th colspan="2">overlap</th>'
        f'<th colspan="2">characters</th><th colspan="{len(counters)}">tokens in the index, × the document</th></tr>'
        f"<tr><th>min</th><th>median</th><th>max</th><th>over</th><th>under</th><th>asked</th><th>in full at</th>"
        f"<th>lost</th><th>doubled</th>{others}</tr>{body}</table></div>"
        f'<p class="cs-quiet">{_OUTCOME}</p>'
    )
    _overlaps(compared, found)


_OUTCOME = (
    "Tokens a chunk: its own text. Limits broken: chunks, with their overlap, over the maximum or under the minimum "
    "that was asked for. Overlap: at how many boundaries it was reached, as far as whole words, sentences or lines "
    "allow. Lost: characters, white space aside, in no chunk. Doubled: characters that belong to more than one chunk, "
    "overlap aside; nested: chunks lie in one another by intention."
)


def _outcome_cells(outcome: Outcome, tokenizer: str, nests: bool) -> str:
    own: Sizes = outcome.tokens[tokenizer].own
    overlap = outcome.overlap
    boundaries = len(overlap.reached)
    asked = f"{overlap.asked:,} {overlap.unit}" if overlap.asked else "–"
    full = f"{overlap.in_full:,} <small>of {boundaries:,}</small>" if overlap.asked and boundaries else "–"

    def flagged(number: int, applies: bool = True) -> str:
        return f'<td class="cs-flag">{number:,}</td>' if number else f"<td>{'0' if applies else '–'}</td>"

    cells = [f"<td>{outcome.chunks:,}</td>"]
    cells += [f"<td>{value:,.0f}</td>" for value in (own.minimum, own.median, own.maximum)]
    cells += [flagged(outcome.over_maximum, bool(outcome.asked.maximum))]
    cells += [flagged(outcome.under_minimum, bool(outcome.asked.minimum))]
    cells += [f"<td>{asked}</td><td>{full}</td>"]
    cells += [flagged(outcome.lost_text)]
    cells += ["<td><small>nested</small></td>" if nests else flagged(outcome.doubled)]
    cells += [
        f"<td>{counted.whole.total:,} <small>× {counted.ratio:.2f}</small></td>" for counted in outcome.tokens.values()
    ]
    return "".join(cells)


# --- the overlap at each boundary ----------------------------------------------------------------------------------

_BARS = 240
"""Bars of a strip; where there are more boundaries, one stands for several neighbours."""


def _overlaps(compared: Comparison, found: Sequence[Outcome]) -> None:
    """For each lane that was asked for an overlap, what became of it at each boundary, in words and as a strip."""
    strips = [
        f"<p>{_overlap_words(compare_data.numbered(number, entry), outcome.overlap)}</p>{_strip(outcome.overlap)}"
        for number, (entry, outcome) in enumerate(zip(compared.entries, found, strict=True))
        if outcome.overlap.asked and len(outcome.overlap.reached)
    ]
    if strips:
        markup.show(
            "<p><b>Overlap reached at each boundary</b>, from the first to the last. "
            '<span class="cs-quiet"><i class="cs-key"></i> in full <i class="cs-key cs-part"></i> in part; '
            f"no bar: nothing is repeated.</span></p>{''.join(strips)}"
        )


def _overlap_words(title: str, overlap: OverlapOutcome) -> str:
    boundaries = len(overlap.reached)
    unit = overlap.unit[:-1] if overlap.asked == 1 else overlap.unit

    def share(number: int) -> str:
        return f"{number:,} ({100 * number / boundaries:.0f} %)"

    missed = [
        f"{share(number)} {what}"
        for number, what in ((overlap.in_part, "repeat less"), (overlap.not_at_all, "repeat nothing"))
        if number
    ]
    at = f"{'only ' if 2 * overlap.in_full <= boundaries else ''}{share(overlap.in_full)}"
    if not missed:
        at = "every one"
    elif not overlap.in_full:
        at = "none"
    noun = "boundary" if boundaries == 1 else "boundaries"
    said = [f"{overlap.asked:,} {unit} asked, reached at {at} of {boundaries:,} {noun}", ", ".join(missed)]
    return f"{markup.escape(title)}: {'; '.join(filter(None, said))}."


def _strip(overlap: OverlapOutcome) -> str:
    """Bars, each as high as the share of the overlap that is reached; one that is reached in full fills the strip."""
    shares = np.where(overlap.full, 1.0, np.minimum(overlap.reached / overlap.asked, 1.0))
    groups = np.array_split(np.arange(len(shares)), min(len(shares), _BARS))
    bars = "".join(
        f'<i class="{"cs-full" if overlap.full[group].all() else ""}" style="height:{100 * shares[group].mean():.0f}%">'
        "</i>"
        for group in groups
    )
    return f'<div class="cs-strip" role="img" aria-label="overlap reached at each boundary">{bars}</div>'


# --- text that is lost or doubled ----------------------------------------------------------------------------------

_PLACES = 500
_PLACES_TABLE = "_places_table"


def places(compared: Comparison, show: Callable[[int, int], None]) -> None:
    """Where text is in no chunk or in several; a row chosen leads there.

    Args:
        compared: the lanes.
        show: called with the lane, from 0, and the character offset that was chosen.
    """
    rows = [
        (number, what, start, end)
        for number, entry in enumerate(compared.entries)
        for covered in (coverage(entry.segmentation),)
        for what, spans in (("lost", covered.lost), ("doubled", covered.doubled))
        if what == "lost" or not _nests(entry)  # what nests is doubled by intention
        for start, end in spans.tolist()
    ]
    if not rows:
        return
    told = f"Where text is lost or doubled: {len(rows):,} {'place' if len(rows) == 1 else 'places'}"
    shown = rows[:_PLACES]
    limit = f", of which the first {_PLACES:,} are listed" if len(rows) > _PLACES else ""
    st.caption(f"{told}{limit}. Choose a row to see it in the text.")

    def take() -> None:
        selected = st.session_state[_PLACES_TABLE].selection.rows
        if selected and selected[0] < len(shown):
            show(shown[selected[0]][0], shown[selected[0]][2])

    text = compared.sentences.document.text
    columns = {
        "lane": [compare_data.numbered(number, compared.entries[number]) for number, *_ in shown],
        "what": [what for _, what, *_ in shown],
        "characters": [end - start for *_, start, end in shown],
        "start": [start for *_, start, _ in shown],
        "text": [first_words(text, start, end) for *_, start, end in shown],
    }
    st.dataframe(
        columns,
        key=_PLACES_TABLE,
        on_select=take,
        selection_mode="single-row",
        hide_index=True,
        height=min(320, 38 + 35 * len(shown)),
    )


def _nests(entry: Entry) -> bool:
    return any(chunk.parent is not None for chunk in entry.segmentation.chunks)


# --- sizes ---------------------------------------------------------------------------------------------------------


def sizes(workspace: Workspace, compared: Comparison) -> None:
    """How large the chunks of each lane are."""
    figure("_sizes", sizes_figure(compared, workspace.tools.tokenizer, titles=compare_data.titles(compared)))
