"""Class exercises on the page: opening one, predicting without a name, and the teacher's view of all predictions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from urllib.parse import urlencode, urlsplit

import numpy as np
import streamlit as st

from chunking import ChunkscopeError
from chunking.review import class_results as results
from chunking.review.class_results import ClassResults
from chunking.review.exercises import Exercise, ExerciseStore, Manager, MissingExercise
from chunking.runtime.arrays import Int64
from pages.shared import identity, state
from pages.shared.components.gap_picker import GapMarks, gap_picker, picked_gaps
from pages.shared.frame import frame, markup
from pages.shared.learn import chapter, lanes, lesson, progress
from pages.shared.learn.chapter import Passage
from pages.shared.learn.figures import STRATEGIES, Scene
from pages.shared.learn.lesson import Lesson, cuts_of
from pages.shared.learn.texts import CHAPTERS, Texts
from pages.shared.reference import review_store
from pages.shared.server import audit
from pages.shared.settings import controls
from pages.shared.state import SessionValue, session

CLASS, TEACHER = "class", "teacher"
_TOKEN = "teacher.{code}"
"""Under which a browser keeps the token of a teacher: in no address that a class sees."""
REFERENCE, SPLITTER = "reference", "splitter"
"""Names of what is no setting, among what a class is compared with."""
_SETTING, _COMPARED, _RESULTS, _SURE = "strategy", "compared", "results", "_learn_class_sure"
_NO_GAPS = np.empty(0, dtype=np.int64)
_PROBLEM: SessionValue[ChunkscopeError | None] = SessionValue("_learn_class_problem", session.empty)
_DELETED = SessionValue("_learn_class_deleted", bool)
SETTINGS = tuple(STRATEGIES.values())
"""What is offered for comparison; any other setting can be typed."""
MOST_COMPARED = 8
_TEACHER_SECONDS, _STUDENT_SECONDS = 2.0, 8.0
"""How often the views look for predictions and for the end."""
_LOCAL = ("localhost", "127.0.0.1", "::1")


@dataclass(frozen=True, eq=False)
class ExerciseView:
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

    def title(self, name: str) -> str:
        """Return the words for one of :meth:`others`."""
        return {REFERENCE: self.texts["gold"], SPLITTER: self.texts["engine"]}.get(name, name)

    def cuts(self, setting: str) -> Int64:
        """Return the gaps that a setting cuts.

        Raises:
            ChunkscopeError: there is no such setting, or it does not work on the text.
        """
        return cuts_of(Scene(self.lesson, self.texts, _NO_GAPS).run(setting))

    def others(self, settings: Sequence[str]) -> dict[str, Int64]:
        """Return what the predictions are compared with, by its name: the reference, then the engine."""
        others = {} if self.passage.reference is None else {REFERENCE: self.passage.reference}
        if self.exercise.chapter == CHAPTERS[0]:
            return others | {SPLITTER: self.lesson.candidates.inside}
        return others | {setting: self.cuts(setting) for setting in settings}


def store() -> ExerciseStore:
    """Return the exercises of this server.

    Raises:
        ChunkscopeError: the database cannot be used.
    """
    return ExerciseStore(review_store.connected(), identity.current())


# ---- opening one


def opener(name: str, texts: Texts) -> None:
    """Draw what opens an exercise with the chapter and the text that are shown."""
    with st.expander(texts["class_title"]):
        st.caption(texts["class_help"])
        offered = tuple(dict.fromkeys((*SETTINGS, *state.address().texts(_SETTING))))
        setting = controls.select(
            texts["class_setting"], offered, name=_SETTING, accept_new_options=True, help=texts["class_setting_help"]
        )
        st.button(texts["class_start"], key="_learn_class_open", on_click=_open, args=(name, setting, texts))
    if problem := _PROBLEM.pop():
        frame.show_error(problem)


def _open(name: str, setting: str, texts: Texts) -> None:
    text = progress.get(progress.OWN_TEXT) or lesson.sample_of(name).workspace.document.text
    try:
        identity.current().require("reviewer", "Opening a class exercise")
        Scene(lesson.of_text(text, name), texts, _NO_GAPS).run(setting)  # or nobody could open the exercise
        exercise, token = store().open(text, setting, name)
    except ChunkscopeError as error:
        _PROBLEM.set(error)
        return
    _enter(exercise.code, token)


def _enter(code: str, token: str) -> None:
    """Open an exercise in this session, with the token of its teacher where this browser has it."""
    _keep_token(code, token)
    state.address().put(CLASS, code)


def _keep_token(code: str, token: str) -> None:
    progress.put(_TOKEN.format(code=code), token)


def _token(code: str) -> str:
    """Return the token that this browser has of an exercise; empty where it has none."""
    return progress.get(_TOKEN.format(code=code))


# ---- an exercise


def show(code: str, texts: Texts) -> None:
    """Show an exercise: to its teacher all predictions, to anybody else the text to predict on."""
    if token := state.address().text(TEACHER):  # the teacher's own link, which the address is not to show
        _keep_token(code, token)
        state.address().put(TEACHER, None)
    state.address().write()
    if _DELETED.pop():
        st.info(texts["class_deleted"])
        leave(texts)
        return
    try:
        exercise = store().latest(code)
        if exercise.code != code:
            _enter(exercise.code, _token(code))
            st.rerun()
        is_teacher = may_manage(code)
        measured = lesson.of_text(exercise.text, exercise.chapter)
    except ChunkscopeError as error:
        frame.show_error(error)
        return
    view = ExerciseView(exercise, measured, chapter.passage(exercise.chapter, measured), texts)
    status = texts["class_ended"] if exercise.ended else texts["class_running"]
    markup.show(
        f'<div class="cs-learn-title"><h2>{markup.escape(texts["class_code"].format(code=code))}</h2>'
        f'<div class="cs-quiet">{markup.escape(status)}</div></div>'
        f"<p><b>{markup.escape(texts['predict'])}.</b> {markup.escape(texts.chapters[exercise.chapter].task)}</p>"
    )
    (teach if is_teacher else study)(view)
    if not is_teacher:
        leave(texts)


def leave(texts: Texts) -> None:
    """Draw the way back to the chapters, for whom they are open."""
    if identity.current().may("reader"):
        st.button(texts["class_leave"], key="_learn_class_leave", on_click=_leave, icon=":material/logout:")


def may_manage(code: str) -> bool:
    """Return whether the session is that of the teacher of an exercise, or of an admin who is logged in."""
    return _manager(code) is not None


def _manager(code: str) -> Manager | None:
    who, token = identity.current(), _token(code)
    if token and store().is_teacher(code, token):
        return "teacher"
    return "admin" if who.is_known and who.may("admin") else None


def _leave() -> None:
    state.address().put(CLASS, None)


def link(code: str, token: str = "") -> str:
    """Return the address of an exercise; with the token that of its teacher."""
    url = urlsplit(st.context.url or "")
    query = {CLASS: code} | ({TEACHER: token} if token else {})
    return f"{url.scheme or 'http'}://{url.netloc or 'localhost'}{url.path or '/learn'}?{urlencode(query)}"


# ---- the student


def study(view: ExerciseView) -> None:
    """Let a student predict; show the result once the exercise has ended."""
    code, texts = view.exercise.code, view.texts
    prediction_key, key = f"class.{code}", "_learn_class_picker"
    prediction = progress.prediction(prediction_key, view.gaps)
    if problem := _PROBLEM.pop():
        frame.show_error(problem)
    if view.exercise.ended:
        outcome(view, prediction.gaps)
        return

    def take() -> None:
        sent = picked_gaps(key, view.passage.topic, chapter.revision(prediction_key), view.gaps)
        if sent is not None:
            _send(code, prediction_key, sent.gaps, sent.final)

    passage = view.passage
    words = chapter.words(texts, send=texts["class_change" if prediction.final else "class_send"])
    gap_picker(
        key, passage.topic, passage.pieces, passage.breaks, words,
        picked=prediction.gaps, revision=chapter.revision(prediction_key), offsets=passage.offsets, on_event=take,
    )  # fmt: skip
    if prediction.final:
        st.success(texts["class_sent"])
    st.caption(f"{texts['class_anonymous']} {texts['class_wait']}")
    wait(code)


def _send(code: str, prediction_key: str, gaps: tuple[int, ...], final: bool) -> None:
    """Keep what a student picks, and store it where the student sends it."""
    sent = progress.prediction(prediction_key, max(gaps, default=0) + 1).final
    if final:
        try:
            store().predict(code, progress.student(), gaps)
        except ChunkscopeError as error:
            _PROBLEM.set(error)
            final = sent
    progress.predict(prediction_key, gaps, final or sent)


@st.fragment(run_every=_STUDENT_SECONDS)
def wait(code: str) -> None:
    """Look whether the exercise has ended, and show its result or the next one then."""
    try:
        over = bool(store().get(code).ended)
    except MissingExercise:
        over = True
    except ChunkscopeError:
        return  # the database is busy; the next look may succeed
    if over:
        st.rerun()


def outcome(view: ExerciseView, learner_gaps: tuple[int, ...]) -> None:
    """Show an ended exercise: the predictions at each gap beside the reference and the strategy."""
    try:
        others = view.others([view.exercise.setting])
        measured = results.measure(store().predictions(view.exercise.code), view.gaps, others)
    except ChunkscopeError as error:
        frame.show_error(error)
        return
    if learner_gaps:
        prediction, engine = np.array(learner_gaps, dtype=np.int64), [*others.values()][-1]
        chapter.compare(prediction, engine, view.passage, view.texts)
    show_lanes(view, measured, others)
    votes(view, measured, others, learner_gaps)


# ---- the teacher


def teach(view: ExerciseView) -> None:
    """Show the links of an exercise and its predictions as they come in."""
    texts, seconds = view.texts, None if view.exercise.ended else _TEACHER_SECONDS
    with st.container(horizontal=True, vertical_alignment="center"):
        shown = controls.toggle(texts["class_results"], name=_RESULTS)
        lead(view)
        with st.popover(texts["class_manage"]):
            if token := _token(view.exercise.code):
                st.caption(texts["class_teacher_link"])
                st.code(link(view.exercise.code, token), language=None, wrap_lines=True)
            manage(view)
        leave(texts)
    left, right = st.columns([3, 2] if shown else [1, 1], gap="large")
    with left:
        if shown:
            settings = () if view.exercise.chapter == CHAPTERS[0] else compared(view)
            st.fragment(incoming, run_every=seconds)(view, settings)
        else:
            st.fragment(count, run_every=seconds)(view)
    if view.exercise.ended:
        return
    address = link(view.exercise.code)
    with right if shown else left:
        if urlsplit(address).hostname in _LOCAL:
            st.caption(texts["class_local"])
        st.caption(texts["class_student_link"])
        st.code(address, language=None, wrap_lines=True)
    with right:
        markup.show(qr_code(address, texts["class_qr"]))


def count(view: ExerciseView) -> None:
    """Show how many have predicted, and nothing of what."""
    try:
        predictions = len(store().predictions(view.exercise.code))
    except ChunkscopeError as error:
        frame.show_error(error)
        return
    markup.show(f"<h3>{markup.escape(counted(predictions, view.texts))}</h3>")


def counted(predictions: int, texts: Texts) -> str:
    """Return a number of predictions in words."""
    return texts["class_vote"] if predictions == 1 else texts["class_votes"].format(count=predictions)


def qr_code(text: str, label: str) -> str:
    """Return a QR code as HTML, dark on light in either theme, since cameras read it so."""
    import segno

    # As an image: Streamlit removes SVG from HTML.
    drawn = segno.make(text, error="m").svg_data_uri(scale=4, dark="#000", light="#fff", svgclass=None, lineclass=None)
    return f'<img class="cs-learn-qr" alt="{markup.escape(label)}" src="{markup.escape(drawn)}">'


def lead(view: ExerciseView) -> None:
    """Draw what ends an exercise and what leads the class on, where a teacher sees it without scrolling."""
    code, texts, chapter_name = view.exercise.code, view.texts, view.exercise.chapter
    if not view.exercise.ended:
        st.button(texts["class_end"], key="_learn_class_end", on_click=_end, args=(code,), icon=":material/stop:")
    following = next((name for name in CHAPTERS if int(name) > int(chapter_name)), None)
    if following:
        st.button(
            markup.plain(texts["class_next"].format(title=texts.chapters[following].title)), key="_learn_class_next",
            on_click=_advance, args=(view, following), icon=":material/skip_next:", help=texts["class_next_help"],
        )  # fmt: skip


def _advance(view: ExerciseView, following: str) -> None:
    code = view.exercise.code
    text = lesson.sample_of(following).workspace.document.text if view.lesson.sample else view.exercise.text
    try:
        if by := _manager(code):
            _enter(store().advance(code, text, following, by).code, _token(code))
    except ChunkscopeError as error:
        _PROBLEM.set(error)


def manage(view: ExerciseView) -> None:
    """Draw what deletes an exercise."""
    code, texts = view.exercise.code, view.texts
    sure = st.checkbox(texts["class_delete_sure"], key=_SURE)
    st.button(
        texts["class_delete"], key="_learn_class_delete", disabled=not sure, on_click=_delete, args=(code,),
        icon=":material/delete:",
    )  # fmt: skip
    if problem := _PROBLEM.pop():
        frame.show_error(problem)


def _end(code: str) -> None:
    try:
        if by := _manager(code):
            store().end(code, by)
    except ChunkscopeError as error:
        _PROBLEM.set(error)


def _delete(code: str) -> None:
    try:
        if by := _manager(code):
            store().delete(code, by)
            _DELETED.set(True)
    except ChunkscopeError as error:
        _PROBLEM.set(error)


def compared(view: ExerciseView) -> list[str]:
    """Draw the choice of the strategies that the class is compared with, and return those that work."""
    own_setting, texts = view.exercise.setting, view.texts
    lines = controls.several(
        texts["class_compared"], tuple(dict.fromkeys((own_setting, *SETTINGS))), name=_COMPARED, default=(own_setting,),
        accept_new_options=True, help=texts["class_setting_help"],
    )  # fmt: skip
    usable = []
    for line in lines[:MOST_COMPARED]:
        try:
            view.cuts(line)
            usable.append(line)
        except ChunkscopeError as error:
            frame.show_error(error)
    return usable


def incoming(view: ExerciseView, settings: Sequence[str]) -> None:
    """Show the predictions so far, and what can be downloaded of them."""
    code, texts, others = view.exercise.code, view.texts, view.others(settings)
    try:
        measured = results.measure(store().predictions(code), view.gaps, others)
    except ChunkscopeError as error:
        frame.show_error(error)
        return
    show_lanes(view, measured, others)
    with st.container(horizontal=True):
        as_csv = partial(results.as_csv, measured, view.passage.pieces, others)
        as_json = partial(results.as_json, measured, others)
        st.download_button(
            texts["class_csv"], audit.exported("exercise", code, as_csv),
            f"exercise-{code}.csv", "text/csv", key="_learn_class_csv", on_click="ignore",
        )  # fmt: skip
        st.download_button(
            texts["class_json"], audit.exported("exercise", code, as_json),
            f"exercise-{code}.json", "application/json", key="_learn_class_json", on_click="ignore",
        )  # fmt: skip
    votes(view, measured, others, ())


def show_lanes(view: ExerciseView, measured: ClassResults, others: Mapping[str, Int64]) -> None:
    """Show the predictions at each gap, and below them what the class is compared with and how well it agrees."""
    texts, title = view.texts, counted(len(measured.predictions), view.texts)
    pieces = view.passage.pieces
    labels = [
        f"{texts['gap']} {gap + 1}: {number} – {pieces[gap][-60:]}"
        for gap, number in enumerate(measured.votes.tolist())
    ]
    rows = [(lanes.vote_lane(f"<b>{markup.escape(title)}</b>", measured.votes, labels), "", "")]
    for name, cuts in others.items():
        kind = "gold" if name == REFERENCE else "strategy"
        agreement = measured.against.get(name)
        agreed = (
            (
                texts.number(agreement.f1, ".2f"),
                lanes.agreement_cell(agreement.beyond_chance, agreement.interval, texts),
            )
            if agreement
            else ("", "")
        )
        rows.append((lanes.boundary_lane(markup.escape(view.title(name)), cuts, view.gaps, kind), *agreed))
    if measured.among.value is not None:
        among = lanes.agreement_cell(measured.among.value, measured.among.interval, texts)
        rows.append((markup.escape(texts["class_same"]), "", among))
    lanes.lane_table(texts["class_gap"], rows, (texts["f1"], texts["beyond"]))
    if measured.predictions:
        st.caption(texts["class_mean"])


def votes(
    view: ExerciseView, measured: ClassResults, others: Mapping[str, Int64], learner_gaps: tuple[int, ...]
) -> None:
    """Show the text with the number of predictions at each gap, the reference and the strategy of the exercise."""
    passage = view.passage
    reference = _NO_GAPS if passage.reference is None else passage.reference
    engine = others.get(view.exercise.setting, others.get(SPLITTER, _NO_GAPS))
    st.caption(view.texts["class_in_text"])
    gap_picker(
        "_learn_class_result", passage.topic, passage.pieces, passage.breaks, chapter.words(view.texts),
        picked=learner_gaps, marks=GapMarks(engine, reference, measured.votes), offsets=passage.offsets,
    )  # fmt: skip
