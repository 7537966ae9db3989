"""Chunks of programs: functions and classes with their comments and decorators, found by a parser."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import TYPE_CHECKING

from chunking.chunks import Cut, SizeParameters
from chunking.document import Document
from chunking.errors import ChunkscopeError
from chunking.params import parameter
from chunking.strategies.base import Segmentation, Strategy
from chunking.strategies.cutting import segment
from chunking.syntax import Syntax, syntax
from chunking.syntax.programs import GRAMMARS, Program, is_text, language_of, rows_of
from chunking.workspace import DocumentAnalysis

if TYPE_CHECKING:
    from tree_sitter import Node


@dataclass(frozen=True, kw_only=True)
class CodeParameters(SizeParameters):
    """Parameters of ``code``."""

    language: str = parameter(
        "auto",
        "Language",
        "Programming language; 'auto' detects it from the file name, else from the first line.",
        choices=("auto", *GRAMMARS),
    )
    lines: int = parameter(
        40,
        "Lines",
        "A definition with more lines is split: a class into its members, a function between statements.",
        minimum=2,
        maximum=5000,
        step=1,
        unit="lines",
    )
    overlap: int = parameter(
        10,
        "Overlap",
        "Lines repeated at the start of each further part of a split definition; nothing is repeated elsewhere.",
        minimum=0,
        maximum=1000,
        step=1,
        unit="lines",
    )
    overlap_unit: str = parameter("lines", "Overlap unit", "Unit of the overlap.", choices=("lines",))

    def validate(self) -> None:
        """Also reject an overlap that is not smaller than a part."""
        super().validate()
        if self.overlap >= self.lines:
            raise ChunkscopeError(
                f"The overlap ({self.overlap} lines) must be smaller than the parts ({self.lines} lines).",
                "Lower the overlap or raise the number of lines.",
            )


# Parts of a program ----------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Item:
    """A definition, or a run of imports or of other statements, with the comments before it.

    Attributes:
        start, end: bytes.
        rows: first and last line, from 0.
        nodes: its nodes, comments included.
        word: the kind of a definition, ``"imports"`` or ``"statements"``.
        core: the innermost node of a definition, without decorators or exports.
    """

    start: int
    end: int
    rows: tuple[int, int]
    nodes: list[Node]
    word: str
    core: Node | None = None


@dataclass(frozen=True, slots=True)
class _Mark:
    """The start of a chunk: its byte, its reason, and whether an overlap may reach back over it."""

    start: int
    cut: bool  # whether the size forced it
    detail: str
    fence: bool


@dataclass
class _Reader:
    """Finds the parts of a parsed program.

    Attributes:
        program: the parsed program.
        limit: lines of a part.
        line_starts: the byte that each line begins at.
        marks: where chunks begin, in no order.
    """

    program: Program
    limit: int
    line_starts: list[int] = field(default_factory=list)
    marks: list[_Mark] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.line_starts = [0, *accumulate(len(line) for line in self.program.tree.source.split(b"\n"))]
        self.line_starts = [start + row for row, start in enumerate(self.line_starts)]

    def run(self) -> list[_Mark]:
        """Return the marks of the whole program, in order."""
        waiting: list[tuple[list[_Item], str]] = [(self._items([self.program.tree.root]), "")]
        while waiting:
            items, owner = waiting.pop()
            for item in items:
                nested_item = self._mark(item, owner)
                if nested_item:
                    waiting.append(nested_item)
        by_start: dict[int, _Mark] = {}
        for mark in sorted(self.marks, key=lambda mark: mark.start):
            by_start.setdefault(mark.start, mark)
        return list(by_start.values())

    def _mark(self, item: _Item, owner: str) -> tuple[list[_Item], str] | None:
        """Mark an item and its parts; the members of a class that has to be opened, with its name."""
        first, last = item.rows
        if item.core is None:
            detail = f"{item.word} in {owner}" if owner else item.word
            self.marks.append(_Mark(self._line_start(item.start), False, detail, True))
            self._split(item.nodes, first, last, detail, overlaps=False)
            return None
        name = self.program.name(item.core)
        name = f"{owner}.{name}" if owner and name else name or owner
        detail = f"{item.word} {name}".rstrip()
        self.marks.append(_Mark(self._line_start(item.start), False, detail, True))
        if last - first < self.limit:
            return None
        members = self._members(item.core) if item.word != "function" else []
        if members:
            self._split(item.nodes, first, members[0].rows[0] - 1, detail, overlaps=True)
            return members, name
        self._split(item.nodes, first, last, detail, overlaps=True)
        return None

    def _members(self, node: Node) -> list[_Item]:
        """Return the members of a class from its first inner definition on; empty if it has none."""
        if node.type == "type_definition":
            return []
        body = node.child_by_field_name("body")
        items = self._items([body]) if body is not None else []
        inner = next((number for number, item in enumerate(items) if item.core is not None), len(items))
        return items[inner:]

    # Items

    def _items(self, containers: Sequence[Node]) -> list[_Item]:
        """Return the items in container nodes."""
        items: list[_Item] = []
        pending: list[Node] = []
        for node, is_head in self._children(containers):
            last_row = items[-1].rows[1] if items else -1
            if is_head:
                pending.append(node)
            elif not node.is_named or node.type in ("heredoc_body", "heredoc_end"):
                continue
            elif node.type in self.program.grammar.leading:
                if pending or node.start_point.row > last_row:
                    pending.append(node)
            else:
                self._add(items, node, pending)
                pending = []
        comments = [node for node in pending if node.type in self.program.grammar.leading]
        if comments and not items:
            self._add(items, comments[-1], comments[:-1])
        return items

    def _children(self, containers: Sequence[Node]) -> Iterator[tuple[Node, bool]]:
        """Yield the children of nodes in order, those of groups among them; each with whether it is the head of a
        group.
        """
        waiting = [iter(container.children) for container in reversed(containers)]
        heads: list[int] = [-1] * len(waiting)  # the line that the head of a group is on
        while waiting:
            node = next(waiting[-1], None)
            if node is None:
                waiting.pop()
                heads.pop()
            elif node.type in self.program.grammar.groups or (node.type == "ERROR" and node.named_child_count):
                yield node, True
                waiting.append(iter(node.children))
                heads.append(node.start_point.row if node.type != "ERROR" else -1)
            elif node.start_point.row != heads[-1] or self.program.core(node)[0] is not None:
                yield node, False

    def _add(self, items: list[_Item], node: Node, pending: list[Node]) -> None:
        core, word = self.program.core(node)
        if core is None:
            word = "imports" if self.program.imports(node) else "statements"
        first, last = rows_of(node)
        start = node.start_byte
        if pending:
            start, first = min(start, pending[0].start_byte), min(first, pending[0].start_point.row)
        inside = [other for other in pending if other.end_byte <= node.start_byte]
        if core is None and items and items[-1].core is None and items[-1].word == word:
            run = items[-1]
            run.end, run.rows = node.end_byte, (run.rows[0], max(run.rows[1], last))
            run.nodes += [*inside, node]
        else:
            items.append(_Item(start, node.end_byte, (first, last), [*inside, node], word, core))

    # Places and parts

    def _line_start(self, start: int) -> int:
        """Return the beginning of the line that a byte is on, if nothing but space is before it there; else the
        byte.
        """
        return start - self._column(start) if self._is_at_line_start(start) else start

    def _column(self, start: int) -> int:
        return start - (self.program.tree.source.rfind(b"\n", 0, start) + 1)

    def _is_at_line_start(self, start: int) -> bool:
        return not self.program.tree.source[start - self._column(start) : start].strip()

    def _split(self, nodes: Sequence[Node], first: int, last: int, detail: str, overlaps: bool) -> None:
        """Mark the starts of the parts of lines ``first`` to ``last`` if they exceed the limit."""
        if last - first < self.limit:
            return
        depths = self._statement_rows(nodes, first, last)
        rows = split_rows(first, last, self.limit, depths, self._is_blank)
        for number, row in enumerate(rows, start=2):
            part_detail = f"{detail}, part {number} of {len(rows) + 1}"
            self.marks.append(_Mark(self.line_starts[row], True, part_detail, not overlaps))

    def _is_blank(self, row: int) -> bool:
        return not self.program.tree.source[self.line_starts[row] : self.line_starts[row + 1]].strip()

    def _statement_rows(self, nodes: Sequence[Node], first: int, last: int) -> dict[int, int]:
        """Return the depth in the tree of the outermost node that begins each line; other lines are left out."""
        depths: dict[int, int] = {}
        waiting = [(list(nodes), 0)]
        while waiting:
            children, depth = waiting.pop()
            after_comment = -1
            for node in children:
                start, end = node.start_point.row, node.end_point.row
                if start > last:
                    break
                if (
                    node.is_named
                    and first < start
                    and start != after_comment
                    and self._is_at_line_start(node.start_byte)
                ):
                    depths[start] = min(depths.get(start, depth), depth)
                if node.type in self.program.grammar.leading:
                    after_comment = rows_of(node)[1] + 1
                if end > start and end >= first and node.child_count and not is_text(node):
                    waiting.append((node.children, depth + 1))
        return depths


def split_rows(
    first: int, last: int, limit: int, depths: Mapping[int, int], is_blank: Callable[[int], bool]
) -> list[int]:
    """Return lines at which the parts after the first begin, so that none has more than ``limit``.

    Of the lines in the last third of a part, the one is taken that begins the outermost statement, of several one
    after a blank line, of several the last; else, in the last two thirds, the last that begins any; else the last there
    after a blank line; else the part is full.

    Args:
        first, last: lines of the whole, both included.
        limit: lines of a part.
        depths: how deep the statement is that begins a line, for the lines that begin one.
        is_blank: whether a line is blank.
    """
    rows = []
    while last - first >= limit:
        full = range(first + limit, first, -1)
        late = [row for row in full[: max(limit // 3, 1)] if row in depths]
        if late:
            best = min(late, key=lambda row: (depths[row], not is_blank(row - 1), -row))
        else:
            near = full[: max(2 * limit // 3, 1)]
            declaration = next((row for row in near if row in depths), None)
            blank = next((row for row in near if is_blank(row - 1) and not is_blank(row)), None)
            best = declaration or blank or full[0]
        rows.append(best)
        first = best
    return rows


# The strategy ------------------------------------------------------------------------------------------------------


def _without_language(document: Document, limit: int) -> list[_Mark]:
    """Return the parts of a text in no known language, at blank lines."""
    lines = document.text.splitlines(keepends=True)
    starts = [0, *accumulate(map(len, lines))]
    rows = split_rows(0, len(lines) - 1, limit, {}, lambda row: not lines[row].strip()) if lines else []
    return [_Mark(starts[row], True, f"line {row + 1}", True) for row in rows]


def _run(workspace: DocumentAnalysis, params: CodeParameters) -> Segmentation:
    document = workspace.document
    language = language_of(document) if params.language == "auto" else params.language
    if language is None and document.is_markdown:
        warning = "This is a Markdown document, not a program, so it is not cut. Choose a language to parse it anyway."
        return segment(workspace, "code", params, [], warnings=(warning,))
    marks: list[_Mark]
    warnings: tuple[str, ...]
    if language is None:
        warnings = (
            f"The programming language of {document.name!r:.80} was not recognized, so it is cut at blank lines only. "
            "Choose the language.",
        )
        marks, offsets = _without_language(document, params.lines), None
    elif len(document.text) > syntax.LARGE and syntax.misfit(document.text, language):
        warnings = (
            f"Parsing as {language} failed from the beginning, so the text is cut at blank lines "
            "only. Choose another language.",
        )
        marks, offsets = _without_language(document, params.lines), None
    else:
        tree = syntax.parse(document.text, language)
        marks = _Reader(Program(tree, GRAMMARS[language]), params.lines).run()[1:]
        offsets = tree.offsets([mark.start for mark in marks]).tolist()
        warnings = _syntax_warnings(tree, language)
    cuts = [
        Cut(offset, "size" if mark.cut else "definition", detail=mark.detail)
        for offset, mark in zip(offsets or [mark.start for mark in marks], marks, strict=True)
    ]
    overlap_barriers = [cut.offset for cut, mark in zip(cuts, marks, strict=True) if mark.fence]
    return segment(workspace, "code", params, cuts, overlap_barriers=overlap_barriers, warnings=warnings)


def _syntax_warnings(tree: Syntax, language: str) -> tuple[str, ...]:
    error = tree.first_error()
    if error is None:
        return ()
    line, _ = tree.line_and_column(error)
    return (f"Line {line:,} does not parse as {language}; definitions near it may be missed.",)


STRATEGIES: tuple[Strategy, ...] = (
    Strategy(
        name="code",
        title="Functions and classes",
        family="layout",
        summary="Keeps each function and class whole with its comments and decorators, and splits only longer ones.",
        origin="LlamaIndex CodeSplitter, by lines; parsed by tree-sitter, with imports and statements kept",
        params=CodeParameters,
        cut=_run,
    ),
)
