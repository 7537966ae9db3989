"""The error that every invalid input raises.

Whatever a user can get wrong (a file, a parameter, a model that is not installed) raises :class:`ChunkscopeError`. The
pages show it with ``st.error``; the command line prints it on standard error and exits with code 2. No other exception
is caught, so that bugs are visible.
"""

from __future__ import annotations


class ChunkscopeError(ValueError):
    """A problem with the user's input, and its remedy.

    Args:
        problem: one sentence that says what happened.
        remedy: one sentence that says what to do; may be empty if the problem implies it.
    """

    def __init__(self, problem: str, remedy: str = "") -> None:
        super().__init__(f"{problem} {remedy}".strip())
        self.problem = problem
        self.remedy = remedy
