"""The questions that are asked: those on the samples, the session's own, a folder's, or uploaded ones."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from weakref import WeakKeyDictionary

import streamlit as st

from chunking import ChunkscopeError, samples
from chunking.document import Document
from chunking.loading import MAX_FILE_BYTES, clean_name
from chunking.retrieval.questions import folders, own
from chunking.retrieval.questions.data import QuestionSet, Remark
from chunking.workspace import Tools
from pages.shared.documents import documents, own_documents, reading, uploaders
from pages.shared.documents.documents import Opened
from pages.shared.frame import frame, markup
from pages.shared.settings import controls

CHOICE = "questions"
"""Key of the chooser, and its name in the address."""

SAMPLES, YOURS, FOLDER = "Samples", "Your own questions", "A folder on this machine"

_UPLOADED = "_retrieval_uploaded"
_OWN = "_own_questions"
_REMARKS = "_own_questions_remarks"
_PROBLEM = "_retrieval_problem"
_ROUND = "_retrieval_round"
_UPLOAD = "_retrieval_upload_"
_LIMIT = 4
"""Uploaded sets that a session keeps; the oldest goes first."""

FILES = 50_000
"""Files that a folder of questions may hold; with more it is some other folder."""

Questions = dict[str, tuple[own.Asked, ...]]


@dataclass(frozen=True, eq=False)
class Chosen:
    """Which questions are asked for.

    Attributes:
        name: what the chooser calls them.
        folder: where they are, of a folder.
        split: which judgements, where the folder has several.
        opened: the open document, of the session's own questions.
        tools: encoder and sentence splitter where the open document says how it is read.
    """

    name: str
    folder: str = ""
    split: str | None = None
    opened: Opened | None = None
    tools: Tools | None = None


def choose() -> Chosen:
    """The controls, and what they choose."""
    options = [SAMPLES, YOURS, *([FOLDER] if reading.local() else []), *_uploaded()]
    asked = st.query_params.get(CHOICE)
    missing = asked if asked and asked not in options else None
    if st.session_state.get(CHOICE) not in options:
        st.session_state.pop(CHOICE, None)
    name: str = st.selectbox("Questions", options, **controls.bound(CHOICE, _HELP))
    folder, split, opened, tools = "", None, None, None
    if name == FOLDER:
        folder, split = _folder()
    if name == YOURS:
        opened, tools = documents.choose()
    _add()
    if missing:
        frame.show_error(
            ChunkscopeError(
                f"This link is about questions that are not here: {missing:.60}.",
                "Uploaded sets stay in the session that opened them: add them again to see this view."
                if missing != FOLDER
                else "Folders can be named where the server answers its own machine alone.",
            )
        )
    return Chosen(name, folder, split, opened, tools)


_HELP = (
    "Questions with true answers: those on the samples, your own on an open document, a folder with a data set, or "
    "files of yours."
)


def _folder() -> tuple[str, str | None]:
    place: str = st.text_input(
        "Folder",
        max_chars=1000,
        placeholder="/data/scifact",
        **controls.bound("folder", "It needs " + ", or ".join(folders.LAYOUTS) + "."),
    )
    place = place.strip()
    splits = _splits(place)
    if len(splits) < 2:
        return place, None
    usual = next((name for name in folders.SPLITS if name in splits), splits[0])
    if st.session_state.get("split") not in splits:
        st.session_state.pop("split", None)
    chosen: str = st.selectbox(
        "Judgements", splits, splits.index(usual), **controls.bound("split", "Which table of the folder's qrels.")
    )
    return place, chosen


def _splits(place: str) -> list[str]:
    """The tables of judgements in a folder; none where there is no such folder."""
    try:
        return sorted(each.stem for each in (Path(place).expanduser() / "qrels").glob("*.tsv")) if place else []
    except (OSError, ValueError, RuntimeError):
        return []


def _add() -> None:
    round_ = st.session_state.setdefault(_ROUND, 0)
    with st.popover("Add questions", icon=":material/upload_file:", width="stretch", key=f"_retrieval_add_{round_}"):
        st.caption(
            "The files of a set together: docs.jsonl and queries.jsonl, corpus.jsonl with queries.jsonl and judgements "
            "(.tsv), a CSV with its texts. Or questions.jsonl alone, on documents that are open here."
        )
        key = f"{_UPLOAD}{round_}"
        st.file_uploader(
            f"Files, up to {MAX_FILE_BYTES // 2**20} MiB each", None, True, key=key, on_change=_take, args=(key,),
            help=_FORM,
        )  # fmt: skip
    problem: ChunkscopeError | None = st.session_state.get(_PROBLEM)
    if problem:
        frame.show_error(problem)
        st.button(
            "Dismiss", key="_dismiss_questions", on_click=st.session_state.pop, args=(_PROBLEM, None), type="tertiary"
        )


_FORM = (
    'A question a line: {"_id": …, "text": …, "doc_id": …, "spans": [[start, end], …]}; spans in characters of the '
    "document's text."
)


def _uploaded() -> dict[str, QuestionSet]:
    found: dict[str, QuestionSet] = st.session_state.setdefault(_UPLOADED, {})
    return found


def _take(key: str) -> None:
    files = {clean_name(name): data for name, data in uploaders.contents(key)}
    if not files:
        return
    # A new key for each upload clears the widget.
    st.session_state[_ROUND] += 1
    st.session_state.pop(_PROBLEM, None)
    try:
        if len(files) == 1 and (name := next(iter(files))).lower().endswith(".jsonl"):
            take_own(files[name], name)
        else:
            _take_set(files)
    except ChunkscopeError as error:
        st.session_state[_PROBLEM] = error


def _take_set(files: Mapping[str, bytes]) -> None:
    kept = _uploaded()
    number = 1 + max((int(name.rpartition(" ")[2]) for name in kept), default=0)
    name = f"Uploaded {number}"
    kept[name] = own.of_files(files, name)
    while len(kept) > _LIMIT:
        del kept[next(iter(kept))]
    st.session_state[CHOICE] = name


# --- the session's own -----------------------------------------------------------------------------------------------


def questions() -> Questions:
    """The session's own questions, by what the chooser calls their document; those whose document is gone are gone."""
    found: Questions = st.session_state.setdefault(_OWN, {})
    for name in set(found) - set(documents.names()):
        del found[name]
    return found


def put(name: str, some: tuple[own.Asked, ...]) -> None:
    """Keep the questions on a document."""
    found = questions()
    found[name] = some
    if not some:
        del found[name]


def remarks() -> tuple[Remark, ...]:
    """What was left out of the files that the session's own questions came in."""
    return tuple(st.session_state.get(_REMARKS, ()))


def take_own(data: bytes, name: str) -> None:
    """Take over questions from a file, beside those that are there; ones with a known id take their place.

    Raises:
        ChunkscopeError: none of them is on a document that is here.
    """
    known = {each: documents.get(each).document for each in documents.names()}
    found, left_out = own.read(data, name, known)
    for on, some in found.items():
        ids = {each.id for each in some}
        put(on, (*(each for each in questions().get(on, ()) if each.id not in ids), *some))
    st.session_state[_REMARKS] = left_out
    st.session_state[CHOICE] = YOURS
    if st.session_state.get(own_documents.CHOICE) not in found:
        documents.open_(next(iter(found)))


def searched(chosen: Chosen) -> dict[str, Document]:
    """The documents that the session's own questions are asked of: those with questions, else the open one."""
    assert chosen.opened is not None
    open_ = {chosen.opened.name: chosen.opened.document}
    found = {name: open_.get(name) or documents.get(name).document for name in questions()}
    return found or open_


# --- the set itself --------------------------------------------------------------------------------------------------


def get(chosen: Chosen) -> QuestionSet:
    """The questions.

    Raises:
        ChunkscopeError: there is none, or the folder is not a set.
    """
    if chosen.name == SAMPLES:
        return _samples()
    if chosen.name == YOURS:
        return own.question_set(YOURS, searched(chosen), questions(), remarks())
    if chosen.name == FOLDER:
        if not chosen.folder:
            raise ChunkscopeError("No folder is named yet.", "Name one in the sidebar.")
        try:
            path = Path(chosen.folder).expanduser()
            return _of_folder(str(path), chosen.split, _stamp(path))
        except ChunkscopeError:  # which is a ValueError
            raise
        except (OSError, ValueError, RuntimeError) as error:  # no name of a file, or of nobody's home
            raise ChunkscopeError(f"{chosen.folder:.200} cannot be read: {error}.", "Name another folder.") from error
    return _uploaded()[chosen.name]


@st.cache_resource(max_entries=1, show_spinner=False)
def _samples() -> QuestionSet:
    return replace(folders.read(samples.FOLDER), name=SAMPLES)


@st.cache_resource(max_entries=3, ttl=6 * 3600, show_spinner="Reading the folder…")
def _of_folder(path: str, split: str | None, stamp: str) -> QuestionSet:
    return folders.read(Path(path), split)


def _stamp(folder: Path) -> str:
    """What changes when a file of the folder does.

    Raises:
        ChunkscopeError: it holds more files than a set does.
    """
    digest = hashlib.blake2b(digest_size=16)
    files = 0
    for place, below, names in os.walk(folder):
        below.sort()
        for name in sorted(names):
            files += 1
            if files > FILES:
                raise ChunkscopeError(
                    f"{folder} holds more than {FILES:,} files.", "Name the folder of the set itself."
                )
            try:
                about = os.stat(os.path.join(place, name))
            except OSError:
                continue  # a link that leads nowhere
            digest.update(f"{place}\0{name}\0{about.st_size}\0{about.st_mtime_ns}\n".encode("utf-8", "replace"))
    return digest.hexdigest()


@st.cache_resource(max_entries=1, show_spinner=False)
def _identities() -> WeakKeyDictionary[QuestionSet, str]:
    return WeakKeyDictionary()


def identity(known: QuestionSet) -> str:
    """What a set is made of: its documents, questions and truth."""
    found = _identities().get(known)
    if found is None:
        found = _identities()[known] = _identity(known)
    return found


def _identity(known: QuestionSet) -> str:
    digest = hashlib.blake2b(digest_size=16)
    for source in known.sources:
        about = (source.id, source.text, source.format, source.language, source.document and source.document.key)
        digest.update(repr(about).encode("utf-8", "backslashreplace"))
    for question in known.questions:
        grades = sorted(question.grades.items())
        digest.update(repr((question.id, question.text, grades, question.answers)).encode("utf-8", "backslashreplace"))
    digest.update(repr((known.name, known.truth, known.itself)).encode("utf-8", "backslashreplace"))
    return digest.hexdigest()


def told(known: QuestionSet) -> None:
    """What of the set was put right or left out, in words and numbers."""
    lines = known.told()
    if not lines:
        return
    count = len(known.remarks)
    shown = "".join(f"<p>{markup.escape(line)}</p>" for line in lines)
    title = f"{count:,} remark{'s' if count != 1 else ''} on the set"
    markup.show(f'<details class="cs-aside"><summary>{title}</summary><div>{shown}</div></details>')
