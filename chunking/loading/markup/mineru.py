"""Documents that MinerU has parsed: its ``NAME_content_list.json``, beside which its Markdown has no pages.

============================================= =========================================================================
entry                                         becomes
============================================= =========================================================================
text with ``text_level``                      heading of that level
list                                          a list item for each of its items
table                                         its captions, a table with a row a line, its footnotes
code, equation                                code, with its caption
image, chart                                  its captions and footnotes
header, footer, page number, text in margins  excluded
page footnote                                 footnote
any other                                     paragraph
============================================= =========================================================================
"""

from __future__ import annotations

from typing import Any

from chunking.document import BlockKind
from chunking.errors import ChunkscopeError
from chunking.loading.markup.layout import (
    MAX_LEVEL,
    MAX_PAGES,
    Item,
    LayoutWriter,
    Spot,
    numbers,
    objects,
    read_json,
    string,
    table_text,
    whole,
)
from chunking.loading.parsed import LoadParameters, Parsed

_ASIDE = {
    "header": "running head",
    "footer": "running foot",
    "page_number": "page number",
    "aside_text": "text in the margin",
    "discarded": "excluded",
}
_BODIES = ("text", "code_body", "content", "table_body")
_EXTENT = 1000.0
"""Width and height of every page: MinerU counts boxes in thousandths of them."""


def parse(text: str, name: str, params: LoadParameters) -> Parsed:
    """Read a content list of MinerU.

    Returns:
        Blocks, pages with the boxes of entries, and an origin whose parts are the entries by number.

    Raises:
        ChunkscopeError: it is not JSON, or has no entries.
    """
    value = read_json(text, name, "a content list")
    if not objects(value):
        raise ChunkscopeError(f"“{name}” has no entries.", "Convert the document again with MinerU.")
    reader = _ContentReader()
    for number, entry in enumerate(value, 1):
        reader.add(entry, f"entry {number}")
    return reader.writer.finish()


class _ContentReader:
    """One pass over the entries.

    Attributes:
        writer: what was read so far.
    """

    def __init__(self) -> None:
        self.writer = LayoutWriter()

    def add(self, entry: Any, part: str) -> None:
        """Add an entry."""
        if not isinstance(entry, dict):
            self.writer.broken += 1
            return
        type_, spots = string(entry.get("type")), self._spots(entry)
        words = next(filter(None, (string(entry.get(field)) for field in _BODIES)), "")
        if type_ in _ASIDE:
            self.writer.exclude_item(_ASIDE[type_], words, part)
            return
        for caption in _texts(entry, type_, "caption"):
            self.writer.add(Item("caption", caption, part, spots=spots))
        if type_ == "table":
            self.writer.add(Item("table", table_text(words), part, spots=spots, source=words))
        else:
            level = whole(entry.get("text_level"), 1, MAX_LEVEL) or 0
            kind: BlockKind = "heading" if level else _KINDS.get(type_, "paragraph")
            self.writer.add(Item(kind, words, part, level, spots=spots))
        for item in entry["list_items"] if isinstance(entry.get("list_items"), list) else []:
            # Their markers are in their texts.
            self.writer.add(Item("list_item", string(item), part, 1, spots=spots))
        for footnote in _texts(entry, type_, "footnote"):
            self.writer.add(Item("footnote", footnote, part, spots=spots))

    def _spots(self, entry: dict[str, Any]) -> tuple[Spot, ...]:
        page = whole(entry.get("page_idx"), 0, MAX_PAGES - 1)
        if page is None:
            return ()
        self.writer.sizes[page] = (_EXTENT, _EXTENT)
        box = numbers(entry.get("bbox"), 4)
        return (Spot(page, (box[0], box[1], box[2], box[3]) if box else None),)


_KINDS: dict[str, BlockKind] = {"code": "code", "equation": "code", "page_footnote": "footnote"}


def _texts(entry: dict[str, Any], type_: str, suffix: str) -> list[str]:
    """Return the captions or footnotes of an entry."""
    kind = "image" if type_ in ("image", "chart") and f"{type_}_{suffix}" not in entry else type_
    texts = entry.get(f"{kind}_{suffix}") or entry.get(f"img_{suffix}")
    return [string(text) for text in texts] if isinstance(texts, list) else [string(texts)]
