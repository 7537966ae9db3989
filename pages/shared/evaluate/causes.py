"""The Causes view: why each question missed its answer, the evidence, and the smallest change that fixes it."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from chunking.chunks import reason_words
from chunking.report import html
from chunking.retrieval.evaluate import RetrievalEvaluation, RetrievalRow
from chunking.retrieval.misses.causes import CAUSES, Miss, MissAnalysis, Replacement, counts, unknown
from chunking.retrieval.misses.remedy import QuestionChange, Remedy
from chunking.retrieval.misses.retrieved import Cutoff
from chunking.retrieval.questions.data import QuestionSet
from chunking.retrieval.reports import table
from chunking.retrieval.tasks import Causes
from chunking.runtime.wording import plural
from chunking.strategies import Setting
from pages.shared import state
from pages.shared.components.glossary import columns as table_columns
from pages.shared.evaluate import document_links, passages, question_results, question_sets, retrieval_jobs
from pages.shared.evaluate.passages import CAUSE_TITLES, RETIRED_TITLES
from pages.shared.evaluate.question_results import QUESTION
from pages.shared.evaluate.report_parts import block, newly_selected
from pages.shared.evaluate.retrieval_jobs import RetrievalRequest, RetrievalResult
from pages.shared.evaluate.retrieval_results import ordered
from pages.shared.frame import frame, markup, runs
from pages.shared.settings import controls
from pages.shared.settings.lane_settings import ADDRESS
from pages.shared.state import session

_ANY = "any cause"
_TABLE = "_retrieval_misses"
_SEEN: state.SessionValue[str | None] = state.SessionValue("_retrieval_miss_seen", session.empty)
_LISTED = 6
"""Questions listed at most of those that a change improves, and of those that it worsens."""


def traced_causes(request: RetrievalRequest, question_set: QuestionSet, result: RetrievalResult) -> Causes | None:
    """Return why each row misses answers; ``None`` while that is traced, with its progress, or before it is begun."""
    if not question_results.ready(request, question_set, result):
        return None
    tracing = retrieval_jobs.causes(result, cutoff_of(request, question_set))
    run = tracing.run()
    if run is None and request.choice.name == question_sets.SAMPLES:
        run = tracing.start()
    if run is None:
        st.caption("Traces each missed answer to its cause. This embeds and compares the sentences of the answers.")
        runs.button("Trace missed answers", tracing.start, "_trace", "search")
        return None
    if not runs.show_unless_done(run, tracing.start):
        return None
    causes: Causes = run.result
    return causes


def cutoff_of(request: RetrievalRequest, question_set: QuestionSet) -> Cutoff:
    """Return within what an answer has to be found."""
    return request.within if question_set.truth == "spans" else Cutoff(request.options.kept.passages)


def show(request: RetrievalRequest, question_set: QuestionSet, result: RetrievalResult) -> None:
    """Show counts by cause, the missed questions, and the selected one."""
    causes = traced_causes(request, question_set, result)
    evaluation = result.evaluation
    if causes is None or evaluation is None:
        return
    within = cutoff_of(request, question_set)
    ranked = ordered(result).ranked
    st.caption(f"Questions whose answer is not completely within {_cutoff(within)}, by main cause.")
    markup.show(passages.bars({name: counts(causes[name]) for name in ranked}, len(question_set.questions)))
    left, right = st.columns([2, 3], vertical_alignment="bottom")
    with left:
        name = controls.select(
            "Missed by", ranked, name="under", help="The strategy whose missed questions are listed."
        )
    row = next(row for row in evaluation.rows if row.name == name)
    with right:
        offered = [_ANY, *(CAUSE_TITLES[cause] for cause in CAUSES)]
        cause = controls.select("Cause", offered, name="cause", retired=RETIRED_TITLES)
    note = unknown(row.method, evaluation.passages[row.strategy].context, evaluation.options.rerank is not None)
    if note:
        st.caption(markup.plain(note))
    listed = [miss for miss in causes[name] if cause in (_ANY, CAUSE_TITLES[miss.cause])]
    miss = _choose(question_set, listed)
    if miss is not None:
        _one(request, question_set, result, row, within, miss)


def _cutoff(within: Cutoff) -> str:
    if within.tokens:
        return f"{within.tokens:,} tokens"
    return f"the first {plural(within.passages, 'document')}"


def _choose(question_set: QuestionSet, listed: Sequence[MissAnalysis]) -> MissAnalysis | None:
    """Show the list of misses; return the one that the address names."""
    import pandas as pd  # type: ignore[import-untyped]

    if not listed:
        frame.show_empty("No question was missed for this cause.", "Choose another cause or another strategy.")
        return None
    ordered_ = sorted(listed, key=lambda miss: (miss.value, miss.question))
    missed = pd.DataFrame(
        {
            "question": [question_set.questions[miss.question].text[:300] for miss in ordered_],
            "cause": [CAUSE_TITLES[miss.cause] for miss in ordered_],
            "other causes": [", ".join(CAUSE_TITLES[other] for other in miss.also) for miss in ordered_],
            "found, %": [100 * miss.value for miss in ordered_],
            "rank": [miss.rank for miss in ordered_],
        }
    )
    event = st.dataframe(
        missed,
        key=_TABLE,
        on_select="rerun",
        selection_mode="single-row",
        hide_index=True,
        height=min(300, 38 + 35 * len(ordered_)),
        column_config=table_columns.explained(
            missed,
            {
                "question": st.column_config.TextColumn(width="large"),
                "found, %": st.column_config.NumberColumn(format="%.0f", help="Share of the answer within the cutoff"),
                "rank": st.column_config.NumberColumn(help="Rank of the first chunk that contains part of the answer"),
            },
        ),
    )
    ids = [question_set.questions[miss.question].id for miss in ordered_]
    selected = newly_selected(event.selection.rows, ids, _SEEN)
    if selected is not None:
        state.address().put(QUESTION, selected)
    number = question_results.chosen_question(question_set)
    return next((miss for miss in listed if miss.question == number), None)


# --- one of them -----------------------------------------------------------------------------------------------------


def _one(
    request: RetrievalRequest,
    question_set: QuestionSet,
    result: RetrievalResult,
    row: RetrievalRow,
    within: Cutoff,
    analyzed: MissAnalysis,
) -> None:
    """Show the evidence for a question, and the smallest change that fixes it."""
    evaluation = result.evaluation
    assert evaluation is not None
    question = question_set.questions[analyzed.question]
    parts = [f"<p><b>{markup.escape(question.id)} · {markup.escape(question.text)}</b></p>"]
    for miss in analyzed.misses[:8]:
        parts.append(passages.miss(miss.cause, evidence(miss, analyzed, evaluation)))
    if len(analyzed.misses) > 8:
        parts.append(f'<p class="cs-quiet">{len(analyzed.misses) - 8} more parts are missing.</p>')
    markup.show("".join(parts))
    setting = request.settings[row.strategy]
    leading = analyzed.leading
    with st.container(horizontal=True):
        document_links.buttons(
            question_set.sources[leading.document], setting, leading.start, request.options.tools, "miss", tune=True
        )
    search = retrieval_jobs.remedy(result, row, within, analyzed)
    run = search.run()
    if run is None:
        runs.button(
            "Find the smallest change that fixes it", search.start, "_find_change", "build",
            help="Tries changes to the strategy's parameters on the whole question set, smallest first.",
        )  # fmt: skip
    elif runs.show_unless_done(run, search.start):
        _remedies(request, question_set, run.result, leading, setting)


def evidence(miss: Miss, analyzed: MissAnalysis, evaluation: RetrievalEvaluation) -> list[str]:
    """Return what is known of a missed span, one sentence each.

    Args:
        miss: the span, or the relevant document.
        analyzed: the causes of the question.
        evaluation: the evaluation that retrieved the chunks.
    """
    source = evaluation.question_set.sources[miss.document]
    text = " ".join(source.text[miss.start : miss.end].split())
    also = f" Also: {', '.join(CAUSE_TITLES[cause] for cause in miss.also)}." if miss.also else ""
    lines = [
        f"{CAUSE_TITLES[miss.cause].capitalize()}: “{text[:220]}{'…' * (len(text) > 220)}” ({source.id} "
        f"{miss.start:,}–{miss.end:,}, {miss.own_tokens:,} tokens).{also}"
    ]
    if miss.passage is None:
        return [*lines, "No chunk contains it: the document could not be split, or the strategy leaves this text out."]
    rank = f"is at rank {miss.rank:,}" if miss.rank else "is not ranked"
    score = "" if miss.score is None else f", with a score of {miss.score:.3f}"
    edge = "" if analyzed.edge is None else f"; the last chunk within the cutoff scores {analyzed.edge:.3f}"
    lines.append(f"Its chunk of {miss.tokens:,} tokens {rank}{score}{edge}.")
    for cut in miss.cuts:
        lines.append(f"The answer is cut at {cut.offset:,}: {reason_words(cut)}.")
    if miss.joined:
        lines.append(f"Its chunks merged into one would {_counterfactual(miss.joined)}.")
    if miss.alone:
        lines.append(f"The sentences of the answer alone would {_counterfactual(miss.alone)}.")
    if miss.read and miss.read.tokens > miss.read.limit:
        lines.append(
            f"The encoder reads {miss.read.limit:,} of the chunk's {miss.read.tokens:,} tokens, by its own count; the "
            f"answer begins after token {miss.read.before:,}."
        )
    return lines


def _counterfactual(instead: Replacement) -> str:
    within = "completely within the cutoff" if instead.within else "still not completely within the cutoff"
    return f"score {instead.score:.3f} with {instead.tokens:,} tokens and be at rank {instead.rank:,}, {within}"


def _remedies(
    request: RetrievalRequest, question_set: QuestionSet, tried: Sequence[Remedy], leading: Miss, setting: Setting
) -> None:
    """Show the changes that were tried, their effect, and a link to the setting that fixes the question."""
    if not tried:
        frame.show_empty(
            "No change helps: no value of the strategy's parameters puts the answer into a different chunk.",
            "Try another strategy, or a larger context budget.",
        )
        return
    block(_tried(tried))
    last = tried[-1]
    if not last.mended:
        frame.show_empty("None of these changes fixes it.", "Try another strategy, or a larger context budget.")
        return
    parts = [f"<p><b>{markup.escape(_headline(last))}</b></p>"]
    for title, changes in (("Other questions it worsens", last.worse), ("Other questions it improves", last.better)):
        parts.append(_moved(title, changes, question_set, last.measure))
    markup.show("".join(parts))
    changed = document_links.parsed(last.setting)
    with st.container(horizontal=True):
        document_links.buttons(
            question_set.sources[leading.document], changed, leading.start, request.options.tools, "changed", tune=True
        )
        st.button(
            "Add to the strategies", key="_add_changed", icon=":material/playlist_add:", on_click=_add,
            args=([*request.settings, last.setting],), disabled=last.setting in request.settings,
        )  # fmt: skip


def _headline(last: Remedy) -> str:
    ends = f" [{100 * last.interval[0]:+.1f}, {100 * last.interval[1]:+.1f}]" if last.interval else ""
    return (
        f"{last.title} from {last.before} to {last.after} fixes it: {table.said(last.measure)} from "
        f"{100 * last.value_before:.0f} to {100 * last.value_after:.0f} %. Mean over all questions: "
        f"{100 * last.mean:+.1f} points{ends}; {last.passages[0]:,} chunks become {last.passages[1]:,}."
    )


def _tried(tried: Sequence[Remedy]) -> str:
    heads = ("parameter", "change", "", "found", "improved", "worsened", "mean change (points)")
    rows = [
        [
            remedy.title,
            f"{remedy.before} → {remedy.after}",
            "fixes it" if remedy.mended else "does not fix it",
            f"{100 * remedy.value_after:.0f} %",
            f"{len(remedy.better):,}",
            f"{len(remedy.worse):,}",
            f"{100 * remedy.mean:+.1f}",
        ]
        for remedy in tried
    ]
    return html.table(heads, rows, "numbers")


def _moved(title: str, changes: Sequence[QuestionChange], question_set: QuestionSet, measure: str) -> str:
    if not changes:
        return f"<p>{title}: none.</p>"
    lines = "".join(
        f"<p>{markup.escape(question_set.questions[change.question].text[:160])} "
        f"<small>{100 * change.before:.0f} → {100 * change.after:.0f} %</small></p>"
        for change in changes[:_LISTED]
    )
    more = f"<p>… and {len(changes) - _LISTED:,} more</p>" if len(changes) > _LISTED else ""
    return (
        f'<details class="cs-aside"><summary>{title}: {len(changes):,} ({markup.escape(table.said(measure))})</summary>'
        f"<div>{lines}{more}</div></details>"
    )


def _add(settings: list[str]) -> None:
    state.address().put(ADDRESS, ",".join(settings))
