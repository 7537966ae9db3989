"""The Ask view: rank the chunks of each strategy for a free query; no reference answers are needed."""

from __future__ import annotations

import streamlit as st

from chunking import ChunkscopeError
from chunking.retrieval.misses.passage_index import RetrievedPassage, SearchEvidence
from chunking.retrieval.questions import own
from chunking.retrieval.questions.data import QuestionSet
from chunking.retrieval.search.ranking import Method
from pages.shared.frame import frame, markup
from pages.shared.frame import runs as retrieval_runs
from pages.shared.retrieval import jobs as retrieval_jobs
from pages.shared.retrieval import rendering
from pages.shared.retrieval import rows as retrieval_rows
from pages.shared.retrieval.jobs import Indexes, RetrievalRequest, RetrievalResult
from pages.shared.settings import controls


def show(request: RetrievalRequest, question_set: QuestionSet, result: RetrievalResult | None) -> None:
    """Show the query box and the chunks that it retrieves."""
    query = controls.text(
        "Ask anything",
        name="ask",
        max_chars=own.WORDS,
        placeholder="Your own query; no known answer is needed",
        help="Ranks the chunks of each strategy for this query, best first.",
    )
    if not query.strip():
        frame.show_empty(
            "There is no query yet.",
            "Type one above: the chunks of each strategy are ranked for it.",
        )
        return

    def start() -> retrieval_runs.Job:
        return retrieval_jobs.start_index(request, question_set, result, query)

    run = retrieval_runs.runs().get(retrieval_jobs.index_key(request, question_set)) or start()
    if not retrieval_runs.shown(run, start):
        return
    rows = retrieval_jobs.rows(request)
    names = retrieval_rows.side_by_side([name for name in rows if rows[name][0] in run.result])
    try:
        rankings = {name: _ranking(run.result, query, *rows[name]) for name in names}
        with st.spinner("Comparing the words of each chunk with the query…"):
            evidence = {name: _evidence(run.result, query, *rows[name], rankings[name]) for name in names}
    except ChunkscopeError as error:
        frame.show_error(error)
        return
    for name in names:
        strategy, method = rows[name]
        if method != "bm25" and run.result[strategy].searched.lists:
            st.caption(markup.plain(f"{name}: {run.result[strategy].searched.text}."))
    heads = {name: rendering.context_words(request.settings[rows[name][0]].context) for name in names}
    retrieval_rows.columns(request, question_set, rankings, heads, evidence)


def _evidence(
    indexes: Indexes, query: str, strategy: str, method: Method, found: tuple[RetrievedPassage, ...]
) -> tuple[SearchEvidence, ...]:
    return indexes[strategy].evidence(query, method, found)


def _ranking(indexes: Indexes, query: str, strategy: str, method: Method) -> tuple[RetrievedPassage, ...]:
    return indexes[strategy].search(query, method)
