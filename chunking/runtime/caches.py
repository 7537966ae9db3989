"""A bounded cache in memory that threads may share, and how often caches had what was looked up."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Item = TypeVar("Item")


class CacheUse:
    """The look-ups of all caches of one name; any number of threads may share it.

    Attributes:
        hits: look-ups that found something.
        misses: look-ups that found nothing.
        size: returns the bytes that the cache takes; ``None`` where that is not known.
    """

    def __init__(self) -> None:
        self.hits = 0
        self.misses = 0
        self.size: Callable[[], int] | None = None
        self._lock = threading.Lock()

    def count(self, hits: int, misses: int) -> None:
        """Add look-ups."""
        with self._lock:
            self.hits += hits
            self.misses += misses


_uses: dict[str, CacheUse] = {}


def cache_use(name: str) -> CacheUse:
    """Return the counts of a name, which last as long as the process."""
    return _uses.setdefault(name, CacheUse())


def cache_uses() -> Mapping[str, CacheUse]:
    """Return the counts of all caches by name."""
    return dict(_uses)


class LRUCache(Generic[Key, Item]):
    """The items that were put or looked up last; any number of threads may share it.

    Args:
        limit: how many are kept.
        name: under which look-ups are counted, together with those of other caches of that name.
    """

    def __init__(self, limit: int, name: str) -> None:
        self._limit = limit
        self._use = cache_use(name)
        self._items: OrderedDict[Key, Item] = OrderedDict()
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._items)

    def get(self, key: Key) -> Item | None:
        """Return the item of a key, which is then the latest; ``None`` where it is not kept."""
        with self._lock:
            is_kept = key in self._items
            if is_kept:
                self._items.move_to_end(key)
            self._use.count(is_kept, not is_kept)
            return self._items.get(key)

    def put(self, key: Key, item: Item) -> Item:
        """Keep an item, and drop the ones above the limit that were not used for longest; returns the item."""
        with self._lock:
            self._items[key] = item
            self._items.move_to_end(key)
            while len(self._items) > self._limit:
                self._items.popitem(last=False)
        return item
