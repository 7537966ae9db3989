"""Functions that run in a process of their own, with limits, progress, cancellation and an end by force.

Whatever works on text that comes from outside may take for ever, exhaust memory or crash. So it runs here::

    answer = run(Call("package.module:function", {"name": "tea.pdf"}), data, "tea.pdf")

calls ``function(data, name="tea.pdf")`` in a process that reads ``data``, writes the bytes of the result and ends. It
gets almost no environment, a low priority, and limits that it cannot raise: memory, processor time, time by the clock,
output, descriptors, no writing of files, no child processes, no network. Any failure becomes a
:class:`~chunking.errors.ChunkscopeError` with its cause; a limit is named.

By default each call starts a Python of its own, which takes as long as importing what the function needs. A server
calls :func:`keep_warm` once: one process then imports everything and is forked for each call, within milliseconds.
Forking needs Linux; elsewhere nothing changes. On systems without limits of memory and processor time (Windows), those
of time by the clock and of output still hold, since the caller enforces them.

Nothing that comes back is trusted: pickles never travel from a process to its caller. What the bytes mean, and that
they are valid, is for the caller to check; :mod:`chunking.isolation.message` helps.
"""

from chunking.isolation.calls import USUAL, Call, Limits, keep_warm, run
from chunking.isolation.errors import LimitError
from chunking.isolation.frames import TooMuch, WireError

__all__ = ["USUAL", "Call", "LimitError", "Limits", "TooMuch", "WireError", "keep_warm", "run"]
