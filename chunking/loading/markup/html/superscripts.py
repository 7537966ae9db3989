"""Superscripts and subscripts of a page, with the origin of their characters."""

from __future__ import annotations

from dataclasses import dataclass, field

from chunking.loading.markup.html.page_block import Run
from chunking.loading.superscripts import Script, convert_scripts
from chunking.runtime.patterns import compile_pattern

_RAISED = compile_pattern(r' style="(?:[^";]*+;)*+\s*+vertical-align\s*+:\s*+(super|sub)\b')
_STYLES: dict[str, Script] = {"super": "super", "sub": "sub"}


def script_of(name: str, attributes: str, around: Script, in_link: bool) -> Script | None:
    """Return the script of an inline element's text; ``None`` if it is that around it.

    Args:
        name: name of the element.
        attributes: its serialised attributes.
        around: the script around it.
        in_link: whether the element directly around it is a link.
    """
    if name == "sup":
        return "note" if in_link or around == "note" else "super"
    if name == "sub":
        return "sub"
    if name == "a" and ("noteref" in attributes or (around == "super" and "href" in attributes)):
        return "note"
    style = _RAISED.match(attributes[attributes.index(" style") :]) if "vertical-align" in attributes else None
    return _STYLES[style[1]] if style and name in ("span", "font", "small", "a") else None


@dataclass(slots=True)
class ScriptSpans:
    """The superscripts and subscripts of an open block.

    Attributes:
        spans: start, end and script of each, in order.
    """

    spans: list[tuple[int, int, Script]] = field(default_factory=list)
    _is_open: bool = False

    def add(self, start: int, end: int, script: Script) -> None:
        """Add characters; those that one space divides from the last ones continue them."""
        if self._is_open and self.spans[-1][2] == script and start - self.spans[-1][1] <= 1:
            start = self.spans.pop()[0]
        self.spans.append((start, end, script))
        self._is_open = True

    def end_element(self) -> None:
        """End an element: what follows does not continue its characters."""
        self._is_open = False

    def keep_before(self, length: int) -> None:
        """Remove what follows the first characters of a block."""
        while self.spans and self.spans[-1][1] > length:
            self.spans.pop()
            self._is_open = False

    def write(self, text: str, runs: list[Run]) -> tuple[str, list[Run]]:
        """Return the text of the block with its superscripts and subscripts written in plain text, and its runs."""
        pieces: list[tuple[str, Script]] = []
        last = 0
        for start, end, script in self.spans:
            pieces += [(text[last:start], ""), (text[start:end], script)]
            last = end
        pieces.append((text[last:], ""))
        written = convert_scripts(pieces)
        moved: list[Run] = []
        old = new = index = 0
        for (piece, _), (before, words, after) in zip(pieces, written, strict=True):
            stop, new = old + len(piece), new + len(before)
            while index < len(runs) and runs[index][0] < stop:
                moved += _moved(runs[index], old, new, len(piece), len(words))
                index += 1
            old, new = stop, new + len(words) + len(after)
        return "".join(map(str, written)), moved


def _moved(run: Run, old: int, new: int, length: int, written: int) -> list[Run]:
    """Return a run of a piece of text that has moved, and may have become shorter."""
    start, run_length, source, size = run
    if length == written:
        return [(start - old + new, run_length, source, size)]
    return [(new, written, source, size)] if start == old and written not in (0, size) else []
