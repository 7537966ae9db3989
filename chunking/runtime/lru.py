"""A bounded cache in memory that threads may share."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Hashable
from typing import Generic, TypeVar

from chunking.runtime import cache_use

Key = TypeVar("Key", bound=Hashable)
Item = TypeVar("Item")


class LRUCache(Generic[Key, Item]):
    """The items that were put or looked up last; any number of threads may share it.

    Args:
        limit: how many are kept.
        name: under which look-ups are counted, together with those of other caches of that name.
    """

    def __init__(self, limit: int, name: str) -> None:
        self._limit = limit
        self._use = cache_use.of(name)
        self._items: OrderedDict[Key, Item] = OrderedDict()
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._items)

    def get(self, key: Key) -> Item | None:
        """Return the item of a key, which is then the latest; ``None`` where it is not kept."""
        with self._lock:
            found = key in self._items
            if found:
                self._items.move_to_end(key)
            self._use.count(found, not found)
            return self._items.get(key)

    def put(self, key: Key, item: Item) -> Item:
        """Keep an item, and drop the ones above the limit that were not used for longest; returns the item."""
        with self._lock:
            self._items[key] = item
            self._items.move_to_end(key)
            while len(self._items) > self._limit:
                self._items.popitem(last=False)
        return item
