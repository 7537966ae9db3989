"""The time that a step still takes, in words."""

from __future__ import annotations

import time

import pytest

from pages.shared.frame.runs import TimeLeft, in_words


@pytest.mark.parametrize(("seconds", "words"), [(0.4, "0 s"), (99.0, "99 s"), (100.0, "2 min"), (600.0, "10 min")])
def test_a_duration_in_words(seconds: float, words: str) -> None:
    assert in_words(seconds) == words


def test_the_rest_follows_from_what_was_done(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [10.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    left = TimeLeft()
    assert left.words(5, 10) == "", "too early to say"
    now[0] = 20.0
    assert left.words(0, 10) == "", "nothing done yet"
    assert left.words(1, 4) == ", about 30 s left"
    assert left.words(0.5, 1.0) == ", about 10 s left"
    assert left.words(4, 4) == "", "it is done"
