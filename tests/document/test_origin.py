from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from chunking.document.origin import Origin, Place

# "Tom & Ann" from "Tom &amp; Ann", then a blank line of the loader's own, then "Bye" from another part.
ORIGIN = Origin(
    "characters of the file",
    ("a.html", "b.html"),
    np.array([(0, 4, 0, 10, 4), (4, 1, 0, 14, 5), (5, 4, 0, 19, 4), (11, 3, 1, 7, 3)]),
)


def test_characters_that_stand_for_each_other_are_found_one_by_one() -> None:
    assert ORIGIN.places(1, 3) == (Place(0, 11, 13),)
    assert ORIGIN.places(6, 9) == (Place(0, 20, 23),)


def test_a_run_of_another_length_stands_for_the_whole_stretch() -> None:
    assert ORIGIN.places(4, 5) == (Place(0, 14, 19),)
    assert ORIGIN.places(0, 9) == (Place(0, 10, 23),)


def test_parts_are_kept_apart_and_what_the_loader_added_comes_from_nowhere() -> None:
    assert ORIGIN.places(8, 14) == (Place(0, 22, 23), Place(1, 7, 10))
    assert ORIGIN.places(9, 11) == ()
    assert ORIGIN.places(0, 0) == ()


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(1, 9), st.integers(0, 9)), max_size=12), st.data())
def test_every_character_of_a_span_is_in_one_of_its_places(
    made: list[tuple[int, int, int]], data: st.DataObject
) -> None:
    rows, text, source = [], 0, 0
    for skipped, length, hidden in made:
        rows.append((text + skipped, length, 0, source + hidden, length))
        text += skipped + length
        source += hidden + length
    origin = Origin("characters", ("",), np.array(rows, dtype=np.int64).reshape(-1, 5))
    start = data.draw(st.integers(0, text))
    end = data.draw(st.integers(start, text))
    places = origin.places(start, end)
    covered = {offset for place in places for offset in range(place.start, place.end)}
    for begins, length, _, at, _ in rows:
        for step in range(length):
            if start <= begins + step < end:
                assert at + step in covered
    assert list(places) == sorted(places)
    if places:
        assert covered <= set(range(places[0].start, places[-1].end))
