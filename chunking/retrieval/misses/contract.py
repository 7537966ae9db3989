"""What is known of a question that misses its answer; the causes are defined in
:mod:`chunking.retrieval.misses.analysis`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from chunking import chunks
from chunking.document import Span
from chunking.retrieval.evaluate import DEPTH
from chunking.retrieval.questions.data import Answer

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
