"""Questions that nobody typed: made of the open documents or written by a model, each to be accepted or rejected."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Literal

import streamlit as st

from chunking import ChunkscopeError
from chunking.document import Document
from chunking.isolation.workers import Task
from chunking.jobs.queue import Job
from chunking.retrieval import tasks
from chunking.retrieval.questions import generated, own
from chunking.retrieval.questions.chat import ChatModel
from chunking.retrieval.questions.data import PROXIES, Question
from chunking.retrieval.questions.generated import GenerationPlan, Wording
from chunking.runtime.progress import Tell
from chunking.runtime.wording import plural
from chunking.workspace import Models
from pages.shared.documents import documents, session_documents
from pages.shared.documents.session_documents import OpenDocument
from pages.shared.evaluate import chat_models, question_sets
from pages.shared.frame import frame, markup, runs
from pages.shared.state import SessionValue, session, widget_value

Source = Literal["headings", "sentences", "model"]

MOST = 100
"""Questions that are proposed at once."""

_NUMBER = 30
_NUMBER_KEY = "_proposed_number"
_ACCEPT = "_proposed_accept"
_QUOTED = 240
"""Characters of an answer that are shown."""


@dataclass(frozen=True)
class ProposalRequest:
    """What questions are made of.

    Attributes:
        source: headings, sentences or a model.
        number: of questions, at most.
        hashes: of the texts of the documents, by name.
        splitter: of sentences; ``None`` for that of the language.
        confirmed: whether passages may be sent to the model.
    """

    source: Source
    number: int
    hashes: tuple[tuple[str, str], ...]
    splitter: str | None
    confirmed: bool = False

    def key(self, *about: str) -> str:
        """Return the identity of the result, with what else it is made of."""
        made_of = repr((self.source, self.number, self.hashes, self.splitter, about))
        return "questions/" + hashlib.sha256(made_of.encode("utf-8", "backslashreplace")).hexdigest()


@dataclass(frozen=True)
class Proposals:
    """Questions to decide on.

    Attributes:
        questions: by the name of their document.
        left_out: what was dropped, by the reason.
        about: what they are, in a sentence.
    """

    questions: Mapping[str, tuple[Question, ...]]
    left_out: Mapping[str, int]
    about: str


_REQUEST: SessionValue[ProposalRequest | None] = SessionValue("_proposed_request", session.empty)
_PROBLEM: SessionValue[ChunkscopeError | None] = SessionValue("_proposed_problem", session.empty)


def show(opened: OpenDocument, tools: Models) -> None:
    """Show the ways to make questions on the open documents, and the questions to accept or reject."""
    request = _REQUEST.get()
    with st.expander(
        "Make questions", expanded=request is not None, icon=":material/auto_awesome:", key="_proposed_questions"
    ):
        model, problem = chat_models.configured()
        _show_sources(opened, tools, model)
        for error in (problem, _PROBLEM.get()):
            if error:
                frame.show_error(error)
        if request is None:
            st.caption(_ABOUT)
            return
        texts = {name: documents.get(name).document for name, _ in request.hashes if name in documents.open_names()}
        if tuple((name, document.text_hash) for name, document in texts.items()) != request.hashes:
            frame.show_empty("The documents have changed.", "Make the questions again.")
            return
        if request.source != "model":
            _show_proxies(request, texts, tools)
        elif model is not None:
            _show_model(request, texts, tools, model)


_ABOUT = (
    "On the open document and on your other open documents. Headings ask for their sections, sentences for what stands "
    "around them: proxies, which rank strategies only roughly as questions of people do. What they are made of is not "
    "searched while the questions are evaluated."
)


def _show_sources(opened: OpenDocument, tools: Models, model: ChatModel | None) -> None:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.number_input("At most", 1, MOST, _NUMBER, key=_NUMBER_KEY, width=120)
        titles: dict[Source, str] = {"headings": "From headings", "sentences": "From sentences"}
        icons: dict[Source, str] = {"headings": "title", "sentences": "notes", "model": "smart_toy"}
        if model is not None:
            titles["model"] = f"From {markup.plain(model.name)}"
        for source, title in titles.items():
            st.button(
                title, key=f"_propose_{source}", icon=f":material/{icons[source]}:", on_click=_request,
                args=(opened.name, source, tools.splitter),
            )  # fmt: skip


def _request(opened: str, source: Source, splitter: str | None) -> None:
    """Request questions on the open document and on the user's other documents."""
    names = dict.fromkeys((opened, *session_documents.kept()))
    hashes = tuple((name, documents.get(name).document.text_hash) for name in names)
    _PROBLEM.clear()
    _REQUEST.set(ProposalRequest(source, int(widget_value(_NUMBER_KEY, _NUMBER)), hashes, splitter))


def _show_proxies(request: ProposalRequest, texts: Mapping[str, Document], tools: Models) -> None:
    source: Literal["headings", "sentences"] = "headings" if request.source == "headings" else "sentences"
    queue = runs.runs()

    def work(tell: Tell) -> Proposals:
        made = queue.call(Task(tasks.make_proxies, (texts, source, request.number, tools)), tell)
        origin = next(question.origin for questions in made.questions.values() for question in questions)
        return Proposals(
            made.questions,
            {f"{request.source} {reason}": count for reason, count in made.left_out.items()},
            f"Proxies: {PROXIES[origin]}. Nobody asked these questions.",
        )

    def start() -> Job:
        return queue.start("questions", request.key(), "Making questions", work, _hashes(request))

    run = queue.get(request.key()) or start()
    if runs.show_unless_done(run, start):
        _decide(request, run.result, texts)


def _hashes(request: ProposalRequest) -> frozenset[str]:
    return frozenset(text_hash for _, text_hash in request.hashes)


# --- from a model ----------------------------------------------------------------------------------------------------


def _show_model(request: ProposalRequest, texts: Mapping[str, Document], tools: Models, model: ChatModel) -> None:
    """Show what would be sent; once that is confirmed, the progress and then the questions."""
    queue = runs.runs()

    def start_plan() -> Job:
        task = Task(tasks.plan_questions, (texts, request.number, tools))
        return queue.start(
            "questions", request.key("plan"), "Choosing passages", lambda tell: queue.call(task, tell), _hashes(request)
        )

    planned = queue.get(request.key("plan")) or start_plan()
    if not runs.show_unless_done(planned, start_plan):
        return
    plan: GenerationPlan = planned.result
    if not request.confirmed:
        _confirm(request, plan, model)
        return
    existing = [
        Wording(question.text, texts[name].text[slice(*question.spans[0])])
        for name, questions in question_sets.questions().items()
        if name in texts
        for question in questions
    ]
    key = request.key(model.name, model.where.base_url, generated.prompt_hash())
    date = datetime.now(UTC).date().isoformat()

    def work(tell: Tell) -> Proposals:
        # In this process, which alone knows the key of the endpoint.
        made = generated.generate(plan, model, date, existing=existing, tell=tell)
        sent = f" {model.tokens_sent:,} tokens sent, {model.tokens_received:,} received." if model.tokens_sent else ""
        about = f"Written by {model.name} at {model.where.host}, with {plural(model.calls, 'call')}.{sent}"
        return Proposals(made.questions, made.left_out, about)

    def start() -> Job:
        return queue.start("questions", key, f"Writing questions with {model.name}", work, _hashes(request))

    run = queue.get(key) or start()
    if runs.show_unless_done(run, start):
        _decide(request, run.result, texts)


def _confirm(request: ProposalRequest, plan: GenerationPlan, model: ChatModel) -> None:
    where = "in this server's own network" if model.where.is_local else "on the internet"
    st.caption(
        markup.plain(
            f"Passages of {plural(len(plan.documents), 'document')} would be sent to {model.where.host}, {where}: "
            f"about {plural(plan.calls, 'call')}, {plan.tokens_sent:,} tokens sent, {plan.tokens_received:,} received; "
            f"if many questions are dropped, at most {plan.most_calls:,} calls."
        )
    )
    with st.container(horizontal=True):
        st.button(
            f"Send to {markup.plain(model.where.host)}", key="_propose_send", type="primary", icon=":material/send:",
            on_click=_REQUEST.set, args=(replace(request, confirmed=True),),
        )  # fmt: skip
        st.button("Cancel", key="_propose_cancel", on_click=_REQUEST.clear)


# --- accept or reject ------------------------------------------------------------------------------------------------


def _decide(request: ProposalRequest, proposals: Proposals, texts: Mapping[str, Document]) -> None:
    """Show each question with its answer and a box to accept it."""
    st.caption(markup.plain(proposals.about))
    rows = list(_rows(request, proposals))
    total = len(rows)
    if not total:
        frame.show_empty(
            "No question is left.",
            "Choose another source or a higher number. Questions that you have are not proposed again.",
        )
    with st.container(height=430) if total > 4 else st.container():
        for key, name, question in rows:
            box, words = st.columns([1, 24], gap="small")
            box.checkbox(f"Accept: {markup.plain(question.text)}", value=True, key=key, label_visibility="collapsed")
            quote = " … ".join(" ".join(texts[name].text[start:end].split()) for start, end in question.spans)
            about = markup.escape(f"{quote[:_QUOTED]}{'…' if len(quote) > _QUOTED else ''}")
            with words:
                title = markup.escape(documents.get(name).title) if len(proposals.questions) > 1 else ""
                markup.show(
                    f'<b>{markup.escape(question.text)}</b><div>{about}</div><div class="cs-quiet">{title}</div>'
                )
    with st.container(horizontal=True):
        if total:
            st.button(
                "Add the accepted questions", key="_propose_accept", type="primary", icon=":material/check:",
                on_click=_accept, args=(request, proposals),
            )  # fmt: skip
        st.button("Reject all", key="_propose_reject", on_click=_REQUEST.clear)
    if proposals.left_out:
        counts = "; ".join(f"{count:,} {reason}" for reason, count in sorted(proposals.left_out.items()))
        st.caption(markup.plain(f"Left out: {counts}."))


def _rows(request: ProposalRequest, proposals: Proposals) -> Iterator[tuple[str, str, Question]]:
    """Yield the key of the box, the document and the question of each row, without those that were accepted before."""
    base = f"{_ACCEPT}_{request.key()[-12:]}"
    for name, questions in proposals.questions.items():
        accepted = {(question.text, question.answers) for question in question_sets.questions().get(name, ())}
        for question in questions:
            if (question.text, question.answers) not in accepted:
                yield f"{base}_{question.id}", name, question


def _accept(request: ProposalRequest, proposals: Proposals) -> None:
    """Add the accepted questions to the user's own."""
    accepted: dict[str, list[Question]] = {}
    for key, name, question in _rows(request, proposals):
        if widget_value(key, True):
            accepted.setdefault(name, []).append(question)
    ids = [question.id for on in question_sets.questions().values() for question in on]
    for name, questions in accepted.items():
        numbered = []
        for question in questions:
            ids.append(own.next_id(ids))
            numbered.append(replace(question, id=ids[-1]))
        question_sets.put(name, (*question_sets.questions().get(name, ()), *numbered))
    _REQUEST.clear()
