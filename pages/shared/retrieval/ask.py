"""Ask anything: what words find in the passages of each row; no truth is needed."""

from __future__ import annotations

import streamlit as st

from chunking import ChunkscopeError
from chunking.retrieval.misses.ask import Hit
from chunking.retrieval.questions import own
from chunking.retrieval.questions.data import QuestionSet
from chunking.retrieval.search.ranking import Method
from pages.shared.frame import frame, markup
from pages.shared.retrieval import found as retrieval_found
from pages.shared.retrieval import rows as retrieval_rows
from pages.shared.retrieval import runs as retrieval_runs
from pages.shared.retrieval.found import Asked, Found, Indexes
from pages.shared.settings import controls


def show(asked: Asked, known: QuestionSet, found: Found | None) -> None:
    """The box, and what its words find."""
    query: str = st.text_input(
        "Ask anything",
        max_chars=own.WORDS,
        placeholder="Words of your own; the answer need not be known",
        **controls.bound("ask", "What these words find in the passages of each row, the best first."),
    )
    if not query.strip():
        return

    def start() -> retrieval_runs.Run:
        return retrieval_found.start_index(asked, known, found, query)

    run = retrieval_runs.runs().get(retrieval_found.index_key(asked, known)) or start()
    if not retrieval_runs.shown(run, start):
        return
    rows = retrieval_found.rows(asked)
    names = retrieval_rows.side_by_side([name for name in rows if rows[name][0] in run.result])
    try:
        rankings = {name: _asked(run.result, query, *rows[name]) for name in names}
    except ChunkscopeError as error:
        frame.show_error(error)
        return
    for name in names:
        strategy, method = rows[name]
        if method != "bm25" and run.result[strategy].searched.lists:
            st.caption(markup.plain(f"{name}: {run.result[strategy].searched.text}."))
    retrieval_rows.columns(asked, known, rankings)


def _asked(indexes: Indexes, query: str, strategy: str, method: Method) -> tuple[Hit, ...]:
    return indexes[strategy].ask(query, method)
