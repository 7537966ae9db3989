"""A text in pieces, between which a reader picks gaps by mouse or keyboard; then it shows what others picked.

While gaps are picked nothing else is shown: a prediction is made before the result is seen.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypedDict

import numpy as np

from chunking import web
from chunking.runtime.arrays import AnyInts
from pages.shared.components.base import Bytes, Callback, Int32s, Message, Natural, component, ignore, pack, reported

_picker = component(
    "chunkscope_gap_picker",
    __file__,
    "gap_picker.js",
    str(web.FOLDER / "workbench" / "workbench.css"),
    "gap_picker.css",
)


class GapPickerHead(TypedDict):
    """The part of a message that is read each time."""

    document: str
    revision: int
    open: bool
    chapter: bool


class GapWords(TypedDict):
    """What is written in the component, in the language of the page.

    Attributes:
        text: label of the text for screen readers.
        gap: label of a gap, with ``{gap}``, ``{gaps}`` and ``{words}`` for its number, how many there are, and the
            words before it.
        own, engine, gold: labels of the three marks.
        send: label of the button that ends the prediction.
        count: how many gaps are picked, with ``{count}``.
        chunks: the same where gaps are cuts, with ``{count}`` and ``{chunks}``.
    """

    text: str
    gap: str
    own: str
    engine: str
    gold: str
    send: str
    count: str
    chunks: str


class GapPickerBody(TypedDict):
    """The pieces of the text and the marks at its gaps."""

    pieces: Sequence[str]
    breaks: Bytes
    offsets: Int32s
    picked: Int32s
    engine: Int32s
    gold: Int32s
    votes: Int32s
    words: GapWords


def _none() -> AnyInts:
    return np.empty(0, dtype=np.int64)


@dataclass(frozen=True, eq=False)
class GapMarks:
    """What is marked at the gaps once the prediction is made.

    Attributes:
        engine, gold: ascending gaps.
        votes: ``(n_gaps,)`` how many of several readers picked each gap; empty where nobody counts them.
    """

    engine: AnyInts = field(default_factory=_none)
    gold: AnyInts = field(default_factory=_none)
    votes: AnyInts = field(default_factory=_none)


@dataclass(frozen=True)
class PickedGaps:
    """The prediction of a reader.

    Attributes:
        gaps: the picked gaps, ascending.
        final: whether the reader has ended the prediction.
    """

    gaps: tuple[int, ...]
    final: bool


def gap_picker(
    key: str,
    document: str,
    pieces: Sequence[str],
    breaks: Sequence[bool],
    words: GapWords,
    *,
    picked: Sequence[int] = (),
    marks: GapMarks | None = None,
    revision: int = 0,
    chapter: bool = False,
    offsets: AnyInts | None = None,
    on_event: Callback | None = None,
) -> None:
    """Draw the text and its gaps.

    Args:
        key: Streamlit key of the element.
        document: key of the document, which a chart of the same gaps shares.
        pieces: the text in order; between two of them lies a gap.
        breaks: for each gap, whether a blank line is shown there.
        words: see :class:`GapWords`.
        picked: the gaps that are picked when the document or the revision changes; after that the browser knows better.
        marks: what is marked; ``None`` while gaps are picked.
        revision: another one for another prediction of the same text.
        chapter: whether it belongs to a chapter of its own: when it appears, the page is shown from its top.
        offsets: ``(n_gaps,)`` where in the document a chunk begins that a cut at each gap makes: then chunks are shown.
        on_event: called before the script runs when the picked gaps changed; read :func:`picked_gaps` in it.
    """
    shown_marks = marks or GapMarks()
    head: GapPickerHead = {"document": document, "revision": revision, "open": marks is None, "chapter": chapter}
    body: GapPickerBody = {
        "pieces": list(pieces),
        "breaks": np.array(breaks, dtype=np.uint8),
        "offsets": _none() if offsets is None else offsets,
        "picked": np.array(picked, dtype=np.int64),
        "engine": shown_marks.engine,
        "gold": shown_marks.gold,
        "votes": shown_marks.votes,
        "words": words,
    }
    _picker(key=key, data=pack(head, body), on_picked_change=on_event or ignore)


@dataclass(frozen=True)
class PickReport(Message):
    """What a reader has picked in a revision of a document, and whether that is the prediction."""

    document: str
    revision: int
    gaps: tuple[Natural, ...]
    final: bool


def picked_gaps(key: str, document: str, revision: int, gaps: int) -> PickedGaps | None:
    """Return what the reader picked last; it can be called before the text is drawn in this run.

    Args:
        key, document, revision: as given to :func:`gap_picker`.
        gaps: number of gaps; what comes from a browser is not trusted to lie among them.

    Returns:
        The prediction; ``None`` where the reader has not picked anything in this revision.
    """
    report = reported(key, "picked", PickReport, document)
    if report is None or report.revision != revision or any(gap >= gaps for gap in report.gaps):
        return None
    return PickedGaps(tuple(sorted(set(report.gaps))), report.final)
