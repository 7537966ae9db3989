"""Who may read a document beside its owner, and the link of a public one."""

from __future__ import annotations

from urllib.parse import urlencode, urlsplit, urlunsplit

import streamlit as st

from chunking.store import LibraryDocument
from chunking.store.documents import VISIBILITIES
from chunking.store.identity import Identity
from pages.shared.documents import stored
from pages.shared.library import outcome
from pages.shared.state import address, session
from pages.shared.storage.current import library

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
    """Return the address that opens a public document on Inspect."""
    here = urlsplit(st.context.url or "")
    query = urlencode({address.DOCUMENT: f"{stored.PUBLIC}{link}"}, safe=":")
    return urlunsplit((here.scheme, here.netloc, here.path.rpartition("/")[0] + "/", query, ""))
