"""The Documents view: the score of each strategy on each document, the worst first, with links to the document."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
import streamlit as st

from chunking.evaluation import table
from chunking.evaluation.segmentation import BASELINES, MEASURES, OUTER
from chunking.report.formatting import percent
from chunking.report.theme import LIGHT
from chunking.runtime.arrays import Float64, Int64
from chunking.strategies import Setting
from pages.shared import state
from pages.shared.components.glossary import columns as table_columns
from pages.shared.documents import documents
from pages.shared.documents.own_documents import CHOICE
from pages.shared.segmentation.run import SegmentationRequest, SegmentationResult
from pages.shared.settings import lane_settings, strategy_settings

_TABLE = "_evaluate_documents"
_MAX_COLOURED = 50_000
"""Cells above which colours would slow the browser down."""


def show(request: SegmentationRequest, result: SegmentationResult) -> None:
    """Show the F1 of each document with each strategy; a cell links to the document with that strategy."""
    names = [name for name in table.ranked(result.shown) if name not in BASELINES]
    values = np.stack([_row(result, name) for name in names], axis=1)
    order = _worst_first(values)
    given = result.evaluation.data.documents
    st.caption(
        "Boundary F1 in %, worst documents first; empty where a document has no reference boundary or failed. Select a "
        "cell to open the document with that strategy."
    )
    event = st.dataframe(
        _frame(result, names, values, order),
        key=_TABLE,
        on_select="rerun",
        selection_mode="single-cell",
        hide_index=True,
        height=min(480, 38 + 35 * len(order)),
        column_config=_columns(request, names),
    )
    cells = cast(Any, event).selection.cells
    if cells and cells[0][0] < len(order):
        row, column = cells[0]
        place = int(order[row])
        _chosen(request, result, given[place].id, place, column if column in names else names[0])


def _row(result: SegmentationResult, name: str) -> Float64:
    return next(row.values["f1"] for row in result.evaluation.rows if row.name == name)


def _worst_first(values: Float64) -> Int64:
    """Return the order of documents by their mean over strategies; those without a value come last."""
    counts = np.isfinite(values).sum(axis=1)
    means = np.divide(np.nansum(values, axis=1), counts, out=np.full(len(values), np.inf), where=counts > 0)
    return np.argsort(means, kind="stable")


def _frame(result: SegmentationResult, names: list[str], values: Float64, order: Int64) -> Any:
    """Return the table; the bluer a cell, the better its F1."""
    import pandas as pd  # type: ignore[import-untyped]

    given = result.evaluation.data.documents
    frame = pd.DataFrame(
        {
            _DOCUMENT: [given[place].id for place in order],
            _SENTENCES: [len(given[place].units) for place in order],
            _REFERENCE: [len(given[place].gold) for place in order],
        }
        | {name: 100 * values[order, column] for column, name in enumerate(names)}
    )
    if frame.size > _MAX_COLOURED:
        return frame
    return frame.style.map(_colour, subset=names)


_DOCUMENT, _SENTENCES, _REFERENCE = "document", "units", "reference"


def _colour(value: float) -> str:
    # Translucent, so that it fits the background of either theme.
    return "" if np.isnan(value) else f"background-color: {LIGHT.semantic}{round(0.6 * 2.55 * value):02x}"


def _columns(request: SegmentationRequest, names: list[str]) -> dict[str, Any]:
    given = {
        _DOCUMENT: st.column_config.TextColumn(_DOCUMENT, width="medium", pinned=True),
        _SENTENCES: st.column_config.NumberColumn(_SENTENCES, width=70, help="Sentences or blocks"),
        _REFERENCE: st.column_config.NumberColumn(_REFERENCE, width=80, help="Reference boundaries"),
    }
    for name in names:
        about = _setting(request, name).strategy.summary
        given[name] = st.column_config.NumberColumn(name, format="%.0f", width=110, help=about)
    return table_columns.explained(given, given)


def _setting(request: SegmentationRequest, name: str) -> Setting:
    """Return the setting of a row."""
    return request.settings[name.removesuffix(OUTER)]


def _chosen(request: SegmentationRequest, result: SegmentationResult, document: str, place: int, name: str) -> None:
    """Show the scores of a strategy on a document, with links to the document."""
    row = next(row for row in result.evaluation.rows if row.name == name)
    figures = [
        f"{measure.title} {percent(value)}"
        for key, measure in MEASURES.items()
        if np.isfinite(value := float(row.values[key][place]))
    ]
    st.text(f"{document}, {name}: {', '.join(figures) or 'no score'}.")
    if request.chosen.uploaded or not (request.chosen.set_id or document in documents.names()):
        return
    setting = _setting(request, name)
    with st.container(horizontal=True):
        if setting.strategy.name in strategy_settings.CURVED:
            st.button("Open in Inspect", on_click=_inspect, args=(document, setting), icon=":material/query_stats:")
        st.button("Open in Compare", on_click=_compare, args=(document, setting), icon=":material/view_column:")


def _inspect(document: str, setting: Setting) -> None:
    state.go("pages/inspect.py", {CHOICE: document, strategy_settings.KEY: setting.text})


def _compare(document: str, setting: Setting) -> None:
    state.go("pages/compare.py", {CHOICE: document, lane_settings.ADDRESS: setting.text})
