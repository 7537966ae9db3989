"""The text of a chapter, changed by the learner: a copy, and which cuts flip in it and why."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import streamlit as st

from chunking import ChunkscopeError
from chunking.comparison.revision import ChangedDecision, Decision, Revision, Version, matched_gaps
from chunking.runtime.arrays import Int64
from pages.shared.frame import frame, markup
from pages.shared.learn import lesson
from pages.shared.learn.figures import Scene
from pages.shared.learn.lesson import Lesson
from pages.shared.learn.texts import Texts
from pages.shared.state import SessionValue, session

_CHANGED: SessionValue[dict[str, str]] = SessionValue("_learn_changed", dict)
"""Changed texts by the keys of what was predicted."""
_OPEN: SessionValue[str] = SessionValue("_learn_changing", str)
"""The key of the prediction whose text is being changed."""
_KEY = "_learn_changed_text"


def is_open(key: str) -> bool:
    """Return whether the text of a prediction is being changed."""
    return _OPEN.get() == key


def of(key: str) -> Lesson | None:
    """Return the changed text of a prediction; ``None`` where there is none.

    Raises:
        ChunkscopeError: it is too long or too short.
    """
    text = _CHANGED.get().get(key)
    return lesson.from_own_text(text) if text else None


def show_field(key: str, shown: Lesson, texts: Texts) -> None:
    """Draw the field in which a text is changed, in the place of the text."""
    field = f"{_KEY}_{key}"
    text = _CHANGED.get().get(key) or shown.workspace.document.text
    st.text_area(
        texts["change_text"], text, key=field, height=360, help=texts["change_help"],
        max_chars=lesson.MOST_CHARACTERS, label_visibility="collapsed",
    )  # fmt: skip
    with st.container(horizontal=True):
        st.button(texts["change_apply"], key="_learn_change_apply", type="primary", on_click=_apply, args=(key, field))
        st.button(texts["change_cancel"], key="_learn_change_cancel", on_click=_OPEN.clear)


def offer(key: str, texts: Texts) -> None:
    """Draw the buttons that open the field, and that bring the text of the chapter back."""
    st.button(
        texts["change_text"], key="_learn_change", on_click=_OPEN.set, args=(key,), icon=":material/edit:",
        type="tertiary", help=texts["change_help"],
    )  # fmt: skip
    if key in _CHANGED.get():
        st.button(
            texts["change_back"],
            key="_learn_change_back",
            on_click=forget,
            args=(key,),
            icon=":material/undo:",
            type="tertiary",
        )


def forget(key: str) -> None:
    """Bring the text of the chapter back."""
    _CHANGED.get().pop(key, None)


def _apply(key: str, field: str) -> None:
    _CHANGED.get()[key] = str(session.widget_value(field, ""))
    _OPEN.clear()


def report_problem(key: str, texts: Texts) -> None:
    """Show that a changed text has too few sentences; it stays in the field."""
    _OPEN.set(key)
    frame.show_error(ChunkscopeError(texts["too_short"], texts["change_remedy"]))


def matching_gaps(gaps: Int64, before: Lesson, after: Lesson) -> Int64:
    """Return the ascending gaps of a changed text that are some gaps of the text before."""
    matched = matched_gaps(before.workspace.sentences.texts, after.workspace.sentences.texts)
    return np.flatnonzero(np.isin(matched, gaps)).astype(np.int64)


# ---- which cuts flip


def show_changes(before: Lesson, after: Lesson, settings: Sequence[str], texts: Texts) -> None:
    """Show the cuts that flip under the settings of a figure; where it has none, how many sentences there are."""
    if not settings:
        counts = texts["change_sentences"].format(before=len(before), after=len(after))
        markup.show(f'<p class="cs-learn-flips">{markup.escape(counts)}</p>')
        return
    lists = [_list(before, after, setting, texts, len(settings) > 1) for setting in settings]
    body = "".join(lists) or f"<p>{markup.escape(texts['flips_none'])}</p>"
    markup.show(f'<div class="cs-learn-flips" role="status"><b>{markup.escape(texts["flips"])}</b>{body}</div>')


def _list(before: Lesson, after: Lesson, setting: str, texts: Texts, is_named: bool) -> str:
    """Return the cuts that flip under a setting as a list in HTML; empty where none does."""
    changes = Revision(*(_version(lesson, setting, texts) for lesson in (before, after))).changes
    if not changes:
        return ""
    items = "".join(f"<li>{_item(change, texts)}</li>" for change in changes)
    return (f"<p><code>{markup.escape(setting)}</code></p>" if is_named else "") + f"<ul>{items}</ul>"


def _version(lesson: Lesson, setting: str, texts: Texts) -> Version:
    segmentation = Scene(lesson, texts, np.empty(0, dtype=np.int64)).run(setting)
    return Version(lesson.workspace.sentences, lesson.workspace.offsets, segmentation)


def _item(change: ChangedDecision, texts: Texts) -> str:
    title = texts["flip_new" if change.is_new else "flip_gone"].format(words=change.words)
    before, after = (words_of(decision, texts) for decision in (change.before, change.after))
    sentence = texts["flip_reasons"].format(before=before, after=after)
    return f"<b>{markup.escape(title)}</b> {markup.escape(sentence)}"


def words_of(decision: Decision | None, texts: Texts) -> str:
    """Return a decision in the language of the page."""
    if decision is None:
        return texts["flip_absent"]
    verdict = texts["flip_cut" if decision.is_cut else "flip_not_cut"]
    if decision.score is None or decision.threshold is None:
        return verdict
    is_over = decision.score > decision.threshold
    score, threshold = (texts.number(value, ".3f") for value in (decision.score, decision.threshold))
    compared = f"{verdict}, {score} {'>' if is_over else '≤'} {threshold}"
    return compared if is_over == decision.is_cut else f"{compared}, {texts['flip_limits']}"
