"""A document as Inspect draws it, for the tests of its text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from chunking import strategies
from chunking.chunks import Chunk
from chunking.curves.signals import Signals
from chunking.workspace import Workspace
from pages.shared.components.chunk_reader import chunk_reader, reader_event
from pages.shared.components.document_store import document_store, layout_store
from pages.shared.frame import markup
from pages.shared.inspect import drawing


@dataclass
class ReaderScript:
    """Draws the text of a document in chunks, and selects the gap that the user chose.

    Attributes:
        workspace: the document.
        percentile: of the scores that are not cut.
        gap: that is selected.
        reading: whether the text is shown as its reader sees it.
        chunks: that were drawn last.
    """

    workspace: Workspace
    percentile: float = 60
    gap: int | None = None
    reading: bool = True
    chunks: Sequence[Chunk] = ()

    def __call__(self) -> str:
        document = self.workspace.document
        segmentation = strategies.parse(f"structural:percentile={self.percentile}").run(self.workspace)
        sentences = cast(Signals, segmentation.signals).sentences
        document_store(document.key, document.text, sentences.spans, sentences.kinds)
        if self.reading:
            layout_store(document.key, document)
        chunk_reader(
            "reader",
            document.key,
            drawing.columns(segmentation),
            selected=self.gap,
            height=markup.LOWER_TEXT_HEIGHT,
            reading=self.reading,
            on_event=self.take,
        )
        self.chunks = segmentation.chunks
        return f"gap {self.gap}"

    def take(self) -> None:
        event = reader_event("reader", self.workspace.document.key)
        if event.gap is not None or event.cleared:
            self.gap = event.gap
