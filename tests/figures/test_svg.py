"""Axes of figures: no two ticks with the same label."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from chunking.figures import svg
from chunking.figures.cells import percent

SHARES = st.lists(st.floats(0, 1) | st.sampled_from([0.5, 0.5001, 0.50011]), min_size=1, max_size=6)


@given(SHARES)
def test_ticks_in_percent_are_all_different(values: list[float]) -> None:
    step, scale = svg.axis(values)
    assert scale.low <= min(values) and max(values) <= scale.high + 1e-12
    labels = re.findall(r">([^<>]+)</text>", "".join(svg.ticks(step, scale, 100, percent)))
    assert len(labels) == len(set(labels)) >= 2
