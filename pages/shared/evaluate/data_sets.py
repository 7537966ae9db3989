"""The data set to evaluate on: the samples, the session's documents with reference boundaries, or an uploaded file."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import streamlit as st

from chunking import ChunkscopeError, samples
from chunking.evaluation import DataSet, own, tasks
from chunking.isolation.workers import Task
from chunking.loading import clean_name
from chunking.runtime.progress import Tell
from chunking.workspace import Backend, Models
from pages.shared.documents import add_documents, documents, session_documents
from pages.shared.documents.session_documents import OpenDocument
from pages.shared.documents.uploads import Files
from pages.shared.evaluate.report_parts import UploadedSets, show_missing
from pages.shared.frame import markup
from pages.shared.library import document_sets
from pages.shared.reference import own_chunks
from pages.shared.server import workers
from pages.shared.settings import controls

CHOICE = document_sets.CHOICE
"""Key of the selectbox, and its name in the address."""

YOURS = "Your documents with gold"
LAYOUTS = ("kept", "left out")

_UPLOADED: UploadedSets[DataSet] = UploadedSets("_evaluate", CHOICE)


@dataclass(frozen=True)
class DataSetChoice:
    """The selected data set.

    Attributes:
        name: as listed.
        layout: whether documents keep their layout; an uploaded set has none.
        set_id: of the set of the library, where it is one.
    """

    name: str
    layout: bool
    set_id: str = ""

    @property
    def is_uploaded(self) -> bool:
        """Whether it is an uploaded file."""
        return not self.set_id and self.name not in (own.SAMPLES, YOURS)


def choose() -> DataSetChoice:
    """Show the controls; return the selected data set."""
    sets = document_sets.offered()
    options = [own.SAMPLES, YOURS, *sets.titles, *_UPLOADED.get()]
    missing = _UPLOADED.missing(options)
    name = controls.select("Data set", options, name=CHOICE, help=_HELP, titles=sets.title)
    if name == YOURS:
        add_documents.show_popover()
        add_documents.offer_latest()
    _UPLOADED.draw("Add a data set", _ABOUT, _FORM, _receive)
    show_missing("data set", missing, _MISSING)
    set_id = name if name in sets.titles else ""
    left_out = partly_judged(set_id) if name == YOURS or set_id else []
    if left_out:
        st.caption(f"Left out, since only some of their places are judged: {markup.plain(', '.join(left_out))}.")
    layout = LAYOUTS[0]
    if set_id or name in (own.SAMPLES, YOURS):
        layout = controls.segments("Layout", LAYOUTS, name="layout", help=_LAYOUT)
    return DataSetChoice(sets.title(name), layout == LAYOUTS[0], set_id)


_HELP = (
    "Documents with reference boundaries: the samples, your own documents (set their boundaries in Review or add them "
    "in Compare), a set of the library, or an uploaded file."
)
_LAYOUT = (
    "Kept: strategies see headings, lists and pages, as in Inspect and Compare. Left out: they see only sentences, "
    "as on the command line."
)


_MISSING = (
    "Uploaded sets exist only in the session that uploaded them: upload the file again to see this view. "
    "A set of the library was deleted, or belongs to somebody else."
)
_ABOUT = 'JSON Lines, one document per line: {"id": …, "units": [text, …], "boundaries": [index, …]}.'
_FORM = (
    "Units are sentences or blocks; a boundary is the index of the first unit of each segment except the first. "
    "Optional: lang (a language code) and group."
)


def _receive(files: Files) -> None:
    for file, data in files:
        name = clean_name(file)[-60:]
        data_set: DataSet = workers.call()(Task(tasks.read_file, (data, name)), lambda *_: None)
        name = name if name not in (own.SAMPLES, YOURS) else f"{name} (file)"
        _UPLOADED.keep(name, data_set)


# --- the set itself ------------------------------------------------------------------------------------------------


def with_reference(choice: DataSetChoice) -> list[tuple[OpenDocument, tuple[int, ...]]]:
    """Return the documents of a set that is not a file, with the offsets of their reference boundaries."""
    if choice.name == own.SAMPLES and not choice.set_id:
        opened = list(map(documents.get, samples.names()))
    else:
        opened = _own(choice.set_id)
    return [
        (document, boundaries)
        for document in opened
        if (boundaries := own_chunks.reference_of(document).complete_boundaries)
    ]


def _own(set_id: str) -> list[OpenDocument]:
    """Return the documents of a set of the library; the user's own ones for an empty id."""
    return list(document_sets.open_set(set_id).opened if set_id else map(documents.get, session_documents.kept()))


def documents_of(choice: DataSetChoice) -> list[OpenDocument]:
    """Return the documents of a set; none of an uploaded file, which has but their sentences."""
    return [] if choice.is_uploaded else [opened for opened, _ in with_reference(choice)]


def partly_judged(set_id: str = "") -> list[str]:
    """Return the documents that are not evaluated, since only some of their places are judged."""
    return [opened.title for opened in _own(set_id) if own_chunks.reference_of(opened).partial]


def identity(choice: DataSetChoice, tools: Models) -> str:
    """Return the identity of the set without building it."""
    if choice.is_uploaded:
        return _UPLOADED.get()[choice.name].key
    parts = [
        (opened.name, documents.workspace(opened, tools).key, boundaries)
        for opened, boundaries in with_reference(choice)
    ]
    return hashlib.sha256(repr((choice, parts)).encode("utf-8", "backslashreplace")).hexdigest()


Gathered = tuple[DataSet, dict[str, ChunkscopeError]]


def prepare(choice: DataSetChoice, tools: Models, backend: Backend) -> Callable[[Tell], Gathered]:
    """Return what builds the set, without the session: the set, and the errors of documents that are not in it.

    Args:
        choice: the set.
        tools: the models.
        backend: splits the documents.

    Raises:
        ChunkscopeError: the set has no documents.
    """
    if choice.is_uploaded:
        data = _UPLOADED.get()[choice.name]
        return lambda tell: (data, {})
    parts = [(opened, documents.workspace(opened, tools), boundaries) for opened, boundaries in with_reference(choice)]
    unread = dict(document_sets.open_set(choice.set_id).problems) if choice.set_id else {}
    if not parts:
        raise _none_given(choice, unread)

    def gather(tell: Tell) -> Gathered:
        marked_documents, problems = [], dict(unread)
        for number, (opened, workspace, boundaries) in enumerate(parts):
            tell(f"splitting into sentences: {opened.title}", number, len(parts))
            try:
                sentences = workspace.split(backend=backend)
                marked_documents.append(own.MarkedDocument(opened.name, sentences, boundaries))
            except ChunkscopeError as error:
                problems[opened.name] = error
        data = own.data_set(choice.name, marked_documents)
        return (data if choice.layout else own.without_layout(data)), problems

    return gather


def _none_given(choice: DataSetChoice, unread: Mapping[str, ChunkscopeError]) -> ChunkscopeError:
    if unread:
        return next(iter(unread.values()))
    if choice.set_id:
        return ChunkscopeError("None of the documents of this set has a complete reference.", NO_REFERENCES)
    none = "None of your documents has a complete reference."
    return ChunkscopeError(*((none, NO_REFERENCES) if session_documents.kept() else NO_DOCUMENTS))


NO_DOCUMENTS = (
    "You have not added a document yet.",
    "Add one under “Add your own” in the sidebar, or open those of your library; then set their boundaries in Review.",
)
NO_REFERENCES = (
    "Review a whole document and mark it as complete, or add reference boundaries in Compare, under “Your own chunks "
    "and reference”."
)
