"""The open text, edited in place: a copy of the document, and what the edits change of its cuts.

The first edit makes a copy, which stays in the session and is kept nowhere else; each further one is an edit of the
copy, and all of them are compared with the document that it was made from.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath

import streamlit as st

from chunking import ChunkscopeError
from chunking.comparison.revision import ChangedDecision, Decision, Revision, Version
from chunking.document import Document
from chunking.document.edited import with_passage
from chunking.loading import TEXT_FORMATS
from chunking.runtime.wording import plural
from chunking.strategies import Segmentation, Setting
from chunking.workspace import DocumentAnalysis
from pages.shared import state
from pages.shared.components.workbench import ChangedPassage
from pages.shared.documents import documents, parsing, results, session_documents
from pages.shared.documents.session_documents import OpenDocument
from pages.shared.frame import frame, markup
from pages.shared.inspect import by_hand
from pages.shared.settings import address_positions

_SUFFIX = " · edited"


@dataclass(frozen=True, eq=False)
class _Copy:
    """A copy that was edited.

    Attributes:
        original: the document that it was made from.
        earlier: the copy before each edit but the first, in order.
    """

    original: OpenDocument
    earlier: tuple[OpenDocument, ...] = ()


_COPIES: state.SessionValue[dict[str, _Copy]] = state.SessionValue("_edited_copies", dict)


@dataclass(frozen=True, eq=False)
class DocumentEdits:
    """The edits of a document at one setting.

    Attributes:
        opened: the document; a copy once it has been edited.
        is_copy: whether it was edited.
        revision: the document before all edits and after them; ``None`` where that cannot be compared.
    """

    opened: OpenDocument
    is_copy: bool = False
    revision: Revision | None = None

    @property
    def before(self) -> Segmentation | None:
        """The chunks before all edits; ``None`` without any."""
        return self.revision.before.segmentation if self.revision else None

    @property
    def changes(self) -> Sequence[ChangedDecision]:
        """The decisions that the edits have changed, in the order of the text."""
        return self.revision.changes if self.revision else ()

    @property
    def cut_before(self) -> list[int] | None:
        """The gaps of the text that were cut before it was edited; ``None`` where it was not."""
        return self.revision.cut_before if self.revision else None

    @property
    def decided_before(self) -> list[tuple[int, str]]:
        """The gaps whose decision the edits have changed, with what it was, in words."""
        return [(change.after.gap, words_of(change.before)) for change in self.changes if change.after is not None]

    def take(self, edit: ChangedPassage) -> None:
        """Open a copy with an edited passage; in a callback."""
        copies, opened = _COPIES.get(), self.opened
        name = opened.document.name if self.is_copy else _name_of_copy(opened.document.name)
        try:
            document = _edited(replace(opened.document, name=name), edit)
        except ChunkscopeError as error:
            session_documents.tell(error)
            return
        if self.is_copy:
            key = opened.name
            copies[key] = replace(copies[key], earlier=(*copies[key].earlier, opened))
        else:
            key = f"{opened.name}{_SUFFIX}"
            copies[key] = _Copy(opened)
            by_hand.give_to_copy(opened.name, key)
        _open(OpenDocument(key, document, document.name, document.name, source=document, is_transient=True))


def _name_of_copy(name: str) -> str:
    """Return a name that is not that of the document, so that an exported program does not read the other text."""
    path = PurePath(name)
    return str(path.with_name(f"{path.stem} (edited){path.suffix}"))


def of(
    opened: OpenDocument, workspace: DocumentAnalysis, setting: Setting, segmentation: Segmentation
) -> DocumentEdits:
    """Return the edits of a document, with what a setting makes of it before and after them.

    Where the setting cannot be used on the document before them, the reason is shown.
    """
    copy = _COPIES.get().get(opened.name)
    if copy is None:
        return DocumentEdits(opened)
    earlier = documents.workspace(copy.original, workspace.tools)
    try:
        before = results.segmentation(earlier, setting)
    except ChunkscopeError as error:
        frame.show_error(error)
        return DocumentEdits(opened, True)
    return DocumentEdits(opened, True, Revision(_version(earlier, before), _version(workspace, segmentation)))


def _version(workspace: DocumentAnalysis, segmentation: Segmentation) -> Version:
    return Version(workspace.sentences, workspace.offsets, segmentation)


def _edited(document: Document, edit: ChangedPassage) -> Document:
    """Return a document with an edited passage: read again where its layout follows from its text.

    Raises:
        ChunkscopeError: nothing is left of it, the passage is none of it, or it cannot be read.
    """
    text, words = document.text, edit.words.replace("\r\n", "\n")
    if not edit.start <= edit.end <= len(text):
        raise ChunkscopeError("The text has changed since the passage was opened.", "Open the passage again.")
    text = text[: edit.start] + words + text[edit.end :]
    if not text.strip():
        raise ChunkscopeError("Nothing is left of the text.", "Leave some words in it.")
    if document.origin is None and document.format in TEXT_FORMATS:
        return parsing.from_text(text, document.name, document.format, _language(document))
    return with_passage(document, edit.start, edit.end, words)


def _language(document: Document) -> str | None:
    return None if document.language == "und" else document.language


def _open(opened: OpenDocument) -> None:
    session_documents.put(opened)
    documents.open_(opened.name)


def _undo(name: str) -> None:
    """Take the last edit back; with the first one, the copy goes."""
    copies = _COPIES.get()
    copy = copies.get(name)
    if copy is None:
        return
    if copy.earlier:
        copies[name] = replace(copy, earlier=copy.earlier[:-1])
        _open(copy.earlier[-1])
    else:
        _leave(name)


def _leave(name: str) -> None:
    """Open the document as it was, and let the copy go."""
    copy = _COPIES.get().pop(name, None)
    if copy is not None:
        session_documents.kept().pop(name, None)
        documents.open_(copy.original.name)


# ---- what is shown


def words_of(decision: Decision | None) -> str:
    """Return a decision in words."""
    if decision is None:
        return "this place was not there"
    verdict = "cut" if decision.is_cut else "not cut"
    return f"{verdict}, {decision.reason}" if decision.reason else verdict


def show(edits: DocumentEdits) -> None:
    """Show how many decisions the edits have changed, each with its reason before and after; nothing without edits."""
    if not edits.is_copy:
        return
    name = edits.opened.name
    with st.container(key="_edits", horizontal=True, vertical_alignment="center", gap="small"):
        markup.show(_summary(edits.changes), "content")
        if edits.changes:
            with st.popover("What changed", type="tertiary", icon=":material/difference:"):
                _list(edits)
        st.button("Undo", key="_edit_undo", type="tertiary", icon=":material/undo:", on_click=_undo, args=(name,))
        st.button(
            "Original", key="_edit_leave", type="tertiary", icon=":material/arrow_back:", on_click=_leave, args=(name,),
            help="Open the document as it was. The copy goes.",
        )  # fmt: skip


def _summary(changes: Sequence[ChangedDecision]) -> str:
    new = sum(change.is_new for change in changes)
    parts = [plural(new, "new cut"), f"{plural(len(changes) - new, 'cut')} gone"] if changes else ["no cut changes"]
    return f'<span class="cs-edited"><b>Edited copy</b>: {", ".join(parts)}.</span>'


_MOST = 40
"""Changes that are listed; the others are marked in the text."""


def _list(edits: DocumentEdits) -> None:
    for number, change in enumerate(edits.changes[:_MOST]):
        kind = "New cut" if change.is_new else "Cut gone"
        with st.container(horizontal=True, vertical_alignment="center", key=f"_edit_change_{number}"):
            markup.show(
                f'<div class="cs-change"><b>{kind}</b> before “{markup.escape(change.words)}”'
                f"<br>Before: {markup.escape(words_of(change.before))}."
                f"<br>After: {markup.escape(_words_after(change))}.</div>"
            )
            if change.after is not None:
                st.button(
                    "Show", key=f"_edit_show_{number}", on_click=address_positions.put_gap,
                    args=(change.after.gap, edits.opened.document),
                )  # fmt: skip
    if len(edits.changes) > _MOST:
        st.caption(f"The first {_MOST} of {len(edits.changes):,}; the others are marked in the text.")


def _words_after(change: ChangedDecision) -> str:
    return "this place is gone" if change.after is None else words_of(change.after)
