"""The bounded cache, and words for numbers."""

from __future__ import annotations

from chunking.runtime.lru import LRUCache
from chunking.runtime.wording import plural


def test_what_was_used_last_is_kept() -> None:
    cache: LRUCache[str, int] = LRUCache(2, "test")
    assert (cache.put("a", 1), cache.put("b", 2)) == (1, 2)
    assert cache.get("a") == 1
    cache.put("c", 3)
    assert [cache.get(key) for key in "abc"] == [1, None, 3]
    assert len(cache) == 2


def test_a_number_has_its_noun() -> None:
    assert [plural(number, "sentence") for number in (0, 1, 1200)] == ["0 sentences", "1 sentence", "1,200 sentences"]
    assert plural(2, "boundary", "boundaries") == "2 boundaries"
