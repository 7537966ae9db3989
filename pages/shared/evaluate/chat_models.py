"""The chat model that texts may be sent to: the one that the server is configured with, or one that the user names."""

from __future__ import annotations

import os

import streamlit as st

from chunking import ChunkscopeError
from chunking.embedding import endpoint
from chunking.embedding.openai_client import make_endpoint
from chunking.retrieval.questions.chat import ChatModel
from pages.shared.documents import reading
from pages.shared.server import hosts
from pages.shared.state import SessionValue

MODEL_VARIABLE = "CHUNKSCOPE_QUESTION_MODEL"
"""The environment variable that names the model of the endpoint which may get texts; nothing is sent without it."""

_NAMED: SessionValue[tuple[str, str]] = SessionValue("_chat_model", lambda: ("", ""))
"""Address and name that the user entered, which no link can bring."""


def configured() -> tuple[ChatModel | None, ChunkscopeError | None]:
    """Return the model that the server is configured with, if any, and why it cannot be used."""
    name = os.environ.get(MODEL_VARIABLE, "").strip()
    if not name:
        return None, None
    try:
        reading.configure_from_secrets()
        return ChatModel(endpoint.current(), name), None
    except ChunkscopeError as error:
        return None, error


def choose() -> tuple[ChatModel | None, ChunkscopeError | None]:
    """Show where texts would be sent; return the model, if one is named, and why it cannot be used.

    Whoever may name files of the server may name an address as well. The key of the server goes to the address that it
    is configured for, and to no other.
    """
    if not hosts.may_name_paths():
        return configured()
    server_model, problem = configured()
    base_url, name = _NAMED.get()
    if server_model is not None:
        base_url, name = base_url or server_model.where.base_url, name or server_model.name
    left, right = st.columns([3, 2])
    base_url = left.text_input(
        "Address", base_url, max_chars=500, key="_chat_address", placeholder="http://localhost:11434/v1",
        help="Of any server with OpenAI's protocol: Ollama, llama.cpp, vLLM, … A key is sent to the address of "
        "OPENAI_BASE_URL alone.",
    ).strip()  # fmt: skip
    name = right.text_input(
        "Model", name, max_chars=200, key="_chat_model_name", placeholder="llama3.1", help="Its name at the address."
    ).strip()
    _NAMED.set((base_url, name))
    if not (base_url and name):
        return None, problem
    try:
        return ChatModel(make_endpoint(base_url, _key_for(base_url), "model", "the address"), name), None
    except ChunkscopeError as error:
        return None, error


def _key_for(base_url: str) -> str:
    """Return the key of the configured endpoint where this is its address; else none."""
    reading.configure_from_secrets()
    try:
        current = endpoint.current()
    except ChunkscopeError:
        return ""
    return current.key if current.base_url == base_url.rstrip("/") else ""
