"""Causes that keep questions from their answers.

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

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, get_args

from chunking import chunks
from chunking.document import Span
from chunking.retrieval.questions.data import Answer
from chunking.retrieval.search.ranking import DEPTH, Method
from chunking.strategies.context import EMBED_LATE, ContextParameters

Cause = Literal["absent", "cut", "reach", "diluted", "outranked"]
CAUSES: tuple[Cause, ...] = get_args(Cause)
"""In the order in which they are tested."""


@dataclass(frozen=True, slots=True)
class Replacement:
    """The score and rank that a span would have in place of the passages it is taken from.

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
    """The part of a passage that the encoder reads, in its own tokens.

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
        cause: what did it.
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
class MissAnalysis:
    """A cause that kept a question from a part of its answer.

    Attributes:
        question: its place in the set.
        cause: the main cause.
        also: what contributed: the other causes of all that is missing, in order.
        value: share of the truth that is retrieved, see :meth:`~chunking.retrieval.misses.retrieved.Cutoff.measure`.
        rank: of the first passage that holds some of an answer, or of the first relevant document; ``None`` where none
            is ranked.
        edge: the score of the last that is looked at; ``None`` where nothing was found.
        misses: each stretch or document.
    """

    question: int
    cause: Cause
    also: tuple[Cause, ...]
    value: float
    rank: int | None
    edge: float | None
    misses: tuple[Miss, ...]

    @property
    def leading(self) -> Miss:
        """The longest stretch of the main cause, or the relevant document with the best rank."""
        mine = [miss for miss in self.misses if miss.cause == self.cause]
        if mine[0].answer is None:
            return min(mine, key=lambda miss: miss.rank or len(mine) + DEPTH)
        return max(mine, key=lambda miss: miss.end - miss.start)


def counts(analyses: Iterable[MissAnalysis]) -> dict[Cause, int]:
    """Return the number of questions with each main cause, all causes in order."""
    numbers = Counter(analysis.cause for analysis in analyses)
    return {cause: numbers[cause] for cause in CAUSES}


def unknown(method: Method, context: ContextParameters | None = None, reranked: bool = False) -> str:
    """Return which cause cannot be determined for a search method, in words; empty for dense search.

    Args:
        method: the search method.
        context: what was embedded; ``None`` for the chunks alone.
        reranked: whether a cross-encoder read the first passages.
    """
    if reranked:
        return "Of other passages the score of the reranker is unknown, so 'diluted' cannot be determined."
    if method == "dense":
        if context is None or context.embed != EMBED_LATE:
            return ""
        return (
            "With embed=late the score of a sentence depends on its document; so that of one sentence in place of its "
            "chunk is unknown, and 'diluted' cannot be determined."
        )
    why = "depends on the words of all passages" if method == "bm25" else "is computed from ranks"
    return f"A {method} score {why}; so that of one sentence is unknown, and 'diluted' cannot be determined."
