"""Sentences: the units that are embedded, and the gaps between them.

Each block of a document is split on its own, so that a heading, list item, table row or code block is never joined with
its neighbour. Text outside all blocks (thematic breaks, link definitions, running page lines) is in no sentence. It is
in the chunks nevertheless, since these are cut from the text and not joined from sentences.

The splitter ``"langchain"`` is meant for comparison alone and does none of this: it cuts the whole text as LangChain's
SemanticChunker does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np

from chunking.document import Document
from chunking.errors import ChunkscopeError
from chunking.runtime.patterns import compile_pattern
from chunking.runtime.progress import Progress
from chunking.sentences.blocks import fixed_ranges, plain_text, tidy_ranges
from chunking.sentences.kiwi import KIWI, split_with_kiwi
from chunking.sentences.rules import rule_ranges, split_with_rules
from chunking.sentences.sentences import Ranges, Sentences, from_units, gap_offsets
from chunking.sentences.spacy_models import SPACY, pipeline_language, pipelines, split_with_spacy

__all__ = [
    "KIWI",
    "LANGCHAIN",
    "REFERENCE",
    "RULES",
    "SPACY",
    "SPLITTERS",
    "Sentences",
    "check_splitter",
    "default_splitter",
    "from_units",
    "gap_offsets",
    "is_splitter",
    "rule_ranges",
    "split",
    "split_all",
    "split_sentences",
    "splitter_of",
    "splitters",
]

RULES, LANGCHAIN = "rules", "langchain"

SPLITTERS: tuple[str, ...] = (SPACY, KIWI, RULES, LANGCHAIN)
"""Names of the splitters that come with Chunkscope. Beside them :func:`split` knows ``spacy/<package>`` for each
trained pipeline ``<language>_core_{news,web}_{sm,md,lg}`` that is installed."""

_DEFAULTS = {"ko": KIWI}

REFERENCE = "reference"
"""The splitters of the reference program: spaCy for English, Kiwi for Korean; by rules for all other languages."""

_REFERENCE = {"en": SPACY, "ko": KIWI}


def default_splitter(language: str) -> str:
    """Return the default splitter of a language, the same on every machine."""
    return _DEFAULTS.get(language, RULES)


def splitters(language: str) -> tuple[str, ...]:
    """Return the splitters available for a language, the default first.

    For a text of unknown language (``"und"``) these are all that come with Chunkscope.
    """
    available = SPLITTERS if language == "und" else (RULES, *([SPACY] if language == "en" else []))
    first = default_splitter(language)
    return tuple(dict.fromkeys((first, *pipelines(language), *available, LANGCHAIN)))


def is_splitter(name: str) -> bool:
    """Return whether :func:`split` accepts the name. A spaCy pipeline need not be installed."""
    return name in (*SPLITTERS, REFERENCE) or pipeline_language(name) is not None


def check_splitter(name: str) -> str:
    """Return the name if :func:`split` accepts it.

    Raises:
        ChunkscopeError: there is no splitter of that name.
    """
    if not is_splitter(name):
        names = f"{', '.join(SPLITTERS)}, or spacy/PACKAGE of an installed pipeline, such as spacy/de_core_news_sm"
        raise ChunkscopeError(f"Unknown sentence splitter {name!r:.60}.", f"Choose one of {names}.")
    return name


def splitter_of(document: Document, splitter: str | None) -> str:
    """Return the splitter for a document: the requested one, or the default of its language.

    Raises:
        ChunkscopeError: there is no splitter of that name.
    """
    if splitter == REFERENCE:
        return _REFERENCE.get(document.language, RULES)
    return default_splitter(document.language) if splitter is None else check_splitter(splitter)


SentenceSplitter = Callable[[Sequence[str], str, str, Progress | None], Iterable[Ranges]]
"""Finds the sentences of texts: :func:`split_sentences` or a function with the same signature."""


def split_sentences(texts: Sequence[str], name: str, language: str, progress: Progress | None) -> Iterator[Ranges]:
    """Split each text into sentences. The sentences of a text do not depend on the other texts.

    Args:
        texts: plain prose, without the marks of a quotation.
        name: name of the splitter, any but ``"langchain"``.
        language: ISO 639-1 code; only the rules use it.
        progress: called now and then with the characters done and the total.

    Raises:
        ChunkscopeError: the model of the splitter is not installed.
    """
    if name == KIWI:
        return split_with_kiwi(texts, progress)
    return split_with_rules(texts, language, progress) if name == RULES else split_with_spacy(texts, name, progress)


def split(document: Document, splitter: str | None = None, progress: Progress | None = None) -> Sentences:
    """Split a document into sentences.

    A heading (without its marker), a code block and each row of a table (without the rule under its head) are one
    sentence; a page break has none. All other blocks, such as paragraphs, list items, quotes, captions, footnotes and
    speaker turns (without the speaker's name), are split by ``splitter``. A piece without a letter or digit, such as a
    bracket that was split off, belongs to the sentence before it. The splitter ``"langchain"`` differs from all this.

    Args:
        document: the document to split.
        splitter: one of :data:`SPLITTERS`, ``spacy/<package>`` or :data:`REFERENCE`; ``None`` chooses by the
            document's language.
        progress: called now and then with the characters done and the total.

    Raises:
        ChunkscopeError: the splitter is unknown, or its model is not installed.
    """
    (sentences,) = split_all([document], splitter, progress)
    return sentences


def split_all(
    documents: Sequence[Document],
    splitter: str | None = None,
    progress: Progress | None = None,
    sentence_splitter: SentenceSplitter = split_sentences,
) -> list[Sentences]:
    """Split documents into sentences. A model is faster with many texts at once than with :func:`split` for each.

    Args:
        documents: the documents to split.
        splitter: see :func:`split`.
        progress: see :func:`split`; counts the characters of all documents.
        sentence_splitter: splits texts; the default does it in this process.

    Raises:
        ChunkscopeError: see :func:`split`.
    """
    names = [splitter_of(document, splitter) for document in documents]
    ranges = [[fixed_ranges(document, block) for block in document.blocks] for document in documents]
    prose: dict[tuple[str, str], list[tuple[int, int]]] = {}  # document and block of each, by splitter and language
    for index, (document, name) in enumerate(zip(documents, names, strict=True)):
        if name != LANGCHAIN:
            pending = [(index, number) for number, fixed in enumerate(ranges[index]) if fixed is None]
            prose.setdefault((name, document.language), []).extend(pending)
    texts = {
        key: [plain_text(documents[index].text, documents[index].blocks[number]) for index, number in pairs]
        for key, pairs in prose.items()
    }
    sizes = {key: sum(map(len, batch)) for key, batch in texts.items()}
    done = 0
    for (name, language), pairs in prose.items():
        batch = texts[name, language]
        splits = sentence_splitter(batch, name, language, _part_of(progress, done, sum(sizes.values())))
        done += sizes[name, language]
        for (index, number), text, sentence_ranges in zip(pairs, batch, splits, strict=True):
            offset = documents[index].blocks[number].content
            ranges[index][number] = [
                (offset + start, offset + end) for start, end in tidy_ranges(text, sentence_ranges)
            ]
    return [
        _split_like_langchain(document, progress)
        if name == LANGCHAIN
        else _sentences_of(document, sentence_ranges, name)
        for document, sentence_ranges, name in zip(documents, ranges, names, strict=True)
    ]


def _part_of(progress: Progress | None, before: int, total: int) -> Progress | None:
    """Return the progress of a batch that follows others, as a part of the whole."""
    return None if progress is None else lambda done, _: progress(before + done, total)


def _sentences_of(document: Document, ranges: Sequence[Ranges | None], name: str) -> Sentences:
    """Return the sentences in the blocks of a document, in order; one that begins inside a grapheme cluster goes on
    the sentence before it.
    """
    spans = [span for block_ranges in ranges for span in block_ranges or ()]
    owners = [number for number, block_ranges in enumerate(ranges) for _ in block_ranges or ()]
    bounds, blocks = np.array(spans, dtype=np.int64).reshape(-1, 2), np.array(owners, dtype=np.int64)
    firsts = np.flatnonzero(~np.isin(bounds[:, 0], document.inside_clusters))
    if len(firsts) < len(bounds):
        bounds = np.column_stack((bounds[firsts, 0], bounds[np.append(firsts[1:], len(bounds)) - 1, 1]))
        blocks = blocks[firsts]
    return Sentences(document, bounds, blocks, name)


_AFTER_STOP = compile_pattern(r"(?<=[.?!])\s+")


def _split_like_langchain(document: Document, progress: Progress | None) -> Sentences:
    """Split the whole text at white space after ``.``, ``?`` or ``!``, as LangChain's SemanticChunker does.

    If white space after a stop ends the text, LangChain has an empty last sentence, which counts in its windows and
    thresholds; here its span is that white space. A document without blocks has no sentences.
    """
    text = document.text
    spaces = [space.span() for space in _AFTER_STOP.finditer(text)]
    starts, ends = [0, *(end for _, end in spaces)], [*(start for start, _ in spaces), len(text)]
    if not document.blocks:
        spaces, starts, ends = [], [], []
    if spaces and spaces[-1][1] == len(text):
        starts[-1] = spaces[-1][0]
    spans = np.array([starts, ends], dtype=np.int64).T.reshape(-1, 2)
    block_starts = np.fromiter((block.start for block in document.blocks), dtype=np.int64, count=len(document.blocks))
    block = np.maximum(np.searchsorted(block_starts, spans[:, 0], side="right") - 1, 0)
    if progress:
        progress(len(text), len(text))
    return Sentences(document, spans, block, LANGCHAIN)
