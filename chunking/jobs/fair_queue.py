"""A queue that is fair between people: each has a turn, and within a turn first come, first served.

Several people may wait for the same job. It is then taken once, at the best place that any of them has.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable, Iterator
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)

MAX_WAITING = 20
"""Jobs that a person may have waiting."""


class FairQueue(Generic[Key]):
    """Jobs that wait, by the people who wait for them. Not safe to share between threads.

    The people who wait take turns. Who begins to wait comes last, and so does who has had a turn. With *k* people
    waiting, the first job of each is therefore taken after at most *k* - 1 others.

    Args:
        most: jobs that a person may have waiting.
    """

    def __init__(self, most: int = MAX_WAITING) -> None:
        self._most = most
        self._turns: OrderedDict[str, dict[Key, None]] = OrderedDict()
        """Keys that each person waits for in the order in which they came, by person in the order of turns."""

    def __len__(self) -> int:
        return len({key for keys in self._turns.values() for key in keys})

    def __contains__(self, key: object) -> bool:
        return any(key in keys for keys in self._turns.values())

    def add(self, person: str, key: Key) -> bool:
        """Let a person wait for a job; return false, and change nothing, if they wait for too many."""
        keys = self._turns.get(person, {})
        if key not in keys and len(keys) >= self._most:
            return False
        self._turns.setdefault(person, keys)[key] = None
        return True

    def withdraw(self, person: str, key: Key) -> None:
        """Let a person wait for a job no longer; it stays for the others who wait for it."""
        keys = self._turns.get(person, {})
        keys.pop(key, None)
        if not keys:
            self._turns.pop(person, None)

    def remove(self, key: Key) -> None:
        """Remove a job for all who wait for it."""
        for person in list(self._turns):
            self.withdraw(person, key)

    def take(self) -> Key | None:
        """Take the next job; ``None`` if nobody waits."""
        return next(_take(self._turns), None)

    def order(self) -> list[Key]:
        """Return the jobs in the order in which they are taken if nobody else comes or leaves."""
        return list(_take(OrderedDict((person, dict(keys)) for person, keys in self._turns.items())))

    def place(self, key: Key) -> int:
        """Return the position of a job among those that wait, from 1; 0 if it does not wait."""
        order = self.order()
        return order.index(key) + 1 if key in order else 0


def _take(turns: OrderedDict[str, dict[Key, None]]) -> Iterator[Key]:
    """Yield the jobs in turn, and remove each for all who wait for it."""
    while turns:
        person, keys = next(iter(turns.items()))
        key = next(iter(keys))
        turns.move_to_end(person)
        for other_person in list(turns):
            turns[other_person].pop(key, None)
            if not turns[other_person]:
                del turns[other_person]
        yield key
