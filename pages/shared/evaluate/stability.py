"""The Edits view of Evaluate: the share of the chunks that changes when one word is inserted, over a data set."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import streamlit as st

from chunking.jobs.queue import Job
from chunking.report.html import explained
from chunking.retrieval.edit_stability import PLACES, EditStability, edit_stability
from chunking.runtime.progress import Tell
from chunking.runtime.wording import plural
from chunking.strategies import Setting
from pages.shared.documents import documents
from pages.shared.evaluate import boundary_jobs, data_sets, passages, verdict_rows
from pages.shared.evaluate.boundary_jobs import SegmentationRequest
from pages.shared.evaluate.verdict_rows import VerdictRow
from pages.shared.frame import frame, markup, runs

_REQUESTED = "_evaluate_edits"


@dataclass(frozen=True, eq=False)
class SetStability:
    """What one word more changes in the documents of a set.

    Attributes:
        documents: how many were edited.
        strategies: of each strategy, in the order of the request: its result on each document.
    """

    documents: int
    strategies: tuple[tuple[EditStability, ...], ...]


def show(request: SegmentationRequest) -> None:
    """Show the view, on request: every edited text has to be split."""
    if request.choice.is_uploaded:
        frame.show_empty(
            "An uploaded file has sentences alone.", "Choose the samples, your own documents, or a set of the library."
        )
        return
    run = boundary_jobs.queue().get(_key(request))
    if run is None:
        st.caption(
            f"One word of each document is repeated, at {PLACES} places one after the other, and every strategy splits "
            "each of these texts. A strategy that counts moves all that follows an edit."
        )
        runs.button(f"Insert a word at {PLACES} places", lambda: _start(request), _REQUESTED, "edit")
        return
    if runs.show_unless_done(run, lambda: _start(request)):
        passages.style()
        markup.show(table(list(request.settings), list(request.settings.values()), run.result))


def _key(request: SegmentationRequest) -> str:
    return hashlib.sha256(f"edits {request.key}".encode()).hexdigest()


def _start(request: SegmentationRequest) -> Job:
    opened = data_sets.documents_of(request.choice)
    workspaces = [documents.workspace(document, request.options.tools) for document in opened]
    settings = [setting.cutting for setting in request.settings.values()]

    def work(tell: Tell) -> SetStability:
        by_document = []
        for number, workspace in enumerate(workspaces):

            def tell_of_document(_: str, done: int, total: int, number: int = number) -> None:
                name = workspaces[number].document.name
                tell(f"editing {name}", number * PLACES + done * PLACES // total, len(workspaces) * PLACES)

            by_document.append(edit_stability(workspace, settings, PLACES, tell_of_document))
        return SetStability(len(workspaces), tuple(zip(*by_document, strict=True)))

    texts = {document.document.text_hash for document in opened}
    title = f"Editing {plural(len(opened), 'document')}"
    return boundary_jobs.queue().start("boundaries", _key(request), title, work, texts)


def table(names: Sequence[str], settings: Sequence[Setting], result: SetStability) -> str:
    """Return the strategies with the mean of their medians, the most stable first, and the worst place, as HTML."""
    rows = []
    for name, setting, stabilities in zip(names, settings, result.strategies, strict=True):
        medians = [stability.median for stability in stabilities]
        low, high = (float(np.percentile(medians, end)) for end in (10, 90))
        worst = max(stability.worst for stability in stabilities)
        rows.append(
            VerdictRow(name, setting.text, float(np.mean(medians)), (low, high), after=f"<td>{100 * worst:.0f} %</td>")
        )
    rows.sort(key=lambda row: row.mean)
    heads = [
        verdict_rows.head(explained("strategy")),
        verdict_rows.head(f"{explained('edit stability')}: chunks that change, %", 2),
        verdict_rows.head(explained("max")),
    ]
    note = (
        f"Mean over {plural(result.documents, 'document')} of the median of {PLACES} places; line: from the 10th to "
        "the 90th percentile of the documents. Lower is better."
    )
    return f'{verdict_rows.table("Strategies by edit stability", heads, rows)}<p class="cs-quiet">{note}</p>'
