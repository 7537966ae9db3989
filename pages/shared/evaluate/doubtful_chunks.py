"""Checks of the open document's chunks that need no questions: an expander below the question editor."""

from __future__ import annotations

from functools import partial

import streamlit as st

from chunking import ChunkscopeError
from chunking.checks import KINDS, CheckReport, checks
from chunking.checks.reports import MEANING
from chunking.comparison import chunk_sizes
from chunking.comparison.report import ComparisonEntry
from chunking.workspace import DocumentAnalysis
from pages.shared.components.glossary import columns as table_columns
from pages.shared.documents import documents, embedding, results
from pages.shared.documents.session_documents import OpenDocument
from pages.shared.evaluate.retrieval_jobs import RetrievalRequest
from pages.shared.frame import frame, markup


def show(opened: OpenDocument, request: RetrievalRequest) -> None:
    """Show the expander; no check runs before it is opened."""
    fold = st.expander("Doubtful chunks (no questions needed)", icon=":material/rule:", key="_check", on_change="rerun")
    if not fold.open:
        return
    with fold:
        tools = request.options.tools
        workspace = documents.workspace(opened, tools).with_tokenizer(tools.tokenizer)
        windows = sorted({window for setting in request.settings.values() for window in setting.windows})
        if embedding.ready(workspace, windows):
            _findings(workspace, request)


def _findings(workspace: DocumentAnalysis, request: RetrievalRequest) -> None:
    cache = results.of(workspace)
    reports: dict[str, tuple[ComparisonEntry, CheckReport]] = {}
    for name, setting in request.settings.items():
        try:
            entry = cache.get(workspace, setting)
        except ChunkscopeError as error:
            frame.show_error(ChunkscopeError(f"{setting.title}: {error.problem}", error.remedy))
            continue
        reports[name] = (entry, cache.derive("check", [entry], partial(checks.check, entry.segmentation, workspace)))
    if not reports:
        return
    st.caption("Share of chunks with each finding. A finding is a hint, not necessarily a fault.")
    summaries = {name: report.summary() for name, (_, report) in reports.items()}
    columns: dict[str, list[object]] = {
        "strategy": list(reports),
        "chunks": [report.chunks for _, report in reports.values()],
        **{MEANING[kind]: [100 * summaries[name][kind]["share"] for name in reports] for kind in KINDS},
    }
    share = {
        title: st.column_config.ProgressColumn(title, min_value=0, max_value=100, format="%.0f %%")
        for title in MEANING.values()
    }
    st.dataframe(columns, hide_index=True, column_config=table_columns.explained(columns, share))
    name = st.selectbox("Findings for", list(reports), key="_check_of", format_func=markup.plain)
    _listed(workspace, reports[name][1])


def _listed(workspace: DocumentAnalysis, report: CheckReport) -> None:
    """Show each finding with the beginning of its chunk."""
    for kind, why in report.unseen:
        st.caption(f"“{MEANING[kind]}” was not checked: {markup.plain(why)}")
    if not report.findings:
        frame.show_empty("No doubtful chunks were found.", "Choose another strategy above to see its findings.")
        return
    text = workspace.document.text
    columns: dict[str, list[object]] = {
        "chunk": [finding.chunk + 1 for finding in report.findings],
        "finding": [MEANING[finding.kind] for finding in report.findings],
        "reason": [
            finding.reason + ("" if finding.other is None else f" with chunk {finding.other + 1}")
            for finding in report.findings
        ],
        "beginning": [chunk_sizes.first_words(text, finding.start, finding.end) for finding in report.findings],
    }
    st.dataframe(columns, hide_index=True, column_config=table_columns.explained(columns))
