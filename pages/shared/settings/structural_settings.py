"""The controls of the fused strategy, on pages that cover it alone."""

from __future__ import annotations

from typing import cast

from chunking import ChunkscopeError, strategies
from chunking.strategies.gaps import StructuralParameters
from pages.shared.settings import strategy_settings

STRATEGY = strategies.get("structural")


def choose() -> tuple[StructuralParameters, list[ChunkscopeError]]:
    """Draw all controls of the strategy; return the setting they make, and what the address names that there is not."""
    params, errors = strategy_settings.choose_for(STRATEGY)
    return cast(StructuralParameters, params), errors
