"""How work says how far it is: functions that long work calls now and then, and that may raise to stop it."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[int, int], None]
"""``progress(done, total)``."""

Tell = Callable[[str, int, int], None]
"""``tell(stage, done, total)``, for work of several stages; ``total`` is 0 where it is unknown."""


def quiet(stage: str, done: int, total: int) -> None:
    """Report nothing: the progress that nobody follows."""
