"""Short texts by name, kept in the local storage of the browser: nothing of them is stored on the server.

The browser reports what it holds when a session begins. From then on the session knows the items, and the browser
writes those that changed. Each item has a place of its own, so that two tabs keep what either of them adds.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypedDict

from pages.shared.components.base import Message, component, ignore, pack, reported

MOST_ITEMS, NAME_LIMIT, TEXT_LIMIT = 400, 80, 20_000
"""How much of a report is read: number of items, and characters of a name and of a text."""

_store = component("chunkscope_browser_store", __file__, "browser_store.js", isolate_styles=False)


class BrowserStoreHead(TypedDict):
    """The items of a topic that the session has set; ``known`` once the browser's own have been read."""

    document: str
    known: bool
    items: dict[str, str]


def browser_store(key: str, topic: str, items: Mapping[str, str], is_known: bool) -> None:
    """Let the browser keep items, and report its own where they are not known yet. Draws nothing.

    Args:
        key: Streamlit key of the element.
        topic: what the items belong to; a prefix of their names in the browser.
        items: that this session has set; an empty text removes the item.
        is_known: whether :func:`stored_items` has returned the browser's items in this session.
    """
    head: BrowserStoreHead = {"document": topic, "known": is_known, "items": dict(items)}
    _store(key=key, data=pack(head, {}), on_items_change=ignore)


@dataclass(frozen=True)
class StoredItems(Message):
    """The items of a topic that a browser held when the session began."""

    document: str
    items: dict[str, str]


def stored_items(key: str, topic: str) -> dict[str, str] | None:
    """Return the items that the browser held when the session began; ``None`` before its report."""
    report = reported(key, "items", StoredItems, topic)
    if report is None:
        return None
    short = [(name, text) for name, text in report.items.items() if len(name) <= NAME_LIMIT and len(text) <= TEXT_LIMIT]
    return dict(short[:MOST_ITEMS])
