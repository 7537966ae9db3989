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
    kept = limited(grid, cuts, strength(workspace, grid), params, packed=packed)
    chunks = build(*kept, params, fences=fences, repeats=repeats)
    return Segmentation(workspace.document, name, params, chunks, kept.suppressed, None, warnings)


def grid_for(workspace: Workspace, params: SizeParameters) -> Grid:
    """Return the grid of all gaps if limits or overlap need sentences, else one without places."""
    needed = params.min_tokens or params.max_tokens or (params.overlap and params.overlap_unit == "sentences")
    return workspace.grid if needed else workspace.bare_grid


def strength(workspace: Workspace, grid: Grid) -> Float64:
    """Return the strength of a cut at each edge of a grid, ``(n_edges,)`` float64."""
    strengths = np.full(len(grid.offsets), outline.INSIDE_SENTENCE)
    at_gap = grid.gaps >= 0
    if at_gap.any():
        strengths[at_gap] = workspace.strength[grid.gaps[at_gap]]
    return strengths


def at_gaps(workspace: Workspace, cuts: Sequence[Cut], params: SizeParameters | None = None) -> list[Cut]:
    """Return the cuts with the number of the gap they are at, where they are at one.

    Args:
        workspace: the document.
        cuts: ascending, each inside the text.
        params: if given, the cuts are numbered only if these limits or this overlap need the sentences anyway.
    """
    offsets = [cut.offset for cut in cuts]
    grid = (grid_for(workspace, params) if params else workspace.grid).with_places(offsets)
    gaps = grid.gaps[grid.edges(offsets)].tolist()
    return [replace(cut, gap=gap if gap >= 0 else None) for cut, gap in zip(cuts, gaps, strict=True)]
