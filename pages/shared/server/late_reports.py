"""Reports of a part of a page that arrive after another page was asked for.

A part of a page that runs by itself (a fragment of Streamlit) may report in the moment in which a link of the menu is
followed. Streamlit runs it after the other page: it has no such part any more, but the browser takes the run for one of
the page that was left, removes all that is shown, and nothing comes in its place.
"""

from __future__ import annotations

import logging
from functools import wraps

from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.scriptrunner_utils.script_requests import ScriptRequestType, _is_full_app_rerun

_LOG = logging.getLogger(__name__)


def discard() -> None:
    """Let every session of this process discard such reports."""
    request = AppSession.request_rerun
    if hasattr(request, "__wrapped__"):
        return

    @wraps(request)
    def request_unless_late(session: AppSession, client_state: ClientState | None) -> None:
        if client_state is not None and client_state.fragment_id and _is_left(session, client_state.page_script_hash):
            _LOG.debug("A report of a page that was left is discarded.")
            return
        request(session, client_state)

    AppSession.request_rerun = request_unless_late  # type: ignore[method-assign, assignment]


def _is_left(session: AppSession, page: str) -> bool:
    """Return whether a session shows, or will show next, another page than the one of this hash."""
    next_page = session._pages_manager.current_page_script_hash
    if (runner := session._scriptrunner) is not None:
        requests = runner._requests
        with requests._lock:
            if requests._state is ScriptRequestType.RERUN and _is_full_app_rerun(requests._rerun_data):
                next_page = requests._rerun_data.page_script_hash or next_page
    return bool(page and next_page) and page != next_page
