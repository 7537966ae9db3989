from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("repeatable", derandomize=True, deadline=None)
settings.load_profile("repeatable")


@pytest.fixture(autouse=True, scope="session")
def _own_folders(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Tests neither read nor change the user's cache of vectors and reviews, and start no workers by default."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CHUNKSCOPE_CACHE", str(tmp_path_factory.mktemp("cache")))
        patch.setenv("CHUNKSCOPE_WORKERS", "0")  # workers have tests of their own
        patch.setenv("CHUNKSCOPE_REVIEWS", str(tmp_path_factory.mktemp("reviews") / "reviews.sqlite"))
        yield


@pytest.fixture(autouse=True)
def _own_main() -> Iterator[None]:
    """Streamlit runs a page as the main module and leaves it there: a process that is started later would run it."""
    main = sys.modules["__main__"]
    yield
    sys.modules["__main__"] = main


@pytest.fixture(scope="session")
def root() -> Path:
    """The folder of ``app.py``."""
    return Path(__file__).resolve().parent.parent
