"""The map of all settings: computed in the browser from the data of a workbench, with what the reference supports.

The document and its curves come as for a workbench (see :mod:`pages.shared.components.workbench`), so that a page that
has shown one of them sends nothing anew.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypedDict

from chunking import web
from pages.shared.components.base import Callback, Message, Natural, component, pack, reported
from pages.shared.components.workbench import SliderValues

Judge = Literal["people", "size"]
"""What a setting is judged by: agreement with people, or chunks near a size."""

_tuner = component(
    "chunkscope_tuner",
    __file__,
    "tuner_part.js",
    str(web.FOLDER / "workbench" / "workbench.css"),
    str(web.FOLDER / "tuning" / "tuner.css"),
)


class TunerChoice(TypedDict):
    """What the reference says, see :class:`chunking.tuning.choice.Choice`.

    Attributes:
        best: α and percentile of the best setting.
        honest: the cross-validated score with its interval; NaN is ``None``.
        region: for each α from 0 in steps of 0.01, ``1`` for each share of ``shares`` whose setting does not differ
            significantly from the best.
        shares: percents of the places that are cut.
        better: 1 where the best is better than the default, −1 where it is worse, 0 where neither is known.
        difference: honest score minus that of the default, with its interval.
        cuts: boundaries of the reference.
    """

    best: list[float]
    honest: list[float | None]
    region: list[str]
    shares: list[float]
    better: int
    difference: list[float | None]
    cuts: int


class TunerHead(TypedDict):
    """The state of the map.

    Attributes:
        document: key of the document, which its reports repeat.
        source: name of the data of the document.
        lane: name of those of the curves.
        setting: values of the sliders by their names in the scripts.
        selected: the chosen gap.
        judge: what a setting is judged by.
        target: size of a chunk that is wanted, in tokens.
        choice: name of the data with what the reference says, :class:`TunerChoice`; ``None`` without one.
        revision: changes where Python, not the browser, has changed any of these.
    """

    document: str
    source: str
    lane: str
    setting: Any
    selected: int | None
    judge: str
    target: int
    choice: str | None
    revision: int


@dataclass(frozen=True)
class Tuned(Message):
    """What the user has left on the map of settings.

    Attributes:
        document: key of the document that was shown.
        setting: values of the sliders by their names in the scripts.
        gap: the chosen gap; ``None`` for none.
        judge: what a setting is judged by.
        target: size of a chunk that is wanted, in tokens.
        is_opened: whether the setting is to be seen on Inspect.
    """

    document: str
    setting: SliderValues
    gap: Natural | None
    judge: Judge
    target: Natural
    is_opened: bool


def tuner(key: str, head: TunerHead, on_tuned: Callback) -> None:
    """Draw the map.

    Args:
        key: Streamlit key of the element.
        head: its state.
        on_tuned: called before the script runs when the user has left a setting; read :func:`tuner_report` in it.
    """
    _tuner(key=key, data=pack(head, {}), height="content", on_tuned_change=on_tuned)


def tuner_report(key: str) -> Tuned | None:
    """Return what the user has left."""
    return reported(key, "tuned", Tuned)
