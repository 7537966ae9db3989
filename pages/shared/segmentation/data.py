"""The data set to evaluate on: the samples, the session's documents with reference boundaries, or an uploaded file."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import streamlit as st

from chunking import ChunkscopeError, samples
from chunking.evaluation import DataSet, own, tasks
from chunking.isolation.workers import Task
from chunking.loading import MAX_FILE_BYTES, clean_name
from chunking.runtime.progress import Tell
from chunking.workspace import Backend, Tools
from pages.shared import state
from pages.shared.documents import documents, own_documents, uploaders
from pages.shared.documents.documents import Opened
from pages.shared.frame import frame, markup
from pages.shared.library import document_sets, members
from pages.shared.operation import workers
from pages.shared.reference import own_chunks
from pages.shared.settings import controls
from pages.shared.state import session

CHOICE = document_sets.CHOICE
"""Key of the selectbox, and its name in the address."""

YOURS = "Your documents with gold"
LAYOUTS = ("kept", "left out")

_UPLOADED: state.Slot[dict[str, DataSet]] = state.Slot("_evaluate_uploaded", dict)
_PROBLEM: state.Slot[ChunkscopeError | None] = state.Slot("_evaluate_problem", session.empty)
_ROUND = state.Slot("_evaluate_round", int)
_UPLOAD = "_evaluate_upload_"
_LIMIT = 4
"""Uploaded sets that a session keeps; the oldest is dropped first."""


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
    def uploaded(self) -> bool:
        """Whether it is an uploaded file."""
        return not self.set_id and self.name not in (own.SAMPLES, YOURS)


def choose() -> DataSetChoice:
    """Show the controls; return the selected data set."""
    sets = document_sets.offered()
    options = [own.SAMPLES, YOURS, *sets.titles, *_uploaded()]
    requested = state.current().text(CHOICE)
    missing = requested if requested and requested not in options else None
    name = controls.select("Data set", options, name=CHOICE, help=_HELP, titles=sets.title)
    if name == YOURS:
        own_documents.add()
        own_documents.offer_latest()
    _add()
    if missing:
        frame.show_error(
            ChunkscopeError(
                f"The data set in this link is not available: {missing:.60}.",
                "Uploaded sets exist only in the session that uploaded them: upload the file again to see this view. "
                "A set of the library was deleted, or belongs to somebody else.",
            )
        )
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


def _add() -> None:
    round_ = _ROUND.get()
    # A new key makes a new popover, which is closed.
    with st.popover("Add a data set", icon=":material/upload_file:", width="stretch", key=f"_evaluate_add_{round_}"):
        st.caption('JSON Lines, one document per line: {"id": …, "units": [text, …], "boundaries": [index, …]}.')
        key = f"{_UPLOAD}{round_}"
        st.file_uploader(
            f"A file, up to {MAX_FILE_BYTES // 2**20} MiB", key=key, on_change=_take, args=(key,), help=_FORM
        )
    problem = _PROBLEM.get()
    if problem:
        frame.show_error(problem)
        st.button("Dismiss", key="_dismiss_set", on_click=_PROBLEM.clear, type="tertiary")


_FORM = (
    "Units are sentences or blocks; a boundary is the index of the first unit of each segment except the first. "
    "Optional: lang (a language code) and group."
)


def _uploaded() -> dict[str, DataSet]:
    return _UPLOADED.get()


def _take(key: str) -> None:
    for name, data in uploaders.contents(key):
        # A new key for each upload clears the widget.
        _ROUND.set(_ROUND.get() + 1)
        _take_set(clean_name(name)[-60:], data)


def _take_set(name: str, data: bytes) -> None:
    _PROBLEM.clear()
    try:
        found: DataSet = workers.call()(Task(tasks.read_file, (data, name)), lambda *_: None)
    except ChunkscopeError as error:
        _PROBLEM.set(error)
        return
    kept = _uploaded()
    name = name if name not in (own.SAMPLES, YOURS) else f"{name} (file)"
    kept.pop(name, None)
    kept[name] = found
    while len(kept) > _LIMIT:
        del kept[next(iter(kept))]
    state.current().put(CHOICE, name)


# --- the set itself ------------------------------------------------------------------------------------------------


def with_reference(chosen: DataSetChoice) -> list[tuple[Opened, tuple[int, ...]]]:
    """Return the documents of a set that is not a file, with the offsets of their reference boundaries."""
    if chosen.name == own.SAMPLES and not chosen.set_id:
        opened = list(map(documents.get, samples.names()))
    else:
        opened = _own(chosen.set_id)
    return [(each, gold) for each in opened if (gold := own_chunks.reference_of(each).gold)]


def _own(set_id: str) -> list[Opened]:
    """Return the documents of a set of the library; the user's own ones for an empty id."""
    return list(members.opened(set_id).opened if set_id else map(documents.get, own_documents.kept()))


def documents_of(chosen: DataSetChoice) -> list[Opened]:
    """Return the documents of a set; none of an uploaded file, which has but their sentences."""
    return [] if chosen.uploaded else [each for each, _ in with_reference(chosen)]


def partly_judged(set_id: str = "") -> list[str]:
    """Return the documents that are not evaluated, since only some of their places are judged."""
    return [each.title for each in _own(set_id) if own_chunks.reference_of(each).partial]


def identity(chosen: DataSetChoice, tools: Tools) -> str:
    """Return the identity of the set without building it."""
    if chosen.uploaded:
        return _uploaded()[chosen.name].key
    parts = [(each.name, documents.workspace(each, tools).key, gold) for each, gold in with_reference(chosen)]
    return hashlib.sha256(repr((chosen, parts)).encode("utf-8", "backslashreplace")).hexdigest()


Gathered = tuple[DataSet, dict[str, ChunkscopeError]]


def prepare(chosen: DataSetChoice, tools: Tools, backend: Backend) -> Callable[[Tell], Gathered]:
    """Return what builds the set, without the session: the set, and the errors of documents that are not in it.

    Args:
        chosen: the set.
        tools: the models.
        backend: splits the documents.

    Raises:
        ChunkscopeError: the set has no documents.
    """
    if chosen.uploaded:
        data = _uploaded()[chosen.name]
        return lambda tell: (data, {})
    given = [(opened, documents.workspace(opened, tools), gold) for opened, gold in with_reference(chosen)]
    unread = dict(members.opened(chosen.set_id).problems) if chosen.set_id else {}
    if not given:
        raise _none_given(chosen, unread)

    def gather(tell: Tell) -> Gathered:
        found, problems = [], dict(unread)
        for number, (opened, workspace, gold) in enumerate(given):
            tell(f"splitting into sentences: {opened.title}", number, len(given))
            try:
                known = workspace.split(backend=backend)
                vectors = opened.known[1:] if opened.known and known is opened.known[0] else ()
                found.append(own.MarkedDocument(opened.name, known, gold, vectors))
            except ChunkscopeError as error:
                problems[opened.name] = error
        data = own.data_set(chosen.name, found)
        return (data if chosen.layout else own.without_layout(data)), problems

    return gather


def _none_given(chosen: DataSetChoice, unread: Mapping[str, ChunkscopeError]) -> ChunkscopeError:
    if unread:
        return next(iter(unread.values()))
    if chosen.set_id:
        return ChunkscopeError("None of the documents of this set has a complete reference.", NO_GOLD)
    none = "None of your documents has a complete reference."
    return ChunkscopeError(*((none, NO_GOLD) if own_documents.kept() else NO_DOCUMENTS))


NO_DOCUMENTS = (
    "You have not added a document yet.",
    "Add one under “Add your own” in the sidebar, or open those of your library; then set their boundaries in Review.",
)
NO_GOLD = (
    "Review a whole document and mark it as complete, or add true boundaries in Compare, under “Your own chunks and "
    "reference”."
)
