"""The log-in page, which a stranger sees in place of every page, and the name of who is logged in."""

from __future__ import annotations

from urllib.parse import quote, urlencode

import streamlit as st

from pages.shared import identity, state
from pages.shared.frame import markup
from pages.shared.server.hosts import base_path

GUESTS_PAGE, GUESTS_PARAMETER = "learn", "class"
"""The page, with this parameter in its address, that people without an account may open where the settings allow it."""


def is_reader() -> bool:
    """Return whether the session may read, so that the menu of all pages is of use."""
    return identity.current().may("reader")


def require_reader(path: str, guests: bool = True) -> None:
    """Continue only for readers, and for guests of a class exercise; show anybody else the log-in page alone.

    Args:
        path: of the page in its address.
        guests: whether guests may continue.
    """
    if not (is_reader() or (guests and _is_guest(path))):
        stop(path)


def _is_guest(path: str) -> bool:
    """Return whether somebody without an account opens the link of a class exercise."""
    if path != GUESTS_PAGE or not identity.is_guest_allowed():
        return False
    return bool("".join(state.unread().get(GUESTS_PARAMETER, [])))


def stop(path: str) -> None:
    """Show the log-in page, and end the run."""
    person = identity.current()
    with st.container(key="_login_page"):
        if person.subject:
            markup.problem(
                f"{person.name} is logged in, but has no access to this server.", "Ask whoever runs it for a role."
            )
            st.button("Log out", key="_login_out", on_click=identity.log_out, icon=":material/logout:")
        else:
            if identity.has_expired():
                markup.problem("Your log-in has expired.", "Log in again to continue where you were.")
            markup.show("<h2>Chunkscope</h2><p>This server is for people with an account.</p>")
            back = _address(path)
            for name in _providers():
                st.button(
                    "Log in" if len(_providers()) == 1 else f"Log in with {markup.plain(name)}",
                    key=f"_login_{name}",
                    type="primary",
                    on_click=identity.log_in,
                    args=(name, back),
                    icon=":material/login:",
                )
    st.stop()


def show_name() -> None:
    """Show in the sidebar who is logged in, with the way out."""
    person = identity.current()
    if not person.is_known:
        return
    with st.sidebar, st.container(horizontal=True, vertical_alignment="center", key="_login_name"):
        roles = max(person.roles, key=identity.ROLES.index, default="")
        title = markup.escape(person.email or person.subject)
        markup.show(f'<span title="{title}">{markup.escape(person.name)}</span> <span class="cs-quiet">{roles}</span>')
        st.button("Log out", key="_login_out", on_click=identity.log_out, type="tertiary", icon=":material/logout:")


def _providers() -> tuple[str, ...]:
    settings = identity.login()
    return settings.providers if settings else ()


def _address(path: str) -> str:
    """Return the address that the browser shows, from the host on."""
    query = urlencode(state.unread(), doseq=True)
    return quote(f"{base_path()}/{path.strip('/')}") + (f"?{query}" if query else "")
