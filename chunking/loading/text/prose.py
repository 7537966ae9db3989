"""Prose inside files of other formats: descriptions in strings, comments, cells."""

from __future__ import annotations

import re
from dataclasses import replace

from chunking.document import Block
from chunking.loading.spans import shifted
from chunking.loading.text import plain
from chunking.runtime.patterns import compile_pattern

LONG = 100
"""Length from which a quoted text is split into sentences, in characters."""

_HEAD = 4000
"""Characters that are examined to distinguish prose from code."""

_ODD = compile_pattern(r"[{}\[\]()<>=;|&$\\/_#*+~^@`%]")
_WORD = compile_pattern(r"[^\W\d_]{2,}")
_CJK = compile_pattern(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\u0e00-\u0e7f\u1000-\u109f\u1780-\u17ff]")


def is_prose(text: str, least: int = LONG) -> bool:
    """Return whether a text consists of sentences, by its beginning: not code, figures, a path or encoded bytes.

    Args:
        text: the text to examine.
        least: minimum length of prose, in characters.
    """
    head = text[: 2 * _HEAD].replace("\r\n", "\n").replace("\r", "\n")[:_HEAD].strip()
    if len(head) < least:
        return False
    if len(_CJK.findall(head)) * 3 > len(head):
        return True
    letters = sum(map(len, _WORD.findall(head)))
    return (
        len(head.split()) * 14 > len(head)
        and len(_ODD.findall(head)) * 16 < len(head)
        and letters * 100 > 55 * (len(head) - head.count(" ") - head.count("\n"))
    )


_LINE_END = compile_pattern(r"[\r\n]")
_FENCE = compile_pattern(r"(?:\A|(?<=[\r\n]))[ \t]*(```|~~~)")


def blocks(text: str, offset: int) -> list[Block]:
    """Return the paragraphs, lists and code of a prose text inside another text.

    Args:
        text: the text, with foreign characters (comment markers, escapes) replaced one by one.
        offset: its start in the document.

    Returns:
        Its blocks by the rules of plain text, with offsets in the document. Text between fences is code; headings are
        paragraphs.
    """
    paragraphs: list[Block] = []
    start = 0
    fences = list(_FENCE.finditer(text))
    for opening, closing in zip(fences[::2], fences[1::2], strict=False):
        line = _LINE_END.search(text, closing.end())
        end = line.start() if line else len(text)
        paragraphs.extend(_plain(text, start, opening.start(), offset))
        paragraphs.append(
            Block(
                "code", opening.start(1) + offset, closing.start() + len(text[closing.start() : end].rstrip()) + offset
            )
        )
        start = end
    paragraphs.extend(_plain(text, start, len(text), offset))
    return paragraphs


def _plain(text: str, start: int, stop: int, offset: int) -> list[Block]:
    paragraphs = []
    part = text[start:stop].replace("\f", " ")
    offset += start
    for block in plain.blocks(part):
        end = block.start + len(part[block.start : block.end].rstrip())
        content = min(block.content, end)
        heading = block.kind == "heading"
        kind, level = "paragraph" if heading else block.kind, 0 if heading else block.level
        paragraphs.append(shifted(replace(block, kind=kind, level=level, end=end, content=content), offset))
    return paragraphs


_LINE = compile_pattern(r"[^\r\n]+")
_MARK = compile_pattern(r"[ \t]*(?:///?[/!]*|/\*+[*!]*|#+!?|--+|\*+(?!/)|=begin\b|=end\b)?")
_CLOSING_MARK = compile_pattern(r"\*{1,100}+/[ \t]*+\Z")
_RULE = compile_pattern(r"[^\w\s]{4,}")


def strip_markers(comment: str) -> str:
    """Return a comment with spaces in place of its markers, at the same length."""

    def bare(match: re.Match[str]) -> str:
        line = match.group()
        closing = _CLOSING_MARK.search(line, max(len(line) - 100, 0))
        words = line[: closing.start()] if closing else line
        mark = _MARK.match(words)
        begin = mark.end() if mark else 0
        words = _RULE.sub(lambda rule: " " * len(rule.group()), words[begin:])
        return (" " * begin + words).ljust(len(line))

    return _LINE.sub(bare, comment)
