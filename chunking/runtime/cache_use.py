"""How often caches had what was looked up, counted by the name of the cache for the whole process."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping


class CacheUse:
    """The look-ups of all caches of one name; any number of threads may share it.

    Attributes:
        hits: look-ups that found something.
        misses: look-ups that found nothing.
        size: returns the bytes that the cache takes; ``None`` where that is not known.
    """

    def __init__(self) -> None:
        self.hits = 0
        self.misses = 0
        self.size: Callable[[], int] | None = None
        self._lock = threading.Lock()

    def count(self, hits: int, misses: int) -> None:
        """Add look-ups."""
        with self._lock:
            self.hits += hits
            self.misses += misses


_known: dict[str, CacheUse] = {}


def of(name: str) -> CacheUse:
    """Return the counts of a name, which last as long as the process."""
    return _known.setdefault(name, CacheUse())


def every() -> Mapping[str, CacheUse]:
    """Return the counts of all caches by name."""
    return dict(_known)
