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
from collections.abc import Iterable, Sequence

import numpy as np

from chunking.retrieval import measures
from chunking.retrieval.bench import Bench
from chunking.retrieval.evaluate import RetrievalEvaluation, RetrievalRow
from chunking.retrieval.misses import retrieved
from chunking.retrieval.misses.causes import judged
from chunking.retrieval.misses.contract import CAUSES, Cause, Miss, MissAnalysis, TopPassage
from chunking.retrieval.misses.missing import find_missing
from chunking.retrieval.misses.retrieved import Cutoff, SizedRanking
from chunking.retrieval.misses.row import AnalyzedRow, relevant, unknown
from chunking.runtime.arrays import Int64

__all__ = ["analyze", "counts", "unknown"]

_ABOVE = 3
"""Passages of a ranking that are shown with the analysis of a miss."""


def counts(analyses: Iterable[MissAnalysis]) -> dict[Cause, int]:
    """Return the number of questions with each main cause, all causes in order."""
    found = Counter(analyzed.cause for analyzed in analyses)
    return {cause: found[cause] for cause in CAUSES}


def analyze(found: RetrievalEvaluation, row: RetrievalRow, within: Cutoff, bench: Bench) -> tuple[MissAnalysis, ...]:
    """Return the blame for every question whose truth is not wholly within what is looked at, in order of questions.

    Args:
        found: the evaluation.
        row: one of its rows.
        within: what is looked at.
        bench: of the same evaluation, see :meth:`~chunking.retrieval.bench.Bench.of`.

    Raises:
        ChunkscopeError: the encoder cannot be used, or tokens are to be looked at of judged documents.
    """
    analyzed = AnalyzedRow(found, row, within, bench)
    drafts = find_missing(analyzed)
    misses: dict[int, list[Miss]] = defaultdict(list)
    for draft, miss in zip(drafts, judged(analyzed, drafts), strict=True):
        misses[draft.question].append(miss)
    values = retrieved.values(found.known, analyzed.passages, row.hits, within, bench.tokenizer)
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
