"""What kept a question from its answer.

Of every answer that is not wholly within what is looked at, each missing stretch is traced to a cause:

- ``absent``: it is in no passage, since its document could not be cut or the strategy leaves text out;
- ``cut``: no passage holds the whole answer, and either another passage with a part of it is looked at, or the passages
  that share it would be if they were one; or one does, but it has not the whole of the sentences that the answer stands
  in, and only the passages that share these would be looked at as one;
- ``reach``: it begins behind the last token that the encoder reads of its passage, so no vector knows of it;
- ``diluted``: its own sentences, as far as they are in its passage, would be looked at in place of that passage, which
  is not (or not to its end);
- ``outranked``: none of these: even those sentences alone would not be looked at.

Several may hold at once. The one that is named first here is the cause of the stretch, since it holds whatever is done
about those behind it: text that is in no passage cannot be ranked, a part that is cut off is not found by finding the
other, and what the encoder does not read is not in any similarity. The others contribute. The cause of a question is
the one that most of its missing characters have; of equal ones, the first here.

Where documents are judged, the same is asked of each relevant document that is not among the first: which answer it
gives is not known, so the sentence of it that is most alike to the question stands for the answer, and nothing is cut.

All else stays as it is in these comparisons: they say what one passage loses, not what would be if everything were cut
so. That is what :mod:`chunking.retrieval.misses.remedy` tries.

What something would score that is no passage is known of the dense search alone, see :func:`unknown`: elsewhere
``outranked`` says no more than that the passage is not looked at.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Literal, get_args

import numpy as np

from chunking import chunks
from chunking.document import Span
from chunking.embedding.contract import UNLIMITED
from chunking.retrieval import measures
from chunking.retrieval.evaluate import RetrievalEvaluation, RetrievalRow
from chunking.retrieval.evaluation_context import EvaluationContext
from chunking.retrieval.measures import Range
from chunking.retrieval.misses import retrieved
from chunking.retrieval.misses.retrieved import AnalyzedRow, Cutoff, MissingSpan, SizedRanking, relevant, unknown
from chunking.retrieval.questions.data import Answer
from chunking.retrieval.search.ranking import DEPTH
from chunking.runtime.arrays import Int64
from chunking.sentences import Sentences
from chunking.sentences.contract import trim

__all__ = ["analyze", "counts", "unknown"]

_ABOVE = 3
"""Passages of a ranking that are shown with the analysis of a miss."""


def counts(analyses: Iterable[MissAnalysis]) -> dict[Cause, int]:
    """Return the number of questions with each main cause, all causes in order."""
    found = Counter(analyzed.cause for analyzed in analyses)
    return {cause: found[cause] for cause in CAUSES}


def analyze(
    found: RetrievalEvaluation, row: RetrievalRow, within: Cutoff, context: EvaluationContext
) -> tuple[MissAnalysis, ...]:
    """Return the blame for every question whose truth is not wholly within what is looked at, in order of questions.

    Args:
        found: the evaluation.
        row: one of its rows.
        within: what is looked at.
        context: of the same evaluation, see :meth:`~chunking.retrieval.evaluation_context.EvaluationContext.of`.

    Raises:
        ChunkscopeError: the encoder cannot be used, or tokens are to be looked at of judged documents.
    """
    analyzed = AnalyzedRow(found, row, within, context)
    drafts = find_missing(analyzed)
    misses: dict[int, list[Miss]] = defaultdict(list)
    for draft, miss in zip(drafts, judged(analyzed, drafts), strict=True):
        misses[draft.question].append(miss)
    values = retrieved.values(found.known, analyzed.passages, row.hits, within, context.tokenizer)
    return tuple(_analysis(analyzed, number, misses[number], float(values[number])) for number in sorted(misses))


def _analysis(row: AnalyzedRow, number: int, misses: Sequence[Miss], value: float) -> MissAnalysis:
    """Return all that is known of a question."""
    sizes: Counter[Cause] = Counter()
    for miss in misses:
        sizes[miss.cause] += miss.end - miss.start if row.known.truth == "spans" else 1
    cause = max(CAUSES, key=lambda each: sizes[each])
    rest = {each for miss in misses for each in (miss.cause, *miss.also)} - {cause}
    ranked = row.ranked(number)
    return MissAnalysis(
        number,
        cause,
        tuple(each for each in CAUSES if each in rest),
        value,
        _first(row, number, ranked),
        ranked.edge(row.within),
        tuple(misses),
        tuple(_above(row, number)),
    )


def _holding(row: AnalyzedRow, number: int) -> Int64:
    """Return the passages that hold some of the truth of a question."""
    question = row.known.questions[number]
    if row.known.truth == "spans":
        return measures.holders(row.passages, question.answers)
    return np.flatnonzero(np.isin(row.passages.document, relevant(question)))


def _first(row: AnalyzedRow, number: int, ranked: SizedRanking) -> int | None:
    question = row.known.questions[number]
    wanted = _holding(row, number) if row.known.truth == "spans" else np.array(relevant(question))
    ranks = np.flatnonzero(np.isin(ranked.places, wanted))
    return int(ranks[0]) + 1 if len(ranks) else None


def _above(row: AnalyzedRow, number: int) -> Iterable[TopPassage]:
    holding = set(_holding(row, number).tolist())
    hits = zip(row.hits.passages[number].tolist(), row.hits.scores[number].tolist(), strict=True)
    documents = row.passages.document
    others = [hit for hit in hits if not retrieved.itself(row.known, number, int(documents[hit[0]]))]
    for rank, (place, score) in enumerate(others[:_ABOVE], 1):
        document, start, end = measures.ranges(row.passages, np.array([place]))[0]
        yield TopPassage(rank, place, document, start, end, int(row.passages.tokens[place]), score, place in holding)


Cause = Literal["absent", "cut", "reach", "diluted", "outranked"]
CAUSES: tuple[Cause, ...] = get_args(Cause)
"""In the order in which they are tested."""


@dataclass(frozen=True, slots=True)
class Replacement:
    """What something that is no passage would come to in place of the passages it is taken from.

    Attributes:
        start, end: the text, in characters of its document.
        tokens: its size.
        score: its similarity to the question.
        rank: where it would stand, from 1.
        within: whether it would be looked at to its end.
    """

    start: int
    end: int
    tokens: int
    score: float
    rank: int
    within: bool


@dataclass(frozen=True, slots=True)
class EncoderInput:
    """What the encoder reads of a passage, in its own tokens.

    Attributes:
        before: how many it would have read before the answer begins, with those it adds itself.
        tokens: of the whole passage.
        limit: how many it reads.
    """

    before: int
    tokens: int
    limit: int

    @property
    def beyond(self) -> bool:
        """Whether nothing of the answer is read."""
        return self.tokens > self.limit and self.before >= self.limit


@dataclass(frozen=True, slots=True)
class Miss:
    """A stretch of an answer, or a relevant document, that is not looked at.

    Attributes:
        cause: what did it; see :mod:`chunking.retrieval.misses.analysis`.
        also: the other causes that hold.
        document: place of the document in the set.
        start, end: the stretch; of a relevant document, the sentence most alike to the question, or its best passage
            where similarity is not known.
        answer: the whole answer; ``None`` of a relevant document.
        passage: the passage that holds it, the best ranked of several; ``None`` where none does.
        rank: of that passage, or of the document among documents, from 1; ``None`` where it is not ranked.
        score: of that passage; ``None`` where it is not known.
        tokens: of that passage; 0 where there is none.
        own_tokens: of the stretch itself.
        whole: what belongs in one passage: the answer; its sentences where these alone are cut; of a relevant document,
            the stretch.
        alone: its own sentences in place of the passage; ``None`` where that is not known.
        joined: the passages that share ``whole`` as one; ``None`` where one holds it all, or it is not known.
        read: what the encoder reads of the passage; ``None`` where it reads any text to its end, or none at all.
        cuts: the cuts inside ``whole`` that part this stretch from the rest of it.
    """

    cause: Cause
    also: tuple[Cause, ...]
    document: int
    start: int
    end: int
    answer: Answer | None
    passage: int | None
    rank: int | None
    score: float | None
    tokens: int
    own_tokens: int
    whole: Span
    alone: Replacement | None
    joined: Replacement | None
    read: EncoderInput | None
    cuts: tuple[chunks.Cut, ...]


@dataclass(frozen=True, slots=True)
class TopPassage:
    """A passage among the first of a ranking.

    Attributes:
        rank: from 1.
        passage: place of the passage.
        document: place of its document in the set.
        start, end: what is retrieved.
        tokens: its size.
        score: its score.
        holds: whether it holds some of an answer, or is of a relevant document.
    """

    rank: int
    passage: int
    document: int
    start: int
    end: int
    tokens: int
    score: float
    holds: bool


@dataclass(frozen=True, slots=True)
class MissAnalysis:
    """What kept a question from its answer.

    Attributes:
        question: its place in the set.
        cause: the main cause.
        also: what contributed: the other causes of all that is missing, in order.
        value: share of the truth that is retrieved, see :meth:`~chunking.retrieval.misses.retrieved.Cutoff.measure`.
        rank: of the first passage that holds some of an answer, or of the first relevant document; ``None`` where none
            is ranked.
        edge: the score of the last that is looked at; ``None`` where nothing was found.
        misses: each stretch or document.
        above: the first of the ranking.
    """

    question: int
    cause: Cause
    also: tuple[Cause, ...]
    value: float
    rank: int | None
    edge: float | None
    misses: tuple[Miss, ...]
    above: tuple[TopPassage, ...]

    @property
    def leading(self) -> Miss:
        """The longest stretch of the main cause, or the relevant document with the best rank."""
        mine = [miss for miss in self.misses if miss.cause == self.cause]
        if mine[0].answer is None:
            return min(mine, key=lambda miss: miss.rank or len(mine) + DEPTH)
        return max(mine, key=lambda miss: miss.end - miss.start)


@dataclass(eq=False)
class PartialMiss:
    """A miss of which not all is known yet.

    Attributes:
        question: place of the question.
        document, start, end, answer, passage, rank: as of :class:`~chunking.retrieval.misses.analysis.Miss`.
        whole: as of :class:`~chunking.retrieval.misses.analysis.Miss`.
        parted: whether no passage holds the whole answer.
        partly: whether another passage with a part of the answer is looked at.
        alone, joined: what is to be compared with the question; ``None`` for nothing.
        sharing: the passages that ``joined`` stands for.
        cuts, read: as of :class:`~chunking.retrieval.misses.analysis.Miss`.
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
        self._known, self._passages, self._context, self._within = row.known, row.passages, row.context, row.within

    def of_spans(self) -> list[PartialMiss]:
        """Return every stretch of an answer that is not looked at, split where it lies in several passages."""
        drafts: list[PartialMiss] = []
        for number, question in enumerate(self._known.questions):
            places = self._row.hits.passages[number]
            seen = retrieved.retrieved_ranges(
                self._known, self._passages, places, self._within, self._context.tokenizer
            )
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
        own = _sentences(self._context.workspace(draft.document).sentences, draft.start, draft.end)
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
        made = self._context.segmentation(self._row.setting, document)
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
        workspace = self._context.workspace(document)
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


def judged(row: AnalyzedRow, drafts: Sequence[PartialMiss]) -> list[Miss]:
    """Return all that is missing with its causes, in the same order."""
    return _Judge(row).judged(drafts)


class _Judge:
    def __init__(self, row: AnalyzedRow) -> None:
        self._row = row
        self._known, self._passages, self._context = row.known, row.passages, row.context

    def judged(self, drafts: Sequence[PartialMiss]) -> list[Miss]:
        """Return the causes of all that is missing."""
        if self._row.dense:
            self._compare(drafts)
            self._read(drafts)
        return [self._miss(draft) for draft in drafts]

    def _compare(self, drafts: Sequence[PartialMiss]) -> None:
        """Compute the similarities that no ranking contains."""
        asked: list[tuple[PartialMiss, str, str]] = []
        for draft in drafts:
            text = self._known.sources[draft.document].text
            spans = {"alone": draft.alone, "joined": draft.joined}
            before = self._passages.before(draft.passage) if draft.passage is not None else ""
            asked += [(draft, name, before + text[span.start : span.end]) for name, span in spans.items() if span]
            if draft.passage is not None:
                asked.append((draft, "passage", self._passages.indexed_text(draft.passage, self._known.sources)))
        if not asked:
            return
        vectors = self._context.embed([text for *_, text in asked], "answers")
        own = self._row.asked[[draft.question for draft, *_ in asked]]
        for (draft, name, _), score in zip(asked, np.einsum("ij,ij->i", vectors, own).tolist(), strict=True):
            draft.scores[name] = score

    def _read(self, drafts: Sequence[PartialMiss]) -> None:
        """How far the encoder reads."""
        limit = self._context.encoder.max_tokens
        held = [(draft, draft.passage) for draft in drafts if draft.passage is not None]
        if limit >= UNLIMITED or not held:
            return
        texts = [self._passages.indexed_text(passage, self._known.sources) for _, passage in held]
        begins = [
            len(self._passages.before(passage)) + max(draft.start - int(self._passages.leads[passage]), 0)
            for draft, passage in held
        ]
        sizes = self._context.encoder.token_counts(texts).tolist()
        before = self._context.encoder.token_counts(
            [text[:at] for text, at in zip(texts, begins, strict=True)]
        ).tolist()
        for (draft, _), size, count in zip(held, sizes, before, strict=True):
            draft.read = EncoderInput(count, size, limit)

    def _instead(self, draft: PartialMiss, name: str, span: Span | None, without: Sequence[int]) -> Replacement | None:
        if span is None or draft.passage is None:
            return None
        text = self._known.sources[draft.document].text[span.start : span.end]
        tokens = int(self._context.tokenizer.count([text])[0])
        place = min(without)
        rank, within = self._row.ranked(draft.question).stand(
            draft.scores[name], tokens, place, without, self._row.within
        )
        return Replacement(span.start, span.end, tokens, draft.scores[name], rank, within)

    def _miss(self, draft: PartialMiss) -> Miss:
        documents = self._known.truth == "documents"
        own = [draft.document] if documents else [] if draft.passage is None else [draft.passage]
        alone = self._instead(draft, "alone", draft.alone, own)
        joined = self._instead(draft, "joined", draft.joined, draft.sharing) if self._row.dense else None
        found = bool(alone and alone.within)
        holds: dict[Cause, bool] = {
            "absent": draft.passage is None,
            "cut": bool((draft.parted and draft.partly) or (joined and joined.within and (draft.parted or not found))),
            "reach": bool(draft.read and draft.read.beyond),
            "diluted": found,
            "outranked": draft.passage is not None and not found,
        }
        cause, *also = [each for each in CAUSES if holds[each]]
        text = self._known.sources[draft.document].text[draft.start : draft.end]
        return Miss(
            cause=cause,
            also=tuple(also),
            document=draft.document,
            start=draft.start,
            end=draft.end,
            answer=draft.answer,
            passage=draft.passage,
            rank=draft.rank,
            score=self._score(draft),
            tokens=int(self._passages.tokens[draft.passage]) if draft.passage is not None else 0,
            own_tokens=int(self._context.tokenizer.count([text])[0]),
            whole=draft.whole,
            alone=alone,
            joined=joined,
            read=draft.read,
            cuts=draft.cuts,
        )

    def _score(self, draft: PartialMiss) -> float | None:
        """Of the passage: as the ranking has it, else as it was compared."""
        at = np.flatnonzero(self._row.hits.passages[draft.question] == draft.passage)
        return float(self._row.hits.scores[draft.question][at[0]]) if len(at) else draft.scores.get("passage")
