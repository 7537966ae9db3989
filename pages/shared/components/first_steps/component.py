"""The three steps that a newcomer is offered, ticked off as they are taken and never shown again once dismissed.

What was taken and that it was dismissed is kept in the browser, since a server knows nobody. A cookie says that it was
dismissed, so that no room is kept for it.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal, TypedDict

import streamlit as st

from pages.shared.components.base import component, pack

Step = Literal["alpha", "gap", "own"]

_steps = component("chunkscope_first_steps", __file__, "first_steps.js", "first_steps.css")


_COOKIE = "chunkscope_first_steps"


class FirstStepsHead(TypedDict):
    """The steps that were taken in this session."""

    taken: list[Step]


def first_steps(key: str, taken: Collection[Step]) -> None:
    """Draw the steps, unless this browser has dismissed them.

    Args:
        key: Streamlit key of the element.
        taken: steps that were taken in this session.
    """
    if st.context.cookies.get(_COOKIE):
        return
    head: FirstStepsHead = {"taken": sorted(taken)}
    _steps(key=key, data=pack(head, {}))
