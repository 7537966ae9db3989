"""A LaTeX source as tokens, with its groups, arguments and ends of environments."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, cast

from chunking.runtime.patterns import compile_pattern

RAW = frozenset(
    (
        "verbatim", "verbatim*", "Verbatim", "Verbatim*", "BVerbatim", "LVerbatim",
        "lstlisting", "minted", "alltt", "comment", "filecontents",
    )
)  # fmt: skip
"""Environments without commands."""

MAX_GROUPS = 1000
"""Maximum depth of matched braces; TeX itself allows 255."""

_TOKEN = compile_pattern(
    r"(?P<comment>%[^\r\n]*)"
    r"|(?P<blank>(?:\r\n?+|\n)[^\S\r\n]*(?:\r\n?|\n)\s*)"
    r"|\\(?P<edge>begin|end)[ \t]*\{(?P<name>[^{}\\\r\n]{0,60})\}"
    r"|(?P<plain>\\(?:verb|lstinline)\*?(?P<mark>[^\sa-zA-Z*{\[])[^\r\n]{0,500}?(?P=mark)"
    r"|\\(?:url|path|nolinkurl|href)\{[^{}\r\n]{0,2000}\})"
    r"|\\(?P<command>[a-zA-Z@]+)"
    r"|(?P<symbol>\\(?:\r\n|[\s\S]|\Z))"
    r"|(?P<math>\$\$)"
    r"|(?P<open>\{)|(?P<close>\})"
)


_NAME = compile_pattern(r"\s{0,20}\\(?:[a-zA-Z@]+|[^a-zA-Z@\s])")
_PARAMETERS = compile_pattern(r"(?:[ \t=#0-9]|\.(?=#)){0,40}(?:\\[a-zA-Z@]+)?")
_GAP = compile_pattern(r"[ \t]*(?:(?:\r\n?|\n)[ \t]*)?")
STAR = compile_pattern(r"\*?")
_MOST_ARGUMENTS = 9
_LONGEST_OPTION = 1000
_SPECIAL = compile_pattern(r"[\]{]|\\[\s\S]")


_TokenKind = Literal["comment", "blank", "begin", "end", "raw", "plain", "command", "symbol", "math", "open", "close"]


class Token(NamedTuple):
    """A piece of source that is not plain text.

    ``raw`` is a whole environment without commands, ``inner`` the start of its content.
    """

    kind: _TokenKind
    start: int
    end: int
    name: str = ""
    inner: int = 0


@dataclass
class Source:
    """The text, its tokens, and the closing token of each opening one.

    Attributes:
        text: the source.
        opens, closes: offsets of opening braces and of their closing ones, or -1.
        ends: offset of each closed ``\\begin``, and its closing token.
        absent: ends of environments that do not occur in the rest of the text.
        document: whether it has a preamble.
    """

    text: str
    opens: array[int] = field(default_factory=lambda: array("q"))
    closes: array[int] = field(default_factory=lambda: array("q"))
    ends: dict[int, Token] = field(default_factory=dict)
    absent: set[str] = field(default_factory=set)
    document: bool = False

    def __post_init__(self) -> None:
        stack: list[int] = []
        deeper = 0
        starts: dict[str, list[int]] = {}
        for token in self.tokens():
            match token.kind:
                case "open" if len(stack) < MAX_GROUPS:
                    stack.append(len(self.opens))
                    self.opens.append(token.start)
                    self.closes.append(-1)
                case "open":
                    deeper += 1
                case "close" if deeper:
                    deeper -= 1
                case "close" if stack:
                    self.closes[stack.pop()] = token.start
                case "begin":
                    starts.setdefault(token.name, []).append(token.start)
                    self.document = self.document or token.name == "document"
                case "end" if starts.get(token.name):
                    self.ends[starts[token.name].pop()] = token

    def tokens(self) -> Iterator[Token]:
        """Yield all tokens from the start."""
        offset = 0
        while (token := self.next(offset)) is not None:
            yield token
            offset = token.end

    def next(self, offset: int) -> Token | None:
        """Return the first token from ``offset`` on."""
        match = _TOKEN.search(self.text, offset)
        if match is None:
            return None
        start, end = match.span()
        kind = match.lastgroup
        if kind == "open" or kind == "close":
            return Token("open" if kind == "open" else "close", start, end)
        if match["edge"] == "end":
            return Token("end", start, end, match["name"].strip())
        if match["edge"]:
            return self._begin(match["name"].strip(), start, end)
        if match["command"]:
            if match["command"] == "iffalse" and (close := self._find("\\fi", end)) >= 0:
                return Token("comment", start, close + 3)
            return Token("command", start, end, match["command"])
        if kind in ("comment", "blank", "symbol", "math"):
            return Token(cast("_TokenKind", kind), start, end, self.text[start:end] if kind == "symbol" else "")
        return Token("plain", start, end)

    def _begin(self, name: str, start: int, end: int) -> Token:
        if name not in RAW and name != "filecontents*":
            return Token("begin", start, end, name)
        closing = "\\end{" + name + "}"
        close = self._find(closing, end)
        if close < 0:
            return Token("begin", start, end, name)
        return Token("raw", start, close + len(closing), name, end)

    def _find(self, closing: str, offset: int) -> int:
        """Return the next occurrence of ``closing``; a text without one is searched once."""
        if closing in self.absent:
            return -1
        start = self.text.find(closing, offset)
        if start < 0:
            self.absent.add(closing)
        return start

    def group(self, offset: int) -> tuple[int, int] | None:
        """Return the span inside the braces that open at ``offset``."""
        index = bisect_left(self.opens, offset)
        if index == len(self.opens) or self.opens[index] != offset or self.closes[index] < 0:
            return None
        return offset + 1, self.closes[index]

    def gap(self, offset: int) -> int:
        """Return the offset after white space that may precede an argument."""
        match = _GAP.match(self.text, offset)
        return match.end() if match else offset

    def option(self, offset: int) -> int:
        """Return the offset after the argument in brackets at ``offset``; ``offset`` if there is none."""
        limit = offset + _LONGEST_OPTION
        if not self.text.startswith("[", offset) or self.text.find("]", offset, limit) < 0:
            return offset
        here = offset + 1
        while (special := _SPECIAL.search(self.text, here, limit)) is not None:
            here = special.end()
            if special[0] == "]":
                return here
            group = self.group(special.start()) if special[0] == "{" else None
            here = group[1] + 1 if group else here
        return offset

    def arguments(self, offset: int, most: int = _MOST_ARGUMENTS) -> int:
        """Return the offset after the arguments at ``offset``, in brackets and up to ``most`` in braces."""
        while most:
            begin = self.gap(offset)
            after = self.option(begin)
            if after == begin:
                most -= 1
                group = self.group(begin)
                if group is None:
                    break
                after = group[1] + 1
            offset = after
        return offset

    def argument(self, offset: int) -> tuple[int, int] | None:
        """Return the span of the first argument in braces from ``offset`` on, after a star and one in brackets."""
        star = STAR.match(self.text, offset)
        offset = self.gap(star.end() if star else offset)
        offset = self.gap(self.option(offset))
        return self.group(offset)

    def definition(self, offset: int) -> int:
        """Return the offset after the arguments of a command that defines another."""
        star = STAR.match(self.text, offset)
        offset = star.end() if star else offset
        name = _NAME.match(self.text, offset)
        if name:
            parameters = _PARAMETERS.match(self.text, name.end())
            offset = parameters.end() if parameters else name.end()
        return self.arguments(offset)
