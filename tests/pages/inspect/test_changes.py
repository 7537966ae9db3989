"""What a change did is said in words."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pages.shared.inspect.changes import Outcome, words

BEFORE = Outcome("d", "structural", {"alpha": 0.4, "overlap": 0}, {"encoder": "static"}, frozenset({10, 20, 30}))


def changed(**params: float) -> Outcome:
    return replace(BEFORE, params={**BEFORE.params, **params})


@pytest.mark.parametrize(
    ("now", "said"),
    [
        (
            replace(changed(alpha=0.55), boundaries=frozenset({10, 20, 40, 50})),
            "α 0.4 → 0.55: 2 boundaries added, 1 removed",
        ),
        (replace(changed(alpha=1.0), boundaries=frozenset({10})), "α 0.4 → 1: 2 boundaries removed"),
        (changed(alpha=0.41), "α 0.4 → 0.41: no boundary changed"),
        (
            changed(overlap=2),
            "overlap 0 → 2: no boundary moves; overlap is shaded in the text and not drawn in the chart",
        ),
        (
            replace(BEFORE, tools={"encoder": "all-MiniLM-L6-v2"}, boundaries=frozenset({10, 20, 30, 40})),
            "encoder static → all-MiniLM-L6-v2: 1 boundary added",
        ),
        (
            replace(BEFORE, strategy="changepoint", params={"fineness": 0.0}, boundaries=frozenset({10})),
            "structural → changepoint: 2 boundaries removed",
        ),
    ],
)
def test_the_cause_and_the_effect_are_named(now: Outcome, said: str) -> None:
    assert words(BEFORE, now) == said
