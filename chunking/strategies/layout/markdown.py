"""Chunks of whole blocks: paragraphs, lists, tables and code are packed up to a size and never split."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from chunking.chunks import Cut
from chunking.document import Block, Document
from chunking.runtime.patterns import compile_pattern
from chunking.strategies.base import Segmentation, Strategy
from chunking.strategies.cutting import segment
from chunking.strategies.layout.packing import PackedParameters, Packer, note_oversized_parts
from chunking.strategies.sections.paragraphs import cut_places
from chunking.workspace import DocumentAnalysis

_LEAST = 4
"""A chunk ends at a preferred place only if it is at least this fraction (1/n) full."""

_AFTER_COLON = 1.0  # between a line that announces something and what it announces
_BLOCK = 2.0
_HEADING = 3.0  # and up to one more, the higher the heading

_LIST_MARKER = compile_pattern(r"(?:[ \t>]*)(?:[-+*]|[0-9]{1,9}[.)])(?=[ \t\r\n]|\Z)")


@dataclass(frozen=True, kw_only=True)
class MarkdownParameters(PackedParameters):
    """Parameters of ``markdown``."""


@dataclass(frozen=True, slots=True)
class Atom:
    """A run of blocks that is never split.

    Attributes:
        place: where the text is cut before it.
        kind: of its first block; ``"list"`` for a list.
        level: of the heading, where it begins with one.
        holds: its kind apart from its headings, in words.
        strength: the strength of a cut before it.
    """

    place: int
    kind: str
    level: int
    holds: str
    strength: float


def _groups(document: Document) -> Iterator[list[Block]]:
    """Yield groups of blocks: a list with its items and nested blocks is one group."""
    group: list[Block] = []
    inside = 0  # the column from which a block belongs to the open list; 0 where none is open
    for block in document.blocks:
        lead = _column(document.text, block.start)
        item = block.kind == "list_item" or _is_at_marker(document, block)
        if group and inside and (item or (lead >= inside and block.kind != "page_break")):
            group.append(block)
            continue
        if group:
            yield group
        group = [block]
        inside = lead + max(block.content - block.start, 1) if item else 0
        if item and block.kind != "list_item":
            inside = lead + 2
    if group:
        yield group


def _column(text: str, offset: int) -> int:
    """Return the column of a character on its line, with tab stops at multiples of four."""
    start = offset
    while start and text[start - 1] in " \t":
        start -= 1
    if start and text[start - 1] not in "\r\n":
        return 0
    return len(text[start:offset].expandtabs(4))


def _is_at_marker(document: Document, block: Block) -> bool:
    """Return whether a block that is no item itself begins on the line of a list marker, as in ``- # Title``."""
    markdown = document.is_markdown and block.kind not in ("paragraph", "list_item", "quote")
    return markdown and _LIST_MARKER.match(document.text, block.start, block.end) is not None


def _sections(groups: Sequence[list[Block]]) -> Iterator[list[list[Block]]]:
    """Yield the groups that stay together: headings, page breaks after them, and the first group below."""
    run: list[list[Block]] = []
    for group in groups:
        run.append(group)
        if group[0].kind == "heading" and len(group) == 1:
            continue
        if group[0].kind == "page_break" and len(run) > 1:
            continue
        yield run
        run = []
    if run:
        yield run


def _atoms(document: Document, runs: Sequence[list[list[Block]]]) -> list[Atom]:
    """Return the atoms of runs of groups."""
    ends = [run[-1][-1].end for run in runs]
    places = [0, *cut_places(document, [run[0][0].start for run in runs[1:]], ends[:-1])]
    atoms: list[Atom] = []
    for run, place, before in zip(runs, places, [0, *ends], strict=False):
        level = run[0][0].level if _is_heading(run[0]) else 0
        announced = document.text[before - 1 : before] == ":" and _name(run[0]) in ("list", "table", "code", "quote")
        strength = _AFTER_COLON if announced else _BLOCK
        if _is_heading(run[0]):
            strength = _HEADING + 1 / max(level, 1)
        atoms.append(Atom(place, _name(run[0]), level, _name(run[-1]), strength))
    return atoms


def _is_heading(group: Sequence[Block]) -> bool:
    return group[0].kind == "heading" and len(group) == 1


def _name(group: Sequence[Block]) -> str:
    if group[0].kind == "list_item" or len(group) > 1:
        return "list"
    return group[0].kind.replace("_", " ")


def _split_runs(runs: Sequence[list[list[Block]]], packer: Packer) -> list[list[list[Block]]]:
    """Split runs larger than the size between a heading without text and one that is not below it."""
    sizes = packer.counts(np.arange(len(runs)), np.arange(1, len(runs) + 1)).tolist()
    parts: list[list[list[Block]]] = []
    for run, size in zip(runs, sizes, strict=True):
        if size <= packer.size:
            parts.append(run)
            continue
        part = [run[0]]
        for left, right in pairwise(run):
            if _is_heading(left) and _is_heading(right) and right[0].level <= left[0].level:
                parts.append(part)
                part = []
            part.append(right)
        parts.append(part)
    return parts


def _pack(atoms: Sequence[Atom], packer: Packer) -> list[int]:
    """Return the atoms that begin a chunk, without the first.

    A chunk ends before the strongest of the atoms up to the last that fits, the last among equals, provided that the
    chunk is at least a quarter full.
    """
    strength = np.array([*(atom.strength for atom in atoms), np.inf])
    selected, first, last = [], 0, len(atoms)
    while first < last:
        stops = np.arange(first + 1, min(last, first + packer.size) + 1)  # an atom has at least one token
        stop = int(stops[packer.furthest(first, stops)])
        if stop == last:
            break
        stops = stops[stops <= stop]
        stops = stops[(packer.about(first, stops) * _LEAST >= packer.size) | (stops == stop)]
        best = int(stops[len(stops) - 1 - int(np.argmax(strength[stops][::-1]))])
        selected.append(best)
        first = best
    return selected


def _run(workspace: DocumentAnalysis, params: MarkdownParameters) -> Segmentation:
    document = workspace.document
    runs = list(_sections(list(_groups(document))))
    atoms = _atoms(document, runs)
    packer = Packer(workspace, [atom.place for atom in atoms[1:]], params.target)
    parts = _split_runs(runs, packer) if runs else []
    if len(parts) > len(runs):
        atoms = _atoms(document, parts)
        packer = Packer(workspace, [atom.place for atom in atoms[1:]], params.target)
    selected = _pack(atoms, packer) if atoms else []
    result = segment(workspace, "markdown", params, [_cut(atoms[number]) for number in selected])
    whole_parts = {atom.place if number else 0: f"the {atom.holds}" for number, atom in enumerate(atoms)}
    return note_oversized_parts(result, whole_parts, params.size)


def _cut(atom: Atom) -> Cut:
    if atom.level:
        return Cut(atom.place, "heading", detail=f"h{atom.level}")
    return Cut(atom.place, "block", detail=atom.kind)


STRATEGIES: tuple[Strategy, ...] = (
    Strategy(
        name="markdown",
        title="Markdown blocks",
        family="layout",
        summary="Packs whole blocks up to a size, preferably cut before headings and never inside a list, a "
        "table or code.",
        origin="Markdown splitters of LangChain, LlamaIndex and semantic-text-splitter; Chunkscope's own packing",
        params=MarkdownParameters,
        cut=_run,
    ),
)
