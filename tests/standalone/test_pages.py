"""Where the text of a document stands on its pages, as the workbench gets it."""

from __future__ import annotations

import base64
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunking.document import Aside
from chunking.document.pages import Pages
from chunking.standalone.data import pages_data


def unpacked(packed: dict[str, Any]) -> list[int]:
    if "n" in packed:
        numbers = np.zeros(packed["n"], dtype=np.int64)
        numbers[unpacked(packed["at"])] = unpacked(packed["of"])
        return [int(number) for number in numbers]
    numbers = np.frombuffer(base64.b64decode(packed["b"]), dtype=f"<{packed['t']}").astype(np.int64)
    return [int(number) for number in (np.cumsum(numbers) if packed.get("d") else numbers)]


@st.composite
def printed(draw: st.DrawFn) -> Pages:
    """Return words on pages, some of a line; a later line may be on an earlier page, as a footnote is."""
    lines = draw(st.lists(st.tuples(st.integers(0, 2), st.integers(1, 4)), max_size=8))
    words, page, line, boxes = [], [], [], []
    at = 0
    for number, (on, many) in enumerate(lines):
        for place in range(many):
            length = draw(st.integers(1, 9))
            words.append((at, at + length))
            at += length + 1
            page.append(on)
            line.append(number)
            top = draw(st.floats(0, 800, width=32))
            boxes.append((40.0 * place, top, 40.0 * place + 33.3, top + 12.5))
    return Pages(
        np.tile(np.array([595.2, 841.9], dtype=np.float32), (3, 1)),
        np.zeros(3, dtype=np.int64),
        np.array(words, dtype=np.int64).reshape(-1, 2),
        np.array(page, dtype=np.int64),
        np.array(line, dtype=np.int64),
        np.array(boxes, dtype=np.float32).reshape(-1, 4),
    )


@given(printed())
def test_every_word_is_sent_on_its_line_to_a_tenth_of_a_point(pages: Pages) -> None:
    data = pages_data(pages, ())
    words = {name: np.array(unpacked(data["words"][name])) for name in ("start", "end", "left", "right")}
    assert words["start"].tolist() == pages.words[:, 0].tolist() and words["end"].tolist() == pages.words[:, 1].tolist()
    assert words["left"] / 10 == pytest.approx(pages.boxes[:, 0], abs=0.06)
    assert words["right"] / 10 == pytest.approx(pages.boxes[:, 2], abs=0.06)
    begins = [*unpacked(data["lines"]["words"]), len(pages.words)]
    assert unpacked(data["sizes"]) == [5952, 8419] * 3
    for line, (first, last) in enumerate(pairwise(begins)):
        assert len(set(pages.line[first:last].tolist())) == 1
        assert unpacked(data["lines"]["page"])[line] == pages.page[first]
        assert unpacked(data["lines"]["top"])[line] / 10 == pytest.approx(pages.boxes[first:last, 1].min(), abs=0.06)
        assert unpacked(data["lines"]["bottom"])[line] / 10 == pytest.approx(pages.boxes[first:last, 3].max(), abs=0.06)
    assert sum(np.diff(begins)) == len(pages.words) and (np.diff(begins) > 0).all()


def test_what_is_in_no_chunk_is_sent_where_it_has_a_place() -> None:
    empty = Pages(
        np.array([[100, 200]], dtype=np.float32),
        np.zeros(1, dtype=np.int64),
        np.zeros((0, 2), dtype=np.int64),
        np.zeros(0, dtype=np.int64),
        np.zeros(0, dtype=np.int64),
        np.zeros((0, 4), dtype=np.float32),
    )
    asides = (Aside("page number", "7", 0, (10.0, 180.0, 20.0, 190.25)), Aside("navigation", "Home"))
    assert pages_data(empty, asides)["asides"] == [{"page": 0, "kind": "page number", "box": [100, 1800, 200, 1902]}]
