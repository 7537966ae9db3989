"""Functions that run in a process of their own, with limits, progress, cancellation and an end by force.

Code that reads text from outside can take unlimited time, exhaust memory or crash. So it runs here::

    pages = run(Call(count_pages, (data,)), "tea.pdf")

calls ``count_pages(data)`` in a process that gets the arguments, sends the result and ends. It has almost no
environment, a low priority, and limits that it cannot raise: memory, processor time, time by the clock, output,
descriptors, no writing of files, no child processes, no network. Any failure becomes a
:class:`~chunking.errors.ChunkscopeError` with its cause; a limit is named.

By default each call starts a Python of its own, which takes as long as importing what the function needs. A server
calls :func:`keep_warm` once: one process then imports everything and is forked for each call, within milliseconds.
Forking needs Linux; elsewhere nothing changes. On systems without limits of memory and processor time (Windows), those
of time by the clock and of output still hold, since the caller enforces them.

Nothing that comes back is trusted: pickles never travel from a process to its caller, and a result has the type that
the function is annotated with. What its texts and numbers mean is for the caller to check, see
:mod:`chunking.isolation.codec`.
"""

from chunking.isolation.calls import USUAL, Call, Limits, keep_warm, run
from chunking.isolation.codec import demand
from chunking.isolation.errors import LimitError
from chunking.isolation.framing import TooMuch, WireError

__all__ = ["USUAL", "Call", "LimitError", "Limits", "TooMuch", "WireError", "demand", "keep_warm", "run"]
