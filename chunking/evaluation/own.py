"""Data sets of a user's own documents with their layout and reference boundaries.

A strategy that is evaluated on them sees what it sees anywhere else in Chunkscope, headings and pages included. The
rows of JSON Lines that :func:`jsonl` gives hold their sentences alone, and :func:`without_layout` is the set that
``python -m chunking evaluate segmentation`` reads from them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from chunking import samples, sentences
from chunking.document import Document
from chunking.errors import ChunkscopeError
from chunking.evaluation.data import DataSet, Remark, SegmentedDocument, read
from chunking.evaluation.segmentation import SegmentationOptions
from chunking.loading import FORMATS
from chunking.reference import reference_gaps
from chunking.sentences import Sentences, gap_offsets
from chunking.strategies import Setting


@dataclass(frozen=True, eq=False)
class MarkedDocument:
    """A document with its reference boundaries.

    Attributes:
        id: unique in its set.
        sentences: of the document.
        boundaries: offsets of the reference boundaries.
    """

    id: str
    sentences: Sentences
    boundaries: tuple[int, ...]


def marked(document: Document, boundaries: Sequence[int], splitter: str | None = None) -> MarkedDocument:
    """Return a document with its reference boundaries, called as its file.

    Args:
        document: the document.
        boundaries: character offsets.
        splitter: the sentence splitter; ``None`` selects it by language.
    """
    return MarkedDocument(document.name, sentences.split(document, splitter), tuple(boundaries))


def of_samples() -> DataSet:
    """Return the samples that come with Chunkscope."""
    marked_documents = []
    for name in samples.names():
        sample = samples.load(name)
        split_sentences = sample.sentences or sentences.split(sample.document)
        marked_documents.append(MarkedDocument(name, split_sentences, sample.boundaries))
    return data_set(SAMPLES, marked_documents)


SAMPLES = "Samples"
"""Name of the set of samples."""


def data_set(name: str, documents: Iterable[MarkedDocument]) -> DataSet:
    """Return the set of some documents: units are their sentences, boundaries the gaps of the reference.

    Where their formats differ, each is a group. A document of a single sentence has no gap: it is left out and
    reported, as in :func:`chunking.evaluation.data.read`.

    Raises:
        ChunkscopeError: two documents have one id, or none is left.
    """
    by_id: dict[str, SegmentedDocument] = {}
    left_out = []
    marked_documents = list(documents)
    several = len({marked_document.sentences.document.format for marked_document in marked_documents}) > 1
    for marked_document in marked_documents:
        document = marked_document.sentences.document
        if marked_document.id in by_id:
            raise ChunkscopeError(
                f"Two documents have the name {marked_document.id!r:.60}.", "Give every document a unique name."
            )
        if len(marked_document.sentences) < 2:
            left_out.append(Remark(0, marked_document.id, "it has fewer than two sentences, so it has no gap"))
            continue
        by_id[marked_document.id] = SegmentedDocument(
            id=marked_document.id,
            line=0,
            units=marked_document.sentences.texts,
            reference=reference_gaps(
                marked_document.boundaries, gap_offsets(marked_document.sentences), marked_document.sentences
            ),
            language=document.language,
            group=FORMATS[document.format].title if several else None,
            sentences=marked_document.sentences,
        )
    if not by_id:
        raise ChunkscopeError(
            "No document has reference boundaries and two sentences.", "Add reference boundaries first."
        )
    return DataSet(name, tuple(by_id[key] for key in sorted(by_id)), (), tuple(left_out))


def jsonl(data: DataSet) -> str:
    """Return the set as :func:`chunking.evaluation.data.read` takes it: a document a line, without its layout."""
    rows = (
        {"id": document.id, "units": document.units, "boundaries": (document.reference + 1).tolist()}
        | ({"lang": document.language} if document.language else {})
        | ({"group": document.group} if document.group is not None else {})
        for document in data.documents
    )
    lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    # Half a surrogate pair, which UTF-8 cannot hold, becomes JSON's own escape of it.
    return lines.encode("utf-8", "backslashreplace").decode("utf-8")


def without_layout(data: DataSet) -> DataSet:
    """Return the same documents, of which nothing but their sentences is known."""
    return read(jsonl(data).encode("utf-8"), data.name)


def code(
    boundaries: Mapping[str, Sequence[int]] | None, settings: Mapping[str, Setting], options: SegmentationOptions
) -> str:
    """Return a Python program that evaluates the same.

    Args:
        boundaries: offsets of the reference boundaries of each document, by its path; ``None`` for the samples.
        settings: by the names they have in the results.
        options: how they are evaluated.
    """
    tools = options.tools
    if boundaries is None:
        data = ["data = own.of_samples()"]
    else:
        entries = (f"    {path!r}: {list(offsets)!r}," for path, offsets in boundaries.items())
        splitter = f", {tools.splitter!r}" if tools.splitter else ""
        data = [
            "boundaries = {",
            *entries,
            "}",
            "documents = [",
            f"    own.marked(loading.load(Path(path).read_bytes(), path), offsets{splitter})",
            "    for path, offsets in boundaries.items()",
            "]",
            'data = own.data_set("My documents", documents)',
        ]
    return "\n".join(
        [
            *(["from pathlib import Path", ""] if boundaries is not None else []),
            f"from chunking import evaluation{', loading' if boundaries is not None else ''}",
            "from chunking.evaluation import own, table",
            "from chunking.workspace import Models",
            "",
            *data,
            f"settings = evaluation.read_settings({','.join(settings)!r}, {{}})",
            f"tools = Models(encoder={tools.encoder!r}, tokenizer={tools.tokenizer!r})",
            f"options = evaluation.SegmentationOptions({options.granularity!r}, {options.tolerance}, tools)",
            "summary = evaluation.summarize(evaluation.evaluate(data, settings, options))",
            "print(table.text(summary))",
            "",
        ]
    )
