"""Measures of how well questions found their answers, one value for each question.

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
from chunking.retrieval.questions.data import Answer, QuestionSet, Range, merge_answers
from chunking.retrieval.search.passages import Passages
from chunking.retrieval.search.ranking import Rankings
from chunking.runtime.arrays import Bools, Float64, Int64
from chunking.tokens import TokenCounter, TokenLocator

BUDGETS = (500, 1000, 2000)
"""Tokens of context."""

BUDGET_TITLE, HIT_TITLE, HOLDS_TITLE = "recall@{}", "hit@{}", "holds@{}"


@dataclass(frozen=True)
class Cutoffs:
    """The cutoffs up to which a ranking is measured.

    Attributes:
        passages: of spans, and the cut-off of the document measures.
        budgets: in tokens.
    """

    passages: int = 10
    budgets: tuple[int, ...] = BUDGETS


# --- judged documents ----------------------------------------------------------------------------------------------


def check_installed() -> None:
    """Check that what judged documents are measured with is there: before any work, since it is the last step.

    Raises:
        ChunkscopeError: it is not.
    """
    optional("ir_measures", "evaluation", _PURPOSE)


_PURPOSE = "The evaluation of retrieval"


def document_measures(question_set: QuestionSet, rankings: Rankings, cutoffs: Cutoffs) -> dict[str, Float64]:
    """Return nDCG, recall, precision at a cut-off, reciprocal rank and average precision: ``(n_questions,)`` each.

    Args:
        question_set: the questions.
        rankings: documents for each, the best first.
        cutoffs: the cut-off; nDCG@10 is there whatever it is.
    """
    ir = optional("ir_measures", "evaluation", _PURPOSE)
    depths = sorted({10, cutoffs.passages})
    requested = [ir.nDCG @ cutoff for cutoff in depths]
    requested += [measure @ cutoff for measure in (ir.R, ir.P) for cutoff in depths] + [ir.RR, ir.AP]
    names = {str(number): question for number, question in enumerate(question_set.questions)}
    qrels = {
        name: {str(document): grade for document, grade in question.grades.items()} for name, question in names.items()
    }
    run = {}
    for number, documents in enumerate(rankings.passages):
        other_documents = (document for document in documents.tolist() if not question_set.leaves_out(number, document))
        # By rank, so that equal scores keep the order they have here.
        run[str(number)] = {str(document): float(-rank) for rank, document in enumerate(other_documents)}
    values = {str(measure): np.zeros(len(question_set.questions)) for measure in requested}
    for metric in ir.iter_calc(requested, qrels, run):
        values[str(metric.measure)][int(metric.query_id)] = metric.value
    return values


def passage_hits(
    question_set: QuestionSet, passages: Passages, rankings: Rankings, cutoffs: Cutoffs
) -> dict[str, Float64]:
    """Return ``hit@k`` of judged documents: ``(n_questions,)``.

    Args:
        question_set: the questions.
        passages: what was ranked.
        rankings: passages for each question, the best first.
        cutoffs: how many are looked at.
    """
    hits = [
        bool(of_relevant(question_set, passages, ranked_passages, number, cutoffs.passages).any())
        for number, ranked_passages in enumerate(rankings.passages)
    ]
    return {HIT_TITLE.format(cutoffs.passages): np.array(hits, dtype=np.float64)}


def of_relevant(question_set: QuestionSet, passages: Passages, ranked_passages: Int64, number: int, most: int) -> Bools:
    """Return which of the first passages are of a relevant document: bool, without those of the question's own.

    Args:
        question_set: the questions.
        passages: what was ranked.
        ranked_passages: of passages, the best first.
        number: of the question.
        most: how many are looked at.
    """
    grades = question_set.questions[number].grades
    documents = passages.document[ranked_passages].tolist()
    other_documents = (document for document in documents if not question_set.leaves_out(number, document))
    return np.array([grades.get(document, 0) > 0 for document in islice(other_documents, most)], dtype=np.bool_)


# --- spans ---------------------------------------------------------------------------------------------------------


def span_measures(
    question_set: QuestionSet, passages: Passages, rankings: Rankings, cutoffs: Cutoffs, tokenizer: TokenCounter
) -> dict[str, Float64]:
    """Return the measures of spans: ``(n_questions,)`` each.

    Args:
        question_set: the questions.
        passages: what was ranked.
        rankings: passages for each question, the best first.
        cutoffs: how much is looked at.
        tokenizer: counts the budgets.
    """
    values: dict[str, list[float]] = {}
    for question, ranked_passages in zip(question_set.questions, rankings.passages, strict=True):
        holding = holders(passages, question.answers)
        returned = passages.returned(ranked_passages)
        first = returned.passages[returned.ranks < cutoffs.passages]
        scores = overlap_scores(ranges(passages, first), question.answers)
        scores["precision_omega"] = omega(ranges(passages, holding), question.answers)
        ranks = returned.ranks[np.isin(returned.passages, holding)]
        scores["rr"] = 1.0 / (1 + int(ranks[0])) if len(ranks) else 0.0
        scores[HIT_TITLE.format(cutoffs.passages)] = float(np.isin(first, holding).any())
        scores[HOLDS_TITLE.format(cutoffs.passages)] = float(_has_text(question_set, passages, first, question.answers))
        for budget in cutoffs.budgets:
            within = context(passages, returned.passages, budget, question_set, tokenizer)
            scores[BUDGET_TITLE.format(budget)] = overlap_scores(within, question.answers)["recall"]
        for name, score in scores.items():
            values.setdefault(name, []).append(score)
    return {name: np.array(scores) for name, scores in values.items()}


def by_text(
    question_set: QuestionSet,
    passages: Passages,
    ranked_passages: Int64,
    answers: Sequence[Answer],
    inside: bool = True,
) -> Bools:
    """Return which passages have the text of a whole answer in them: bool, as long as ``ranked_passages``.

    Args:
        question_set: the documents.
        passages: what was ranked.
        ranked_passages: of passages.
        answers: of a question.
        inside: whether a passage that is itself a part of an answer's text counts, too.
    """
    quotes = _texts(question_set, answers)
    texts = [passages.text(passage, question_set.sources) for passage in ranked_passages.tolist()]
    return np.array(
        [any(quote in text or (inside and text in quote) for quote in quotes) for text in texts], dtype=np.bool_
    )


def _has_text(question_set: QuestionSet, passages: Passages, ranked_passages: Int64, answers: Sequence[Answer]) -> bool:
    """Return whether the text of a whole answer is in a passage that is returned, or a passage in it.

    Where neighbours or parents are returned with a passage, those that touch are one text.
    """
    if passages.rule.alone:
        return bool(by_text(question_set, passages, ranked_passages, answers).any())
    quotes = _texts(question_set, answers)
    texts = _texts(question_set, merge_answers(ranges(passages, ranked_passages)))
    return any(quote in text or text in quote for quote in quotes for text in texts)


def _texts(question_set: QuestionSet, ranges: Sequence[Range]) -> list[str]:
    return [question_set.sources[document].text[start:end] for document, start, end in ranges]


def ranges(passages: Passages, indices: Int64) -> list[Range]:
    """Return the ranges of text that passages retrieve."""
    columns = (passages.document[indices], passages.reach[indices], passages.end[indices])
    return list(zip(*(column.tolist() for column in columns), strict=True))


def holders(passages: Passages, answers: Sequence[Answer]) -> Int64:
    """Return the indices of the passages that hold some of the answers, ascending."""
    indices = [np.zeros(0, dtype=np.int64)]
    for answer in answers:
        first, last = np.searchsorted(passages.document, [answer.document, answer.document + 1])
        holding = (passages.reach[first:last] < answer.end) & (passages.end[first:last] > answer.start)
        indices.append(first + np.flatnonzero(holding))
    return np.unique(np.concatenate(indices))


def overlap_scores(retrieved: Sequence[Range], answers: Sequence[Answer]) -> dict[str, float]:
    """Return recall, precision and IoU of retrieved text."""
    true = merge_answers(answers)
    shared = _count_shared(merge_answers(retrieved), true)
    size, length = _size(retrieved), _size(true)
    return {
        "recall": shared / length if length else 0.0,
        "precision": shared / size if size else 0.0,
        "iou": shared / (size + length - shared) if size + length else 0.0,
    }


def omega(holding: Sequence[Range], answers: Sequence[Answer]) -> float:
    """Return precision if exactly the passages that hold some of the answer were retrieved."""
    true = merge_answers(answers)
    shared = _count_shared(merge_answers(holding), true)
    size = _size(merge_answers([*holding, *true]))
    return shared / size if size else 0.0


def context(
    passages: Passages, ranked_passages: Int64, budget: int, question_set: QuestionSet, tokenizer: TokenCounter
) -> list[Range]:
    """Return the passages that fit into a number of tokens, the last one shortened to fit."""
    sums = np.cumsum(passages.tokens[ranked_passages])
    n_complete = int(np.searchsorted(sums, budget, side="right"))
    within = ranges(passages, ranked_passages[:n_complete])
    remaining_tokens = budget - (int(sums[n_complete - 1]) if n_complete else 0)
    if n_complete < len(ranked_passages) and remaining_tokens > 0:
        document, start, end = ranges(passages, ranked_passages[n_complete : n_complete + 1])[0]
        length = first_tokens(question_set.sources[document].text[start:end], remaining_tokens, tokenizer)
        if length:
            within.append((document, start, start + length))
    return within


def first_tokens(text: str, count: int, tokenizer: TokenCounter) -> int:
    """Return the characters of the first tokens of a text, by where its tokens begin."""
    starts = tokenizer.starts(text) if isinstance(tokenizer, TokenLocator) else None
    if starts is None:  # no offset is known of each token, so the share of all tokens stands for it
        total = int(tokenizer.count([text])[0])
        return len(text) * count // max(total, 1)
    return int(starts[count]) if count < len(starts) else len(text)


def _count_shared(one: Sequence[Range], other: Sequence[Range]) -> int:
    """Return the characters that two unions have in common."""
    total = first = 0
    for document, start, end in one:
        while first < len(other) and (other[first][0], other[first][2]) <= (document, start):
            first += 1
        index = first
        while index < len(other) and (other[index][0], other[index][1]) < (document, end):
            total += min(end, other[index][2]) - max(start, other[index][1])
            index += 1
    return total


def _size(text_ranges: Sequence[Range]) -> int:
    return sum(end - start for _, start, end in text_ranges)
