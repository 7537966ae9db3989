"""Garbage collection without a look at what was imported.

Streamlit collects garbage after every run of a script, and looks at every object of the process for it. The objects of
imported packages are by far the most, stay until the server ends, and need not be looked at: they took most of the
processor time of a run.
"""

from __future__ import annotations

import gc
import sys
import threading

_lock = threading.Lock()
_exempt: set[str] = set()
_MANY = 50
"""Modules that were imported meanwhile from which on it is worth the time."""


def exempt_imported() -> None:
    """Let collections pass over all objects of now, if packages were imported since the last call."""
    with _lock:
        if len(sys.modules.keys() - _exempt) < _MANY:
            return
        _exempt.update(sys.modules)
        gc.collect()
        gc.freeze()
