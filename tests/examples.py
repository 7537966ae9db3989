"""How many examples Hypothesis generates for a test, and how often a test repeats what chance decides."""

from __future__ import annotations

from hypothesis import settings

QUICK, THOROUGH = "quick", "thorough"
"""The profiles of ``make test`` and ``make test-all``."""


def examples(number: int, quick: int = 100) -> int:
    """Return a number of examples as it is in ``make test-all``, and no more than ``quick`` in ``make test``."""
    return number if settings.get_current_profile_name() == THOROUGH else min(number, quick)
