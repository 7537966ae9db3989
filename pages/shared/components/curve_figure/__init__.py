"""The curves of a setting as a figure, which follows controls of Streamlit while they are moved.

The document and its curves come as for a workbench, see :mod:`pages.shared.components.workbench`.
"""

from __future__ import annotations

from typing import Any, TypedDict

from chunking import web
from pages.shared.components.base import component, pack

_figure = component(
    "chunkscope_curve_figure",
    __file__,
    "curve_figure.js",
    str(web.FOLDER / "workbench" / "workbench.css"),
    "curve_figure.css",
)


class CurveFigureWords(TypedDict):
    """The words of the figure, in the language of the page; an entry of the legend that is empty is left out.

    ``decimal`` is the mark before decimals.
    """

    decimal: str
    meaning: str
    layout: str
    both: str
    threshold: str
    people: str
    chunks: str
    text: str


class CurveFigureHead(TypedDict):
    """The state of the figure.

    Attributes:
        document: by which it tells other components what is pointed at.
        source: name of the data of the document.
        lane: name of those of the curves.
        setting: values of the sliders by their names in the scripts.
        controls: which of these each Streamlit key moves.
        text: whether the chunks are shown in the text, too.
        words: of the figure.
    """

    document: str
    source: str
    lane: str
    setting: Any
    controls: dict[str, str]
    text: bool
    words: CurveFigureWords


def curve_figure(key: str, head: CurveFigureHead) -> None:
    """Draw the figure; ``key`` is the Streamlit key of the element."""
    _figure(key=key, data=pack(head, {}), height="content")
