"""Evaluate, the part on retrieval: does the cut help to find the answer?"""

from __future__ import annotations

import streamlit as st

from chunking import ChunkscopeError
from chunking.retrieval.evaluate import Options
from chunking.retrieval.measures import BUDGETS, Kept
from chunking.retrieval.questions.data import TRUTH_TITLES, QuestionSet
from chunking.retrieval.search.ranking import METHODS, Method
from chunking.workspace import Tools
from pages.shared.documents import reading
from pages.shared.frame import frame, markup
from pages.shared.retrieval import ask as retrieval_ask
from pages.shared.retrieval import causes as retrieval_causes
from pages.shared.retrieval import check as retrieval_check
from pages.shared.retrieval import data as retrieval_data
from pages.shared.retrieval import found as retrieval_found
from pages.shared.retrieval import look as retrieval_look
from pages.shared.retrieval import open as retrieval_open
from pages.shared.retrieval import questions as retrieval_questions
from pages.shared.retrieval import rows as retrieval_rows
from pages.shared.retrieval import runs as retrieval_runs
from pages.shared.retrieval import views as retrieval_views
from pages.shared.retrieval.found import Asked, Found
from pages.shared.settings import controls, lane_settings

DEFAULT = "structural,changepoint,recursive,sentence,paragraph,heading"
"""What is evaluated before the user chooses."""

VIEWS = ("Results", "Sizes", "Questions", "Causes", "Ask", "Notes", "How it is measured")
_TOKENS = ("250", "500", "1000", "2000", "4000")
_MOST_TOKENS = 1_000_000


def choose() -> Asked:
    """The controls of the sidebar, and what they ask for."""
    chosen = retrieval_data.choose()
    methods: list[Method] = st.pills(
        "Ways to search", METHODS, selection_mode="multi", default=["dense"], **controls.bound("search", _SEARCH)
    )
    budgets = _budgets()
    passages = st.number_input("Passages looked at", 1, 100, Kept.passages, **controls.bound("top_k", _PASSAGES))
    with st.expander("Models", icon=":material/translate:"):
        if chosen.tools:
            encoder, problem = chosen.tools.encoder, None
        else:
            encoder, problem = reading.encoder()
        tokenizer = controls.tokenizer()
    if problem:
        frame.show_error(problem)
    settings = lane_settings.by_name(DEFAULT)
    tools = Tools(encoder, tokenizer, chosen.tools.splitter if chosen.tools else None)
    return Asked(chosen, settings, Options(tuple(methods) or ("dense",), Kept(int(passages), budgets), tools))


_SEARCH = "dense: by meaning, with the encoder; bm25: by words; hybrid: both rankings joined."
_PASSAGES = (
    "Of recall, precision, IoU and hit, and of the measures of judged documents. Passages of unequal size make it an "
    "unequal comparison; tokens of context do not."
)
_CONTEXT = (
    "How much of a ranking is read, the same for every strategy: recall within so many tokens. The middle one decides."
)


def _budgets() -> tuple[int, ...]:
    """The numbers of tokens, ascending; what is none is told and left out."""
    given: list[str] = st.multiselect(
        "Tokens of context", _TOKENS, [str(each) for each in BUDGETS], accept_new_options=True,
        **controls.bound("budgets", _CONTEXT),
    )  # fmt: skip
    found = set()
    for each in given:
        text = each.strip().replace(",", "")
        if text.isascii() and text.isdigit() and len(text) < 8 and 1 <= int(text) <= _MOST_TOKENS:
            found.add(int(text))
        else:
            frame.show_error(ChunkscopeError(f"{each:.20} is no number of tokens.", "It was left out."))
    return tuple(sorted(found)) or BUDGETS


def show(asked: Asked) -> None:
    """The questions, what they came to, and what can be asked."""
    retrieval_open.leave()
    retrieval_look.style()
    chosen = asked.chosen
    own = chosen.name == retrieval_data.YOURS
    if own and chosen.opened:
        retrieval_questions.show(chosen.opened, asked.options.tools)
        retrieval_check.show(chosen.opened, asked)
    try:
        known = retrieval_data.get(chosen)
    except ChunkscopeError as error:
        if not own:
            frame.show_error(error)
            return
        known = _corpus(asked)
    if not asked.settings:
        st.info("There is no strategy to evaluate. Add one in the sidebar, under “Strategies”.")
        return
    if not known.questions:
        retrieval_data.told(known)
        retrieval_ask.show(asked, known, None)
        return
    found = retrieval_found.found(asked, known)
    if found:
        retrieval_views.head(asked, known, found)
    else:
        _head(known)
    _chosen(asked, known, found)


def _corpus(asked: Asked) -> QuestionSet:
    """The open document without a question, of which anything can be asked."""
    from chunking.retrieval.questions import own

    sources = [own.source(name, document) for name, document in retrieval_data.searched(asked.chosen).items()]
    return QuestionSet(retrieval_data.YOURS, "spans", tuple(sources), ())


def _head(known: QuestionSet) -> None:
    """What would be asked."""
    asked, on = (
        f"{len(some):,} {word}{'s' * (len(some) != 1)}"
        for some, word in ((known.questions, "question"), (known.sources, "document"))
    )
    said = f"{asked} on {on}, {TRUTH_TITLES[known.truth]}"
    markup.show(f'<b>{markup.escape(known.name)}</b><span class="cs-quiet cs-kind">{said}</span>')
    retrieval_data.told(known)


def _chosen(asked: Asked, known: QuestionSet, found: Found | None) -> None:
    """The view that is chosen; what needs an evaluation shows how that stands."""
    view = st.segmented_control(
        "View", VIEWS, default=VIEWS[0], required=True, label_visibility="collapsed", **controls.bound("look", "")
    )
    if view == "Ask":
        retrieval_ask.show(asked, known, found)
    elif found is None:
        _run(asked, known)
    elif view == "Results":
        retrieval_views.results(found)
    elif view == "Sizes":
        retrieval_views.sizes(found)
    elif view == "Questions":
        retrieval_rows.show(asked, known, found)
    elif view == "Causes":
        retrieval_causes.show(asked, known, found)
    elif view == "Notes":
        retrieval_views.notes(known, found)
    else:
        retrieval_views.how(found)


def _run(asked: Asked, known: QuestionSet) -> None:
    """Start the evaluation, or show how it stands."""

    def start() -> retrieval_runs.Run:
        return retrieval_found.start(asked, known)

    run = retrieval_found.run_of(asked, known)
    if run is None and asked.chosen.name == retrieval_data.SAMPLES:
        run = start()
    if run is None:
        strategies = f"strateg{'ies' if len(asked.settings) != 1 else 'y'}"
        retrieval_runs.button(
            f"Evaluate {len(asked.settings)} {strategies}", start, "_evaluate", "play_arrow", type="primary"
        )
        st.caption(
            "It runs behind the page, one run at a time on this server. What is embedded stays in the cache and the "
            "result on disk, so the same again takes a moment, after a new start of the server too."
        )
        return
    if retrieval_runs.shown(run, start):
        st.rerun()
