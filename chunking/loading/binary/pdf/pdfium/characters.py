"""The characters of a page in PDFium's order: words, ideographs, reversed ligatures, implausible letters."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from chunking.loading.binary.pdf.pdfium import HYPHEN
from chunking.runtime.arrays import Bools, Float32, Int64
from chunking.runtime.patterns import compile_pattern

_SPACES = np.zeros(0x3002, dtype=np.bool_)
_SPACES[[code for code in range(0x3001) if chr(code).isspace()]] = True


def word_spans(codes: npt.NDArray[np.unsignedinteger[Any]]) -> tuple[Int64, Int64]:
    """Return half-open spans of the words: text between white space, cut after a hyphen at a line end.

    Chinese and Japanese have no spaces: each character is a word there.
    """
    word = np.zeros(len(codes) + 2, dtype=np.bool_)
    np.logical_not(_SPACES[np.minimum(codes, 0x3001)], out=word[1:-1])
    bounds = np.flatnonzero(word[1:] != word[:-1])
    starts, ends = bounds[0::2], bounds[1::2]
    if len(codes) and codes.max() >= 0x2E80:
        in_word = word[1:-1]
        single = are_ideographs(codes)
        cut = single[1:] | single[:-1] | (codes[:-1] == HYPHEN)
        more = np.flatnonzero(cut & in_word[1:] & in_word[:-1]) + 1
        if len(more):
            starts, ends = (np.sort(np.concatenate((edges, more))) for edges in (starts, ends))
    return starts, ends


def are_ideographs(codes: npt.NDArray[np.unsignedinteger[Any]]) -> Bools:
    """Return whether each character is written without spaces around it: Han, kana and their punctuation."""
    ideographs: Bools = (
        ((codes >= 0x2E80) & (codes < 0xA000) & (codes != 0x3000))
        | ((codes >= 0xF900) & (codes < 0xFB00))
        | ((codes >= 0xFF00) & (codes < 0xFFF0))
        | ((codes >= 0x20000) & (codes < 0x32000))
    )
    return ideographs


_REVERSED = compile_pattern("[\u0622\u0623\u0625\u0627]\u0644")
"""Alef and lam: a glyph of both is lam and alef, never this."""

_ARABIC = compile_pattern("[\u0600-\u06ff\u0750-\u077f\u08a0-\u08ff]{2,}")


def reversed_ligatures(text: str, boxes_of: Callable[[Int64], Float32]) -> list[tuple[int, int]]:
    """Return half-open spans of the characters of ligatures that are in reverse order.

    PDFium reverses the characters of a line from right to left one by one, also those of a single glyph, if the font
    states several for it. All of them have the box of the glyph.

    Args:
        text: of a page.
        boxes_of: returns the boxes of characters by index.
    """
    if "\u0644" not in text:
        return []
    pairs = np.array([match.start() for match in _REVERSED.finditer(text)], dtype=np.int64)
    if not len(pairs) or not (boxes_of(pairs) == boxes_of(pairs + 1)).all(axis=1).any():
        return []
    indices = np.concatenate([np.arange(*match.span()) for match in _ARABIC.finditer(text)])
    boxes = boxes_of(indices)
    in_one_glyph = (boxes[1:] == boxes[:-1]).all(axis=1) & (np.diff(indices) == 1)
    bounds = np.flatnonzero(np.diff(in_one_glyph.astype(np.int8), prepend=0, append=0))
    return [(int(indices[a]), int(indices[b]) + 1) for a, b in zip(bounds[::2], bounds[1::2], strict=True)]


def are_stacked(codes: npt.NDArray[np.unsignedinteger[Any]], boxes: Float32) -> bool:
    """Return whether most ideographs of a page are below the one before: it is written from top to bottom.

    Args:
        codes: ``(n_words,)``, the first character of each word.
        boxes: ``(n_words, 4)`` float32, as displayed.
    """
    single = are_ideographs(codes)
    pairs = single[1:] & single[:-1]
    before, after = boxes[:-1][pairs], boxes[1:][pairs]
    wide = np.minimum(before[:, 2] - before[:, 0], after[:, 2] - after[:, 0])
    below = (np.abs(before[:, 0] + before[:, 2] - after[:, 0] - after[:, 2]) < wide) & (
        np.abs(after[:, 1] - before[:, 3]) < 0.5 * (before[:, 3] - before[:, 1])
    )
    return 2 * int(np.count_nonzero(below)) > len(codes)


# Plausible words ----------------------------------------------------------------------------------------------------

_NUMERIC = compile_pattern(r"[.,:/%+()-]*+\d[\d.,:/%+()-]*+")
_WORD = compile_pattern(
    r"(?:[a-zß-öø-ÿā-ž]+|[A-ZÀ-ÖØ-Þ][a-zß-öø-ÿā-ž]*|[A-ZÀ-ÖØ-Þ]+"
    r"|[а-яёіїєґў]+|[А-ЯЁІЇЄҐЎ](?:[а-яёіїєґў]*|[А-ЯЁІЇЄҐЎ]+)|[α-ώ]+|[Α-Ω](?:[α-ώ]*|[Α-Ω]+)|[\u3040-\u30ff]+)"
)
_VOWEL = compile_pattern(r"[aeiouyà-æè-ïò-öø-üýÿāăąēĕėęěĩīĭįőōŏũūŭůűųαεηιουωάέήίόύώаеёиоуыэюяіїє\u3040-\u30ff]", re.I)
_JOINTS = compile_pattern("['’-]")
_AROUND = compile_pattern(r"^[\W_]+|[\W_]+$")


def is_plausible(word: str) -> bool:
    """Return whether a word looks like one of a language with Latin, Cyrillic or Greek letters, kana, or a number.

    Letters that a font does not name are right if PDFium reads them by a usual encoding, and else a jumble.
    """
    core = _AROUND.sub("", word)
    if _NUMERIC.fullmatch(core):
        return True
    parts = _JOINTS.split(core)
    return all(map(_WORD.fullmatch, parts)) and (len(core) == 1 or bool(_VOWEL.search(core)))
