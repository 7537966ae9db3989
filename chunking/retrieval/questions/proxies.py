"""Questions that nobody asked, made of the documents themselves, without a model and without a network.

- **Headings**: a heading, after the one above it, is the question, and the text under it, up to the next heading of any
  level, the answer.
- **Sentences** (inverse cloze task; Lee, Chang and Toutanova 2019): a sentence is the question, and the sentences
  around it in its section are the answer.

What a question is made of must not be found, or every search would succeed: its span is ``hidden`` from the search of
the whole set. Documents are cut as they are, so that chunks and answers stay spans of the source; but in what is
embedded and indexed for a chunk, hidden text is white space, no heading path has a hidden title, and a chunk that has
no other text is not searched. Lines that say nothing but the heading, such as entries of a table of contents, are
hidden with it.

Such questions are proxies. They favour cuts at headings (the answer is a section) or strategies that keep neighbours
together, and their words are those of the author. How well they rank strategies as human questions do was measured, see
"Proxy questions" in ``docs/measurements/findings.md``.
"""

from __future__ import annotations

import hashlib
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, get_args

from chunking.document import Block, Document
from chunking.errors import ChunkscopeError
from chunking.loading.spans import trim_span
from chunking.retrieval.questions import own
from chunking.retrieval.questions.data import Answer, Question, mask
from chunking.retrieval.search.context import comparable
from chunking.runtime.patterns import compile_pattern
from chunking.runtime.progress import Tell
from chunking.workspace import DocumentAnalysis, Models

Kind = Literal["headings", "sentences"]
KINDS: tuple[Kind, ...] = get_args(Kind)

SECTION = (100, 4000)
"""Characters of a section that can be an answer: at least, at most."""

SENTENCE = (40, 400)
"""Characters of a sentence that can be a question: at least, at most."""

AROUND = 2
"""Sentences on either side of a sentence that are its answer."""

SHARE = 10
"""At most one sentence in so many is hidden, so that what is searched stays the text that it is."""

_PROSE = ("paragraph", "quote", "speaker_turn")
"""Kinds of blocks whose sentences are used."""

_LINE = compile_pattern(r"[^\n]+")
_LINK_TARGET = compile_pattern(r"\]\([^()\n]*\)")


@dataclass(frozen=True)
class ProxyQuestions:
    """Questions made of documents.

    Attributes:
        questions: by the name of their document, in order; every span is in that document, whose index is 0.
        candidates: the number of headings or sentences that there are.
        left_out: how many of them made no question, by the reason.
    """

    questions: Mapping[str, tuple[Question, ...]]
    candidates: int = 0
    left_out: Mapping[str, int] = field(default_factory=dict)

    def __len__(self) -> int:
        return sum(map(len, self.questions.values()))


def make(
    documents: Mapping[str, Document],
    kind: Kind,
    number: int | None = None,
    seed: int = 0,
    tools: Models | None = None,
    tell: Tell | None = None,
) -> ProxyQuestions:
    """Make questions of the headings or the sentences of documents.

    The same documents, number and seed give the same questions. With a number, the questions are those that a hash of
    the seed and their text puts first, so that another document changes few of them.

    Args:
        documents: by name.
        kind: what questions are made of.
        number: of questions, at most; ``None`` for all headings, or one sentence in :data:`SHARE`.
        seed: of the choice.
        tools: the sentence splitter.
        tell: receives the progress; may raise to stop.

    Raises:
        ChunkscopeError: the kind is unknown, the number is below 1, or no question can be made.
    """
    if kind not in KINDS:
        raise ChunkscopeError(f"There are no proxy questions of {kind!r:.40}.", f"There are: {', '.join(KINDS)}.")
    if number is not None and number < 1:
        raise ChunkscopeError("The number of questions is counted from 1.")
    maker = _HeadingMaker() if kind == "headings" else _SentenceMaker(tools or Models())
    report = tell or (lambda *_: None)
    for index, (name, document) in enumerate(documents.items()):
        report("reading", index, len(documents))
        maker.read(name, document)
    candidates = maker.candidates()
    chosen = maker.choose(sorted(candidates, key=lambda candidate: candidate.order(seed)), number)
    if not chosen:
        reasons = "; ".join(f"{count:,} {reason}" for reason, count in maker.left_out.most_common())
        raise ChunkscopeError(
            f"No question can be made of the {kind} of these documents.", f"Left out: {reasons}." if reasons else ""
        )
    questions: dict[str, list[Question]] = {}
    places = {name: place for place, name in enumerate(documents)}
    for count, candidate in enumerate(sorted(chosen, key=lambda one: (places[one.name], one.start)), 1):
        questions.setdefault(candidate.name, []).append(candidate.question(f"{maker.origin}-{count}"))
    by_document = {name: tuple(of_document) for name, of_document in questions.items()}
    return ProxyQuestions(by_document, maker.seen, dict(maker.left_out))


@dataclass(frozen=True)
class _Candidate:
    """What may become a question.

    Attributes:
        name: of its document.
        text: of the question.
        start: where it stands.
        answers, hidden: half-open spans of the document.
        sentence: index of the sentence in its document, of sentences.
    """

    name: str
    origin: str
    text: str
    start: int
    answers: tuple[tuple[int, int], ...]
    hidden: tuple[tuple[int, int], ...]
    sentence: int = 0

    def order(self, seed: int) -> tuple[bytes, str, int]:
        """Return where a seed puts it among others."""
        digest = hashlib.sha256(f"{seed}\0{self.text}".encode("utf-8", "backslashreplace")).digest()
        return digest, self.name, self.start

    def question(self, id: str) -> Question:
        answers, hidden = (tuple(Answer(0, *span) for span in spans) for spans in (self.answers, self.hidden))
        return Question(id, self.text, answers=answers, hidden=hidden, origin=self.origin)


class _Maker:
    """Collects candidates, and counts what is left out."""

    origin = ""

    def __init__(self) -> None:
        self.left_out: Counter[str] = Counter()
        self.seen = 0
        self._candidates: list[_Candidate] = []
        self._repeats: Counter[str] = Counter()

    def read(self, name: str, document: Document) -> None:
        """Collect the candidates of a document."""
        raise NotImplementedError

    def candidates(self) -> list[_Candidate]:
        """Return the candidates whose words occur once."""
        unique = [one for one in self._candidates if self._repeats[comparable(one.text)] == 1]
        if repeated := len(self._candidates) - len(unique):
            self.left_out["that occur more than once"] = repeated
        return unique

    def choose(self, ordered: Sequence[_Candidate], number: int | None) -> list[_Candidate]:
        """Return the first of the candidates."""
        chosen = list(ordered[:number])
        if surplus := len(ordered) - len(chosen):
            self.left_out["beyond the number"] = surplus
        return chosen


class _HeadingMaker(_Maker):
    origin = "heading"

    def read(self, name: str, document: Document) -> None:
        lines = _lines(document)
        headings = document.headings
        self.seen += len(headings)
        made = []
        ends = [*(after.start for after in headings[1:]), len(document.text)]
        for heading, end in zip(headings, ends, strict=False):
            path = document.heading_path(heading.start)
            title, text = path[-1], ": ".join(" ".join(words.split()) for words in path[-2:])
            self._repeats[comparable(text)] += 1
            section = trim_span(document.text, heading.end, end)
            reason = _unusable(document, heading, title, section)
            if reason:
                self.left_out[reason] += 1
                continue
            hidden = {(heading.start, heading.end), *lines.get(comparable(title), ())}
            made.append(_Candidate(name, self.origin, text, heading.start, (section,), tuple(sorted(hidden))))
        # A list of contents is no answer once the headings that it lists are hidden.
        searched = mask(document.text, _union(span for candidate in made for span in candidate.hidden))
        for candidate in made:
            ((start, end),) = candidate.answers
            if len("".join(searched[start:end].split())) < SECTION[0] // 2:
                self.left_out["whose section lists headings"] += 1
            else:
                self._candidates.append(candidate)


def _unusable(document: Document, heading: Block, title: str, section: tuple[int, int]) -> str:
    """Return why a heading makes no question; empty if it does."""
    if not comparable(title):
        return "without words"
    if comparable(document.text[heading.start : heading.end]) != comparable(title):
        return "whose title is not its text"
    if section[1] - section[0] < SECTION[0]:
        return f"with fewer than {SECTION[0]} characters before the next heading"
    if section[1] - section[0] > SECTION[1]:
        return f"with more than {SECTION[1]:,} characters before the next heading"
    return ""


def _lines(document: Document) -> dict[str, list[tuple[int, int]]]:
    """Return the spans of the lines of a document by their words, without the targets of links."""
    lines: dict[str, list[tuple[int, int]]] = {}
    for match in _LINE.finditer(document.text):
        lines.setdefault(comparable(_LINK_TARGET.sub("]", match[0])), []).append(match.span())
    return lines


def _union(spans: Iterator[tuple[int, int]]) -> list[tuple[int, int]]:
    union: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if union and start <= union[-1][1]:
            union[-1] = union[-1][0], max(union[-1][1], end)
        else:
            union.append((start, end))
    return union


class _SentenceMaker(_Maker):
    origin = "sentence"

    def __init__(self, tools: Models) -> None:
        super().__init__()
        self._tools = tools

    def read(self, name: str, document: Document) -> None:
        sentences = DocumentAnalysis(document, self._tools).sentences
        spans: list[tuple[int, int]] = [(start, end) for start, end in sentences.spans.tolist()]
        prose = [document.blocks[block].kind in _PROSE for block in sentences.block.tolist()]
        headings = [heading.start for heading in document.headings]
        sections = [bisect_right(headings, start) for start, _ in spans]
        self.seen += len(spans)
        for index, (start, end) in enumerate(spans):
            text = " ".join(document.text[start:end].split())
            self._repeats[comparable(text)] += 1
            around = [
                other
                for other in range(max(index - AROUND, 0), min(index + AROUND + 1, len(spans)))
                if other != index and prose[other] and sections[other] == sections[index]
            ]
            if not prose[index]:
                self.left_out["in headings, lists, tables or code"] += 1
            elif not SENTENCE[0] <= len(text) <= SENTENCE[1]:
                self.left_out["that are too short or too long"] += 1
            elif len(around) < 2 or not any(other < index for other in around) or max(around) < index:
                self.left_out["without a sentence on either side in their section"] += 1
            else:
                answers = tuple(_union((spans[other]) for other in around))
                self._candidates.append(
                    _Candidate(name, self.origin, text, start, answers, ((start, end),), sentence=index)
                )

    def choose(self, ordered: Sequence[_Candidate], number: int | None) -> list[_Candidate]:
        """Return candidates of which none is in the answer of another, at most one in :data:`SHARE` sentences."""
        taken: set[tuple[str, int]] = set()
        apart = []
        for candidate in ordered:
            near = {(candidate.name, candidate.sentence + step) for step in range(-AROUND, AROUND + 1)}
            if taken.isdisjoint(near):
                taken |= {(candidate.name, candidate.sentence)}
                apart.append(candidate)
        if close := len(ordered) - len(apart):
            self.left_out["too close to another question"] = close
        share = max(self.seen // SHARE, 1)
        return super().choose(apart, min(share, number or share))


def on_documents(proxies: ProxyQuestions, documents: Mapping[str, int]) -> tuple[Question, ...]:
    """Return the questions with the indices of their documents in a set.

    Args:
        proxies: the questions.
        documents: the index of each document by its name.
    """
    return tuple(
        own.move(question, documents[name])
        for name, of_document in proxies.questions.items()
        for question in of_document
    )
