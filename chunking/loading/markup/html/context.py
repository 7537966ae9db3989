"""The open elements of a page, and their effect on the text inside them."""

from __future__ import annotations

from typing import NamedTuple

from chunking.document import BlockKind


class Context(NamedTuple):
    """The effect of the surrounding elements on a text.

    Attributes:
        kind, level: kind and level of a block that begins here.
        lists: number of open lists.
        root: number of the outermost open list.
        quotes: number of open block quotes.
        pre: whether white space is kept.
        cells: whether in a table of data, where blocks do not divide the text.
        footnote: whether in a footnote.
        navigation: whether in navigation.
    """

    kind: BlockKind = "paragraph"
    level: int = 0
    lists: int = 0
    root: int = 0
    quotes: int = 0
    pre: bool = False
    cells: bool = False
    footnote: bool = False
    navigation: bool = False

    def text(self, kind: BlockKind, level: int = 0) -> Context:
        """Return the context with another kind of block; in a footnote, the same context."""
        return self if self.footnote else self._replace(kind=kind, level=level)


class SavedText(NamedTuple):
    """The state of the open block before a decoration, to be restored if that has no words."""

    serial: int
    parts: int
    runs: int
    length: int
    white: bool
    breaks: int
    row: bool
    bars: int
    last: int
    tags: tuple[str, ...]


class OpenElement(NamedTuple):
    """An open element.

    Attributes:
        name: name of the element.
        number: number of its start tag, from 1.
        context: the context around it, if it changed it.
        end: action at its end.
        state: for a decoration, the state before it.
    """

    name: str
    number: int
    context: Context | None = None
    end: str = ""
    state: SavedText | None = None
