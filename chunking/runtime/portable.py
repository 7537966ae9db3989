"""Errors that pass from one process to another."""

from __future__ import annotations

import pickle
import traceback


def portable(error: BaseException) -> Exception:
    """Return an error that can be pickled, whatever it holds, with its traceback as a note."""
    found: object = None
    try:
        found = pickle.loads(pickle.dumps(error))
    except Exception:
        found = None
    result = found if isinstance(found, Exception) else RuntimeError(f"{type(error).__name__}: {error}")
    result.add_note("".join(traceback.format_exception(error)))
    return result
