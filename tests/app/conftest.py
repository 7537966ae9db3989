from __future__ import annotations

import functools
from collections.abc import Iterator
from pathlib import Path

import pytest
from streamlit.components.v2 import manifest_scanner


@pytest.fixture(autouse=True, scope="session")
def _components_are_sought_once() -> Iterator[None]:
    """Streamlit looks through all installed packages for components, and does so anew for each page of a test."""
    with pytest.MonkeyPatch.context() as patch:
        found = functools.cache(manifest_scanner.scan_component_manifests)
        patch.setattr(manifest_scanner, "scan_component_manifests", found)
        yield


@pytest.fixture(autouse=True)
def _own_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each test begins without documents: what another one has opened is not in its list."""
    monkeypatch.setenv("CHUNKSCOPE_REVIEWS", str(tmp_path / "own" / "reviews.sqlite"))
