"""What ``changepoint`` cuts at other values of one parameter: a preview for a control that is moved.

A division is too slow for every frame, so some are made in advance and the nearest one is shown; see
:mod:`chunking.strategies.changepoint` for the strategy.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from chunking.runtime.arrays import Float64, Int64
from chunking.strategies.changepoint import ChangepointParameters, Divider
from chunking.workspace import Workspace

STEPS = ((2_000, 21), (5_000, 9))
"""Sentences up to which a document has a ladder of so many steps: a tenth to a third of a second of work."""

_WIDEST = 16.0
"""The highest penalty of a ladder is this many times the present one, and the lowest as much below it."""


@dataclass(frozen=True, eq=False)
class Ladder:
    """Divisions at ascending values of one parameter.

    Attributes:
        values: ``(n_steps,)`` float64, values of α or boundary penalties.
        penalties: ``(n_steps,)`` float64, the boundary penalty of each division.
        cuts: of each division, ascending gaps, ``(n_cuts,)`` int64.
    """

    values: Float64
    penalties: Float64
    cuts: tuple[Int64, ...]


def steps_for(sentences: int) -> int:
    """Return how many divisions of a document are made in advance; 0 for a long one, and for one without a gap."""
    return next((steps for most, steps in STEPS if 2 <= sentences <= most), 0)


def alpha_ladder(workspace: Workspace, params: ChangepointParameters, steps: int) -> Ladder:
    """Return the divisions at ``steps`` values of α from 0 to 1, with all else as in the parameters."""
    values = np.linspace(0.0, 1.0, steps).round(2)
    dividers = [Divider(workspace, replace(params, alpha=float(alpha))) for alpha in values]
    penalties = np.array([divider.penalty() for divider in dividers])
    cuts = tuple(each.cuts(float(penalty)) for each, penalty in zip(dividers, penalties, strict=True))
    return Ladder(values, penalties, cuts)


def penalty_ladder(workspace: Workspace, params: ChangepointParameters, steps: int) -> Ladder:
    """Return the divisions at ``steps`` boundary penalties around the automatic one, at the α of the parameters."""
    divider = Divider(workspace, replace(params, percentile=0.0, boundaries=0))
    penalties = divider.penalty() * np.geomspace(1 / _WIDEST, _WIDEST, steps)
    return Ladder(penalties, penalties, tuple(divider.cuts(float(penalty)) for penalty in penalties))
