"""Documents from a process: what comes back is the same, or refused."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunking.document import BLOCK_KINDS, Aside, Block, Style
from chunking.document.origin import Origin
from chunking.document.pages import Pages
from chunking.isolation import TooMuch, WireError, codec
from chunking.isolation.framing import MAX_TEXT
from chunking.loading import isolated
from chunking.loading.parsed import Parsed

NUMBERS = st.floats(-1000, 1000, width=32)
WORDS = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)


@st.composite
def some_blocks(draw: st.DrawFn, text: str) -> tuple[Block, ...]:
    edges = sorted(draw(st.sets(st.integers(0, len(text)), max_size=8)))
    blocks = []
    for start, end in zip(edges[::2], edges[1::2], strict=False):
        kind = draw(st.sampled_from(BLOCK_KINDS))
        if kind != "page_break" and (text[start].isspace() or text[end - 1] in "\r\n"):
            continue
        level = draw(st.integers(1, 9)) if kind in ("heading", "list_item", "quote") else 0
        style = draw(st.none() | st.builds(Style, NUMBERS, st.booleans(), st.booleans(), NUMBERS, NUMBERS))
        tags = tuple(draw(st.lists(WORDS, max_size=2)))
        blocks.append(Block(kind, start, end, level, draw(st.integers(start, end)), draw(WORDS), tags, style))
    return tuple(blocks)


@st.composite
def some_origin(draw: st.DrawFn, text: str) -> Origin:
    parts = tuple(draw(st.lists(WORDS, min_size=1, max_size=3)))
    texts = tuple(draw(st.lists(WORDS, min_size=len(parts), max_size=len(parts))) if draw(st.booleans()) else ())
    edges = sorted(draw(st.sets(st.integers(0, len(text)), max_size=6)))
    runs = []
    for start, end in zip(edges[::2], edges[1::2], strict=False):
        part = draw(st.integers(0, len(parts) - 1))
        room = len(texts[part]) if texts else 100
        source = draw(st.integers(0, room))
        runs.append((start, end - start, part, source, draw(st.integers(0, room - source))))
    return Origin(draw(WORDS), parts, np.array(runs, dtype=np.int64).reshape(-1, 5), texts)


@st.composite
def some_pages(draw: st.DrawFn, text: str) -> Pages:
    count = draw(st.integers(1, 3))
    edges = sorted(draw(st.sets(st.integers(0, len(text)), max_size=6)))
    words = list(zip(edges[::2], edges[1::2], strict=False))
    number = st.integers(0, count - 1)
    return Pages(
        sizes=np.full((count, 2), 500, dtype=np.float32),
        starts=np.array(sorted(draw(st.integers(0, len(text))) for _ in range(count)), dtype=np.int64),
        words=np.array(words, dtype=np.int64).reshape(-1, 2),
        page=np.array([draw(number) for _ in words], dtype=np.int64),
        line=np.arange(len(words), dtype=np.int64),
        boxes=np.array([[draw(NUMBERS) for _ in range(4)] for _ in words], dtype=np.float32).reshape(-1, 4),
    )


@st.composite
def results(draw: st.DrawFn) -> Parsed:
    text = draw(st.text(st.characters(exclude_categories=["Cs"]), max_size=60))
    origin = draw(st.none() | some_origin(text))
    box = st.none() | st.tuples(NUMBERS, NUMBERS, NUMBERS, NUMBERS)
    part = st.integers(0, len(origin.parts) - 1 if origin else 0)
    return Parsed(
        text=text,
        blocks=draw(some_blocks(text)),
        notes=tuple(draw(st.lists(WORDS, max_size=3))),
        origin=origin,
        pages=draw(st.none() | some_pages(text)),
        aside=tuple(draw(st.lists(st.builds(Aside, WORDS, WORDS, part, box), max_size=3))),
        language=draw(st.sampled_from(["", "en", "kok"])),
    )


def as_plain(parsed: Parsed) -> object:
    """With arrays as lists, so that results can be compared."""

    def listed(record: object) -> object:
        return record and {
            name: value.tolist() if isinstance(value, np.ndarray) else value
            for name, value in vars(record).items()
            if not name.startswith("_")
        }

    return replace(parsed, origin=None, pages=None), listed(parsed.origin), listed(parsed.pages)


def receive(data: bytes) -> Parsed:
    """The result of a loader as its caller gets it."""
    parsed: Parsed = codec.decode(data, Parsed)
    isolated.check(parsed)
    return parsed


def sent(parsed: Parsed) -> Parsed:
    return receive(codec.encode(parsed))


@given(results())
def test_what_is_sent_comes_out(parsed: Parsed) -> None:
    assert as_plain(sent(parsed)) == as_plain(parsed)


@given(results(), st.data())
def test_a_changed_byte_gives_an_error_or_a_valid_result(parsed: Parsed, data: st.DataObject) -> None:
    encoded = bytearray(codec.encode(parsed))
    encoded[data.draw(st.integers(0, len(encoded) - 1))] = data.draw(st.integers(0, 255))
    try:
        received = receive(bytes(encoded))
    except WireError:
        return
    # NaN would not equal itself; a result that came through is one that can be sent again.
    assert as_plain(sent(received)) == as_plain(received)


@given(st.binary(max_size=80))
def test_garbage_is_refused(data: bytes) -> None:
    with pytest.raises(WireError):
        receive(data)


TEXT = "One two.\n\nThree."

BAD_BLOCKS = {
    "beyond the text": [Block("paragraph", 10, 17)],
    "backwards": [Block("paragraph", 4, 3, content=3)],
    "empty": [Block("paragraph", 4, 4)],
    "before the text": [Block("paragraph", -3, 3, content=0)],
    "overlapping": [Block("paragraph", 0, 8), Block("paragraph", 4, 8)],
    "out of order": [Block("paragraph", 10, 16), Block("paragraph", 0, 8)],
    "content outside": [Block("paragraph", 0, 8, content=9)],
    "a paragraph with a level": [Block("paragraph", 0, 8, 1)],
    "a heading without one": [Block("heading", 0, 8)],
    "white space first": [Block("paragraph", 3, 8)],
    "a line end last": [Block("paragraph", 0, 9)],
    "a size that is no number": [Block("paragraph", 0, 8, style=Style(float("nan")))],
}


@pytest.mark.parametrize("blocks", BAD_BLOCKS.values(), ids=BAD_BLOCKS)
def test_blocks_that_break_the_contract_are_refused(blocks: list[Block]) -> None:
    with pytest.raises(WireError):
        sent(Parsed(TEXT, tuple(blocks)))


BAD_RUNS = {
    "beyond the text": (10, 7, 0, 0, 7),
    "before the text": (-1, 2, 0, 0, 2),
    "empty": (0, 0, 0, 0, 1),
    "of no part": (0, 3, 1, 0, 3),
    "before its part": (0, 3, 0, -1, 3),
    "beyond its part": (0, 3, 0, 3, 3),
    "so large that sums wrap around": (2**62, 2**62, 0, 0, 1),
    "from so far that sums wrap around": (0, 3, 0, 2**62, 2**62),
}


@pytest.mark.parametrize("run", BAD_RUNS.values(), ids=BAD_RUNS)
def test_runs_outside_the_text_or_its_parts_are_refused(run: tuple[int, ...]) -> None:
    origin = Origin("characters", ("part",), np.array([run], dtype=np.int64), ("12345",))
    with pytest.raises(WireError):
        sent(Parsed(TEXT, (), origin=origin))


@pytest.mark.parametrize("name", ["sizes", "starts", "words", "page", "line", "boxes"])
def test_pages_that_contradict_the_text_are_refused(name: str) -> None:
    good = Pages(
        sizes=np.full((2, 2), 500, dtype=np.float32),
        starts=np.array([0, 10]),
        words=np.array([[0, 3], [4, 8], [10, 16]]),
        page=np.array([0, 0, 1]),
        line=np.array([0, 0, 1]),
        boxes=np.zeros((3, 4), dtype=np.float32),
    )
    assert sent(Parsed(TEXT, (), pages=good)).pages
    bad = replace(good, **{name: getattr(good, name)[::-1] * -1 - 1})
    if name == "boxes":
        bad = replace(good, boxes=np.full((3, 4), np.nan, dtype=np.float32))
    with pytest.raises(WireError):
        sent(Parsed(TEXT, (), pages=bad))


ORIGIN = Origin("characters", ("part",), np.array([[0, 3, 0, 0, 3]], dtype=np.int64), ("12345",))
BAD_RESULTS: dict[str, Parsed] = {
    "a language that is none": Parsed(TEXT, (), language="english"),
    "an aside of no part": Parsed(TEXT, (), aside=(Aside("kind", "text", 1),)),
    "an aside before its part": Parsed(TEXT, (), aside=(Aside("kind", "text", -1),)),
    "a box without end": Parsed(TEXT, (), aside=(Aside("kind", "text", 0, (1, 2, 3, np.inf)),)),
    "a box that is no number": Parsed(TEXT, (), aside=(Aside("kind", "text", 0, (1, 2, 3, np.nan)),)),
    "runs of another shape": Parsed(TEXT, (), origin=replace(ORIGIN, runs=ORIGIN.runs[:, :4])),
    "runs of one number": Parsed(TEXT, (), origin=replace(ORIGIN, runs=ORIGIN.runs[0])),
    "fewer texts than parts": Parsed(TEXT, (), origin=replace(ORIGIN, parts=("one", "two"))),
}


@pytest.mark.parametrize("parsed", BAD_RESULTS.values(), ids=BAD_RESULTS)
def test_results_that_break_the_contract_are_refused(parsed: Parsed) -> None:
    assert sent(Parsed(TEXT, (), origin=ORIGIN)).origin
    with pytest.raises(WireError):
        sent(parsed)


def test_lone_surrogates_are_replaced_one_by_one() -> None:
    parsed = Parsed("a\ud800b", (), notes=("x\udfff",), aside=(Aside("kind", "\ud83d\ude00"),))
    received = sent(parsed)
    assert (received.text, received.notes, received.aside[0].text) == ("a\ufffdb", ("x\ufffd",), "\ufffd\ufffd")


def test_too_long_a_text_is_refused() -> None:
    with pytest.raises(TooMuch):
        sent(Parsed("a" * (MAX_TEXT + 1), ()))
