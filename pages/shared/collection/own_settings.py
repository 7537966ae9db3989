"""Settings of single documents of a collection, where another one fits them better than that of the page.

The session has them by document; the address shows them, so that a link brings them, too.
"""

from __future__ import annotations

import glob
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import streamlit as st

from chunking import ChunkscopeError, strategies
from chunking.chunks.edits import Edit
from chunking.loading import clean_name
from chunking.settings import SettingsFile, read_settings, settings_toml
from chunking.strategies import Setting
from chunking.work import inputs
from chunking.workspace import DocumentAnalysis, Models
from pages.shared import state
from pages.shared.advice import panel
from pages.shared.documents.session_documents import OpenDocument
from pages.shared.documents.uploads import Files, UploadField
from pages.shared.frame import frame, markup
from pages.shared.inspect import by_hand
from pages.shared.reference import own_chunks

_NAME = "own"
"""The query parameter, with a text for each document: the beginning of its key, and its setting in one line."""

_MOST = 40
"""Settings that the address shows: some programs cut off longer links."""

_KEY = 12
"""Characters of the key of a document in the address."""

_UPLOAD = UploadField("_own_settings_upload")


@dataclass
class _Own:
    """The settings of single documents.

    Attributes:
        by_key: setting of each, by the beginning of the key of the document.
        shown: the texts that the address had last.
    """

    by_key: dict[str, Setting] = field(default_factory=dict)
    shown: tuple[str, ...] = ()


_OWN: state.SessionValue[_Own] = state.SessionValue("_own_settings", _Own)


def of() -> dict[str, Setting]:
    """Return the settings of single documents by the beginning of their keys, with those that a link brings."""
    own = _OWN.get()
    texts = state.address().texts(_NAME)
    if texts != own.shown:
        own.by_key = dict(_read(texts))
    own.shown = tuple(f"{key} {setting.text}" for key, setting in list(own.by_key.items())[:_MOST])
    state.address().put(_NAME, own.shown or None)
    return own.by_key


def _read(texts: Sequence[str]) -> list[tuple[str, Setting]]:
    """Return the settings of an address; show why one is wrong."""
    settings = []
    for text in texts:
        key, _, line = text.partition(" ")
        try:
            settings.append((key[:_KEY], strategies.parse(line)))
        except ChunkscopeError as error:
            frame.show_error(error)
    return settings


def key_of(opened: OpenDocument) -> str:
    """Return the beginning of the key of a document."""
    return opened.document.key[:_KEY]


def _put(key: str, setting: Setting | None) -> None:
    """Set the setting of a document, or leave it that of the page."""
    by_key = _OWN.get().by_key
    if setting is None:
        by_key.pop(key, None)
    else:
        by_key[key] = setting


def _clear() -> None:
    _OWN.get().by_key.clear()


# ---- what is shown


def show(
    open_documents: Sequence[OpenDocument], workspaces: Mapping[str, DocumentAnalysis], page_setting: Setting
) -> None:
    """Show the popover with the settings of single documents; nothing is computed before it is opened."""
    popover = frame.popover("Settings of documents", "_own_settings_of", icon="tune", width="content")
    if not popover.open:
        return
    with popover:
        own, tools = of(), next(iter(workspaces.values())).tools
        titles = {key_of(opened): opened.title for opened in open_documents}
        shown = {key: setting for key, setting in own.items() if key in titles}
        if not shown:
            st.caption("Every document has the setting of the page. Give one its own, or take the advice for each.")
        for key, setting in shown.items():
            with st.container(horizontal=True, vertical_alignment="center", key=f"_own_setting_{key}"):
                markup.show(f"{markup.escape(titles[key])}<br><code>{markup.escape(setting.text)}</code>")
                st.button("Remove", key=f"_own_remove_{key}", on_click=_put, args=(key, None))
        _offer(titles, page_setting)
        with st.container(horizontal=True):
            st.button(
                "Advised for each", key="_own_advised", on_click=_take_advice, args=(open_documents, workspaces),
                help="Gives each document the setting that is advised for it, where that is another than the page's.",
            )  # fmt: skip
            if shown:
                st.button("Remove all", key="_own_clear", on_click=_clear)
            st.download_button(
                "Settings, TOML", lambda: toml(open_documents, page_setting, own, by_hand_of(open_documents), tools),
                "chunkscope.toml", "application/toml", key="_own_toml", on_click="ignore",
                help="With the settings of documents and their cuts by hand, for split, push and check.",
            )  # fmt: skip
        _UPLOAD.draw(
            "From a settings file (TOML)", lambda files: _receive(files, open_documents),
            help="Its table [documents] says which documents have which setting.",
        )  # fmt: skip
        _UPLOAD.show_problem()


_DOCUMENT, _LINE = "_own_document", "_own_line"


def _offer(titles: Mapping[str, str], page_setting: Setting) -> None:
    """Show what gives a document a setting of its own."""
    key = st.selectbox("Document", list(titles), format_func=lambda key: titles[key], key=_DOCUMENT)
    line = st.text_input("Its setting", placeholder=page_setting.text, key=_LINE, help="NAME:KEY=VALUE;KEY=VALUE")
    if line:
        try:
            setting = strategies.parse(line)
        except ChunkscopeError as error:
            frame.show_error(error)
            return
        st.button("Use it", key="_own_use", type="primary", on_click=_put, args=(key, setting))


def _take_advice(open_documents: Sequence[OpenDocument], workspaces: Mapping[str, DocumentAnalysis]) -> None:
    """Give each document the setting that is advised for it; in a callback."""
    for opened in open_documents:
        workspace = workspaces[opened.name]
        if workspace.has_vectors(panel.WINDOW):
            advised = panel.advised(workspace, own_chunks.reference_of(opened))
            _put(key_of(opened), strategies.parse(advised.setting))


def by_hand_of(open_documents: Sequence[OpenDocument]) -> dict[str, tuple[Edit, ...]]:
    """Return the edits by hand of documents by their names."""
    return {opened.document.name: edits for opened in open_documents if (edits := by_hand.kept_of(opened))}


def toml(
    open_documents: Sequence[OpenDocument],
    page_setting: Setting,
    own: Mapping[str, Setting],
    edits: Mapping[str, tuple[Edit, ...]],
    tools: Models | None = None,
) -> str:
    """Return the settings file of a collection.

    Args:
        open_documents: the documents.
        page_setting: of those without one of their own.
        own: of the others, by the beginning of their keys.
        edits: by hand, by the name of the document.
        tools: the models; the usual ones if absent.
    """
    tools = tools or Models()
    names = {key_of(opened): glob.escape(opened.document.name) for opened in open_documents}
    return settings_toml(
        SettingsFile(
            {page_setting.strategy.name: page_setting},
            encoder=tools.encoder,
            tokenizer=tools.tokenizer,
            splitter=tools.splitter,
            documents={names[key]: setting for key, setting in own.items() if key in names},
            edits={glob.escape(name): of_document for name, of_document in edits.items()},
        )
    )


def _receive(files: Files, open_documents: Sequence[OpenDocument]) -> None:
    """Take the settings of documents from a settings file.

    Raises:
        ChunkscopeError: it is none, or names none of these documents.
    """
    for path, data in files:
        name = clean_name(path)
        file = read_settings(data, name, inputs.parse_toml)
        settings = {key_of(opened): file.setting_for(opened.path) for opened in open_documents}
        named_settings = {key: setting for key, setting in settings.items() if setting is not None}
        if not named_settings:
            raise ChunkscopeError(
                f"{name} has a setting for none of these documents.",
                'Write their names under [documents]: "guide/*.md" = "heading".',
            )
        _OWN.get().by_key.update(named_settings)
