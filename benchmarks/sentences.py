"""The sentence splitters on English text whose sentences people marked: how often they agree, and how fast they are.

The development parts of two treebanks: EWT (mail, weblogs, reviews, newsgroups, answers) and GUM (sixteen genres, with
speech). Each paragraph is split on its own. A boundary is where a sentence starts, other than the start of a document.
*Within* leaves out the starts of paragraphs, which every splitter has. Many line breaks of EWT are lost in the data, so
that no splitter can find the lines of a signature: compare the rows, not a row with 100 %. The 95 % interval is of a
bootstrap over documents. The rules were adjusted on every second document, from the first: these figures are of all.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.timing import seconds, table
from chunking.runtime.arrays import Int64
from chunking.sentences import RULES, SPACY, split_sentences
from chunking.sentences.sentences import Ranges

DATA = Path(__file__).resolve().parents[2] / "shared" / "data" / "sentences"
CORPORA = {"EWT dev": "ewt_dev", "GUM dev": "gum_dev"}
RESAMPLES = 2000

_PARAGRAPH = re.compile(r"(?:(?!\n\s*\n).)+", re.DOTALL)
_AFTER_STOP = re.compile(r"(?<=[.?!])\s+")

Splitter = Callable[[Sequence[str]], list[Ranges]]


@dataclass(frozen=True)
class AnnotatedText:
    """A document with the starts of its sentences.

    Attributes:
        paragraphs: start and end of each, without the blank lines between them.
    """

    text: str
    starts: frozenset[int]
    paragraphs: tuple[tuple[int, int], ...]


def read(path: Path) -> list[AnnotatedText]:
    """Read the documents of a file."""
    with path.open(encoding="utf-8") as file:
        rows = list(map(json.loads, file))
    return [AnnotatedText(row["text"], frozenset(row["starts"]), _paragraphs(row["text"])) for row in rows]


def _paragraphs(text: str) -> tuple[tuple[int, int], ...]:
    found = (match.span() for match in _PARAGRAPH.finditer(text))
    return tuple((end - len(text[start:end].lstrip()), end) for start, end in found if text[start:end].strip())


def _with(name: str) -> Splitter:
    return lambda texts: list(split_sentences(texts, name, "en", None))


def split_at_stops(texts: Sequence[str]) -> list[Ranges]:
    """Split at white space after a stop, by the regular expression of LangChain's SemanticChunker."""
    return [list(_between(text)) for text in texts]


def _between(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    for space in _AFTER_STOP.finditer(text):
        yield start, space.start()
        start = space.end()
    if start < len(text):
        yield start, len(text)


SPLITTERS: dict[str, Splitter] = {
    "rules": _with(RULES),
    "spaCy": _with(SPACY),
    "regular expression": split_at_stops,
}


def found_starts(document: AnnotatedText, ranges: Sequence[Ranges]) -> set[int]:
    """Return the first character, not a space, of each range of the paragraphs."""
    starts = set()
    for (offset, _), found in zip(document.paragraphs, ranges, strict=True):
        for start, end in found:
            piece = document.text[offset + start : offset + end]
            if piece.strip():
                starts.add(offset + end - len(piece.lstrip()))
    return starts


def counts(documents: Sequence[AnnotatedText], ranges: Sequence[Ranges], *, within: bool) -> Int64:
    """Return for each document how many boundaries are found rightly, found wrongly, and missed."""
    rows = []
    left = list(ranges)
    for document in documents:
        here, left = left[: len(document.paragraphs)], left[len(document.paragraphs) :]
        free = {start for start, _ in document.paragraphs} if within else {0}
        gold, found = document.starts - free, found_starts(document, here) - free
        rows.append((len(gold & found), len(found - gold), len(gold - found)))
    return np.array(rows, dtype=np.int64)


def scores(totals: Int64) -> tuple[float, float, float]:
    """Return F1, precision and recall in % of right, wrong and missed."""
    right, wrong, missed = totals.tolist()
    return (
        200 * right / max(2 * right + wrong + missed, 1),
        100 * right / max(right + wrong, 1),
        100 * right / max(right + missed, 1),
    )


def interval(each: Int64) -> tuple[float, float]:
    """Return the 95 % interval of F1, in %, from a bootstrap over documents."""
    draws = np.random.default_rng(0).integers(0, len(each), (RESAMPLES, len(each)))
    values = [scores(each[draw].sum(axis=0))[0] for draw in draws]
    low, high = np.quantile(values, (0.025, 0.975)).tolist()
    return low, high


def row(splitter: Splitter, documents: Sequence[AnnotatedText]) -> list[str]:
    """Return the cells of a table's row."""
    texts = [document.text[start:end] for document in documents for start, end in document.paragraphs]
    ranges = splitter(texts)
    each = counts(documents, ranges, within=False)
    f1, precision, recall = scores(each.sum(axis=0))
    low, high = interval(each)
    within = scores(counts(documents, ranges, within=True).sum(axis=0))[0]
    rate = sum(map(len, texts)) / seconds(lambda: splitter(texts), times=3) / 1000
    return [f"{f1:.1f} [{low:.1f}, {high:.1f}]", f"{precision:.1f}", f"{recall:.1f}", f"{within:.1f}", f"{rate:,.0f}"]


def main() -> None:
    """Print the table."""
    if not DATA.is_dir():
        print("\nSentences against annotations: the data is not beside the repository, so this part is left out.")
        return
    head = ["splitter", "corpus", "F1 %", "precision", "recall", "F1 within", "kchar/s"]
    rows = []
    for corpus, file in CORPORA.items():
        documents = read(DATA / f"{file}.jsonl")
        rows += [[name, corpus, *row(splitter, documents)] for name, splitter in SPLITTERS.items()]
    table("Sentence starts against those that people marked, English", head, rows)


run = main

if __name__ == "__main__":
    main()
