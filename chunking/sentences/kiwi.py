"""Sentences by Kiwi, a morphological analyser of Korean (kiwipiepy), which also finds ends without a stop."""

from __future__ import annotations

import importlib
import threading
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

from chunking.errors import ChunkscopeError
from chunking.installation import install_command
from chunking.runtime.patterns import compile_pattern
from chunking.runtime.progress import Progress
from chunking.sentences.parts import collapse_spaces, split_in_parts
from chunking.sentences.rules import CLOSERS, STOPS
from chunking.sentences.sentences import Ranges

KIWI = "kiwi"

_model_lock = threading.Lock()


def split_with_kiwi(texts: Sequence[str], progress: Progress | None) -> Iterator[Ranges]:
    """Split each text into sentences with Kiwi."""
    return split_in_parts(texts, "ko", progress, _parse)


def _parse(texts: Sequence[str]) -> list[Ranges]:
    collapsed = [collapse_spaces(text, markup=True) for text in texts]
    with _model_lock:  # one thread loads it, and one at a time uses it
        model = _load_model()
        # Use where the next sentence begins, not where this one ends, so that marks in between are kept.
        starts = [
            [sentence.start for sentence in model.split_into_sents(collapsed_text.text, return_sub_sents=False)]
            for collapsed_text in collapsed
        ]
    return [
        _plausible_ranges(text, [_before_marks(text, collapsed_text.original(begin)) for begin in begins])
        for text, collapsed_text, begins in zip(texts, collapsed, starts, strict=True)
    ]


def _before_marks(text: str, begin: int) -> int:
    """Return the offset before the marks of emphasis that open at ``begin``, which Kiwi does not see."""
    first = begin
    while first and text[first - 1] in "`*_":
        first -= 1
    return first if first == 0 or text[first - 1].isspace() else begin


_STOPPED = compile_pattern(rf"(?<![{STOPS}])[{STOPS}]++[{CLOSERS}]*+(?:\[\d{{1,3}}\])*+\Z")
_HANGUL_LAST = compile_pattern(r"[\uac00-\ud7a3](?:[ㅋㅎㅠㅜ~^]+)?\Z")
_HANGUL = compile_pattern(r"[\uac00-\ud7a3]")
_WHOLE = compile_pattern(
    r"\"[^\"]{0,300}\"|“[^“”]{0,300}”|‘[^‘’]{0,300}’|\([^()]{0,300}\)|「[^「」]{0,300}」|<[a-zA-Z/!][^<>]{0,300}>"
)
_PLAIN_END = compile_pattern(r"(?<=[\uac00-\ud7a3]{2})[.!?]\s+(?=\S)")
_SIGN = compile_pattern(r"[^\w\s]")


def _plausible_ranges(text: str, begins: Sequence[int]) -> Ranges:
    """Return the ranges between Kiwi's sentence beginnings, without those that punctuation contradicts.

    A sentence ends with a stop, or with a Korean ending before a space and another word (not before a bracket). It
    ends without a following space only between two Korean words (``간다.너도``), never in an address. A quotation,
    bracket or tag of up to 300 characters is not cut. Ends that Kiwi misses before a quotation are added: after a
    Korean word of two letters or more, a stop and a space.
    """
    sentence_starts = [0]
    quotations = [match.span() for match in _WHOLE.finditer(text)]
    starts = [start for start, _ in quotations]
    for begin in sorted({*begins, *(match.end() for match in _PLAIN_END.finditer(text))}):
        index = bisect_left(starts, begin) - 1
        if index >= 0 and begin < quotations[index][1]:
            continue
        before = text[max(sentence_starts[-1], begin - 200) : begin]
        stripped = before.rstrip()
        if not stripped or begin >= len(text):
            continue
        stop = _STOPPED.search(stripped)
        if stripped == before:
            believed = bool(stop and _HANGUL_LAST.search(stripped, 0, stop.start()) and _HANGUL.match(text, begin))
        else:
            believed = bool(stop or (_HANGUL_LAST.search(stripped) and not _SIGN.match(text, begin)))
        if believed:
            sentence_starts.append(begin)
    return list(zip(sentence_starts, [*sentence_starts[1:], len(text)], strict=True))


@lru_cache(maxsize=1)
def _load_model() -> Any:
    """Load Kiwi with its own model: some four seconds, and half a gigabyte.

    Requires the lock of the model: the cache alone does not make a second thread wait for the first.
    """
    try:
        kiwipiepy: Any = importlib.import_module("kiwipiepy")
        return kiwipiepy.Kiwi(num_workers=1)
    except ImportError as error:
        raise ChunkscopeError(
            "The Korean sentence splitter is not installed.",
            f"Install it ({install_command('models')}), or choose the splitter rules.",
        ) from error
