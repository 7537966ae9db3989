"""Gold: true boundaries that a person set, as offsets in the text, as chunks, or as what reviews came to."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from chunking.alignment import uploads
from chunking.alignment.align import align
from chunking.document import Document
from chunking.errors import ChunkscopeError
from chunking.gold import lines
from chunking.loading.decode import decode
from chunking.runtime.arrays import Int64
from chunking.sentences import Sentences

_KEYS = ("gold", "boundaries", "offsets")


@dataclass(frozen=True)
class Read:
    """Gold of a document, from a file.

    Attributes:
        offsets: of the boundaries, ascending, each once; the start of the text is none.
        notes: what was put right, and what became of boundaries of an older text, in sentences.
    """

    offsets: tuple[int, ...]
    notes: tuple[str, ...] = ()


def read(data: bytes, name: str, document: Document) -> tuple[int, ...]:
    """The offsets of :func:`read_with_notes`."""
    return read_with_notes(data, name, document).offsets


def read_with_notes(data: bytes, name: str, document: Document) -> Read:
    """The gold boundaries of a document from a file.

    The file is JSON: a list of character offsets, or an object that has one under ``gold``, ``boundaries`` or
    ``offsets``; or it is gold of reviews, a document a line (:mod:`chunking.gold.lines`). Anything else is read as
    chunks (see :mod:`chunking.alignment.uploads`), whose starts are the boundaries.

    Raises:
        ChunkscopeError: the file holds none of these, its gold or most of its chunks are of another document, or an
            offset is no whole number or lies outside the text.
    """
    if is_lines(data, name):
        found = lines.find(lines.read(data, name), document, name)
        return Read(found.offsets, found.notes)
    offsets = _offsets(decode(data, name).text)
    if offsets is None:
        placed = align(document.text, uploads.read(data, name))
        offsets = [each.start for each in placed if each is not None]
        if 2 * len(offsets) < len(placed) or not offsets:
            raise ChunkscopeError(
                f"{name:.60} holds {len(offsets) or 'no'} chunk{'s' * (len(offsets) > 1)} of this document"
                f"{f', of {len(placed)}' if offsets else ''}.",
                "Give the gold of this document, or its offsets.",
            )
        return Read(_inside(offsets, document))
    wrong = next((offset for offset in offsets if not 0 <= offset <= len(document.text)), None)
    if wrong is not None:
        raise ChunkscopeError(
            f"The gold boundary {wrong} lies outside the text of {len(document.text):,} characters.",
            "Count characters (Unicode code points) of the decoded text, from 0.",
        )
    return Read(_inside(offsets, document), tuple(_repairs(offsets)))


def is_lines(data: bytes, name: str) -> bool:
    """Whether a file holds gold of reviews, a document a line."""
    first = next((line for line in decode(data, name).text.split("\n") if line.strip()), "")
    try:
        return lines.is_line(json.loads(first))
    except (ValueError, RecursionError):
        return False


def _inside(offsets: Iterable[int], document: Document) -> tuple[int, ...]:
    return tuple(sorted({offset for offset in offsets if 0 < offset < len(document.text)}))


def _repairs(offsets: Sequence[int]) -> Iterator[str]:
    if any(left > right for left, right in pairwise(offsets)):
        yield "The gold boundaries were not in order; they were sorted."
    twice = len(offsets) - len(set(offsets))
    if twice:
        were = "boundary that came twice was" if twice == 1 else "boundaries that came twice were"
        yield f"{twice:,} gold {were} left out."


def _offsets(text: str) -> list[int] | None:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if lines.is_line(found):
        raise ChunkscopeError("The gold of a document runs over several lines.", "Write each document on one line.")
    if isinstance(found, dict):
        found = next((found[key] for key in _KEYS if isinstance(found.get(key), list)), None)
    if not isinstance(found, list) or not all(isinstance(each, (int, float)) for each in found):
        return None
    wrong = next((each for each in found if isinstance(each, bool) or not isinstance(each, int)), None)
    if wrong is not None:
        raise ChunkscopeError(
            f"The gold boundary {json.dumps(wrong)} is no whole number.", "Give offsets in characters, from 0."
        )
    return found


def gaps_of(places: Sequence[int], offsets: Int64, units: Sentences) -> Int64:
    """The gap that each place in the text belongs to.

    Args:
        places: character offsets.
        offsets: ``(n_gaps,)`` int64, where each gap cuts the text.
        units: the sentences.

    Returns:
        ``(n_places,)`` int64: the gap before the sentence that starts at the place or, where a splitter has joined that
        to what precedes, the nearest one; -1 where there is no gap at all.
    """
    wanted = np.asarray(places, dtype=np.int64)
    if not len(offsets):
        return np.full(len(wanted), -1, dtype=np.int64)
    centres = (offsets + units.spans[1:, 0]) / 2
    right = np.clip(np.searchsorted(centres, wanted), 1, max(len(centres) - 1, 1))
    left = right - 1
    right = np.minimum(right, len(centres) - 1)
    nearer = np.abs(centres[left] - wanted) <= np.abs(centres[right] - wanted)
    return np.where(nearer, left, right)


def gold_gaps(gold: Sequence[int], offsets: Int64, units: Sentences) -> Int64:
    """The gaps of gold boundaries, ascending, each once; see :func:`gaps_of`."""
    if not len(offsets):
        return np.zeros(0, dtype=np.int64)
    return np.unique(gaps_of(gold, offsets, units))
