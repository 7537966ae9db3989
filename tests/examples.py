"""How many examples Hypothesis generates for a test."""

from __future__ import annotations

from hypothesis import settings

QUICK, THOROUGH = "quick", "thorough"
"""The profiles of ``make test`` and ``make test-all``."""


def examples(number: int) -> int:
    """Return a number of examples as it is in ``make test-all``, and no more than 100 in ``make test``."""
    return number if settings.get_current_profile_name() == THOROUGH else min(number, 100)
