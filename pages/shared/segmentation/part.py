"""The Boundaries part of Evaluate: strategies against reference boundaries, over a set of documents."""

from __future__ import annotations

from typing import cast, get_args

import streamlit as st

from chunking import ChunkscopeError
from chunking.evaluation import SegmentationOptions
from chunking.evaluation.segmentation import Granularity
from chunking.loading.language import LANGUAGES
from chunking.workspace import Tools
from pages.shared.documents import reading
from pages.shared.frame import frame, runs
from pages.shared.segmentation import data as evaluate_data
from pages.shared.segmentation import run as evaluate_run
from pages.shared.segmentation import views as evaluate_views
from pages.shared.segmentation.run import SegmentationRequest, SegmentationResult
from pages.shared.settings import controls, lane_settings

DEFAULT = lane_settings.SETS["Fused, and a few to compare"]
"""The strategies that are evaluated by default."""

_AS_GIVEN = "From the file"
_CODES = {title: code for code, title in LANGUAGES.items()}


def choose() -> SegmentationRequest:
    """Show the controls of the sidebar; return the evaluation that they ask for."""
    chosen = evaluate_data.choose()
    left, right = st.columns([3, 2], vertical_alignment="bottom")
    with left:
        granularity = cast(
            Granularity,
            controls.segments(
                "Granularity",
                get_args(Granularity),
                name="granularity",
                default=SegmentationOptions.granularity,
                help=_GRANULARITY,
            ),
        )
    with right:
        tolerance = controls.number(
            "Tolerance", 0, 50, SegmentationOptions.tolerance, name="f1_tolerance", help=_TOLERANCE
        )
    language = _language() if chosen.uploaded else None
    with st.expander("Models", icon=":material/translate:"):
        encoder, problem = reading.encoder()
        tokenizer = controls.tokenizer(encoder)
    if problem:
        frame.show_error(problem)
    settings = lane_settings.by_name(DEFAULT)
    return SegmentationRequest(
        chosen, settings, SegmentationOptions(granularity, int(tolerance), Tools(encoder, tokenizer), language)
    )


_GRANULARITY = (
    "default: each strategy makes as many cuts as it does in use. gold: every curve is cut at the true number of "
    "boundaries, so that curves are compared and not thresholds."
)
_TOLERANCE = "How many gaps a cut may be away from a reference boundary and still match, in “F1 with tolerance”."


def _language() -> str | None:
    """Return the language that the user sets for all documents, if any."""
    title = controls.select(
        "Language",
        [_AS_GIVEN, *_CODES],
        name="documents_language",
        help="The language of all documents. By default it is read from the file (lang), or else detected.",
    )
    return _CODES.get(title)


def show(request: SegmentationRequest) -> None:
    """Show the evaluation, from the cache or made now."""
    if not request.settings:
        frame.show_empty("No strategy is selected.", "Add one under “Strategies” in the sidebar.")
        return
    try:
        run = evaluate_run.run(request)
    except ChunkscopeError as error:
        frame.show_error(error)
        return
    if not runs.shown(run, lambda: evaluate_run.restart(request)):
        return
    result: SegmentationResult = run.result
    for name, problem in result.problems.items():
        frame.show_error(ChunkscopeError(f"{name}: {problem.problem}", problem.remedy))
    evaluate_views.head(request, result)
    evaluate_views.chosen(request, result)
