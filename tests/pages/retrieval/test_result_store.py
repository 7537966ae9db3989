from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from pages.shared.retrieval import result_store


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CHUNKSCOPE_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def test_a_new_result_stays_after_a_clock_was_ahead(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(result_store, "LIMIT", 3)
    year = time.time() + 365 * 86_400
    for number in range(3):
        assert result_store.write(f"ahead{number}", {}, {}) == ""
        os.utime(result_store.folder() / f"ahead{number}.json", (year, year))
    assert result_store.write("new", {"n": 1}, {}) == ""
    assert result_store.read("new") == {"key": "new", "shown": {"n": 1}}
    assert len(list(result_store.folder().iterdir())) == 3


def test_a_result_that_cannot_be_saved_says_so_until_the_folder_is_back(cache: Path) -> None:
    cache.write_text("a file")
    assert result_store.write("new", {}, {}).startswith("The result could not be saved to disk (")
    assert result_store.read("new") is None
    cache.unlink()
    assert result_store.write("new", {}, {}) == ""
    assert result_store.read("new") is not None
