"""What a person reads where a process failed."""

from __future__ import annotations

import logging
import math
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from chunking.errors import ChunkscopeError
from chunking.isolation.framing import MAX_TEXT, TooMuch, WireError

_LOG = logging.getLogger(__name__)

_SAVE_AGAIN = "Open it in the program that made it, save it again, and load that; or load its text."
_SMALLER = "Split it into smaller files and load one of them."


@dataclass(frozen=True)
class End:
    """How a process ended.

    Attributes:
        code: of its exit; negative: the signal that killed it.
        memory: the most bytes of memory that it had; 0 where that is not known.
    """

    code: int
    memory: int = 0


class CallError(ChunkscopeError):
    """The process of a call failed.

    Args:
        problem, remedy: see :class:`ChunkscopeError`.
        cause: what happened, to follow the name of whatever the process ran.
    """

    def __init__(self, problem: str, remedy: str = "", cause: str = "") -> None:
        super().__init__(problem, remedy)
        self.cause = cause


class LimitError(CallError):
    """A call met one of its limits."""


@contextmanager
def reworded(subject: str, name: str, remedy: str) -> Iterator[None]:
    """Reword the error of a call inside that does not read a file.

    Args:
        subject: what the process ran, such as ``"The strategy"``.
        name: of the document that it worked on.
        remedy: what to do.
    """
    try:
        yield
    except CallError as error:
        raise type(error)(f"{subject} {error.cause} on “{name}”, so it was stopped.", remedy, error.cause) from error


def too_long(name: str, limit: str) -> LimitError:
    """Return the error for a call that took longer than a limit, such as ``"60 seconds"``."""
    problem = f"“{name}” took longer to read than {limit}, so reading was stopped."
    return LimitError(problem, _SMALLER, f"took longer than {limit}")


def too_large(name: str, limit: int) -> LimitError:
    """Return the error for a call that needs more memory than its limit in bytes."""
    problem = f"“{name}” requires more memory than the limit for one file, {limit >> 20:,} MiB."
    return LimitError(problem, _SMALLER, f"required more than {limit >> 20:,} MiB of memory")


def too_much(name: str) -> LimitError:
    """Return the error for a call with more output than it may have: a document has no more text than it may have."""
    size = f"more than {MAX_TEXT >> 20} MiB of text"
    return LimitError(f"“{name}” contains {size}.", _SMALLER, f"returned {size}")


def too_deep(name: str) -> LimitError:
    """Return the error for a call that recursed too deeply."""
    return LimitError(f"“{name}” is nested too deeply to be read.", _SAVE_AGAIN, "recursed too deeply")


def no_process(name: str) -> ChunkscopeError:
    """Return the error for a call whose process cannot be started."""
    return ChunkscopeError(f"“{name}” cannot be read now: no further process can be started.", "Try again in a minute.")


def not_set_up(name: str, what: str) -> ChunkscopeError:
    """Return the error for a call whose function cannot be imported."""
    _LOG.error("A function that runs in a process of its own cannot be imported: %s", what)
    return ChunkscopeError(
        f"“{name}” cannot be read: this installation has no loader for it ({what}).",
        "Install the packages in requirements.txt.",
    )


def killed(name: str) -> CallError:
    """Return the error for a process that was killed, which this program does only where nobody waits any more."""
    _LOG.warning("The process that read a file was killed.")
    cause = "was killed from outside, as a system does that runs out of memory"
    return CallError(
        f"The process that read “{name}” {cause}. Nothing else was affected.",
        f"Try again. If it happens again: {_SMALLER[0].lower()}{_SMALLER[1:]}",
        cause,
    )


def crashed(name: str, how: str) -> CallError:
    """Return the error for a process that ended by a signal or an exit code."""
    _LOG.warning("The process that read a file ended: %s", how)
    problem = f"“{name}” crashed its parser ({how}): it is damaged or malicious. Nothing else was affected."
    return CallError(problem, _SAVE_AGAIN, f"crashed ({how})")


def broken(name: str, what: str) -> CallError:
    """Return the error for an answer that is no valid result."""
    _LOG.warning("The process that read a file failed: %s", what)
    problem = f"“{name}” cannot be read: it is damaged, or its name has the wrong suffix."
    return CallError(problem, _SAVE_AGAIN, f"failed ({what})")


_FULL = {"SIGABRT": 0.5, "SIGSEGV": 0.75}
"""Shares of the limit of memory from which a process that ended with a signal is assumed to have got no more."""


def ended(name: str, end: End, cpu: int, memory: int) -> CallError:
    """Return the error for a process that ended without an answer.

    Args:
        name: of what it worked on.
        end: how it ended.
        cpu: its limit of seconds of the processor.
        memory: its limit of bytes.
    """
    names = {number.value: number.name for number in signal.Signals}
    signal_name = names.get(-end.code, "")
    if signal_name == "SIGXCPU":
        return too_long(name, f"{cpu} seconds of the processor")
    # Libraries that get no memory give up or crash so; then the process had most of what it may have. Where that is not
    # known, one that gave up had most likely got no more.
    if end.memory > _FULL.get(signal_name, math.inf) * memory or (signal_name == "SIGABRT" and not end.memory):
        return too_large(name, memory)
    if signal_name == "SIGKILL":
        return killed(name)
    return crashed(name, signal_name or f"exit code {end.code}")


@contextmanager
def checked(name: str) -> Iterator[None]:
    """Raise an error for the user where an answer that is read inside is no valid result."""
    try:
        yield
    except TooMuch as error:
        raise too_much(name) from error
    except WireError as error:
        raise broken(name, str(error)) from error
