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
from chunking.sentences.kiwi import KIWI, by_kiwi
from chunking.sentences.rules import by_rules, rule_ranges
from chunking.sentences.spacy_models import SPACY, by_spacy, pipeline_language, pipelines, prepare
from chunking.sentences.stops import LANGCHAIN, by_stops

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
    "splitters",
]

RULES = "rules"

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
    name = default_splitter(document.language) if splitter is None else check_splitter(splitter)
    if name == LANGCHAIN:
        return by_stops(document, progress)
    ranges = [fixed_ranges(document, block) for block in document.blocks]
    prose = [place for place, found in enumerate(ranges) if found is None]
    texts = [plain_text(document.text, document.blocks[place]) for place in prose]
    for place, text, inside in zip(prose, texts, _found(texts, name, document.language, progress), strict=True):
        offset = document.blocks[place].content
        ranges[place] = [(offset + start, offset + end) for start, end in tidied(text, inside)]
    spans = [span for inside in ranges for span in inside or ()]
    owners = [place for place, inside in enumerate(ranges) for _ in inside or ()]
    return Sentences(
        document,
        np.array(spans, dtype=np.int64).reshape(-1, 2),
        np.array(owners, dtype=np.int64),
        name,
    )


def _found(texts: Sequence[str], name: str, language: str, progress: Progress | None) -> Iterator[Ranges]:
    if name == KIWI:
        return by_kiwi(texts, progress)
    return by_rules(texts, language, progress) if name == RULES else by_spacy(texts, name, progress)
