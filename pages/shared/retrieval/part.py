"""The Retrieval part of Evaluate: do the chunks of a strategy help to find the answers?"""

from __future__ import annotations

import streamlit as st

from chunking import ChunkscopeError
from chunking.retrieval.evaluate import RetrievalOptions
from chunking.retrieval.measures import BUDGETS, Cutoffs
from chunking.retrieval.questions.data import TRUTH_TITLES, QuestionSet
from chunking.retrieval.search.ranking import METHODS, Method
from chunking.workspace import Tools
from pages.shared.documents import reading
from pages.shared.frame import frame, markup
from pages.shared.frame import runs as retrieval_runs
from pages.shared.retrieval import ask as retrieval_ask
from pages.shared.retrieval import causes as retrieval_causes
from pages.shared.retrieval import check as retrieval_check
from pages.shared.retrieval import data as retrieval_data
from pages.shared.retrieval import jobs as retrieval_jobs
from pages.shared.retrieval import questions as retrieval_questions
from pages.shared.retrieval import rendering
from pages.shared.retrieval import rows as retrieval_rows
from pages.shared.retrieval import views as retrieval_views
from pages.shared.retrieval.jobs import RetrievalRequest, RetrievalResult
from pages.shared.settings import controls, lane_settings

DEFAULT = "structural,changepoint,recursive,sentence,paragraph,heading"
"""The strategies that are evaluated by default."""

VIEWS = ("Results", "Sizes", "Questions", "Causes", "Ask", "Notes", "How it is measured")
_TOKENS = ("250", "500", "1000", "2000", "4000")
_MOST_TOKENS = 1_000_000


def choose() -> RetrievalRequest:
    """Show the controls of the sidebar; return the evaluation that they ask for."""
    chosen = retrieval_data.choose()
    methods: list[Method] = controls.several(
        "Retrievers", METHODS, name="search", default=list(METHODS), kind="pills", help=_SEARCH
    )
    budgets = _budgets()
    passages = controls.number("Top k", 1, 100, Cutoffs.passages, name="top_k", help=_PASSAGES)
    with st.expander("Models", icon=":material/translate:"):
        if chosen.tools:
            encoder, problem = chosen.tools.encoder, None
        else:
            encoder, problem = reading.encoder()
        tokenizer = controls.tokenizer(encoder)
    if problem:
        frame.show_error(problem)
    settings = lane_settings.by_name(DEFAULT, embedding=True)
    tools = Tools(encoder, tokenizer, chosen.tools.splitter if chosen.tools else None)
    return RetrievalRequest(
        chosen, settings, RetrievalOptions(tuple(methods) or ("dense",), Cutoffs(int(passages), budgets), tools)
    )


_SEARCH = "dense: by meaning, with the encoder; bm25: by words; hybrid: both rankings combined."
_PASSAGES = (
    "Retrieved chunks that count for recall, precision, IoU and hit rate, and for the measures of judged documents. "
    "Where strategies make chunks of different sizes, the context budget is the fairer comparison."
)
_CONTEXT = (
    "Recall within this many tokens of the ranking, the same for every strategy. The middle value is the main measure."
)


def _budgets() -> tuple[int, ...]:
    """Return the context budgets in tokens, ascending; report invalid ones and leave them out."""
    given = controls.several(
        "Context budget", _TOKENS, name="budgets", default=[str(each) for each in BUDGETS], help=_CONTEXT,
        accept_new_options=True,
    )  # fmt: skip
    result = set()
    for each in given:
        text = each.strip().replace(",", "")
        if text.isascii() and text.isdigit() and len(text) < 8 and 1 <= int(text) <= _MOST_TOKENS:
            result.add(int(text))
        else:
            frame.show_error(
                ChunkscopeError(
                    f"The context budget {each:.20} was left out.",
                    f"Enter a whole number of tokens from 1 to {_MOST_TOKENS:,}.",
                )
            )
    return tuple(sorted(result)) or BUDGETS


def show(request: RetrievalRequest) -> None:
    """Show the questions, their evaluation, and the search for free queries."""
    rendering.style()
    chosen = request.chosen
    own = chosen.name == retrieval_data.YOURS
    if own and chosen.opened:
        retrieval_questions.show(chosen.opened, request.options.tools)
        retrieval_check.show(chosen.opened, request)
    try:
        question_set = retrieval_data.get(chosen)
    except ChunkscopeError as error:
        if not own:
            frame.show_error(error)
            return
        question_set = _corpus(request)
    if not request.settings:
        frame.show_empty("No strategy is selected.", "Add one under “Strategies” in the sidebar.")
        return
    if not question_set.questions:
        retrieval_data.show_remarks(question_set)
        retrieval_ask.show(request, question_set, None)
        return
    result = retrieval_jobs.result_of(request, question_set)
    if not result:
        _head(question_set)
        _chosen(request, question_set, result)
        return
    line = retrieval_views.head(result)
    _chosen(request, question_set, result)
    with line:
        retrieval_views.exports(request, question_set, result)


def _corpus(request: RetrievalRequest) -> QuestionSet:
    """Return the open documents as a set without questions, for free queries."""
    from chunking.retrieval.questions import own

    sources = [
        own.source(name, document) for name, document in retrieval_data.searched_documents(request.chosen).items()
    ]
    return QuestionSet(retrieval_data.YOURS, "spans", tuple(sources), ())


def _head(question_set: QuestionSet) -> None:
    """Show the question set before it is evaluated."""
    questions, documents = (
        f"{len(some):,} {word}{'s' * (len(some) != 1)}"
        for some, word in ((question_set.questions, "question"), (question_set.sources, "document"))
    )
    summary = f"{questions} on {documents}, {TRUTH_TITLES[question_set.truth]}"
    markup.show(f'<b>{markup.escape(question_set.name)}</b><span class="cs-quiet cs-kind">{summary}</span>')
    retrieval_data.show_remarks(question_set)


def _chosen(request: RetrievalRequest, question_set: QuestionSet, result: RetrievalResult | None) -> None:
    """Show the selected view; those that need an evaluation show its progress until it is done."""
    view = controls.segments("View", VIEWS, name="look", label_visibility="collapsed")
    if view == "Ask":
        retrieval_ask.show(request, question_set, result)
    elif result is None:
        _run(request, question_set)
    elif view == "Results":
        retrieval_views.results(result)
    elif view == "Sizes":
        retrieval_views.sizes(result)
    elif view == "Questions":
        retrieval_rows.show(request, question_set, result)
    elif view == "Causes":
        retrieval_causes.show(request, question_set, result)
    elif view == "Notes":
        retrieval_views.notes(question_set, result)
    else:
        retrieval_views.how(result)


def _run(request: RetrievalRequest, question_set: QuestionSet) -> None:
    """Start the evaluation, or show its progress."""

    def start() -> retrieval_runs.Job:
        return retrieval_jobs.start(request, question_set)

    run = retrieval_jobs.run_of(request, question_set)
    if run is None and (
        request.chosen.name == retrieval_data.SAMPLES or retrieval_jobs.is_interrupted(request, question_set)
    ):
        run = start()
    if run is None:
        strategies = f"strateg{'ies' if len(request.settings) != 1 else 'y'}"
        retrieval_runs.button(
            f"Evaluate {len(request.settings)} {strategies}", start, "_evaluate", "play_arrow", type="primary"
        )
        st.caption(
            "Runs in the background, one run at a time on this server. Embeddings and results are cached on disk, so "
            "repeating a run is quick, even after a restart."
        )
        return
    retrieval_jobs.forget_begun(run)
    if retrieval_runs.shown(run, start):
        st.rerun()
