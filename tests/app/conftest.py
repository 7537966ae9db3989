from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def _own_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each test begins without documents: what another one has opened is not in its list."""
    monkeypatch.setenv("CHUNKSCOPE_REVIEWS", str(tmp_path / "own" / "reviews.sqlite"))
