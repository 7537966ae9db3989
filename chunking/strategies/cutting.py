"""The segmentation that a strategy's cuts give, for all strategies without a curve."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import zip_longest

import numpy as np

from chunking.chunks import Chunk, Cut, Limited, SizeParameters, build, limited, outline
from chunking.chunks.constraints import NONE, Constraints
from chunking.chunks.cut_points import CutPoints
from chunking.chunks.limits import before_white_space
from chunking.document import Document
from chunking.document.graphemes import cluster_starts
from chunking.runtime.arrays import Float64
from chunking.signals.signals import Signals
from chunking.strategies.base import Segmentation
from chunking.workspace import DocumentAnalysis


def segment(
    workspace: DocumentAnalysis,
    name: str,
    params: SizeParameters,
    cuts: Sequence[Cut],
    *,
    packed: bool = False,
    overlap_barriers: Sequence[int] = (),
    overlap_starts: Mapping[int, int] | None = None,
    warnings: tuple[str, ...] = (),
) -> Segmentation:
    """Apply the limits to a strategy's cuts and build its chunks.

    The text is split into sentences only where a limit or an overlap needs them.

    Args:
        workspace: the document.
        name, params: of the strategy.
        cuts: ascending, each inside the text.
        packed: see :func:`chunking.chunks.limited`.
        overlap_barriers, overlap_starts: see :func:`chunking.chunks.build`.
        warnings: reasons to distrust the result.
    """
    cuts, moved = _before_marks(workspace.document, at_cluster_starts(workspace.document, cuts))
    packed = packed and not moved  # a chunk that begins earlier may exceed the maximum
    constraints = constraints_for(workspace, params)
    places = [*(cut.offset for cut in cuts), *constraints.forced.tolist()]
    cut_points = cut_points_for(workspace, params).with_places(places)
    strengths = strength(workspace, cut_points)
    limited_cuts = limited(cut_points, cuts, strengths, params, constraints, packed=packed)
    limited_cuts = _without_blank_chunks(limited_cuts, params)
    chunks = build(limited_cuts, params, overlap_barriers=overlap_barriers, overlap_starts=overlap_starts)
    return segmentation_of(workspace, name, params, chunks, limited_cuts, warnings=warnings)


def _without_blank_chunks(limited_cuts: Limited, params: SizeParameters) -> Limited:
    """Return the cuts within a maximum with none that leaves a chunk of white space alone.

    A strategy may cut before white space, and the maximum behind it. The white space goes to the chunk before it, with
    the last character of that where there is no room for both.
    """
    if not params.max_tokens:
        return limited_cuts
    cut_points, cuts = limited_cuts.cut_points, limited_cuts.cuts
    text, kept = cut_points.document.text, list[Cut]()
    for cut, following in zip_longest(cuts, cuts[1:]):
        start, end = kept[-1].offset if kept else 0, following.offset if following else len(text)
        is_blank = cut.reason != "hand" and text[start : cut.offset].isspace()
        if is_blank and kept and kept[-1].reason != "hand":
            cut = _after_blank(cut_points, kept, cut, params)
        elif is_blank and not kept and _has_room(cut_points, 0, end, params):
            continue
        elif following is None and text[cut.offset :].isspace() and cut.reason != "hand":
            if _has_room(cut_points, start, end, params):
                continue
            cut = _moved_back(cut_points, start, cut, end, params)
        kept.append(cut)
    offsets = [cut.offset for cut in kept]
    return limited_cuts._replace(cut_points=cut_points.with_places(offsets), cuts=kept)


def _after_blank(cut_points: CutPoints, kept: list[Cut], cut: Cut, params: SizeParameters) -> Cut:
    """Return the cut behind white space, before which the last of the cuts is removed or moved."""
    before = kept.pop()
    start = kept[-1].offset if kept else 0
    if _has_room(cut_points, start, cut.offset, params):
        own = cut if before.driver == "limit" else before
        return replace(own, offset=cut.offset, gap=cut.gap)
    kept.append(_moved_back(cut_points, start, before, cut.offset, params))
    return cut


def _has_room(cut_points: CutPoints, start: int, end: int, params: SizeParameters) -> bool:
    """Return whether a chunk's own text is within the maximum."""
    maximum = params.maximum
    return cut_points.counts([start], [end])[0] <= maximum.tokens - maximum.overlap


def _moved_back(cut_points: CutPoints, start: int, cut: Cut, end: int, params: SizeParameters) -> Cut:
    """Return a cut before the last character in front of white space; itself where a part would exceed the maximum."""
    document = cut_points.document
    moved = before_white_space(document.text, document.inside_clusters, start, cut.offset)
    if moved == cut.offset or not all(_has_room(cut_points, *span, params) for span in ((start, moved), (moved, end))):
        return cut
    return replace(cut, offset=moved, gap=None)


def segmentation_of(
    workspace: DocumentAnalysis,
    name: str,
    params: SizeParameters,
    chunks: tuple[Chunk, ...],
    limited_cuts: Limited,
    signals: Signals | None = None,
    warnings: tuple[str, ...] = (),
) -> Segmentation:
    """Return the segmentation into the chunks of cuts, with the cuts that were removed and left out."""
    removed, kept = limited_cuts.suppressed, limited_cuts.kept
    return Segmentation(workspace.document, name, params, chunks, removed, signals, warnings, kept=kept)


def constraints_for(workspace: DocumentAnalysis, params: SizeParameters) -> Constraints:
    """Return the constraints of a document if parameters or edits by hand use them, else none."""
    uses_layout = params.keep_together == "yes" or params.soft_min_tokens
    return workspace.constraints if uses_layout or workspace.edits else NONE


def _before_marks(document: Document, cuts: Sequence[Cut]) -> tuple[Sequence[Cut], bool]:
    """Return the cuts, those between the number or times of a cue and its words before them, and whether any moved."""
    if not document.timeline.starts:
        return cuts, False
    offsets = [cut.offset for cut in cuts]
    moved = _moved(cuts, [document.timeline.before_mark(offset) for offset in offsets])
    return moved, [cut.offset for cut in moved] != offsets


def at_cluster_starts(document: Document, cuts: Sequence[Cut]) -> Sequence[Cut]:
    """Return cuts with those inside a grapheme cluster moved back to its start, where there is no other."""
    offsets = np.array([cut.offset for cut in cuts], dtype=np.int64)
    starts = cluster_starts(document.inside_clusters, offsets)
    if (starts == offsets).all():
        return cuts
    new_offsets = starts.tolist()
    unnumbered = [
        cut if cut.offset == offset else replace(cut, gap=None) for cut, offset in zip(cuts, new_offsets, strict=True)
    ]
    return _moved(unnumbered, new_offsets)


def _moved(cuts: Sequence[Cut], offsets: Sequence[int]) -> list[Cut]:
    """Return the cuts at their new offsets: the first of those that meet, and none at the start of the text."""
    by_offset: dict[int, Cut] = {}
    for cut, offset in zip(cuts, offsets, strict=True):
        if offset > 0:
            by_offset.setdefault(offset, cut if offset == cut.offset else replace(cut, offset=offset))
    return list(by_offset.values())


def cut_points_for(workspace: DocumentAnalysis, params: SizeParameters) -> CutPoints:
    """Return the cut points of all gaps if limits, overlap or edits need sentences, else none."""
    needed = params.has_limits or (params.overlap and params.overlap_unit == "sentences") or workspace.edits
    return workspace.cut_points if needed else workspace.cut_points_only


def strength(workspace: DocumentAnalysis, cut_points: CutPoints) -> Float64:
    """Return the strength of a cut at each cut point, ``(n_cut_points,)`` float64."""
    strengths = np.full(len(cut_points.offsets), outline.INSIDE_SENTENCE)
    at_gap = cut_points.gaps >= 0
    if at_gap.any():
        strengths[at_gap] = workspace.strength[cut_points.gaps[at_gap]]
    return strengths


def at_gaps(workspace: DocumentAnalysis, cuts: Sequence[Cut], params: SizeParameters | None = None) -> list[Cut]:
    """Return the cuts with the number of the gap they are at, where they are at one.

    Args:
        workspace: the document.
        cuts: ascending, each inside the text.
        params: if given, the cuts are numbered only if these limits or this overlap need the sentences anyway.
    """
    offsets = [cut.offset for cut in cuts]
    cut_points = (cut_points_for(workspace, params) if params else workspace.cut_points).with_places(offsets)
    gaps = cut_points.gaps[cut_points.cut_indices(offsets)].tolist()
    return [replace(cut, gap=gap if gap >= 0 else None) for cut, gap in zip(cuts, gaps, strict=True)]
