"""Sentences: the units that are embedded, and the gaps between them.

Each block of a document is split on its own, so a heading, a list item, a table row or a code block is never run
together with its neighbour. What is in no block (thematic breaks, link definitions, running page lines) is in no
sentence; chunks have it all the same, since they are cut from the text and not put together from sentences.

One splitter is there for comparison alone and does none of this: ``"langchain"`` cuts the whole text as LangChain's
SemanticChunker does.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from chunking.document import Document
from chunking.errors import ChunkscopeError
from chunking.sentences.blocks import fixed_ranges, plain_text, tidied
from chunking.sentences.contract import Progress, Ranges, Sentences, from_units, gap_offsets
from chunking.sentences.kiwi import KIWI
from chunking.sentences.rules import rule_ranges
from chunking.sentences.spacy_models import SPACY, pipeline_language, pipelines, prepare
from chunking.sentences.stops import LANGCHAIN, by_stops
from chunking.sentences.told import RULES, Teller, tell

__all__ = [
    "KIWI",
    "LANGCHAIN",
    "RULES",
    "SPACY",
    "SPLITTERS",
    "Progress",
    "Sentences",
    "check_splitter",
    "default_splitter",
    "from_units",
    "gap_offsets",
    "is_splitter",
    "prepare",
    "rule_ranges",
    "split",
    "split_all",
    "splitter_of",
    "splitters",
]

SPLITTERS: tuple[str, ...] = (SPACY, KIWI, RULES, LANGCHAIN)
"""Names of the splitters that come with Chunkscope. Beside them :func:`split` knows ``spacy/<package>`` for each
trained pipeline ``<language>_core_{news,web}_{sm,md,lg}`` that is installed."""

_DEFAULTS = {"en": SPACY, "ko": KIWI}


def default_splitter(language: str) -> str:
    """The splitter that is used for a language where none is asked for: the same on every machine."""
    return _DEFAULTS.get(language, RULES)


def splitters(language: str) -> tuple[str, ...]:
    """The splitters that make sense for a language and are there, the default first.

    For a text whose language is not known (``"und"``), all that come with Chunkscope.
    """
    own = SPLITTERS if language == "und" else (RULES,)
    first = default_splitter(language)
    return tuple(dict.fromkeys((first, *pipelines(language), *own, LANGCHAIN)))


def is_splitter(name: str) -> bool:
    """Whether :func:`split` knows the name; a pipeline of spaCy that it names need not be installed."""
    return name in SPLITTERS or pipeline_language(name) is not None


def check_splitter(name: str) -> str:
    """The name.

    Raises:
        ChunkscopeError: no splitter has it.
    """
    if not is_splitter(name):
        known = f"{', '.join(SPLITTERS)}, or spacy/PACKAGE of an installed pipeline, such as spacy/de_core_news_sm"
        raise ChunkscopeError(f"There is no sentence splitter {name!r:.60}.", f"Choose one of {known}.")
    return name


def splitter_of(document: Document, splitter: str | None) -> str:
    """The name of the splitter for a document: the one asked for, or the one for its language.

    Raises:
        ChunkscopeError: no splitter has that name.
    """
    return default_splitter(document.language) if splitter is None else check_splitter(splitter)


def split(document: Document, splitter: str | None = None, progress: Progress | None = None) -> Sentences:
    """Split a document into sentences.

    A heading is one sentence, without its marker; a code block is one; a table has one for each row but the rule
    under its head; paragraphs, list items, quotes, captions, footnotes and what a speaker says, without the name, are
    split by ``splitter``; a page break has none. What has no letter or digit in it (a bracket that was split off)
    belongs to the sentence before it. The splitter ``"langchain"`` follows none of this, see
    :mod:`chunking.sentences.stops`.

    Args:
        document: what to split.
        splitter: one of :data:`SPLITTERS` or ``spacy/<package>``; ``None`` chooses by the document's language.
        progress: told now and then how far it is.

    Raises:
        ChunkscopeError: the splitter is unknown, or its model is not installed.
    """
    (found,) = split_all([document], splitter, progress)
    return found


def split_all(
    documents: Sequence[Document],
    splitter: str | None = None,
    progress: Progress | None = None,
    teller: Teller = tell,
) -> list[Sentences]:
    """Split documents into sentences, each as :func:`split` does: a model is quicker with many texts at a time.

    Args:
        documents: what to split.
        splitter: as of :func:`split`.
        progress: told now and then how far it is, in characters.
        teller: what finds the sentences of texts.

    Raises:
        ChunkscopeError: as of :func:`split`.
    """
    names = [splitter_of(document, splitter) for document in documents]
    opened = [None if name == LANGCHAIN else _Opened(each) for each, name in zip(documents, names, strict=True)]
    alike: dict[tuple[str, str], list[_Opened]] = {}
    for document, name, each in zip(documents, names, opened, strict=True):
        if each:
            alike.setdefault((name, document.language), []).append(each)
    counted = _Counted(progress, sum(len(text) for each in opened if each for text in each.texts))
    for (name, language), some in alike.items():
        texts = [text for each in some for text in each.texts]
        found = iter(list(teller(texts, name, language, counted.of(texts))))
        for each in some:
            each.take(found)
    return [
        each.done(name) if each else by_stops(document, progress)
        for document, name, each in zip(documents, names, opened, strict=True)
    ]


class _Opened:
    """A document while its sentences are being found."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.ranges = [fixed_ranges(document, block) for block in document.blocks]
        self.prose = [place for place, found in enumerate(self.ranges) if found is None]
        self.texts = [plain_text(document.text, document.blocks[place]) for place in self.prose]

    def take(self, found: Iterator[Ranges]) -> None:
        """The sentences of its texts, which come next."""
        for place, text in zip(self.prose, self.texts, strict=True):
            offset = self.document.blocks[place].content
            self.ranges[place] = [(offset + start, offset + end) for start, end in tidied(text, next(found))]

    def done(self, name: str) -> Sentences:
        """All of them, in order."""
        spans = [span for inside in self.ranges for span in inside or ()]
        owners = [place for place, inside in enumerate(self.ranges) for _ in inside or ()]
        return Sentences(
            self.document,
            np.array(spans, dtype=np.int64).reshape(-1, 2),
            np.array(owners, dtype=np.int64),
            name,
        )


class _Counted:
    """Progress over several runs, each of which tells its own."""

    def __init__(self, progress: Progress | None, total: int) -> None:
        self._progress = progress
        self._total = total
        self._before = 0

    def of(self, texts: Sequence[str]) -> Progress | None:
        """What the next run tells, that of these texts."""
        before = self._before
        self._before += sum(map(len, texts))
        progress = self._progress
        return None if progress is None else lambda done, _: progress(before + done, self._total)
