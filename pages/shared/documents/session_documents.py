"""The documents of a user: files of any format, whole folders, pasted texts; kept in the library, open in the session.

Files are read in the script and not in the callback of the upload, so that a long one shows its progress and can be
stopped. The session has the document alone, and the bytes of files whose pages are drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from chunking import ChunkscopeError
from chunking.document import Document
from chunking.loading import (
    FORMATS,
    MAX_FILE_BYTES,
    TEXT_FORMATS,
    clean_name,
    dataset,
    is_archive,
)
from chunking.loading.archive import Archive, open_archive
from chunking.loading.dataset import Member
from chunking.runtime.wording import plural
from chunking.sentences import Sentences
from chunking.store import LibraryDocument, NewDocument
from chunking.work import inputs
from chunking.workspace import Precomputed
from pages.shared import state
from pages.shared.documents import library_documents, parsing
from pages.shared.documents import uploads as documents_uploads
from pages.shared.documents.uploads import release
from pages.shared.frame import frame, markup
from pages.shared.frame.runs import TimeLeft
from pages.shared.state import session
from pages.shared.state.address import DOCUMENT
from pages.shared.storage import forgetting, quota, session_library
from pages.shared.storage.workspace_cache import workspace_cache

CHOICE = DOCUMENT
"""Key of the selectbox, and its name in the address."""


LIMIT = 200
"""Documents that a session has open; the oldest are dropped first, but never the one that is shown."""

BYTES_LIMIT = 200 * 2**20
"""Maximum total size of their texts and files."""


@dataclass(frozen=True, eq=False)
class OpenDocument:
    """A document that a page shows: a sample, one of the user's, or one of a set of the library.

    Attributes:
        name: in the list and in links.
        document: as it is shown, in the language and with the content that were chosen.
        title: for display.
        path: for exported code, from the folder of ``app.py``.
        teaches: what it shows about chunking; empty for documents of the user.
        boundaries: offsets of reference boundaries that came with it; empty where there are none.
        sentences: that came with it.
        data: the file itself, where its pages can be drawn.
        source: the document as it was read, where the session has it open; ``None`` for a sample and a member of a set.
        entry: what the library knows of it; ``None`` where it is not there.
        is_transient: whether the user chose not to keep it, so that nothing of it is written to disk.
    """

    name: str
    document: Document
    title: str
    path: str
    teaches: str = ""
    boundaries: tuple[int, ...] = ()
    sentences: Sentences | None = None
    data: bytes | None = None
    source: Document | None = None
    entry: LibraryDocument | None = None
    is_transient: bool = False

    @property
    def precomputed(self) -> Precomputed | None:
        """What its measurements can begin with, by the sentence splitter of its language."""
        return (self.sentences,) if self.sentences else None

    @property
    def now(self) -> OpenDocument | None:
        """The document as the session has it now, for a callback; ``None`` where it is not open there."""
        return kept().get(self.name)

    @property
    def size(self) -> int:
        """Approximate size in bytes."""
        origin = sum(map(len, self.document.origin.texts)) if self.document.origin else 0
        return len(self.document.text) + origin + len(self.data or b"")


def of_user(
    document: Document, entry: LibraryDocument | None = None, *, link: str = "", is_transient: bool = False,
    data: bytes | None = None,
) -> OpenDocument:  # fmt: skip
    """Return a document of the user's.

    Args:
        document: as it was read.
        entry: what the library knows of it; ``None`` where it is not there.
        link: the public link that opened it; empty for none.
        is_transient: whether nothing of it is written to disk.
        data: the file, where its pages can be drawn.
    """
    name = library_documents.name_of(entry, link) if entry else f"{document.name[-60:]} ({document.key[:6]})"
    return OpenDocument(
        name, document, document.name, document.name,
        data=data, source=document, entry=entry, is_transient=is_transient,
    )  # fmt: skip


@dataclass(frozen=True)
class _Waiting:
    """An uploaded file that is to be read."""

    upload: UploadedFile
    transient: bool = False


@dataclass
class _NotStored:
    """Documents that could not be stored, and why."""

    names: list[str] = field(default_factory=list)
    error: ChunkscopeError | None = None

    def note(self, name: str, error: ChunkscopeError | None) -> None:
        """Note whether a document could be stored."""
        self.names = [other for other in self.names if other != name] + ([name] if error else [])
        self.error = error or (self.error if self.names else None)


_OWN: state.SessionValue[dict[str, OpenDocument]] = state.SessionValue("_own_documents", dict)
_WAITING: state.SessionValue[list[_Waiting]] = state.SessionValue("_waiting_files", list)
_PROBLEMS: state.SessionValue[list[ChunkscopeError]] = state.SessionValue("_document_problems", list)
_NOT_STORED: state.SessionValue[_NotStored] = state.SessionValue("_documents_not_stored", _NotStored)
_DATASETS: state.SessionValue[frozenset[str]] = state.SessionValue("_dataset_folders", frozenset)
_ROUND = state.SessionValue("_upload_round", int)
_OPEN: state.SessionValue[str | None] = state.SessionValue("_open_next", session.empty)
_DO_NOT_KEEP, _PASTED = "_do_not_keep", "_pasted"


def kept() -> dict[str, OpenDocument]:
    """Return the documents that the session has open by name, the oldest first."""
    return _OWN.get()


def names() -> list[str]:
    """Return the names of the documents that the session has open, then of the latest others in the library."""
    return list(dict.fromkeys((*kept(), *library_documents.latest())))


def titles() -> dict[str, str]:
    """Return the words that the list shows for documents whose names do not say all, by their names."""
    unkept = {name: f"{name} · not kept" for name, document in kept().items() if document.is_transient}
    unkept |= {name: f"{name} · not kept" for name in _NOT_STORED.get().names}
    return unkept | {
        name: f"{document.document.name[-60:]} · public"
        for name, document in kept().items()
        if name.startswith(library_documents.PUBLIC)
    }


def get(name: str, progress: Callable[[int, int], None] | None = None) -> OpenDocument | None:
    """Return a document of the user's; one of the library is read now, and then open in the session.

    Raises:
        ChunkscopeError: it cannot be read.
    """
    entry = None if name in kept() else library_documents.latest().get(name)
    if entry is not None:
        document, data = library_documents.open_(entry, progress)
        put(of_user(document, entry, data=data))
    return kept().get(name)


def look() -> None:
    """Bring the session in step with the library, now and then: what was deleted there closes, with a message."""
    opened = {name: document.entry for name, document in kept().items() if document.entry is not None}
    for name, entry in library_documents.look(opened).items():
        if entry is not None:
            _update(name, entry)
            continue
        removed = kept().pop(name)
        tell(ChunkscopeError(f"“{removed.document.name}” is not in the library any more.", "It was closed here."))
        if state.address().text(CHOICE) == name:
            state.address().put(CHOICE, None)


def offer_latest() -> None:
    """Offer to open the latest documents of the library, where not all are open, and open them with progress."""
    look()
    unopened = [name for name in library_documents.latest() if name not in kept()]
    with frame.stable_slot():
        if not unopened or not st.button(
            f"Open {plural(len(unopened), 'more document')} of your library", key="_open_latest", width="stretch",
            icon=":material/library_books:",
        ):  # fmt: skip
            return
        bar = st.progress(0.0, "Reading…")
    for number, name in enumerate(unopened):
        show = _teller(bar, f"Reading {number + 1} of {len(unopened)}: {markup.plain(name)}", number, len(unopened))
        try:
            get(name, show)
        except ChunkscopeError as error:
            tell(error)
    st.rerun()


def _update(name: str, entry: LibraryDocument) -> None:
    """Note how a document is now, under a new name where it was renamed."""
    before = kept()[name]
    document = before.document if before.title == entry.name else replace(before.document, name=entry.name)
    link = name.removeprefix(library_documents.PUBLIC) if name.startswith(library_documents.PUBLIC) else ""
    now = of_user(document, entry, link=link, data=before.data)
    open_documents = [now if opened is before else opened for opened in kept().values()]
    _OWN.set({opened.name: opened for opened in open_documents})
    if now.name != name and state.address().text(CHOICE) == name:
        state.address().put(CHOICE, now.name)


def update(opened: OpenDocument, entry: LibraryDocument) -> None:
    """Note what the library knows of an open document after a change."""
    now = opened.now
    if now is not None:
        kept()[now.name] = replace(now, entry=entry)


def find(name: str) -> bool:
    """Open the document of a name in a link that is not in the list, and return whether there is one.

    Raises:
        ChunkscopeError: the library cannot be used, or the document not be read.
    """
    entry = library_documents.find(name)
    if entry is None:
        return False
    document, data = library_documents.open_(entry)
    link = name.removeprefix(library_documents.PUBLIC) if name.startswith(library_documents.PUBLIC) else ""
    now = put(of_user(document, entry, link=link, data=data))
    if now != name:  # renamed since, or by the beginning of its key
        state.address().put(CHOICE, now)
    return True


def forget_left() -> None:
    """Remove what this server has in memory of documents that were in sessions alone, once these have ended."""
    opened = {document.document.text_hash for by_name in _OWN.everywhere() for document in list(by_name.values())}
    for text_hash in workspace_cache().in_sessions_alone() - opened:
        forgetting.forget(text_hash)


def to_open() -> str | None:
    """Return the name of the document to open next, once."""
    return _OPEN.pop()


def tell(problem: ChunkscopeError) -> None:
    """Show a problem below the upload controls until the user dismisses it."""
    _PROBLEMS.get().append(problem)


def add() -> None:
    """Show the popover for files, folders and pasted text, and the problems of the last upload."""
    # A new key for each upload closes the popover and clears its widgets; what they held is released when it has been
    # read.
    round_ = _ROUND.get()
    with st.popover("Add your own", icon=":material/note_add:", width="stretch", key=f"_add_own_{round_}"):
        _choose_keeping()
        limit = f"{MAX_FILE_BYTES // 2**20} MiB each"
        _uploader(f"Files, up to {limit}", f"_upload_files_{round_}", True)
        _uploader("Or a whole folder", f"_upload_folder_{round_}", "directory")
        session_library.begin_draft(_PASTED, _PASTED)
        st.text_area("Or paste text", key=_PASTED, height=140, on_change=_keep_draft)
        titles = [FORMATS[name].title for name in TEXT_FORMATS]
        st.selectbox("Format", titles, titles.index("Markdown"), key="_pasted_format")
        st.button("Open text", key="_open_pasted", on_click=_take_paste)
    with frame.stable_slot():
        _show_problems([*_not_stored(), *_PROBLEMS.get()])


def _choose_keeping() -> None:
    if not session_library.is_usable():
        st.caption("Documents end with this session: this server does not know who is who.")
        return
    st.toggle(
        "Do not keep", key=_DO_NOT_KEEP, persist_state="session", on_change=_keep_draft,
        help="For what you add from now on. Otherwise it is stored in your library, until you delete it there.",
    )  # fmt: skip
    st.caption("A document that is not kept ends with this session, and nothing computed of it is written to disk.")


def _keep_draft() -> None:
    """Keep the text that is about to be pasted, unless it is not to be kept."""
    if session.widget_value(_DO_NOT_KEEP, False):
        session_library.drop_draft(_PASTED)
    else:
        session_library.keep_draft(_PASTED, _PASTED)


def _not_stored() -> list[ChunkscopeError]:
    """Return why documents could not be stored, as one problem."""
    failures = _NOT_STORED.get()
    if failures.error is None:
        return []
    which = f"“{failures.names[0]}” is" if len(failures.names) == 1 else f"{len(failures.names)} documents are"
    return [
        ChunkscopeError(
            f"{which} open in this session alone, and could not be stored in the library. {failures.error.problem}",
            f"{failures.error.remedy} Then add it again.",
        )
    ]


def _dismiss() -> None:
    _PROBLEMS.clear()
    failures = _NOT_STORED.get()
    _NOT_STORED.set(_NotStored(failures.names))  # the list still marks them


def _show_problems(problems: Sequence[ChunkscopeError]) -> None:
    for problem in problems[:5]:
        frame.show_error(problem)
    if len(problems) > 5:
        frame.show_error(ChunkscopeError(f"{len(problems) - 5} more files were not read.", "Try them one by one."))
    if problems:
        st.button("Dismiss", key="_dismiss_document", on_click=_dismiss, type="tertiary")


def _uploader(label: str, key: str, several_files: Literal[True, "directory"]) -> None:
    st.file_uploader(label, None, several_files, key=key, on_change=_take, args=(key,), help=_FORMATS)


_FORMATS = (
    "PDF, Word, PowerPoint, Excel, OpenDocument, RTF, e-mails, XML, EPUB, HTML, Markdown, reStructuredText, LaTeX, "
    "plain text, JSON, YAML, CSV, notebooks, subtitles, transcripts, source code in thirteen languages, and ZIP "
    "archives of these; what Docling, Unstructured, MinerU or Marker have parsed; tables with a document in each "
    "row (Parquet, Arrow, a folder of a Hugging Face data set) and JSON Lines of LangChain documents. They stay on "
    "this machine unless you select a remote encoder."
)


def read_waiting() -> None:
    """Read the files that were uploaded, with progress and a way to stop, and open the first of them."""
    waiting = _WAITING.get()
    slot = st.empty()  # always, so that the run which follows takes away at once what was drawn in it
    if not waiting:
        return
    with slot.container():
        bar = st.progress(0.0, "Reading…")
        st.button("Stop", key="_stop_reading", on_click=_stop, icon=":material/stop:")
    read = 0
    total = len(waiting)
    while waiting:
        name = markup.plain(clean_name(waiting[0].upload.name))
        number = f"{read + 1} of {total}: " if total > 1 else ""
        _read(waiting[0], _teller(bar, f"Reading {number}{name}", read, total))
        # Only now: an interrupted file keeps waiting, and Stop itself empties the list.
        release(waiting.pop(0).upload)
        read += 1
    slot.empty()
    st.rerun()


def _teller(bar: st.delta_generator.DeltaGenerator, what: str, read: int, total: int) -> Callable[[int, int], None]:
    time_left = TimeLeft()

    def show(done: int, of: int) -> None:
        share = done / of if of else 0.0
        parts = f" ({done:,} of {of:,})" if of else ""
        bar.progress(min((read + share) / total, 1.0), what + parts + time_left.words(done, of))

    show(0, 0)
    return show


@dataclass(frozen=True)
class _Reading:
    """How a file is read: with progress, and whether its documents are not to be kept."""

    progress: Callable[[int, int], None]
    transient: bool


def _read(waiting: _Waiting, progress: Callable[[int, int], None]) -> None:
    upload, how = waiting.upload, _Reading(progress, waiting.transient)
    try:
        if not dataset.is_auxiliary(upload.name, _DATASETS.get()):
            _read_any(upload.getvalue(), upload.name, how)
    except ChunkscopeError as error:
        _tell_of(upload.name, error)


def _read_any(data: bytes, name: str, how: _Reading) -> None:
    """Read a file, or all documents in an archive or a table."""
    if is_archive(data, name):
        _read_archive(open_archive(data, name), how)
    else:
        _read_documents(data, name, _DATASETS.get(), how)


def _read_documents(data: bytes, name: str, folders: frozenset[str], how: _Reading) -> None:
    """Read a file, or all documents in a table."""
    members = inputs.read_collection(data, name, dataset.in_dataset(name, folders))
    if members is None:
        _read_file(data, name, how)
    else:
        _read_members(members, name, how)


def _read_archive(archive: Archive, how: _Reading) -> None:
    names = archive.documents()
    cards = [(name, archive.read(name)) for name in names if name.rpartition("/")[2] == dataset.CARD]
    folders = inputs.find_dataset_folders(cards)
    names = [name for name in names if not dataset.is_auxiliary(name, folders)]
    for name in names[:LIMIT]:
        try:
            _read_documents(archive.read(name, MAX_FILE_BYTES), name, folders, how)
        except ChunkscopeError as error:
            _tell_of(name, error)
    _tell_left(len(names), archive.name, "files", "archives")


def _read_members(members: Sequence[Member], name: str, how: _Reading) -> None:
    for member in members[:LIMIT]:
        _read_file(member.data, member.name, how)
    _tell_left(len(members), name, "documents", "tables")


def _tell_left(count: int, name: str, what: str, where: str) -> None:
    if count > LIMIT:
        problem = f"{count - LIMIT:,} of {count:,} {what} of “{clean_name(name)}” were not read."
        tell(ChunkscopeError(problem, f"Add {where} of at most {LIMIT} {what}."))


def _read_file(data: bytes, name: str, how: _Reading) -> None:
    try:
        document = parsing.load(data, name, how.progress)
        if not document.text.strip():
            raise ChunkscopeError(f"“{document.name}” is empty: it has no text.", "Choose a file with text.")
        keep(NewDocument(data, document), transient=how.transient)
    except ChunkscopeError as error:
        _tell_of(name, error)


def _tell_of(name: str, error: ChunkscopeError) -> None:
    """Show why a file was not read, with its name: one of many is not known otherwise."""
    shown_name = clean_name(name)
    named_error = (
        error if shown_name in error.problem else ChunkscopeError(f"“{shown_name}”: {error.problem}", error.remedy)
    )
    tell(named_error)


def _stop() -> None:
    waiting = _WAITING.pop()
    parsing.stop()
    for entry in waiting:
        release(entry.upload)
    files = "file was" if len(waiting) == 1 else "files were"
    tell(ChunkscopeError(f"Reading was stopped; {len(waiting)} {files} not read.", "Add them again to read them."))


def _take(key: str) -> None:
    uploads = documents_uploads.uploaded_files(key)
    if uploads:
        _ROUND.set(_ROUND.get() + 1)
        _dismiss()
        cards = [
            (upload.name, upload.getvalue()) for upload in uploads if upload.name.rpartition("/")[2] == dataset.CARD
        ]
        _DATASETS.set(_DATASETS.get() | inputs.find_dataset_folders(cards))
        transient = bool(session.widget_value(_DO_NOT_KEEP, False))
        admitted = documents_uploads.admit(uploads, tell)
        _WAITING.set([*_WAITING.get(), *(_Waiting(upload, transient) for upload in admitted)])


def _take_paste() -> None:
    pasted, title = session.widget_value(_PASTED), session.widget_value("_pasted_format")
    format = next(candidate for candidate in FORMATS.values() if candidate.title == title)
    _dismiss()
    try:
        if not pasted.strip():
            raise ChunkscopeError("The pasted text is empty.", "Paste some text, then open it.")
        quota.count_uploads(1)
        quota.count_bytes(len(pasted.encode("utf-8", "replace")))
        _ROUND.set(_ROUND.get() + 1)
        session.set_widget(_PASTED, "")
        session_library.drop_draft(_PASTED)
        document = parsing.from_text(pasted, f"pasted{format.suffixes[0]}", format.name)
        keep(NewDocument.from_pasted(document), transient=bool(session.widget_value(_DO_NOT_KEEP, False)))
    except ChunkscopeError as error:
        tell(error)


def keep(new: NewDocument, *, transient: bool = False) -> str:
    """Store a document in the library, unless it is not to be kept there, and open it next; return its name."""
    entry, error = None, None
    try:
        entry = None if transient else library_documents.add(new)
    except ChunkscopeError as caught:
        error = caught
    data = new.data if new.document.format == "pdf" else None
    name = put(of_user(new.document, entry, data=data, is_transient=transient))
    _NOT_STORED.get().note(name, error)
    if _OPEN.get() is None:
        _OPEN.set(name)
    return name


def put(opened: OpenDocument) -> str:
    """Have a document open in the session, and return its name."""
    open_documents, name = kept(), opened.name
    open_documents.pop(name, None)
    open_documents[name] = opened
    while len(open_documents) > 1 and (
        len(open_documents) > LIMIT or sum(document.size for document in open_documents.values()) > BYTES_LIMIT
    ):
        oldest = next((other for other in open_documents if other not in (name, state.address().text(CHOICE))), None)
        if oldest is None:
            break
        dropped = open_documents.pop(oldest)
        if dropped.entry is None:
            tell(ChunkscopeError(f"{oldest} was removed to make room.", "Add fewer or smaller files at a time."))
    return name
