"""What is embedded for a chunk, and what is returned for it: choices of retrieval, beside where the text is cut.

They are written within a setting (``structural:alpha=0.3;embed=headings;return=parent``) and never change a chunk: its
span and text stay those of the source. What is embedded is a text of its own; what is returned is spans of the source.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from chunking.errors import ChunkscopeError
from chunking.params import Parameters, Value, parameter

EMBED_CHUNK, EMBED_HEADINGS, EMBED_TITLE, EMBED_LATE = "chunk", "headings", "title", "late"
RETURN_CHUNK, RETURN_PARENT, RETURN_WINDOW = "chunk", "parent", "window"


@dataclass(frozen=True, kw_only=True)
class ContextParameters(Parameters):
    """What is embedded for a chunk, and what is returned for it."""

    embed: str = parameter(
        EMBED_HEADINGS,
        "Embed",
        "What is embedded and searched for a chunk, its overlap included. headings: its heading path before it, and "
        "the header of a table that it continues. chunk: its text alone. title: the document's title before it (as the "
        "data set has it, else its first heading of the highest level, else its name). late: its token vectors, read "
        "with the document around them and averaged (late chunking), in windows of the encoder's limit that overlap by "
        "half: all-MiniLM-L6-v2 reads 256 tokens at a time, so its chunks know at most that much of their document. "
        "BM25 has no vectors: late is the chunk alone.",
        choices=(EMBED_HEADINGS, EMBED_CHUNK, EMBED_TITLE, EMBED_LATE),
    )
    return_: str = parameter(
        RETURN_CHUNK,
        "Return",
        "What is returned for a chunk that is found. chunk: the chunk with its overlap. parent: the chunk, and all of "
        "its parent once more than half of the parent's chunks are found; the parent is that of a strategy with "
        "parents (hierarchical_tree, changepoint_tree), elsewhere the section under the same heading. window: the "
        "chunk with its neighbours. With parent and window no text is returned twice, and only chunks without parts "
        "are searched.",
        choices=(RETURN_CHUNK, RETURN_PARENT, RETURN_WINDOW),
    )
    neighbours: int = parameter(
        1, "Neighbours", "With return=window: chunks returned before and after it.", minimum=1, maximum=20, step=1
    )

    @property
    def inactive(self) -> frozenset[str]:
        """Names of the parameters without effect at the values of the others."""
        return frozenset() if self.return_ == RETURN_WINDOW else frozenset({"neighbours"})

    def validate(self) -> None:
        """Check that neighbours are given only where they are returned."""
        if self.neighbours != 1 and self.return_ != RETURN_WINDOW:
            raise ChunkscopeError(
                f"neighbours={self.neighbours} has no effect with return={self.return_}.",
                f"Write return={RETURN_WINDOW};neighbours={self.neighbours}, or leave neighbours out.",
            )


NAMES = frozenset(definition.name for definition in ContextParameters.describe())
"""Names of the parameters, which no strategy has."""


def separate(texts: Mapping[str, str]) -> tuple[dict[str, str], dict[str, str]]:
    """Return the texts of a strategy's own parameters, and those of :class:`ContextParameters`."""
    own_texts = {name: text for name, text in texts.items() if name not in NAMES}
    return own_texts, {name: text for name, text in texts.items() if name in NAMES}


def separate_values(values: Mapping[str, Value]) -> tuple[dict[str, Value], ContextParameters]:
    """Return the values of a strategy's own parameters, and what the others make.

    Raises:
        ChunkscopeError: a value of the others is not allowed.
    """
    own_values = {name: value for name, value in values.items() if name not in NAMES}
    return own_values, ContextParameters.parse({}, {name: value for name, value in values.items() if name in NAMES})


def refuse(texts: Mapping[str, str], name: str) -> None:
    """Refuse choices of retrieval where nothing is retrieved.

    Args:
        texts: the texts of :class:`ContextParameters` in a setting.
        name: of the strategy.

    Raises:
        ChunkscopeError: there is one.
    """
    if texts:
        pairs = ";".join(f"{key}={value}" for key, value in texts.items())
        raise ChunkscopeError(
            f"{pairs} of {name} is a choice of retrieval and changes no chunk.",
            "Leave it out here, or use it with evaluate retrieval or on the Evaluate page.",
        )
