"""What ``changepoint`` cuts at other values of one parameter: a preview for a control that is moved.

A division is too slow for every frame, so some are made in advance and the nearest one is shown; see
:mod:`chunking.strategies.changepoint` for the strategy.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from chunking.runtime.arrays import Float64, Int64
from chunking.strategies.changepoint import FINEST, ChangepointParameters, Divider
from chunking.workspace import Workspace

STEPS = ((2_000, 25), (5_000, 13))
"""Sentences up to which a document has a ladder of so many steps: up to a second of work. The numbers are odd, so that
the automatic choice is the middle one.
"""


@dataclass(frozen=True, eq=False)
class Ladder:
    """Divisions at ascending values of one parameter.

    Attributes:
        values: ``(n_steps,)`` float64, values of α or of ``fineness``.
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
    return _ladder(workspace, values, [replace(params, alpha=float(alpha)) for alpha in values])


def fineness_ladder(workspace: Workspace, params: ChangepointParameters, steps: int) -> Ladder:
    """Return the divisions at ``steps`` values of ``fineness``, from coarse to fine, at the α of the parameters."""
    values = np.linspace(-FINEST, FINEST, steps)
    automatic = replace(params, percentile=0.0, boundaries=0)
    return _ladder(workspace, values, [replace(automatic, fineness=float(value)) for value in values])


def _ladder(workspace: Workspace, values: Float64, settings: Sequence[ChangepointParameters]) -> Ladder:
    dividers = [Divider(workspace, params) for params in settings]
    penalties = np.array([divider.penalty() for divider in dividers])
    cuts = tuple(each.cuts(float(penalty)) for each, penalty in zip(dividers, penalties, strict=True))
    return Ladder(values, penalties, cuts)
