"""The corpus of an evaluation, kept open, so that other settings can be tried on it again and again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from chunking import embedding, tokens
from chunking.embedding import Encoder
from chunking.embedding.vector_cache import VectorCache
from chunking.retrieval.evaluate import NO_VECTORS, RetrievalEvaluation, Searches
from chunking.retrieval.questions.data import QuestionSet
from chunking.retrieval.search import passages
from chunking.retrieval.search.passages import Passages
from chunking.retrieval.search.ranking import RANKINGS_OF, Method, Rankings
from chunking.runtime.arrays import Float32
from chunking.runtime.progress import Tell
from chunking.strategies import Segmentation, Setting
from chunking.tokens import TokenCounter
from chunking.workspace import DocumentAnalysis, Models

OPEN_CHARACTERS = 4_000_000
"""Characters of documents that are kept open."""

_TRIALS = 32
"""Settings whose rankings are kept."""


@dataclass(frozen=True, eq=False)
class Trial:
    """What a setting made of the corpus, and what the questions found in it."""

    passages: Passages
    hits: Rankings


class EvaluationContext:
    """Documents with what was measured on them, and the rankings of settings that were tried.

    For one thread at a time.

    Args:
        known: the questions and their documents.
        tools: encoder, tokenizer and sentence splitter.
        cache: of vectors: what it holds is not embedded again.
        tell: receives what is being done and how far it is; may raise to stop.
        indexed: whether vectors are searched by an index; each setting has other passages, so it pays no more than in
            an evaluation.
    """

    def __init__(
        self,
        known: QuestionSet,
        tools: Models,
        cache: VectorCache | None = None,
        tell: Tell | None = None,
        indexed: bool = False,
    ) -> None:
        self.known = known
        self.tools = tools
        self.indexed = indexed
        self._cache = cache
        self.tell: Tell = tell or (lambda *_: None)
        self._open: dict[int, DocumentAnalysis] = {}
        self._trials: dict[tuple[str, Method], Trial] = {}
        self._small = sum(len(source.text) for source in known.sources) <= OPEN_CHARACTERS

    @classmethod
    def of(cls, found: RetrievalEvaluation, cache: VectorCache | None = None) -> EvaluationContext:
        """For an evaluation, searched as it was."""
        indexed = any(row.searched.lists for row in found.rows)
        return cls(found.known, found.options.tools, cache, None, indexed)

    @property
    def tokenizer(self) -> TokenCounter:
        """What counts the tokens of passages."""
        return tokens.get_tokenizer(self.tools.tokenizer)

    @property
    def encoder(self) -> Encoder:
        """What embeds."""
        return embedding.get_encoder(self.tools.encoder)

    def embed(self, texts: Sequence[str], what: str) -> Float32:
        """Return ``(n, dim)`` float32; what is in the cache is not embedded again."""
        return embedding.embed(
            texts, self.encoder, self._cache, lambda done, total: self.tell(f"embedding {what}", done, total)
        )

    def workspace(self, document: int) -> DocumentAnalysis:
        """Return a document, with what was measured on it before where it is still open."""
        found = self._open.get(document)
        if found is None:
            found = DocumentAnalysis(self.known.sources[document].open(), self.tools, self._cache)
            self._open[document] = found
            while (
                len(self._open) > 1 and sum(len(each.document.text) for each in self._open.values()) > OPEN_CHARACTERS
            ):
                del self._open[next(iter(self._open))]
        return found

    def segmentation(self, setting: Setting, document: int) -> Segmentation:
        """Return the segmentation of a document under a setting.

        Raises:
            ChunkscopeError: it cannot cut it.
        """
        return setting.run(self.workspace(document))

    def trial(self, setting: Setting, method: Method) -> Trial:
        """Cut the corpus by a setting and search it.

        Raises:
            ChunkscopeError: it can cut no document, or the encoder cannot be used.
        """
        key = (setting.text, method)
        if key not in self._trials:
            self._trials[key] = self._make_trial(setting, method)
            while len(self._trials) > _TRIALS:
                del self._trials[next(iter(self._trials))]
        return self._trials[key]

    def _make_trial(self, setting: Setting, method: Method) -> Trial:
        sources = self.known.sources
        if self._small:
            opened = (self.workspace(index) for index in range(len(sources)))
            titles = [source.title for source in sources]
            cut = passages.cut_open(opened, len(sources), {"": setting}, self.tell, titles)[""]
        else:
            cut = passages.cut(sources, {"": setting}, self.tools, self._cache, self.tell)[""]
        asked = [question.text for question in self.known.questions]
        question_vectors = vectors = NO_VECTORS
        if "dense" in RANKINGS_OF[method]:
            progress = partial(self.tell, "embedding passages")
            vectors = passages.embed_passages(cut, sources, self.encoder, self._cache, progress)
            question_vectors = self.embed(asked, "questions")
        searches = Searches(asked, question_vectors, cut, vectors, sources, self.indexed)
        return Trial(cut, searches.run(method, partial(self.tell, "making an index"))[0])
