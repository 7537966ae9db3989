"""What a row does not retrieve: stretches of answers or relevant documents, with the passages that hold them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from chunking import chunks
from chunking.document import Span
from chunking.retrieval import measures
from chunking.retrieval.measures import Range
from chunking.retrieval.misses import retrieved
from chunking.retrieval.misses.contract import EncoderInput
from chunking.retrieval.misses.retrieved import MissingSpan
from chunking.retrieval.misses.row import AnalyzedRow, relevant
from chunking.retrieval.questions.data import Answer
from chunking.sentences import Sentences
from chunking.sentences.contract import trim


@dataclass(eq=False)
class PartialMiss:
    """A miss of which not all is known yet.

    Attributes:
        question: place of the question.
        document, start, end, answer, passage, rank: as of :class:`~chunking.retrieval.misses.contract.Miss`.
        whole: as of :class:`~chunking.retrieval.misses.contract.Miss`.
        parted: whether no passage holds the whole answer.
        partly: whether another passage with a part of the answer is looked at.
        alone, joined: what is to be compared with the question; ``None`` for nothing.
        sharing: the passages that ``joined`` stands for.
        cuts, read: as of :class:`~chunking.retrieval.misses.contract.Miss`.
        scores: the similarities of ``alone``, ``joined`` and the passage, by these names.
    """

    question: int
    document: int
    start: int
    end: int
    answer: Answer | None
    passage: int | None
    rank: int | None
    whole: Span
    parted: bool = False
    partly: bool = False
    alone: Span | None = None
    joined: Span | None = None
    sharing: tuple[int, ...] = ()
    cuts: tuple[chunks.Cut, ...] = ()
    read: EncoderInput | None = None
    scores: dict[str, float] = field(default_factory=dict)


def find_missing(row: AnalyzedRow) -> list[PartialMiss]:
    """Return all that is missing, in the order of the questions."""
    finder = _MissFinder(row)
    return finder.of_documents() if row.known.truth == "documents" else finder.of_spans()


class _MissFinder:
    def __init__(self, row: AnalyzedRow) -> None:
        self._row = row
        self._known, self._passages, self._bench, self._within = row.known, row.passages, row.bench, row.within

    def of_spans(self) -> list[PartialMiss]:
        """Return every stretch of an answer that is not looked at, split where it lies in several passages."""
        drafts: list[PartialMiss] = []
        for number, question in enumerate(self._known.questions):
            places = self._row.hits.passages[number]
            seen = retrieved.retrieved_ranges(self._known, self._passages, places, self._within, self._bench.tokenizer)
            for each in retrieved.missing(self._known, question.answers, seen):
                drafts += self._pieces(number, each, seen)
        drafts.sort(key=lambda draft: draft.document)  # each document is opened once
        divided: dict[int, dict[int, chunks.Cut]] = {}
        for draft in drafts:
            if draft.passage is None:
                continue
            if self._row.dense:
                self._own_sentences(draft, draft.passage)
            self._share(draft)
            if len(draft.sharing) > 1 and draft.document not in divided:
                divided = {draft.document: self._cuts(draft.document)}
            draft.cuts = self._responsible_cuts(draft, draft.passage, divided.get(draft.document, {}))
        return sorted(drafts, key=lambda draft: (draft.question, draft.document, draft.start))

    def _pieces(self, number: int, missing: MissingSpan, seen: Sequence[Range]) -> Iterator[PartialMiss]:
        answer, text = missing.answer, self._known.sources[missing.answer.document].text
        places = measures.holders(self._passages, [answer])
        edges = {*self._passages.start[places].tolist(), *self._passages.end[places].tolist()}
        inside = sorted(edge for edge in edges if missing.start < edge < missing.end)
        whole = Span(*(trim(text, answer.start, answer.end) or (answer.start, answer.end)))
        parted = not ((self._passages.reach[places] <= whole.start) & (self._passages.end[places] >= whole.end)).any()
        for begin, stop in pairwise([missing.start, *inside, missing.end]):
            kept = trim(text, begin, stop)
            if kept is None:
                continue
            holder, rank = self._row.holder(number, places, *kept)
            draft = PartialMiss(number, answer.document, *kept, answer, holder, rank, whole, parted)
            draft.partly = holder is not None and self._elsewhere(answer, holder, seen)
            yield draft

    def _elsewhere(self, answer: Answer, holder: int, seen: Sequence[Range]) -> bool:
        """Return whether some of an answer is looked at that a passage does not hold."""
        start, end = int(self._passages.reach[holder]), int(self._passages.end[holder])
        return any(
            document == answer.document
            and (
                max(first, answer.start) < min(last, answer.end, start)
                or max(first, answer.start, end) < min(last, answer.end)
            )
            for document, first, last in seen
        )

    def _own_sentences(self, draft: PartialMiss, passage: int) -> None:
        """Return the sentences of the answer alone, and whether they are cut."""
        own = _sentences(self._bench.workspace(draft.document).sentences, draft.start, draft.end)
        start, end = int(self._passages.reach[passage]), int(self._passages.end[passage])
        draft.alone = Span(min(max(own.start, start), draft.start), max(min(own.end, end), draft.end))
        if not draft.parted and draft.alone != own:
            draft.whole = own

    def _share(self, draft: PartialMiss) -> None:
        """Record the passages that share the sentences of an answer, if there are several."""
        places = measures.holders(self._passages, [Answer(draft.document, draft.whole.start, draft.whole.end)])
        reach, ends = self._passages.reach[places], self._passages.end[places]
        if len(places) > 1 and not bool(((reach <= draft.whole.start) & (ends >= draft.whole.end)).any()):
            draft.joined = Span(int(reach.min()), int(ends.max()))
            draft.sharing = tuple(places.tolist())

    def _cuts(self, document: int) -> dict[int, chunks.Cut]:
        """Return the cuts of a document by their offsets."""
        made = self._bench.segmentation(self._row.setting, document)
        return {chunk.start: chunk.cut for chunk in made.chunks if chunk.cut is not None}

    def _responsible_cuts(
        self, draft: PartialMiss, passage: int, cuts: dict[int, chunks.Cut]
    ) -> tuple[chunks.Cut, ...]:
        """Return the cuts inside what belongs together at either end of the passage that holds a stretch of it."""
        ends = (int(self._passages.start[passage]), int(self._passages.end[passage]))
        return tuple(cuts[place] for place in ends if draft.whole.start < place < draft.whole.end and place in cuts)

    def of_documents(self) -> list[PartialMiss]:
        """Return every relevant document that is not among the first."""
        wanted = [
            (document, number)
            for number, question in enumerate(self._known.questions)
            for document in relevant(question)
            if not retrieved.itself(self._known, number, document)
        ]
        ranks = [
            {document: rank for rank, document in enumerate(self._row.ranked(number).places.tolist(), 1)}
            for number in range(len(self._known.questions))
        ]
        drafts = []
        for document, number in sorted(wanted):
            rank = ranks[number].get(document)
            if rank is None or rank > self._within.passages:
                drafts.append(self._document(number, document, rank))
        return sorted(drafts, key=lambda draft: (draft.question, draft.document))

    def _document(self, number: int, document: int, rank: int | None) -> PartialMiss:
        length = len(self._known.sources[document].text)
        first, last = np.searchsorted(self._passages.document, [document, document + 1]).tolist()
        places = np.arange(first, last)
        if not len(places):
            return PartialMiss(number, document, 0, length, None, None, rank, Span(0, length))
        span = self._closest(number, document) if self._row.dense else None
        holder, _ = self._row.holder(number, places, *(span or (0, length)))
        if span is None or holder is None:
            ranks = np.flatnonzero(np.isin(self._row.hits.passages[number], places))
            holder = int(self._row.hits.passages[number][ranks[0]]) if len(ranks) else first
            span = (int(self._passages.reach[holder]), int(self._passages.end[holder]))
            return PartialMiss(number, document, *span, None, holder, rank, Span(*span))
        return PartialMiss(number, document, *span, None, holder, rank, Span(*span), alone=Span(*span))

    def _closest(self, number: int, document: int) -> tuple[int, int] | None:
        """Return the sentence of a document that is most alike to a question."""
        workspace = self._bench.workspace(document)
        if not len(workspace.sentences):
            return None
        start, end = workspace.sentences.spans[int((workspace.vectors() @ self._row.asked[number]).argmax())].tolist()
        return start, end


def _sentences(sentences: Sentences, start: int, end: int) -> Span:
    """Return the sentences that a span lies in, as one span; the span itself where it lies in none."""
    first = int(np.searchsorted(sentences.spans[:, 1], start, side="right"))
    last = int(np.searchsorted(sentences.spans[:, 0], end, side="left"))
    if first >= last:
        return Span(start, end)
    return Span(min(int(sentences.spans[first, 0]), start), max(int(sentences.spans[last - 1, 1]), end))
