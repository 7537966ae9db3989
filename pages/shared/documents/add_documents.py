"""Controls that add documents: files of any format, whole folders, pasted texts, the latest of the library.

Files are read in the script and not in the callback of the upload, so that a long one shows its progress and can be
stopped.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from chunking import ChunkscopeError
from chunking.loading import FORMATS, MAX_FILE_BYTES, TEXT_FORMATS, clean_name, dataset, is_archive
from chunking.loading.archive import Archive, open_archive
from chunking.loading.dataset import Member
from chunking.runtime.wording import plural
from chunking.store import NewDocument
from chunking.work import inputs
from pages.shared import state
from pages.shared.documents import library_documents, parsing, session_documents
from pages.shared.documents import uploads as documents_uploads
from pages.shared.documents.uploads import release
from pages.shared.frame import frame, markup
from pages.shared.frame.runs import TimeLeft
from pages.shared.state import session
from pages.shared.storage import quota, session_library


@dataclass(frozen=True)
class _Waiting:
    """An uploaded file that is to be read."""

    upload: UploadedFile
    transient: bool = False


_WAITING: state.SessionValue[list[_Waiting]] = state.SessionValue("_waiting_files", list)
_DATASETS: state.SessionValue[frozenset[str]] = state.SessionValue("_dataset_folders", frozenset)
_ROUND = state.SessionValue("_upload_round", int)
_DO_NOT_KEEP, _PASTED = "_do_not_keep", "_pasted"


def offer_latest() -> None:
    """Offer to open the latest documents of the library, where not all are open, and open them with progress."""
    session_documents.look()
    unopened = [name for name in library_documents.latest() if name not in session_documents.kept()]
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
            session_documents.get(name, show)
        except ChunkscopeError as error:
            session_documents.tell(error)
    st.rerun()


def show_popover() -> None:
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
        st.button("Open text", key="_open_pasted", on_click=_on_paste)
    with frame.stable_slot():
        _show_problems(session_documents.problems())


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


def _show_problems(problems: Sequence[ChunkscopeError]) -> None:
    for problem in problems[:5]:
        frame.show_error(problem)
    if len(problems) > 5:
        frame.show_error(ChunkscopeError(f"{len(problems) - 5} more files were not read.", "Try them one by one."))
    if problems:
        st.button("Dismiss", key="_dismiss_document", on_click=session_documents.dismiss_problems, type="tertiary")


def _uploader(label: str, key: str, several_files: Literal[True, "directory"]) -> None:
    st.file_uploader(label, None, several_files, key=key, on_change=_on_upload, args=(key,), help=_FORMATS)


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
    for name in names[: session_documents.LIMIT]:
        try:
            _read_documents(archive.read(name, MAX_FILE_BYTES), name, folders, how)
        except ChunkscopeError as error:
            _tell_of(name, error)
    _tell_left(len(names), archive.name, "files", "archives")


def _read_members(members: Sequence[Member], name: str, how: _Reading) -> None:
    for member in members[: session_documents.LIMIT]:
        _read_file(member.data, member.name, how)
    _tell_left(len(members), name, "documents", "tables")


def _tell_left(count: int, name: str, what: str, where: str) -> None:
    limit = session_documents.LIMIT
    if count > limit:
        problem = f"{count - limit:,} of {count:,} {what} of “{clean_name(name)}” were not read."
        session_documents.tell(ChunkscopeError(problem, f"Add {where} of at most {limit} {what}."))


def _read_file(data: bytes, name: str, how: _Reading) -> None:
    try:
        document = parsing.load(data, name, how.progress)
        if not document.text.strip():
            raise ChunkscopeError(f"“{document.name}” is empty: it has no text.", "Choose a file with text.")
        session_documents.keep(NewDocument(data, document), transient=how.transient)
    except ChunkscopeError as error:
        _tell_of(name, error)


def _tell_of(name: str, error: ChunkscopeError) -> None:
    """Show why a file was not read, with its name: one of many is not known otherwise."""
    shown_name = clean_name(name)
    named_error = (
        error if shown_name in error.problem else ChunkscopeError(f"“{shown_name}”: {error.problem}", error.remedy)
    )
    session_documents.tell(named_error)


def _stop() -> None:
    waiting = _WAITING.pop()
    parsing.stop()
    for entry in waiting:
        release(entry.upload)
    files = "file was" if len(waiting) == 1 else "files were"
    session_documents.tell(
        ChunkscopeError(f"Reading was stopped; {len(waiting)} {files} not read.", "Add them again to read them.")
    )


def _on_upload(key: str) -> None:
    uploads = documents_uploads.uploaded_files(key)
    if uploads:
        _ROUND.set(_ROUND.get() + 1)
        session_documents.dismiss_problems()
        cards = [
            (upload.name, upload.getvalue()) for upload in uploads if upload.name.rpartition("/")[2] == dataset.CARD
        ]
        _DATASETS.set(_DATASETS.get() | inputs.find_dataset_folders(cards))
        transient = bool(session.widget_value(_DO_NOT_KEEP, False))
        admitted = documents_uploads.admit(uploads, session_documents.tell)
        _WAITING.set([*_WAITING.get(), *(_Waiting(upload, transient) for upload in admitted)])


def _on_paste() -> None:
    pasted, title = session.widget_value(_PASTED), session.widget_value("_pasted_format")
    format = next(candidate for candidate in FORMATS.values() if candidate.title == title)
    session_documents.dismiss_problems()
    try:
        if not pasted.strip():
            raise ChunkscopeError("The pasted text is empty.", "Paste some text, then open it.")
        quota.count_uploads(1)
        quota.count_bytes(len(pasted.encode("utf-8", "replace")))
        _ROUND.set(_ROUND.get() + 1)
        session.set_widget(_PASTED, "")
        session_library.drop_draft(_PASTED)
        document = parsing.from_text(pasted, f"pasted{format.suffixes[0]}", format.name)
        session_documents.keep(
            NewDocument.from_pasted(document), transient=bool(session.widget_value(_DO_NOT_KEEP, False))
        )
    except ChunkscopeError as error:
        session_documents.tell(error)
