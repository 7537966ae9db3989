"""Progress where standard error is no terminal: a line now and then, so that a long run is known to live."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from chunking.commands import options


def test_a_pipe_gets_a_line_every_ten_seconds(capsys: pytest.CaptureFixture[str]) -> None:
    clock: Iterator[float] = iter([0.0, 1.0, 9.9, 10.0, 10.0, 15.0, 19.0, 20.5, 20.5])
    tell = options._line_by_line(lambda: next(clock))
    for done in range(1, 7):
        tell("cutting", done, 1_200)
    assert capsys.readouterr().err.splitlines() == ["progress: cutting 3 / 1,200", "progress: cutting 6 / 1,200"]


def test_a_stage_of_unknown_length_has_no_count(capsys: pytest.CaptureFixture[str]) -> None:
    clock: Iterator[float] = iter([0.0, 11.0, 11.0])
    options._line_by_line(lambda: next(clock))("indexing", 0, 0)
    assert capsys.readouterr().err == "progress: indexing\n"


def test_a_short_run_on_a_pipe_says_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    with options.progress() as tell:
        tell("cutting", 1, 2)
    assert capsys.readouterr().err == ""
