"""A settings file in the browser: its settings are offered to be pinned."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from chunking import ChunkscopeError
from chunking.loading import clean_name
from chunking.settings import SettingsFile, read_settings
from chunking.strategies import Setting
from chunking.work import inputs
from chunking.workspace import Tools
from pages.shared import state
from pages.shared.documents import uploaders
from pages.shared.frame import frame, markup
from pages.shared.state import session

MAX_BYTES = 2**20
"""Of a settings file; one with thousands of settings is smaller."""

Take = Callable[[Setting], None]
"""What is done with the setting that a user chose; in a callback."""

_FILE: state.Slot[SettingsFile | None] = state.Slot("_settings_file", session.empty)
_PROBLEM: state.Slot[ChunkscopeError | None] = state.Slot("_settings_file_problem", session.empty)
_ROUND = state.Slot("_settings_file_round", int)


def offer(take: Take, tools: Tools) -> None:
    """Show the popover with the upload, and the settings of the file.

    Args:
        take: called with the only setting of a file at once, else with the one that the user chose.
        tools: of the page; that a file names others is reported.
    """
    icon, help = ":material/upload_file:", "Pin a setting from a settings file"
    with st.popover("", icon=icon, type="tertiary", key="_settings_upload", help=help):
        # A new key for each upload clears the widget.
        key = f"_settings_upload_{_ROUND.get()}"
        st.file_uploader("A settings file (TOML)", key=key, on_change=_take, args=(key, take), help=_HELP)
        problem, file = _PROBLEM.get(), _FILE.get()
        if problem is not None:
            frame.show_error(problem)
        if file is not None:
            _settings(file, take, tools)


_HELP = "As Export writes it, and as the command line reads it. Its strategies and their parameters are used."


def _settings(file: SettingsFile, take: Take, tools: Tools) -> None:
    name = st.selectbox(f"Setting of {markup.plain(file.name)}", list(file.settings), key="_setting_of_file")
    st.button("Pin it", key="_pin_from_file", width="stretch", on_click=take, args=(file.settings[name],))
    named = {"encoder": file.encoder, "sentence splitter": file.splitter}
    chosen = {"encoder": tools.encoder, "sentence splitter": tools.splitter}
    others = [f"{title} {model}" for title, model in named.items() if model and model != chosen[title]]
    if others:
        models = markup.plain(" and ".join(others))
        st.caption(f"The file has {models}. Both settings are measured with the models chosen on this page.")


def _take(key: str, take: Take) -> None:
    _PROBLEM.clear()
    for name, data in uploaders.contents(key):
        _ROUND.set(_ROUND.get() + 1)
        try:
            file = _read(data, clean_name(name))
        except ChunkscopeError as error:
            _PROBLEM.set(error)
            continue
        _FILE.set(file)
        if len(file.settings) == 1:
            take(file.setting())


def _read(data: bytes, name: str) -> SettingsFile:
    if len(data) > MAX_BYTES:
        raise ChunkscopeError(f"{name} has more than {MAX_BYTES // 2**20} MiB.", "Choose a settings file.")
    file = read_settings(data, name, inputs.parse_toml)
    if not file.settings:
        file.setting()  # raises with what to add
    return file
