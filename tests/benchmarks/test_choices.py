from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import choices, peers
from benchmarks.choices import Timing


def test_a_process_reports_the_time_of_each_file_and_its_cuts(tmp_path: Path) -> None:
    files = [tmp_path / "first.txt", tmp_path / "second.txt"]
    for file in files:
        file.write_text("The kettle boils. " * 200, encoding="utf-8")
    found = choices._process("recursive", files)
    assert not found.problem
    assert found.chunks == 4
    assert found.cold[0] > found.warm[0] > 0
    assert choices._process("recursive", files[1:] * 2).cuts == found.cuts


def test_a_process_that_fails_says_why(tmp_path: Path) -> None:
    assert "No such file" in choices._process("recursive", [tmp_path / "missing.txt"] * 2).problem


def test_a_long_run_is_estimated_from_the_growth_so_far() -> None:
    small, middle = Timing((9.0,), (0.1,)), Timing((9.0,), (10.0,))
    assert choices._expected("a", 10, {}) == 0.0
    assert choices._expected("a", 1_000, {10: {"a": small}}) == pytest.approx(10.0), "in proportion"
    quadratic = {10: {"a": small}, 100: {"a": middle}}
    assert choices._expected("a", 1_000, quadratic) == pytest.approx(1_000.0)
    sublinear = {10: {"a": small}, 100: {"a": Timing((9.0,), (0.2,))}}
    assert choices._expected("a", 1_000, sublinear) == pytest.approx(2.0), "at least in proportion"


def test_rounds_are_medians_and_an_estimate_counts_where_nothing_was_run() -> None:
    known = choices._again(Timing((3.0, 1.0), (0.3, 0.1), 4, "x"), Timing((2.0,), (0.2,), 4, "x"))
    assert known == Timing((3.0, 1.0, 2.0), (0.3, 0.1, 0.2), 4, "x")
    assert known.taken == 2.0
    assert Timing(expected=80.0).taken == 80.0
    assert choices._spread((0.05, 3.0, 1.0)) == "1 s [50 ms – 3 s]"


def test_a_target_names_the_fastest_library_and_says_what_is_estimated(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(peers, "race", lambda *_: ("", "", "1.50"))
    monkeypatch.setattr(choices, "_compare", lambda scores: None)
    monkeypatch.setattr(peers, "LARGE", peers.SMALL)
    ours = {name: Timing((1.0,), (1.0,), 2, "x") for name in choices.OURS}
    theirs = dict(
        zip(choices.SEMANTIC, (Timing((30.0,), (9.0,), 2, "x"), Timing(expected=70.0), Timing()), strict=True)
    )
    choices.targets({10: ours | theirs}, {})
    shown = capsys.readouterr().out
    assert f"{choices.DEFAULT} against langchain_semantic  " in shown
    assert f"{choices.ALIKE} against langchain_semantic, the same cuts  " in shown
    assert "(estimated)" not in shown
