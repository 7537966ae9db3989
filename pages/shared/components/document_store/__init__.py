"""The document store: gives the browser the text of a document, which the other components look up by its key.

Offsets are characters (Unicode code points) of the document's text in every component; the browser converts them.
"""

from __future__ import annotations

import zlib
from typing import TypedDict

import numpy as np
import streamlit as st

from chunking.document import BLOCK_KINDS
from chunking.runtime.arrays import AnyInts
from pages.shared.components.base import Bytes, Int32s, component, pack
from pages.shared.storage import forgetting

NO_KIND = len(BLOCK_KINDS)
"""Kind code of a sentence that lies in no block."""

_store = component("chunkscope_document_store", __file__, "document_store.js", isolate_styles=False)


class DocumentHead(TypedDict):
    """Names the document."""

    document: str


class DeflatedDocument(TypedDict):
    """A message of its own, compressed."""

    deflated: Bytes


class DocumentBody(TypedDict):
    """The content of a message: the text as UTF-16, spans and kinds of its sentences."""

    text: Bytes
    spans: Int32s
    kinds: Bytes
    astral: Int32s
    kind_names: list[str]


def document_store(
    key: str, text: str, spans: AnyInts, kinds: AnyInts | None = None, *, component_key: str = "document-store"
) -> None:
    """Give the browser a document. Draws nothing; call it once a run, before the components that show it.

    The message depends on ``key`` alone and is made once for it, so a run in which only a slider moved sends a
    reference of a few bytes.

    Args:
        key: content hash of text, spans and kinds; what the other components call ``document``.
        text: the document.
        spans: ``(n_sentences, 2)`` integers, half-open character spans, in order.
        kinds: ``(n_sentences,)`` integers, index of each sentence's block kind in ``chunking.document.BLOCK_KINDS``,
            or :data:`NO_KIND`. Code and tables are shown in a monospaced face, headings bold.
        component_key: Streamlit key of the element.
    """
    _store(key=component_key, data=_document_message(key, text, spans, kinds), height="content")


@forgetting.cleared_on_deletion
@st.cache_resource(max_entries=8, show_spinner=False)
def _document_message(key: str, _text: str, _spans: AnyInts, _kinds: AnyInts | None) -> bytes:
    # UTF-16 with "surrogatepass" keeps the length of the text even where it holds lone surrogates.
    code_points = np.frombuffer(_text.encode("utf-32-le", "surrogatepass"), dtype="<u4")
    kinds = np.full(len(_spans), NO_KIND) if _kinds is None else _kinds
    body: DocumentBody = {
        "text": np.frombuffer(_text.encode("utf-16-le", "surrogatepass"), dtype=np.uint8),
        "spans": np.asarray(_spans, dtype=np.int32).reshape(-1, 2),
        "kinds": kinds.astype(np.uint8),
        "astral": np.flatnonzero(code_points > 0xFFFF).astype(np.int32),
        "kind_names": [*BLOCK_KINDS, ""],
    }
    head: DocumentHead = {"document": key}
    deflated: DeflatedDocument = {"deflated": np.frombuffer(zlib.compress(pack({}, body), 1), dtype=np.uint8)}
    return pack(head, deflated)
