"""How the document is read and measured: language, sentences, encoder, and what of a web page counts."""

from __future__ import annotations

import os
from dataclasses import replace

import streamlit as st

from chunking import ChunkscopeError, embedding, loading, sentences
from chunking.document import Document
from chunking.embedding.endpoint import is_endpoint
from chunking.loading import LoadParameters
from chunking.loading.language import LANGUAGES
from chunking.workspace import Tools
from pages.shared.frame import frame, markup
from pages.shared.settings import controls

DETECTED = "Detected"
AUTO = "auto"
_CODES = {title: code for code, title in LANGUAGES.items()}


def choose(document: Document) -> tuple[Document, Tools]:
    """The controls, and the document and the tools that they make."""
    with st.expander("Reading", icon=":material/translate:"):
        document = _with_content(document)
        document = _in_language(document)
        splitter = _splitter(document)
        name, problem = encoder()
    if problem:
        frame.show_error(problem)  # outside, since the controls may be folded away
    return document, Tools(encoder=name, splitter=splitter)


def _in_language(document: Document) -> Document:
    name = LANGUAGES.get(document.language, document.language)
    chosen = controls.select(
        "Language",
        [DETECTED, *_CODES],
        help=f"Decides how sentences are told. Detected here: {name}.",
        name="language",
    )
    st.caption(f"Detected: {markup.plain(name)}")
    code = document.language if chosen == DETECTED else _CODES[chosen]
    return document if code == document.language else replace(document, language=code)


def _splitter(document: Document) -> str | None:
    known = sentences.splitters(document.language)
    usual = sentences.default_splitter(document.language)
    chosen = controls.select(
        "Sentences by",
        [AUTO, *known],
        help=f"What splits the text into sentences; {AUTO} is {usual} for this language.",
        name="splitter",
    )
    return None if chosen == AUTO else chosen


def _with_content(document: Document) -> Document:
    """The document with the part of a web page that is asked for."""
    if document.format != "html":
        return document
    value = controls.loading_parameter(LoadParameters.lookup("content"))
    return document if value == "all" else _again(document.key, value, document)


@st.cache_resource(max_entries=16, ttl=6 * 3600, show_spinner="Finding the main text…")
def _again(key: str, content: str, _document: Document) -> Document:
    return loading.again(_document, LoadParameters(content=content))


def encoder() -> tuple[str, ChunkscopeError | None]:
    """The encoder, and why it is not the one that was asked for."""
    known = list(embedding.encoder_names())
    known += [name for name in os.environ.get("CHUNKSCOPE_ENCODERS", "").split(",") if name.strip()]
    chosen = controls.select(
        "Encoder",
        known,
        help="What turns sentences into vectors. A folder with a sentence-transformers model, or the name of one that "
        "is on this machine, can be typed, and openai:MODEL for an endpoint that you set up in the environment.",
        name="encoder",
        default=embedding.DEFAULT_ENCODER,
        accept_new_options=local(),
    )
    try:
        return _allowed(chosen), None
    except ChunkscopeError as error:
        return embedding.DEFAULT_ENCODER, error


def local() -> bool:
    """Whether the server answers this machine alone, so that visitors may name folders of it."""
    return st.get_option("server.address") in ("127.0.0.1", "localhost", "::1")


def _from_secrets() -> None:
    """Tell the engine of an endpoint that Streamlit's secrets name: ``OPENAI_BASE_URL`` and ``OPENAI_API_KEY``."""
    if not st.secrets.load_if_toml_exists():
        return
    address, key = (str(st.secrets.get(name, "")) for name in ("OPENAI_BASE_URL", "OPENAI_API_KEY"))
    if address or key:
        embedding.configure_endpoint(address or None, key or None)


def _allowed(name: str) -> str:
    """The encoder of that name, or the usual one until the user lets one that sends text away have it."""
    if is_endpoint(name):
        _from_secrets()
    about = embedding.describe_encoder(name)
    st.caption(markup.plain(about.about))
    if about.sends_to and not st.toggle(
        f"Send the text of documents to {markup.plain(about.sends_to)}", key=f"_send_to_{about.sends_to}"
    ):
        return embedding.DEFAULT_ENCODER
    return name
