"""Evaluate: strategies measured against what is known to be true."""

from __future__ import annotations

import streamlit as st

from pages.shared.documents import own_documents
from pages.shared.frame import frame, markup
from pages.shared.retrieval import part as retrieval_part
from pages.shared.retrieval import rows as retrieval_rows
from pages.shared.retrieval.jobs import RetrievalRequest
from pages.shared.segmentation import part as evaluate_segmentation
from pages.shared.settings import controls, lane_settings

frame.routed("pages/evaluate.py")
frame.recall("pages/evaluate.py", (lane_settings.ADDRESS, retrieval_rows.QUESTION))

BOUNDARIES, RETRIEVAL = "Boundaries", "Retrieval"


def main() -> None:
    markup.style()
    with st.sidebar:
        part = st.segmented_control(
            "Measured by", (BOUNDARIES, RETRIEVAL), default=BOUNDARIES, required=True, width="stretch",
            **controls.bound("measured", _PARTS),
        )  # fmt: skip
        request = retrieval_part.choose() if part == RETRIEVAL else evaluate_segmentation.choose()
    own_documents.read_waiting()
    if isinstance(request, RetrievalRequest):
        retrieval_part.show(request)
    else:
        evaluate_segmentation.show(request)


_PARTS = "Boundaries: are cuts where a person would cut? Retrieval: do questions find their answers?"

main()
