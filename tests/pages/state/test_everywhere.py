from __future__ import annotations

from unittest.mock import Mock

import pytest
from streamlit import runtime
from streamlit.runtime.memory_session_storage import MemorySessionStorage
from streamlit.runtime.session_manager import SessionInfo
from streamlit.runtime.state import SessionState
from streamlit.runtime.websocket_session_manager import WebsocketSessionManager

from pages.shared.state import SessionValue


def _session(**values: object) -> SessionInfo:
    state = SessionState()
    for key, value in values.items():
        state[key] = value
    return SessionInfo(None, Mock(id=str(values), session_state=state), 0)


def test_the_values_of_all_sessions_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    storage = MemorySessionStorage(ttl_seconds=60)
    for session in (_session(_mine=1), _session(_other=2), _session(_mine=3)):
        storage.save(session)
    manager = WebsocketSessionManager(storage, Mock(), Mock(), None)
    monkeypatch.setattr(runtime, "exists", lambda: True)
    monkeypatch.setattr(runtime, "get_instance", lambda: Mock(_session_mgr=manager))
    assert sorted(SessionValue("_mine", int).everywhere()) == [1, 3]


def test_without_a_server_there_is_none() -> None:
    assert SessionValue("_mine", int).everywhere() == []
