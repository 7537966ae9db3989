"""Subtitles in Timed Text Markup (TTML, DFXP, IMSC): a cue for each ``p`` that has words.

The text has the times of a cue on a line before its words, as in WebVTT. A cue is a speaker turn if it has an agent, or
names its speaker as other subtitles do.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple

from chunking.errors import ChunkscopeError
from chunking.loading.archive import xml_root
from chunking.loading.decode import decode
from chunking.loading.language import language_code
from chunking.loading.parsed import LoadParameters, Parsed
from chunking.loading.text import subtitles
from chunking.loading.writer import DocumentWriter
from chunking.runtime.patterns import compile_pattern
from chunking.runtime.progress import Progress

MAX_DEPTH = 100
"""Limit of elements inside each other."""

_XML = "{http://www.w3.org/XML/1998/namespace}"
_CLOCK = compile_pattern(r"(\d{1,4}):(\d{1,2}):(\d{1,2})(?:\.(\d{1,9})|:(\d{1,3})(?:\.\d{1,3})?)?", re.ASCII)
_OFFSET = compile_pattern(r"(\d{1,12}(?:\.\d{1,9})?)(h|ms|m|s|f|t)", re.ASCII)
_NUMBER = compile_pattern(r"\d{1,9}", re.ASCII)
_UNITS = {"h": 3600.0, "m": 60.0, "s": 1.0, "ms": 0.001}


class _Cue(NamedTuple):
    """A cue: when it begins and ends in seconds, its speaker, and its words."""

    begin: float
    end: float
    speaker: str
    words: str


def parse(data: bytes, name: str, params: LoadParameters, progress: Progress | None = None) -> Parsed:
    """Return the text, blocks and origin of subtitles.

    Raises:
        ChunkscopeError: the file is not well-formed, declares entities, or is nested too deeply.
    """
    decoded = decode(data, name)
    root = xml_root(decoded.text, name)
    writer = DocumentWriter("characters of the cue")
    cues = list(_Reader(root, name).cues(root, 0.0, "", 0))
    speakers: dict[int, str] = {}
    for number, cue in enumerate(cues, 1):
        writer.append("\n\n" * bool(writer.length))
        speakers[writer.append(f"{_clock(cue.begin)} --> {_clock(cue.end)}\n")] = cue.speaker
        writer.copy(cue.words, writer.add_part(f"cue {number:,}"), 0)
    for block in subtitles.blocks("".join(writer.pieces)) or ():
        speaker = speakers.get(block.start, "")
        is_named = bool(speaker) and not block.title
        writer.blocks.append(replace(block, kind="speaker_turn", title=speaker) if is_named else block)
    return writer.parsed(decoded.notes, language=language_code(root.get(_XML + "lang", "")))


class _Reader:
    """A reader of the cues of a tree, whose root states its rates."""

    def __init__(self, root: Any, name: str) -> None:
        self._name = name
        stated = {_local(key): value for key, value in root.attrib.items()}
        self._frames = _rate(stated.get("frameRate", ""), 30)
        self._ticks = _rate(stated.get("tickRate", ""), self._frames if "frameRate" in stated else 1)
        self._agents: dict[str, str] = {}
        for element in root.iter():
            if _local(element.tag) == "agent":
                names = (" ".join((child.text or "").split()) for child in element if _local(child.tag) == "name")
                self._agents[element.get(_XML + "id", "")] = next(names, "")

    def cues(self, element: Any, begin: float, agent: str, depth: int) -> Iterator[_Cue]:
        """Yield the cues in an element, given when what is around it begins."""
        if depth > MAX_DEPTH:
            raise ChunkscopeError(
                f"“{self._name}” has elements that are nested more than {MAX_DEPTH} deep.",
                "Check that it is a file of subtitles.",
            )
        name = _local(element.tag)
        stated = {_local(key): value for key, value in element.attrib.items()}
        start = begin + self._seconds(stated.get("begin", ""), 0.0)
        agent = stated.get("agent", agent)
        if name == "p":
            words = "\n".join(filter(None, (" ".join(line.split()) for line in _lines(element))))
            end = begin + self._seconds(
                stated.get("end", ""), start - begin + self._seconds(stated.get("dur", ""), 0.0)
            )
            if words:
                yield _Cue(start, end, self._agents.get(agent.strip(), ""), words)
        elif name in ("tt", "body", "div"):
            for child in element:
                yield from self.cues(child, start, agent, depth + 1)

    def _seconds(self, text: str, default: float) -> float:
        """Return a time in seconds."""
        if clock := _CLOCK.fullmatch(text.strip()):
            hours, minutes, seconds, fraction, frames = clock.groups()
            whole = int(hours) * 3600 + int(minutes) * 60 + int(seconds)
            return whole + float(f"0.{fraction or 0}") + int(frames or 0) / self._frames
        if offset := _OFFSET.fullmatch(text.strip()):
            number, unit = float(offset[1]), offset[2]
            return number / (self._frames if unit == "f" else self._ticks) if unit in "ft" else number * _UNITS[unit]
        return default


def _local(name: Any) -> str:
    return name.rpartition("}")[2] if isinstance(name, str) else ""


def _rate(text: str, default: int) -> int:
    return max(int(text), 1) if _NUMBER.fullmatch(text) else default


def _lines(element: Any) -> Iterator[str]:
    """Yield the lines of an element, which line breaks divide."""
    line = [element.text or ""]
    for child in element.iter():
        if child is element:
            continue
        if _local(child.tag) == "br":
            yield "".join(line)
            line = []
        elif _local(child.tag) in ("span", "ruby", "rb"):
            line.append(child.text or "")
        line.append(child.tail or "")
    yield "".join(line)


def _clock(seconds: float) -> str:
    thousandths = round(min(seconds, 3.5e7) * 1000)
    minutes, rest = divmod(thousandths, 60_000)
    return f"{minutes // 60:02}:{minutes % 60:02}:{rest // 1000:02}.{rest % 1000:03}"
