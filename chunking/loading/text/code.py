"""Blocks of programs, by tree-sitter with the tables of :mod:`chunking.syntax.programs`.

========== ============================================================================================================
heading    a definition up to its body, with its decorators, attributes and short comments; its level is the depth of
           nesting, its title the notation of its language (``def total``). Of a long comment, the first sentence is
           the heading and the signature is code; of a signature of many lines, the heading ends before its parameters.
           Statements and comments after a definition have a heading of their own, their first line, so that they are
           not under the definition's
paragraph  comments of several lines, isolated comments, documentation strings, and other prose in strings of several
           lines; lists and code in these are such blocks, too
code       everything else: imports together, statements divided at blank lines, at most :data:`MAX_LINES` lines. A
           statement is divided only if it exceeds that by itself.
========== ============================================================================================================
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from chunking.document import Block
from chunking.loading.spans import trim_span
from chunking.loading.text import prose
from chunking.runtime.patterns import compile_pattern
from chunking.runtime.wording import shorten
from chunking.syntax import Syntax, syntax
from chunking.syntax.programs import GRAMMARS, Program, body_of, is_docstring, is_text, lines_between, rows_of

if TYPE_CHECKING:
    from tree_sitter import Node

# Parts of programs --------------------------------------------------------------------------------------------------

MAX_LINES = 40
"""Lines of a block of code."""

MAX_BYTES = 2000  # maximum bytes of a block of code
_DOC_LINES = 4  # minimum lines of a string that is separated from its statement

WORDS = compile_pattern(r"\w+")


def code_blocks(text: str, start: int, end: int) -> Iterator[Block]:
    """Yield code as one block, or as several if it is a single item with too many lines, such as a long string."""
    piece = text[start:end]
    lines = piece.splitlines(keepends=True)
    if len(lines) <= MAX_LINES + 1 and len(piece) <= 2 * MAX_BYTES:
        yield Block("code", start, end)
        return
    begin, count = start, 0
    offset = start
    for line in [*lines, ""]:
        full = count >= MAX_LINES or offset - begin > MAX_BYTES or (count >= MAX_LINES // 2 and not line.strip())
        if not line or full:
            span = trim_span(text, begin, offset)
            if WORDS.search(text, *span):
                yield Block("code", *span)
            begin, count = offset, 0
        offset += len(line)
        count += 1


def prose_strings(program: Program) -> list[Node]:
    """Return the strings of several lines that are prose, in order, without documentation strings."""
    strings: list[Node] = []
    waiting = [program.tree.root]
    while waiting:
        node = waiting.pop()
        if node.end_byte - node.start_byte < prose.LONG:
            continue
        first, last = rows_of(node)
        if last - first < _DOC_LINES - 1:
            continue
        if is_text(node) and node.type not in ("concatenated_string", "heredoc_redirect"):
            words = program.tree.slice(node)
            if prose.is_prose(words):
                strings.append(node)
        else:
            waiting.extend(reversed(node.children))
    return strings


# The syntax tree ----------------------------------------------------------------------------------------------------

_LINE_FEED = compile_pattern(b"\n")


_SIGNATURE_LINES = 12  # maximum lines of a heading
_SIGNATURE = 600  # maximum bytes of it
_SHORT = 200  # maximum characters of statements between definitions that are their own heading
_COMMENTED = 400  # maximum bytes of a signature with the comments before it
_SUMMARY = 300  # characters in which the end of the first sentence of a comment is searched
_MAX_LEVEL = 12  # maximum level of headings; deeper definitions are code
_CLOSERS = frozenset({"end", "fi", "done", "esac", "endif", "php"})
_CONSTANTS = frozenset({"None", "True", "False", "null", "nil", "true", "false", "undefined"})
_STRING_START = compile_pattern(r"(?:[A-Za-z]{0,3}(?:\"\"\"|'''|[\"'`]|#+\"))?")
_STRING_END = compile_pattern(r"(?:\"\"\"|'''|\"#*|['`])?\Z")
_LINE_END = compile_pattern(r"[\r\n]")
_STOP = compile_pattern(r"[.!?。！？][)\"'”]*(?=\s|\Z)")


class _Frame(NamedTuple):
    """Sibling nodes that are visited in order.

    Attributes:
        nodes: the nodes still to visit.
        level: level of the headings of definitions among them.
        inside: whether they are parts of a statement.
    """

    nodes: Iterator[Node]
    level: int
    inside: bool = False


@dataclass(slots=True)
class _Run:
    """Code that is being collected: its bytes and lines, and whether it is imports."""

    start: int
    end: int
    first: int
    last: int
    imports: bool | None  # None while there are only comments
    level: int = 1


class TreeWalk:
    """One pass over the syntax tree.

    Attributes:
        blocks: the blocks, in order.
    """

    def __init__(self, program: Program, language: str) -> None:
        self.program = program
        self.tree: Syntax = program.tree
        self.blocks: list[Block] = []
        self._language = language
        self._covered = 0  # byte up to which everything is in a block or dropped
        self._run: _Run | None = None
        self._pending: list[Node] = []  # comments and the like whose owner follows
        self._frames: list[_Frame] = []
        self._prose = prose_strings(program)
        self._bodies: set[int] = set()
        self._above = (0, False)  # level of the last heading, and whether it belongs to statements
        self._starts = [node.start_byte for node in self._prose]
        self._line_ends = [match.start() for match in _LINE_FEED.finditer(self.tree.source)]

    def run(self) -> None:
        """Find the blocks of the whole program."""
        self._frames.append(_Frame(iter(self.tree.root.children), 1))
        while self._frames:
            frame = self._frames[-1]
            node = next(frame.nodes, None)
            if node is not None:
                self._take(node, frame)
            else:
                self._settle()
                self._frames.pop()
        self._flush()

    def _take(self, node: Node, frame: _Frame) -> None:
        level = frame.level
        if node.end_byte <= self._covered or node.start_byte == node.end_byte:
            return
        if node.type == "heredoc_end":
            self._covered = node.end_byte
            return
        fresh = node.start_byte >= self._covered
        if fresh and node.type in self.program.grammar.leading:
            self._wait(node)
            return
        core, word = self.program.core(node) if fresh and node.is_named else (None, "")
        if core is not None and level <= _MAX_LEVEL and self._opens_line(node.start_byte):
            self._define(node, core, word, level)
            return
        self._settle(node)
        if fresh and (self._is_prose(node) or (self._language == "python" and is_docstring(node))) and self._text(node):
            return
        parts = node.child_count and (not is_text(node) or self._holds_prose(node))
        if parts and (not fresh or self._must_open(node)):
            is_inside = fresh and node.id not in self._bodies and node.type not in self.program.grammar.groups
            if is_inside and not frame.inside and self._opens_line(node.start_byte):
                self._flush()
            self._frames.append(_Frame(iter(node.children), level, frame.inside or is_inside))
            return
        self._code(node)

    def _must_open(self, node: Node) -> bool:
        first, last = rows_of(node)
        if node.type in self.program.grammar.groups or (node.type == "ERROR" and node.named_child_count):
            return True
        if node.id in self._bodies:
            return True
        if last - first >= MAX_LINES or node.end_byte - node.start_byte > MAX_BYTES:
            return True
        return self._holds_prose(node)

    # Definitions

    def _define(self, node: Node, core: Node, word: str, level: int) -> None:
        """Add the heading of a definition, and continue with its body."""
        leading = self._belonging(node)
        self._flush()
        title = self.program.title(core, word)
        body = body_of(core)
        if body is not None:
            self._bodies.add(body.id)
        end = body.start_byte if body is not None and body.start_byte > node.start_byte else node.end_byte
        if rows_of(node)[0] == rows_of(node)[1] and node.end_byte - node.start_byte <= _SIGNATURE // 2:
            end = node.end_byte
        end = self._signature_end(node, core, end)
        start = leading[0].start_byte if leading else node.start_byte
        if leading and self._size(start, end) > _COMMENTED:
            self._summary(leading, level, title)
        else:
            self._heading(start, end, level, title)
        self._frames.append(_Frame(iter([*leading, *node.children] if node.child_count else [node]), level + 1))

    def _signature_end(self, node: Node, core: Node, end: int) -> int:
        """Return the end of a definition's heading: before its parameters, or at the end of its line, if it is long."""
        start = node.start_byte
        if self._size(start, end) <= _SIGNATURE and self._lines(start, end) <= _SIGNATURE_LINES:
            return end
        parameters = core.child_by_field_name("parameters")
        if parameters is not None and start < parameters.start_byte < end:
            parameters_start = parameters.start_byte + 1
            if (
                self._size(start, parameters_start) <= _SIGNATURE
                and self._lines(start, parameters_start) <= _SIGNATURE_LINES
            ):
                return parameters_start
        line = self.tree.source.find(b"\n", start, end)
        return min(end, line if line > 0 else end, self._next_character(start + _SIGNATURE))

    def _next_character(self, byte: int) -> int:
        """Return the byte, or the next one at which a character begins."""
        source = self.tree.source
        while byte < len(source) and source[byte] & 0xC0 == 0x80:
            byte += 1
        return byte

    def _heading(self, start: int, end: int, level: int, title: str) -> None:
        while end > start and self.tree.source[end - 1 : end] in (b"{", b" ", b"\t", b"\n", b"\r"):
            end -= 1
        begin, stop = self._trim(start, end)
        if begin < stop:
            self._add_heading(Block("heading", begin, stop, level, begin, title))
        self._covered = max(self._covered, end)

    def _add_heading(self, block: Block, statements: bool = False) -> None:
        self.blocks.append(block)
        self._above = (block.level, statements)

    def _strays(self, level: int) -> bool:
        """Return whether the next block would be under the heading of a definition that has ended."""
        above, statements = self._above
        return level <= _MAX_LEVEL and (above > level or (above == level and not statements))

    def _add_prose(self, paragraphs: list[Block]) -> None:
        """Add the blocks of comments and texts, the first as a heading if they stray."""
        level = self._frames[-1].level
        first = paragraphs[0]
        if self._strays(level) and first.kind == "paragraph":
            title = shorten(" ".join(self.tree.text[first.content : min(first.end, first.content + 200)].split()))
            if first.end - first.content <= _SUMMARY:
                paragraphs = paragraphs[1:]
                first = replace(first, kind="heading", level=level, title=title)
                self._add_heading(first, statements=True)
            elif first.content > first.start:
                marks = len(self.tree.text[first.start : first.content].rstrip()) + first.start
                self._add_heading(Block("heading", first.start, marks, level, marks, title), statements=True)
                paragraphs[0] = replace(first, start=first.content)
        self.blocks.extend(paragraphs)

    def _summary(self, leading: Sequence[Node], level: int, title: str) -> None:
        """Add the first sentence of the comment before a definition as a heading, and the rest of the comment."""
        start, end = leading[0].start_byte, leading[0].end_byte
        comments = [node for node in leading if "comment" in node.type]
        if comments and comments[0] == leading[0]:
            count = next((n for n, node in enumerate(leading) if "comment" not in node.type), len(leading))
            end = leading[count - 1].end_byte
        paragraphs = self._comment_blocks(start, end) if comments else []
        if not paragraphs:
            self._heading(start, leading[0].end_byte, level, title)
            return
        first = paragraphs[0]
        stop = _STOP.search(self.tree.text, first.content, min(first.end, first.content + _SUMMARY))
        line = _LINE_END.search(self.tree.text, first.content, first.end)
        cut = stop.end() if stop else line.start() if line else first.end
        cut = first.content + len(self.tree.text[first.content : cut].rstrip())
        self._add_heading(Block("heading", first.start, cut, level, first.content, title))
        space = len(self.tree.text[cut : first.end]) - len(self.tree.text[cut : first.end].lstrip())
        begin = content = cut + space
        if _LINE_END.search(self.tree.text, cut, begin):
            bare = prose.strip_markers(self.tree.text[begin : first.end])
            content = begin + len(bare) - len(bare.lstrip())
        if WORDS.search(self.tree.text, content, first.end):
            self.blocks.append(Block("paragraph", begin, first.end, content=content))
        self.blocks.extend(paragraphs[1:])
        self._covered = end

    # Comments and texts

    def _wait(self, node: Node) -> None:
        """Keep a comment or attribute until its owner is known; at the end of a line it is code."""
        if node.start_byte == 0 and self.tree.source.startswith(b"#!"):
            self._code(node)
            self._flush()
            return
        if not self._opens_line(node.start_byte) and not self._pending:
            self._code(node)
            return
        if self._pending and lines_between(self._pending[-1], node) > 1:
            self._settle()
        self._pending.append(node)

    def _belonging(self, node: Node) -> list[Node]:
        """Return the pending nodes if they belong to the following definition."""
        if self._pending and lines_between(self._pending[-1], node) > 1:
            self._settle()
        leading, self._pending = self._pending, []
        return leading

    def _settle(self, node: Node | None = None) -> None:
        """Make blocks of the pending nodes before a node that is not a definition."""
        pending, self._pending = self._pending, []
        if not pending:
            return
        comments = [other for other in pending if "comment" in other.type]
        lines = rows_of(pending[-1])[1] - pending[0].start_point.row + 1
        alone = node is None or lines_between(pending[-1], node) > 1
        if len(comments) == len(pending) and (lines > 1 or alone):
            start, end = pending[0].start_byte, pending[-1].end_byte
            paragraphs = self._comment_blocks(start, end)
            words = self.tree.text[self.tree.offset(start) : self.tree.offset(end)]
            if paragraphs and prose.is_prose(prose.strip_markers(words), least=20):
                self._flush()
                self._add_prose(paragraphs)
                self._covered = end
                return
        for other in pending:
            self._code(other)

    def _comment_blocks(self, start: int, end: int) -> list[Block]:
        """Return the blocks of comments, without their markers."""
        begin, stop = self._trim(start, end)
        paragraphs = prose.blocks(prose.strip_markers(self.tree.text[begin:stop]), begin)
        paragraphs = [block for block in paragraphs if WORDS.search(self.tree.text, block.content, block.end)]
        if paragraphs:
            paragraphs[0] = replace(paragraphs[0], start=begin)
        return paragraphs

    def _is_prose(self, node: Node) -> bool:
        index = bisect_left(self._starts, node.start_byte)
        return index < len(self._starts) and self._prose[index] == node

    def _holds_prose(self, node: Node) -> bool:
        index = bisect_left(self._starts, node.start_byte)
        return index < len(self._starts) and self._starts[index] < node.end_byte

    def _text(self, node: Node) -> bool:
        """Add the blocks of the words in a string; return False if it has none."""
        begin, stop = self._trim(node.start_byte, node.end_byte)
        text = self.tree.text
        opening = _STRING_START.match(text, begin, stop)
        content = opening.end() if opening else begin
        closing = _STRING_END.search(text, max(content, stop - 8), stop)
        end = closing.start() if closing else stop
        last = node.children[-1] if node.children else node
        if last.type == "heredoc_end":
            end = max(content, self.tree.offset(last.start_byte))
        paragraphs = prose.blocks(text[content:end], content)
        paragraphs = [block for block in paragraphs if WORDS.search(text, block.content, block.end)]
        if not paragraphs:
            return False
        self._flush()
        paragraphs[0] = replace(paragraphs[0], start=begin)
        self._add_prose(paragraphs)
        self._covered = node.end_byte
        return True

    # Code

    def _code(self, node: Node) -> None:
        """Add a node to the code before it, or start a new run."""
        start = max(node.start_byte, self._covered)
        first, last = rows_of(node)
        first = max(first, node.start_point.row if start == node.start_byte else self._row(start))
        if self._run is None and not node.is_named and not WORDS.search(self._peek(node)):
            self._covered = max(self._covered, node.end_byte)  # an opening bracket
            return
        is_statement = node.is_named and node.type not in self.program.grammar.leading
        imports = self.program.imports(node) if is_statement else None
        run = self._run
        self._covered = max(self._covered, node.end_byte)
        level = self._frames[-1].level
        is_near = run is not None and (run.level == level or set(WORDS.findall(self._peek(node))) <= _CLOSERS)
        if run is not None and is_near and self._joins(run, first, last, node.end_byte, imports, node.is_named):
            run.end, run.last = max(run.end, node.end_byte), max(run.last, last)
            run.imports = imports if run.imports is None else run.imports
            return
        self._flush()
        self._run = _Run(start, node.end_byte, first, last, imports, level)

    def _peek(self, node: Node) -> str:
        return self.tree.source[node.start_byte : min(node.end_byte, node.start_byte + 20)].decode("utf-8", "replace")

    def _joins(self, run: _Run, first: int, last: int, end: int, imports: bool | None, is_named: bool) -> bool:
        if not is_named and first <= run.last and end - run.start <= 2 * MAX_BYTES:
            return True
        is_apart = first - run.last > 1 and not (imports and run.imports)
        large = last - run.first >= MAX_LINES or end - run.start > MAX_BYTES
        mixed = None not in (imports, run.imports) and imports != run.imports and first > run.last
        return not (is_apart or large or mixed)

    def _flush(self) -> None:
        """End the code that is being collected."""
        run, self._run = self._run, None
        if run is None:
            return
        begin, stop = self._trim(run.start, run.end)
        words = WORDS.findall(self.tree.text[begin:stop])
        # The rest of a statement after prose in it: "= None,".
        last_character = self.tree.text[max(begin - 100, 0) : begin].rstrip()[-1:]
        closing = _CLOSERS | _CONSTANTS if last_character and last_character in ")]}=," else _CLOSERS
        if any(word not in closing for word in words):
            self._add_code(begin, stop, run.level)
        elif words and self.blocks and self.blocks[-1].kind == "code":
            self.blocks[-1] = replace(self.blocks[-1], end=stop)

    def _add_code(self, begin: int, stop: int, level: int) -> None:
        """Add the blocks of code, with the first line as a heading if it strays, or all of it if it is short."""
        text = self.tree.text
        if self._strays(level):
            line = _LINE_END.search(text, begin, stop)
            end = begin + len(text[begin : line.start() if line else stop].rstrip())
            title = shorten(" ".join(text[begin:end].rstrip("{: \t").split()) or text[begin:end])
            if stop - begin <= _SHORT:
                end = stop
            if end - begin <= MAX_BYTES:
                self._add_heading(Block("heading", begin, end, level, begin, title), statements=True)
                begin = end + len(text[end:stop]) - len(text[end:stop].lstrip())
        if begin < stop:
            self.blocks.extend(code_blocks(text, begin, stop))

    # Places

    def _trim(self, start: int, end: int) -> tuple[int, int]:
        """Return the characters of a range of bytes, without white space at its ends."""
        return trim_span(self.tree.text, self.tree.offset(start), self.tree.offset(end))

    def _opens_line(self, byte: int) -> bool:
        source = self.tree.source
        begin = source.rfind(b"\n", max(0, byte - 400), byte) + 1
        return not source[max(begin, byte - 400) : byte].strip()

    def _size(self, start: int, end: int) -> int:
        return len(b" ".join(self.tree.source[start:end].split()))

    def _lines(self, start: int, end: int) -> int:
        return self.tree.source.count(b"\n", start, end) + 1

    def _row(self, byte: int) -> int:
        return bisect_left(self._line_ends, byte)


_HEAD = 65_536
_LINE_ENDS = compile_pattern(r"\r\n?")


def blocks(text: str, language: str) -> tuple[Block, ...] | None:
    """Return the blocks of a program; ``None`` if the text is not in the language.

    Args:
        text: the program.
        language: one of :data:`chunking.syntax.programs.GRAMMARS`.
    """
    if not text.strip():
        return ()
    if language == "php" and "<?" not in text:
        return None
    if syntax.misfit(_LINE_ENDS.sub("\n", text[:_HEAD]) + "\n", language):
        return None
    tree = syntax.parse(text, language)
    walk = TreeWalk(Program(tree, GRAMMARS[language]), language)
    walk.run()
    return tuple(walk.blocks)
