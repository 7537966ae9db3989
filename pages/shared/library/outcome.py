"""What the last change of the library led to, shown until the next one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import streamlit as st

from chunking import ChunkscopeError
from pages.shared import state
from pages.shared.frame import frame, markup

_PROBLEMS: state.SessionValue[list[ChunkscopeError]] = state.SessionValue("_library_problems", list)
_DONE: state.SessionValue[str] = state.SessionValue("_library_done", str)
_MOST = 5


@contextmanager
def reported() -> Iterator[None]:
    """Forget the last outcome, and keep the error of a change, to be shown in the run that follows."""
    dismiss()
    try:
        yield
    except ChunkscopeError as error:
        add_problem(error)


def add_problem(error: ChunkscopeError) -> None:
    """Keep an error of a change that was done for the rest."""
    _PROBLEMS.set([*_PROBLEMS.get(), error])


def done(what: str) -> None:
    """Keep what a change did."""
    _DONE.set(what)


def dismiss() -> None:
    """Forget the outcome."""
    _PROBLEMS.clear()
    _DONE.clear()


def show() -> None:
    """Show the outcome of the last change."""
    problems, message = _PROBLEMS.get(), _DONE.get()
    if message:
        markup.show(f'<div class="cs-done" role="status">{markup.escape(message)}</div>')
    for problem in problems[:_MOST]:
        frame.show_error(problem)
    if len(problems) > _MOST:
        frame.show_error(ChunkscopeError(f"There are {len(problems) - _MOST} more problems.", "Solve these first."))
    if problems or message:
        st.button("Dismiss", key="_library_dismiss", on_click=dismiss, type="tertiary")


def line_form(
    key: str, field: str, label: str, button: str, submit: Callable[..., None], *arguments: Any, width: Any = "stretch",
    **options: Any,
) -> None:  # fmt: skip
    """Draw a field for a line of text beside the button that sends it.

    Args:
        key: of the form.
        field: key of the field.
        label: of the field.
        button: label of the button.
        submit: called with the arguments when the line is sent.
        arguments: of the call.
        width: of the form.
        options: further arguments of ``st.text_input``.
    """
    with st.form(key, border=False, width=width):
        left, right = st.columns([3, 1], vertical_alignment="bottom")
        left.text_input(label, key=field, **options)
        right.form_submit_button(button, on_click=submit, args=arguments, width="stretch")
