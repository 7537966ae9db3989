"""Evaluation of strategies on documents with reference boundaries.

The measures of a document, with *reference* its reference boundaries and *n* its units (all from
:mod:`chunking.comparison.agreement`):

- ``f1``: 2 · hits ÷ (cuts + reference), where a hit is a cut at a reference boundary. The harmonic mean of precision
  and recall (van Rijsbergen 1979), of boundaries.
- ``f1_tolerance``: the same, where a cut may lie up to ``tolerance`` gaps away, matched one to one.
- ``boundary_similarity``: B of Fournier (ACL 2013), near misses one gap away, as segeval.
- ``pk``: Pk of Beeferman, Berger and Lafferty (1999): the share of windows, half a mean true segment long, whose ends
  one segmentation puts together and the other apart. An error.
- ``window_diff``: WindowDiff of Pevzner and Hearst (2002): the share of such windows in which the numbers of boundaries
  differ. An error.

Over documents each is the mean. A document without a reference boundary counts for the two errors alone: of its
boundaries no share can be found. ``boundaries_per_gold`` is one ratio of all documents: all cuts ÷ all
reference boundaries.

Three baselines need no strategy: ``none`` (no boundary at all; where segments are long, Pk and WindowDiff rate it
well), ``even`` (as many as in the reference, evenly spaced) and ``random`` (as many, anywhere: the expectation, from
:data:`DRAWS` seeded draws a document).

With ``granularity="gold"`` a strategy is given the number of reference boundaries, *k*, and cuts the *k* gaps with the
highest score of its curve (what its threshold is compared with; of equal ones the first), without limits of size: so
curves are compared and not thresholds. A strategy with a parameter for the number of boundaries (a parameter
``boundaries``) gets *k*. A strategy without a curve runs unchanged.

A strategy whose chunks are nested has a second row, named ``…, outer level``: the boundaries of the chunks that no
other chunk contains. It keeps its own number of them.

A strategy sees the units as paragraphs of one text or, where the document has its layout, as its sentences. What it
cuts elsewhere than between two units counts at the nearest gap; the number of such cuts is reported.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Literal

import numpy as np

from chunking import embedding, tokens
from chunking.chunks import NO_LIMITS
from chunking.comparison import cut_changes, report
from chunking.comparison.agreement import METRICS, dense_rows
from chunking.embedding.vector_cache import VectorCache
from chunking.errors import ChunkscopeError
from chunking.evaluation.data import DataSet, Remark, SegmentedDocument, language_code
from chunking.loading.language import detect
from chunking.runtime.arrays import Float32, Float64, Int64, UInt8
from chunking.runtime.progress import Tell
from chunking.sentences import Sentences, from_units
from chunking.signals.distances import embed_windows
from chunking.strategies import Segmentation, Setting
from chunking.workspace import DocumentAnalysis, Models

Granularity = Literal["default", "gold"]
BASELINES = ("none", "even", "random")

OUTER = ", outer level"
"""Ends the name of the row of a strategy's outermost chunks."""

DRAWS = 500
"""Random segmentations of a document; fewer, but at least 20, above :data:`_DRAWN` gaps in all of them."""

_DRAWN = 4_000_000

_TOGETHER = 8192
"""Units whose vectors are in memory at once, and what the last document has more."""


@dataclass(frozen=True)
class Measure:
    """A measure of a document.

    Attributes:
        name: in the results.
        title: for people.
        metric: the name in :data:`chunking.comparison.agreement.METRICS`.
        error: whether lower is better.
        needs_reference: whether a document without a reference boundary is excluded.
        tolerance: whether the tolerance applies.
    """

    name: str
    title: str
    metric: str
    error: bool
    needs_reference: bool
    tolerance: bool = False


MEASURES: Mapping[str, Measure] = {
    measure.name: measure
    for measure in (
        Measure("f1", "Boundary F1", "f1", False, True),
        Measure("f1_tolerance", "F1 with tolerance", "f1", False, True, True),
        Measure("boundary_similarity", "Boundary similarity", "boundary_similarity", False, True),
        Measure("pk", "Pk", "pk", True, False),
        Measure("window_diff", "WindowDiff", "window_diff", True, False),
    )
}
"""The measures by name."""


@dataclass(frozen=True)
class SegmentationOptions:
    """Options of an evaluation of segmentation.

    Attributes:
        granularity: ``"default"``, or ``"gold"``: the number of reference boundaries is given.
        tolerance: gaps, from 0, of ``f1_tolerance``.
        tools: encoder and tokenizer.
        language: of all documents, overriding the file; ``None``: the file's, else detected.
    """

    granularity: Granularity = "default"
    tolerance: int = 1
    tools: Models = field(default_factory=Models)
    language: str | None = None

    def __post_init__(self) -> None:
        if self.tolerance < 0:
            raise ChunkscopeError(f"Invalid tolerance: {self.tolerance}.", "Give a whole number of gaps, 0 or more.")
        if self.language is not None:
            object.__setattr__(self, "language", language_code(self.language))
        # Both refuse a name they do not know; a tokenizer that is loaded is in no strategy's seconds.
        embedding.get_encoder(self.tools.retrieval_encoder)
        tokens.get_tokenizer(self.tools.tokenizer).count(["loaded"])


@dataclass(eq=False)
class SegmentationRow:
    """The results of a strategy or baseline on each document.

    Attributes:
        name: the setting as it was written, or the baseline.
        setting: it with everything that was given for all, see :mod:`chunking.strategies.setting`; empty of a baseline.
        granularity: ``"gold"`` where it was given the number of reference boundaries.
        values: by measure ``(n_documents,)`` float64, NaN where a document does not count.
        cuts: ``(n_documents,)`` float64, number of boundaries; NaN where it failed.
        gaps: where it cuts each document, ascending int64; ``None`` where it failed, and of a baseline.
        inside: cuts that lay inside units.
        seconds: spent on all documents, without their embedding.
        failed: documents that it failed on, with the reason.
    """

    name: str
    setting: str
    granularity: Granularity
    values: dict[str, Float64]
    cuts: Float64
    gaps: list[Int64 | None]
    inside: int = 0
    seconds: float = 0.0
    failed: list[Remark] = field(default_factory=list)


@dataclass(frozen=True, eq=False)
class SegmentationEvaluation:
    """The results of all strategies and baselines on all documents.

    Attributes:
        data: the documents.
        options: how they were evaluated.
        rows: strategies in the order they were given, then the baselines.
        languages: of each document.
        embedding: seconds spent on vectors.
        truncated: embedded texts that exceed the encoder limit.
        embedded: texts that were embedded.
    """

    data: DataSet
    options: SegmentationOptions
    rows: tuple[SegmentationRow, ...]
    languages: tuple[str, ...]
    embedding: float = 0.0
    truncated: int = 0
    embedded: int = 0


def evaluate(
    data: DataSet,
    settings: Mapping[str, Setting],
    options: SegmentationOptions | None = None,
    cache: VectorCache | None = None,
    tell: Tell | None = None,
) -> SegmentationEvaluation:
    """Run strategies and baselines on every document.

    Boundaries are evaluated before the sizes by default: no person cuts a section because it is long.

    Args:
        data: the documents.
        settings: by the name they have in the results.
        options: see there.
        cache: of vectors.
        tell: receives what is being done and how far it is.

    Raises:
        ChunkscopeError: the encoder cannot be used, no strategy could do any document, or one is named as a baseline.
    """
    if baseline := next((name for name in settings if name in BASELINES), None):
        raise ChunkscopeError(f"{baseline!r} is the name of a baseline.", "Give the setting another name.")
    options = options or SegmentationOptions()
    settings = {name: setting.before_limits for name, setting in settings.items()}
    documents = data.documents
    run = _Embedder(options, cache, tell or (lambda *_: None), sum(len(document.units) for document in documents))
    rows = {name: _empty(name, setting.text, options.granularity, len(documents)) for name, setting in settings.items()}
    outer = {
        name: _empty(f"{name}{OUTER}", setting.text, "default", len(documents))
        for name, setting in settings.items()
        if not setting.strategy.tiles
    }
    nested: set[str] = set()
    languages: list[str] = []
    windows = sorted({window for setting in settings.values() for window in setting.windows})
    index = 0
    for batch in _together(documents):
        units = [_sentences(document, options.language) for document in batch]
        languages += [setting.document.language for setting in units]
        vectors = run.vectors(units, windows)
        for number, (document, sentences) in enumerate(zip(batch, units, strict=True)):
            own_vectors = {window: of_documents[number] for window, of_documents in vectors.items()}
            for name, setting in settings.items():
                workspace = _ready(sentences, options.tools, cache, own_vectors)
                segmentation = _run_setting(rows[name], index, document, setting, workspace, options)
                if segmentation is not None and name in outer:
                    nested |= {name} if any(chunk.parent is not None for chunk in segmentation.chunks) else set()
                    outermost = tuple(chunk for chunk in segmentation.chunks if chunk.parent is None)
                    cuts = _cut_gaps(replace(segmentation, chunks=outermost), workspace)
                    _record(outer[name], index, document, *cuts, options.tolerance)
            index += 1
            run.tell("documents", index, len(documents))
    if all(len(row.failed) == len(documents) for row in rows.values()):
        name, row = next(iter(rows.items()))
        raise ChunkscopeError(f"Every strategy failed on every document. {name}: {row.failed[0].what}")
    baselines = tuple(_baseline(name, documents, options.tolerance) for name in BASELINES)
    for name in nested:
        outer[name].seconds, outer[name].failed = rows[name].seconds, rows[name].failed
    pairs = ((row, outer[name]) if name in nested else (row,) for name, row in rows.items())
    all_rows = (*(row for pair in pairs for row in pair), *baselines)
    return SegmentationEvaluation(data, options, all_rows, tuple(languages), run.seconds, run.truncated, run.embedded)


# --- vectors -------------------------------------------------------------------------------------------------------


def _together(documents: Sequence[SegmentedDocument]) -> Iterator[list[SegmentedDocument]]:
    """Yield documents whose vectors are held at the same time."""
    batch: list[SegmentedDocument] = []
    units = 0
    for document in documents:
        batch.append(document)
        units += len(document.units)
        if units >= _TOGETHER:
            yield batch
            batch, units = [], 0
    if batch:
        yield batch


def _sentences(document: SegmentedDocument, language: str | None) -> Sentences:
    sentences = document.sentences
    if sentences is not None:
        code = language or sentences.document.language
        same = code == sentences.document.language
        return sentences if same else replace(sentences, document=replace(sentences.document, language=code))
    code = language or document.language or detect("\n".join(document.units))
    return from_units(document.units, document.id, code)


class _Embedder:
    """The embedding of many documents at once, with its statistics."""

    def __init__(self, options: SegmentationOptions, cache: VectorCache | None, tell: Tell, units: int) -> None:
        self.tell, self._cache, self._units = tell, cache, units
        self._tools = options.tools
        self.seconds, self.truncated, self.embedded = 0.0, 0, 0

    def vectors(self, units: Sequence[Sentences], windows: Sequence[int]) -> dict[int, list[Float32]]:
        """Return the vectors of each document, by window."""
        if not windows:
            return {}
        began = time.perf_counter()
        names = [self._tools.boundary_encoder(split_document.document.language) for split_document in units]
        by_window = {window: [np.zeros((0, 0), np.float32)] * len(units) for window in windows}
        for index, window, vectors in embed_windows(units, names, windows, partial(self._embed, len(windows))):
            by_window[window][index] = vectors
        self.seconds += time.perf_counter() - began
        return by_window

    def _embed(self, windows: int, name: str, texts: Sequence[str], origins: Sequence[str]) -> Float32:
        """Return the vectors of texts by an encoder."""
        encoder = embedding.get_encoder(name)
        before, total = self.embedded, self._units * windows

        def progress(done: int, of: int) -> None:
            # Equal texts are embedded once, so a share of the different ones stands for all.
            self.tell("embedding", before + len(texts) * done // max(of, 1), total)

        vectors = embedding.embed(texts, encoder, self._cache, progress, origins=origins)
        self.truncated += int(np.count_nonzero(embedding.truncated(texts, encoder)))
        self.embedded += len(texts)
        return vectors


def _ready(
    split_sentences: Sentences, tools: Models, cache: VectorCache | None, ready: Mapping[int, Float32]
) -> DocumentAnalysis:
    """Return a document whose sentences and vectors are there before the clock starts."""
    workspace = DocumentAnalysis(split_sentences.document, tools, cache, (split_sentences,))
    for window, vectors in ready.items():
        workspace.add_vectors(window, vectors)
    return workspace


# --- one document --------------------------------------------------------------------------------------------------


def _empty(name: str, setting: str, granularity: Granularity, documents: int) -> SegmentationRow:
    return SegmentationRow(
        name,
        setting,
        granularity,
        {measure: np.full(documents, np.nan) for measure in MEASURES},
        np.full(documents, np.nan),
        [None] * documents,
    )


def _run_setting(
    row: SegmentationRow,
    index: int,
    document: SegmentedDocument,
    setting: Setting,
    workspace: DocumentAnalysis,
    options: SegmentationOptions,
) -> Segmentation | None:
    """Run a strategy on a document and record its results; return its segmentation, ``None`` if it failed."""
    began = time.perf_counter()
    n_boundaries = len(document.reference) if options.granularity == "gold" else 0
    countable = bool(n_boundaries) and hasattr(setting.params, "boundaries")
    try:
        segmentation = (exactly(setting, n_boundaries) if countable else setting).run(workspace)
    except ChunkscopeError as error:
        row.failed.append(Remark(document.line, document.id, str(error)))
        return None
    finally:
        row.seconds += time.perf_counter() - began
    if countable:
        gaps, inside = _cut_gaps(segmentation, workspace)
    elif options.granularity == "gold" and segmentation.signals is not None:
        gaps, inside = strongest(segmentation.signals.threshold.score, len(document.reference)), 0
    else:
        row.granularity = "default"
        gaps, inside = _cut_gaps(segmentation, workspace)
    _record(row, index, document, gaps, inside, options.tolerance)
    return segmentation


def _record(
    row: SegmentationRow, index: int, document: SegmentedDocument, gaps: Int64, inside: int, tolerance: int
) -> None:
    """Record the boundaries of a document, and how many cuts were inside units."""
    row.inside += inside
    row.cuts[index] = len(gaps)
    row.gaps[index] = gaps
    _write(row, index, document.reference, dense_rows([gaps], document.gaps + 1), tolerance)


def exactly(setting: Setting, boundaries: int) -> Setting:
    """Return the setting with so many boundaries, of a strategy that can be asked for a number: without limits of size,
    and with nothing kept together, either of which would change the number.
    """
    return setting.with_values(setting.values() | NO_LIMITS | {"boundaries": boundaries, "keep_together": "no"})


def strongest(score: Float64, count: int) -> Int64:
    """Return the gaps with the highest scores, ascending; of equal ones the first.

    Args:
        score: ``(n_gaps,)``.
        count: how many, at most ``n_gaps``.
    """
    gaps: Int64 = np.sort(np.argsort(-score, kind="stable")[:count]).astype(np.int64)
    return gaps


def _cut_gaps(segmentation: Segmentation, workspace: DocumentAnalysis) -> tuple[Int64, int]:
    """Return the gaps that a strategy cuts, and how many cuts were inside units."""
    offsets = report.at_gaps(cut_changes.cut_offsets(segmentation), workspace.sentences, workspace.offsets)
    cuts = cut_changes.unit_cuts(offsets, workspace.offsets)
    return cuts.gaps, cuts.inside


def _write(row: SegmentationRow, index: int, reference: Int64, rows: UInt8, tolerance: int) -> None:
    """Write the mean over segmentations, ``(n, n_gaps)`` uint8, of each measure that counts the document."""
    for name, measure in MEASURES.items():
        if len(reference) or not measure.needs_reference:
            metric = METRICS[measure.metric]
            row.values[name][index] = metric.table([reference], rows, tolerance if measure.tolerance else 0)[0].mean()


# --- what needs no strategy ----------------------------------------------------------------------------------------


def _baseline(name: str, documents: Sequence[SegmentedDocument], tolerance: int) -> SegmentationRow:
    began = time.perf_counter()
    row = _empty(name, "", "default" if name == "none" else "gold", len(documents))
    for index, document in enumerate(documents):
        if name == "random" and len(document.reference):
            rows = random_rows(document)
        else:
            cuts = even(len(document.units), len(document.reference)) if name == "even" else document.reference[:0]
            rows = dense_rows([cuts], document.gaps + 1)
        row.cuts[index] = rows[0].sum()
        _write(row, index, document.reference, rows, tolerance)
    row.seconds = time.perf_counter() - began
    return row


def even(units: int, count: int) -> Int64:
    """Return the gaps of ``count`` cuts (fewer than ``units``) that part the units into pieces as equal as can be."""
    pieces = count + 1
    # Half a unit is rounded up; pieces have at least one unit, so no two cuts fall together.
    return (2 * units * np.arange(1, pieces, dtype=np.int64) + pieces) // (2 * pieces) - 1


def random_rows(document: SegmentedDocument) -> UInt8:
    """Return the segmentations with as many boundaries as are true, every choice of gaps equally likely.

    The draws depend on the id of the document and nothing else, so they are the same in any order and company.

    Returns:
        ``(n_draws, n_gaps)`` uint8.
    """
    seed = hashlib.blake2b(document.id.encode("utf-8"), digest_size=8).digest()
    draws = min(max(_DRAWN // document.gaps, 20), DRAWS)
    rows = np.zeros((draws, document.gaps), dtype=np.uint8)
    rows[:, : len(document.reference)] = 1
    return np.random.default_rng(int.from_bytes(seed, "big")).permuted(rows, axis=1)
