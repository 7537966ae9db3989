"""The session state of Streamlit, read and written through typed values.

A module that keeps something for the session declares a :class:`SessionValue` with its key, its type and what it holds
at first. Values of widgets are read with :func:`widget_value` and set with :func:`set_widget`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar, cast

import streamlit as st
from streamlit import runtime
from streamlit.runtime.scriptrunner import get_script_run_ctx

T = TypeVar("T")


class SessionValue(Generic[T]):
    """A value of the session under a key of its own.

    Args:
        key: unique in the app; a test compares the keys of all slots.
        initial: makes the value that the slot holds before the first :meth:`set`.
    """

    def __init__(self, key: str, initial: Callable[[], T]) -> None:
        self.key = key
        self._initial = initial

    def get(self) -> T:
        """Return the value, which stays the same object until it is set."""
        try:
            return cast(T, st.session_state[self.key])  # each look costs some microseconds: one, not two
        except KeyError:
            st.session_state[self.key] = value = self._initial()
            return value

    def set(self, value: T) -> None:
        """Replace the value."""
        st.session_state[self.key] = value

    def clear(self) -> None:
        """Return to the initial value."""
        st.session_state.pop(self.key, None)

    def everywhere(self) -> list[T]:
        """Return the values in all sessions of this server that are open or can be resumed."""
        if not runtime.exists():
            return []
        states = [info.session.session_state for info in runtime.get_instance()._session_mgr.list_sessions()]
        return [cast(T, state[self.key]) for state in states if self.key in state]

    def pop(self) -> T:
        """Return the value and go back to the initial one."""
        value = self.get()
        self.clear()
        return value


def is_part_run() -> bool:
    """Return whether a part of the page runs by itself, without the page."""
    context = get_script_run_ctx()
    return context is not None and bool(context.fragment_ids_this_run)


def has_reported_elsewhere() -> bool:
    """Return whether a control outside the part that runs has reported something as well.

    Streamlit sends reports of one moment together, and asks for a run of the part alone where one of them is from it.
    """
    context = get_script_run_ctx()
    if context is None or not context.fragment_ids_this_run:
        return False
    held = context.session_state._state
    widgets = held._new_widget_state
    return any(
        held._widget_changed(id) and widgets.widget_metadata[id].fragment_id not in context.fragment_ids_this_run
        for id in widgets
        if id in widgets.widget_metadata
    )


def empty() -> None:
    """Return ``None``: the initial value of a slot that holds something only at times."""
    return None


def widget_value(key: str, default: Any = None) -> Any:
    """Return the value of a widget or component as Streamlit holds it, or ``default`` where it is not mounted."""
    return st.session_state.get(key, default)


def has_widget(key: str) -> bool:
    """Return whether Streamlit holds a value for a widget."""
    return key in st.session_state


def set_widget(key: str, value: Any) -> None:
    """Set the value of a widget; allowed before the widget is drawn in this run."""
    st.session_state[key] = value


def forget_widget(key: str) -> None:
    """Drop the value of a widget, so that it starts anew."""
    st.session_state.pop(key, None)
