"""What a strategy is, and what it gives."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from chunking.chunks import Chunk, Cut
from chunking.curves.signals import Signals
from chunking.document import Document
from chunking.params import Parameters, Value
from chunking.workspace import Workspace


@dataclass(frozen=True, eq=False)
class Segmentation:
    """What a strategy made of a document.

    Attributes:
        document: the document.
        strategy: name of the strategy.
        params: its parameters.
        chunks: in order of their starts; they tile the text where the strategy says so.
        suppressed: cuts of the strategy that the minimum size took away.
        signals: the curves the cuts come from; ``None`` for strategies without any.
        warnings: what a user should know before believing the result.
        unplaced: texts of another program's chunks that the document does not hold.
    """

    document: Document
    strategy: str
    params: Parameters
    chunks: tuple[Chunk, ...]
    suppressed: tuple[Cut, ...] = ()
    signals: Signals | None = None
    warnings: tuple[str, ...] = ()
    unplaced: tuple[str, ...] = ()

    @property
    def suppressed_gaps(self) -> list[int]:
        """The gaps of the cuts that the minimum took away."""
        return [cut.gap for cut in self.suppressed if cut.gap is not None]


def _always() -> bool:
    return True


@dataclass(frozen=True)
class Strategy:
    """A named way to get boundaries.

    Attributes:
        name: what it is called everywhere.
        title, summary: for people; the summary is one sentence.
        family: group of strategies it belongs to.
        origin: where the method comes from.
        params: the type of its parameters.
        run: makes the segmentation.
        tiles: whether the chunks cover the text once and in order.
        presets: named settings, as changes to the defaults.
        installed: whether all that it needs is there; only other libraries may be missing.
        version: of the other library that does the work, as it is installed; empty for Chunkscope's own.
    """

    name: str
    title: str
    family: str
    summary: str
    origin: str
    params: type[Parameters]
    run: Callable[[Workspace, Any], Segmentation]
    tiles: bool = True
    presets: Mapping[str, Mapping[str, Value]] = field(default_factory=dict)
    installed: Callable[[], bool] = _always
    version: Callable[[], str] = str

    @property
    def source(self) -> str:
        """Where the method comes from, with the version of the library that does the work."""
        version = self.version()
        return f"{self.origin}, {version}" if version else self.origin
