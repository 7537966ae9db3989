"""Rankings to read: the passages that a question found, their places, and the marked answers.

Of a question of an evaluation the ranking is there already: :func:`of_question`. Any other words can be asked of any
passages: :class:`PassageIndex`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial

import numpy as np

from chunking import embedding, sentences
from chunking.document import Span
from chunking.embedding.vector_cache import VectorCache
from chunking.errors import ChunkscopeError
from chunking.loading import from_text
from chunking.retrieval import measures
from chunking.retrieval.evaluate import RetrievalEvaluation, RetrievalRow
from chunking.retrieval.questions.data import Answer, CorpusDocument, merge_answers
from chunking.retrieval.search import index, ranking
from chunking.retrieval.search.bm25 import BM25, words
from chunking.retrieval.search.index import EXACT, Choice, InvertedLists, SearchReport
from chunking.retrieval.search.passages import Passages, embed_passages
from chunking.retrieval.search.ranking import DEPTH, METHODS, DenseScorer, Method, Rankings
from chunking.retrieval.search.reranking import Reranking, rerank
from chunking.runtime.arrays import Float32, Int64
from chunking.runtime.progress import Tell
from chunking.sentences import RULES
from chunking.workspace import Models


@dataclass(frozen=True, slots=True)
class RetrievedPassage:
    """A passage of a ranking.

    Attributes:
        rank: from 1.
        passage: place of the passage.
        document: place of its document in the corpus.
        start, end: the passage, in characters of that document, with its overlap where that is returned.
        own: where the chunk itself begins, behind the overlap.
        tokens: of what it adds to the context.
        before: tokens of all that is returned before it.
        score: as the way to search has it.
        marks: the answers in what it adds, as spans of the document, in order.
        relevant: whether its document is judged relevant; ``None`` where documents are not judged.
        returned: what it adds to the context, as spans of the document in order: the passage, with its neighbours or
            its parent, without what is returned already; empty where all of it is, ``None`` for the passage alone.
    """

    rank: int
    passage: int
    document: int
    start: int
    end: int
    own: int
    tokens: int
    before: int
    score: float
    marks: tuple[Span, ...] = ()
    relevant: bool | None = None
    returned: tuple[Span, ...] | None = None

    @property
    def spans(self) -> tuple[Span, ...]:
        """The spans it adds to the context; the passage itself where no others are known."""
        return (Span(self.start, self.end),) if self.returned is None else self.returned


def hits(
    passages: Passages, indices: Int64, scores: Float32, answers: Sequence[Answer] = (), depth: int = 10
) -> tuple[RetrievedPassage, ...]:
    """Return the first passages of a ranking.

    Args:
        passages: what was ranked.
        indices, scores: the ranking, the best first.
        answers: what is marked in them.
        depth: how many, at most.
    """
    listed, before = [], 0
    all_returned = passages.returned(indices[:depth])
    for rank, (number, score) in enumerate(zip(indices[:depth].tolist(), scores[:depth].tolist(), strict=True)):
        document, start, end = (int(column[number]) for column in (passages.document, passages.reach, passages.end))
        added = all_returned.passages[all_returned.ranks == rank]
        tokens = int(passages.tokens[added].sum())
        spans = tuple(Span(*stretch) for _, *stretch in merge_answers(measures.ranges(passages, added)))
        marks = tuple(mark for span in spans for mark in marked(answers, document, *span))
        own_start = int(passages.start[number])
        listed.append(
            RetrievedPassage(
                rank + 1, number, document, start, end, own_start, tokens, before, score, marks, returned=spans
            )
        )
        before += tokens
    return tuple(listed)


def marked(answers: Sequence[Answer], document: int, start: int, end: int) -> tuple[Span, ...]:
    """Return the parts of answers that lie in a span of a document."""
    inside = [(max(answer.start, start), min(answer.end, end)) for answer in answers if answer.document == document]
    return tuple(Span(*bounds) for bounds in sorted(inside) if bounds[0] < bounds[1])


def of_question(
    evaluation: RetrievalEvaluation, row: RetrievalRow, question: int, depth: int = 10
) -> tuple[RetrievedPassage, ...]:
    """Return the passages that a question of an evaluation retrieved, with its answers marked.

    Args:
        evaluation: the evaluation.
        row: one of its rows.
        question: its place in the set.
        depth: how many passages, at most.
    """
    question_set = evaluation.question_set
    asked_question, passages = question_set.questions[question], evaluation.passages[row.strategy]
    indices, scores = row.hits.passages[question], row.hits.scores[question]
    documents = passages.document[indices].tolist()
    is_kept = np.array([not question_set.leaves_out(question, document) for document in documents], dtype=np.bool_)
    listed = hits(passages, indices[is_kept], scores[is_kept], asked_question.answers, depth)
    if question_set.truth == "spans":
        return listed
    return tuple(replace(hit, relevant=asked_question.grades.get(hit.document, 0) > 0) for hit in listed)


class PassageIndex:
    """Passages that can be asked anything; what a way to search needs is made when it is first used.

    Args:
        passages: what is searched.
        sources: their documents.
        tools: the encoder.
        cache: of vectors: what it holds is not embedded again.
        tell: receives how far embedding is; may raise to stop.
        choice: whether all passages are compared by meaning, or those that a vector index takes to be near.
        questions: on some of these it is measured what that index finds; without any, ``auto`` compares all.
        reranking: a second stage after every search.

    Raises:
        ChunkscopeError: there is no such choice, or FAISS was chosen and is not there.
    """

    def __init__(
        self,
        passages: Passages,
        sources: Sequence[CorpusDocument],
        tools: Models | None = None,
        cache: VectorCache | None = None,
        tell: Tell | None = None,
        choice: Choice = "auto",
        questions: Sequence[str] = (),
        reranking: Reranking | None = None,
    ) -> None:
        index.check(choice)
        self.passages = passages
        self._choice = choice
        self._reranking = reranking
        self._questions = questions
        self._sources = sources
        self._texts = passages.indexed_texts(sources)
        self._encoder = embedding.get_encoder((tools or Models()).retrieval_encoder)
        self._cache = cache
        self._tell: Tell = tell or (lambda *_: None)

    @cached_property
    def _near(self) -> DenseScorer | InvertedLists:
        progress = partial(self._tell, "embedding passages")
        vectors = embed_passages(self.passages, self._sources, self._encoder, self._cache, progress)
        if (self._choice == "auto" and not self._questions) or not index.uses_index(self._choice, len(vectors), None):
            return DenseScorer(vectors[:0], vectors)
        vectors_of_questions = self._embed(self._questions, "embedding questions") if self._questions else None
        return InvertedLists(vectors, vectors_of_questions, DEPTH, partial(self._tell, "making an index"))

    def _embed(self, texts: Sequence[str], what: str) -> Float32:
        return embedding.embed(texts, self._encoder, self._cache, partial(self._tell, what))

    @property
    def searched(self) -> SearchReport:
        """The report on how vectors are compared."""
        return self._near.searched if isinstance(self._near, InvertedLists) else EXACT

    @cached_property
    def _words(self) -> BM25:
        return BM25.for_any_question(self._texts)

    def search(self, query: str, method: Method = "dense", depth: int = 10) -> tuple[RetrievedPassage, ...]:
        """Return the passages that words find.

        Args:
            query: the words.
            method: the way to search.
            depth: how many passages, at most.

        Raises:
            ChunkscopeError: the query is blank, there is no such search method, or the encoder cannot be used.
        """
        if not query.strip():
            raise ChunkscopeError("Nothing is asked.", "Write a question.")
        if method not in METHODS:
            raise ChunkscopeError(f"There is no way to search {method!r:.40}.", f"There are: {', '.join(METHODS)}.")
        results = self._search(query, method)
        if self._reranking is not None:
            results = rerank(results, [query], self._texts, self._reranking)
        return hits(self.passages, results.passages[0], results.scores[0], depth=depth)

    def _search(self, query: str, method: Method) -> Rankings:
        if not len(self.passages):
            return Rankings((np.zeros(0, dtype=np.int64),), (np.zeros(0, dtype=np.float32),))
        if method == "bm25":
            return self._by_words(query)
        vectors = embedding.embed([query], self._encoder, self._cache)
        near = self._near
        by_meaning = near.search(vectors) if isinstance(near, InvertedLists) else near.asking(vectors).search(DEPTH)
        return by_meaning if method == "dense" else ranking.fused([by_meaning, self._by_words(query)], DEPTH)

    def evidence(self, query: str, method: Method, retrieved: Sequence[RetrievedPassage]) -> tuple[SearchEvidence, ...]:
        """Return the evidence for each passage that a query found.

        Args:
            query: the words.
            method: the way in which they were searched.
            retrieved: by :meth:`search`.

        Raises:
            ChunkscopeError: the encoder cannot be used.
        """
        indices = np.array([hit.passage for hit in retrieved], dtype=np.int64)
        shares = term_shares(self._words.asking([query]), indices) if method != "dense" else None
        closest_numbers = None
        if method != "bm25":
            embed = partial(embedding.embed, encoder=self._encoder, cache=self._cache)
            closest_numbers = closest_sentences(query, self.passages, indices, self._sources, embed)
        return tuple(
            SearchEvidence(shares[number] if shares else (), closest_numbers[number] if closest_numbers else ())
            for number in range(len(retrieved))
        )

    def _by_words(self, query: str) -> Rankings:
        return self._words.asking([query]).search(DEPTH)


MOST_SENTENCES = 16
"""Sentences of a passage that are compared: those that share most words with the query, then the first."""

SHOWN = 2
"""Sentences of a passage that are returned."""


@dataclass(frozen=True, slots=True)
class TermShare:
    """A term of a query.

    Attributes:
        term: as BM25 counts it.
        share: of the passage's BM25 score, from 0 to 1.
    """

    term: str
    share: float


@dataclass(frozen=True, slots=True)
class CloseSentence:
    """A sentence of a passage, or what was embedded before its text.

    Attributes:
        text: its words.
        similarity: to the query, by cosine.
        span: where it stands in the document; ``None`` of headings and titles that were put before the text.
    """

    text: str
    similarity: float
    span: Span | None


@dataclass(frozen=True, slots=True)
class SearchEvidence:
    """The evidence for which a search returned a passage.

    Attributes:
        terms: of a search by words, the largest share first.
        sentences: of a dense search, the closest first.
    """

    terms: tuple[TermShare, ...] = ()
    sentences: tuple[CloseSentence, ...] = ()


def term_shares(scorer: BM25, indices: Int64) -> list[tuple[TermShare, ...]]:
    """Return the share of each term in the score of passages, the largest first.

    Args:
        scorer: of one question.
        indices: ``(n,)`` int64 of passages.
    """
    scores = scorer.term_scores(0, indices)
    totals = np.sum([*scores.values(), np.zeros(len(indices), dtype=np.float32)], axis=0)
    shares = []
    for number, total in enumerate(totals.tolist()):
        parts = [TermShare(term, float(score[number]) / total) for term, score in scores.items() if score[number] > 0]
        shares.append(tuple(sorted(parts, key=lambda part: -part.share)))
    return shares


def closest_sentences(
    query: str,
    passages: Passages,
    indices: Int64,
    sources: Sequence[CorpusDocument],
    embed: Callable[[Sequence[str]], Float32],
) -> list[tuple[CloseSentence, ...]]:
    """Return the sentences of passages that are most similar to a query.

    Args:
        query: the words.
        passages: what was searched.
        indices: ``(n,)`` int64 of those that are explained.
        sources: the documents.
        embed: returns ``(n, dim)`` float32 vectors of length 1.
    """
    query_words = frozenset(words(query))
    drafts = [_sentences(passages, int(number), sources, query_words) for number in indices]
    texts = [query, *(text for draft in drafts for text, _ in draft)]
    vectors = embed(texts)
    scores = iter((vectors[1:] @ vectors[0]).tolist())
    closest_numbers = []
    for draft in drafts:
        close = [CloseSentence(text, next(scores), span) for text, span in draft]
        closest_numbers.append(tuple(sorted(close, key=lambda sentence: -sentence.similarity)[:SHOWN]))
    return closest_numbers


def _sentences(
    passages: Passages, number: int, sources: Sequence[CorpusDocument], query_words: frozenset[str]
) -> list[tuple[str, Span | None]]:
    """Return the texts of a passage that are compared, with their spans."""
    source = sources[int(passages.document[number])]
    start, end = int(passages.leads[number]), int(passages.end[number])
    before = passages.before(number).strip()
    candidates: list[tuple[str, Span | None]] = [(before, None)] if before else []
    spans = [Span(start + first, start + last) for first, last in _split(source, start, end)]
    texts = [source.text[span.start : span.end] for span in spans]
    closest_numbers = sorted(range(len(spans)), key=lambda number: -len(query_words.intersection(words(texts[number]))))
    return candidates + [(texts[number], spans[number]) for number in closest_numbers[:MOST_SENTENCES]]


def _split(source: CorpusDocument, start: int, end: int) -> list[tuple[int, int]]:
    """Return the sentences of a part of a document, by rules; the whole part where there are none."""
    part = source.text[start:end]
    format = "text" if source.document else source.format
    document = from_text(part, format=format, language=source.language or "und")
    if document.text != part:
        return [(0, len(part))]
    return [(first, last) for first, last in sentences.split(document, RULES).spans.tolist()] or [(0, len(part))]
