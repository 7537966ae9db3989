"""Chunks by JSON value: what fits stays whole, larger objects and arrays are opened, small members are packed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from chunking.chunks import Cut
from chunking.params import parameter
from chunking.runtime.patterns import compile_pattern
from chunking.strategies.base import Segmentation, Strategy
from chunking.strategies.cutting import segment
from chunking.strategies.layout.packing import PackedParameters, Packer, note_oversized_parts
from chunking.syntax import Syntax, syntax
from chunking.workspace import DocumentAnalysis

if TYPE_CHECKING:
    from tree_sitter import Node

_MAX_KEY = 60
"""Characters of a key that are shown in a path."""

_MAX_STEPS = 24
"""Steps of a path that are shown; a longer path shows its last ones."""

_PLAIN_KEY = compile_pattern(r"[^\s.\[\]\"'\\]+")


@dataclass(frozen=True, kw_only=True)
class JsonParameters(PackedParameters):
    """Parameters of ``json``."""

    size: int = parameter(
        500,
        "Size",
        "Tokens up to which a value stays whole and neighbouring members are packed together. A larger string or "
        "number stays whole unless a maximum splits it.",
        minimum=1,
        maximum=32000,
        step=10,
        unit="tokens",
    )


@dataclass(eq=False, slots=True)
class _Container:
    """An object or array whose members may be separated, or the whole text with its values.

    Attributes:
        members: the pairs of an object, the values of an array.
        parent, number: the container it is in, and which member of that it is.
        member_offsets: where each member begins: the start of its line where nothing is before it there, else the
            member.
        within: the members that are containers themselves, by number.
    """

    members: list[Node]
    parent: _Container | None = None
    number: int = 0
    member_offsets: list[int] | None = None
    within: dict[int, _Container] | None = None


def _container_value(value: Node) -> Node | None:
    """Return the value of a pair, or the value itself, if it is an object or array."""
    if value.type == "pair":
        inner = value.child_by_field_name("value")
        return inner if inner is not None and inner.type in ("object", "array") else None
    return value if value.type in ("object", "array") else None


def _members(node: Node) -> list[Node]:
    return [child for child in node.named_children if child.type != "comment"]


def _read(tree: Syntax, size: int) -> tuple[_Container, list[int]]:
    """Return the containers that may have to be opened, and the places of their members, in order.

    A value with no more bytes than the size has tokens certainly fits and is not opened.
    """
    top = _Container(_members(tree.root))
    offsets: set[int] = set()
    waiting = [top]
    while waiting:
        container = waiting.pop()
        container.member_offsets, container.within = _member_offsets(tree, container.members), {}
        offsets.update(container.member_offsets)
        for number, member in enumerate(container.members):
            node = _container_value(member) if member.end_byte - member.start_byte > size else None
            inner = _members(node) if node is not None else []
            if inner:
                container.within[number] = _Container(inner, container, number)
                waiting.append(container.within[number])
    return top, sorted(offsets - {0})


def _member_offsets(tree: Syntax, members: Sequence[Node]) -> list[int]:
    offsets = []
    for offset in tree.offsets([member.start_byte for member in members]).tolist():
        start = offset
        while start and tree.text[start - 1] in " \t":
            start -= 1
        offsets.append(start if start and tree.text[start - 1] in "\r\n" else offset)
    return offsets


@dataclass
class _Packing:
    """The traversal that chooses the members that begin a chunk.

    Attributes:
        packer: counts tokens between places.
        number_of: the number of each place among the packer's bounds.
        cuts: the chosen members: place, container, number.
        uncut_offsets: offsets of values that are kept whole although they exceed the size.
    """

    packer: Packer
    number_of: dict[int, int]
    cuts: list[tuple[int, _Container, int]]
    uncut_offsets: list[int]

    def open(self, top: _Container) -> None:
        """Split a container, and the members of it that do not fit."""
        # For each container: the bound at which its first member's chunk begins (its own opening) and where it ends.
        waiting = [(top, 0, len(self.packer.bounds) - 1)]
        while waiting:
            container, begin, end = waiting.pop()
            offsets = container.member_offsets or []
            # The opening of a container is in the chunk of its first member, the closing in that of its last.
            bounds = [begin, *(self.number_of[offset] for offset in offsets[1:]), end]
            ends = np.array(bounds)
            fits = self.packer.fits(ends[:-1], ends[1:])
            over = np.append(np.flatnonzero(~fits), len(fits))
            number = 0
            while number < len(fits):
                if number:
                    self.cuts.append((offsets[number], container, number))
                if fits[number]:
                    # As many neighbours as fit together, up to the next that does not fit alone.
                    stop = int(over[np.searchsorted(over, number)])
                    stop = min(stop, number + self.packer.size)
                    number += 1 + self.packer.furthest(int(ends[number]), ends[number + 1 : stop + 1])
                    continue
                inner = (container.within or {}).get(number)
                if inner:
                    waiting.append((inner, bounds[number], bounds[number + 1]))
                else:
                    self.uncut_offsets.append(int(self.packer.bounds[bounds[number]]))
                number += 1


def _path(tree: Syntax, container: _Container, number: int, several: bool) -> str:
    """Return the path of a member, such as ``$.paths./pets.get``; of several values at the top, the first is
    ``$[0]``.
    """
    steps: list[str] = []
    at: _Container | None = container
    while at is not None and len(steps) <= _MAX_STEPS:
        if at.parent is not None or several:
            steps.append(_step(tree, at.members[number], number))
        number, at = at.number, at.parent
    if len(steps) > _MAX_STEPS:
        return "$…" + "".join(reversed(steps[:_MAX_STEPS]))
    return "$" + "".join(reversed(steps))


def _step(tree: Syntax, member: Node, number: int) -> str:
    key = member.child_by_field_name("key") if member.type == "pair" else None
    if key is None:
        return f"[{number}]"
    name = tree.slice(key)
    inner = name[1:-1] if name.startswith('"') else name
    if len(inner) > _MAX_KEY:
        inner = inner[: _MAX_KEY - 1] + "…"
    return f".{inner}" if _PLAIN_KEY.fullmatch(inner) else f'["{inner}"]'


def _run(workspace: DocumentAnalysis, params: JsonParameters) -> Segmentation:
    text = workspace.document.text
    if not text:
        return segment(workspace, "json", params, [])
    tree = syntax.parse(text, "json")
    error = tree.first_error()
    if error is not None:
        line, column = tree.line_and_column(error)
        warning = f"Parsing as JSON failed at line {line:,}, column {column:,}, so the text is not cut."
        return segment(workspace, "json", params, [], warnings=(warning,))
    top, offsets = _read(tree, params.target)
    if not top.members:
        return segment(workspace, "json", params, [], warnings=("The text contains no JSON value, so it is not cut.",))
    packer = Packer(workspace, offsets, params.target)
    packing = _Packing(packer, {offset: number for number, offset in enumerate(packer.bounds.tolist())}, [], [])
    packing.open(top)
    several = len(top.members) > 1
    ordered_cuts = sorted(packing.cuts, key=lambda cut: cut[0])
    cuts = [
        Cut(offset, "value", detail=_path(tree, container, number, several))
        for offset, container, number in ordered_cuts
    ]
    result = segment(workspace, "json", params, cuts)
    return note_oversized_parts(result, dict.fromkeys(packing.uncut_offsets, "one value"), params.size)


STRATEGIES: tuple[Strategy, ...] = (
    Strategy(
        name="json",
        title="JSON values",
        family="layout",
        summary="Keeps values that fit whole, opens larger objects and arrays, and packs small neighbouring members.",
        origin="LangChain RecursiveJsonSplitter and LlamaIndex JSONNodeParser; here the chunks are spans of the source",
        params=JsonParameters,
        cut=_run,
    ),
)
