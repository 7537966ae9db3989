"""Gold: true boundaries that a person set, as offsets in the text or as chunks."""

from __future__ import annotations

import json
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from chunking import uploads
from chunking.align import align
from chunking.document import Document
from chunking.errors import ChunkscopeError
from chunking.loading.decode import decode
from chunking.sentences import Sentences

_KEYS = ("gold", "boundaries", "offsets")


def read(data: bytes, name: str, document: Document) -> tuple[int, ...]:
    """The gold boundaries of a document from a file.

    The file is JSON: a list of character offsets, or an object that has one under ``gold``, ``boundaries`` or
    ``offsets``. Anything else is read as chunks (see :mod:`chunking.uploads`), whose starts are the boundaries.

    Returns:
        Offsets, ascending, each once; the start of the text is none.

    Raises:
        ChunkscopeError: the file holds neither, most of the chunks are of another document, or an offset is no whole
            number or lies outside the text.
    """
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
    wrong = next((offset for offset in offsets if not 0 <= offset <= len(document.text)), None)
    if wrong is not None:
        raise ChunkscopeError(
            f"The gold boundary {wrong} lies outside the text of {len(document.text):,} characters.",
            "Count characters (Unicode code points) of the decoded text, from 0.",
        )
    return tuple(sorted({offset for offset in offsets if 0 < offset < len(document.text)}))


def _offsets(text: str) -> list[int] | None:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
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


def gold_gaps(gold: Sequence[int], offsets: npt.NDArray[np.int64], units: Sentences) -> npt.NDArray[np.int64]:
    """The gap that each gold boundary belongs to.

    Args:
        gold: character offsets.
        offsets: ``(n_gaps,)`` int64, where each gap cuts the text.
        units: the sentences.

    Returns:
        Gaps, ascending, each once: of the sentence that starts at the boundary or, where a splitter has joined it to
        what precedes, the nearest one.
    """
    if not len(offsets):
        return np.zeros(0, dtype=np.int64)
    centres = (offsets + units.spans[1:, 0]) / 2
    right = np.clip(np.searchsorted(centres, gold), 1, max(len(centres) - 1, 1))
    left = right - 1
    right = np.minimum(right, len(centres) - 1)
    wanted = np.asarray(gold)
    nearer = np.abs(centres[left] - wanted) <= np.abs(centres[right] - wanted)
    return np.unique(np.where(nearer, left, right))
