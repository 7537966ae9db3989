"""The Retrieval part of Evaluate: do the chunks of a strategy help to find the answers?"""

from __future__ import annotations

import os

import streamlit as st

from chunking import ChunkscopeError
from chunking.jobs.queue import Job
from chunking.retrieval.evaluate import RetrievalOptions
from chunking.retrieval.measures import BUDGETS, Cutoffs
from chunking.retrieval.questions import own
from chunking.retrieval.questions.data import TRUTH_TITLES, QuestionSet
from chunking.retrieval.search.ranking import METHODS, Method
from chunking.retrieval.search.reranking import TOP, Reranking, get_reranker
from chunking.runtime.wording import plural
from pages.shared.evaluate import (
    answers,
    causes,
    doubtful_chunks,
    passages,
    question_editor,
    question_proposals,
    question_results,
    question_sets,
    retrieval_jobs,
    retrieval_results,
    verdict,
)
from pages.shared.evaluate.report_parts import choose_models
from pages.shared.evaluate.retrieval_jobs import Indexes, RetrievalRequest, RetrievalResult
from pages.shared.frame import frame, markup, runs
from pages.shared.server import hosts
from pages.shared.settings import controls, lane_settings

DEFAULT = "structural,changepoint,recursive,sentence,paragraph,heading"
"""The strategies that are evaluated by default."""

VIEWS = ("Verdict", "Results", "Sizes", "Questions", "Causes", "Answers", "Ask", "Notes", "How it is measured")
_TOKENS = ("250", "500", "1000", "2000", "4000")
_MOST_TOKENS = 1_000_000


def choose() -> RetrievalRequest:
    """Show the controls of the sidebar; return the evaluation that they ask for."""
    choice = question_sets.choose()
    methods: list[Method] = controls.several(
        "Retrievers", METHODS, name="search", default=list(METHODS), kind="pills", help=_SEARCH
    )
    budgets = _budgets()
    passages = controls.number("Top k", 1, 100, Cutoffs.passages, name="top_k", help=_PASSAGES)
    models = choose_models(choice.tools)
    settings = lane_settings.by_name(DEFAULT, embedding=True)
    options = RetrievalOptions(
        tuple(methods) or ("dense",), Cutoffs(int(passages), budgets), models, rerank=_reranking()
    )
    return RetrievalRequest(choice, settings, options)


_NO_RERANKER = "none"
_RERANKER = (
    "A cross-encoder of sentence-transformers that reads the query with each of the first chunks of every ranking, and "
    "orders them anew: more exact than comparing vectors, and much slower. Type a folder, or the name of a model on "
    "this machine; nothing is downloaded."
)


def _reranking() -> Reranking | None:
    """Show the controls of the second stage, where the server offers any; return it."""
    names = [name.strip() for name in os.environ.get("CHUNKSCOPE_RERANKERS", "").split(",") if name.strip()]
    if not names and not hosts.may_name_paths():
        return None
    name = controls.select(
        "Reranker", [_NO_RERANKER, *names], name="rerank", default=_NO_RERANKER, help=_RERANKER,
        accept_new_options=hosts.may_name_paths(),
    )  # fmt: skip
    if name == _NO_RERANKER:
        return None
    top = controls.number("Reranked", 1, 200, TOP, name="rerank_top", help="Chunks of each ranking that are reranked.")
    try:
        get_reranker(name)
    except ChunkscopeError as error:
        frame.show_error(error)
        return None
    return Reranking(name, int(top))


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
    entries = controls.several(
        "Context budget", _TOKENS, name="budgets", default=[str(budget) for budget in BUDGETS], help=_CONTEXT,
        accept_new_options=True,
    )  # fmt: skip
    result = set()
    for entry in entries:
        text = entry.strip().replace(",", "")
        if text.isascii() and text.isdigit() and len(text) < 8 and 1 <= int(text) <= _MOST_TOKENS:
            result.add(int(text))
        else:
            frame.show_error(
                ChunkscopeError(
                    f"The context budget {entry:.20} was left out.",
                    f"Enter a whole number of tokens from 1 to {_MOST_TOKENS:,}.",
                )
            )
    return tuple(sorted(result)) or BUDGETS


def show(request: RetrievalRequest) -> None:
    """Show the questions, their evaluation, and the search for free queries."""
    passages.style()
    choice = request.choice
    is_own = choice.name == question_sets.YOURS
    if is_own and choice.opened:
        if not question_sets.questions():
            frame.show_empty("You have no questions yet.", _NO_QUESTIONS)
        question_editor.show(choice.opened, request.options.tools)
        question_proposals.show(choice.opened, request.options.tools)
        doubtful_chunks.show(choice.opened, request)
    try:
        question_set = question_sets.get(choice)
    except ChunkscopeError as error:
        if not is_own:
            frame.show_error(error)
            return
        question_set = _corpus(request)
    if not request.settings:
        frame.show_empty("No strategy is selected.", "Add one under “Strategies” in the sidebar.")
        return
    if not question_set.questions:
        question_sets.show_remarks(question_set)
        show_ask(request, question_set, None)
        return
    result = retrieval_jobs.result_of(request, question_set)
    if not result:
        _head(question_set)
        _show_view(request, question_set, result)
        return
    line = retrieval_results.head(result)
    _show_view(request, question_set, result)
    with line:
        retrieval_results.show_exports(request, question_set, result)


_NO_QUESTIONS = (
    "Type one below and mark its answer in the text, let some be proposed under “Make questions”, or load a file with "
    "“Add questions” in the sidebar."
)


def _corpus(request: RetrievalRequest) -> QuestionSet:
    """Return the open documents as a set without questions, for free queries."""
    searched = question_sets.searched_documents(request.choice)
    sources = tuple(own.source(name, document) for name, document in searched.items())
    return QuestionSet(question_sets.YOURS, "spans", sources, ())


def _head(question_set: QuestionSet) -> None:
    """Show the question set before it is evaluated."""
    questions, documents = plural(len(question_set.questions), "question"), len(question_set.sources)
    summary = f"{questions} on {plural(documents, 'document')}, {TRUTH_TITLES[question_set.truth]}"
    markup.show(f'<b>{markup.escape(question_set.name)}</b><span class="cs-quiet cs-kind">{summary}</span>')
    question_sets.show_remarks(question_set)


def _show_view(request: RetrievalRequest, question_set: QuestionSet, result: RetrievalResult | None) -> None:
    """Show the selected view; those that need an evaluation show its progress until it is done."""
    view = controls.segments("View", VIEWS, name="look", label_visibility="collapsed")
    if result is not None and view != "Verdict":  # which has them below its rows
        retrieval_results.warn_of_languages(result)
    if view == "Ask":
        show_ask(request, question_set, result)
    elif result is None:
        _show_run(request, question_set)
    elif view == "Verdict":
        verdict.show(request, question_set, result)
    elif view == "Results":
        retrieval_results.results(result)
    elif view == "Sizes":
        retrieval_results.sizes(result)
    elif view == "Questions":
        question_results.show(request, question_set, result)
    elif view == "Causes":
        causes.show(request, question_set, result)
    elif view == "Answers":
        answers.show(request, question_set, result)
    elif view == "Notes":
        retrieval_results.notes(result)
    else:
        retrieval_results.how(result)


def _show_run(request: RetrievalRequest, question_set: QuestionSet) -> None:
    """Start the evaluation, or show its progress."""

    def start() -> Job:
        return retrieval_jobs.start(request, question_set)

    run = retrieval_jobs.run_of(request, question_set)
    if run is None and (
        request.choice.name == question_sets.SAMPLES or retrieval_jobs.is_interrupted(request, question_set)
    ):
        run = start()
    if run is None:
        strategies = plural(len(request.settings), "strategy", "strategies")
        runs.button(f"Evaluate {strategies}", start, "_evaluate", "play_arrow", type="primary")
        st.caption(
            "Runs in the background, one run at a time on this server. Embeddings and results are cached on disk, so "
            "repeating a run is quick, even after a restart."
        )
        return
    retrieval_jobs.forget_begun(run)
    if runs.show_unless_done(run, start):
        st.rerun()


# ---- a free query, for which no reference answer is needed


def show_ask(request: RetrievalRequest, question_set: QuestionSet, result: RetrievalResult | None) -> None:
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

    def start() -> Job:
        return retrieval_jobs.start_index(request, question_set, result, query)

    run = runs.runs().get(retrieval_jobs.index_key(request, question_set)) or start()
    if not runs.show_unless_done(run, start):
        return
    indexes: Indexes = run.result
    rows = {name: row for name, row in request.options.rows(request.settings).items() if row[0] in indexes}
    names = question_results.side_by_side(list(rows))
    rankings, evidence = {}, {}
    try:
        with st.spinner("Comparing the words of each chunk with the query…"):
            for name in names:
                strategy, method = rows[name]
                rankings[name] = indexes[strategy].search(query, method)
                evidence[name] = indexes[strategy].evidence(query, method, rankings[name])
    except ChunkscopeError as error:
        frame.show_error(error)
        return
    for name in names:
        strategy, method = rows[name]
        if method != "bm25" and indexes[strategy].searched.lists:
            st.caption(markup.plain(f"{name}: {indexes[strategy].searched.text}."))
    heads = {name: passages.context_words(request.settings[rows[name][0]].context) for name in names}
    question_results.columns(request, question_set, rankings, heads, evidence)
