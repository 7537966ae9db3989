"""What it costs to bring an index of all documents of a collection from one setting to those that are shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce
from operator import add

import streamlit as st

from chunking import ChunkscopeError, strategies
from chunking.retrieval.update_cost import UpdateCost, embedded_chunks, update_cost
from chunking.strategies import Setting
from chunking.workspace import DocumentAnalysis
from pages.shared.documents import results, update_costs
from pages.shared.documents.session_documents import OpenDocument
from pages.shared.frame import frame

_LINE = "_cost_indexed"
_SHOWN = 40
"""Documents that have a row of their own, those that cost most first."""


def show(
    open_documents: Sequence[OpenDocument],
    workspaces: Mapping[str, DocumentAnalysis],
    settings: Mapping[str, Setting],
    page_setting: Setting,
) -> None:
    """Show the popover with the cost; nothing is computed before it is opened.

    Args:
        open_documents: the documents.
        workspaces: by the name of the document.
        settings: that are shown, by the name of the document.
        page_setting: of the documents without one of their own.
    """
    popover = frame.popover("Cost of a change", "_collection_cost", icon="payments", width="content")
    if not popover.open:
        return
    with popover:
        line = st.text_input(
            "In the index now", value="structural", key=_LINE,
            help="The setting of the chunks in the index: NAME:KEY=VALUE;KEY=VALUE. Those of this page take its place.",
        )  # fmt: skip
        cents = update_costs.rate()
        try:
            indexed = strategies.parse(line or page_setting.text)
            costs = _costs(open_documents, workspaces, settings, indexed)
        except ChunkscopeError as error:
            frame.show_error(error)
            return
        if not costs:
            frame.show_empty("No document is measured yet.", "The costs are here once the list has its figures.")
            return
        total = reduce(add, (single for _, single in costs))
        dearest = sorted(costs, key=lambda row: -row[1].embedded)[:_SHOWN]
        update_costs.show_table("document", [(f"All {len(costs):,}", total), *dearest], cents)


def _costs(
    open_documents: Sequence[OpenDocument],
    workspaces: Mapping[str, DocumentAnalysis],
    settings: Mapping[str, Setting],
    indexed: Setting,
) -> list[tuple[str, UpdateCost]]:
    """Return the cost of each document that is measured.

    Raises:
        ChunkscopeError: a setting cannot be used on a document.
    """
    costs = []
    for opened in open_documents:
        workspace, shown = workspaces[opened.name], settings[opened.name]
        windows = {*shown.windows, *indexed.windows}
        if not all(workspace.has_vectors(window) for window in windows):
            continue
        kept, tokenizer = results.of(workspace), workspace.tools.tokenizer
        before, after = (
            embedded_chunks(kept.get(workspace, setting).segmentation, tokenizer) for setting in (indexed, shown)
        )
        costs.append((opened.title, update_cost(before, after)))
    return costs
