"""The corpora of a question set, so that results can be given for each, and questions drawn within them.

A corpus is what the documents name (``corpus`` or ``group`` in their rows, a text file of Chroma's evaluation). Where
they name none, a few documents with many questions each are corpora themselves.
"""

from __future__ import annotations

from collections import Counter

from chunking.retrieval.questions.data import Question, QuestionSet

MOST_DOCUMENTS = 10
"""Documents up to which each may be a corpus of its own."""

LEAST_QUESTIONS = 10
"""Questions that each of them then has."""


def corpora(known: QuestionSet) -> tuple[str, ...]:
    """Return the corpus of each question; empty where there are fewer than two corpora.

    The corpus of a question is that of its first answer, or of its first relevant document; without a name it is
    empty.
    """
    places = [_document(question) for question in known.questions]
    named = [known.sources[place].corpus for place in places]
    if any(named):
        labels = tuple(name or "" for name in named)
    else:
        counts = Counter(places)
        few = len(known.sources) <= MOST_DOCUMENTS and min(counts.values(), default=0) >= LEAST_QUESTIONS
        labels = tuple(known.sources[place].id for place in places) if few else ()
    return labels if len(set(labels)) > 1 else ()


def _document(question: Question) -> int:
    """Return the place of the document that answers a question."""
    if question.answers:
        return question.answers[0].document
    return min(place for place, grade in question.grades.items() if grade > 0)
