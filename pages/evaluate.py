"""Evaluate: strategies measured against what is known to be true."""

from __future__ import annotations

import streamlit as st

from pages.shared import evaluate_segmentation, frame, lane_settings, markup, own_documents

frame.routed("pages/evaluate.py")
frame.recall("pages/evaluate.py", (lane_settings.ADDRESS,))


def main() -> None:
    markup.style()
    with st.sidebar:
        asked = evaluate_segmentation.choose()
    own_documents.read_waiting()
    evaluate_segmentation.show(asked)


main()
