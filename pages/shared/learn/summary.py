"""What follows the last chapter: what was predicted and answered in each, and where to go from here."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import streamlit as st

from chunking.comparison.agreement import boundary_f1
from pages.shared import state
from pages.shared.frame import markup
from pages.shared.learn import chapter, lesson, progress
from pages.shared.learn.texts import CHAPTERS, Texts


def show(texts: Texts, steps: Callable[[], None]) -> None:
    """Show what the learner has predicted and answered, and the next step.

    Args:
        texts: the language of the page.
        steps: draws the ways to other chapters.
    """
    done = progress.done()
    heads = ("", texts["summary_chapter"], texts["summary_idea"], texts["summary_prediction"], texts["question"])
    rows = [_row(name, name in done, texts) for name in CHAPTERS]
    markup.show(
        f'<div class="cs-learn-title"><h2>{markup.escape(texts["summary"])}</h2></div>'
        f'<div class="cs-learn-text"><p>{markup.escape(texts["done"].format(done=len(done)))}. '
        f"{markup.escape(texts['summary_text'])}</p></div>"
        + markup.table(map(markup.escape, heads), rows, ' class="cs-learn-summary"')
        + f'<p class="cs-quiet">{markup.escape(texts["summary_print"])}</p>'
    )
    st.button(
        texts["summary_next"], key="_learn_inspect", type="primary", icon=":material/search_insights:",
        on_click=state.go, args=("pages/inspect.py", {}),
    )  # fmt: skip
    steps()


def _row(name: str, is_done: bool, texts: Texts) -> tuple[str, ...]:
    """Return the cells of a chapter as HTML."""
    known = texts.chapters[name]
    answered = texts["summary_right"] if chapter.is_answered(name) else texts["summary_open"]
    cells = (f"{name}{' ✓' if is_done else ''}", known.title, known.idea, _prediction(name, texts), answered)
    return tuple(map(markup.escape, cells))


def _prediction(name: str, texts: Texts) -> str:
    """Return how well the prediction on the sample of a chapter agrees with its reference; empty without one."""
    sample = lesson.sample_of(name)
    passage = chapter.passage(name, sample)
    prediction = progress.prediction(chapter.storage_key(name, sample), len(passage.pieces) - 1)
    if not prediction.final:
        return texts["summary_open"]
    if passage.reference is None or not len(passage.reference):
        return texts["summary_made"]
    f1 = boundary_f1(passage.reference, np.array(prediction.gaps, dtype=np.int64))
    return texts["summary_f1"].format(f1=texts.number(f1, ".2f"))
