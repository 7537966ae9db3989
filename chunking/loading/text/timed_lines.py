"""Subtitles that have a cue in each line: SubStation Alpha (.ass, .ssa) and lyrics (.lrc)."""

from __future__ import annotations

from collections.abc import Iterator

from chunking.document import Block, BlockKind
from chunking.loading.spans import line_spans, trim_span
from chunking.runtime.patterns import compile_pattern

_FIELDS = "Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text"
"""Fields of an event, in files that do not state them."""

_MAX_FIELDS = 40
_LABEL = compile_pattern(r"(Format|Dialogue)[ \t]*:[ \t]*")
_TIMES = compile_pattern(r"(?:\[\d{1,3}:\d{2}(?:[.:]\d{1,3})?\][ \t]*)+")
_TAG = compile_pattern(r"\{[^{}\r\n]*+\}|<\d{1,3}:\d{2}(?:[.:]\d{1,3})?>")
_BREAK = compile_pattern(r"\\[Nnh]")
_DRAWING = compile_pattern(r"\{[^{}\r\n]*?\\p[1-9][^{}\r\n]*+\}")


def events(text: str) -> Iterator[Block]:
    """Yield the events of a file of SubStation Alpha; a speaker turn if the event states a name.

    Comments, drawings and events without words are none.
    """
    is_event = False
    places = _places(_FIELDS)
    for start, end in line_spans(text):
        if text.startswith("[", start):
            is_event = text[start:end].strip().lower() == "[events]"
        label = _LABEL.match(text, start, end) if is_event else None
        if label and label[1] == "Format":
            places = _places(text[label.end() : end])
        elif label:
            yield from _event(text, start, label.end(), end, places)


def _places(fields: str) -> tuple[int, int]:
    """Return the numbers of the fields of the words, which are the last, and of the name; −1 if there is none."""
    names = [name.strip().lower() for name in fields.split(",", _MAX_FIELDS)]
    name = next((index for index, field in enumerate(names) if field in ("name", "actor")), -1)
    return len(names) - 1, name


def _event(text: str, start: int, fields: int, end: int, places: tuple[int, int]) -> Iterator[Block]:
    last, name = places
    values = text[fields:end].split(",", last)
    if len(values) <= last or _DRAWING.search(text, end - len(values[-1]), end):
        return
    words = trim_span(text, end - len(values[-1]), end)
    if not _BREAK.sub("", _TAG.sub("", text[words.start : words.end])).strip():
        return
    speaker = values[name].strip() if name >= 0 else ""
    kind: BlockKind = "speaker_turn" if speaker else "paragraph"
    yield Block(kind, start, words.end, content=words.start, title=speaker)


def lyrics(text: str) -> Iterator[Block]:
    """Yield the lines of lyrics that have a time and words."""
    for start, end in line_spans(text):
        times = _TIMES.match(text, start, end)
        words = trim_span(text, times.end(), end) if times else None
        if words and _TAG.sub("", text[words.start : words.end]).strip():
            yield Block("paragraph", start, words.end, content=words.start)
