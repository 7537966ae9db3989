"""A chapter on the page: its text, the prediction, the figure, and the question that the engine checks."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import streamlit as st

from chunking import ChunkscopeError
from chunking.comparison.agreement import corrected
from chunking.runtime.arrays import Int64
from chunking.signals.distances import fuse
from pages.shared.components.gap_picker import GapMarks, GapWords, PickedGaps, gap_picker, picked_gaps
from pages.shared.frame import frame, markup
from pages.shared.learn import changed_text, progress
from pages.shared.learn.figures import FIGURES, FigureOutcome, Scene, cuts_by_percentile
from pages.shared.learn.lesson import Lesson, agreement_of_pairs
from pages.shared.learn.texts import Chapter, Texts
from pages.shared.state import SessionValue

_SENTENCES = "1"
"""The chapter that divides at places where a sentence might end, and not at gaps."""
_HIDDEN = ("1", "2", "3")
"""Chapters that show the text without its blank lines."""
_REVISIONS: SessionValue[dict[str, int]] = SessionValue("_learn_revisions", dict)


@dataclass(frozen=True, eq=False)
class Passage:
    """The text of a chapter as it is predicted on.

    Attributes:
        topic: its key in the browser.
        pieces: in order; between two of them lies a gap.
        breaks: for each gap, whether a blank line is shown.
        reference: gaps of the reference; ``None`` where there is none.
        offsets: ``(n_gaps,)`` where a chunk begins that a cut at each gap makes; ``None`` where the places are no gaps.
    """

    topic: str
    pieces: tuple[str, ...]
    breaks: tuple[bool, ...]
    reference: Int64 | None
    offsets: Int64 | None = None


def passage(name: str, lesson: Lesson) -> Passage:
    """Return the text of a chapter."""
    if name == _SENTENCES:
        candidates = lesson.candidates
        breaks = (False,) * (len(candidates.pieces) - 1)
        return Passage(f"{lesson.key}-pieces", candidates.pieces, breaks, candidates.reference)
    breaks = (False,) * (len(lesson) - 1) if name in _HIDDEN else lesson.breaks
    workspace = lesson.workspace
    return Passage(lesson.key, tuple(workspace.sentences.texts), breaks, lesson.reference_gaps, workspace.offsets)


def words(texts: Texts, send: str = "") -> GapWords:
    """Return what is written in a text with gaps; ``send`` is another label of the button that ends a prediction."""
    return GapWords(
        text=texts["text_label"], gap=texts["gap_label"], own=texts["own"], engine=texts["engine"],
        gold=texts["gold"], send=send or texts["send"], count=texts["count"], chunks=texts["count_chunks"],
    )  # fmt: skip


def show(name: str, lesson: Lesson, texts: Texts, steps: Callable[[], None]) -> None:
    """Show a chapter, in the order in which it is read: its text, the prediction, the figure, the question.

    Args:
        name: of the chapter.
        lesson: its text.
        texts: the language of the page.
        steps: draws the ways to other chapters.
    """
    chapter = texts.chapters[name]
    with st.container(key="_learn_chapter"):
        with st.container(key="_learn_words"):
            markup.show(
                f'<div class="cs-learn-title"><h2>{name}. {markup.escape(chapter.title)}</h2></div>'
                f'<div class="cs-learn-text"><p>{markup.escape(chapter.text)}</p></div>'
            )
        with st.container(key="_learn_stage"):
            prediction = predict(name, lesson, texts)
        with st.container(key="_learn_question"):
            explain(chapter, texts)
            with frame.stable_slot():
                if prediction.final:
                    show_question(name, chapter, lesson, texts)
            steps()
    if prediction.final and is_answered(name) and progress.finish(name):
        st.rerun()  # the row of chapters, drawn above, shows it


def explain(chapter: Chapter, texts: Texts) -> None:
    """Show the formula of a chapter, its source, and what goes wrong in practice."""
    st.latex(chapter.formula)
    source = texts["source"].format(source=chapter.source)
    markup.show(
        f'<p class="cs-quiet">{markup.escape(source)}</p>'
        f'<div class="cs-side cs-learn-mistake"><b>{markup.escape(texts["mistake"])}.</b> '
        f"{markup.escape(chapter.mistake)}</div>"
    )


def storage_key(name: str, lesson: Lesson) -> str:
    """Return the key under which the prediction of a chapter on a text is kept."""
    return f"{name}.{lesson.short_key}"


def predict(name: str, lesson: Lesson, texts: Texts) -> PickedGaps:
    """Let the learner predict; then show the figure, and what the engine and the reference say."""
    key = storage_key(name, lesson)
    text_passage = passage(name, lesson)
    prediction = progress.prediction(key, len(text_passage.pieces) - 1)
    text, figure = st.container(key="_learn_text"), st.container(key="_learn_figure")
    changed = _changed(key, texts) if prediction.final else None
    learner_gaps = np.array(prediction.gaps, dtype=np.int64)
    outcome = None
    if prediction.final:
        with figure:
            picked = changed_text.matching_gaps(learner_gaps, lesson, changed) if changed else learner_gaps
            outcome = FIGURES[name](Scene(changed or lesson, texts, picked))
    with text:
        introduce(name, texts, prediction.final)
        if outcome is None:
            pick(name, key, text_passage, prediction, None, texts)
        elif changed_text.is_open(key):
            changed_text.show_field(key, lesson, texts)
        elif changed:
            show_changed(name, changed, picked, outcome, texts)
            changed_text.show_changes(lesson, changed, outcome.settings, texts)
            _offer_next(name, key, texts)
        else:
            pick(name, key, text_passage, prediction, _marks(text_passage, outcome.gaps), texts)
            with st.container(horizontal=True, vertical_alignment="bottom", key="_learn_outcome"):
                compare(learner_gaps, outcome.gaps, text_passage, texts)
                _offer_next(name, key, texts)
    return prediction


def _changed(key: str, texts: Texts) -> Lesson | None:
    """Return the text that the learner has changed; show why it cannot be used, where it cannot."""
    try:
        return changed_text.of(key)
    except ChunkscopeError:
        changed_text.report_problem(key, texts)
        return None


def introduce(name: str, texts: Texts, is_final: bool) -> None:
    """Show what is to be predicted, and how."""
    markup.show(
        f"<p><b>{markup.escape(texts['predict'])}.</b> {markup.escape(texts.chapters[name].task)} "
        f'<span class="cs-quiet">{"" if is_final else markup.escape(texts["keys"])}</span></p>'
    )


def _marks(text_passage: Passage, engine: Int64) -> GapMarks:
    return GapMarks(engine, np.empty(0, dtype=np.int64) if text_passage.reference is None else text_passage.reference)


def show_changed(name: str, changed: Lesson, picked: Int64, outcome: FigureOutcome, texts: Texts) -> None:
    """Show a changed text with what the engine makes of it, and what the learner picked where it is still there."""
    text_passage = passage(name, changed)
    is_gaps = text_passage.offsets is not None
    gap_picker(
        f"_learn_picker_{name}_changed", text_passage.topic, text_passage.pieces, text_passage.breaks, words(texts),
        picked=tuple(picked.tolist()) if is_gaps else (), marks=_marks(text_passage, outcome.gaps), chapter=True,
        offsets=text_passage.offsets,
    )  # fmt: skip


def _offer_next(name: str, key: str, texts: Texts) -> None:
    """Draw what can be done after a prediction."""
    with st.container(horizontal=True, key="_learn_after"):
        changed_text.offer(key, texts)
        st.button(
            texts["again"],
            key=f"_learn_again_{name}",
            on_click=_withdraw,
            args=(key,),
            icon=":material/replay:",
            type="tertiary",
        )


def pick(
    name: str, prediction_key: str, text_passage: Passage, prediction: PickedGaps, marks: GapMarks | None, texts: Texts
) -> None:
    """Draw the text with its gaps."""
    key, number = f"_learn_picker_{name}", revision(prediction_key)

    def take() -> None:
        report = picked_gaps(key, text_passage.topic, number, len(text_passage.pieces) - 1)
        if report is not None:
            progress.predict(prediction_key, report.gaps, report.final)

    gap_picker(
        key, text_passage.topic, text_passage.pieces, text_passage.breaks, words(texts),
        picked=prediction.gaps, marks=marks, revision=number, chapter=True, offsets=text_passage.offsets, on_event=take,
    )  # fmt: skip


def revision(prediction_key: str) -> int:
    """Return a number that changes when the prediction is withdrawn or the browser reports what it holds: odd then."""
    return 2 * _REVISIONS.get().get(prediction_key, 0) + progress.is_loaded()


def _withdraw(prediction_key: str) -> None:
    changed_text.forget(prediction_key)
    progress.withdraw(prediction_key)
    _REVISIONS.get()[prediction_key] = _REVISIONS.get().get(prediction_key, 0) + 1


def compare(learner_gaps: Int64, engine: Int64, text_passage: Passage, texts: Texts) -> None:
    """Show the agreement of each pair, and beyond chance."""
    # A reference without a boundary agrees with nothing but itself, however good a prediction is.
    reference = text_passage.reference if text_passage.reference is not None and len(text_passage.reference) else None
    agreements = agreement_of_pairs(learner_gaps, engine, reference, len(text_passage.pieces))
    note = texts["no_gold"] if text_passage.reference is None else texts["empty_gold"] if reference is None else ""
    figures = (
        f"<div>{markup.escape(texts[pair])} <b>{texts.number(agreement.value, '.2f')}</b> "
        f'<span title="{markup.escape(texts["beyond"])}">({texts.number(agreement.corrected, "+.2f")})</span></div>'
        for pair, agreement in agreements.items()
    )
    markup.show(
        f'<div class="cs-learn-result"><span class="cs-quiet">{markup.escape(texts["f1_beyond"])}</span>'
        f'<div class="cs-figures">{"".join(figures)}</div>'
        + (f'<span class="cs-quiet">{markup.escape(note)}</span>' if note else "")
        + "</div>"
    )


# ---- the question


TOLERANCE = 0.01
_RIGHT = "right"


def _fused(_: Lesson) -> float:
    return float(fuse(np.array([0.8]), np.array([0.2]), 0.25)[0])


NUMBERS: Mapping[str, Callable[[Lesson], float]] = {
    "1": lambda lesson: len(lesson) - 1,
    "3": lambda _: len({1, 2, 3} & {2, 3, 4}),
    "5": _fused,
    "7": lambda _: cuts_by_percentile(21, 90.0),
    "8": lambda _: 100 * 50 / 200,
    "10": lambda _: float(corrected(0.75, 0.25, 1.0)),
}
"""The right number of each chapter whose question takes one, as the engine computes it."""


def is_answered(name: str) -> bool:
    """Return whether the question of a chapter has been answered rightly."""
    return progress.get(f"answer.{name}").endswith(_RIGHT)


def show_question(name: str, chapter: Chapter, lesson: Lesson, texts: Texts) -> None:
    """Show a question, and what the answer is worth."""
    markup.show(f"<p><b>{markup.escape(texts['question'])}.</b> {markup.escape(chapter.question)}</p>")
    if chapter.options:
        _choose_option(name, chapter, texts)
    else:
        _enter_number(name, chapter, lesson, texts)


def _choose_option(name: str, chapter: Chapter, texts: Texts) -> None:
    item = f"answer.{name}"
    before = progress.get(item).split(" ")[0]
    index = int(before) if before.isascii() and before.isdigit() and int(before) < len(chapter.options) else None
    answer_index = st.radio(
        texts["answer"],
        range(len(chapter.options)),
        index,
        format_func=lambda option: markup.plain(chapter.options[option]),
        key=f"_learn_answer_{name}_{progress.is_loaded()}",
        label_visibility="collapsed",
    )
    if answer_index is None:
        return
    right = answer_index == chapter.correct
    progress.put(item, f"{answer_index} {_RIGHT}" if right else str(answer_index))
    feedback(right, chapter.feedback[answer_index], texts)


def _enter_number(name: str, chapter: Chapter, lesson: Lesson, texts: Texts) -> None:
    item = f"answer.{name}"
    before = progress.get(item).split(" ")[0]
    with st.container(horizontal=True):
        # No field for a number: with some browsers it takes no decimal comma.
        entered = st.text_input(
            texts["answer"],
            before,
            max_chars=20,
            key=f"_learn_answer_{name}_{progress.is_loaded()}",
            label_visibility="collapsed",
            placeholder=texts["answer"],
        )
        st.button(texts["check"], key=f"_learn_check_{name}")  # leaving the field is what sends it
    if not entered.strip():
        return
    number = read_number(entered)
    if number is None:
        markup.show(f'<div class="cs-quiet" role="status">{markup.escape(texts["no_number"])}</div>')
        return
    right = abs(number - NUMBERS[name](lesson)) <= TOLERANCE
    progress.put(item, f"{number:g} {_RIGHT}" if right else f"{number:g}")
    feedback(right, chapter.right if right else chapter.wrong, texts)


def read_number(text: str) -> float | None:
    """Return the number that a learner means, with a decimal point or comma and perhaps ``%``; else ``None``."""
    with contextlib.suppress(ValueError):
        number = float(text.strip().removesuffix("%").replace(",", "."))
        return number if math.isfinite(number) else None
    return None


def feedback(right: bool, why: str, texts: Texts) -> None:
    """Show whether an answer is right, and why."""
    mark, verdict = ("✓", texts["right"]) if right else ("✗", texts["wrong"])
    markup.show(
        f'<div class="cs-learn-{"right" if right else "wrong"}" role="status"><b>{mark} {markup.escape(verdict)}</b> '
        f"{markup.escape(why)}</div>"
    )
