"""What collections of garbage pass over, and what they drop."""

from __future__ import annotations

import gc
import subprocess
import sys
import tomllib
import weakref
from pathlib import Path
from unittest.mock import Mock

import pytest
from streamlit import runtime
from streamlit.runtime.memory_session_storage import MemorySessionStorage
from streamlit.runtime.session_manager import SessionInfo
from streamlit.runtime.websocket_session_manager import WebsocketSessionManager

from pages.shared.server import garbage

_COUNTS = """
import gc
from pages.shared.server import garbage
garbage.exempt_imported()
few = gc.get_freeze_count()
import colorsys
garbage.exempt_imported()
print(few > 1_000, gc.get_freeze_count() == few)
import pandas
garbage.exempt_imported()
print(gc.get_freeze_count() > few + 20_000)
"""


def test_imported_objects_are_passed_over_once_there_are_many(root: Path) -> None:
    done = subprocess.run([sys.executable, "-c", _COUNTS], cwd=root, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True", "True", "True"]


_PASSED_OVER = """
import gc, weakref
from pages.shared.server import garbage

class Session:
    pass

session = Session()
session.itself = session
known = weakref.ref(session)
garbage.exempt_imported()
del session
garbage.collect()
kept = known() is not None
garbage.collect(thoroughly=True)
print(kept, known() is None, gc.get_freeze_count() > 1_000)
"""


def test_a_thorough_collection_drops_what_was_passed_over(root: Path) -> None:
    done = subprocess.run([sys.executable, "-c", _PASSED_OVER], cwd=root, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True", "True", "True"]


@pytest.mark.parametrize(("seconds", "remaining"), [(0, 0), (60, 1)])
def test_sessions_that_cannot_be_resumed_are_dropped(
    monkeypatch: pytest.MonkeyPatch, seconds: int, remaining: int
) -> None:
    class Session:
        id = "left"

    session = Session()
    known = weakref.ref(session)
    storage = MemorySessionStorage(ttl_seconds=seconds)
    storage.save(SessionInfo(None, session, 0))  # type: ignore[arg-type]
    del session
    manager = WebsocketSessionManager(storage, Mock(), Mock(), None)
    monkeypatch.setattr(runtime, "get_instance", lambda: Mock(_session_mgr=manager))
    assert garbage.drop_expired_sessions() == remaining
    gc.collect()
    assert (known() is not None) == bool(remaining)


def test_no_run_waits_for_a_collection(root: Path) -> None:
    config = tomllib.loads((root / ".streamlit" / "config.toml").read_text(encoding="utf-8"))
    assert config["runner"]["postScriptGC"] is False
