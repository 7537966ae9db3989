"""Who uses this session, on a server with log-in.

:mod:`.settings` reads whether there is a log-in and checks its settings, :mod:`.cookies` reads the cookie that
Streamlit keeps of it, and :mod:`.visitor` says who the session belongs to.
"""

from chunking.store.identity import ROLES, Identity
from pages.shared.identity.settings import Login, check_at_start, login
from pages.shared.identity.visitor import current, has_expired, is_guest_allowed, log_in, log_out

__all__ = [
    "ROLES",
    "Identity",
    "Login",
    "check_at_start",
    "current",
    "has_expired",
    "is_guest_allowed",
    "log_in",
    "log_out",
    "login",
]
