"""How tables that were found are compared with marked ones."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks import known_tables
from benchmarks.known_tables import TableCounts, count, find_pairs, measure, read_marked_tables
from benchmarks.table_readers import READERS
from tests.loading.binary.pdf.making import Pen, drawn
from tests.loading.binary.pdf.test_tables import EDGES, HARBOURS, write_cells

MARKED = """<?xml version="1.0"?>
<document filename="harbours.pdf"><table id="1"><region id="1" page="1">
<cell start-row="1" start-col="0"><content>Norre</content></cell>
<cell start-row="0" start-col="1" end-col="3"><content>Ice in
spring</content></cell>
<cell start-row="0" start-col="0" end-row="1"><content>Kelby</content></cell>
<cell start-row="1" start-col="1"><content> 12 000</content></cell><cell start-row="1" start-col="2"><content/></cell>
</region></table><table id="2"/></document>
"""
ROWS = [["Kelby", "Ice in\nspring"], ["Norre", " 12 000", ""]]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "harbours-str.xml").write_text(MARKED, encoding="utf-8")
    (tmp_path / "alone-str.xml").write_text(MARKED, encoding="utf-8")
    (tmp_path / "harbours.pdf").write_bytes(drawn(lambda canvas: write_cells(Pen(canvas), HARBOURS, EDGES, 14)))
    return tmp_path


def test_the_cells_of_a_marked_row_are_those_that_begin_in_it(folder: Path) -> None:
    assert read_marked_tables(folder / "harbours-str.xml") == [ROWS]


def test_a_row_is_exact_without_its_white_space_and_empty_cells() -> None:
    found = [[["Kelby", "", "Icein spring"], ["Norre", "12000"]]]
    assert count(found, [ROWS]) == TableCounts(tables=1, whole=1, alone=1, rows=2, exact=2)
    assert count([[["Kelby Ice in spring"], ["Norre", "12000"]]], [ROWS]).exact == 1


def test_each_row_that_was_found_answers_for_one_marked_row() -> None:
    rows = [["Kelby", "1"], ["Kelby", "1"]]
    assert count([rows[:1]], [rows]).exact == 1


def test_a_marked_table_is_whole_or_partly_found_or_lost() -> None:
    words = ["mole", "pilot", "customs", "weather", "ice"]
    rows = [[word, f"{number}00{number}"] for number, word in enumerate(words)]
    assert count([rows[:3], rows[3:]], [rows]) == TableCounts(tables=1, partly=1, rows=5, exact=5)
    assert count([], [rows]) == TableCounts(tables=1, lost=1, rows=5)
    others = [[word[::-1], "diary"] for word in words]
    assert count([rows, others], [rows]) == TableCounts(tables=1, whole=1, alone=1, rows=5, exact=5, false=1)
    assert count([[*rows, *others]], [rows]) == TableCounts(tables=1, whole=1, rows=5, exact=5)


def test_a_folder_is_read_and_shown(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pairs = find_pairs(folder)
    assert pairs == {folder / "harbours.pdf": folder / "harbours-str.xml"}
    assert [len(find_pairs(folder, half)) for half in (0, 1)] in ([0, 1], [1, 0])
    counts = measure("Chunkscope", pairs, sys.executable)
    assert counts is not None
    known_tables.show("Tables", {"Chunkscope": counts[folder / "harbours.pdf"]})
    assert "Chunkscope  1" in capsys.readouterr().out


def test_a_program_that_is_not_installed_is_left_out(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(READERS, "none", replace(READERS["Chunkscope"], module="no_such_module"))
    assert measure("none", find_pairs(folder), sys.executable) is None
