"""How headings are compared with the outline of a file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from benchmarks import outlines
from benchmarks.outlines import measure, outline_of
from tests.loading.binary.pdf.making import OTHER, PROSE, Pen, drawn, heading

ENTRIES = [("1 The mole", 0), ("Boats", 1), ("Ice", 0), ("Of the profits", 0)]


def report() -> bytes:
    """Return a file whose outline names a heading, a line of the body, a title of another page, and one not there."""

    def page(canvas: Any) -> None:
        for number, (title, level) in enumerate(ENTRIES):
            canvas.bookmarkPage(f"entry {number}")
            canvas.addOutlineEntry(title, f"entry {number}", level)
        pen = heading(Pen(canvas), "1. The mole").text(PROSE, after=0)
        heading(pen.lines(["Boats"]).text(OTHER), "Sources").text(PROSE)

    return drawn(page, lambda canvas: heading(Pen(canvas), "Ice").text(OTHER))


def test_entries_are_found_with_the_outline_and_without() -> None:
    data = report()
    entries = outline_of(data)
    assert [(entry.title, entry.level - 1) for entry in entries] == ENTRIES
    read, withheld = (measure(data, "report.pdf", entries, hidden) for hidden in (False, True))
    assert (read.recall, read.written, read.precision, read.headings) == (3 / 4, 1, 3 / 4, 4)
    assert (withheld.recall, withheld.written, withheld.precision, withheld.headings) == (2 / 4, 2 / 3, 2 / 3, 3)


def test_a_folder_is_measured_and_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "report.pdf").write_bytes(report())
    (tmp_path / "plain.pdf").write_bytes(drawn(lambda canvas: Pen(canvas).text(PROSE)))
    (tmp_path / "broken.pdf").write_bytes(b"%PDF-1.7")
    outlines.main(tmp_path, files=True)
    out = capsys.readouterr().out
    assert "read      1      0.750   1.000    0.750" in out
    assert "withheld  1      0.500   0.667    0.667" in out
    assert "report.pdf  4" in out and "plain" not in out
