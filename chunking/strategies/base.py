"""Strategies and their results."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, runtime_checkable

from chunking.chunks import Chunk, Cut
from chunking.chunks.edits import Edit, outcome
from chunking.document import Document
from chunking.params import Parameters, Value
from chunking.signals.signals import Signals
from chunking.workspace import DocumentAnalysis


@dataclass(frozen=True, eq=False)
class Segmentation:
    """The result of a strategy on a document.

    Attributes:
        document: the document.
        strategy: name of the strategy.
        params: its parameters.
        chunks: in order of their starts; they tile the text if :attr:`Strategy.tiles` is true.
        suppressed: cuts of the strategy that the limits removed.
        signals: the curves that the cuts come from; ``None`` for strategies without curves.
        warnings: reasons to distrust the result.
        unplaced: texts of another program's chunks that were not found in the document.
        kept: cuts of the strategy that were left out to keep something together; their detail says what.
        edits: the edits by hand that it was made with.
    """

    document: Document
    strategy: str
    params: Parameters
    chunks: tuple[Chunk, ...]
    suppressed: tuple[Cut, ...] = ()
    signals: Signals | None = None
    warnings: tuple[str, ...] = ()
    unplaced: tuple[str, ...] = ()
    kept: tuple[Cut, ...] = ()
    edits: tuple[Edit, ...] = ()

    @property
    def suppressed_gaps(self) -> list[int]:
        """The gaps of the cuts that the limits removed."""
        return [cut.gap for cut in self.suppressed if cut.gap is not None]

    @property
    def kept_gaps(self) -> dict[int, str]:
        """What is kept together at the gaps of the cuts that were left out for it, in words."""
        return {cut.gap: cut.detail for cut in self.kept if cut.gap is not None}


def _always() -> bool:
    return True


@dataclass(frozen=True)
class Strategy:
    """A named way to compute boundaries.

    Attributes:
        name: its name on the command line, in the address and in exports.
        title, summary: for people; the summary is one sentence.
        family: the group of strategies it belongs to.
        origin: the source of the method.
        params: the type of its parameters.
        cut: computes the segmentation in the thread that calls it; use :meth:`run` instead.
        on_curves: whether it cuts at values of curves alone, so that it works on numbers and never on the text.
        tiles: whether the chunks cover the text once and in order.
        presets: named settings, as differences from the defaults.
        installed: returns whether the library it needs is installed; true for Chunkscope's own strategies.
        version: returns name and version of the library that does the work; empty for Chunkscope's own.
    """

    name: str
    title: str
    family: str
    summary: str
    origin: str
    params: type[Parameters]
    cut: Callable[[DocumentAnalysis, Any], Segmentation]
    on_curves: bool = False
    tiles: bool = True
    presets: Mapping[str, Mapping[str, Value]] = field(default_factory=dict)
    installed: Callable[[], bool] = _always
    version: Callable[[], str] = str

    def __reduce__(self) -> tuple[Callable[[str], Strategy], tuple[str]]:
        """Pickle the name: functions and classes of a strategy are the same wherever this package is."""
        return _named, (self.name,)

    def run(self, workspace: DocumentAnalysis, params: Parameters) -> Segmentation:
        """Return the segmentation of a document, computed where its workspace computes what works on its text.

        Raises:
            ChunkscopeError: the strategy cannot cut this document with these parameters, or met a limit.
        """
        segmentation = self._segmentation(workspace, params)
        if not workspace.edits:
            return segmentation
        warnings = (*segmentation.warnings, *edit_warnings(workspace, segmentation))
        return replace(segmentation, warnings=warnings, edits=workspace.edits)

    def _segmentation(self, workspace: DocumentAnalysis, params: Parameters) -> Segmentation:
        backend = workspace.backend
        if self.on_curves or not isinstance(backend, SegmentingBackend):
            return self.cut(workspace, params)
        return backend.segment(self, workspace, params)

    def windows(self, params: Parameters) -> tuple[int, ...]:
        """Return the windows whose sentence vectors can be computed before it runs; empty if it computes none, or its
        own.
        """
        if self.family not in ("fused", "semantic"):
            return ()
        return (int(getattr(params, "window", 0)),)

    @property
    def source(self) -> str:
        """The source of the method, with the version of the library that does the work."""
        version = self.version()
        return f"{self.origin}, {version}" if version else self.origin


@runtime_checkable
class SegmentingBackend(Protocol):
    """A backend of a workspace (:class:`chunking.workspace.Backend`) that has strategies cut the text elsewhere."""

    def segment(self, strategy: Strategy, workspace: DocumentAnalysis, params: Parameters) -> Segmentation:
        """Return the segmentation of a document by a strategy."""
        ...


def edit_outcomes(workspace: DocumentAnalysis, segmentation: Segmentation) -> list[str]:
    """Return what became of each edit by hand in a segmentation, in words; empty where it was followed."""
    located, starts = workspace.located_edits, {chunk.start for chunk in segmentation.chunks}
    return [
        outcome(edit, located.offsets.get(number), starts, located.lost.get(number, ""))
        for number, edit in enumerate(workspace.edits)
    ]


def edit_warnings(workspace: DocumentAnalysis, segmentation: Segmentation) -> tuple[str, ...]:
    """Return a warning for each edit by hand that a segmentation does not follow."""
    outcomes = zip(workspace.edits, edit_outcomes(workspace, segmentation), strict=True)
    return tuple(f"Edit by hand before “{edit.quote}”: {words}." for edit, words in outcomes if words)


def _named(name: str) -> Strategy:
    from chunking.strategies import registry  # which imports this module

    return registry.get(name)
