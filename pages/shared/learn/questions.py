"""The question of a chapter, whose answer is checked against the engine."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Mapping

import numpy as np
import streamlit as st

from chunking.comparison.agreement import corrected
from chunking.signals.distances import fuse
from pages.shared.frame import markup
from pages.shared.learn import progress
from pages.shared.learn.figures.curves import cuts_by_percentile
from pages.shared.learn.lesson import Lesson
from pages.shared.learn.texts import Chapter, Texts

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


def show(name: str, known: Chapter, lesson: Lesson, texts: Texts) -> None:
    """Show a question, and what the answer is worth."""
    markup.show(f"<p><b>{markup.escape(texts['question'])}.</b> {markup.escape(known.question)}</p>")
    if known.options:
        _choice(name, known, texts)
    else:
        _number(name, known, lesson, texts)


def _choice(name: str, known: Chapter, texts: Texts) -> None:
    item = f"answer.{name}"
    before = progress.get(item).split(" ")[0]
    place = int(before) if before.isascii() and before.isdigit() and int(before) < len(known.options) else None
    chosen = st.radio(
        texts["answer"],
        range(len(known.options)),
        place,
        format_func=lambda option: markup.plain(known.options[option]),
        key=f"_learn_answer_{name}_{progress.known()}",
        label_visibility="collapsed",
    )
    if chosen is None:
        return
    right = chosen == known.correct
    progress.put(item, f"{chosen} {_RIGHT}" if right else str(chosen))
    feedback(right, known.feedback[chosen], texts)


def _number(name: str, known: Chapter, lesson: Lesson, texts: Texts) -> None:
    item = f"answer.{name}"
    before = progress.get(item).split(" ")[0]
    with st.container(horizontal=True):
        # No field for a number: with some browsers it takes no decimal comma.
        given = st.text_input(
            texts["answer"],
            before,
            max_chars=20,
            key=f"_learn_answer_{name}_{progress.known()}",
            label_visibility="collapsed",
            placeholder=texts["answer"],
        )
        st.button(texts["check"], key=f"_learn_check_{name}")  # leaving the field is what sends it
    if not given.strip():
        return
    number = read_number(given)
    if number is None:
        markup.show(f'<div class="cs-quiet" role="status">{markup.escape(texts["no_number"])}</div>')
        return
    right = abs(number - NUMBERS[name](lesson)) <= TOLERANCE
    progress.put(item, f"{number:g} {_RIGHT}" if right else f"{number:g}")
    feedback(right, known.right if right else known.wrong, texts)


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
