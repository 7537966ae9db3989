"""Garbage collection in the background, without a look at what was imported.

By itself Streamlit collects garbage after every run of a script, and looks at every object of the process for it: the
more sessions are open, the longer each run takes. ``runner.postScriptGC`` is off instead, Python collects as it always
does, and the server collects everything once in a while and returns free memory to the system.

The objects of imported packages are by far the most, stay until the server ends, and need not be looked at.
"""

from __future__ import annotations

import asyncio
import gc
import sys
import threading

from streamlit import runtime

from chunking.runtime import processes

_lock = threading.Lock()
_exempt: set[str] = set()
_MANY = 50
"""Modules that were imported meanwhile from which on it is worth the time."""

_EVERY = 60.0
"""Seconds between two collections in the background."""


def exempt_imported() -> None:
    """Let collections pass over all objects of now, if packages were imported since the last call."""
    with _lock:
        if len(sys.modules.keys() - _exempt) < _MANY:
            return
        _exempt.update(sys.modules)
        gc.collect()
        gc.freeze()


async def collect_forever() -> None:
    """Collect garbage once in a while; thoroughly after the last session has gone, where nobody waits for it."""
    idle = True
    while True:
        await asyncio.sleep(_EVERY)
        was_idle, idle = idle, not drop_expired_sessions()
        if not (was_idle and idle):
            collect(thoroughly=idle)


def drop_expired_sessions() -> int:
    """Drop sessions that were left and can no longer be resumed, and return how many remain.

    Streamlit keeps a session that was left for two minutes, but drops it only when the next one is left.
    """
    manager = runtime.get_instance()._session_mgr
    with manager._storage_lock:  # type: ignore[attr-defined]
        manager._session_storage._cache.expire()  # type: ignore[attr-defined]
    return len(manager.list_sessions())


def collect(*, thoroughly: bool = False) -> None:
    """Collect garbage and return free memory to the system.

    Args:
        thoroughly: also what was passed over so far, such as a session that was open when a package was imported.
    """
    with _lock:
        if thoroughly:
            gc.unfreeze()
        gc.collect()
        if thoroughly:
            gc.freeze()
    processes.return_free_memory()
