"""Cuts and joins by hand: kept for each document, shown in the address, and listed with what became of them.

The session has the edits of each document; the address shows those of the open one, so that a link and the browser's
history have them too. Of a document of the library they are stored with what was chosen for it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import streamlit as st

from chunking import ChunkscopeError
from chunking.chunks.edits import ACTIONS, MOST, Action, Edit, LocatedEdits, edit_at, packed, unpacked
from chunking.runtime.wording import plural
from chunking.standalone.data import edits_data
from chunking.strategies import Segmentation
from chunking.strategies.base import edit_outcomes
from chunking.workspace import DocumentAnalysis
from pages.shared import state
from pages.shared.components.workbench import ByHand
from pages.shared.documents import choices, session_documents
from pages.shared.documents.session_documents import OpenDocument
from pages.shared.frame import frame, markup
from pages.shared.settings import address_positions

_NAME = "edits"
"""The query parameter."""

_LONGEST = 6000
"""Characters of a link's edits: some browsers and mail programs cut off longer links."""


@dataclass
class _Kept:
    """The edits by hand of the session.

    Attributes:
        by_name: of each document, by its name in the session.
        shown: the text that the address had last.
        received: number of the last report of the browser.
    """

    by_name: dict[str, tuple[Edit, ...]] = field(default_factory=dict)
    shown: str = ""
    received: int = 0


_KEPT: state.SessionValue[_Kept] = state.SessionValue("_by_hand", _Kept)


def of(opened: OpenDocument) -> tuple[Edit, ...]:
    """Return the edits of the open document, with those that a link or the history brings; the address shows them."""
    kept = _KEPT.get()
    text = state.address().text(_NAME)
    if text != kept.shown:
        _adopt(kept, opened, text)
    edits = kept_of(opened)
    kept.shown = _link_text(edits, opened)
    state.address().put(_NAME, kept.shown or None)
    return edits


def kept_of(opened: OpenDocument) -> tuple[Edit, ...]:
    """Return the edits that the session or the library has of a document."""
    kept = _KEPT.get()
    if opened.name not in kept.by_name and opened.entry is not None:
        kept.by_name[opened.name] = _unpacked(choices.of(opened.entry).edits)
    return kept.by_name.get(opened.name, ())


def add(opened: OpenDocument, workspace: DocumentAnalysis, edits: tuple[Edit, ...]) -> None:
    """Add edits to those of a document; they replace what was decided of their places."""
    earlier = kept_of(opened)
    located = workspace.with_edits(earlier).located_edits
    replaced = {edit.offset for edit in edits}
    others = tuple(edit for number, edit in enumerate(earlier) if located.offsets.get(number) not in replaced)
    _KEPT.get().by_name[opened.name] = (*others, *edits)


def texts(opened: OpenDocument) -> dict[str, str]:
    """Return the parameters of a link to Inspect with the edits of a document."""
    return {_NAME: _link_text(kept_of(opened), opened)}


def stored_text(opened: OpenDocument) -> str:
    """Return the edits of a document as the library keeps them."""
    return packed(_KEPT.get().by_name.get(opened.name, ()))


def _link_text(edits: tuple[Edit, ...], opened: OpenDocument) -> str:
    text = packed(edits)
    return f"{text}@{opened.document.key[:4]}" if text and len(text) <= _LONGEST else ""


def _adopt(kept: _Kept, opened: OpenDocument, text: str) -> None:
    """Take the edits of an address, unless they are another document's."""
    packed_edits, _, key = text.partition("@")
    if not key or opened.document.key.startswith(key):
        kept.by_name[opened.name] = _unpacked(packed_edits)


def _unpacked(text: str) -> tuple[Edit, ...]:
    try:
        return unpacked(text)
    except ChunkscopeError as error:
        frame.show_error(error)
        return ()


@dataclass(frozen=True, eq=False)
class HandEdits:
    """The edits by hand of a document, for the workbench.

    Attributes:
        opened: the document.
        workspace: the document with its edits.
    """

    opened: OpenDocument
    workspace: DocumentAnalysis

    @property
    def at_gaps(self) -> list[tuple[int, str]]:
        """The gaps that are decided by hand, each with its action."""
        return edits_data(self.workspace)

    @property
    def received(self) -> int:
        """The number of the last report of the browser."""
        return _KEPT.get().received

    def take(self, by_hand: ByHand) -> None:
        """Take all that is decided in the browser; in a callback."""
        kept = _KEPT.get()
        kept.received = by_hand.number
        workspace = self.workspace
        located, gaps = workspace.located_edits, workspace.offsets
        wanted = {
            int(gaps[gap]): action
            for gap, name in by_hand.edits
            for action in ACTIONS
            if gap < len(gaps) and action == name
        }
        try:
            kept.by_name[self.opened.name] = _decided(workspace, located, wanted)
        except ChunkscopeError as error:
            session_documents.tell(error)


def _decided(workspace: DocumentAnalysis, located: LocatedEdits, wanted: Mapping[int, Action]) -> tuple[Edit, ...]:
    """Return the edits of some places, with those whose place is lost.

    Raises:
        ChunkscopeError: there are too many, or one has nothing but white space on one side.
    """
    text = workspace.document.text
    if len(wanted) > MOST:
        raise ChunkscopeError(f"A document has {MOST:,} edits by hand at most.", "Choose another setting instead.")
    lost = tuple(workspace.edits[number] for number in located.lost)
    return (*lost, *(edit_at(text, action, offset) for offset, action in sorted(wanted.items())))


def give_to_copy(name: str, copy: str) -> None:
    """Give the edits of a document to a copy of it, in which they find their places by their text."""
    by_name = _KEPT.get().by_name
    by_name.setdefault(copy, by_name.get(name, ()))


# ---- what is shown


def warn(hand: HandEdits, segmentation: Segmentation) -> None:
    """Show how many edits are not followed, above the text; nothing where all are."""
    ignored = sum(map(bool, edit_outcomes(hand.workspace, segmentation)))
    if ignored:
        verb = "is" if ignored == 1 else "are"
        st.warning(f"{plural(ignored, 'edit')} by hand {verb} not followed. The list below the text says why.")


_SHOWN = 40
"""Edits that are listed."""


def show(hand: HandEdits, segmentation: Segmentation) -> None:
    """List the edits, each with what became of it; nothing without any."""
    workspace, name = hand.workspace, hand.opened.name
    if not workspace.edits:
        return
    outcomes = edit_outcomes(workspace, segmentation)
    with st.container(key="_by_hand", horizontal=True, vertical_alignment="center"):
        markup.show("<h3>By hand</h3>", "content")
        st.button(
            "Remove all", key="_by_hand_clear", on_click=_remove, args=(name, range(len(workspace.edits))),
            help="Leave every place to the strategy again.",
        )  # fmt: skip
    if len(packed(workspace.edits)) > _LONGEST:
        st.caption("These are more than a link can hold. The settings file of the export has them all.")
    located = workspace.located_edits.offsets
    gap_of = {offset: gap for gap, offset in enumerate(workspace.offsets.tolist())}
    for number, (edit, outcome) in enumerate(zip(workspace.edits[:_SHOWN], outcomes, strict=False)):
        with st.container(horizontal=True, vertical_alignment="center", key=f"_by_hand_{number}"):
            kind = "Cut" if edit.action == "cut" else "Joined"
            problem = f'<br><span class="cs-warning">{markup.escape(outcome)}</span>' if outcome else ""
            markup.show(
                f'<div class="cs-change"><b>{kind}</b> before “{markup.escape(edit.quote)}”'
                f"<br>after “{markup.escape(edit.quote_before)}”{problem}</div>",
                "content",
            )
            if number in located:
                st.button(
                    "Show", key=f"_by_hand_show_{number}", on_click=address_positions.put_gap,
                    args=(gap_of[located[number]], hand.opened.document),
                )  # fmt: skip
            st.button("Remove", key=f"_by_hand_remove_{number}", on_click=_remove, args=(name, (number,)))
    if len(workspace.edits) > _SHOWN:
        st.caption(f"The first {_SHOWN} of {len(workspace.edits):,}.")


def _remove(name: str, numbers: tuple[int, ...] | range) -> None:
    """Remove edits of a document by their numbers; in a callback."""
    kept = _KEPT.get()
    edits = kept.by_name.get(name, ())
    kept.by_name[name] = tuple(edit for number, edit in enumerate(edits) if number not in numbers)
