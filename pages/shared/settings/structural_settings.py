"""The controls of the fused strategy, on pages that are made for it alone."""

from __future__ import annotations

from typing import cast

from chunking import strategies
from chunking.strategies.gaps import StructuralParameters
from pages.shared.settings import strategy_settings

STRATEGY = strategies.get("structural")


def choose() -> StructuralParameters:
    """All controls of the strategy, and the setting they make."""
    return cast(StructuralParameters, strategy_settings.choose_for(STRATEGY))
