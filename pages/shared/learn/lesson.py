"""The text that the chapters work on: the sample, or the learner's own, measured by the engine."""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np
import streamlit as st

from chunking import ChunkscopeError, DocumentAnalysis, Models, samples
from chunking.comparison.agreement import Chance, chance
from chunking.loading import isolated
from chunking.reference import reference_gaps
from chunking.runtime.arrays import Int64
from chunking.runtime.patterns import compile_pattern
from chunking.strategies import Segmentation
from chunking.work.backend import WorkerBackend
from pages.shared.learn.texts import FOLDER
from pages.shared.server import workers

SAMPLE = "island"
SAME_WORDS, FALSE_HEADINGS, TWO_ERRORS, ONE_SUBJECT = "court", "lighthouse", "village", "bread"
MOST_CHARACTERS, LEAST_SENTENCES = 20_000, 3
TOOLS = Models(encoder="static", splitter="rules")
"""Fast models that every installation has: a chapter answers at once."""

_SAMPLES = {"2": SAME_WORDS, "4": FALSE_HEADINGS, "5": TWO_ERRORS, "7": ONE_SUBJECT}
"""Chapters with a sample of their own: meaning errs on the first, form on the second, both at different places on the
third; the last has one subject."""

_BLANK_LINE = compile_pattern(r"\n[^\S\n]*\n")
_CANDIDATE_END = compile_pattern(r"(?<=[.!?])\s+|\s*\n[^\S\n]*\n\s*")
_ABBREVIATIONS = ("Dr.", "St.")
"""Of the sample: a full stop after these ends no sentence."""


@dataclass(frozen=True, eq=False)
class Lesson:
    """A text with its measurements and, for a sample, its reference boundaries.

    Attributes:
        workspace: the text, measured.
        boundaries: offsets of the reference boundaries; ``None`` where nobody has set any.
        sample: whether it is one of ours.
    """

    workspace: DocumentAnalysis
    boundaries: tuple[int, ...] | None
    sample: bool

    @property
    def key(self) -> str:
        """Key of the document in the browser."""
        return f"{self.workspace.document.key}-{len(self)}"

    @property
    def short_key(self) -> str:
        """Name of the text in the names of what is kept."""
        return hashlib.sha256(self.workspace.document.text.encode("utf-8", "surrogatepass")).hexdigest()[:8]

    def __len__(self) -> int:
        """Return the number of sentences."""
        return len(self.workspace.sentences)

    @cached_property
    def reference_gaps(self) -> Int64 | None:
        """Ascending gaps of the reference; ``None`` where there is none."""
        if self.boundaries is None:
            return None
        return reference_gaps(self.boundaries, self.workspace.offsets, self.workspace.sentences).astype(np.int64)

    @cached_property
    def breaks(self) -> tuple[bool, ...]:
        """For each gap, whether a blank line is there."""
        text, spans = self.workspace.document.text, self.workspace.sentences.spans.tolist()
        return tuple(
            _BLANK_LINE.search(text, end, start) is not None for (_, end), (start, _) in itertools.pairwise(spans)
        )

    @cached_property
    def candidates(self) -> Candidates:
        """The places where a full stop or a blank line may end a sentence."""
        return _candidates(self)


@dataclass(frozen=True, eq=False)
class Candidates:
    """A text divided wherever a sentence might end.

    Attributes:
        pieces: in order.
        inside: ascending gaps between pieces where the splitter ends no sentence.
        reference: where none really ends; ``None`` for a text of the learner's own.
    """

    pieces: tuple[str, ...]
    inside: Int64
    reference: Int64 | None


def _candidates(lesson: Lesson) -> Candidates:
    text = lesson.workspace.document.text
    starts = set(lesson.workspace.sentences.spans[:, 0].tolist())
    ends = [match.end() for match in _CANDIDATE_END.finditer(text) if 0 < match.end() < len(text)]
    pieces = tuple(text[start:end].strip() for start, end in zip([0, *ends], [*ends, len(text)], strict=True))
    inside = [gap for gap, end in enumerate(ends) if end not in starts]
    real = [gap for gap in range(len(ends)) if pieces[gap].endswith(_ABBREVIATIONS)]
    return Candidates(pieces, _gaps(inside), _gaps(real) if lesson.sample else None)


def _gaps(gaps: Sequence[int]) -> Int64:
    return np.array(gaps, dtype=np.int64)


def cuts_of(segmentation: Segmentation) -> Int64:
    """Return the ascending gaps that a segmentation cuts; cuts inside a sentence are at no gap."""
    return _gaps(sorted({cut.gap for chunk in segmentation.chunks if (cut := chunk.cut) and cut.gap is not None}))


@st.cache_resource(max_entries=8, show_spinner=False)
def sample(name: str) -> Lesson:
    """Return one of the samples of the chapters."""
    loaded = samples.load(name, FOLDER)
    return Lesson(DocumentAnalysis(loaded.document, TOOLS), loaded.boundaries, sample=True)


def sample_of(chapter: str) -> Lesson:
    """Return the sample of a chapter."""
    return sample(_SAMPLES.get(chapter, SAMPLE))


def of_text(text: str, chapter: str) -> Lesson:
    """Return a text with its reference, if it is the sample of a chapter.

    Raises:
        ChunkscopeError: it is too long or too short.
    """
    lesson = sample_of(chapter)
    return lesson if lesson.workspace.document.text == text else from_own_text(text)


@st.cache_resource(max_entries=32, ttl=3600, show_spinner=False)
def from_own_text(text: str) -> Lesson:
    """Return a text of the learner's own.

    Raises:
        ChunkscopeError: it is too long or too short.
    """
    if len(text) > MOST_CHARACTERS:
        raise ChunkscopeError(f"The text has {len(text):,} characters.", f"Use at most {MOST_CHARACTERS:,}.")
    lesson = Lesson(
        DocumentAnalysis(isolated.from_text(text, "text"), TOOLS, backend=WorkerBackend(workers.call())),
        None,
        sample=False,
    )
    if len(lesson) < LEAST_SENTENCES:
        raise ChunkscopeError(f"The text has {len(lesson)} sentences.", f"Use at least {LEAST_SENTENCES}.")
    return lesson


DRAWS, SEED = 1_000, 0
"""Random divisions by which chance is known."""

corrected_f1 = partial(chance, metric="f1", tolerance=0, draws=DRAWS, seed=SEED)


def agreement_of_pairs(learner_gaps: Int64, engine: Int64, reference: Int64 | None, units: int) -> dict[str, Chance]:
    """Return boundary F1 of each pair of the learner, the engine and the reference, by the key of its title."""
    agreements = {} if reference is None else {"pair_own_gold": corrected_f1(reference, learner_gaps, units)}
    agreements["pair_own_engine"] = corrected_f1(engine, learner_gaps, units)
    if reference is not None:
        agreements["pair_engine_gold"] = corrected_f1(reference, engine, units)
    return agreements
