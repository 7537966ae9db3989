"""What can be done with the selected documents: open, rename, tag, share, put into sets, download, delete."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath
from urllib.parse import urlencode, urlsplit, urlunsplit

import streamlit as st

from chunking import ChunkscopeError
from chunking.loading import FORMATS
from chunking.loading.language import LANGUAGES
from chunking.runtime.wording import file_size, plural
from chunking.store import DocumentSet, Library, LibraryDocument
from chunking.store.attachments import Attachments
from chunking.store.documents import VISIBILITIES
from chunking.store.identity import Identity
from chunking.store.sets import DocumentSets
from chunking.work.reference_transfer import carried_reference
from pages.shared import state
from pages.shared.documents import library_documents
from pages.shared.frame import frame, markup
from pages.shared.library import listing, outcome
from pages.shared.library.listing import ListedDocuments
from pages.shared.state import session
from pages.shared.state.address import DOCUMENT
from pages.shared.storage.session_library import library

_NAME, _TAGS, _ADD, _REMOVE, _SET = "_library_name", "_library_tags", "_library_add", "_library_remove", "_library_set"
_MOST_VERSIONS = 10
_PAGES = (("Inspect", "query_stats"), ("Review", "rate_review"))


@dataclass(frozen=True)
class PanelContext:
    """What the panel needs beside the selected documents.

    Attributes:
        library: the library.
        sets: of the person.
        tags: all that there are.
        listed: the list, with the versions before its documents.
    """

    library: Library
    sets: Sequence[DocumentSet]
    tags: tuple[str, ...]
    listed: ListedDocuments


def show(selected: Sequence[LibraryDocument], context: PanelContext) -> None:
    """Show the panel."""
    if not selected:
        frame.show_empty("No document is selected.", "Tick a row to open, rename, tag, share or delete it.")
        return
    editable = [entry for entry in selected if context.library.may_change(entry)]
    first, second, third = st.columns(3, gap="medium")
    with first:
        _head(selected, context)
        if len(editable) < len(selected):
            markup.show('<span class="cs-quiet">What is shared with you can be read, not changed.</span>')
    with second:
        if len(selected) == 1 and editable:
            _rename(editable[0])
            _edit_tags(editable[0], context.tags)
        elif editable:
            _edit_all_tags(editable, context.tags)
        _put_into_set(selected, context.sets)
    with third:
        if len(selected) == 1 and editable:
            _show_sharing(editable[0], context.library.identity)
        if editable:
            _delete(editable, context)


def _head(selected: Sequence[LibraryDocument], context: PanelContext) -> None:
    if len(selected) > 1:
        total = file_size(sum(entry.size for entry in selected))
        markup.show(f"<b>{plural(len(selected), 'document')}</b> <span class='cs-quiet'>{total}</span>")
        return
    _about(selected[0], context)
    _open(selected[0])
    _download(selected[0])


# ---- one document


def _about(entry: LibraryDocument, context: PanelContext) -> None:
    title = FORMATS[entry.format].title if entry.format in FORMATS else entry.format
    language = LANGUAGES.get(entry.language, entry.language)
    parts = [title, language, file_size(entry.size), plural(entry.characters, "character")]
    lines = [f'<b>{markup.escape(entry.name)}</b><div class="cs-quiet">{markup.escape(" · ".join(parts))}</div>']
    if entry.missing:
        lines.append(f"<div>Its file is missing in the watched folder since {listing.day(entry.missing)}.</div>")
    if entry.attachments:
        names = ", ".join(f"{attachment.name} ({attachment.kind})" for attachment in entry.attachments)
        lines.append(f"<div>{plural(len(entry.attachments), 'attachment')}: {markup.escape(names)}</div>")
    markup.show("".join(lines))
    earlier = context.listed.earlier.get(entry.id, ())
    if earlier:
        _versions(entry, earlier)


def _versions(entry: LibraryDocument, earlier: Sequence[LibraryDocument]) -> None:
    with st.expander(plural(len(earlier), "earlier version"), key=f"_library_versions_{entry.id}"):
        for version in earlier[:_MOST_VERSIONS]:
            st.button(
                f"{listing.day(version.added)}, {file_size(version.size)}", key=f"_library_version_{version.id}",
                icon=":material/history:", on_click=_go, args=("pages/inspect.py", version), width="stretch",
            )  # fmt: skip
        if len(earlier) > _MOST_VERSIONS:
            st.caption(f"{len(earlier) - _MOST_VERSIONS} more are listed with “Earlier versions” in the sidebar.")
        if _has_reference_to_carry(entry, earlier):
            st.button(
                "Carry the reference over", key=f"_library_carry_{entry.id}", on_click=_carry, args=(entry,),
                help="Finds the boundaries of the latest earlier version again by the words around them.",
            )  # fmt: skip


def _open(entry: LibraryDocument) -> None:
    for page, icon in _PAGES:
        st.button(
            f"Open in {page}", key=f"_library_open_{page}", icon=f":material/{icon}:", width="stretch",
            on_click=_go, args=(f"pages/{page.lower()}.py", entry),
        )  # fmt: skip


def _go(page: str, entry: LibraryDocument) -> None:
    state.go(page, {DOCUMENT: entry.link_name})


def _rename(entry: LibraryDocument) -> None:
    key = f"{_NAME}_{entry.id}"
    form = f"_library_rename_{entry.id}"
    outcome.line_form(form, key, "Name", "Save", _take_name, entry, key, value=entry.name, max_chars=500)


def _take_name(entry: LibraryDocument, key: str) -> None:
    with outcome.reported():
        changed = library().rename(entry, str(session.widget_value(key, "")))
        outcome.done(f"Renamed to “{changed.name}”.")


def _edit_tags(entry: LibraryDocument, tags: tuple[str, ...]) -> None:
    key = f"{_TAGS}_{entry.id}"
    options = list(dict.fromkeys((*tags, *entry.tags)))
    with st.form(f"_library_tag_{entry.id}", border=False):
        left, right = st.columns([3, 1], vertical_alignment="bottom")
        left.multiselect("Tags", options, list(entry.tags), key=key, accept_new_options=True, placeholder="none")
        right.form_submit_button("Save", on_click=_take_tags, args=(entry, key), width="stretch")


def _take_tags(entry: LibraryDocument, key: str) -> None:
    with outcome.reported():
        library().tag(entry, tuple(session.widget_value(key, ())))
        outcome.done("The tags were saved.")


def _download(entry: LibraryDocument) -> None:
    # As a file of no kind: as a page, words that spell a script would run.
    st.download_button(
        "Download the file", lambda: library().storage.files.get(entry.content), file_name(entry),
        "application/octet-stream", key=f"_library_download_{entry.id}", icon=":material/download:",
        on_click="ignore", width="stretch",
    )  # fmt: skip


def file_name(entry: LibraryDocument) -> str:
    """Return the name of a document as that of a file: without folders, with the ending that says how it is read."""
    name, suffix = PurePath(entry.name).name or "document", PurePath(entry.source).suffix
    return name if name.lower().endswith(suffix.lower()) else name + suffix


# ---- several documents


def _edit_all_tags(entries: Sequence[LibraryDocument], tags: tuple[str, ...]) -> None:
    used = sorted({tag for entry in entries for tag in entry.tags})
    with st.form("_library_tag_all", border=False):
        st.multiselect("Add tags", tags, key=_ADD, accept_new_options=True, placeholder="none")
        st.multiselect("Remove tags", used, key=_REMOVE, placeholder="none")
        st.form_submit_button("Save tags", on_click=_take_all_tags, args=(entries,), width="stretch")


def _take_all_tags(entries: Sequence[LibraryDocument]) -> None:
    add, remove = (set(session.widget_value(key, ())) for key in (_ADD, _REMOVE))

    def change(entry: LibraryDocument) -> None:
        tags = (set(entry.tags) | add) - remove
        if tags != set(entry.tags):
            library().tag(entry, tuple(tags))

    number = _each(entries, change)
    if number:
        outcome.done(f"The tags of {plural(number, 'document')} were saved.")


def _each(documents: Sequence[LibraryDocument], change: Callable[[LibraryDocument], None]) -> int:
    """Change each document, whatever becomes of the others; return how many could be changed."""
    outcome.dismiss()
    done = 0
    for entry in documents:
        try:
            change(entry)
            done += 1
        except ChunkscopeError as error:
            outcome.add_problem(ChunkscopeError(f"{entry.name}: {error.problem}", error.remedy))
    return done


def _put_into_set(selected: Sequence[LibraryDocument], sets: Sequence[DocumentSet]) -> None:
    names = [document_set.name for document_set in sets]
    left, right = st.columns([3, 1], vertical_alignment="bottom")
    left.selectbox(
        "Set of documents", names, None, key=_SET, accept_new_options=True, placeholder="choose one, or type a new name"
    )
    right.button("Add", key="_library_set_add", on_click=_add_to_set, args=(selected,), width="stretch")
    ids = {entry.id for entry in selected}
    for document_set in sets:
        within = ids & set(document_set.documents)
        if within:
            st.button(
                f"Remove from {markup.plain(document_set.name)}", key=f"_library_unset_{document_set.id}",
                type="tertiary", icon=":material/playlist_remove:",
                on_click=_remove_from_set, args=(document_set, frozenset(within)),
            )  # fmt: skip


def _add_to_set(selected: Sequence[LibraryDocument]) -> None:
    with outcome.reported():
        name = str(session.widget_value(_SET) or "").strip()
        ids = [entry.id for entry in selected]
        sets = DocumentSets(library())
        existing = next((document_set for document_set in sets.list() if document_set.name == name), None)
        if existing is None:
            sets.create(name, ids)
        else:
            sets.save(replace(existing, documents=tuple(dict.fromkeys((*existing.documents, *ids)))))
        outcome.done(f"{plural(len(ids), 'document')} added to “{name}”.")


def _remove_from_set(document_set: DocumentSet, ids: frozenset[str]) -> None:
    with outcome.reported():
        remaining = tuple(id for id in document_set.documents if id not in ids)
        DocumentSets(library()).save(replace(document_set, documents=remaining))
        outcome.done(f"{plural(len(ids), 'document')} removed from “{document_set.name}”.")


# ---- deletion


def _delete(entries: Sequence[LibraryDocument], context: PanelContext) -> None:
    with st.popover("Delete…", icon=":material/delete:", width="stretch", key="_library_delete"):
        st.text(what_goes(entries, context))
        st.button(
            f"Delete {plural(len(entries), 'document')}", key="_library_delete_now", type="primary",
            on_click=_take_delete, args=(entries,),
        )  # fmt: skip


def what_goes(entries: Sequence[LibraryDocument], context: PanelContext) -> str:
    """Return what deleting documents deletes, and what stays."""
    versions = [version for entry in entries for version in context.listed.earlier.get(entry.id, ())]
    attachments = sum(len(entry.attachments) for entry in (*entries, *versions))
    parts = [plural(len(entries), "document")]
    parts += [plural(len(versions), "earlier version")] if versions else []
    parts += [plural(attachments, "attachment")] if attachments else []
    ids = {entry.id for entry in entries}
    sets = [f"“{document_set.name}”" for document_set in context.sets if ids & set(document_set.documents)]
    words = f"Deletes {', '.join(parts)}, with files, vectors and sentences, for good."
    words += f" Leaves {', '.join(sets)}." if sets else ""
    return f"{words} Reviews of a text go with its last copy."


def _take_delete(entries: Sequence[LibraryDocument]) -> None:
    number = _each(entries, lambda entry: library().delete(entry.id))
    if number:
        outcome.done(f"{plural(number, 'document')} deleted.")


# ---- who may read a document


_VISIBILITY, _TEAM = "_library_visibility", "_library_team"
_VISIBILITIES = {"private": "Private", "team": "Team", "public": "Public"}
_SHARING_HELP = (
    "Private: you alone. Team: its members may read the document. Public: whoever has its link may read it; each time "
    "that a document becomes public it gets another link."
)


def _show_sharing(entry: LibraryDocument, identity: Identity) -> None:
    """Show who may read a document, with the control to change it, and the link of a public one."""
    teams = sorted(team for team in identity.teams if team)
    options = [visibility for visibility in VISIBILITIES if visibility != "team" or teams or entry.visibility == "team"]
    key, team = f"{_VISIBILITY}_{entry.id}_{entry.version}", f"{_TEAM}_{entry.id}_{entry.version}"
    if teams:
        st.selectbox("Team", teams, teams.index(entry.team) if entry.team in teams else 0, key=team)
    st.segmented_control(
        "Who may read it", options, default=entry.visibility, key=key, required=True, help=_SHARING_HELP,
        format_func=_VISIBILITIES.__getitem__, on_change=_take_visibility, args=(entry, key, team), width="stretch",
    )  # fmt: skip
    if entry.link:
        st.caption("The link, for people who can open this server:")
        st.code(link_address(entry.link), language=None, wrap_lines=True)


def _take_visibility(entry: LibraryDocument, key: str, team: str) -> None:
    with outcome.reported():
        wanted = next(
            (visibility for visibility in VISIBILITIES if visibility == session.widget_value(key)), entry.visibility
        )
        library().share(entry, wanted, str(session.widget_value(team) or ""))
        outcome.done(_SHARED[wanted])


_SHARED = {
    "private": "Only you can read it now.",
    "team": "The team can read it now.",
    "public": "Whoever has the link can read it now.",
}


def link_address(link: str) -> str:
    """Return the address that opens a public document on Inspect."""
    url = urlsplit(st.context.url or "")
    query = urlencode({DOCUMENT: f"{library_documents.PUBLIC}{link}"}, safe=":")
    return urlunsplit((url.scheme, url.netloc, url.path.rpartition("/")[0] + "/", query, ""))


# ---- the reference of an earlier version


CARRIED_OVER = "carried-over.json"
"""Name of the attachment that the boundaries become."""


def _has_reference_to_carry(entry: LibraryDocument, earlier: Sequence[LibraryDocument]) -> bool:
    """Return whether a document has no reference, but one of the versions before it has."""
    return not entry.attached("reference") and any(version.attached("reference") for version in earlier)


def _carry(entry: LibraryDocument) -> None:
    """Find the reference of the versions before again, and attach it to a document; in a callback."""
    with outcome.reported():
        message = carry_reference(library(), entry)
        outcome.done(message or "There is no reference to carry over.")


def carry_reference(user_library: Library, entry: LibraryDocument) -> str:
    """Attach the reference of the versions before to a document, and return what became of it; empty if there is none.

    Raises:
        ChunkscopeError: a file cannot be read or stored.
    """
    carried = carried_reference(user_library, entry)
    if carried is None:
        return ""
    offsets = sorted(carried.relocation.offsets.values())
    if offsets:
        Attachments(user_library).put(entry.id, "reference", CARRIED_OVER, json.dumps(offsets).encode())
    words = f"{entry.name}: {plural(len(offsets), 'boundary', 'boundaries')} of the reference carried over"
    edited = len(carried.relocation.edited)
    words += f", {edited} of them where the text around was edited" if edited else ""
    lost = len(carried.relocation.lost)
    return f"{words}; {lost} lost." if lost else f"{words}."
