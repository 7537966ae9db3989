"""Results of a process that may have been compromised: they keep the contract, or are refused.

That what is sent comes out is tested in ``tests/isolation/test_codec.py``, and with documents in ``test_isolated.py``.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from chunking.document import Aside, Block, Style
from chunking.document.origin import Origin
from chunking.document.pages import Pages
from chunking.isolation import TooMuch, WireError, codec
from chunking.isolation.framing import MAX_TEXT
from chunking.loading import isolated
from chunking.loading.parsed import Parsed

TEXT = "One two.\n\nThree."


def sent(parsed: Parsed) -> Parsed:
    """The result of a loader as its caller gets it."""
    received: Parsed = codec.decode(codec.encode(parsed), Parsed)
    isolated.check(received)
    return received


def blocks(*of: Block) -> Parsed:
    return Parsed(TEXT, of)


def run(*numbers: int) -> Parsed:
    return Parsed(TEXT, (), origin=Origin("characters", ("part",), np.array([numbers], dtype=np.int64), ("12345",)))


def aside(part: int = 0, edge: float = 4) -> Parsed:
    return Parsed(TEXT, (), aside=(Aside("kind", "text", part, (1, 2, 3, edge)),))


PAGES = Pages(
    sizes=np.full((2, 2), 500, dtype=np.float32),
    starts=np.array([0, 10]),
    words=np.array([[0, 3], [4, 8], [10, 16]]),
    page=np.array([0, 0, 1]),
    line=np.array([0, 0, 1]),
    boxes=np.zeros((3, 4), dtype=np.float32),
)


def pages(**changed: Any) -> Parsed:
    return Parsed(TEXT, (), pages=replace(PAGES, **changed))


def origin(**changed: Any) -> Parsed:
    good = run(0, 3, 0, 0, 3)
    assert good.origin
    return replace(good, origin=replace(good.origin, **changed))


BAD: dict[str, Parsed] = {
    "a block beyond the text": blocks(Block("paragraph", 10, 17)),
    "a block backwards": blocks(Block("paragraph", 4, 3, content=3)),
    "an empty block": blocks(Block("paragraph", 4, 4)),
    "a block before the text": blocks(Block("paragraph", -3, 3, content=0)),
    "overlapping blocks": blocks(Block("paragraph", 0, 8), Block("paragraph", 4, 8)),
    "blocks out of order": blocks(Block("paragraph", 10, 16), Block("paragraph", 0, 8)),
    "content outside": blocks(Block("paragraph", 0, 8, content=9)),
    "a paragraph with a level": blocks(Block("paragraph", 0, 8, 1)),
    "a heading without one": blocks(Block("heading", 0, 8)),
    "white space first": blocks(Block("paragraph", 3, 8)),
    "a line end last": blocks(Block("paragraph", 0, 9)),
    "a size that is no number": blocks(Block("paragraph", 0, 8, style=Style(float("nan")))),
    "a run beyond the text": run(10, 7, 0, 0, 7),
    "a run before the text": run(-1, 2, 0, 0, 2),
    "an empty run": run(0, 0, 0, 0, 1),
    "a run of no part": run(0, 3, 1, 0, 3),
    "a run before its part": run(0, 3, 0, -1, 3),
    "a run beyond its part": run(0, 3, 0, 3, 3),
    "a run so large that sums wrap around": run(2**62, 2**62, 0, 0, 1),
    "a run from so far that sums wrap around": run(0, 3, 0, 2**62, 2**62),
    "runs of another shape": origin(runs=np.zeros((1, 4), dtype=np.int64)),
    "runs of one number": origin(runs=np.zeros(5, dtype=np.int64)),
    "fewer texts than parts": origin(parts=("one", "two")),
    "a language that is none": Parsed(TEXT, (), language="english"),
    "an aside of no part": aside(part=1),
    "an aside before its part": aside(part=-1),
    "a box without end": aside(edge=np.inf),
    "a box that is no number": aside(edge=np.nan),
    "boxes that are no numbers": pages(boxes=np.full((3, 4), np.nan, dtype=np.float32)),
    **{
        f"pages with other {name}": pages(**{name: getattr(PAGES, name)[::-1] * -1 - 1})
        for name in ("sizes", "starts", "words", "page", "line")
    },
}


def test_sound_results_come_through() -> None:
    for parsed in (blocks(Block("paragraph", 0, 8)), run(0, 3, 0, 0, 3), aside(), pages()):
        assert sent(parsed).text == TEXT


@pytest.mark.parametrize("parsed", BAD.values(), ids=BAD)
def test_results_that_break_the_contract_are_refused(parsed: Parsed) -> None:
    with pytest.raises(WireError):
        sent(parsed)


def test_too_long_a_text_is_refused() -> None:
    with pytest.raises(TooMuch):
        sent(Parsed("a" * (MAX_TEXT + 1), ()))
