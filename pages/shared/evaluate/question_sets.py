"""The question set to evaluate: the samples', the session's own, a folder's, or an uploaded one."""

from __future__ import annotations

import hashlib
import os
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path

import streamlit as st

from chunking import ChunkscopeError, samples
from chunking.document import Document
from chunking.isolation.workers import Task
from chunking.loading import clean_name
from chunking.retrieval import tasks
from chunking.retrieval.questions import folders, own
from chunking.retrieval.questions.data import Question, QuestionSet, QuestionSetRemark, describe_remarks
from chunking.retrieval.questions.folders import QUESTIONS
from chunking.runtime.wording import plural
from chunking.workspace import Models
from pages.shared import state
from pages.shared.documents import add_documents, attachments, documents, session_documents
from pages.shared.documents.session_documents import OpenDocument
from pages.shared.documents.uploads import Files
from pages.shared.evaluate.report_parts import UploadedSets, show_missing
from pages.shared.frame import markup
from pages.shared.library import document_sets
from pages.shared.server import hosts, workers
from pages.shared.settings import controls
from pages.shared.state import session

CHOICE = "questions"
"""Key of the selectbox, and its name in the address."""

SAMPLES, YOURS, FOLDER = "Samples", "Your own questions", "A folder on this machine"

_UPLOADED: UploadedSets[QuestionSet] = UploadedSets("_retrieval", CHOICE)
_REMARKS: state.SessionValue[tuple[QuestionSetRemark, ...]] = state.SessionValue("_own_questions_remarks", tuple)

FILES = 50_000
"""Files that a folder of questions may hold; more suggest that it is a different kind of folder."""

_STORED = "document"
"""What a document is called in the file of its own questions, however it is renamed."""

_CHOSEN: state.SessionValue[str | None] = state.SessionValue("_questions_chosen", session.empty)
"""The set that was selected in the run before."""

Questions = dict[str, tuple[Question, ...]]
_OWN: state.SessionValue[Questions] = state.SessionValue("_own_questions", dict)


@dataclass(frozen=True, eq=False)
class QuestionChoice:
    """The selected question set.

    Attributes:
        name: of the set, as listed.
        folder: its path, where the set is a folder.
        split: of the judgements, where the folder has several.
        opened: the open document, for the session's own questions.
        tools: encoder and sentence splitter of the open document.
        set_id: of the set of the library whose documents are searched as well; empty for none.
    """

    name: str
    folder: str = ""
    split: str | None = None
    opened: OpenDocument | None = None
    tools: Models | None = None
    set_id: str = ""


def choose() -> QuestionChoice:
    """Show the controls; return the selected question set."""
    options = [SAMPLES, YOURS, *([FOLDER] if hosts.may_name_paths() else []), *_UPLOADED.get()]
    missing = _UPLOADED.missing(options)
    # A user who opened a document of their own asks questions of it rather than of the samples.
    document_name = documents.open_name()
    default = YOURS if document_name and not documents.is_sample(document_name) else SAMPLES
    name = controls.select("Questions", options, name=CHOICE, default=default, help=_HELP)
    folder, split, opened, tools, set_id = "", None, None, None, ""
    if name == FOLDER:
        folder, split = _folder()
    before = _CHOSEN.get()
    _CHOSEN.set(name)
    if name == YOURS:
        if before != YOURS:
            _open_own(is_link=before is None)
        opened, tools = documents.choose()
        set_id = _searched_set()
        add_documents.offer_latest()
    _UPLOADED.draw("Add questions", _ABOUT, _FORM, _receive, several=True)
    show_missing("question set", missing, _NO_FOLDERS if missing == FOLDER else _MISSING)
    return QuestionChoice(name, folder, split, opened, tools, set_id)


def _open_own(*, is_link: bool) -> None:
    """Open a document of the user's own in place of a sample, unless a link names the sample or it has questions."""
    open_name = documents.open_name()
    is_named = is_link and bool(open_name)
    if is_named or questions() or not (documents.is_sample(open_name) or not open_name):
        return
    session_documents.look()
    own_names = [*reversed(session_documents.kept()), *session_documents.names()]
    if own_names:
        documents.open_(own_names[0])


def _searched_set() -> str:
    """Draw the choice of what is searched where there are sets, and return the id of the set; empty for none."""
    sets = document_sets.offered()
    document_sets.show_missing(sets, (OPENED, *sets.titles), SEARCHED)
    if not sets.titles:
        return ""
    set_id = controls.select(
        "Searched documents", (OPENED, *sets.titles), name=SEARCHED, titles=sets.title, help=_SEARCHED
    )
    return "" if set_id == OPENED else set_id


SEARCHED = "searched"
"""Name of the set in the address, which is another one than that of the Boundaries part."""

OPENED = "With questions"
"""The choice of searching documents that have questions, else the open one."""

_SEARCHED = "Documents that have questions (the open one, where none has), or those of a set of the library as well."


_HELP = (
    "Questions with reference answers: on the samples, your own on an open document, a data set in a folder, or "
    "uploaded files."
)


def _folder() -> tuple[str, str | None]:
    folder = controls.text(
        "Folder",
        name="folder",
        max_chars=1000,
        placeholder="/data/scifact",
        help="A folder with " + ", or ".join(folders.LAYOUTS) + ".",
    )
    folder = folder.strip()
    splits = _splits(folder)
    if len(splits) < 2:
        return folder, None
    usual = next((name for name in folders.SPLITS if name in splits), splits[0])
    split = controls.select(
        "Judgements",
        splits,
        name="split",
        default=usual,
        help="The split of the relevance judgements (qrels) to use.",
    )
    return folder, split


def _splits(folder: str) -> list[str]:
    """Return the splits of the judgements in a folder; none where there is no such folder."""
    try:
        return sorted(file.stem for file in (Path(folder).expanduser() / "qrels").glob("*.tsv")) if folder else []
    except (OSError, ValueError, RuntimeError):
        return []


_MISSING = "Uploaded sets exist only in the session that uploaded them. Upload the files again to see this view."
_NO_FOLDERS = (
    "Folders can be used only on a server that runs on your own machine; with a log-in, its administrators may use "
    "them."
)
_ABOUT = (
    "Upload the files of a set together: docs.jsonl with queries.jsonl, corpus.jsonl with queries.jsonl and "
    "judgements (.tsv), or a CSV with its texts. Or questions.jsonl alone, for documents that are open here."
)
_FORM = (
    'One question per line: {"_id": …, "text": …, "doc_id": …, "spans": [[start, end], …]}. Spans are character '
    "offsets in the document's text."
)


def _receive(files: Files) -> None:
    """Take the session's own questions in one JSONL file, or the files of a set."""
    by_name = {clean_name(name): data for name, data in files}
    first = next(iter(by_name))
    if len(by_name) == 1 and first.lower().endswith(".jsonl"):
        take_own(by_name[first], first)
        return
    number = 1 + max((int(name.rpartition(" ")[2]) for name in _UPLOADED.get()), default=0)
    name = f"Uploaded {number}"
    _UPLOADED.keep(name, workers.call()(Task(tasks.read_files, (by_name, name)), lambda *_: None))


# --- the session's own -----------------------------------------------------------------------------------------------


def questions() -> Questions:
    """Return the user's own questions by document name, without those of documents that are not open any more."""
    own_questions = _OWN.get()
    for name in set(own_questions) - set(documents.open_names()):
        del own_questions[name]
    for name in session_documents.kept():
        _restore(documents.get(name), own_questions)
    return own_questions


def by_file(own_questions: Questions) -> Questions:
    """Return questions under the names of the files of their documents, by which a command finds them in a folder.

    Where two open documents have one file name, each keeps the name that it is shown with.
    """
    files = {name: documents.get(name).document.name for name in own_questions}
    shared_names = Counter(documents.get(name).document.name for name in documents.open_names())
    return {files[name] if shared_names[files[name]] == 1 else name: own_questions[name] for name in own_questions}


def jsonl(own_questions: Questions) -> str:
    """Return questions as a file that a command can run, beside the files of their documents."""
    return own.jsonl(by_file(own_questions))


def _restore(opened: OpenDocument, own_questions: Questions) -> None:
    """Add the questions that are stored with a document, once in a session."""

    def take(name: str, data: bytes) -> None:
        read_questions, _ = own.read(data, name, {_STORED: opened.document})
        own_questions.setdefault(opened.name, read_questions[_STORED])

    problem = attachments.restore(opened, "questions", take)
    if problem:
        _UPLOADED.field.report(problem)


def put(name: str, new_questions: tuple[Question, ...]) -> None:
    """Keep the questions on a document."""
    own_questions = questions()
    own_questions[name] = new_questions
    if not new_questions:
        del own_questions[name]
    opened = session_documents.kept().get(name)
    try:
        if new_questions:
            attachments.put(opened, "questions", QUESTIONS, own.jsonl({_STORED: new_questions}).encode())
        else:
            attachments.delete(opened, "questions")
    except ChunkscopeError as error:
        _UPLOADED.field.report(error)


def remarks() -> tuple[QuestionSetRemark, ...]:
    """Return the remarks on what was left out when the session's own questions were read."""
    return _REMARKS.get()


def take_own(data: bytes, name: str) -> None:
    """Add questions from a file; those with a known id replace the ones that are there.

    Raises:
        ChunkscopeError: none of them belongs to an open document.
    """
    open_ = {name: documents.get(name).document for name in documents.open_names()}
    read_questions, left_out = own.read(data, name, open_)
    for on, new_questions in read_questions.items():
        ids = {question.id for question in new_questions}
        put(on, (*(question for question in questions().get(on, ()) if question.id not in ids), *new_questions))
    _REMARKS.set(tuple(left_out))
    state.address().put(CHOICE, YOURS)
    if documents.open_name() not in read_questions:
        documents.open_(next(iter(read_questions)))


def searched_documents(choice: QuestionChoice) -> dict[str, Document]:
    """Return the documents that the session's own questions search: those with questions, else the open one; a set."""
    assert choice.opened is not None
    open_ = {choice.opened.name: choice.opened.document}
    texts = {name: open_.get(name) or documents.get(name).document for name in questions()}
    together = document_sets.open_set(choice.set_id).opened if choice.set_id else ()
    return {opened.name: opened.document for opened in together} | (texts or open_)


def is_transient(choice: QuestionChoice) -> bool:
    """Return whether a document that is searched is not to be kept, so that nothing may be written to disk."""
    if choice.name != YOURS or choice.opened is None:
        return False
    return any(documents.get(name).is_transient for name in {*questions(), choice.opened.name})


# --- the set itself --------------------------------------------------------------------------------------------------


def get(choice: QuestionChoice) -> QuestionSet:
    """Return the question set.

    Raises:
        ChunkscopeError: there are no questions, or the folder is not a question set.
    """
    if choice.name == SAMPLES:
        return _samples()
    if choice.name == YOURS:
        return own.question_set(YOURS, searched_documents(choice), questions(), remarks())
    if choice.name == FOLDER:
        if not choice.folder:
            raise ChunkscopeError("No folder is set.", "Enter a folder in the sidebar.")
        try:
            path = Path(choice.folder).expanduser()
            return _of_folder(str(path), choice.split, _stamp(path))
        except ChunkscopeError:  # which is a ValueError
            raise
        except (OSError, ValueError, RuntimeError) as error:  # not a valid path, or an unknown home folder
            raise ChunkscopeError(f"{choice.folder:.200} cannot be read: {error}.", "Enter another folder.") from error
    return _UPLOADED.get()[choice.name]


@st.cache_resource(max_entries=1, show_spinner=False)
def _samples() -> QuestionSet:
    return replace(folders.read(samples.FOLDER), name=SAMPLES)


@st.cache_resource(max_entries=3, ttl=6 * 3600, show_spinner="Reading the folder…")
def _of_folder(path: str, split: str | None, stamp: str) -> QuestionSet:
    # A cluster has no folders of this machine.
    task = Task(tasks.read_folder, (Path(path), split), portable=not workers.settings().address)
    question_set: QuestionSet = workers.call()(task, lambda *_: None)
    return question_set


def _stamp(folder: Path) -> str:
    """Return a digest that changes when a file of the folder changes.

    Raises:
        ChunkscopeError: it holds more than :data:`FILES` files.
    """
    digest = hashlib.blake2b(digest_size=16)
    files = 0
    for parent, below, names in os.walk(folder):
        below.sort()
        for name in sorted(names):
            files += 1
            if files > FILES:
                raise ChunkscopeError(
                    f"{folder} holds more than {FILES:,} files.", "Enter the folder of the question set itself."
                )
            try:
                about = os.stat(os.path.join(parent, name))
            except OSError:
                continue  # a broken link
            digest.update(f"{parent}\0{name}\0{about.st_size}\0{about.st_mtime_ns}\n".encode("utf-8", "replace"))
    return digest.hexdigest()


def show_remarks(question_set: QuestionSet) -> None:
    """Show what was corrected in the question set or left out of it."""
    lines = describe_remarks(question_set.remarks)
    if not lines:
        return
    count = len(question_set.remarks)
    paragraphs = "".join(f"<p>{markup.escape(line)}</p>" for line in lines)
    title = f"{plural(count, 'remark')} on the set"
    markup.show(f'<details class="cs-aside"><summary>{title}</summary><div>{paragraphs}</div></details>')
