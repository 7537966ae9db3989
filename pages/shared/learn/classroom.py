"""Class exercises on the page: opening one, predicting without a name, and the teacher's view of all predictions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlencode, urlsplit

import numpy as np
import streamlit as st

from chunking import ChunkscopeError
from chunking.classroom import results
from chunking.classroom.exercises import Exercise, ExerciseStore
from chunking.classroom.results import ClassResults
from chunking.runtime.arrays import Int64
from pages.shared import identity, state
from pages.shared.components.gap_picker import GapMarks, gap_picker, picked_gaps
from pages.shared.frame import frame, markup
from pages.shared.learn import chapter, lesson, progress
from pages.shared.learn.chapter import Passage
from pages.shared.learn.figures.outcomes import STRATEGIES
from pages.shared.learn.figures.scene import Scene
from pages.shared.learn.lesson import Lesson, cuts_of
from pages.shared.learn.texts import CHAPTERS, Texts
from pages.shared.reference import review_store
from pages.shared.settings import controls
from pages.shared.state import Slot, session

CLASS, TEACHER = "class", "teacher"
_SETTING, _SURE = "strategy", "_learn_class_sure"
_PROBLEM: Slot[ChunkscopeError | None] = Slot("_learn_class_problem", session.empty)
_DELETED = Slot("_learn_class_deleted", bool)
_TEACHER_SECONDS, _STUDENT_SECONDS = 2.0, 8.0
"""How often the views look for predictions and for the end."""
_LOCAL = ("localhost", "127.0.0.1", "::1")


@dataclass(frozen=True, eq=False)
class Shown:
    """An exercise as it is shown.

    Attributes:
        exercise: from the database.
        lesson: its text, measured.
        passage: its text as it is predicted on.
        texts: the language of the page.
    """

    exercise: Exercise
    lesson: Lesson
    passage: Passage
    texts: Texts

    @property
    def gaps(self) -> int:
        """Number of gaps."""
        return len(self.passage.pieces) - 1

    def engine(self) -> Int64:
        """Return the gaps that the strategy of the exercise cuts."""
        if self.exercise.chapter == CHAPTERS[0]:
            return self.lesson.candidates.ends
        none = np.empty(0, dtype=np.int64)
        return cuts_of(Scene(self.lesson, self.texts, none).run(self.exercise.setting))

    def others(self) -> Mapping[str, Int64]:
        """Return what the predictions are compared with, by its title."""
        found = {} if self.passage.gold is None else {self.texts["gold"]: self.passage.gold}
        return found | {self.texts["engine"]: self.engine()}


def store() -> ExerciseStore:
    """Return the exercises of this server.

    Raises:
        ChunkscopeError: the database cannot be used.
    """
    return ExerciseStore(review_store.connected())


# ---- opening one


def opener(name: str, texts: Texts) -> None:
    """Draw what opens an exercise with the chapter and the text that are shown."""
    with st.expander(texts["class_title"]):
        st.caption(texts["class_help"])
        setting = controls.select(texts["engine"], tuple(STRATEGIES), name=_SETTING)
        st.button(texts["class_start"], key="_learn_class_open", on_click=_open, args=(name, STRATEGIES[setting]))
    if problem := _PROBLEM.pop():
        frame.show_error(problem)


def _open(name: str, setting: str) -> None:
    try:
        identity.current().require("reviewer", "Opening a class exercise")
        text = progress.get(progress.OWN_TEXT) or lesson.sample_of(name).workspace.document.text
        made, token = store().open(text, setting, name)
    except ChunkscopeError as error:
        _PROBLEM.set(error)
        return
    state.current().put(CLASS, made.code)
    state.current().put(TEACHER, token)


# ---- an exercise


def show(code: str, texts: Texts) -> None:
    """Show an exercise: to its teacher all predictions, to anybody else the text to predict on."""
    state.current().write()
    if identity.current().may("reader"):
        st.button(texts["class_leave"], key="_learn_class_leave", on_click=_leave, icon=":material/logout:")
    if _DELETED.pop():
        st.info(texts["class_deleted"])
        return
    try:
        exercise = store().get(code)
        is_teacher = may_manage(code)
        measured = lesson.of_text(exercise.text, exercise.chapter)
    except ChunkscopeError as error:
        frame.show_error(error)
        return
    shown = Shown(exercise, measured, chapter.passage(exercise.chapter, measured), texts)
    status = texts["class_ended"] if exercise.ended else texts["class_running"]
    markup.show(
        f"<h2>{markup.escape(texts['class_code'].format(code=code))}</h2>"
        f'<p class="cs-quiet">{markup.escape(status)}</p>'
        f"<p><b>{markup.escape(texts['predict'])}.</b> {markup.escape(texts.chapters[exercise.chapter].task)}</p>"
    )
    (teach if is_teacher else study)(shown)


def may_manage(code: str) -> bool:
    """Return whether the session is that of the teacher of an exercise, or of an admin who is logged in."""
    who, token = identity.current(), state.current().text(TEACHER)
    return (who.is_known and who.may("admin")) or (bool(token) and store().is_teacher(code, token))


def _leave() -> None:
    for name in (CLASS, TEACHER):
        state.current().put(name, None)


def link(code: str, token: str = "") -> str:
    """Return the address of an exercise; with the token that of its teacher."""
    here = urlsplit(st.context.url or "")
    query = {CLASS: code} | ({TEACHER: token} if token else {})
    return f"{here.scheme or 'http'}://{here.netloc or 'localhost'}{here.path or '/learn'}?{urlencode(query)}"


# ---- the student


def study(shown: Shown) -> None:
    """Let a student predict; show the result once the exercise has ended."""
    code, texts = shown.exercise.code, shown.texts
    place, key = f"class.{code}", "_learn_class_picker"
    given = progress.prediction(place, shown.gaps)
    if problem := _PROBLEM.pop():
        frame.show_error(problem)
    if shown.exercise.ended:
        outcome(shown, given.gaps)
        return

    def take() -> None:
        found = picked_gaps(key, shown.passage.topic, chapter.revision(place), shown.gaps)
        if found is not None:
            _send(code, place, found.gaps, found.final)

    passage = shown.passage
    words = chapter.words(texts, send=texts["class_change" if given.final else "class_send"])
    gap_picker(
        key, passage.topic, passage.pieces, passage.breaks, words,
        picked=given.gaps, revision=chapter.revision(place), on_event=take,
    )  # fmt: skip
    if given.final:
        st.success(texts["class_sent"])
    st.caption(f"{texts['class_anonymous']} {texts['class_wait']}")
    wait(code)


def _send(code: str, place: str, gaps: tuple[int, ...], final: bool) -> None:
    """Keep what a student picks, and store it where the student sends it."""
    sent = progress.prediction(place, max(gaps, default=0) + 1).final
    if final:
        try:
            store().predict(code, progress.student(), gaps)
        except ChunkscopeError as error:
            _PROBLEM.set(error)
            final = sent
    progress.predict(place, gaps, final or sent)


@st.fragment(run_every=_STUDENT_SECONDS)
def wait(code: str) -> None:
    """Look whether the exercise has ended, and show its result then."""
    try:
        over = bool(store().get(code).ended)
    except ChunkscopeError:
        return  # the next full run says why
    if over:
        st.rerun()


def outcome(shown: Shown, own: tuple[int, ...]) -> None:
    """Show an ended exercise: the predictions at each gap beside the reference and the strategy."""
    try:
        found = results.measure(store().predictions(shown.exercise.code), shown.gaps, shown.others())
    except ChunkscopeError as error:
        frame.show_error(error)
        return
    histogram(shown, found, own)
    agreement(found, shown.texts)


# ---- the teacher


def teach(shown: Shown) -> None:
    """Show the links of an exercise and its predictions as they come in."""
    code, texts = shown.exercise.code, shown.texts
    left, right = st.columns([3, 2])
    with left:
        incoming(shown)
    with right:
        students = link(code)
        if urlsplit(students).hostname in _LOCAL:
            st.caption(texts["class_local"])
        st.caption(texts["class_student_link"])
        st.code(students, language=None, wrap_lines=True)
        markup.show(qr_code(students, texts["class_qr"]))
        if token := state.current().text(TEACHER):
            st.caption(texts["class_teacher_link"])
            st.code(link(code, token), language=None, wrap_lines=True)
        manage(shown)


def qr_code(text: str, label: str) -> str:
    """Return a QR code as HTML, dark on light in either theme, since cameras read it so."""
    import segno

    drawn = segno.make(text, error="m").svg_inline(scale=4, dark="#000", light="#fff")
    return f'<div class="cs-learn-qr" role="img" aria-label="{markup.escape(label)}">{drawn}</div>'


def manage(shown: Shown) -> None:
    """Draw what ends and what deletes an exercise."""
    code, texts = shown.exercise.code, shown.texts
    if not shown.exercise.ended:
        st.button(texts["class_end"], key="_learn_class_end", on_click=_end, args=(code,), icon=":material/stop:")
    sure = st.checkbox(texts["class_delete_sure"], key=_SURE)
    st.button(
        texts["class_delete"], key="_learn_class_delete", disabled=not sure, on_click=_delete, args=(code,),
        icon=":material/delete:",
    )  # fmt: skip
    if problem := _PROBLEM.pop():
        frame.show_error(problem)


def _end(code: str) -> None:
    try:
        if may_manage(code):
            store().end(code)
    except ChunkscopeError as error:
        _PROBLEM.set(error)


def _delete(code: str) -> None:
    try:
        if may_manage(code):
            store().delete(code)
            _DELETED.set(True)
    except ChunkscopeError as error:
        _PROBLEM.set(error)


@st.fragment(run_every=_TEACHER_SECONDS)
def incoming(shown: Shown) -> None:
    """Show the predictions so far, and what can be downloaded of them."""
    code, texts = shown.exercise.code, shown.texts
    try:
        found = results.measure(store().predictions(code), shown.gaps, shown.others())
    except ChunkscopeError as error:
        frame.show_error(error)
        return
    count = len(found.predictions)
    counted = texts["class_vote"] if count == 1 else texts["class_votes"].format(count=count)
    markup.show(f"<b>{markup.escape(counted)}</b>")
    histogram(shown, found, ())
    agreement(found, texts)
    with st.container(horizontal=True):
        st.download_button(
            texts["class_csv"], lambda: results.as_csv(found, shown.passage.pieces, shown.others()),
            f"exercise-{code}.csv", "text/csv", key="_learn_class_csv", on_click="ignore",
        )  # fmt: skip
        st.download_button(
            texts["class_json"], lambda: results.as_json(found, shown.others()),
            f"exercise-{code}.json", "application/json", key="_learn_class_json", on_click="ignore",
        )  # fmt: skip


def histogram(shown: Shown, found: ClassResults, own: tuple[int, ...]) -> None:
    """Show the text with the number of predictions at each gap, the reference and the strategy."""
    passage = shown.passage
    gold = np.empty(0, dtype=np.int64) if passage.gold is None else passage.gold
    st.caption(shown.texts["class_gap"])
    gap_picker(
        "_learn_class_result", passage.topic, passage.pieces, passage.breaks, chapter.words(shown.texts),
        picked=own, marks=GapMarks(shown.engine(), gold, found.votes),
    )  # fmt: skip


def agreement(found: ClassResults, texts: Texts) -> None:
    """Show how well the class agrees with the reference, with the strategy, and with itself."""
    if not found.predictions:
        return
    rows: list[tuple[str, float | None, float]] = [(name, *values) for name, values in found.against.items()]
    if found.among.value is not None:
        rows.append((texts["class_same"], None, found.among.value))
    chapter.show_agreement(texts["class_mean"], rows, texts)
