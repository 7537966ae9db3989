"""The sentences of a part's documents, kept as spans: telling them is most of the work that is not embedding."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from chunking.batch.storage import files
from chunking.document import Document
from chunking.runtime.progress import Progress
from chunking.sentences import Sentences, split_all
from chunking.workspace import Backend, Tools, Workspace


class OpenedDocument(Workspace):
    """A document whose sentences may be known.

    Args:
        document: the document.
        tools: with which models it is measured.
        known: its sentences; ``None`` to tell them when they are asked for.
    """

    def __init__(self, document: Document, tools: Tools, known: Sentences | None) -> None:
        super().__init__(document, tools, None)
        self.known = known
        self.told = False

    def split(self, progress: Progress | None = None, backend: Backend | None = None) -> Sentences:
        """Return the document's sentences."""
        if self.known is None:
            self.known = super().split(progress, backend)
            self.told = True
        return self.known


def tell(some: Iterable[OpenedDocument]) -> None:
    """Have the sentences of documents, all that are not known at once, which is quicker than one by one.

    Where that fails nothing is known: each document says why when it is asked.
    """
    left = [each for each in some if each.known is None]
    try:
        found = split_all([each.document for each in left], left[0].tools.splitter) if left else []
    except Exception:
        return
    for each, own in zip(left, found, strict=True):
        each.known, each.told = own, True


def read(path: str, documents: Mapping[int, Document]) -> dict[int, Sentences]:
    """Return the sentences of those documents that a file has, by their places.

    Args:
        path: of the file.
        documents: by place.
    """
    kept = files.read_arrays(path)
    if kept is None:
        return {}
    ends = kept["ends"][:-1]
    rows = zip(
        kept["place"].tolist(),
        np.split(kept["spans"], ends),
        np.split(kept["block"], ends),
        kept["splitter"].tolist(),
        strict=True,
    )
    return {
        place: Sentences(documents[place], spans, block, splitter)
        for place, spans, block, splitter in rows
        if place in documents
    }


def write(path: str, found: Mapping[int, Sentences]) -> None:
    """Keep the sentences of documents; of at least one."""
    some = list(found.values())
    files.write_arrays(
        path,
        {
            "place": np.array(list(found), dtype=np.int64),
            "ends": np.cumsum([len(each) for each in some], dtype=np.int64),
            "spans": np.concatenate([each.spans for each in some]),
            "block": np.concatenate([each.block for each in some]),
            "splitter": np.array([each.splitter for each in some]),
        },
    )
