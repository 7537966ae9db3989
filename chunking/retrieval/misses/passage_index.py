"""A ranking to read: what a question found, where it stands, and which of it is the answer.

Of a question of an evaluation the ranking is there already: :func:`of_question`. Any other words can be asked of any
passages: :class:`PassageIndex`, or :func:`ask` once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial

import numpy as np

from chunking import embedding
from chunking.document import Span
from chunking.embedding.vector_cache import VectorCache
from chunking.errors import ChunkscopeError
from chunking.retrieval.evaluate import DEPTH, RetrievalEvaluation, RetrievalRow
from chunking.retrieval.misses import retrieved
from chunking.retrieval.questions.data import Answer, CorpusDocument
from chunking.retrieval.search import index, ranking
from chunking.retrieval.search.index import EXACT, Choice, InvertedLists, SearchReport
from chunking.retrieval.search.passages import Passages
from chunking.retrieval.search.ranking import BM25, METHODS, DenseScorer, Method, Rankings
from chunking.runtime.arrays import Float32, Int64
from chunking.runtime.progress import Tell
from chunking.workspace import Tools


@dataclass(frozen=True, slots=True)
class RetrievedPassage:
    """A passage of a ranking.

    Attributes:
        rank: from 1.
        passage: place of the passage.
        document: place of its document in the corpus.
        start, end: what is retrieved, in characters of that document, the overlap with it.
        own: where the chunk itself begins, behind the overlap.
        tokens: of what is retrieved.
        before: tokens of all that stand before it in the ranking.
        score: as the way to search has it.
        marks: the answers in it, as spans of the document, in order.
        relevant: whether its document is judged relevant; ``None`` where documents are not judged.
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


def hits(
    passages: Passages, places: Int64, scores: Float32, answers: Sequence[Answer] = (), depth: int = 10
) -> tuple[RetrievedPassage, ...]:
    """Return the first passages of a ranking.

    Args:
        passages: what was ranked.
        places, scores: the ranking, the best first.
        answers: what is marked in them.
        depth: how many, at most.
    """
    found, before = [], 0
    for rank, (place, score) in enumerate(zip(places[:depth].tolist(), scores[:depth].tolist(), strict=True), 1):
        document, start, end = (int(column[place]) for column in (passages.document, passages.reach, passages.end))
        tokens = int(passages.tokens[place])
        marks = marked(answers, document, start, end)
        found.append(
            RetrievedPassage(
                rank, place, document, start, end, int(passages.start[place]), tokens, before, score, marks
            )
        )
        before += tokens
    return tuple(found)


def marked(answers: Sequence[Answer], document: int, start: int, end: int) -> tuple[Span, ...]:
    """Return the parts of answers that lie in a span of a document."""
    inside = [(max(each.start, start), min(each.end, end)) for each in answers if each.document == document]
    return tuple(Span(*each) for each in sorted(inside) if each[0] < each[1])


def of_question(
    found: RetrievalEvaluation, row: RetrievalRow, question: int, depth: int = 10
) -> tuple[RetrievedPassage, ...]:
    """Return the passages that a question of an evaluation retrieved, with its answers marked.

    Args:
        found: the evaluation.
        row: one of its rows.
        question: its place in the set.
        depth: how many passages, at most.
    """
    known = found.known
    asked, passages = known.questions[question], found.passages[row.strategy]
    places, scores = row.hits.passages[question], row.hits.scores[question]
    if known.itself:
        documents = passages.document[places].tolist()
        kept = np.array([not retrieved.itself(known, question, document) for document in documents], dtype=np.bool_)
        places, scores = places[kept], scores[kept]
    listed = hits(passages, places, scores, asked.answers, depth)
    if known.truth == "spans":
        return listed
    return tuple(_judged(hit, asked.grades.get(hit.document, 0) > 0) for hit in listed)


def _judged(hit: RetrievedPassage, relevant: bool) -> RetrievedPassage:

    return replace(hit, relevant=relevant)


class PassageIndex:
    """Passages that can be asked anything; what a way to search needs is made when it is first used.

    Args:
        passages: what is searched.
        sources: their documents.
        tools: the encoder.
        cache: of vectors: what it holds is not embedded again.
        tell: told how far embedding is; may raise to stop.
        choice: whether all passages are compared by meaning, or those that a vector index takes to be near.
        questions: on some of these it is measured what that index finds; without any, ``auto`` compares all.

    Raises:
        ChunkscopeError: there is no such choice, or FAISS was chosen and is not there.
    """

    def __init__(
        self,
        passages: Passages,
        sources: Sequence[CorpusDocument],
        tools: Tools | None = None,
        cache: VectorCache | None = None,
        tell: Tell | None = None,
        choice: Choice = "auto",
        questions: Sequence[str] = (),
    ) -> None:
        index.check(choice)
        self.passages = passages
        self._choice = choice
        self._questions = questions
        self._texts = passages.texts(sources)
        self._encoder = embedding.get_encoder((tools or Tools()).encoder)
        self._cache = cache
        self._tell: Tell = tell or (lambda *_: None)

    @cached_property
    def _near(self) -> DenseScorer | InvertedLists:
        vectors = self._embed(self._texts, "embedding passages")
        if (self._choice == "auto" and not self._questions) or not index.chosen(self._choice, len(vectors), None):
            return DenseScorer(vectors[:0], vectors)
        asked = self._embed(self._questions, "embedding questions") if self._questions else None
        return InvertedLists(vectors, asked, DEPTH, partial(self._tell, "making an index"))

    def _embed(self, texts: Sequence[str], what: str) -> Float32:
        return embedding.embed(texts, self._encoder, self._cache, partial(self._tell, what))

    @property
    def searched(self) -> SearchReport:
        """How vectors are compared."""
        return self._near.searched if isinstance(self._near, InvertedLists) else EXACT

    @cached_property
    def _words(self) -> BM25:
        return BM25([], self._texts)

    def search(
        self, query: str, method: Method = "dense", depth: int = 10, answers: Sequence[Answer] = ()
    ) -> tuple[RetrievedPassage, ...]:
        """Return the passages that words find.

        Args:
            query: the words.
            method: the way to search.
            depth: how many passages, at most.
            answers: what is marked in them.

        Raises:
            ChunkscopeError: nothing is asked, there is no such way to search, or the encoder cannot be used.
        """
        if not query.strip():
            raise ChunkscopeError("Nothing is asked.", "Write a question.")
        if method not in METHODS:
            raise ChunkscopeError(f"There is no way to search {method!r:.40}.", f"There are: {', '.join(METHODS)}.")
        found = self._search(query, method)
        return hits(self.passages, found.passages[0], found.scores[0], answers, depth)

    def _search(self, query: str, method: Method) -> Rankings:
        if not len(self.passages):
            return Rankings((np.zeros(0, dtype=np.int64),), (np.zeros(0, dtype=np.float32),))
        if method == "bm25":
            return self._by_words(query)
        asked = embedding.embed([query], self._encoder, self._cache)
        near = self._near
        by_meaning = near.search(asked) if isinstance(near, InvertedLists) else near.asking(asked).search(DEPTH)
        return by_meaning if method == "dense" else ranking.fused([by_meaning, self._by_words(query)], DEPTH)

    def _by_words(self, query: str) -> Rankings:
        return ranking.search(self._words.asking([query]), DEPTH, least=0.0)


def search(
    query: str,
    passages: Passages,
    sources: Sequence[CorpusDocument],
    method: Method = "dense",
    tools: Tools | None = None,
    cache: VectorCache | None = None,
    depth: int = 10,
) -> tuple[RetrievedPassage, ...]:
    """Return the passages that words find, asked once; for more than one question, make an :class:`PassageIndex`."""
    return PassageIndex(passages, sources, tools, cache).search(query, method, depth)
