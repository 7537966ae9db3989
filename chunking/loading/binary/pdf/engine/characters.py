"""Characters of a page: replacement of those that no text may contain, and division into words."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from chunking.runtime.arrays import Bools, Int64

HYPHEN = 0xFFFE
"""What PDFium writes for a hyphen at a line end, with the next line's word right after it."""

REPLACEMENTS: dict[int, int] = {
    **dict.fromkeys((*range(0, 9), *range(14, 28), *range(55296, 57344), 65535, 127), 65533),
    **dict.fromkeys((11, 12, 28, 29, 30, 31, 133, 8232, 8233), 32),
    2: HYPHEN,
}
"""Characters that no text may contain, and their replacements: controls, surrogates, line ends inside a page."""

CLEAN_UNITS = np.frombuffer(
    "".join(map(chr, range(0x10000))).translate(REPLACEMENTS).encode("utf-16-le"), dtype=np.uint16
)
"""The same as a table: the replacement of each UTF-16 unit."""

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
        inside = word[1:-1]
        single = _are_ideographs(codes)
        cut = single[1:] | single[:-1] | (codes[:-1] == HYPHEN)
        more = np.flatnonzero(cut & inside[1:] & inside[:-1]) + 1
        if len(more):
            starts, ends = (np.sort(np.concatenate((known, more))) for known in (starts, ends))
    return starts, ends


def _are_ideographs(codes: npt.NDArray[np.unsignedinteger[Any]]) -> Bools:
    """Return whether each character is written without spaces around it: Han, kana and their punctuation."""
    found: Bools = (
        ((codes >= 0x2E80) & (codes < 0xA000) & (codes != 0x3000))
        | ((codes >= 0xF900) & (codes < 0xFB00))
        | ((codes >= 0xFF00) & (codes < 0xFFF0))
        | ((codes >= 0x20000) & (codes < 0x32000))
    )
    return found
