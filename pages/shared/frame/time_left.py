"""How long a step still takes, from how long it has taken so far."""

from __future__ import annotations

import time

_SURE = 1.0
"""Seconds before which an estimate would be a guess."""


def in_words(seconds: float) -> str:
    """Return a duration, in seconds or minutes."""
    return f"{seconds:.0f} s" if seconds < 100 else f"{seconds / 60:.0f} min"


class TimeLeft:
    """The rest of a step that began when this was made."""

    def __init__(self) -> None:
        self._began = time.monotonic()

    def words(self, done: float, total: float) -> str:
        """Return the estimated rest as the end of a line; nothing while it would be a guess, and at the end."""
        spent = time.monotonic() - self._began
        if not 0 < done < total or spent < _SURE:
            return ""
        return f", about {in_words(spent * (total - done) / done)} left"
