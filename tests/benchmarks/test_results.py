from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import results


def test_a_part_replaces_its_own_section_alone() -> None:
    text = results.updated("", "tuning", "old", "Measured 2026-01-01.")
    text = results.updated(text, "engine", "## not a heading\nms", "Measured 2026-01-02.")
    text = results.updated(text, "tuning", "new", "Measured 2026-01-03.")
    assert text.index("## engine") < text.index("## tuning")
    assert "old" not in text and "2026-01-01" not in text
    assert text.count("new") == 1 and "2026-01-02" in text and "## not a heading\nms" in text
    assert results.updated(text, "tuning", "new", "Measured 2026-01-03.") == text


def test_a_part_that_fails_leaves_the_record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    record = tmp_path / "RESULTS.md"
    monkeypatch.setattr(results, "RESULTS", record)
    results.measure("engine", lambda: print("2 ms"))
    before = record.read_text(encoding="utf-8")
    assert "2 ms" in before and "processors" in before

    def fails() -> None:
        print("half")
        raise RuntimeError

    with pytest.raises(RuntimeError):
        results.measure("engine", fails)
    assert record.read_text(encoding="utf-8") == before
