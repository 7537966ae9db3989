"""The Questions view: each question with its value in every row, and the rankings of the selected one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import streamlit as st

from chunking.retrieval.misses import passage_index
from chunking.retrieval.misses.passage_index import RetrievedPassage, SearchEvidence
from chunking.retrieval.questions.data import QuestionSet
from chunking.retrieval.reports import table
from chunking.retrieval.reports.results import RetrievalSummary
from chunking.runtime.arrays import Float64
from pages.shared import state
from pages.shared.evaluate import document_links, passages, retrieval_jobs
from pages.shared.evaluate.report_parts import newly_selected, score_column, score_table
from pages.shared.evaluate.retrieval_jobs import RetrievalRequest, RetrievalResult
from pages.shared.evaluate.retrieval_results import ordered
from pages.shared.frame import frame, markup, runs
from pages.shared.settings import controls
from pages.shared.state import session

QUESTION = "question"
"""Name of the selected question in the address."""

_SEEN: state.SessionValue[str | None] = state.SessionValue("_retrieval_question_seen", session.empty)
_ALL, _MISSED, _DIFFER = "All", "Missed by", "Differ most between"
_DEPTH = 10
_SIDE = 4
"""Rankings that are shown side by side at most."""


def show(request: RetrievalRequest, question_set: QuestionSet, result: RetrievalResult) -> None:
    """Show the table of questions and the selected one."""
    summary = ordered(result)
    ranked = summary.ranked
    values = np.array([summary.strategies[name].per_question[summary.primary] for name in ranked])
    indices = _filtered(summary, values)
    st.caption(
        markup.plain(
            f"{table.said(summary.primary)} in %, {len(indices):,} of {len(question_set.questions):,} questions. "
        )
        + ("Select one to see its rankings." if indices else "")
    )
    if not indices:
        frame.show_empty("No question is left by this filter.", "Choose “All”, or other strategies.")
        return
    ways = request.options.rows(request.settings)
    config = {"question": st.column_config.TextColumn("question", width="large", pinned=True)}
    config |= {name: score_column(name, request.settings[ways[name][0]].strategy.summary) for name in ranked}
    columns = {"question": [question_set.questions[index].text[:300] for index in indices]}
    scores = {name: values[row, indices] for row, name in enumerate(ranked)}
    selection = score_table("_retrieval_questions", columns, scores, config, selection="single-row", height=330)
    selected = newly_selected(selection.rows, [question_set.questions[index].id for index in indices], _SEEN)
    if selected is not None:
        state.address().put(QUESTION, selected)
    number = chosen_question(question_set)
    if number is not None:
        one(request, question_set, result, number)


def chosen_question(question_set: QuestionSet) -> int | None:
    """Return the index of the question that the address names."""
    wanted = state.address().text(QUESTION)
    return next((index for index, question in enumerate(question_set.questions) if question.id == wanted), None)


def _filtered(summary: RetrievalSummary, values: Float64) -> list[int]:
    """Return the indexes of the questions that the filter keeps, in display order."""
    ranked = summary.ranked
    left, middle, right = st.columns([3, 2, 2], vertical_alignment="bottom")
    with left:
        which = controls.segments("Questions", (_ALL, _MISSED, _DIFFER), name="filter")
    if which == _ALL:
        order = np.argsort(values.mean(axis=0), kind="stable") if len(values) else np.arange(0)
        return [int(index) for index in order]
    with middle:
        one = ranked.index(controls.select("Strategy", ranked, name="one"))
    if which == _MISSED:
        short = values[one] < (1.0 if summary.data.truth == "spans" else 1e-9)
        return [int(index) for index in np.argsort(values[one], kind="stable") if short[index]]
    with right:
        other = ranked.index(controls.select("and", ranked, name="other", default=ranked[min(1, len(ranked) - 1)]))
    apart = np.abs(values[one] - values[other])
    return [int(index) for index in np.argsort(-apart, kind="stable") if apart[index] > 0]


# --- one question ----------------------------------------------------------------------------------------------------


def one(request: RetrievalRequest, question_set: QuestionSet, result: RetrievalResult, number: int) -> None:
    """Show a question with its answers, and its rankings in some rows."""
    question = question_set.questions[number]
    texts = (question_set.sources[span.document].text[span.start : span.end] for span in question.answers[:6])
    answers = "".join(f'<div class="cs-side">{markup.escape(text[:1500])}</div>' for text in texts)
    relevant = [document for document, grade in question.grades.items() if grade > 0]
    if relevant:
        listed = ", ".join(question_set.sources[document].id for document in relevant[:12])
        answers = f'<p class="cs-quiet">Relevant documents: {markup.escape(listed)}</p>'
    markup.show(f"<p><b>{markup.escape(question.id)} · {markup.escape(question.text)}</b></p>{answers}")
    if not ready(request, question_set, result):
        return
    evaluation = result.evaluation
    assert evaluation is not None
    names, main = side_by_side(ordered(result).ranked), result.summary.primary
    by_name = {row.name: row for row in evaluation.rows}
    rankings = {name: passage_index.of_question(evaluation, by_name[name], number, _DEPTH) for name in names}
    heads = {name: f"{table.said(main)}: {100 * by_name[name].values[main][number]:.1f} %" for name in names}
    columns(request, question_set, rankings, heads)


def ready(request: RetrievalRequest, question_set: QuestionSet, result: RetrievalResult) -> bool:
    """Return whether the rankings are there; rebuild those of a result from disk in the background."""
    if result.evaluation is not None:
        return True
    run = retrieval_jobs.run_of(request, question_set) or retrieval_jobs.start(request, question_set)
    st.caption("These figures are read from disk. Their rankings are being rebuilt from cached embeddings.")
    if runs.show_unless_done(run, lambda: retrieval_jobs.start(request, question_set)):
        st.rerun()  # it has ended since the figures were read
    return False


def side_by_side(names: Sequence[str]) -> list[str]:
    """Return the rows whose rankings are shown."""
    return controls.several("Side by side", names, name="side", default=names[:2], max_selections=_SIDE)


def columns(
    request: RetrievalRequest,
    question_set: QuestionSet,
    rankings: dict[str, tuple[RetrievedPassage, ...]],
    heads: dict[str, str] | None = None,
    evidence: Mapping[str, Sequence[SearchEvidence]] | None = None,
) -> None:
    """Show rankings side by side, with links to the documents of their chunks.

    Args:
        request: the evaluation.
        question_set: its questions and documents.
        rankings: by row.
        heads: a line above each ranking.
        evidence: what brought each chunk up, by row.
    """
    if not rankings:
        frame.show_empty("No strategy is selected.", "Select some above to see their rankings side by side.")
        return
    edge = request.within.tokens if question_set.truth == "spans" else None
    ways = request.options.rows(request.settings)
    for column, (name, hits) in zip(st.columns(len(rankings)), rankings.items(), strict=True):
        with column:
            head = f'<div class="cs-quiet">{markup.escape(heads[name])}</div>' if heads else ""
            why = (evidence or {}).get(name, ())
            markup.show(f"<b>{markup.escape(name)}</b>{head}{passages.hits(hits, question_set.sources, edge, why)}")
            if hits:
                _opener(request, question_set, name, hits, ways[name][0])


def _opener(
    request: RetrievalRequest, question_set: QuestionSet, name: str, hits: tuple[RetrievedPassage, ...], strategy: str
) -> None:
    first = next((hit.rank for hit in hits if hit.marks or hit.relevant), 1)
    ranks = [hit.rank for hit in hits]
    with st.container(horizontal=True, vertical_alignment="bottom"):
        rank = st.selectbox(
            "Chunk", ranks, ranks.index(first), key=f"_passage_{name}", width=90, label_visibility="collapsed"
        )
        hit = hits[ranks.index(rank)]
        offset = hit.marks[0].start if hit.marks else hit.own
        document_links.buttons(
            question_set.sources[hit.document], request.settings[strategy], offset, request.options.tools, f"hit_{name}"
        )
