"""Who may read a document beside its owner, and what the link of a public one opens."""

from __future__ import annotations

from dataclasses import replace
from urllib.parse import urlencode, urlsplit, urlunsplit

import streamlit as st

from chunking.access import Identity
from chunking.library import LibraryDocument, NewDocument
from chunking.library.contract import VISIBILITIES
from chunking.loading import FORMATS
from chunking.runtime.wording import file_size, plural
from pages.shared import state
from pages.shared.frame import markup
from pages.shared.library import outcome
from pages.shared.library.current import library
from pages.shared.state import address, session

LINK = "link"
"""Name of a public link in the address."""

_VISIBILITY, _TEAM = "_library_visibility", "_library_team"
_TITLES = {"private": "Private", "team": "Team", "public": "Public"}
_HELP = (
    "Private: you alone. Team: its members may read the document. Public: whoever has its link may read it; each time "
    "that a document becomes public it gets another link."
)


def show(entry: LibraryDocument, identity: Identity) -> None:
    """Show who may read a document, with the control to change it, and the link of a public one."""
    teams = sorted(team for team in identity.teams if team)
    options = [each for each in VISIBILITIES if each != "team" or teams or entry.visibility == "team"]
    key, team = f"{_VISIBILITY}_{entry.id}_{entry.version}", f"{_TEAM}_{entry.id}_{entry.version}"
    if teams:
        st.selectbox("Team", teams, teams.index(entry.team) if entry.team in teams else 0, key=team)
    st.segmented_control(
        "Who may read it", options, default=entry.visibility, key=key, required=True, help=_HELP,
        format_func=_TITLES.__getitem__, on_change=_take, args=(entry, key, team), width="stretch",
    )  # fmt: skip
    if entry.link:
        st.caption("The link, for people who can open this server:")
        st.code(link_address(entry.link), language=None, wrap_lines=True)


def _take(entry: LibraryDocument, key: str, team: str) -> None:
    with outcome.reported():
        wanted = next((each for each in VISIBILITIES if each == session.widget_value(key)), entry.visibility)
        library().share(entry, wanted, str(session.widget_value(team) or ""))
        outcome.done(_DONE[wanted])


_DONE = {
    "private": "Only you can read it now.",
    "team": "The team can read it now.",
    "public": "Whoever has the link can read it now.",
}


def link_address(link: str) -> str:
    """Return the address that opens a public document."""
    here = urlsplit(st.context.url or "")
    return urlunsplit((here.scheme, here.netloc, here.path or "library", urlencode({LINK: link}), ""))


def show_linked() -> None:
    """Show the document of the link in the address, if there is one, with what can be done with it.

    Raises:
        ChunkscopeError: the link opens nothing.
    """
    link = state.current().text(LINK)
    if not link:
        return
    entry = library().get_public(link)
    title = FORMATS[entry.format].title if entry.format in FORMATS else entry.format
    about = f"{title} · {file_size(entry.size)} · {plural(entry.characters, 'character')}"
    markup.show(
        f'Shared with you: <b>{markup.escape(entry.name)}</b> <span class="cs-quiet">{markup.escape(about)}</span>'
    )
    with st.container(horizontal=True):
        if entry.owner == library().identity.subject:
            st.button("Open in Inspect", key="_library_linked_open", on_click=_open, args=(entry,), type="primary")
        else:
            st.button(
                "Add a copy to your library, and open it", key="_library_linked_copy", on_click=_copy, args=(link,),
                type="primary",
            )  # fmt: skip
        st.button("Close", key="_library_linked_close", on_click=close)


def close() -> None:
    """Forget the link in the address."""
    state.current().put(LINK, None)


def _open(entry: LibraryDocument) -> None:
    close()
    state.go("pages/inspect.py", {address.DOCUMENT: entry.link_name})


def _copy(link: str) -> None:
    with outcome.reported():
        here = library()
        opened = here.open(here.get_public(link))
        # Under the name that says how it is read, which another name may not.
        document = replace(opened.document, name=opened.entry.source)
        _open(here.add(NewDocument(opened.data, document, opened.entry.pasted, (), opened.entry.choices)))
