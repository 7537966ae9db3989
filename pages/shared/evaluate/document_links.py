"""Links from a chunk to its document in Inspect, Tune or Compare, with its strategy."""

from __future__ import annotations

import streamlit as st

from chunking import embedding, strategies
from chunking.loading import TEXT_FORMATS
from chunking.retrieval.questions.data import CorpusDocument
from chunking.sentences import gap_offsets
from chunking.store import NewDocument
from chunking.strategies import Setting
from chunking.workspace import Models
from pages.shared import state
from pages.shared.documents import documents, reading, session_documents
from pages.shared.documents.session_documents import of_user
from pages.shared.settings import address_positions, controls, lane_settings, strategy_settings
from pages.shared.settings.strategy_settings import STRUCTURAL


def buttons(
    source: CorpusDocument, setting: Setting, offset: int, tools: Models, key: str, *, tune: bool = False
) -> None:
    """Open a document at a place under a setting.

    Args:
        source: the document.
        setting: of the strategy.
        offset: an offset of its text.
        tools: encoder, tokenizer and splitter, which go with it.
        key: of the buttons, another for each place of a page.
        tune: whether Tune is offered, too.
    """
    if setting.strategy.name in strategy_settings.CURVED:
        offered = [("Inspect", "query_stats")]
        offered += [("Tune", "tune")] if tune and setting.strategy is STRUCTURAL else []
        for title, icon in offered:
            st.button(
                f"Open in {title}", key=f"_open_{title}_{key}", icon=f":material/{icon}:", on_click=_one,
                args=(f"pages/{title.lower()}.py", source, setting, offset, tools),
            )  # fmt: skip
    st.button(
        "Open in Compare", key=f"_open_compare_{key}", icon=":material/view_column:", on_click=_compare,
        args=(source, [setting], offset, tools),
    )  # fmt: skip


def name_of(source: CorpusDocument) -> str:
    """Return the name of a document; add it to those of the user if needed."""
    for name in documents.open_names():
        if documents.get(name).document.text == source.text:
            return name
    document = source.open()
    if document.format not in TEXT_FORMATS:  # its file is not here
        return session_documents.put(of_user(document))
    return session_documents.keep(NewDocument.from_pasted(document))


def _texts(name: str, tools: Models) -> dict[str, str]:
    """Return the parameters of an address under which a document is read as it was here."""
    named = state.address().text("tokenizer")
    is_default = not named and tools.tokenizer == Models(tools.encoder).tokenizer
    tokenizer = named if named == embedding.AS_ENCODER else controls.AUTO if is_default else tools.tokenizer
    return {session_documents.CHOICE: name, "encoder": tools.encoder or reading.AUTO, "tokenizer": tokenizer}


def _one(page: str, source: CorpusDocument, setting: Setting, offset: int, tools: Models) -> None:
    name = name_of(source)
    opened, texts = documents.get(name), _texts(name, tools) | {strategy_settings.KEY: setting.cutting.text}
    offsets = gap_offsets(documents.workspace(opened, Models(tools.encoder, splitter=tools.splitter)).sentences)
    if len(offsets):
        gap = min(int(offsets.searchsorted(offset)), len(offsets) - 1)
        texts["gap"] = address_positions.gap_text(gap, opened.document)
    state.go(page, texts)


def _compare(source: CorpusDocument, settings: list[Setting], offset: int, tools: Models) -> None:
    name = name_of(source)
    document = documents.get(name).document
    lanes = ",".join(setting.cutting.text for setting in settings)
    at = {lane_settings.ADDRESS: lanes, "at": f"{offset}@{document.key[:4]}"}
    state.go("pages/compare.py", _texts(name, tools) | at)


def parsed(text: str) -> Setting:
    """Return a setting from its line."""
    return strategies.parse(text, retrieval=True)
