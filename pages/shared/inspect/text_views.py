"""The ways to show the text of a document: on its pages, as its reader sees it, or with every character."""

from __future__ import annotations

from typing import Literal, NamedTuple

from chunking.rendering import has_layout
from pages.shared.documents.documents import Opened
from pages.shared.frame import markup
from pages.shared.settings import controls

ViewName = Literal["pages", "reading", "source"]


class TextView(NamedTuple):
    """A way to show the text, and the height of the text as a CSS length."""

    name: ViewName
    height: str


HELP = {
    "pages": "Pages: the document as it was printed.",
    "reading": "Reading: headings, lists, tables and code as a reader sees them; marks such as ** and | are hidden.",
    "source": "Source: every character that is embedded and indexed.",
}


def choose(opened: Opened) -> TextView:
    """Draw the choice between the ways that a document can be shown in, and return it; nothing where there is one."""
    document = opened.document
    offered: list[ViewName] = ["source"]
    if has_layout(document):
        offered.insert(0, "reading")
    if document.pages and opened.data:
        offered.insert(0, "pages")
    if len(offered) == 1:
        return TextView(offered[0], markup.TEXT_HEIGHT)
    help = " ".join(HELP[each] for each in offered)
    name = controls.segments(
        "Show the text as", offered, name="text", titles=str.capitalize, help=help, label_visibility="collapsed"
    )
    return TextView(name, markup.PAGE_HEIGHT if name == "pages" else markup.LOWER_TEXT_HEIGHT)
