from __future__ import annotations

import numpy as np

from chunking.document.pages import PageBox, Pages

# Two pages: "one two" and "three" on lines of the first, "four" on the second; the third is empty.
PAGES = Pages(
    sizes=np.array([(100, 200)] * 3, dtype=np.float32),
    starts=np.array([0, 14, 18]),
    words=np.array([(0, 3), (4, 7), (8, 13), (14, 18)]),
    page=np.array([0, 0, 0, 1]),
    line=np.array([0, 0, 1, 2]),
    boxes=np.array([(10, 20, 30, 30), (35, 19, 60, 30), (10, 40, 40, 50), (10, 20, 50, 30)], dtype=np.float32),
)


def test_a_span_knows_the_pages_of_its_words() -> None:
    assert list(PAGES.of(0, 3)) == [0]
    assert list(PAGES.of(5, 16)) == [0, 1]
    assert list(PAGES.of(13, 14)) == []
    assert list(PAGES.of(18, 30)) == []
    assert len(PAGES) == 3


def test_a_span_has_a_rectangle_for_each_line_of_it() -> None:
    assert PAGES.lines(0, 13) == (PageBox(0, 10, 19, 60, 30), PageBox(0, 10, 40, 40, 50))
    assert PAGES.lines(4, 18) == (PageBox(0, 35, 19, 60, 30), PageBox(0, 10, 40, 40, 50), PageBox(1, 10, 20, 50, 30))
    assert PAGES.lines(3, 4) == ()


def test_a_part_of_a_word_has_the_words_rectangle() -> None:
    assert PAGES.lines(9, 10) == (PageBox(0, 10, 40, 40, 50),)
