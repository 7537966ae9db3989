"""How well questions found their answers, a value a question.

Where documents are judged, the measures of the field under the names that ir-measures prints, a document being as good
as its best passage. Where spans are, those of Chroma's evaluation (Smith and Troynikov 2024), which its report calls
token-wise and its program counts in characters, as here: with *R* the retrieved text, of all passages together, and *A*
the answer's,

- ``recall`` = |R ∩ A| ÷ |A|,
- ``precision`` = |R ∩ A| ÷ |R|, where text that is retrieved twice counts twice in |R|,
- ``iou`` = |R ∩ A| ÷ (|R| + |A ∖ R|), with the same |R|,
- ``precision_omega`` = |A| ÷ |A ∪ all passages that hold some of A|: the best that any retrieval could do,
- ``rr``: 1 ÷ the rank of the first passage that holds some of the answer; 0 where none is in the ranking.

One thing differs: there a passage that only touches an answer, without a character in common, counts as one that holds
some of it; passages that tile a text touch often, so here it does not.

Two more are what the experiments of the reference program report, under names that say what they are:

- ``hit@k``: whether any of the first *k* passages is relevant; 1 or 0. That program calls it recall. Of judged
  documents, a passage of a relevant document is relevant; of spans, one that holds some of an answer.
- ``holds@k``, of spans: the same, where a passage is relevant by its text alone, as it is there: it has the text of a
  whole answer in it, or is itself a part of that text, wherever in the corpus it stands.

Where a passage is returned with its neighbours or its parent (:mod:`chunking.strategies.context`), *R* is all that the
first *k* passages return, ``rr`` is of the first passage that brings some of the answer, and a budget counts all that
is returned; ``precision_omega`` stays that of the passages themselves.

``recall@T`` is recall within *T* tokens of context: passages in the order of the ranking, the last one cut to what is
left. It compares strategies whose passages have different sizes; a number of passages does not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np

from chunking.installation import optional
from chunking.retrieval.questions.data import Answer, QuestionSet
from chunking.retrieval.search.passages import Passages
from chunking.retrieval.search.ranking import Rankings
from chunking.runtime.arrays import Bools, Float64, Int64
from chunking.tokens import TokenCounter, TokenLocator

Range = tuple[int, int, int]
"""Document, start, end."""

BUDGETS = (500, 1000, 2000)
"""Tokens of context."""

BUDGET_TITLE, HIT_TITLE, HOLDS_TITLE = "recall@{}", "hit@{}", "holds@{}"


@dataclass(frozen=True)
class Cutoffs:
    """How much of a ranking is looked at.

    Attributes:
        passages: of spans, and the cut-off of the document measures.
        budgets: in tokens.
    """

    passages: int = 10
    budgets: tuple[int, ...] = BUDGETS


# --- judged documents ----------------------------------------------------------------------------------------------


def document_measures(known: QuestionSet, found: Rankings, kept: Cutoffs) -> dict[str, Float64]:
    """Return nDCG, recall, precision at a cut-off, reciprocal rank and average precision: ``(n_questions,)`` each.

    Args:
        known: the questions.
        found: documents for each, the best first.
        kept: the cut-off; nDCG@10 is there whatever it is.
    """
    ir = optional("ir_measures", "evaluation", "The evaluation of retrieval")
    cutoffs = sorted({10, kept.passages})
    wanted = [ir.nDCG @ cutoff for cutoff in cutoffs]
    wanted += [measure @ cutoff for measure in (ir.R, ir.P) for cutoff in cutoffs] + [ir.RR, ir.AP]
    names = {str(number): question for number, question in enumerate(known.questions)}
    qrels = {name: {str(place): grade for place, grade in each.grades.items()} for name, each in names.items()}
    run = {
        # By rank, so that equal scores keep the order they have here.
        str(number): {str(place): float(-rank) for rank, place in enumerate(_without_itself(known, number, places))}
        for number, places in enumerate(found.passages)
    }
    values = {str(measure): np.zeros(len(known.questions)) for measure in wanted}
    for metric in ir.iter_calc(wanted, qrels, run):
        values[str(metric.measure)][int(metric.query_id)] = metric.value
    return values


def passage_hits(known: QuestionSet, passages: Passages, found: Rankings, kept: Cutoffs) -> dict[str, Float64]:
    """Return ``hit@k`` of judged documents: ``(n_questions,)``.

    Args:
        known: the questions.
        passages: what was ranked.
        found: passages for each question, the best first.
        kept: how many are looked at.
    """
    hits = [
        bool(of_relevant(known, passages, places, number, kept.passages).any())
        for number, places in enumerate(found.passages)
    ]
    return {HIT_TITLE.format(kept.passages): np.array(hits, dtype=np.float64)}


def of_relevant(known: QuestionSet, passages: Passages, places: Int64, number: int, most: int) -> Bools:
    """Which of the first passages are of a relevant document: bool, those of the question's own document left out.

    Args:
        known: the questions.
        passages: what was ranked.
        places: of passages, the best first.
        number: of the question.
        most: how many are looked at.
    """
    question = known.questions[number]
    documents = (int(passages.document[place]) for place in places)
    others = (each for each in documents if not (known.itself and known.sources[each].id == question.id))
    return np.array([question.grades.get(each, 0) > 0 for each in islice(others, most)], dtype=np.bool_)


def _without_itself(known: QuestionSet, number: int, places: Int64) -> list[int]:
    if not known.itself:
        return list(places.tolist())
    own = known.questions[number].id
    return [place for place in places.tolist() if known.sources[place].id != own]


# --- spans ---------------------------------------------------------------------------------------------------------


def span_measures(
    known: QuestionSet, passages: Passages, found: Rankings, kept: Cutoffs, tokenizer: TokenCounter
) -> dict[str, Float64]:
    """Return the measures of spans: ``(n_questions,)`` each.

    Args:
        known: the questions.
        passages: what was ranked.
        found: passages for each question, the best first.
        kept: how much is looked at.
        tokenizer: counts the budgets.
    """
    values: dict[str, list[float]] = {}
    for question, places in zip(known.questions, found.passages, strict=True):
        holding = holders(passages, question.answers)
        returned = passages.returned(places)
        first = returned.passages[returned.ranks < kept.passages]
        scores = overlap_scores(ranges(passages, first), question.answers)
        scores["precision_omega"] = omega(ranges(passages, holding), question.answers)
        ranks = returned.ranks[np.isin(returned.passages, holding)]
        scores["rr"] = 1.0 / (1 + int(ranks[0])) if len(ranks) else 0.0
        scores[HIT_TITLE.format(kept.passages)] = float(np.isin(first, holding).any())
        scores[HOLDS_TITLE.format(kept.passages)] = float(_has_text(known, passages, first, question.answers))
        for budget in kept.budgets:
            within = context(passages, returned.passages, budget, known, tokenizer)
            scores[BUDGET_TITLE.format(budget)] = overlap_scores(within, question.answers)["recall"]
        for name, score in scores.items():
            values.setdefault(name, []).append(score)
    return {name: np.array(scores) for name, scores in values.items()}


def by_text(
    known: QuestionSet, passages: Passages, places: Int64, answers: Sequence[Answer], inside: bool = True
) -> Bools:
    """Which passages have the text of a whole answer in them: bool, as long as ``places``.

    Args:
        known: the documents.
        passages: what was ranked.
        places: of passages.
        answers: of a question.
        inside: whether a passage that is itself a part of an answer's text counts, too.
    """
    wanted = [known.sources[each.document].text[each.start : each.end] for each in answers]
    texts = [passages.text(place, known.sources) for place in places.tolist()]
    found = [any(each in text or (inside and text in each) for each in wanted) for text in texts]
    return np.array(found, dtype=np.bool_)


def _has_text(known: QuestionSet, passages: Passages, places: Int64, answers: Sequence[Answer]) -> bool:
    """Return whether the text of a whole answer is in a passage that is returned, or a passage in it.

    Where neighbours or parents are returned with a passage, those that touch are one text.
    """
    if passages.rule.alone:
        return bool(by_text(known, passages, places, answers).any())
    wanted = [known.sources[each.document].text[each.start : each.end] for each in answers]
    texts = [known.sources[document].text[start:end] for document, start, end in union(ranges(passages, places))]
    return any(each in text or text in each for each in wanted for text in texts)


def ranges(passages: Passages, places: Int64) -> list[Range]:
    """Return the ranges of text that passages retrieve."""
    columns = (passages.document[places], passages.reach[places], passages.end[places])
    return list(zip(*(column.tolist() for column in columns), strict=True))


def holders(passages: Passages, answers: Sequence[Answer]) -> Int64:
    """Return the places of the passages that hold some of the answers, ascending."""
    found = [np.zeros(0, dtype=np.int64)]
    for answer in answers:
        first, last = np.searchsorted(passages.document, [answer.document, answer.document + 1])
        some = (passages.reach[first:last] < answer.end) & (passages.end[first:last] > answer.start)
        found.append(first + np.flatnonzero(some))
    return np.unique(np.concatenate(found))


def overlap_scores(retrieved: Sequence[Range], answers: Sequence[Answer]) -> dict[str, float]:
    """Return recall, precision and IoU of retrieved text."""
    asked = union([(each.document, each.start, each.end) for each in answers])
    shared = _shared(union(retrieved), asked)
    size, wanted = _size(retrieved), _size(asked)
    return {
        "recall": shared / wanted if wanted else 0.0,
        "precision": shared / size if size else 0.0,
        "iou": shared / (size + wanted - shared) if size + wanted else 0.0,
    }


def omega(holding: Sequence[Range], answers: Sequence[Answer]) -> float:
    """Return precision if exactly the passages that hold some of the answer were retrieved."""
    asked = union([(each.document, each.start, each.end) for each in answers])
    shared = _shared(union(holding), asked)
    size = _size(union([*holding, *asked]))
    return shared / size if size else 0.0


def context(passages: Passages, places: Int64, budget: int, known: QuestionSet, tokenizer: TokenCounter) -> list[Range]:
    """Return the passages that fit into a number of tokens, the last one shortened to fit."""
    sums = np.cumsum(passages.tokens[places])
    whole = int(np.searchsorted(sums, budget, side="right"))
    within = ranges(passages, places[:whole])
    left = budget - (int(sums[whole - 1]) if whole else 0)
    if whole < len(places) and left > 0:
        document, start, end = ranges(passages, places[whole : whole + 1])[0]
        length = first_tokens(known.sources[document].text[start:end], left, tokenizer)
        if length:
            within.append((document, start, start + length))
    return within


def first_tokens(text: str, count: int, tokenizer: TokenCounter) -> int:
    """Return the characters of the first tokens of a text, by where its tokens begin."""
    starts = tokenizer.starts(text) if isinstance(tokenizer, TokenLocator) else None
    if starts is None:  # no place is told for each token, so the share of all tokens stands for it
        total = int(tokenizer.count([text])[0])
        return len(text) * count // max(total, 1)
    return int(starts[count]) if count < len(starts) else len(text)


def union(some: Sequence[Range]) -> list[Range]:
    """Return the same text as ranges that neither overlap nor touch, in order."""
    found: list[Range] = []
    for document, start, end in sorted(some):
        if found and found[-1][0] == document and start <= found[-1][2]:
            found[-1] = (document, found[-1][1], max(found[-1][2], end))
        else:
            found.append((document, start, end))
    return found


def _shared(one: Sequence[Range], other: Sequence[Range]) -> int:
    """Return the characters that two unions have in common."""
    total = at = 0
    for document, start, end in one:
        while at < len(other) and (other[at][0], other[at][2]) <= (document, start):
            at += 1
        place = at
        while place < len(other) and (other[place][0], other[place][1]) < (document, end):
            total += min(end, other[place][2]) - max(start, other[place][1])
            place += 1
    return total


def _size(some: Sequence[Range]) -> int:
    return sum(end - start for _, start, end in some)
