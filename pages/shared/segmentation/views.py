"""The results of an evaluation against reference boundaries: table, figures, differences, documents, and exports."""

from __future__ import annotations

import json
from dataclasses import fields
from pathlib import PurePath
from typing import Any

import streamlit as st

from chunking import ChunkscopeError, export
from chunking.evaluation import own, report, table
from chunking.evaluation.segmentation import BASELINES, MEASURES
from chunking.evaluation.summary import PER_DOCUMENT, RATIO, per_document
from chunking.report import html
from chunking.report.formatting import percent
from chunking.report.theme import Palette
from pages.shared.frame import frame, markup
from pages.shared.segmentation import data as evaluate_data
from pages.shared.segmentation import documents as evaluate_documents
from pages.shared.segmentation.run import SegmentationRequest, SegmentationResult
from pages.shared.settings import controls

VIEWS = ("Figures", "Differences", "Groups", "Documents", "Notes", "How it is measured")
NO_NOTES = "<p>There are no notes: nothing was corrected, left out or failed.</p>"
_SCOPE = ".cs .evaluation"


def block(body: str) -> None:
    """Show tables and figures of a report in the colours of the page."""
    colors = " ".join(f"--{role.name}: var(--cs-{role.name});" for role in fields(Palette))
    markup.show(f'<style>{_SCOPE} {{{colors}}} {html.style(_SCOPE)}</style><div class="evaluation">{body}</div>')


def head(request: SegmentationRequest, result: SegmentationResult) -> None:
    """Show the data set, the export, strategies that failed, and the table."""
    shown = result.shown
    with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"):
        data = shown["data"]
        figures = [
            markup.figure(data["documents"], "document"),
            markup.figure(data["units"], "unit" if request.chosen.uploaded else "sentence"),
            markup.figure(data["gold_boundaries"], "reference boundary", "reference boundaries"),
            _best(shown),
        ]
        title = markup.escape(data["name"])
        about = markup.escape(table.headline(shown).partition(": ")[2])
        markup.show(f'<b title="{about}">{title}</b><div class="cs-figures">{"".join(figures)}</div>', width="content")
        exports(request, result)
    for name, row in shown["strategies"].items():
        if len(row["failed"]) == shown["data"]["documents"]:
            why = row["failed"][0]["what"]
            frame.show_error(ChunkscopeError(f"{name} failed on every document.", why))
    block(report.results(shown))


def _best(shown: dict[str, Any]) -> str:
    """Return the best F1 and its strategy as HTML; nothing where no strategy has one."""
    for name in table.ranked(shown):
        row = shown["strategies"][name]
        if name not in BASELINES and row["f1"] is not None:
            words = f"% best boundary F1 ({name})"
            return markup.figure(percent(row["f1"]), words, words, term="boundary F1")
    return ""


def chosen(request: SegmentationRequest, result: SegmentationResult) -> None:
    """Show the selected view."""
    offered = [view for view in VIEWS if view != "Groups" or result.shown["groups"]]
    view = controls.segments("View", offered, name="result", label_visibility="collapsed")
    shown = result.shown
    if view == "Figures":
        _figure(shown)
    elif view == "Differences":
        _differences(shown)
    elif view == "Groups":
        block(
            f"<p>F1 / Pk, in %, with 95 % intervals; in parentheses the number of documents.</p>{report.groups(shown)}"
        )
    elif view == "Documents":
        evaluate_documents.show(request, result)
    elif view == "Notes":
        _notes(shown)
    else:
        block(f"<p>{markup.escape(report.method(shown))}</p>{report.definitions()}")


def _measure(titles: dict[str, str]) -> str:
    """Return the measure that is shown, the same for all views."""
    by_title = {title: name for name, title in titles.items()}
    title = controls.segments("Measure", list(by_title), name="figure", label_visibility="collapsed")
    return by_title[title]


def _figure(shown: dict[str, Any]) -> None:
    name = _measure(report.TITLES)
    legend = f"{report.DEFINITIONS[name]} Dot: mean; bar: 95 % interval; dashed: {report.MARKS[name]}."
    block(f'<p class="legend">{markup.escape(legend)}</p>{report.figure(shown, name)}')


def _differences(shown: dict[str, Any]) -> None:
    ranked = table.ranked(shown)
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
        f'<p class="legend">{markup.escape(legend)}</p>{report.difference_figure(shown, name, other)}'
        f"{report.differences(shown, other)}"
    )


def _notes(shown: dict[str, Any]) -> None:
    parts = [html.bullets(shown["notes"]) or NO_NOTES]
    for title, content in (
        ("Failures", report.failures(shown)),
        ("Documents that were corrected or left out", report.lines(shown["data"])),
    ):
        if content:
            parts.append(f"<p><b>{title}</b></p>{content}")
    block("".join(parts))


# --- exports -------------------------------------------------------------------------------------------------------


def exports(request: SegmentationRequest, result: SegmentationResult) -> None:
    """Show the popover with downloads and the evaluation as code; each file is made when its button is pressed."""
    popover = st.popover(
        "Export", icon=":material/download:", width="content", key="_evaluate_export", on_change="rerun"
    )
    if not popover.open:
        return
    data = result.evaluation.data
    stem = PurePath(data.name).stem.replace(" ", "-")
    path = data.name if request.chosen.uploaded else f"{stem}.jsonl"
    line = report.command_line(path, request.settings, request.options)
    alone = request.chosen.uploaded or not request.chosen.layout
    code = "" if request.chosen.uploaded else _code(request)
    downloads = {
        "Report, HTML": (
            f"{stem}-report.html", "text/html", lambda: report.page(result.shown, line if alone else code)
        ),
        "Results, JSON": (
            f"{stem}-results.json", "application/json", lambda: json.dumps(result.shown, ensure_ascii=False, indent=2)
        ),
        "Per document, CSV": (
            f"{stem}-documents.csv", "text/csv", lambda: export.table(per_document(result.evaluation), PER_DOCUMENT)
        ),
        "Data set, JSONL": (path, "application/jsonl", lambda: own.jsonl(data)),
    }  # fmt: skip
    with popover:
        halves = st.columns(2)
        for place, (label, (name, mime, make)) in enumerate(downloads.items()):
            halves[place % 2].download_button(
                label, make, name, mime, key=f"_evaluate_{label}", on_click="ignore", width="stretch"
            )
        if alone:
            st.caption("The same on the command line")
            st.code(line, "bash", wrap_lines=True)
        else:
            st.caption("The same in Python. The exported data set holds only sentences, without their layout.")
            st.code(code, "python", height=260)


def _code(request: SegmentationRequest) -> str:
    """Return a program that evaluates the same documents, with their layout."""
    if request.chosen.name == own.SAMPLES:
        return own.code(None, request.settings, request.options)
    given = {opened.path: gold for opened, gold in evaluate_data.with_reference(request.chosen)}
    return own.code(given, request.settings, request.options)
