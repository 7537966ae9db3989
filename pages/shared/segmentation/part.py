"""Evaluate, the part on segmentation: strategies against true boundaries, over a set of documents."""

from __future__ import annotations

from typing import cast, get_args

import streamlit as st

from chunking import ChunkscopeError
from chunking.evaluation import Options
from chunking.evaluation.segmentation import Granularity
from chunking.loading.language import LANGUAGES
from chunking.workspace import Tools
from pages.shared.documents import reading
from pages.shared.frame import frame
from pages.shared.segmentation import data as evaluate_data
from pages.shared.segmentation import run as evaluate_run
from pages.shared.segmentation import views as evaluate_views
from pages.shared.segmentation.run import SegmentationRequest
from pages.shared.settings import controls, lane_settings

DEFAULT = lane_settings.SETS["Fused, and a few to compare"]
"""What is evaluated before the user chooses."""

_AS_GIVEN = "As the file says"
_CODES = {title: code for code, title in LANGUAGES.items()}


def choose() -> SegmentationRequest:
    """The controls of the sidebar, and what they ask for."""
    chosen = evaluate_data.choose()
    left, right = st.columns([3, 2], vertical_alignment="bottom")
    with left:
        granularity = cast(
            Granularity,
            st.segmented_control(
                "Granularity",
                get_args(Granularity),
                default=Options.granularity,
                required=True,
                **controls.bound("granularity", _GRANULARITY),
            ),
        )
    with right:
        tolerance = st.number_input("Tolerance", 0, 50, Options.tolerance, **controls.bound("f1_tolerance", _TOLERANCE))
    language = _language() if chosen.uploaded else None
    with st.expander("Models", icon=":material/translate:"):
        encoder, problem = reading.encoder()
        tokenizer = controls.tokenizer()
    if problem:
        frame.show_error(problem)
    settings = lane_settings.by_name(DEFAULT)
    return SegmentationRequest(
        chosen, settings, Options(granularity, int(tolerance), Tools(encoder, tokenizer), language)
    )


_GRANULARITY = (
    "default: each strategy cuts as often as it does. gold: every curve is cut at as many gaps as there are true "
    "boundaries, so that curves are compared and not thresholds."
)
_TOLERANCE = "How many gaps a cut may lie from a true boundary, in “F1 with tolerance”."


def _language() -> str | None:
    """The language of all documents, where the user knows better than the file."""
    title: str = st.selectbox(
        "Language",
        [_AS_GIVEN, *_CODES],
        **controls.bound("documents_language", "Of all documents. By default the file's (lang), else detected."),
    )
    return _CODES.get(title)


def show(asked: SegmentationRequest) -> None:
    """The evaluation, made now where it is not kept."""
    if not asked.settings:
        st.info("There is no strategy to evaluate. Add one in the sidebar, under “Strategies”.")
        return
    try:
        found = evaluate_run.run(asked)
    except ChunkscopeError as error:
        frame.show_error(error)
        return
    if found is None:
        return
    for name, problem in found.problems.items():
        frame.show_error(ChunkscopeError(f"{name}: {problem.problem}", problem.remedy))
    evaluate_views.head(asked, found)
    evaluate_views.chosen(asked, found)
