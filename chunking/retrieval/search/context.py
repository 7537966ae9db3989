"""The text indexed for a chunk, and the passages returned for a ranking: see :mod:`chunking.strategies.context`.

A passage is returned alone, with its neighbours, or with the rest of its parent. What is returned is passages again, in
the order in which a context is filled: a retrieved passage, then what comes with it. With neighbours and parents none
is returned twice, so that a context budget counts every text once.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import PurePath

import numpy as np

from chunking.chunks import Chunk, embedded_before, first_word
from chunking.chunks.embedded import as_line, header_above, titles_above
from chunking.document import Document
from chunking.runtime.arrays import Int64
from chunking.runtime.patterns import compile_pattern
from chunking.strategies.context import EMBED_HEADINGS, EMBED_TITLE, RETURN_PARENT, RETURN_WINDOW, ContextParameters
from chunking.tokens import TokenCounter

_WORD = compile_pattern(r"[^\W_]+")

NO_PARENT = -1
"""The parent of a passage without one."""


@dataclass(frozen=True, eq=False)
class Returned:
    """The passages that a ranking returns.

    Attributes:
        passages: ``(n,)`` int64 places of passages, in the order of the context.
        ranks: ``(n,)`` int64, the rank from 0 of the passage that each came with, ascending.
    """

    passages: Int64
    ranks: Int64


@dataclass(frozen=True, eq=False)
class ReturnRule:
    """The rule for the passages that are returned with one that is found.

    Attributes:
        context: the choice.
        document: ``(n_passages,)`` int64, the document of each passage, ascending.
        parent: ``(n_passages,)`` int64, the parent of each, :data:`NO_PARENT` where it has none; empty where parents
            are not returned.
    """

    context: ContextParameters = field(default_factory=ContextParameters)
    document: Int64 = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    parent: Int64 = field(default_factory=lambda: np.zeros(0, dtype=np.int64))

    @property
    def alone(self) -> bool:
        """Whether each passage is returned alone."""
        return self.context.return_ not in (RETURN_WINDOW, RETURN_PARENT)

    def of(self, ranking: Int64) -> Returned:
        """Return what a ranking returns.

        Args:
            ranking: ``(n,)`` int64 indices of passages, the best first, each once.
        """
        if self.alone:
            return Returned(ranking, np.arange(len(ranking)))
        if self.context.return_ == RETURN_WINDOW:
            return self._windows(ranking)
        return self._parents(ranking)

    def _windows(self, ranking: Int64) -> Returned:
        steps = [0, *(sign * far for far in range(1, self.context.neighbours + 1) for sign in (-1, 1))]
        around = ranking[:, None] + np.array(steps, dtype=np.int64)
        inside = (around >= 0) & (around < len(self.document))
        clipped = np.clip(around, 0, max(len(self.document) - 1, 0))
        inside &= self.document[clipped] == self.document[ranking][:, None] if len(ranking) else inside
        ranks = np.broadcast_to(np.arange(len(ranking))[:, None], around.shape)
        return _once(around[inside], ranks[inside])

    def _parents(self, ranking: Int64) -> Returned:
        pairs = list(self._merging(ranking.tolist()))
        rows = np.array(pairs, dtype=np.int64).reshape(-1, 2)
        return _once(rows[:, 0], rows[:, 1])

    def _merging(self, ranking: Sequence[int]) -> Iterator[tuple[int, int]]:
        """Yield passages with the ranks they come with; all of a parent once more than half of it are found."""
        hits: Counter[int] = Counter()
        for rank, passage in enumerate(ranking):
            yield passage, rank
            parent = int(self.parent[passage])
            if parent == NO_PARENT:
                continue
            hits[parent] += 1
            leaves = self._leaves[parent]
            if 2 * (hits[parent] - 1) <= len(leaves) < 2 * hits[parent]:
                yield from ((leaf, rank) for leaf in leaves)

    @cached_property
    def _leaves(self) -> dict[int, list[int]]:
        """The passages of each parent, in order."""
        members: dict[int, list[int]] = defaultdict(list)
        for passage, parent in enumerate(self.parent.tolist()):
            if parent != NO_PARENT:
                members[parent].append(passage)
        return members


def _once(passages: Int64, ranks: Int64) -> Returned:
    """Return each passage only at its first occurrence."""
    _, first = np.unique(passages, return_index=True)
    first_positions = np.sort(first)
    return Returned(passages[first_positions].astype(np.int64), ranks[first_positions].astype(np.int64))


# --- what is indexed -------------------------------------------------------------------------------------------------


def disjoint(chunks: Sequence[Chunk], text: str, counter: TokenCounter) -> Iterator[tuple[int, int, int, int]]:
    """Yield start, end, start and tokens of what is returned for each chunk, so that no text is in two of them.

    Overlap is left out. Where chunks themselves overlap, a later one begins where the earlier ones end.

    Args:
        chunks: in order of their starts.
        text: of the document.
        counter: counts tokens.
    """
    covered = 0
    for chunk in chunks:
        start = min(max(chunk.start, covered), chunk.end)
        tokens = chunk.tokens if start == chunk.start else int(counter.count([text[start : chunk.end]])[0])
        yield start, chunk.end, start, tokens
        covered = max(covered, chunk.end)


def prefixes(
    chunks: Sequence[Chunk],
    document: Document,
    embed: str,
    named: str = "",
    hidden: Sequence[tuple[int, int]] = (),
) -> list[str]:
    """Return what is indexed before the text of each chunk.

    Args:
        chunks: of the document.
        document: the document.
        embed: one of the values of ``embed``, see :mod:`chunking.strategies.context`.
        named: the title that the corpus has for the document; empty if it has none.
        hidden: half-open spans that are not searched; a title that says nothing but one of them is left out.
    """
    hidden_titles = {comparable(document.text[start:end]) for start, end in hidden}
    if embed == EMBED_TITLE:
        words = named or title(document)
        words = "" if comparable(words) in hidden_titles else words
        return [as_line("" if _has_title(document, chunk, words) else words) for chunk in chunks]
    if embed != EMBED_HEADINGS:
        return [""] * len(chunks)
    begins = [first_word(document, chunk.start, chunk.end) for chunk in chunks]
    paths = [
        [words for words in titles_above(document, word) if comparable(words) not in hidden_titles] for word in begins
    ]
    return [embedded_before(path, header_above(document, word)) for path, word in zip(paths, begins, strict=True)]


def comparable(text: str) -> str:
    """Return the letters and digits of a text in lower case, by which titles are compared."""
    return " ".join(_WORD.findall(text.lower()))


def _has_title(document: Document, chunk: Chunk, words: str) -> bool:
    """Return whether a chunk begins with the title itself, as the text of a corpus may."""
    begins = first_word(document, chunk.start, chunk.end)
    return document.text[begins : begins + len(words)] == words and begins + len(words) <= chunk.end


def title(document: Document) -> str:
    """Return the title of a document: its first heading of the highest level, else its name without the suffix."""
    if not document.headings:
        return PurePath(document.name).stem
    highest = min(document.headings, key=lambda heading: heading.level)  # the first of them
    path = document.heading_path(highest.start)
    return path[-1] if path else PurePath(document.name).stem


def parents(chunks: Sequence[Chunk], document: Document) -> list[int]:
    """Return the parent of each chunk, numbered from 0, or :data:`NO_PARENT`.

    Of a strategy that makes parents it is that chunk, of others the section: the chunks whose first word is under the
    same heading.

    Args:
        chunks: without those that are parents.
        document: the document.
    """
    nested = [chunk.parent for chunk in chunks]
    if any(parent is not None for parent in nested):
        return _number_keys(nested)
    begins = [heading.start for heading in document.headings]
    sections = [bisect_right(begins, first_word(document, chunk.start, chunk.end)) for chunk in chunks]
    return _number_keys([section or None for section in sections])


def _number_keys(keys: Sequence[int | None]) -> list[int]:
    """Return a number from 0 for each key, in order of their first place."""
    numbers = {key: number for number, key in enumerate(dict.fromkeys(key for key in keys if key is not None))}
    return [NO_PARENT if key is None else numbers[key] for key in keys]
