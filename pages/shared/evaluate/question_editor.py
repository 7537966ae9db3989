"""The editor of the session's own questions: typed, their answers marked in the text, saved as a file."""

from __future__ import annotations

import streamlit as st

from chunking import ChunkscopeError
from chunking.retrieval.questions import own
from chunking.retrieval.questions.data import PROXIES, Question
from chunking.runtime.wording import plural
from chunking.store.documents import TEXT_LIMIT
from chunking.workspace import Models
from pages.shared.components.answer_marker import Span, answer_marker, marked
from pages.shared.components.workbench import send_text
from pages.shared.documents import documents
from pages.shared.documents.session_documents import OpenDocument
from pages.shared.evaluate import question_sets
from pages.shared.frame import frame, markup
from pages.shared.state import SessionValue, session, widget_value
from pages.shared.storage import session_library

_TEXT = "_own_question_text"
_REVISION = SessionValue("_own_question_revision", int)
_EDITED = SessionValue("_own_question_edited", lambda: ("", ""))
_MARKS: SessionValue[tuple[int, str, tuple[Span, ...]] | None] = SessionValue("_own_question_marks", session.empty)
_PROBLEM: SessionValue[ChunkscopeError | None] = SessionValue("_own_question_problem", session.empty)
_MARKER = "_answer_marker"
_SHOWN = 200
"""Questions that are listed; all of them are evaluated and saved."""


def show(opened: OpenDocument, tools: Models) -> None:
    """Show the questions on the document and the form for another one."""
    questions = question_sets.questions().get(opened.name, ())
    title = f"{plural(len(questions), 'question')} on {markup.plain(opened.title)}"
    with st.expander(title, expanded=not questions, icon=":material/quiz:", key=f"_own_questions_{opened.name}"):
        left, right = st.columns([3, 2])
        with left:
            _editor(opened, tools, questions)
        with right:
            _list(opened, questions)


def _editor(opened: OpenDocument, tools: Models, questions: tuple[Question, ...]) -> None:
    document = opened.document
    sentences = documents.workspace(opened, tools).sentences
    key = f"{document.key}-{len(sentences)}"
    revision = _REVISION.get()
    edited = _edited(opened, questions)
    send_text(key, document.text, sentences.spans, sentences.kinds)
    draft = _draft(opened)
    if not opened.is_transient:
        session_library.begin_draft(draft, _text_key())
    keep = None if opened.is_transient else session_library.keep_draft
    st.text_input(
        "Question", key=_text_key(), max_chars=own.WORDS, placeholder="What would a reader ask about this document?",
        persist_state="session", on_change=keep, args=(draft, _text_key()),
    )  # fmt: skip

    def take() -> None:
        spans = marked(_MARKER, key, revision, len(document.text))
        if spans is not None:
            _MARKS.set((revision, document.key, spans))

    take()
    others = [span for question in questions if question is not edited for span in question.spans]
    initial_marks = edited.spans if edited else ()
    answer_marker(_MARKER, key, initial_marks, others=others, revision=revision, on_event=take)
    problem = _PROBLEM.get()
    if problem:
        frame.show_error(problem)
    with st.container(horizontal=True):
        st.button(
            "Save question" if edited else "Add question", key="_own_question_add", type="primary",
            icon=":material/check:", on_click=_take, args=(opened, edited),
        )  # fmt: skip
        if edited:
            st.button("Cancel", key="_own_question_leave", on_click=_clear)


def _draft(opened: OpenDocument) -> str:
    return f"question {opened.name}"[:TEXT_LIMIT]


def _edited(opened: OpenDocument, questions: tuple[Question, ...]) -> Question | None:
    name, id = _EDITED.get()
    return next((question for question in questions if question.id == id), None) if name == opened.name else None


def _marks(opened: OpenDocument, edited: Question | None) -> tuple[Span, ...]:
    marks = _MARKS.get()
    if marks and marks[:2] == (_REVISION.get(), opened.document.key):
        return marks[2]
    return edited.spans if edited else ()


def _take(opened: OpenDocument, edited: Question | None) -> None:
    questions = question_sets.questions().get(opened.name, ())
    ids = [question.id for on in question_sets.questions().values() for question in on]
    try:
        id = edited.id if edited else own.next_id(ids)
        new_question = own.make_question(id, widget_value(_text_key(), ""), _marks(opened, edited), opened.document)
    except ChunkscopeError as error:
        _PROBLEM.set(error)
        return
    replaced = tuple(new_question if question.id == id else question for question in questions)
    question_sets.put(opened.name, replaced if edited else (*questions, new_question))
    session_library.drop_draft(_draft(opened))
    _clear()


def _text_key() -> str:
    """Return the key of the text field, a new one for each question, so that late input is not taken for the next."""
    return f"{_TEXT}_{_REVISION.get()}"


def _clear() -> None:
    session.forget_widget(_text_key())
    _REVISION.set(_REVISION.get() + 1)
    for slot in (_EDITED, _MARKS, _PROBLEM):
        slot.clear()


def _list(opened: OpenDocument, questions: tuple[Question, ...]) -> None:
    if not questions:
        st.caption(
            "Type a question, mark its answer in the text, and add it. Ten questions show how strategies differ; fifty "
            "allow a comparison. Questions on a document of your library are stored with it; save others as a file."
        )
    with st.container(height=430, border=False) if len(questions) > 3 else st.container():
        for question in questions[:_SHOWN]:
            _one(opened, question)
    if len(questions) > _SHOWN:
        st.caption(f"{len(questions) - _SHOWN:,} more are not listed.")
    all_questions = question_sets.questions()
    if all_questions:
        total = sum(map(len, all_questions.values()))
        st.download_button(
            f"Save {'all ' if len(all_questions) > 1 else ''}{total} as JSONL",
            lambda: question_sets.jsonl(all_questions),
            "questions.jsonl", "application/jsonl", key="_own_questions_save", on_click="ignore",
            icon=":material/download:",
        )  # fmt: skip


def _one(opened: OpenDocument, question: Question) -> None:
    text, edit, remove = st.columns([8, 1, 1], vertical_alignment="top", gap="small")
    first = opened.document.text[slice(*question.spans[0])]
    more = f" … and {len(question.spans) - 1} more" if len(question.spans) > 1 else ""
    made_by = f" · {'proxy' if question.origin in PROXIES else 'by a model'}" if question.origin else ""
    answer = markup.escape(" ".join(first.split())[:160] + more + made_by)
    with text:
        markup.show(f'<b>{markup.escape(question.text)}</b><div class="cs-quiet">{answer}</div>')
    edit.button(
        "", key=f"_own_edit_{question.id}", icon=":material/edit:", help="Edit", type="tertiary",
        on_click=_edit, args=(opened.name, question),
    )  # fmt: skip
    remove.button(
        "", key=f"_own_remove_{question.id}", icon=":material/delete:", help="Remove", type="tertiary",
        on_click=_remove, args=(opened.name, question.id),
    )  # fmt: skip


def _edit(name: str, question: Question) -> None:
    _clear()
    _EDITED.set((name, question.id))
    session.set_widget(_text_key(), question.text)


def _remove(name: str, id: str) -> None:
    _clear()
    question_sets.put(name, tuple(other for other in question_sets.questions()[name] if other.id != id))
