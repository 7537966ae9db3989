"""Blocks of YAML: values, by the events of libyaml; see :mod:`chunking.loading.text.values` for units.

Events follow the text without expansion: an alias is a few characters, whatever it refers to. tree-sitter-yaml, with
which JSON and YAML could be walked alike, is not used: version 0.7 crashes on 300 nested mappings, and takes more than
a minute for 100,000 brackets.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any

from chunking.document import Block
from chunking.loading.text import values
from chunking.loading.text.values import Value
from chunking.runtime.patterns import compile_pattern

_CONTROL = compile_pattern("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]")
"""Characters that YAML does not allow."""

_HEADER = compile_pattern(r"[^\r\n]*(?:\r\n?|\n)?")
_DASH = compile_pattern(r"(?:[^\r\n]*[\r\n])*?[ \t]*(?P<dash>-)(?=\s|\Z)")

MAX_FLOW = 500
"""Maximum depth of brackets."""


def blocks(text: str) -> tuple[Block, ...] | None:
    """Return the blocks of a YAML text of one or several documents; ``None`` if it is not YAML, or one scalar."""
    if not text.strip():
        return ()
    top = _read(text)
    if top is None or all(value.kind == "scalar" for value in top):
        return None
    return values.blocks(text, top, lambda value: value.source, "#")


def _read(text: str) -> list[Value] | None:
    """Return the documents of a text; ``None`` if it does not parse."""
    yaml: Any = import_module("yaml")
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    reader = _YamlReader(text)
    try:
        for event in yaml.parse(_CONTROL.sub("\ufffd", text), Loader=loader):
            reader.take(type(event).__name__, event)
    except (yaml.YAMLError, ValueError):
        return None
    return reader.top


class _YamlReader:
    """A reader that builds values from events.

    Attributes:
        top: the documents.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.top: list[Value] = []
        self._open: list[Value] = []
        self._keys: list[Value | None] = []  # for each open container: the key whose value follows
        self._flow: list[bool] = []  # for each open container: whether it is in brackets
        self._after = 0  # end of the last word or bracket
        self._mark: tuple[int, int] | None = None

    def take(self, name: str, event: Any) -> None:
        """Take the next event.

        Raises:
            ValueError: brackets are nested too deep, which takes the parser quadratic time.
        """
        start, end = event.start_mark.index, event.end_mark.index
        if name == "DocumentStartEvent":
            self._mark = (end - 3, 3) if event.explicit else None
        elif name in ("MappingStartEvent", "SequenceStartEvent"):
            value = Value("object" if name == "MappingStartEvent" else "array", start, end, (start, end), source=[])
            value.opening = int(bool(event.flow_style))
            if name == "SequenceStartEvent" and not event.flow_style and self.text[start:end].endswith("-"):
                end -= 1  # the event of a list that is not indented includes the first dash
            self._begin(value)
            self._open.append(value)
            self._keys.append(None)
            self._flow.append(bool(event.flow_style))
            if len(self._flow) > MAX_FLOW and all(self._flow[-MAX_FLOW:]):
                raise ValueError("too deep")
        elif name in ("MappingEndEvent", "SequenceEndEvent"):
            self._keys.pop()
            flow = self._flow.pop()
            value = self._open.pop()
            members: Sequence[Value] = value.source
            value.end = max(value.end if flow or not members else value.start, end if flow else members[-1].end)
            self._finish(value)
            end = end if flow else self._after
        elif name in ("ScalarEvent", "AliasEvent"):
            value = self._scalar(start, end, getattr(event, "style", None))
            self._begin(value)
            self._finish(value)
        self._after = max(self._after, end) if name != "DocumentEndEvent" else end

    def _scalar(self, start: int, end: int, style: str | None) -> Value:
        words = (start, end)
        piece = self.text[start:end]
        if style in ("|", ">"):
            at = piece.find(style)
            header = _HEADER.match(self.text, start + max(at, 0), end)
            begin = header.end() if header else start
            end = max(start + len(piece.rstrip()), min(begin, end))
            words = (min(begin, end), end)
        elif style in ('"', "'") and len(piece) >= 2:
            words = (start + piece.find(style) + 1, end - 1)
        else:
            end = start + len(piece.rstrip())
            words = (start, end)
        return Value("scalar", start, end, words, escaped=style == '"')

    def _begin(self, value: Value) -> None:
        """Give a value its key, or the marker of its item."""
        if not self._open:
            if self._mark:
                value.start, value.opening = self._mark
            return
        key = self._keys[-1]
        if key is not None:
            value.key = key.inner
            value.start = key.start
        elif self._open[-1].kind == "array" and not self._flow[-1]:
            dash = _DASH.match(self.text, self._after, value.start)
            if dash:
                value.start, value.opening = dash.start("dash"), 1

    def _finish(self, value: Value) -> None:
        if not self._open:
            self.top.append(value)
        elif self._open[-1].kind == "object" and self._keys[-1] is None:
            self._keys[-1] = value
        else:
            self._keys[-1] = None
            self._open[-1].source.append(value)
