"""Strategies that cut at headings: one chunk per section, per paragraph, or a tree of sections."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from chunking.chunks import Chunk, Cut, SizeParameters, TokenCounts, limits, nest
from chunking.chunks.cut_points import CutPoints
from chunking.errors import ChunkscopeError
from chunking.params import parameter
from chunking.runtime.arrays import Int64
from chunking.strategies.base import Segmentation, Strategy
from chunking.strategies.cutting import at_gaps, cut_points_for, segment
from chunking.strategies.sections.paragraphs import Part, at_parts, level_parameter, parts, size_parameter
from chunking.strategies.sections.sections import own_room, pack, repeated_sentences
from chunking.workspace import DocumentAnalysis

_ORIGIN = "Heading strategies of personal-library-manager (LichHunter)"

# heading, heading_limited ------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class HeadingParameters(SizeParameters):
    """Parameters of ``heading``."""

    level: int = level_parameter(3, "Headings down to this level begin a chunk.")


@dataclass(frozen=True, kw_only=True)
class HeadingLimitedParameters(SizeParameters):
    """Parameters of ``heading_limited``."""

    level: int = level_parameter(3, "Headings down to this level begin a chunk.")
    max_tokens: int = size_parameter("max_tokens", 512, minimum=1)


def _heading_cuts(blocks: Sequence[Part], params: HeadingParameters | HeadingLimitedParameters) -> list[Cut]:
    return [part.cut() for part in blocks[1:] if part.opens(params.level)]


# heading_paragraph -------------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class HeadingParagraphParameters(SizeParameters):
    """Parameters of ``heading_paragraph``."""

    level: int = level_parameter(3, "Headings down to this level begin a chunk even directly below another heading.")


def _paragraph_cuts(
    blocks: Sequence[Part], params: HeadingParagraphParameters | HierarchicalTreeParameters
) -> list[Cut]:
    """Return a cut before each heading of at most the given level, and before each paragraph.

    A heading and the block after it stay together, as do a lead-in that ends in a colon and the block that it
    announces, and the items of a list.
    """
    return [
        right.cut() for left, right in pairwise(blocks) if right.opens(params.level) or _is_new_paragraph(left, right)
    ]


def _is_new_paragraph(left: Part, right: Part) -> bool:
    same_list = left.block.kind == right.block.kind == "list_item"
    return not right.bound and not same_list


# hierarchical ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class HierarchicalParameters(SizeParameters):
    """Parameters of ``hierarchical``."""

    size: int = parameter(
        512,
        "Size",
        "Maximum tokens, including an overlap in tokens. Larger parts are split at the next finer level. Code "
        "blocks may be larger, up to the maximum.",
        minimum=1,
        maximum=32000,
        step=10,
        unit="tokens",
    )
    overlap: int = size_parameter("overlap", 50)
    overlap_unit: str = size_parameter("overlap_unit", "tokens")

    def validate(self) -> None:
        """Also reject an overlap or a minimum that the size leaves no room for."""
        super().validate()
        room = own_room(self, self.size)
        if room < max(self.min_tokens, 1):
            raise ChunkscopeError(
                f"A size of {self.size} leaves no room for a minimum of {self.min_tokens} tokens and an overlap of "
                f"{self.size - room}.",
                "Raise the size, or lower the overlap or the minimum.",
            )


def _run_hierarchical(workspace: DocumentAnalysis, params: HierarchicalParameters) -> Segmentation:
    document_parts = parts(workspace.document)
    cut_points = workspace.cut_points.with_places([part.place for part in document_parts[1:]])
    room = own_room(params, min(params.size, params.max_tokens or params.size))
    opening = _Opening(cut_points, document_parts, room, repeated_sentences(params))
    segmentation = segment(workspace, "hierarchical", params, at_gaps(workspace, opening.run()))
    note = f"code kept whole, exceeds the size of {params.size} tokens including overlap"
    kept_spans = opening.kept
    chunks = [
        replace(chunk, notes=(*chunk.notes, note)) if (chunk.start, chunk.end) in kept_spans else chunk
        for chunk in segmentation.chunks
    ]
    return replace(segmentation, chunks=tuple(chunks))


class _Opening:
    """The division of a document level by level until every part fits: headings, blocks, sentences, words.

    Parts that fit stay whole, and neighbouring parts of one parent are joined while they fit. A code block, with
    the headings directly above it, is never split.

    Args:
        cut_points: has the places of all gaps and parts.
        parts: the parts of the document.
        room: maximum tokens of a chunk without overlap.
        overlap: number of sentences that a chunk repeats.
    """

    def __init__(self, cut_points: CutPoints, document_parts: Sequence[Part], room: int, overlap: int) -> None:
        self.cut_points, self.parts, self.room, self.overlap = cut_points, document_parts, room, overlap
        self.tokens = cut_points.tokens
        self.end = len(self.tokens.cuts) - 1
        part_bounds = cut_points.cut_indices([part.place for part in document_parts[1:]]) + 1
        self.starts: list[int] = [0, *part_bounds.tolist()][: len(document_parts)]
        self.ends: list[int] = [*self.starts[1:], self.end][: len(document_parts)]
        self.code_ends = self._code()

    def run(self) -> list[Cut]:
        """Return the cuts, ascending."""
        too_large = [(0, self.end)]
        cuts: list[Cut] = []
        for bounds, cut_at in self._levels():
            too_large = self._open(too_large, np.array(bounds, dtype=np.int64), cut_at, cuts)
        for first, last in self._too_large(too_large):
            start, end = int(self.tokens.cuts[first]), int(self.tokens.cuts[last])
            inner = limits.split_segment(self.cut_points.document.text[start:end], self.cut_points.counter, self.room)
            cuts += [Cut(start + offset, "size", detail="inside a sentence") for offset in inner]
        return sorted(cuts, key=lambda cut: cut.offset)

    @property
    def kept(self) -> set[tuple[int, int]]:
        """The spans of the code blocks that are too large."""
        spans = list(self.code_ends.items())
        ends = np.array(spans, dtype=np.int64).reshape(-1, 2)
        large = self.tokens.span_counts(ends[:, 0], ends[:, 1]) > self.room
        return {(int(self.tokens.cuts[first]), int(self.tokens.cuts[last])) for first, last in ends[large].tolist()}

    def _levels(self) -> Iterable[tuple[list[int], Callable[[int], Cut]]]:
        """Yield the bounds of each level, coarsest first, with a function that makes a cut of a bound."""
        free = {bound: part for bound, part in zip(self.starts, self.parts, strict=True) if not part.bound}
        by_level: dict[int, list[int]] = {}
        for bound, part in free.items():
            if part.block.kind == "heading":
                by_level.setdefault(part.block.level, []).append(bound)
        for level in sorted(by_level):
            yield by_level[level], lambda bound: free[bound].cut()
        yield list(free), lambda bound: free[bound].cut()
        yield self._outside_code(), lambda bound: Cut(int(self.tokens.cuts[bound]), "sentence")

    def _open(
        self, parents: Sequence[tuple[int, int]], bounds: Int64, cut_at: Callable[[int], Cut], cuts: list[Cut]
    ) -> list[tuple[int, int]]:
        """Cut the parents that are too large; return the parts that may have to be split further."""
        children: list[tuple[int, int]] = []
        for first, last in self._too_large(parents):
            low, high = np.searchsorted(bounds, first, side="right"), np.searchsorted(bounds, last)
            marks = [first, *bounds[low:high].tolist(), last]
            bounds_to_cut = pack(self.tokens, marks, self.room, self.overlap) if len(marks) > 2 else []
            cuts += [cut_at(bound) for bound in bounds_to_cut]
            children += pairwise([first, *bounds_to_cut, last])
        return children

    def _too_large(self, spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
        """Return the runs of segments that have too many tokens and are not code."""
        ends = np.array(spans, dtype=np.int64).reshape(-1, 2)
        large = np.flatnonzero(self.tokens.span_counts(ends[:, 0], ends[:, 1]) > self.room).tolist()
        return [spans[at] for at in large if self.code_ends.get(spans[at][0]) != spans[at][1]]

    def _code(self) -> dict[int, int]:
        """Return the end of each code block by its start, alone and with the headings directly above it."""
        ends: dict[int, int] = {}
        lead: list[int] = []
        for part, start, end in zip(self.parts, self.starts, self.ends, strict=True):
            lead = [*lead, start] if part.bound and lead else [start]
            if part.block.kind == "code":
                ends |= dict.fromkeys(lead, end)
            if part.block.kind != "heading":
                lead = []
        return ends

    def _outside_code(self) -> list[int]:
        """Return all bounds except those inside code blocks."""
        bounds = np.arange(1, self.end)
        inside = np.zeros(self.end + 1, dtype=np.bool_)
        for part, start, end in zip(self.parts, self.starts, self.ends, strict=True):
            if part.block.kind == "code":
                inside[start + 1 : end] = True
        outside: list[int] = bounds[~inside[1 : self.end]].tolist()
        return outside


# hierarchical_tree -------------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class HierarchicalTreeParameters(SizeParameters):
    """Parameters of ``hierarchical_tree``."""

    level: int = level_parameter(
        4,
        "Headings down to this level begin a parent, which extends to the next heading of the same or a higher level.",
    )
    max_tokens: int = size_parameter(
        "max_tokens",
        0,
        help="Maximum tokens of a leaf, including overlap; a parent holds all of its leaves. 0 for no maximum.",
    )


def _run_hierarchical_tree(workspace: DocumentAnalysis, params: HierarchicalTreeParameters) -> Segmentation:
    blocks = parts(workspace.document)
    sections = _sections(blocks, params.level, len(workspace.document.text))
    cuts = at_gaps(workspace, _paragraph_cuts(blocks, params), params)
    overlap_barriers = [part.place for part, _ in sections if part.place]
    leaves = segment(workspace, "hierarchical_tree", params, cuts, overlap_barriers=overlap_barriers)
    return replace(leaves, chunks=nest(_parents(workspace, params, sections, leaves), leaves.chunks))


def _sections(blocks: Sequence[Part], level: int, end: int) -> list[tuple[Part, int]]:
    """Return the headings that open a section, in order, each with the end of its section and subsections."""
    sections: list[tuple[Part, int]] = []
    open_numbers: list[int] = []
    for part in (part for part in blocks if part.opens(level)):
        while open_numbers and sections[open_numbers[-1]][0].block.level >= part.block.level:
            closed = open_numbers.pop()
            sections[closed] = sections[closed][0], part.place
        open_numbers.append(len(sections))
        sections.append((part, end))
    return sections


def _parents(
    workspace: DocumentAnalysis, params: SizeParameters, sections: Sequence[tuple[Part, int]], leaves: Segmentation
) -> list[Chunk]:
    document = workspace.document
    cuts = [*leaves.suppressed, *(leaf.cut for leaf in leaves.chunks if leaf.cut)]
    gap_at = {cut.offset: cut.gap for cut in cuts}
    starts, ends = [part.place for part, _ in sections], [end for _, end in sections]
    cut_points = cut_points_for(workspace, params).with_places([start for start in starts if start])
    return [
        Chunk(
            index=0,
            start=part.place,
            end=end,
            text=document.text[part.place : end],
            counts=TokenCounts((tokens, 0, tokens)),
            overlap=None,
            heading_path=document.heading_path(part.block.start),
            cut=replace(part.cut("section"), gap=gap_at.get(part.place)) if part.place else None,
        )
        for (part, end), tokens in zip(sections, cut_points.counts(starts, ends, cut_points.tokens), strict=True)
    ]


STRATEGIES: tuple[Strategy, ...] = (
    Strategy(
        name="heading",
        title="Headings",
        family="heading",
        summary="Cuts before every heading down to a level.",
        origin=_ORIGIN,
        params=HeadingParameters,
        cut=at_parts("heading", _heading_cuts),
    ),
    Strategy(
        name="heading_limited",
        title="Headings with size limit",
        family="heading",
        summary="Cuts before every heading down to a level, and splits larger sections at their strongest inner place.",
        origin=_ORIGIN,
        params=HeadingLimitedParameters,
        cut=at_parts("heading_limited", _heading_cuts),
    ),
    Strategy(
        name="heading_paragraph",
        title="Headings and paragraphs",
        family="heading",
        summary="Makes every paragraph a chunk, the first of a section with its heading; a list, a table or a code "
        "block is one chunk.",
        origin=_ORIGIN,
        params=HeadingParagraphParameters,
        cut=at_parts("heading_paragraph", _paragraph_cuts),
    ),
    Strategy(
        name="hierarchical",
        title="Hierarchical",
        family="heading",
        summary="Splits large parts level by level: headings, paragraphs, sentences, words; code blocks stay whole.",
        origin="Hierarchical splitters that divide the document level by level; 512 tokens, overlap 50",
        params=HierarchicalParameters,
        cut=_run_hierarchical,
    ),
    Strategy(
        name="hierarchical_tree",
        title="Hierarchical tree",
        family="heading",
        summary="Returns every section with its subsections as a parent, and its paragraphs as leaves that tile the "
        "text.",
        origin=_ORIGIN,
        params=HierarchicalTreeParameters,
        cut=_run_hierarchical_tree,
        tiles=False,
    ),
)
