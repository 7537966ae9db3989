"""What is returned for a ranking of passages: each alone, with its neighbours, or with the rest of its parent.

Whatever is chosen, what is returned is passages again, in the order in which a context is filled: a passage that is
found, then what comes with it. With neighbours and parents none is returned twice, so that a context budget counts
every text once.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from chunking.runtime.arrays import Int64
from chunking.strategies.context import RETURN_PARENT, RETURN_WINDOW, ContextParameters

NO_PARENT = -1


@dataclass(frozen=True, eq=False)
class Returned:
    """What a ranking returns.

    Attributes:
        passages: ``(n,)`` int64 places of passages, in the order of the context.
        ranks: ``(n,)`` int64, the rank from 0 of the passage that each came with, ascending.
    """

    passages: Int64
    ranks: Int64


@dataclass(frozen=True, eq=False)
class ReturnRule:
    """What comes with a passage that is found.

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

    def of(self, places: Int64) -> Returned:
        """Return what a ranking returns.

        Args:
            places: ``(n,)`` int64 of passages, the best first, each once.
        """
        if self.alone:
            return Returned(places, np.arange(len(places)))
        if self.context.return_ == RETURN_WINDOW:
            return self._windows(places)
        return self._parents(places)

    def _windows(self, places: Int64) -> Returned:
        steps = [0, *(sign * far for far in range(1, self.context.neighbours + 1) for sign in (-1, 1))]
        around = places[:, None] + np.array(steps, dtype=np.int64)
        inside = (around >= 0) & (around < len(self.document))
        known = np.clip(around, 0, max(len(self.document) - 1, 0))
        inside &= self.document[known] == self.document[places][:, None] if len(places) else inside
        ranks = np.broadcast_to(np.arange(len(places))[:, None], around.shape)
        return _once(around[inside], ranks[inside])

    def _parents(self, places: Int64) -> Returned:
        found = list(self._merging(places.tolist()))
        both = np.array(found, dtype=np.int64).reshape(-1, 2)
        return _once(both[:, 0], both[:, 1])

    def _merging(self, places: Sequence[int]) -> Iterator[tuple[int, int]]:
        """Yield passages with the ranks they come with; all of a parent once more than half of it are found."""
        hits: Counter[int] = Counter()
        for rank, place in enumerate(places):
            yield place, rank
            parent = int(self.parent[place])
            if parent == NO_PARENT:
                continue
            hits[parent] += 1
            leaves = self._leaves[parent]
            if 2 * (hits[parent] - 1) <= len(leaves) < 2 * hits[parent]:
                yield from ((leaf, rank) for leaf in leaves)

    @cached_property
    def _leaves(self) -> dict[int, list[int]]:
        """The passages of each parent, in order."""
        found: dict[int, list[int]] = defaultdict(list)
        for place, parent in enumerate(self.parent.tolist()):
            if parent != NO_PARENT:
                found[parent].append(place)
        return found


def _once(places: Int64, ranks: Int64) -> Returned:
    """Keep each passage where it is first."""
    _, first = np.unique(places, return_index=True)
    kept = np.sort(first)
    return Returned(places[kept].astype(np.int64), ranks[kept].astype(np.int64))
