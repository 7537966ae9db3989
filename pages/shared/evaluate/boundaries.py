"""The Boundaries part of Evaluate: strategies against reference boundaries, over a set of documents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import PurePath
from typing import cast, get_args

import numpy as np
import streamlit as st

from chunking import ChunkscopeError, export
from chunking.evaluation import SegmentationOptions, own, report, table
from chunking.evaluation.results import RATIO, SegmentationSummary
from chunking.evaluation.segmentation import MEASURES, OUTER, Granularity
from chunking.evaluation.summary import PER_DOCUMENT, per_document
from chunking.loading.language import LANGUAGES
from chunking.report.formatting import percent
from chunking.runtime.arrays import Float64, Int64
from chunking.strategies import Setting
from pages.shared import state
from pages.shared.documents import documents, exports
from pages.shared.documents.exports import Download, as_json
from pages.shared.documents.session_documents import CHOICE
from pages.shared.evaluate import boundary_jobs, boundary_verdict, data_sets, stability
from pages.shared.evaluate.boundary_jobs import SegmentationRequest, SegmentationResult
from pages.shared.evaluate.report_parts import block, choose_models, notes_block, score_column, score_table
from pages.shared.frame import frame, markup, runs
from pages.shared.settings import controls, lane_settings, strategy_settings
from pages.shared.settings.strategy_settings import CURVED

DEFAULT = lane_settings.SETS["Fused, and a few to compare"]
"""The strategies that are evaluated by default."""

VIEWS = ("Verdict", "Figures", "Differences", "Groups", "Documents", "Edits", "Notes", "How it is measured")

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
    models = choose_models()
    settings = lane_settings.by_name(DEFAULT)
    return SegmentationRequest(choice, settings, SegmentationOptions(granularity, int(tolerance), models, language))


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
    _head(request, result)
    _show_view(request, result)


# --- results ----------------------------------------------------------------------------------------------------------


def _head(request: SegmentationRequest, result: SegmentationResult) -> None:
    """Show the data set, the export, and strategies that failed."""
    summary = result.summary
    with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"):
        data = summary.data
        figures = [
            markup.figure(data.documents, "document"),
            markup.figure(data.units, "unit" if request.choice.is_uploaded else "sentence"),
            markup.figure(data.gold_boundaries, "reference boundary", "reference boundaries"),
            _best(summary),
        ]
        title = markup.escape(data.name)
        about = markup.escape(table.headline(summary).partition(": ")[2])
        markup.show(f'<b title="{about}">{title}</b><div class="cs-figures">{"".join(figures)}</div>', width="content")
        _show_exports(request, result)
    for name, row in summary.strategies.items():
        if len(row.failed) == summary.data.documents:
            why = row.failed[0].what
            frame.show_error(ChunkscopeError(f"{name} failed on every document.", why))


def _best(summary: SegmentationSummary) -> str:
    """Return the best F1 and its strategy as HTML; nothing where no strategy has one."""
    for name in summary.ranked_strategies:
        f1 = summary.strategies[name].measures["f1"].mean
        if f1 is not None:
            words = f"% best boundary F1 ({name})"
            return markup.figure(percent(f1), words, words, term="boundary F1")
    return ""


def _show_view(request: SegmentationRequest, result: SegmentationResult) -> None:
    """Show the selected view."""
    offered = [view for view in VIEWS if view != "Groups" or result.summary.groups]
    view = controls.segments("View", offered, name="result", label_visibility="collapsed")
    summary = result.summary
    if view == "Verdict":
        _show_verdict(request, result)
        return
    if view == "Edits":
        stability.show(request)
        return
    block(report.results(summary))
    if view == "Figures":
        _figure(summary)
    elif view == "Differences":
        _differences(summary)
    elif view == "Groups":
        block(
            "<p>F1 / Pk, in %, with 95 % intervals; in parentheses the number of documents.</p>"
            f"{report.groups(summary)}"
        )
    elif view == "Documents":
        _show_documents(request, result)
    elif view == "Notes":
        _notes(summary)
    else:
        block(f"<p>{markup.escape(report.method(summary))}</p>{report.definitions()}")


def _show_verdict(request: SegmentationRequest, result: SegmentationResult) -> None:
    """Show the verdict, with links to the document whose places it shows."""
    document = boundary_verdict.show(result)
    if document is not None:
        _link(request, document.id, list(result.summary.ranked_strategies[:2]))


def _measure(titles: dict[str, str]) -> str:
    """Return the measure that is shown, the same for all views."""
    by_title = {title: name for name, title in titles.items()}
    title = controls.segments("Measure", list(by_title), name="figure", label_visibility="collapsed")
    return by_title[title]


def _figure(summary: SegmentationSummary) -> None:
    name = _measure(report.TITLES)
    legend = f"{report.DEFINITIONS[name]} Dot: mean; bar: 95 % interval; dashed: {report.MARKS[name]}."
    block(f'<p class="legend">{markup.escape(legend)}</p>{report.figure(summary, name)}')


def _differences(summary: SegmentationSummary) -> None:
    ranked = summary.ranked
    left, right = st.columns([2, 5], vertical_alignment="bottom")
    with left:
        other = controls.select("Compared with", ranked, name="against", help="The baseline of the differences.")
    with right:
        name = _measure({name: title for name, title in report.TITLES.items() if name != RATIO})
    better = (
        "Left of the line is better (an error measure)." if MEASURES[name].error else "Right of the line is better."
    )
    legend = f"Paired differences in percentage points: mean with its simultaneous 95 % interval. {better}"
    block(
        f'<p class="legend">{markup.escape(legend)}</p>{report.difference_figure(summary, name, other)}'
        f"{report.differences(summary, other)}"
    )


def _notes(summary: SegmentationSummary) -> None:
    left_out = ("Documents that were corrected or left out", report.lines(summary.data))
    notes_block(summary.notes, [("Failures", report.failures(summary)), left_out])


# --- exports -------------------------------------------------------------------------------------------------------


def _show_exports(request: SegmentationRequest, result: SegmentationResult) -> None:
    """Show the popover with downloads and the evaluation as code; each file is made when its button is pressed."""
    popover = exports.popover("_evaluate_export")
    if not popover.open:
        return
    data, summary = result.evaluation.data, result.summary
    stem = PurePath(data.name).stem.replace(" ", "-")
    path = data.name if request.choice.is_uploaded else f"{stem}.jsonl"
    line = report.command_line(path, request.settings, request.options)
    alone = request.choice.is_uploaded or not request.choice.layout
    code = "" if request.choice.is_uploaded else _code(request)

    def documents_csv() -> str:
        return export.table(per_document(result.evaluation), PER_DOCUMENT)

    files: list[Download] = [
        ("Report, HTML", f"{stem}-report.html", "text/html", lambda: report.page(summary, line if alone else code)),
        ("Results, JSON", f"{stem}-results.json", "application/json", lambda: as_json(summary.as_dict())),
        ("Per document, CSV", f"{stem}-documents.csv", "text/csv", documents_csv),
        ("Data set, JSONL", path, "application/jsonl", lambda: own.jsonl(data)),
    ]
    with popover:
        exports.downloads(files, "_evaluate", columns=2)
        if alone:
            st.caption("The same on the command line")
            st.code(line, "bash", wrap_lines=True)
        else:
            st.caption("The same in Python. The exported data set holds only sentences, without their layout.")
            st.code(code, "python", height=260)


def _code(request: SegmentationRequest) -> str:
    """Return a program that evaluates the same documents, with their layout."""
    if request.choice.name == own.SAMPLES:
        return own.code(None, request.settings, request.options)
    boundaries_by_path = {opened.path: boundaries for opened, boundaries in data_sets.with_reference(request.choice)}
    return own.code(boundaries_by_path, request.settings, request.options)


# ---- the score of each strategy on each document


def _show_documents(request: SegmentationRequest, result: SegmentationResult) -> None:
    """Show the F1 of each document with each strategy; a cell links to the document with that strategy."""
    rows = {row.name: row.values for row in result.evaluation.rows}
    names = result.summary.ranked_strategies
    order = _worst_first(np.stack([rows[name]["f1"] for name in names], axis=1))
    documents_ = [result.evaluation.data.documents[index] for index in order]
    st.caption(
        "Boundary F1 in %, worst documents first; empty where a document has no reference boundary or failed. Select a "
        "cell to open the document with that strategy."
    )
    column = st.column_config
    config = {
        "document": column.TextColumn("document", width="medium", pinned=True),
        "units": column.NumberColumn("units", width=70, help="Sentences or blocks"),
        "reference": column.NumberColumn("reference", width=80, help="Reference boundaries"),
    } | {name: score_column(name, _setting(request, name).strategy.summary) for name in names}
    columns = {
        "document": [document.id for document in documents_],
        "units": [len(document.units) for document in documents_],
        "reference": [len(document.reference) for document in documents_],
    }
    scores = {name: rows[name]["f1"][order] for name in names}
    selection = score_table("_evaluate_documents", columns, scores, config, selection="single-cell", height=480)
    if selection.cells and selection.cells[0][0] < len(order):
        number, name = selection.cells[0]
        name = name if name in names else names[0]
        _show_document(
            request, documents_[number].id, name, {key: row[order[number]] for key, row in rows[name].items()}
        )


def _worst_first(values: Float64) -> Int64:
    """Return the order of documents by their mean over strategies; those without a value come last."""
    counts = np.isfinite(values).sum(axis=1)
    means = np.divide(np.nansum(values, axis=1), counts, out=np.full(len(values), np.inf), where=counts > 0)
    return np.argsort(means, kind="stable")


def _setting(request: SegmentationRequest, name: str) -> Setting:
    """Return the setting of a row."""
    return request.settings[name.removesuffix(OUTER)]


def _show_document(request: SegmentationRequest, document: str, name: str, scores: Mapping[str, float]) -> None:
    """Show the scores of a strategy on a document, with links to the document."""
    figures = [
        f"{measure.title} {percent(float(scores[key]))}"
        for key, measure in MEASURES.items()
        if np.isfinite(scores[key])
    ]
    st.text(f"{document}, {name}: {', '.join(figures) or 'no score'}.")
    _link(request, document, [name])


def _link(request: SegmentationRequest, document: str, names: Sequence[str]) -> None:
    """Show links to a document: to Inspect with the first strategy, where it has curves, and to Compare with all."""
    if request.choice.is_uploaded or not (request.choice.set_id or document in documents.names()):
        return
    settings = [_setting(request, name) for name in names]
    lines = ",".join(dict.fromkeys(setting.text for setting in settings))
    links = [("Compare", "view_column", lane_settings.ADDRESS, lines)]
    if settings[0].strategy.name in CURVED:
        links.insert(0, ("Inspect", "query_stats", strategy_settings.KEY, settings[0].text))
    with st.container(horizontal=True):
        for page_title, icon, parameter, text in links:
            st.button(
                f"Open in {page_title}", icon=f":material/{icon}:", on_click=state.go,
                args=(f"pages/{page_title.lower()}.py", {CHOICE: document, parameter: text}),
            )  # fmt: skip
