"""Ends a server whose event loop does not answer any more, so that whoever supervises the process starts it again.

Nothing that was acknowledged is lost: it is in the database, or in the storage of the browser. The clock that ends the
process is a thread of faulthandler in C. A thread of Python would not do: what holds the interpreter, a regular
expression for example, would hold it too.
"""

from __future__ import annotations

import asyncio
import faulthandler
import os
import sys
from collections.abc import Mapping

from chunking import ChunkscopeError

SECONDS = "CHUNKSCOPE_WATCHDOG_SECONDS"
"""The environment variable of the seconds after which a server that does not answer is ended; 0 for never."""

_DEFAULT_SECONDS, _MOST_SECONDS = 30, 3600
_LOOKS = 6
"""How often the event loop answers in that time."""


def seconds(environment: Mapping[str, str] = os.environ) -> int:
    """Return the seconds after which a server that does not answer is ended; 0 for never.

    Raises:
        ChunkscopeError: the setting is no such number.
    """
    text = environment.get(SECONDS, "").strip() or str(_DEFAULT_SECONDS)
    if not (text.isascii() and text.isdigit() and int(text) <= _MOST_SECONDS):
        raise ChunkscopeError(f"{SECONDS} is {text!r:.40}.", f"Set it to a whole number from 0 to {_MOST_SECONDS}.")
    return int(text)


async def watch_forever(limit: float) -> None:
    """Answer again and again; once this event loop has not for a while, print where each thread is and end the process.

    Args:
        limit: seconds without an answer after which the process is ended; 0 for never.
    """
    if not limit:
        return
    try:
        while True:
            faulthandler.dump_traceback_later(limit, exit=True, file=sys.__stderr__ or 2)
            await asyncio.sleep(limit / _LOOKS)
    finally:
        faulthandler.cancel_dump_traceback_later()
