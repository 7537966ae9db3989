"""What a loader makes of a file, and what a user may ask of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from chunking.document import Aside, Block
from chunking.document.origin import Origin
from chunking.document.pages import Pages
from chunking.params import Parameters, parameter

Progress = Callable[[int, int], None]
"""``progress(done, total)`` in pages, chapters or characters; may raise to stop."""


@dataclass(frozen=True, kw_only=True)
class LoadParameters(Parameters):
    """What a user may ask of loading."""

    content: str = parameter(
        "all",
        "Content of web pages",
        "'main' excludes navigation, advertisements and the like, as trafilatura identifies them; excluded text is "
        "still shown.",
        choices=("all", "main"),
    )


@dataclass(frozen=True, slots=True)
class Parsed:
    """What a loader makes of a file.

    Attributes:
        text: the one string that offsets refer to.
        blocks: see :attr:`chunking.document.Document.blocks`.
        notes: what a person should know about the loading, a sentence each.
        origin, pages, aside: see :class:`chunking.document.Document`.
        language: ISO 639-1 code that the file itself names, or empty; asked only where the text does not tell.
    """

    text: str
    blocks: tuple[Block, ...]
    notes: tuple[str, ...] = ()
    origin: Origin | None = None
    pages: Pages | None = None
    aside: tuple[Aside, ...] = ()
    language: str = ""
