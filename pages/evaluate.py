"""Evaluate: strategies measured against what is known to be true."""

from __future__ import annotations

import streamlit as st

from pages.shared import state
from pages.shared.documents import own_documents
from pages.shared.frame import frame
from pages.shared.retrieval import part as retrieval_part
from pages.shared.retrieval.jobs import RetrievalRequest
from pages.shared.segmentation import part as evaluate_segmentation
from pages.shared.settings import controls

frame.routed("pages/evaluate.py")

BOUNDARIES, RETRIEVAL = "Boundaries", "Retrieval"


def main() -> None:
    with st.sidebar:
        part = controls.segments("Measured by", (BOUNDARIES, RETRIEVAL), name="measured", width="stretch", help=_PARTS)
        request = retrieval_part.choose() if part == RETRIEVAL else evaluate_segmentation.choose()
    state.current().write()
    own_documents.read_waiting()
    if isinstance(request, RetrievalRequest):
        retrieval_part.show(request)
    else:
        evaluate_segmentation.show(request)


_PARTS = "Boundaries: are cuts where a person would cut? Retrieval: do questions find their answers?"

frame.run(main)
