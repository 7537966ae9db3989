"""The bounded cache."""

from __future__ import annotations

from chunking.runtime.caches import LRUCache


def test_what_was_used_last_is_kept() -> None:
    cache: LRUCache[str, int] = LRUCache(2, "test")
    assert (cache.put("a", 1), cache.put("b", 2)) == (1, 2)
    assert cache.get("a") == 1
    cache.put("c", 3)
    assert [cache.get(key) for key in "abc"] == [1, None, 3]
    assert len(cache) == 2
