"""The documents that a user added: files of any format, whole folders, pasted texts, kept for the session.

Files are read in the script and not in the callback of the upload, so that a long one shows its progress and can be
stopped. Only the document is kept, and the bytes of files whose pages are drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import streamlit as st

from chunking import ChunkscopeError, from_text, load, sentences
from chunking.document import Document
from chunking.loading import (
    FORMATS,
    MAX_FILE_BYTES,
    TEXT_FORMATS,
    LoadParameters,
    clean_name,
    dataset,
    format_of,
    is_archive,
)
from chunking.loading.archive import Archive, open_archive
from chunking.loading.dataset import Member
from pages.shared import state
from pages.shared.documents import quota, uploaders
from pages.shared.documents.uploaders import UploadedFile, release
from pages.shared.frame import frame, markup
from pages.shared.frame.time_left import TimeLeft
from pages.shared.state import address, session

CHOICE = address.DOCUMENT
"""Key of the selectbox, and its name in the address."""


LIMIT = 200
"""Documents that a session keeps; the oldest are dropped first, but never the open one."""

BYTES_LIMIT = 200 * 2**20
"""Maximum total size of their texts and files."""


@dataclass(frozen=True, eq=False)
class Own:
    """A document that the user added.

    Attributes:
        document: the document.
        data: the file, where its pages can be drawn; else ``None``.
    """

    document: Document
    data: bytes | None = None

    @property
    def size(self) -> int:
        """Approximate size in bytes."""
        source = sum(map(len, self.document.origin.texts)) if self.document.origin else 0
        return len(self.document.text) + source + len(self.data or b"")


_OWN: state.Slot[dict[str, Own]] = state.Slot("_own_documents", dict)
_WAITING: state.Slot[list[UploadedFile]] = state.Slot("_waiting_files", list)
_PROBLEMS: state.Slot[list[ChunkscopeError]] = state.Slot("_document_problems", list)
_DATASETS: state.Slot[frozenset[str]] = state.Slot("_dataset_folders", frozenset)
_ROUND = state.Slot("_upload_round", int)
_OPEN: state.Slot[str | None] = state.Slot("_open_next", session.empty)


def kept() -> dict[str, Own]:
    """Return the session's documents by name, the oldest first."""
    return _OWN.get()


def to_open() -> str | None:
    """Return the name of the document to open next, once."""
    return _OPEN.pop()


def tell(problem: ChunkscopeError) -> None:
    """Show a problem below the upload controls until the user dismisses it."""
    _PROBLEMS.get().append(problem)


def add() -> None:
    """Show the popover for files, folders and pasted text, and the problems of the last upload."""
    with st.popover("Add your own", icon=":material/note_add:", width="stretch", key="_add_own"):
        # A new key for each upload clears the widgets; what they held is released when it has been read.
        round_ = _ROUND.get()
        limit = f"{MAX_FILE_BYTES // 2**20} MiB each"
        _uploader(f"Files, up to {limit}", f"_upload_files_{round_}", True)
        _uploader("Or a whole folder", f"_upload_folder_{round_}", "directory")
        with st.form("paste", border=False, clear_on_submit=True):
            st.text_area("Or paste text", key="_pasted", height=140)
            titles = [FORMATS[name].title for name in TEXT_FORMATS]
            st.selectbox("Format", titles, titles.index("Markdown"), key="_pasted_format")
            st.form_submit_button("Open text", on_click=_take_paste)
    with frame.part():
        _show_problems(_PROBLEMS.get())


def _show_problems(problems: Sequence[ChunkscopeError]) -> None:
    for problem in problems[:5]:
        frame.show_error(problem)
    if len(problems) > 5:
        frame.show_error(ChunkscopeError(f"{len(problems) - 5} more files were not read.", "Try them one by one."))
    if problems:
        st.button("Dismiss", key="_dismiss_document", on_click=_PROBLEMS.clear, type="tertiary")


def _uploader(label: str, key: str, many: Literal[True, "directory"]) -> None:
    st.file_uploader(label, None, many, key=key, on_change=_take, args=(key,), help=_FORMATS)


_FORMATS = (
    "PDF, Word (DOCX), EPUB, HTML, Markdown, reStructuredText, LaTeX, plain text, JSON, YAML, CSV, notebooks, "
    "subtitles, transcripts, source code in thirteen languages, and ZIP archives of these; what Docling, Unstructured, "
    "MinerU or Marker have parsed; tables with a document in each row (Parquet, Arrow, a folder of a Hugging Face data "
    "set) and JSON Lines of LangChain documents. They stay on this machine unless you select a remote encoder."
)


def read_waiting() -> None:
    """Read the files that were uploaded, with progress and a way to stop, and open the first of them."""
    waiting = _WAITING.get()
    if not waiting:
        return
    place = st.empty()
    with place.container():
        bar = st.progress(0.0, "Reading…")
        st.button("Stop", key="_stop_reading", on_click=_stop, icon=":material/stop:")
    read = 0
    total = len(waiting)
    while waiting:
        upload = waiting[0]
        number = f"{read + 1} of {total}: " if total > 1 else ""
        _read(upload, _teller(bar, f"Reading {number}{markup.plain(clean_name(upload.name))}", read, total))
        # Only now: an interrupted file keeps waiting, and Stop itself empties the list.
        release(waiting.pop(0))
        read += 1
    place.empty()
    st.rerun()


def _teller(bar: st.delta_generator.DeltaGenerator, what: str, read: int, total: int) -> Callable[[int, int], None]:
    left = TimeLeft()

    def show(done: int, of: int) -> None:
        share = done / of if of else 0.0
        parts = f" ({done:,} of {of:,})" if of else ""
        bar.progress(min((read + share) / total, 1.0), what + parts + left.words(done, of))

    show(0, 0)
    return show


def _read(upload: UploadedFile, progress: Callable[[int, int], None]) -> None:
    try:
        if not dataset.is_auxiliary(upload.name, _DATASETS.get()):
            _read_any(upload.getvalue(), upload.name, progress)
    except ChunkscopeError as error:
        tell(error)


def _read_any(data: bytes, name: str, progress: Callable[[int, int], None]) -> None:
    """Read a file, or all documents in an archive or a table."""
    if is_archive(data, name):
        _read_archive(open_archive(data, name), progress)
    elif dataset.is_collection(data, name, dataset.in_dataset(name, _DATASETS.get())):
        _read_members(dataset.documents(data, name), name, progress)
    else:
        _read_file(data, name, progress)


def _read_archive(archive: Archive, progress: Callable[[int, int], None]) -> None:
    names = archive.documents()
    cards = [(name, archive.read(name)) for name in names if name.rpartition("/")[2] == dataset.CARD]
    folders = dataset.dataset_folders(cards)
    names = [name for name in names if not dataset.is_auxiliary(name, folders)]
    for name in names[:LIMIT]:
        try:
            inner = archive.read(name, MAX_FILE_BYTES)
            if dataset.is_collection(inner, name, dataset.in_dataset(name, folders)):
                _read_members(dataset.documents(inner, name), name, progress)
            else:
                _read_file(inner, name, progress)
        except ChunkscopeError as error:
            tell(error)
    _tell_left(len(names), archive.name, "files", "archives")


def _read_members(members: Sequence[Member], name: str, progress: Callable[[int, int], None]) -> None:
    for member in members[:LIMIT]:
        _read_file(member.data, member.name, progress)
    _tell_left(len(members), name, "documents", "tables")


def _tell_left(many: int, name: str, what: str, where: str) -> None:
    if many > LIMIT:
        left = f"{many - LIMIT:,} of {many:,} {what} of “{clean_name(name)}” were not read."
        tell(ChunkscopeError(left, f"Add {where} of at most {LIMIT} {what}."))


def _read_file(data: bytes, name: str, progress: Callable[[int, int], None]) -> None:
    if format_of(data, name).kind == "binary":
        sentences.prepare()  # the file is read in another process meanwhile
    try:
        document = load(data, name, params=LoadParameters(), progress=progress)
        if not document.text.strip():
            raise ChunkscopeError(f"“{document.name}” is empty: it has no text.", "Choose a file with text.")
        keep(Own(document, data if document.format == "pdf" else None))
    except ChunkscopeError as error:
        tell(error)


def _stop() -> None:
    left = _WAITING.pop()
    for upload in left:
        release(upload)
    files = "file was" if len(left) == 1 else "files were"
    tell(ChunkscopeError(f"Reading was stopped; {len(left)} {files} not read.", "Add them again to read them."))


def _take(key: str) -> None:
    uploads = uploaders.uploaded_files(key)
    if uploads:
        _ROUND.set(_ROUND.get() + 1)
        _PROBLEMS.clear()
        cards = ((each.name, each.getvalue()) for each in uploads if each.name.rpartition("/")[2] == dataset.CARD)
        _DATASETS.set(_DATASETS.get() | dataset.dataset_folders(cards))
        _WAITING.set([*_WAITING.get(), *quota.admitted(uploads, tell)])


def _take_paste() -> None:
    pasted, title = session.widget_value("_pasted"), session.widget_value("_pasted_format")
    format = next(known for known in FORMATS.values() if known.title == title)
    _PROBLEMS.clear()
    try:
        if not pasted.strip():
            raise ChunkscopeError("The pasted text is empty.", "Paste some text, then open it.")
        quota.check(1)
        keep(Own(from_text(pasted, name=f"pasted{format.suffixes[0]}", format=format.name)))
    except ChunkscopeError as error:
        tell(error)


def keep(brought: Own) -> str:
    """Keep a document and open it next; return its name."""
    own = kept()
    document = brought.document
    name = f"{document.name[-60:]} ({document.key[:6]})"
    own.pop(name, None)
    own[name] = brought
    if _OPEN.get() is None:
        _OPEN.set(name)
    while len(own) > 1 and (len(own) > LIMIT or sum(each.size for each in own.values()) > BYTES_LIMIT):
        oldest = next((each for each in own if each not in (name, state.current().text(CHOICE))), None)
        if oldest is None:
            break
        del own[oldest]
        tell(ChunkscopeError(f"{oldest} was removed to make room.", "Add fewer or smaller files at a time."))
    return name
