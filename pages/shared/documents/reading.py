"""The controls of language, sentence splitter, encoder, and the content of a web page."""

from __future__ import annotations

import os
from dataclasses import replace

import streamlit as st

from chunking import ChunkscopeError, embedding, sentences
from chunking.document import Document
from chunking.embedding.endpoint import is_endpoint
from chunking.loading import LoadParameters
from chunking.loading.language import LANGUAGES
from chunking.workspace import Models
from pages.shared.documents import parsing
from pages.shared.frame import frame, markup
from pages.shared.server import hosts
from pages.shared.settings import controls
from pages.shared.storage import forgetting

DETECTED = "Detected"
AUTO = "auto"
ENCODER = "encoder"


def choose(document: Document) -> tuple[Document, Models]:
    """Show the controls; return the document and the tools."""
    with st.expander("Language & encoder", icon=":material/translate:"):
        document = _with_content(document)
        document = _in_language(document)
        splitter = _splitter(document)
        name, problem = encoder()
    with frame.stable_slot():  # outside, since the expander may be closed
        if problem:
            frame.show_error(problem)
    return document, Models(encoder=name, splitter=splitter)


def _in_language(document: Document) -> Document:
    name = LANGUAGES.get(document.language, document.language)
    language = controls.select(
        "Language",
        [DETECTED, *LANGUAGES],
        help=f"Determines how sentences are split. Detected: {name}.",
        name="language",
        titles=lambda code: LANGUAGES.get(code, code),
    )
    st.caption(f"Detected: {markup.plain(name)}")
    return document if language in (DETECTED, document.language) else replace(document, language=language)


def _splitter(document: Document) -> str | None:
    names = sentences.splitters(document.language)
    usual = sentences.default_splitter(document.language)
    splitter = controls.select(
        "Sentence splitter",
        [AUTO, *names],
        help=f"Splits the text into sentences; {AUTO} is {usual} for this language.",
        name="splitter",
    )
    return None if splitter == AUTO else splitter


def _with_content(document: Document) -> Document:
    """Return the document with the selected content of a web page."""
    if document.format != "html":
        return document
    value = controls.loading_parameter(LoadParameters.lookup("content"))
    return document if value == "all" else _again(document.key, value, document)


@forgetting.cleared_on_deletion
@st.cache_resource(max_entries=16, ttl=6 * 3600, show_spinner="Finding the main text…")
def _again(key: str, content: str, _document: Document) -> Document:
    return parsing.reload(_document, LoadParameters(content=content))


def encoder() -> tuple[str | None, ChunkscopeError | None]:
    """Show the control; return the encoder, and an error if the selected one cannot be used.

    The encoder is ``None`` where it is left to the app, see :class:`chunking.workspace.Models`.
    """
    names = [AUTO, *embedding.encoder_names()]
    names += [name for name in os.environ.get("CHUNKSCOPE_ENCODERS", "").split(",") if name.strip()]
    encoder = controls.select(
        "Encoder",
        names,
        help="Turns sentences into vectors. You can also type a folder with a sentence-transformers model, the name of "
        "a model on this machine, or openai:MODEL for an endpoint set up in the environment.",
        name=ENCODER,
        default=AUTO,
        accept_new_options=hosts.may_name_paths(),
    )
    if encoder == AUTO:
        st.caption(_AUTOMATIC)
        return None, None
    try:
        return _allowed(encoder), None
    except ChunkscopeError as error:
        return None, error


_AUTOMATIC = (
    f"Boundaries by {embedding.Static.name} in English and {embedding.CharNgrams.name} in other languages; retrieval "
    f"by {embedding.MiniLM.name} where it is installed. A choice here is used for both."
)


def configure_from_secrets() -> None:
    """Configure the endpoint from Streamlit's secrets: ``OPENAI_BASE_URL`` and ``OPENAI_API_KEY``."""
    if not st.secrets.load_if_toml_exists():
        return
    address, key = (str(st.secrets.get(name, "")) for name in ("OPENAI_BASE_URL", "OPENAI_API_KEY"))
    if address or key:
        embedding.configure_endpoint(address or None, key or None)


def _allowed(name: str) -> str | None:
    """Return the name of an encoder, or ``None`` until the user allows a remote one to get text."""
    if is_endpoint(name):
        configure_from_secrets()
    about = embedding.describe_encoder(name)
    st.caption(markup.plain(about.about))
    if about.sends_to and not st.toggle(
        f"Send the text of documents to {markup.plain(about.sends_to)}", key=f"_send_to_{about.sends_to}"
    ):
        return None
    return name
