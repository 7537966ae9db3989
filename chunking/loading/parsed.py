"""The result of a loader, and its parameters."""

from __future__ import annotations

from dataclasses import dataclass

from chunking.document import Aside, Block
from chunking.document.origin import Origin
from chunking.document.pages import Pages
from chunking.params import Parameters, parameter


@dataclass(frozen=True, kw_only=True)
class LoadParameters(Parameters):
    """Parameters of loading."""

    content: str = parameter(
        "all",
        "Content of web pages",
        "'main' excludes navigation, advertisements and the like, as trafilatura identifies them; excluded text is "
        "still shown.",
        choices=("all", "main"),
    )


@dataclass(frozen=True, slots=True)
class Parsed:
    """The result of a loader.

    Attributes:
        text: the text that all offsets refer to.
        blocks: see :attr:`chunking.document.Document.blocks`.
        notes: remarks about the loading, a sentence each.
        origin, pages, aside: see :class:`chunking.document.Document`.
        language: ISO 639-1 code in the file, or empty; used only if the language of the text is not recognised.
    """

    text: str
    blocks: tuple[Block, ...]
    notes: tuple[str, ...] = ()
    origin: Origin | None = None
    pages: Pages | None = None
    aside: tuple[Aside, ...] = ()
    language: str = ""
