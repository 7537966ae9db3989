"""Questions with true answers: which documents answer each, or which spans of them.

The truth is a document or a span of its text, never a chunk, so that another way of chunking invalidates nothing.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal, NamedTuple

from chunking.document import Document, hash_of
from chunking.loading import FORMATS, from_text

Truth = Literal["documents", "spans"]
TRUTH_TITLES: Mapping[str, str] = {"documents": "judged documents", "spans": "true spans"}
"""What is known to be true, in words."""


@dataclass(frozen=True, slots=True)
class CorpusDocument:
    """A document of a corpus.

    Attributes:
        id: unique in its set.
        text: what is cut, and what spans are counted in.
        format: of the text, one of :data:`chunking.loading.TEXT_FORMATS`.
        language: code, where the set names one; else it is detected.
        document: where it was read from a file, what was read.
        title: where the set names one.
        corpus: the corpus that it belongs to, where the set names one.
        hidden: half-open spans that are not searched, in order and apart: the questions of the set were made of them.
    """

    id: str
    text: str
    format: str = "text"
    language: str | None = None
    document: Document | None = None
    title: str = ""
    corpus: str | None = None
    hidden: tuple[tuple[int, int], ...] = ()

    @property
    def searched_text(self) -> str:
        """The text with spaces in the place of what is hidden, as long as :attr:`text`."""
        return mask(self.text, self.hidden)

    @property
    def text_hash(self) -> str:
        """SHA-256 (hex) of the text, as of the document."""
        return hash_of(self.text)

    def open(self) -> Document:
        """Return the document, with its layout."""
        if self.document is not None:
            return self.document
        suffixes = FORMATS[self.format].suffixes
        return from_text(
            self.text, name=f"{self.id}{suffixes[0] if suffixes else ''}", format=self.format, language=self.language
        )


class Answer(NamedTuple):
    """A span that answers a question.

    Attributes:
        document: place of the document in the set, from 0.
        start, end: half-open, in characters of its text.
    """

    document: int
    start: int
    end: int


Range = tuple[int, int, int]
"""Document, start, end; an :class:`Answer` is one."""

PROXIES: Mapping[str, str] = {"heading": "headings for their sections", "sentence": "sentences for their surroundings"}
"""Origins of questions that nobody asked, with what they are in words; see
:mod:`chunking.retrieval.questions.proxies`."""


@dataclass(frozen=True, slots=True)
class Question:
    """A question with its truth.

    Attributes:
        id: unique in its set.
        text: the words.
        grades: where documents are judged, the grade of each by its place in the set; 0 is not relevant.
        answers: where spans are, the spans, in order, merged where they touch or overlap.
        hidden: spans that repeat the question and are therefore searched by no question of the set: the heading or the
            sentence that a proxy question was made of.
        origin: what made it: one of :data:`PROXIES`, or ``model`` and its name; empty for a person.
    """

    id: str
    text: str
    grades: Mapping[int, int] = field(default_factory=dict)
    answers: tuple[Answer, ...] = ()
    hidden: tuple[Answer, ...] = ()
    origin: str = ""

    @property
    def spans(self) -> tuple[tuple[int, int], ...]:
        """The spans of its answers, which are in one document."""
        return tuple((start, end) for _, start, end in self.answers)


@dataclass(frozen=True, slots=True)
class QuestionSetRemark:
    """Something about a set that was put right or left out.

    Attributes:
        file: where it stands.
        line: from 1; 0 where it is no line.
        id: of the document or question.
        what: in words, without a full stop, the same words for the same kind.
    """

    file: str
    line: int
    id: str
    what: str


@dataclass(frozen=True, eq=False)
class QuestionSet:
    """A corpus and questions on it.

    Attributes:
        name: of the set.
        truth: what is known to be true: documents or spans.
        sources: the documents; of a large corpus they are read when they are needed.
        questions: those that can be asked.
        remarks: what was put right or left out, in the order it was found.
        itself: whether a document whose id is a question's is left out of that question's ranking, as in BEIR, where
            some questions are documents of their own corpus.
    """

    name: str
    truth: Truth
    sources: Sequence[CorpusDocument]
    questions: tuple[Question, ...]
    remarks: tuple[QuestionSetRemark, ...] = ()
    itself: bool = False

    def leaves_out(self, question: int, document: int) -> bool:
        """Return whether a document is a question itself, and left out of its ranking."""
        return self.itself and self.sources[document].id == self.questions[question].id

    @cached_property
    def content_hash(self) -> str:
        """SHA-256 of its documents, questions and true answers, whatever its name."""
        digest = hashlib.sha256(repr((self.truth, self.itself)).encode())
        for source in self.sources:
            key = source.document and source.document.key
            about = (source.id, source.text, source.format, source.language, key, source.title, source.corpus)
            digest.update(repr(about).encode("utf-8", "backslashreplace"))
            if source.hidden:  # so that other sets keep their hashes
                digest.update(repr(source.hidden).encode())
        for question in self.questions:
            content = (question.id, question.text, sorted(question.grades.items()), question.answers)
            digest.update(repr(content).encode("utf-8", "backslashreplace"))
        return digest.hexdigest()


def mask(text: str, spans: Sequence[tuple[int, int]]) -> str:
    """Return a text of the same length in which spans are spaces.

    Args:
        text: the text.
        spans: half-open, in order and apart.
    """
    parts, offset = [], 0
    for start, end in spans:
        parts += [text[offset:start], " " * (end - start)]
        offset = end
    return "".join((*parts, text[offset:])) if spans else text


def hide(sources: Sequence[CorpusDocument], questions: Sequence[Question]) -> Sequence[CorpusDocument]:
    """Return documents of which the hidden spans of questions are not searched; the same where there are none."""
    by_document: dict[int, list[tuple[int, int]]] = {}
    for document, start, end in merge_answers(span for question in questions for span in question.hidden):
        by_document.setdefault(document, []).append((start, end))
    if not by_document:
        return sources
    return tuple(
        replace(source, hidden=tuple(by_document[index])) if index in by_document else source
        for index, source in enumerate(sources)
    )


def describe_proxies(questions: Sequence[Question]) -> list[str]:
    """Return how many of the questions nobody asked, in a sentence for each origin."""
    counts = Counter(question.origin for question in questions if question.origin)
    total = len(questions)
    return [
        f"{count:,} of {total:,} questions are proxies made of the documents ({PROXIES[origin]}), not asked by people; "
        "what they were made of is not searched."
        if origin in PROXIES
        else f"{count:,} of {total:,} questions were written by a {origin}, not by people."
        for origin, count in sorted(counts.items())
    ]


def describe_remarks(remarks: Sequence[QuestionSetRemark]) -> list[str]:
    """Return remarks in words: a line for each kind, with their number and the first of them."""
    counts = Counter((remark.file, remark.what) for remark in remarks)
    first: dict[tuple[str, str], QuestionSetRemark] = {}
    for remark in remarks:
        first.setdefault((remark.file, remark.what), remark)
    lines = []
    for (file, what), count in counts.items():
        remark = first[file, what]
        where = f"line {remark.line}, " if remark.line else ""
        example = f"{where}{remark.id!r:.60}" if remark.id else where.removesuffix(", ")
        example_text = f" ({'first: ' if count > 1 else ''}{example})" if example else ""
        lines.append(f"{file}: {what}{example_text}" + (f", {count:,} times" if count > 1 else ""))
    return lines


def merge_answers(answers: Iterable[Range]) -> tuple[Answer, ...]:
    """Return the answers in order, those that touch or overlap as one."""
    merged: list[Answer] = []
    for document, start, end in sorted(answers):
        if merged and merged[-1].document == document and start <= merged[-1].end:
            merged[-1] = Answer(document, merged[-1].start, max(merged[-1].end, end))
        else:
            merged.append(Answer(document, start, end))
    return tuple(merged)


MOST_DOCUMENTS = 10
"""Documents up to which each may be a corpus of its own."""

LEAST_QUESTIONS = 10
"""Questions that each of them then has."""


def corpora(question_set: QuestionSet) -> tuple[str, ...]:
    """Return the corpus of each question; empty where there are fewer than two corpora.

    The corpus of a question is that of its first answer, or of its first relevant document; without a name it is
    empty.
    """
    document_indices = [_document(question) for question in question_set.questions]
    corpus_names = [question_set.sources[document_index].corpus for document_index in document_indices]
    if any(corpus_names):
        labels = tuple(name or "" for name in corpus_names)
    else:
        counts = Counter(document_indices)
        few = len(question_set.sources) <= MOST_DOCUMENTS and min(counts.values(), default=0) >= LEAST_QUESTIONS
        labels = tuple(question_set.sources[document_index].id for document_index in document_indices) if few else ()
    return labels if len(set(labels)) > 1 else ()


def _document(question: Question) -> int:
    """Return the place of the document that answers a question."""
    if question.answers:
        return question.answers[0].document
    return min(document_index for document_index, grade in question.grades.items() if grade > 0)
