"""The one kind of error that a user's input can cause.

Everything a person can get wrong (a file, a parameter, a model that is not there) raises
:class:`ChunkscopeError`. The pages show it with ``st.error``, the command line prints it on standard error and
exits with code 2; nothing else is caught, so a mistake of ours still shows itself.
"""

from __future__ import annotations


class ChunkscopeError(ValueError):
    """What went wrong, and what the user can do about it.

    Args:
        problem: one sentence that says what is wrong.
        remedy: one sentence that says what to do; may be empty where the problem says it already.
    """

    def __init__(self, problem: str, remedy: str = "") -> None:
        super().__init__(f"{problem} {remedy}".strip())
        self.problem = problem
        self.remedy = remedy
