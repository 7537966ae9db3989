"""Questions that a model writes on passages of documents, each with the quote that answers it.

A model behind an endpoint that the user names (:mod:`~chunking.retrieval.questions.chat`) gets one passage at a time.
Nothing that it writes is taken on trust. A question is kept if

- its quote stands in the passage, once, in any case and with any white space: the answer is that span of the source;
- no other question has the same words, or nearly the same words and the same answer;
- the model, in a second call, given the passage and the question alone, gives a quote that stands in the passage and
  overlaps with the first one. Else the question is dropped as unanswerable.

Passages are runs of whole sentences that begin anew at headings where they are long enough, whatever a strategy makes
of the document, so that no strategy has an advantage. What was asked and answered is kept after every passage in a
:class:`Journal`, from which an interrupted run continues.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

from chunking import tokens
from chunking.document import Document
from chunking.errors import ChunkscopeError
from chunking.retrieval.prompts import Prompts, load_prompts
from chunking.retrieval.questions import own
from chunking.retrieval.questions.chat import PATIENCE, ChatModel
from chunking.retrieval.questions.data import Answer, CorpusDocument, Question
from chunking.retrieval.questions.journal import Journal, PassageRecord
from chunking.retrieval.questions.quoted import QuoteFinder
from chunking.retrieval.search.context import comparable
from chunking.runtime.progress import Tell
from chunking.workspace import DocumentAnalysis, Models

PASSAGE = (200, 2000)
"""Characters of a passage: at least, unless a document has no longer one; and at most. A sentence of up to twice as
many is not parted."""

TOGETHER = 2
"""Questions that are asked for at once."""

RESERVE = 3
"""Passages that are read at most, in multiples of what would do if no question were dropped."""

LONGEST_QUOTE = 1000
"""Characters of a quote, at most."""

NEAR = 90.0
"""Similarity in per cent from which two questions are duplicates: ``token_sort_ratio`` of rapidfuzz."""

_ANSWER_TOKENS = {"write": 60 * TOGETHER, "check": 40}
"""Tokens of an answer, about."""

_PROMPTS = Path(__file__).with_name("question_prompts.toml")

NOT_JSON = "answers that are not the JSON that was requested"
NOT_QUOTED = "questions whose quote is not in the source"
REPEATED_QUOTE = "questions whose quote stands in several places of the passage"
LONG_QUOTE = f"questions whose quote has more than {LONGEST_QUOTE:,} characters"
DUPLICATE = "questions that another one repeats"
UNANSWERABLE = "questions that the model itself does not answer from the passage"
INVALID = "questions without words, or with too many"


def prompts() -> Prompts:
    """Return the prompts by what they are for: ``write`` and ``check``."""
    return load_prompts(_PROMPTS)


def prompt_hash() -> str:
    """Return the first twelve hex digits of the SHA-256 of the prompts."""
    return prompts().digest


def origin(model: ChatModel, date: str) -> str:
    """Return what a generated question keeps of how it was made: model, endpoint, prompt and day."""
    return f"model {model.name:.80} at {model.where.host:.60}, prompt {prompt_hash()}, {date}"


# --- passages and what they cost -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Passage:
    """A part of a document that a model reads.

    Attributes:
        document: name of the document.
        start, end: half-open span of its text.
        text: of the span.
    """

    document: str
    start: int
    end: int
    text: str


@dataclass(frozen=True)
class GenerationPlan:
    """What is to be asked, and how much that is.

    Attributes:
        documents: by name.
        number: of questions, at most.
        seed: of the order of passages.
        passages: those that may be read, in order.
        calls, tokens_sent, tokens_received: estimates if no question is dropped.
        most_calls: the limit if many are.
    """

    documents: Mapping[str, Document]
    number: int
    seed: int
    passages: tuple[Passage, ...]
    calls: int
    most_calls: int
    tokens_sent: int
    tokens_received: int

    @property
    def documents_hash(self) -> str:
        """SHA-256 of the names and texts of the documents."""
        pairs = sorted((name, document.text_hash) for name, document in self.documents.items())
        return hashlib.sha256(repr(pairs).encode("utf-8", "backslashreplace")).hexdigest()


def plan(documents: Mapping[str, Document], number: int, seed: int = 0, tools: Models | None = None) -> GenerationPlan:
    """Choose passages of documents, and estimate the calls and tokens of their questions; nothing is sent.

    Args:
        documents: by name.
        number: of questions, at most.
        seed: of the choice; the same documents and seed give the same passages.
        tools: sentence splitter, and the tokenizer of the estimate, which need not be the model's.

    Raises:
        ChunkscopeError: the number is below 1, or no document has a passage with words.
    """
    if number < 1:
        raise ChunkscopeError("The number of questions is counted from 1.")
    tools = tools or Models()
    passages = [passage for name, document in documents.items() for passage in _passages(name, document, tools)]
    if not passages:
        raise ChunkscopeError("The documents have no text to ask about.", "Name documents with text.")
    ordered = sorted(passages, key=lambda passage: (_digest(seed, passage), passage.document, passage.start))
    needed = -(-number // TOGETHER)
    chosen = tuple(ordered[: RESERVE * needed])
    count = tokens.get_tokenizer(tools.tokenizer).count
    read = chosen[:needed]
    sizes = count([passage.text for passage in read]).tolist()
    overhead = {name: int(count(["".join(prompt.values())])[0]) for name, prompt in prompts().templates.items()}
    asked = min(number, TOGETHER * len(read))
    mean = sum(sizes) / len(sizes)
    return GenerationPlan(
        documents,
        number,
        seed,
        chosen,
        len(read) + asked,
        (1 + TOGETHER) * len(chosen),
        round(sum(sizes) + overhead["write"] * len(read) + (mean + overhead["check"] + 20) * asked),
        _ANSWER_TOKENS["write"] * len(read) + _ANSWER_TOKENS["check"] * asked,
    )


def _digest(seed: int, passage: Passage) -> bytes:
    return hashlib.sha256(f"{seed}\0{passage.text}".encode("utf-8", "backslashreplace")).digest()


def _passages(name: str, document: Document, tools: Models) -> list[Passage]:
    """Return the passages of a document, without short ones if there are others."""
    least, most = PASSAGE
    sentences = DocumentAnalysis(document, tools).sentences
    headings = [document.blocks[block].kind == "heading" for block in sentences.block.tolist()]
    spans: list[tuple[int, int]] = []
    for (start, end), is_heading in zip(sentences.spans.tolist(), headings, strict=True):
        first = spans[-1][0] if spans else 0
        fresh = not spans or end - first > most or (is_heading and start - first >= least)
        if fresh:
            spans.append((start, end))
        else:
            spans[-1] = first, end
    spans = [(start, min(end, start + 2 * most)) for start, end in spans]
    passages = [
        Passage(name, start, end, document.text[start:end])
        for start, end in spans
        if comparable(document.text[start:end])
    ]
    return [passage for passage in passages if len(passage.text) >= least] or passages[:1]


# --- questions -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Wording:
    """The words of a question and of its answer.

    Attributes:
        text: of the question.
        quote: of the answer.
    """

    text: str
    quote: str


@dataclass(frozen=True)
class GeneratedQuestions:
    """Questions that a model wrote.

    Attributes:
        questions: by the name of their document, in the order in which they were written; spans are in that document.
        left_out: what was dropped, by the reason.
        passages: passages that were read.
        complete: whether there are as many questions as requested.
    """

    questions: Mapping[str, tuple[Question, ...]]
    left_out: Mapping[str, int] = field(default_factory=dict)
    passages: int = 0
    complete: bool = True

    def __len__(self) -> int:
        return sum(map(len, self.questions.values()))


def generate(
    request: GenerationPlan,
    model: ChatModel,
    date: str,
    journal: Journal | None = None,
    existing: Sequence[Wording] = (),
    tell: Tell | None = None,
) -> GeneratedQuestions:
    """Let a model write questions on the passages of a plan, until there are enough or no passage is left.

    Args:
        request: the plan.
        model: the model that writes questions and checks them.
        date: ISO 8601, kept with each question.
        journal: receives what came of each passage; passages that it has are not read again.
        existing: other questions, which are not repeated.
        tell: receives the progress; may raise to stop.

    Raises:
        ChunkscopeError: the endpoint fails, or the model does not answer with JSON again and again. The journal keeps
            what was written until then.
    """
    report = tell or (lambda *_: None)
    writer = _Writer(model, [*existing])
    if journal is not None:
        journal.begin()
    records: list[PassageRecord] = []
    done = journal.records if journal is not None else {}
    kept = failures = read = 0
    for passage in request.passages:
        report("questions", kept, request.number)
        if kept >= request.number:
            break
        key = (passage.document, passage.start, passage.end)
        record = done.get(key)
        if record is None:
            record = writer.write(passage, min(TOGETHER, request.number - kept))
            if journal is not None:
                journal.add(record)
            failures = failures + 1 if NOT_JSON in record.left_out and not record.questions else 0
            if failures == PATIENCE:
                raise ChunkscopeError(
                    f"{model.name:.80} did not answer with the JSON that was requested, {PATIENCE} times in a row.",
                    "Name another model.",
                )
        source = request.documents[passage.document].text
        writer.wordings += [Wording(text, source[start:end]) for text, start, end in record.questions]
        records.append(record)
        read += 1
        kept += len(record.questions)
    report("questions", kept, request.number)
    return _collect(records, request, origin(model, date), read)


def _collect(records: Sequence[PassageRecord], request: GenerationPlan, made_by: str, read: int) -> GeneratedQuestions:
    questions: dict[str, list[Question]] = {}
    left_out: Counter[str] = Counter()
    number = 0
    for record in records:
        left_out.update(record.left_out)
        for text, start, end in record.questions:
            if number < request.number:
                number += 1
                question = Question(f"model-{number}", text, answers=(Answer(0, start, end),), origin=made_by)
                questions.setdefault(record.document, []).append(question)
    by_document = {name: tuple(of_document) for name, of_document in questions.items()}
    return GeneratedQuestions(by_document, dict(left_out), read, number >= request.number)


class _Writer:
    """Lets a model write and check questions.

    Attributes:
        wordings: of the questions that there are.
    """

    def __init__(self, model: ChatModel, wordings: list[Wording]) -> None:
        self.wordings = wordings
        self._model = model

    def write(self, passage: Passage, number: int) -> PassageRecord:
        """Return the questions on a passage that hold, at most some, and why others do not."""
        left_out: Counter[str] = Counter()
        answer = self._ask("write", number=str(number), passage=passage.text)
        rows = answer.get("questions") if answer else None
        if not isinstance(rows, list):
            return PassageRecord(passage.document, passage.start, passage.end, (), {NOT_JSON: 1})
        kept: list[tuple[str, int, int]] = []
        for row in rows[:number]:
            together = [
                Wording(text, passage.text[start - passage.start : end - passage.start]) for text, start, end in kept
            ]
            reason, question = self._check(passage, row, together)
            if question is None:
                left_out[reason] += 1
            else:
                kept.append(question)
        return PassageRecord(passage.document, passage.start, passage.end, tuple(kept), dict(left_out))

    def _check(
        self, passage: Passage, row: object, together: Sequence[Wording]
    ) -> tuple[str, tuple[str, int, int] | None]:
        """Return why a question is dropped, or the question with its span in the document."""
        question, quote = (row.get(name) for name in ("question", "quote")) if isinstance(row, dict) else (None, None)
        text = " ".join(question.split()) if isinstance(question, str) else ""
        if not comparable(text) or len(text) > own.WORDS:
            return INVALID, None
        spans = _find(quote, passage)
        if len(spans) != 1:
            return REPEATED_QUOTE if spans else NOT_QUOTED, None
        ((start, end),) = spans
        if end - start > LONGEST_QUOTE:
            return LONG_QUOTE, None
        if is_duplicate(Wording(text, passage.text[start:end]), [*self.wordings, *together]):
            return DUPLICATE, None
        answer = self._ask("check", question=text, passage=passage.text)
        if answer is None:
            return NOT_JSON, None
        if not any(low < end and start < high for low, high in _find(answer.get("quote"), passage)):
            return UNANSWERABLE, None
        return "", (text, passage.start + start, passage.start + end)

    def _ask(self, name: str, **values: str) -> dict[str, Any] | None:
        return self._model.ask(*prompts().fill(name, **values))


def _find(quote: object, passage: Passage) -> list[tuple[int, int]]:
    """Return the spans of the passage's text where a quote stands."""
    if not isinstance(quote, str) or not comparable(quote):
        return []
    match = QuoteFinder([CorpusDocument(passage.document, passage.text)]).find(quote)
    return [] if match.near else [(start, end) for _, start, end in match.answers]


def is_duplicate(wording: Wording, others: Sequence[Wording]) -> bool:
    """Return whether a question repeats another one.

    It does if it has the same words in any order, or if it has nearly the same words and the same answer, or one within
    the other. Questions about two things may differ in one word, and have other answers.
    """
    fuzz = import_module("rapidfuzz.fuzz")
    text, answer = comparable(wording.text), comparable(wording.quote)
    for other in others:
        other_text, other_answer = comparable(other.text), comparable(other.quote)
        if sorted(text.split()) == sorted(other_text.split()):
            return True
        same = answer in other_answer or other_answer in answer
        if same and fuzz.token_sort_ratio(text, other_text, score_cutoff=NEAR) > 0:
            return True
    return False


def rows(
    generated: GeneratedQuestions, documents: Mapping[str, Document], model: ChatModel, date: str
) -> Iterator[dict[str, Any]]:
    """Yield each question as a row for ``evaluate retrieval``, with its quote and how it was made.

    Args:
        generated: the questions.
        documents: by name.
        model: what wrote them.
        date: when, ISO 8601.
    """
    about = {"model": model.name, "endpoint": model.where.host, "prompt": prompt_hash(), "date": date}
    for name, questions in generated.questions.items():
        for question in questions:
            ((start, end),) = question.spans
            yield own.as_row(name, question) | {"quote": documents[name].text[start:end]} | about
