"""Analysis of the causes that kept questions from their answers, see :mod:`chunking.retrieval.misses.causes`."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from chunking import chunks
from chunking.document import Span
from chunking.embedding.encoders import UNLIMITED
from chunking.retrieval import measures
from chunking.retrieval.evaluate import EvaluationContext, RetrievalEvaluation, RetrievalRow
from chunking.retrieval.misses import retrieved
from chunking.retrieval.misses.causes import CAUSES, Cause, EncoderInput, Miss, MissAnalysis, Replacement, unknown
from chunking.retrieval.misses.retrieved import Cutoff, MissingSpan, SizedRanking
from chunking.retrieval.questions.data import Answer, Question, Range
from chunking.runtime.arrays import Int64
from chunking.sentences import Sentences
from chunking.sentences.sentences import trim


def analyze(
    evaluation: RetrievalEvaluation, row: RetrievalRow, within: Cutoff, context: EvaluationContext
) -> tuple[MissAnalysis, ...]:
    """Return the analysis of every question whose truth is not wholly retrieved, in order of questions.

    Args:
        evaluation: the evaluation.
        row: one of its rows.
        within: how much of each ranking counts.
        context: of the same evaluation, see :meth:`~chunking.retrieval.evaluate.EvaluationContext.of`.

    Raises:
        ChunkscopeError: the encoder cannot be used, or the cutoff is in tokens and documents are judged.
    """
    return _Analyzer(evaluation, row, within, context).analyze()


@dataclass(eq=False)
class _Draft:
    """A miss whose causes are not known yet.

    Attributes:
        question: index of the question.
        document, start, end, answer, passage, rank, whole, cuts, read: as of :class:`Miss`.
        parted: whether no passage has the whole answer.
        partly: whether another passage with a part of the answer is retrieved.
        alone, joined: what is to be compared with the question; ``None`` for nothing.
        sharing: the passages that ``joined`` stands for.
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


class _Analyzer:
    """The questions, passages and rankings of a row whose misses are analyzed."""

    def __init__(
        self, evaluation: RetrievalEvaluation, row: RetrievalRow, within: Cutoff, context: EvaluationContext
    ) -> None:
        self.question_set = evaluation.question_set
        self.setting = evaluation.settings[row.strategy]
        self.passages = evaluation.passages[row.strategy]
        self.hits, self.within, self.context = row.hits, within, context
        self.dense = not unknown(row.method, self.passages.context, evaluation.options.rerank is not None)
        self.spans = self.question_set.truth == "spans"

    def analyze(self) -> tuple[MissAnalysis, ...]:
        """Return the analysis of every question with a miss."""
        drafts = self._missing_spans() if self.spans else self._missing_documents()
        if self.dense:
            self._compare(drafts)
            self._read(drafts)
        misses: dict[int, list[Miss]] = defaultdict(list)
        for draft in drafts:
            misses[draft.question].append(self._judge(draft))
        values = retrieved.values(self.question_set, self.passages, self.hits, self.within, self.context.tokenizer)
        return tuple(self._analysis(number, misses[number], float(values[number])) for number in sorted(misses))

    def _sized_ranking(self, number: int) -> SizedRanking:
        """Return the ranking of a question: passages, or documents if these are judged."""
        if not self.spans:
            return retrieved.documents(self.question_set, self.passages, self.hits, number)
        passages = self.hits.passages[number]
        tokens = retrieved.returned_tokens(self.passages, passages)
        return SizedRanking(passages, self.hits.scores[number], tokens)

    def _holder(self, number: int, passages: Int64, start: int, end: int) -> tuple[int | None, int | None]:
        """Return the passage that has most of a span, the best ranked of several, and its rank."""
        shared = np.minimum(self.passages.end[passages], end) - np.maximum(self.passages.reach[passages], start)
        most = passages[shared == shared.max()] if len(shared) and shared.max() > 0 else passages[:0]
        if not len(most):
            return None, None
        ranks = np.flatnonzero(np.isin(self.hits.passages[number], most))
        if not len(ranks):
            return int(most[0]), None
        return int(self.hits.passages[number][ranks[0]]), int(ranks[0]) + 1

    # --- missing spans ---

    def _missing_spans(self) -> list[_Draft]:
        """Return every stretch of an answer that is not retrieved, split where it lies in several passages."""
        drafts: list[_Draft] = []
        for number, question in enumerate(self.question_set.questions):
            hits = self.hits.passages[number]
            ranges = retrieved.retrieved_ranges(
                self.question_set, self.passages, hits, self.within, self.context.tokenizer
            )
            for missing_span in retrieved.missing(self.question_set, question.answers, ranges):
                drafts += self._split(number, missing_span, ranges)
        drafts.sort(key=lambda draft: draft.document)  # each document is opened once
        document, cuts = -1, dict[int, chunks.Cut]()
        for draft in drafts:
            if draft.passage is None:
                continue
            if self.dense:
                self._find_sentences(draft, draft.passage)
            self._find_sharing(draft)
            if len(draft.sharing) > 1 and draft.document != document:
                document = draft.document
                segmentation_chunks = self.context.segmentation(self.setting, document).chunks
                cuts = {chunk.start: chunk.cut for chunk in segmentation_chunks if chunk.cut is not None}
            # The cuts inside what belongs together, at either end of the passage that has the stretch.
            ends = (int(self.passages.start[draft.passage]), int(self.passages.end[draft.passage]))
            inside = [end for end in ends if draft.whole.start < end < draft.whole.end]
            draft.cuts = tuple(cuts[end] for end in inside if draft.document == document and end in cuts)
        return sorted(drafts, key=lambda draft: (draft.question, draft.document, draft.start))

    def _split(self, number: int, missing_span: MissingSpan, ranges: Sequence[Range]) -> Iterator[_Draft]:
        answer, text = missing_span.answer, self.question_set.sources[missing_span.answer.document].text
        holders = measures.holders(self.passages, [answer])
        edges = {*self.passages.start[holders].tolist(), *self.passages.end[holders].tolist()}
        inside = sorted(edge for edge in edges if missing_span.start < edge < missing_span.end)
        answer_span = Span(*(trim(text, answer.start, answer.end) or (answer.start, answer.end)))
        parted = not self._is_within_one(holders, answer_span)
        for begin, stop in pairwise([missing_span.start, *inside, missing_span.end]):
            span = trim(text, begin, stop)
            if span is None:
                continue
            holder, rank = self._holder(number, holders, *span)
            draft = _Draft(number, answer.document, *span, answer, holder, rank, answer_span, parted)
            draft.partly = holder is not None and self._is_retrieved_elsewhere(answer, holder, ranges)
            yield draft

    def _is_within_one(self, passages: Int64, span: Span) -> bool:
        """Return whether one of some passages has a whole span."""
        return bool(((self.passages.reach[passages] <= span.start) & (self.passages.end[passages] >= span.end)).any())

    def _is_retrieved_elsewhere(self, answer: Answer, holder: int, ranges: Sequence[Range]) -> bool:
        """Return whether some of an answer is retrieved that a passage does not have."""
        start, end = int(self.passages.reach[holder]), int(self.passages.end[holder])
        return any(
            document == answer.document
            and (
                max(first, answer.start) < min(last, answer.end, start)
                or max(first, answer.start, end) < min(last, answer.end)
            )
            for document, first, last in ranges
        )

    def _find_sentences(self, draft: _Draft, passage: int) -> None:
        """Set the sentences of the answer as far as they are in its passage, and whether they are cut."""
        sentences = _sentences(self.context.workspace(draft.document).sentences, draft.start, draft.end)
        start, end = int(self.passages.reach[passage]), int(self.passages.end[passage])
        draft.alone = Span(min(max(sentences.start, start), draft.start), max(min(sentences.end, end), draft.end))
        if not draft.parted and draft.alone != sentences:
            draft.whole = sentences

    def _find_sharing(self, draft: _Draft) -> None:
        """Set the passages that share the sentences of an answer, if there are several."""
        holders = measures.holders(self.passages, [Answer(draft.document, draft.whole.start, draft.whole.end)])
        if len(holders) > 1 and not self._is_within_one(holders, draft.whole):
            draft.joined = Span(int(self.passages.reach[holders].min()), int(self.passages.end[holders].max()))
            draft.sharing = tuple(holders.tolist())

    # --- missing documents ---

    def _missing_documents(self) -> list[_Draft]:
        """Return every relevant document that is not among the first."""
        missed_documents = []
        for number, question in enumerate(self.question_set.questions):
            ranks = {document: rank for rank, document in enumerate(self._sized_ranking(number).places.tolist(), 1)}
            for document in _relevant(question):
                rank = ranks.get(document)
                if self.question_set.leaves_out(number, document):
                    continue
                if rank is None or rank > self.within.passages:
                    missed_documents.append((document, number, rank))
        # By document, so that each is opened once.
        drafts = [
            self._draft_document(number, document, rank)
            for document, number, rank in sorted(missed_documents, key=lambda entry: entry[:2])
        ]
        return sorted(drafts, key=lambda draft: (draft.question, draft.document))

    def _draft_document(self, number: int, document: int, rank: int | None) -> _Draft:
        length = len(self.question_set.sources[document].text)
        first, last = np.searchsorted(self.passages.document, [document, document + 1]).tolist()
        passages = np.arange(first, last)
        if not len(passages):
            return _Draft(number, document, 0, length, None, None, rank, Span(0, length))
        span = self._closest_sentence(number, document) if self.dense else None
        holder, _ = self._holder(number, passages, *(span or (0, length)))
        if span is None or holder is None:
            ranks = np.flatnonzero(np.isin(self.hits.passages[number], passages))
            holder = int(self.hits.passages[number][ranks[0]]) if len(ranks) else first
            span = (int(self.passages.reach[holder]), int(self.passages.end[holder]))
            return _Draft(number, document, *span, None, holder, rank, Span(*span))
        return _Draft(number, document, *span, None, holder, rank, Span(*span), alone=Span(*span))

    def _closest_sentence(self, number: int, document: int) -> tuple[int, int] | None:
        """Return the sentence of a document that is most similar to a question."""
        workspace = self.context.workspace(document)
        if not len(workspace.sentences):
            return None
        similarities = workspace.vectors() @ self.context.question_vectors[number]
        start, end = workspace.sentences.spans[int(similarities.argmax())].tolist()
        return start, end

    # --- causes: what would be retrieved if one thing were different ---

    def _compare(self, drafts: Sequence[_Draft]) -> None:
        """Compute the similarities that no ranking contains."""
        texts: list[tuple[_Draft, str, str]] = []
        for draft in drafts:
            text = self.question_set.sources[draft.document].searched_text
            spans = {"alone": draft.alone, "joined": draft.joined}
            before = self.passages.before(draft.passage) if draft.passage is not None else ""
            texts += [(draft, name, before + text[span.start : span.end]) for name, span in spans.items() if span]
            if draft.passage is not None:
                texts.append((draft, "passage", self.passages.indexed_text(draft.passage, self.question_set.sources)))
        if not texts:
            return
        vectors = self.context.embed([text for *_, text in texts], "answers")
        questions = self.context.question_vectors[[draft.question for draft, *_ in texts]]
        for (draft, name, _), score in zip(texts, np.einsum("ij,ij->i", vectors, questions).tolist(), strict=True):
            draft.scores[name] = score

    def _read(self, drafts: Sequence[_Draft]) -> None:
        """Set how much of each passage the encoder reads."""
        limit, count = self.context.encoder.max_tokens, self.context.encoder.token_counts
        drafts_with_passage = [(draft, draft.passage) for draft in drafts if draft.passage is not None]
        if limit >= UNLIMITED or not drafts_with_passage:
            return
        texts = [self.passages.indexed_text(passage, self.question_set.sources) for _, passage in drafts_with_passage]
        begins = [
            len(self.passages.before(passage)) + max(draft.start - int(self.passages.leads[passage]), 0)
            for draft, passage in drafts_with_passage
        ]
        sizes = count(texts).tolist()
        before = count([text[:begin] for text, begin in zip(texts, begins, strict=True)]).tolist()
        for (draft, _), size, tokens in zip(drafts_with_passage, sizes, before, strict=True):
            draft.read = EncoderInput(tokens, size, limit)

    def _replace(self, draft: _Draft, name: str, span: Span | None, without: Sequence[int]) -> Replacement | None:
        """Return the rank of a span in place of passages or documents; ``None`` if it is not known."""
        if span is None or draft.passage is None:
            return None
        text = self.question_set.sources[draft.document].text[span.start : span.end]
        tokens, score = int(self.context.tokenizer.count([text])[0]), draft.scores[name]
        rank, within = self._sized_ranking(draft.question).stand(score, tokens, min(without), without, self.within)
        return Replacement(span.start, span.end, tokens, score, rank, within)

    def _judge(self, draft: _Draft) -> Miss:
        indices = [draft.document] if not self.spans else [] if draft.passage is None else [draft.passage]
        alone = self._replace(draft, "alone", draft.alone, indices)
        joined_replacement = self._replace(draft, "joined", draft.joined, draft.sharing) if self.dense else None
        retrieved_alone = bool(alone and alone.within)
        holds: dict[Cause, bool] = {
            "absent": draft.passage is None,
            "cut": bool(
                (draft.parted and draft.partly)
                or (joined_replacement and joined_replacement.within and (draft.parted or not retrieved_alone))
            ),
            "reach": bool(draft.read and draft.read.beyond),
            "diluted": retrieved_alone,
            "outranked": draft.passage is not None and not retrieved_alone,
        }
        cause, *also = [candidate for candidate in CAUSES if holds[candidate]]
        text = self.question_set.sources[draft.document].text[draft.start : draft.end]
        ranks = np.flatnonzero(self.hits.passages[draft.question] == draft.passage)
        return Miss(
            cause=cause,
            also=tuple(also),
            document=draft.document,
            start=draft.start,
            end=draft.end,
            answer=draft.answer,
            passage=draft.passage,
            rank=draft.rank,
            # As the ranking has it, else as it was compared.
            score=float(self.hits.scores[draft.question][ranks[0]]) if len(ranks) else draft.scores.get("passage"),
            tokens=int(self.passages.tokens[draft.passage]) if draft.passage is not None else 0,
            own_tokens=int(self.context.tokenizer.count([text])[0]),
            whole=draft.whole,
            alone=alone,
            joined=joined_replacement,
            read=draft.read,
            cuts=draft.cuts,
        )

    # --- questions ---

    def _analysis(self, number: int, misses: Sequence[Miss], value: float) -> MissAnalysis:
        """Return the analysis of a question, with its main cause."""
        sizes: Counter[Cause] = Counter()
        for miss in misses:
            sizes[miss.cause] += miss.end - miss.start if self.spans else 1
        cause = max(CAUSES, key=lambda candidate: sizes[candidate])
        other_causes = {name for miss in misses for name in (miss.cause, *miss.also)} - {cause}
        question, sized_ranking = self.question_set.questions[number], self._sized_ranking(number)
        relevant = measures.holders(self.passages, question.answers) if self.spans else _relevant(question)
        ranks = np.flatnonzero(np.isin(sized_ranking.places, relevant))
        return MissAnalysis(
            number,
            cause,
            tuple(candidate for candidate in CAUSES if candidate in other_causes),
            value,
            int(ranks[0]) + 1 if len(ranks) else None,
            sized_ranking.edge(self.within),
            tuple(misses),
        )


def _relevant(question: Question) -> list[int]:
    """Return the relevant documents of a question, ascending."""
    return sorted(document for document, grade in question.grades.items() if grade > 0)


def _sentences(sentences: Sentences, start: int, end: int) -> Span:
    """Return the sentences that a span lies in, as one span; the span itself if it lies in none."""
    first = int(np.searchsorted(sentences.spans[:, 1], start, side="right"))
    last = int(np.searchsorted(sentences.spans[:, 0], end, side="left"))
    if first >= last:
        return Span(start, end)
    return Span(min(int(sentences.spans[first, 0]), start), max(int(sentences.spans[last - 1, 1]), end))
