"""What the browser needs to follow a control while it is moved: the curves before α, and which control sets what.

A chart that follows controls computes curve, threshold and boundaries by itself in every frame (``cuts.js``), number
for number as Python does, and draws them over its picture until Python's answer takes their place.
"""

from __future__ import annotations

import hashlib
from typing import TypedDict

from pages.shared.components.base import Bytes, Int32s, component, pack

_source = component("chunkscope_live_source", __file__, "source.js", isolate_styles=False)


class LiveLadder(TypedDict):
    """Divisions that were made in advance, see :class:`chunking.tuning.ladder.Ladder`.

    The gaps of all divisions stand in one array; those of division ``i`` begin at ``begins[i]``.
    """

    values: list[float]
    begins: list[int]
    gaps: Int32s


class LiveDivisions(TypedDict):
    """What change points at other settings are, for the nearest of them to be shown.

    ``fused`` are the bytes of float64 numbers: the curve as it is now. ``alpha`` is the present value of α. ``levels``
    are divisions from coarse to fine; that of the automatic number of boundaries is the middle one.
    """

    fused: Bytes
    alpha: float
    alphas: LiveLadder
    levels: LiveLadder


class LiveSource(TypedDict):
    """What the curves are made of, as far as no control changes it.

    The distances are the bytes of float64 numbers. Tokens stand at the cuts: before the first sentence, at each gap and
    after the last; see :meth:`chunking.tokens.SpanTokens.parts`.
    """

    semantic: Bytes
    structural: Bytes | None
    head: Int32s
    tail: Int32s
    toAfter: Int32s
    toBefore: Int32s
    divisions: LiveDivisions | None


class LiveSetting(TypedDict):
    """The values of the controls that can be moved; ``count`` is a number of boundaries, 0 for none."""

    rule: str
    alpha: float
    amount: float
    count: int
    fineness: float
    minimum: int
    maximum: int
    overlap: int
    overlapUnit: str


class LiveCurves(TypedDict):
    """What a chart needs to follow the controls of a setting.

    ``source`` is the name of one that is sent later, where it takes a moment to make.
    ``controls`` names the value of the setting that each Streamlit key controls. ``subject`` names what they belong to
    (a document, a strategy, a lane): a preview ends when another subject is shown. ``lenient`` tells what the page does
    with sizes that contradict each other: leave out the minimum or the overlap, or keep the previous setting.
    """

    source: LiveSource | str
    setting: LiveSetting
    controls: dict[str, str]
    subject: str
    lenient: bool


class LiveSourceHead(TypedDict):
    """Names a source."""

    source: str


class Live(TypedDict):
    """The part of :class:`LiveCurves` that changes with every setting; ``source`` names the rest."""

    source: str
    setting: LiveSetting
    controls: dict[str, str]
    subject: str
    lenient: bool


def send(key: str, curves: LiveCurves) -> Live:
    """Send the source of a chart's curves unless it comes later; return what the chart's own message has to say.

    The source is a message of its own: Streamlit sends it once, however often a control moves.

    Args:
        key: Streamlit key of the chart.
        curves: what it needs.
    """
    source = curves["source"]
    name = source if isinstance(source, str) else _name(source)
    if not isinstance(source, str):
        send_source(key, name, source)
    return {
        "source": name,
        "setting": curves["setting"],
        "controls": curves["controls"],
        "subject": curves["subject"],
        "lenient": curves["lenient"],
    }


def send_source(key: str, name: str, source: LiveSource) -> None:
    """Send what a chart's curves are made of.

    Args:
        key: Streamlit key of the chart.
        name: of the source, the same only for equal ones.
        source: what the curves are made of.
    """
    head: LiveSourceHead = {"source": name}
    _source(key=f"{key}_source", data=pack(head, source), height="content")


def _name(source: LiveSource) -> str:
    """Return a name that two sources share only where they are equal."""
    digest = hashlib.blake2b(digest_size=12)
    for values in (source["semantic"], source["head"], source["tail"], source["toAfter"], source["toBefore"]):
        digest.update(values.tobytes())
    if source["structural"] is not None:
        digest.update(source["structural"].tobytes())
    return digest.hexdigest()
