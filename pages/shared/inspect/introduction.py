"""What someone sees who opens the app for the first time: what it is for, three steps, and a boundary explained."""

from __future__ import annotations

from collections.abc import Collection
from typing import cast

from chunking.chunks import Chunk
from pages.shared import state
from pages.shared.components.first_steps import first_steps
from pages.shared.components.first_steps.component import Step
from pages.shared.components.glossary import term

_TAKEN: state.Slot[set[Step]] = state.Slot("_first_steps", set)
_CHOSE = state.Slot("_chose_gap", bool)
_EXPLAINED: state.Slot[dict[str, int | None]] = state.Slot("_explained_gap", dict)

PURPOSE = (
    f"Every {term('gap')} between two {term('sentence', 'sentences')} has a {term('score')}; above the "
    f"{term('threshold')} the text is {term('cut')}. The pieces are {term('chunk', 'chunks')}: what a search finds."
)
"""In place of the words for a change, before the first."""


def show_steps(changed: Collection[str], gap: int | None, own: bool) -> None:
    """Show the three steps.

    Args:
        changed: names of the parameters that this run changed.
        gap: that the user has selected, or ``None``.
        own: whether the document is the user's.
    """
    taken = _TAKEN.get()
    steps = {"alpha": "alpha" in changed, "gap": gap is not None, "own": own}
    taken |= {cast(Step, name) for name, done in steps.items() if done}
    first_steps("_first_steps", taken)


def chose() -> None:
    """Note that the user has selected a gap, or none, so that none is selected for her any more."""
    _CHOSE.set(True)


def gap_to_explain(document: str, chunks: Collection[Chunk]) -> int | None:
    """Return the first boundary while the user has selected nothing: so that the panel shows what it is for.

    It stays the same while she moves a control, or what she looks at would move away.

    Args:
        document: its key with its number of sentences.
        chunks: of the first setting.
    """
    if _CHOSE.get():
        return None
    explained = _EXPLAINED.get()
    if document not in explained:
        explained[document] = _first_boundary(chunks)
    return explained[document]


def _first_boundary(chunks: Collection[Chunk]) -> int | None:
    cuts = (chunk.cut for chunk in chunks if chunk.cut is not None and chunk.cut.reason == "distance")
    return next((cut.gap for cut in cuts if cut.gap is not None), None)
