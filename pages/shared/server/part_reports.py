"""Reports of a part of a page that meet a run of a whole page.

A part of a page that runs by itself (a fragment of Streamlit) may report in the moment in which a link of the menu is
followed. Streamlit runs it after the other page: it has no such part any more, but the browser takes the run for one of
the page that was left, removes all that is shown, and nothing comes in its place. Such a report is discarded.

A report may also wait for the run before it when a run of the whole page is requested. Streamlit ends the runner of the
former, and drops what waits there: a place that was chosen would be another one again. Such a report goes along with
the request for the whole page. With one for another page it cannot: the values of its component are gone there. The
links of the menu wait for it instead (``links.js``).
"""

from __future__ import annotations

import logging
from functools import wraps

from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.scriptrunner_utils.script_requests import (
    RerunData,
    ScriptRequestType,
    _coalesce_widget_states,
    _is_full_app_rerun,
)

_LOG = logging.getLogger(__name__)


def settle() -> None:
    """Let every session of this process discard reports that come late, and keep those that wait."""
    request = AppSession.request_rerun
    if hasattr(request, "__wrapped__"):
        return

    @wraps(request)
    def request_unless_late(session: AppSession, client_state: ClientState | None) -> None:
        if client_state is not None:
            waiting = _waiting(session)
            if not client_state.fragment_id:
                _take_along(waiting, client_state)
            elif _is_left(session, waiting, client_state.page_script_hash):
                _LOG.debug("A report of a page that was left is discarded.")
                return
        request(session, client_state)

    AppSession.request_rerun = request_unless_late  # type: ignore[method-assign, assignment]


def _waiting(session: AppSession) -> RerunData | None:
    """Return what a session is still to run behind its present run; ``None`` for nothing."""
    if (runner := session._scriptrunner) is None:
        return None
    requests = runner._requests
    with requests._lock:
        return requests._rerun_data if requests._state is ScriptRequestType.RERUN else None


def _is_left(session: AppSession, waiting: RerunData | None, page: str) -> bool:
    """Return whether a session shows, or will show next, another page than the one of this hash."""
    next_page = session._pages_manager.current_page_script_hash
    if waiting is not None and _is_full_app_rerun(waiting):
        next_page = waiting.page_script_hash or next_page
    return bool(page and next_page) and page != next_page


def _take_along(waiting: RerunData | None, request: ClientState) -> None:
    """Add the reports of parts that wait to a request for the whole of their page."""
    if waiting is None or not waiting.fragment_id_queue or waiting.page_script_hash != request.page_script_hash:
        return
    both = _coalesce_widget_states(waiting.widget_states, request.widget_states)
    if both is not None and both is not request.widget_states:
        request.widget_states.CopyFrom(both)
