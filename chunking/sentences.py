"""Sentences: the units that are embedded, and the gaps between them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from chunking.document import Document


@dataclass(frozen=True, eq=False)
class Sentences:
    """The sentences of a document, as spans.

    Attributes:
        document: what they are spans of.
        spans: ``(n_sentences, 2)`` int64, half-open character spans, in order, not overlapping, each without white
            space at either end and never empty.
        block: ``(n_sentences,)`` int64, index in ``document.blocks`` of the block each sentence is in.
        splitter: name of the splitter that made them, e.g. ``"spacy/en_core_web_sm"`` or ``"rules"``.
    """

    document: Document
    spans: npt.NDArray[np.int64]
    block: npt.NDArray[np.int64]
    splitter: str

    def __len__(self) -> int:
        return len(self.spans)

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """The text of each sentence."""
        text = self.document.text
        return tuple(text[start:end] for start, end in self.spans.tolist())
