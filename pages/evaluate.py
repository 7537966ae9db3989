"""Evaluate: strategies measured against what is known to be true."""

from __future__ import annotations

import streamlit as st

from pages.shared import state
from pages.shared.documents import add_documents
from pages.shared.evaluate import boundaries, retrieval
from pages.shared.evaluate.retrieval_jobs import RetrievalRequest
from pages.shared.frame import frame
from pages.shared.settings import controls

frame.require_app_frame("pages/evaluate.py")

BOUNDARIES, RETRIEVAL = "Boundaries", "Retrieval"


def main() -> None:
    with st.sidebar:
        part = controls.segments("Measured by", (BOUNDARIES, RETRIEVAL), name="measured", width="stretch", help=_PARTS)
        request = retrieval.choose() if part == RETRIEVAL else boundaries.choose()
    state.address().write()
    add_documents.read_waiting()
    if isinstance(request, RetrievalRequest):
        retrieval.show(request)
    else:
        boundaries.show(request)


_PARTS = "Boundaries: are cuts where a person would cut? Retrieval: do questions find their answers?"

frame.run(main)
