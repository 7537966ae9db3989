"""The Boundaries part of Evaluate: strategies against reference boundaries, over a set of documents."""

from __future__ import annotations

from typing import cast, get_args

from chunking import ChunkscopeError
from chunking.evaluation import SegmentationOptions
from chunking.evaluation.segmentation import Granularity
from chunking.loading.language import LANGUAGES
from chunking.workspace import Models
from pages.shared.evaluate import boundary_jobs, boundary_results, data_sets
from pages.shared.evaluate.boundary_jobs import SegmentationRequest, SegmentationResult
from pages.shared.evaluate.report_parts import choose_models
from pages.shared.frame import frame, runs
from pages.shared.settings import controls, lane_settings

DEFAULT = lane_settings.SETS["Fused, and a few to compare"]
"""The strategies that are evaluated by default."""

_AS_GIVEN = "From the file"
_GRANULARITY_TITLES = {"default": "own", "gold": "reference"}


def choose() -> SegmentationRequest:
    """Show the controls of the sidebar; return the evaluation that they ask for."""
    choice = data_sets.choose()
    granularity = cast(
        Granularity,
        controls.segments(
            "Granularity",
            get_args(Granularity),
            name="granularity",
            default=SegmentationOptions.granularity,
            help=_GRANULARITY,
            titles=_GRANULARITY_TITLES.__getitem__,
        ),
    )
    tolerance = controls.number("Tolerance", 0, 50, SegmentationOptions.tolerance, name="f1_tolerance", help=_TOLERANCE)
    language = _language() if choice.is_uploaded else None
    encoder, tokenizer = choose_models()
    settings = lane_settings.by_name(DEFAULT)
    return SegmentationRequest(
        choice, settings, SegmentationOptions(granularity, int(tolerance), Models(encoder, tokenizer), language)
    )


_GRANULARITY = (
    "own: each strategy makes as many cuts as it does in use. reference: every curve is cut at the number "
    "of boundaries of the reference, so that curves are compared and not thresholds."
)
_TOLERANCE = "How many gaps a cut may be away from a reference boundary and still match, in “F1 with tolerance”."


def _language() -> str | None:
    """Return the language that the user sets for all documents, if any."""
    code = controls.select(
        "Language",
        [_AS_GIVEN, *LANGUAGES],
        titles=lambda code: LANGUAGES.get(code, code),
        name="documents_language",
        help="The language of all documents. By default it is read from the file (lang), or else detected.",
    )
    return None if code == _AS_GIVEN else code


def show(request: SegmentationRequest) -> None:
    """Show the evaluation, from the cache or made now."""
    if not request.settings:
        frame.show_empty("No strategy is selected.", "Add one under “Strategies” in the sidebar.")
        return
    try:
        run = boundary_jobs.run_of(request)
    except ChunkscopeError as error:
        frame.show_error(error)
        return
    if not runs.show_unless_done(run, lambda: boundary_jobs.restart(request)):
        return
    result: SegmentationResult = run.result
    for name, problem in result.problems.items():
        frame.show_error(ChunkscopeError(f"{name}: {problem.problem}", problem.remedy))
    boundary_results.head(request, result)
    boundary_results.show_view(request, result)
