"""Strategies whose chunks never cross a section: filled with sentences, or cut at low similarity."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from chunking.chunks import Cut, SizeParameters
from chunking.document import Document
from chunking.params import parameter
from chunking.runtime.arrays import Float64, Int64
from chunking.signals.distances import semantic_distances
from chunking.strategies.base import Segmentation, Strategy
from chunking.strategies.cutting import at_gaps, segment
from chunking.strategies.sections.paragraphs import DEEPEST, level_parameter, parts, size_parameter
from chunking.tokens import SpanTokens
from chunking.workspace import DocumentAnalysis


def section_cuts(document: Document, level: int) -> list[Cut]:
    """Return a cut before each heading of at most the given level, except one at the start of the text."""
    return [part.cut("section") for part in parts(document)[1:] if part.opens(level)]


# Packing -----------------------------------------------------------------------------------------------------------


def own_room(params: SizeParameters, size: int) -> int:
    """Return the tokens that a chunk's own text may have, so that with an overlap counted in tokens it has at most
    ``size``.
    """
    return size - (params.overlap if params.overlap_unit == "tokens" else 0)


def repeated_sentences(params: SizeParameters) -> int:
    """Return the sentences of overlap."""
    return params.overlap if params.overlap_unit == "sentences" else 0


def pack(tokens: SpanTokens, bounds: Sequence[int], maximum: int, overlap: int = 0, fence: int = 0) -> list[int]:
    """Join neighbouring parts from the left, as many as fit.

    Args:
        tokens: counts of segments.
        bounds: where the parts begin, as numbers of segments, ascending, and where the last one ends.
        maximum: maximum tokens of a run of parts, including the segments that it repeats.
        overlap: segments that a run repeats from before its start; fewer where they would take more than half the
            maximum, or leave no room for its first part.
        fence: segment that no overlap may reach back over.

    Returns:
        The inner bounds between runs, ascending. A part that exceeds the maximum is a run of its own.
    """
    marks = np.asarray(bounds, dtype=np.int64)
    large = np.flatnonzero(tokens.span_counts(marks[:-1], marks[1:]) > maximum)
    part_starts: list[int] = []
    index = 0
    while index < len(marks) - 1:
        after = int(np.searchsorted(large, index))
        barrier = int(large[after]) if after < len(large) else len(marks) - 1
        if barrier == index:
            index += 1
        else:
            lead = _lead(tokens, int(marks[index]), int(marks[index + 1]), maximum, overlap, fence)
            index = _furthest(tokens, marks, index, barrier, lead, maximum)
        part_starts.append(int(marks[index]))
    return part_starts[:-1]


def _lead(tokens: SpanTokens, first: int, stop: int, maximum: int, overlap: int, fence: int) -> int:
    """Return the segment that the overlap of a run from segment ``first`` begins with."""
    leads = np.arange(max(first - overlap, fence), first)
    if not len(leads):
        return first
    lean = 2 * tokens.span_counts(leads, np.full(len(leads), first)) <= maximum
    fits = tokens.span_counts(leads, np.full(len(leads), stop)) <= maximum
    good = np.flatnonzero(lean & fits)
    return int(leads[good[0]]) if len(good) else first


def _furthest(tokens: SpanTokens, marks: Int64, index: int, barrier: int, lead: int, maximum: int) -> int:
    """Return the last mark, up to the barrier, that text from ``lead`` reaches within the maximum; at least the next
    one.
    """
    width = 32
    while True:
        stops = marks[index + 1 : min(index + 1 + width, barrier + 1)]
        over = np.flatnonzero(tokens.span_counts(np.full(len(stops), lead), stops) > maximum)
        if len(over):
            return index + max(int(over[0]), 1)
        if index + len(stops) >= barrier:
            return barrier
        width *= 4


# section -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class SectionParameters(SizeParameters):
    """Parameters of ``section``."""

    level: int = level_parameter(DEEPEST, "Headings down to this level begin a section.")
    overlap: int = size_parameter("overlap", 2)
    max_tokens: int = size_parameter("max_tokens", 800, minimum=1)


def _run_section(workspace: DocumentAnalysis, params: SectionParameters) -> Segmentation:
    sections = section_cuts(workspace.document, params.level)
    overlap_barriers = [cut.offset for cut in sections]
    cut_points = workspace.cut_points.with_places(overlap_barriers)
    tokens = cut_points.tokens
    marks = np.concatenate(([0], cut_points.cut_indices(overlap_barriers) + 1, [len(tokens.cuts) - 1]))
    room = own_room(params, params.max_tokens)
    cuts = list(sections)
    for section in np.flatnonzero(tokens.span_counts(marks[:-1], marks[1:]) > room).tolist():
        first, last = int(marks[section]), int(marks[section + 1])
        part_bounds = pack(tokens, range(first, last + 1), room, repeated_sentences(params), first)
        cuts += [Cut(int(tokens.cuts[bound]), "sentence") for bound in part_bounds]
    cuts.sort(key=lambda cut: cut.offset)
    return segment(
        workspace, "section", params, at_gaps(workspace, cuts), packed=True, overlap_barriers=overlap_barriers
    )


# section_semantic --------------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class SectionSemanticParameters(SizeParameters):
    """Parameters of ``section_semantic``."""

    deviations: float = parameter(
        3.0,
        "Standard deviations",
        "How far below the mean of its section a similarity must lie to be cut.",
        minimum=0.0,
        maximum=6.0,
        step=0.1,
    )
    window: int = parameter(
        0,
        "Sentence window",
        "Neighbours on each side, in the same section, that are embedded together with each sentence; 0 for the "
        "sentence alone.",
        minimum=0,
        maximum=5,
        step=1,
        unit="sentences",
    )
    level: int = level_parameter(DEEPEST, "Headings down to this level begin a section.")


def _run_section_semantic(workspace: DocumentAnalysis, params: SectionSemanticParameters) -> Segmentation:
    sections = section_cuts(workspace.document, params.level)
    # The first and last sentence number of each section.
    begins = np.searchsorted(workspace.sentences.spans[:, 0], [cut.offset for cut in sections])
    marks = np.concatenate(([0], begins, [len(workspace.sentences)])).astype(np.int64)
    sizes = np.diff(marks) - 1
    # No value lies further than sqrt(n − 1) population deviations from the mean of n (Samuelson's inequality).
    needed = int(params.deviations**2) + 2
    distances = _distances(workspace, params.window, marks)
    semantic_cuts = [
        cut
        for section in np.flatnonzero(sizes >= needed).tolist()
        for cut in _turns(workspace, distances, int(marks[section]), int(sizes[section]), params.deviations)
    ]
    section_starts = {cut.offset for cut in sections}
    cuts = sections + [cut for cut in semantic_cuts if cut.offset not in section_starts]
    cuts.sort(key=lambda cut: cut.offset)
    short = int(np.count_nonzero((sizes >= 1) & (sizes < needed)))
    warnings = _too_short(short, int(np.count_nonzero(sizes >= 0)), params.deviations, needed)
    return segment(workspace, "section_semantic", params, at_gaps(workspace, cuts), warnings=warnings)


def _distances(workspace: DocumentAnalysis, window: int, marks: Int64) -> Float64:
    """Return semantic distances whose windows stay inside a section, ``(n_gaps,)`` float64."""
    if not window:
        return workspace.semantic(0, 1)
    texts, count = workspace.sentences.texts, len(workspace.sentences)
    numbers = np.arange(count)
    section = np.searchsorted(marks[1:-1], numbers, side="right")
    first, last = marks[section], marks[section + 1]
    crossing = np.flatnonzero(
        (np.maximum(numbers - window, 0) < first) | (np.minimum(numbers + window + 1, count) > last)
    ).tolist()
    vectors = workspace.vectors(window)
    if crossing:
        vectors = vectors.copy()
        vectors[crossing] = workspace.embed(
            [" ".join(texts[max(at - window, first[at]) : min(at + window + 1, last[at])]) for at in crossing]
        )
    return semantic_distances(vectors)


def _turns(workspace: DocumentAnalysis, distances: Float64, first: int, gaps: int, deviations: float) -> list[Cut]:
    """Return the cuts at the gaps of a section whose distance lies above its mean by more than some standard
    deviations.
    """
    values = distances[first : first + gaps]
    if np.ptp(values) == 0:
        return []
    threshold = float(values.mean() + deviations * values.std())
    return [
        Cut(int(workspace.offsets[first + at]), "distance", "semantic", first + at, float(values[at]), threshold)
        for at in np.flatnonzero(values > threshold).tolist()
    ]


def _too_short(short: int, sections: int, deviations: float, needed: int) -> tuple[str, ...]:
    if not short:
        return ()
    which = f"{short:,} of {sections:,} sections {'has' if short == 1 else 'have'}" if sections > 1 else "The text has"
    return (
        f"{which} fewer than {needed} gaps between sentences, so no similarity there can lie {deviations:g} standard "
        "deviations below the mean.",
    )


STRATEGIES: tuple[Strategy, ...] = (
    Strategy(
        name="section",
        title="Sections",
        family="section",
        summary="Fills chunks with whole sentences up to a maximum and never crosses a section; the overlap stays "
        "inside it.",
        origin="Section-aware chunkers: 800 tokens, 2 sentences of overlap",
        params=SectionParameters,
        cut=_run_section,
    ),
    Strategy(
        name="section_semantic",
        title="Sections by similarity",
        family="semantic",
        summary="Cuts before every section, and inside it where the similarity of neighbouring sentences is far below "
        "its mean.",
        origin="Standard deviation rule per section: mean − 3 standard deviations of similarity",
        params=SectionSemanticParameters,
        cut=_run_section_semantic,
    ),
)
