"""How many chunks change when a document is edited a little: what an index pays for each edit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from chunking.document import Block, Document
from chunking.errors import ChunkscopeError
from chunking.export import chunk_ids
from chunking.runtime.arrays import Float64, Int64
from chunking.runtime.progress import Tell
from chunking.strategies import Setting
from chunking.workspace import DocumentAnalysis

PLACES = 36
"""Places of a document at which a word is inserted, one after the other."""

_LONGEST_WORD = 20


@dataclass(frozen=True, eq=False)
class EditStability:
    """What one word more changes.

    Attributes:
        changed: ``(n_places,)`` float64, share of the chunks, 0 to 1, that an index does not have yet after a word is
            inserted at each place alone.
    """

    changed: Float64

    @property
    def median(self) -> float:
        """The share at the middle place."""
        return float(np.median(self.changed))

    @property
    def worst(self) -> float:
        """The largest share."""
        return float(self.changed.max())


def edit_stability(
    workspace: DocumentAnalysis, settings: Sequence[Setting], places: int = PLACES, tell: Tell | None = None
) -> list[EditStability]:
    """Return what a word that is inserted changes under each setting.

    The word is one of the document's own, repeated in the middle of a sentence; the sentences lie evenly along it.
    No heading is edited: it is embedded with every chunk below it, whatever the strategy.

    Args:
        workspace: the document.
        settings: how it is split.
        places: how many; fewer where the document has fewer sentences.
        tell: receives what is done and how far it is; may raise to stop.

    Raises:
        ChunkscopeError: the document has no sentence, or a setting cannot be used.
    """
    spans = _sentences_of_text(workspace)
    if not len(spans):
        raise ChunkscopeError("The document has no sentence to edit.", "Choose a document with text.")
    chosen = np.unique(np.linspace(0, len(spans) - 1, min(places, len(spans))).round().astype(np.int64))
    before = [Counter(chunk_ids(setting.run(workspace))) for setting in settings]
    changed = np.zeros((len(settings), len(chosen)))
    for place, sentence in enumerate(chosen.tolist()):
        if tell:
            tell("edits", place, len(chosen))
        start, end = spans[sentence].tolist()
        edited = DocumentAnalysis(
            with_repeated_word(workspace.document, start, end), workspace.tools, backend=workspace.backend
        )
        for index, setting in enumerate(settings):
            after = Counter(chunk_ids(setting.run(edited)))
            changed[index, place] = (after - before[index]).total() / after.total()
    return [EditStability(shares) for shares in changed]


def _sentences_of_text(workspace: DocumentAnalysis) -> Int64:
    """Return the ``(n, 2)`` spans of the sentences outside headings; of all where there are no others."""
    spans = workspace.sentences.spans.astype(np.int64)
    headings = workspace.document.headings
    starts = np.array([heading.start for heading in headings], dtype=np.int64)
    ends = np.array([0, *(heading.end for heading in headings)], dtype=np.int64)
    is_text = spans[:, 0] >= ends[np.searchsorted(starts, spans[:, 0], side="right")]
    return spans[is_text] if is_text.any() else spans


def with_repeated_word(document: Document, start: int, end: int) -> Document:
    """Return a document in which the word in the middle of a span is there twice; its layout stays the same.

    Without spaces it is a character that is repeated. Positions on pages and in the source are left out.

    Args:
        document: the document.
        start, end: the span, a half-open range of characters that is not empty.
    """
    text, middle = document.text, (start + end) // 2
    left = max(text.rfind(" ", start, middle) + 1, start)
    right = text.find(" ", middle, end)
    word = text[left : end if right < 0 else right]
    inserted = f"{word} " if " " in text[start:end] and len(word) <= _LONGEST_WORD else text[left]
    return replace(
        document,
        text=text[:left] + inserted + text[left:],
        blocks=tuple(_moved(block, left, len(inserted)) for block in document.blocks),
        origin=None,
        pages=None,
    )


def _moved(block: Block, offset: int, length: int) -> Block:
    """Return a block after so many characters were inserted at an offset; one that begins there has them."""
    start, end, content = (
        position + length * (position > offset) for position in (block.start, block.end, block.content)
    )
    return replace(block, start=start, end=end, content=content)
