"""How what was read is compared with ground truth."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks import ground_truth
from benchmarks.ground_truth import contents, order, pairs, result, score
from benchmarks.readers import READERS

TRUTH = contents(
    "# 2 Tea\n\nGreen tea is _not_ fermented.\n\n<!-- image -->\n\n| a | b |\n| - | - |\n| 1 | 2 |\n", "markdown"
)


def test_markup_counts_as_its_words_and_headings() -> None:
    assert TRUTH.words == ["2", "tea", "green", "tea", "is", "not", "fermented", "a", "b", "1", "2"]
    assert TRUTH.headings == [("tea",)]
    html = (
        "<title>Tea</title><h2>2. Tea</h2><p>Green<br>tea is <i>not</i> fermented.<table><tr><td>a<td>b<tr><td>1<td>2"
    )
    assert contents(html, "html") == TRUTH
    assert contents("2 Tea\nGreen tea is not fermented. a | b 1 | 2", "text", ["Tea"]) == TRUTH


def test_a_heading_of_a_number_alone_keeps_it() -> None:
    assert contents("# 2024", "markdown").headings == [("2024",)]


def test_the_scores_count_lost_and_added_words_and_headings() -> None:
    found = score(contents("Tea: tea is not fermented, 1 2 3", "text", ["Tea", "fermented"]), TRUTH)
    assert found.recall == pytest.approx(7 / 11)
    assert found.precision == pytest.approx(7 / 8)
    assert (found.common, found.headings, found.read) == (1, 1, 2)
    assert set(found.missed) == {"2", "green", "a", "b"}
    assert found.added == ("3",)


@given(st.lists(st.sampled_from("abcdefgh"), max_size=12))
def test_the_same_words_have_all_scores(found: list[str]) -> None:
    same = contents(" ".join(found), "text")
    scores = score(same, same)
    assert (scores.recall, scores.precision, scores.trigrams, scores.order) == (1.0, 1.0, 1.0, 1.0)


def test_order_is_the_longest_run_in_the_same_order() -> None:
    assert order("abcd", "abcd") == 1.0
    assert order("dabc", "abcd") == 0.75
    assert order("dcba", "abcd") == 0.25
    assert order("aab", "aab") == 1.0


def test_a_folder_is_read_and_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "tea.html").write_text("<h1>Tea</h1><p>Green tea is not fermented.", encoding="utf-8")
    (tmp_path / "tea.html.md").write_text("# Tea\n\nGreen tea is not fermented.\n", encoding="utf-8")
    (tmp_path / "alone.html").write_text("<p>Nobody has written this down.", encoding="utf-8")
    files = pairs(tmp_path)
    assert files == {tmp_path / "tea.html": tmp_path / "tea.html.md"}
    ours = result("Chunkscope", files, sys.executable)
    assert ours is not None
    assert (ours.mean("recall"), ours.mean("order"), ours.heading_f1) == (1.0, 1.0, 1.0)
    assert ours.memory > 0 and not ours.problems
    ground_truth.show({"Chunkscope": ours})
    assert "Chunkscope  1      1.000" in capsys.readouterr().out


def test_a_reader_that_is_not_installed_is_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "tea.html").write_text("<p>Tea", encoding="utf-8")
    (tmp_path / "tea.md").write_text("Tea", encoding="utf-8")
    monkeypatch.setitem(READERS, "none", replace(READERS["Chunkscope"], module="no_such_module"))
    assert result("none", pairs(tmp_path), sys.executable) is None
