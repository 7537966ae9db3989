"""Runs of the evaluation with a progress bar and a stop button; the latest results are cached for all sessions."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import streamlit as st

from chunking import ChunkscopeError, evaluation
from chunking.evaluation import SegmentationEvaluation, SegmentationOptions
from chunking.runtime.lru import LRUCache
from chunking.strategies import Setting
from pages.shared.documents import documents
from pages.shared.segmentation import data as evaluate_data
from pages.shared.segmentation.data import DataSetChoice
from pages.shared.state import Slot

_STOPPED = Slot("_stopped_evaluation", str)
_KEPT = 8
"""Evaluations that the server keeps."""


@dataclass(frozen=True)
class SegmentationRequest:
    """An evaluation that the controls ask for.

    Attributes:
        chosen: the data set.
        settings: the strategies, by their names in the results.
        options: of the evaluation.
    """

    chosen: DataSetChoice
    settings: Mapping[str, Setting]
    options: SegmentationOptions

    @property
    def key(self) -> str:
        """Identity of the result."""
        data = evaluate_data.identity(self.chosen, self.options.tools)
        return hashlib.sha256(repr((data, tuple(self.settings), self.options)).encode()).hexdigest()


@dataclass(frozen=True, eq=False)
class SegmentationResult:
    """The result of an evaluation.

    Attributes:
        evaluation: by document.
        shown: the summary, as the command line prints it.
        problems: errors of documents that are not in it, by name.
    """

    evaluation: SegmentationEvaluation
    shown: dict[str, Any]
    problems: Mapping[str, ChunkscopeError]


@st.cache_resource(max_entries=1, show_spinner=False)
def kept() -> LRUCache[str, SegmentationResult]:
    """Return the latest evaluations of this server."""
    return LRUCache(_KEPT)


class _Bar:
    """A progress bar with a stop button, drawn at the first report."""

    def __init__(self, job: str) -> None:
        self._place = st.empty()
        self._job = job
        self._bar: st.delta_generator.DeltaGenerator | None = None

    def tell(self, what: str, done: int, total: int) -> None:
        """Show progress; the script ends here if the user pressed the button."""
        share = min(done / total, 1.0) if total else 0.0
        loading = " (loading the model first)" if what == "embedding" and not done else ""
        words = f"{what[:1].upper()}{what[1:]}: {done:,} of {total:,}{loading}"
        if self._bar is None:
            with self._place.container():
                self._bar = st.progress(share, words)
                st.button("Stop", key="_stop_evaluation", on_click=_stop, args=(self._job,), icon=":material/stop:")
        else:
            self._bar.progress(share, words)

    def clear(self) -> None:
        """Remove it."""
        self._place.empty()


def _stop(job: str) -> None:
    _STOPPED.set(job)


def run(request: SegmentationRequest) -> SegmentationResult | None:
    """Return the evaluation, from the cache or made now; ``None`` if the user stopped it.

    Raises:
        ChunkscopeError: there are no documents, or every strategy failed on all of them.
    """
    key = request.key
    result = kept().get(key)
    if result:
        return result
    if _STOPPED.get() == key:
        st.info("The evaluation was stopped. Embeddings are kept, and it resumes from there.")
        st.button(
            "Resume", key="_continue_evaluation", icon=":material/play_arrow:",
            on_click=_STOPPED.clear,
        )  # fmt: skip
        return None
    bar = _Bar(key)
    try:
        result = _made(request, bar)
    except ChunkscopeError:
        bar.clear()
        raise
    bar.clear()
    kept().put(key, result)
    return result


def _made(request: SegmentationRequest, bar: _Bar) -> SegmentationResult:
    data, problems = evaluate_data.get(request.chosen, request.options.tools, bar.tell)
    made = evaluation.evaluate(data, request.settings, request.options, documents.vector_cache(), bar.tell)
    bar.tell("intervals and tests of strategies", len(request.settings), len(request.settings))
    return SegmentationResult(made, evaluation.as_dict(made), problems)
