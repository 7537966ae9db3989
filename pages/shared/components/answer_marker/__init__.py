"""A document in which the answers of a question are marked, by mouse or keyboard.

Offsets are characters (Unicode code points) of the document's text, which comes from
:func:`pages.shared.components.workbench.send_text`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, TypedDict

import msgspec
import numpy as np

from pages.shared.components.base import Callback, Int32s, Message, component, ignore, pack, reported

Span = tuple[int, int]

MOST = 100
"""Spans that one report may hold."""

_marker = component("chunkscope_answer_marker", __file__, "answer_marker.js", "answer_marker.css")


class AnswerMarkerHead(TypedDict):
    """The part of a message that is read each time."""

    document: str
    revision: int


class AnswerMarkerBody(TypedDict):
    """Starts and ends of what is marked."""

    spans: Int32s
    others: Int32s
    height: str


def answer_marker(
    key: str,
    document: str,
    spans: Sequence[Span],
    *,
    others: Sequence[Span] = (),
    revision: int = 0,
    height: str = "26rem",
    on_event: Callback | None = None,
) -> None:
    """Draw the text with its marks.

    Args:
        key: Streamlit key of the element.
        document: key given to :func:`.send_text`.
        spans: what is marked when the document, or the revision, changes; after that the browser knows better.
        others: answers of other questions, shown and not changed.
        revision: another one for another question.
        height: of the scrolling text, a CSS length.
        on_event: called before the script runs when the marks changed; read :func:`marked` in it.
    """
    head: AnswerMarkerHead = {"document": document, "revision": revision}
    body: AnswerMarkerBody = {"spans": _column(spans), "others": _column(others), "height": height}
    _marker(
        key=key,
        data=pack(head, body),
        on_marks_change=on_event or ignore,
    )


def _column(spans: Sequence[Span]) -> np.ndarray:
    return np.array(spans, dtype=np.int32).reshape(-1)


@dataclass(frozen=True)
class MarkedAnswers(Message):
    """What the user has marked in a document."""

    document: str
    revision: int
    spans: Annotated[tuple[Span, ...], msgspec.Meta(max_length=MOST)]


def marked(key: str, document: str, revision: int, length: int) -> tuple[Span, ...] | None:
    """Return what the user marked last; it can be called before the text is drawn in this run.

    Args:
        key, document, revision: as given to :func:`answer_marker`.
        length: characters of the document; what comes from a browser is not trusted to lie in it.

    Returns:
        Half-open spans; ``None`` where the user has not marked anything in this revision.
    """
    report = reported(key, "marks", MarkedAnswers, document)
    if report is None or report.revision != revision:
        return None
    return report.spans if all(0 <= start < end <= length for start, end in report.spans) else None
