"""Blocks of subtitles: SubRip (.srt), WebVTT (.vtt), YouTube (.sbv), SubStation Alpha (.ass, .ssa) and lyrics (.lrc).

A cue is a block: the words that are shown at one time. It begins with its number or name and its times, and its
``content`` with the words. It is a speaker turn if it names its speaker. The header, notes, styles and regions of
WebVTT are in no block.

A sentence that spans several cues is not joined, since a block is one span of the source and would include the time
codes between the cues. Chunks join cues.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from chunking.document import Block
from chunking.loading.spans import line_spans, trim_span
from chunking.loading.text import timed_lines
from chunking.runtime.patterns import compile_pattern

_TIME = r"(?:\d{1,4}:)?\d{1,2}:\d{1,2}[.,]\d{1,3}"
_TIMING = compile_pattern(
    rf"[ \t]*+{_TIME}(?:[ \t]*-->[ \t]*{_TIME}(?=\s|\Z)[^\r\n]*+|,{_TIME}[ \t]*+(?=[\r\n]|\Z))", re.ASCII
)
_NUMBER = compile_pattern(r"\s*\d{1,9}\s*")
_HEADER = compile_pattern(r"WEBVTT(?:[ \t\r\n]|\Z)")
_VOICE = compile_pattern(r"<v(?:\.[^\s<>]*)?[ \t]+([^<>\r\n]{1,100})>\s*")
_DASH = compile_pattern(r"[-‐–—][ \t]*(?=[^\s\-‐–—>])")
_NAMED = compile_pattern(
    r"(?:>>[ \t]*)?([A-Z\u00c0-\u00de][^\Wa-z\u00df-\u00ff_]*(?:[ .'’#&-]{1,2}[^\Wa-z\u00df-\u00ff_]+){0,3}):(?:\s+|$)"
)
_BRACKETED = compile_pattern(r"\[([^\W_a-z][^\[\]<>\r\n]{0,40}+)\](:?)[ \t]*(?=\S)")
_SHARE = 3
"""One cue of so many begins with a name in brackets in files in which brackets have names, and not sounds."""

_CHANGE = compile_pattern(r">>(?!>)[ \t]*(?=\S)")
_TAG = compile_pattern(r"</?[a-zA-Z][^<>\r\n]{0,100}>|\{\\[^{}\r\n]{0,100}\}")


def blocks(text: str) -> tuple[Block, ...] | None:
    """Return the cues of subtitles, in order; ``None`` if there are none.

    A cue, or a part of one, is a speaker turn if its speaker is marked by a voice tag (``<v Ada>``), a name in capitals
    with a colon (``ADA:``), a name in brackets (``[Ada]``) where many cues begin with one, ``>>`` or, on at least two
    lines of a cue, a dash; ``title`` is the name, if any, and ``content`` begins after the mark. Any other cue is a
    paragraph. A cue of tags alone is no block. Other tags are kept in the text.
    """
    turns: list[Block] = []
    cues = list(_cues(text))
    if not cues and not _HEADER.match(text):
        return tuple(timed_lines.events(text)) or tuple(timed_lines.lyrics(text)) or None
    bracketed = _has_names_in_brackets(text, [lines for _, lines in cues])
    for start, lines in cues:
        cue_blocks = list(_cue(text, lines, bracketed))
        if cue_blocks:
            cue_blocks[0] = replace(cue_blocks[0], start=start)
        turns.extend(cue_blocks)
    return tuple(turns)


def _has_names_in_brackets(text: str, cues: list[list[tuple[int, int]]]) -> bool:
    """Return whether brackets at the start of cues have the names of speakers, and not sounds."""
    matches = [_BRACKETED.match(text, *lines[0]) for lines in cues if lines]
    return _SHARE * sum(match is not None for match in matches) >= max(len(matches), _SHARE)


def _cues(text: str) -> Iterator[tuple[int, list[tuple[int, int]]]]:
    """Yield the start of each cue, and the spans of its lines of words, without white space at their ends."""
    lines: list[tuple[int, int]] | None = None
    cue_start = -1
    name_start = -1  # of the line above, if it may be the number or name of a cue
    for start, end in line_spans(text):
        span = trim_span(text, start, end)
        if _TIMING.match(text, start):
            begin = span.start if name_start < 0 else name_start
            if lines is not None:
                # SubRip files may lack the blank line before a cue: its number does not belong to the last one.
                if lines and _NUMBER.fullmatch(text, *lines[-1]):
                    begin = lines.pop()[0]
                yield cue_start, lines
            cue_start, lines, name_start = begin, [], -1
            continue
        is_blank = span.start == span.end
        name_start = -1 if is_blank or lines is not None or name_start >= 0 else span.start
        if lines is not None and not is_blank:
            lines.append(span)
        elif lines or start == end:  # spaces alone are an empty first line of words
            if lines is not None:
                yield cue_start, lines
            lines = None
    if lines is not None:
        yield cue_start, lines


def _cue(text: str, lines: list[tuple[int, int]], bracketed: bool) -> Iterator[Block]:
    """Yield the blocks of a cue: one for each speaker in it."""
    dashes = sum(bool(_DASH.match(text, start, end)) for start, end in lines) > 1
    start = -1
    mark: tuple[str, int] | None = None
    last = -1
    for begin, end in lines:
        speaker = _mark(text, begin, end, dashes, bracketed)
        if speaker and start >= 0:
            yield from _block(text, start, last, mark)
            start = -1
        if start < 0:
            start, mark = begin, speaker
        last = end
    if start >= 0:
        yield from _block(text, start, last, mark)


def _mark(text: str, start: int, end: int, dashes: bool, bracketed: bool) -> tuple[str, int] | None:
    """Return the speaker that a line marks, and the start of the words; ``None`` if it marks none."""
    words_start = start
    dash = _DASH.match(text, start, end) if dashes else None
    if dash:
        words_start = dash.end()
    voice = _VOICE.match(text, words_start, end)
    if voice:
        return voice[1].strip(), voice.end()
    name_match = _NAMED.match(text, words_start, end)
    if name_match:
        return name_match[1], name_match.end()
    bracket = _BRACKETED.match(text, words_start, end)
    if bracket and (bracketed or bracket[2]):
        return bracket[1].strip(), bracket.end()
    change = _CHANGE.match(text, words_start, end)
    if change:
        return "", change.end()
    return ("", words_start) if dash else None


def _block(text: str, start: int, end: int, mark: tuple[str, int] | None) -> Iterator[Block]:
    content = min(mark[1], end) if mark else start
    content = trim_span(text, content, end).start
    if not _TAG.sub("", text[content:end]).strip():
        return
    if mark:
        yield Block("speaker_turn", start, end, content=content, title=mark[0])
    else:
        yield Block("paragraph", start, end)
