"""The segmentation that a strategy's cuts give, for all strategies without a curve."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from chunking.chunks import Cut, SizeParameters, build, limited, outline
from chunking.chunks.grid import Grid
from chunking.runtime.arrays import Float64
from chunking.strategies.base import Segmentation
from chunking.workspace import Workspace


def segment(
    workspace: Workspace,
    name: str,
    params: SizeParameters,
    cuts: Sequence[Cut],
    *,
    packed: bool = False,
    fences: Sequence[int] = (),
    repeats: Mapping[int, int] | None = None,
    warnings: tuple[str, ...] = (),
) -> Segmentation:
    """Apply the limits to a strategy's cuts and build its chunks.

    The text is split into sentences only where a limit or an overlap needs them.

    Args:
        workspace: the document.
        name, params: of the strategy.
        cuts: ascending, each inside the text.
        packed: see :func:`chunking.chunks.limited`.
        fences, repeats: see :func:`chunking.chunks.build`.
        warnings: reasons to distrust the result.
    """
    grid = grid_for(workspace, params).with_places([cut.offset for cut in cuts])
    found = limited(grid, cuts, strength(workspace, grid), params, packed=packed)
    chunks = build(*found, params, fences=fences, repeats=repeats)
    return Segmentation(workspace.document, name, params, chunks, found.suppressed, None, warnings)


def grid_for(workspace: Workspace, params: SizeParameters) -> Grid:
    """Return the grid of all gaps if limits or overlap need sentences, else one without places."""
    asked = params.min_tokens or params.max_tokens or (params.overlap and params.overlap_unit == "sentences")
    return workspace.grid if asked else workspace.bare_grid


def strength(workspace: Workspace, grid: Grid) -> Float64:
    """Return the strength of a cut at each edge of a grid, ``(n_edges,)`` float64."""
    found = np.full(len(grid.offsets), outline.INSIDE_SENTENCE)
    at_gap = grid.gaps >= 0
    if at_gap.any():
        found[at_gap] = workspace.strength[grid.gaps[at_gap]]
    return found


def at_gaps(workspace: Workspace, cuts: Sequence[Cut]) -> list[Cut]:
    """Return the cuts with the number of the gap they are at, where they are at one."""
    grid = workspace.grid.with_places([cut.offset for cut in cuts])
    gaps = grid.gaps[grid.edges([cut.offset for cut in cuts])].tolist()
    return [replace(cut, gap=gap if gap >= 0 else None) for cut, gap in zip(cuts, gaps, strict=True)]
