"""What is found out by asking, each piece as a run behind the page: the evaluation, causes, remedies, indexes."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import streamlit as st

from chunking.retrieval.bench import Bench
from chunking.retrieval.evaluate import Evaluation, Options, Row, evaluate
from chunking.retrieval.misses import blame, remedy
from chunking.retrieval.misses.ask import Index
from chunking.retrieval.misses.blame import Blame
from chunking.retrieval.misses.looked import Within
from chunking.retrieval.misses.remedy import Remedy
from chunking.retrieval.questions.data import QuestionSet
from chunking.retrieval.reports import summary
from chunking.retrieval.search import passages
from chunking.retrieval.search.passages import Tell
from chunking.retrieval.search.ranking import Method
from chunking.strategies import Setting
from pages.shared.documents import documents
from pages.shared.retrieval import data as retrieval_data
from pages.shared.retrieval import kept as retrieval_kept
from pages.shared.retrieval.data import Chosen
from pages.shared.retrieval.runs import WHOLE, Run, runs


@dataclass(frozen=True, eq=False)
class Asked:
    """What is evaluated, and how.

    Attributes:
        chosen: which questions.
        settings: strategies, by the name they have in the results.
        options: see there.
    """

    chosen: Chosen
    settings: Mapping[str, Setting]
    options: Options

    def key(self, known: QuestionSet) -> str:
        """Identity of what an evaluation would find."""
        made_of = (retrieval_kept.program(), retrieval_data.identity(known), tuple(self.settings), self.options)
        return hashlib.sha256(repr(made_of).encode("utf-8", "backslashreplace")).hexdigest()

    @property
    def within(self) -> Within:
        """What is looked at where answers are missed: the tokens of the main measure, else the first passages."""
        budgets = self.options.kept.budgets
        return Within(self.options.kept.passages, budgets[len(budgets) // 2] if budgets else None)


@dataclass(eq=False)
class Found:
    """What an evaluation came to.

    Attributes:
        key: its identity.
        shown: all that is known of it, as the command line prints it.
        evaluation: with its rankings; ``None`` where it was read from disk.
        bench: its corpus, open for the thread of the runs alone.
        unkept: why it is not on disk; empty where it is.
    """

    key: str
    shown: dict[str, Any]
    evaluation: Evaluation | None = None
    bench: Bench | None = field(default=None, repr=False)
    unkept: str = ""


Causes = Mapping[str, tuple[Blame, ...]]
"""What kept questions from their answers, by row."""


# --- the evaluation --------------------------------------------------------------------------------------------------


def found(asked: Asked, known: QuestionSet) -> Found | None:
    """What is known already, from this server's memory or from disk."""
    key = asked.key(known)
    run = runs().get(key)
    if run and run.state == "done":
        result: Found = run.result
        return result
    return _read().get(key)


class _Read:
    """Results that were read from disk, the latest of them; any number of threads may share it."""

    def __init__(self) -> None:
        self._known: dict[str, Found] = {}
        self._lock = threading.Lock()

    def get(self, key: str) -> Found | None:
        """The result of that key, where it is on disk."""
        with self._lock:
            found = self._known.pop(key, None)
            content = None if found else retrieval_kept.read(key)
            if content:
                found = Found(key, content["shown"])
            if found:
                self._known[key] = found
            while len(self._known) > _LATEST:
                del self._known[next(iter(self._known))]
        return found


_LATEST = 4


@st.cache_resource(max_entries=1, show_spinner=False)
def _read() -> _Read:
    return _Read()


def run_of(asked: Asked, known: QuestionSet) -> Run | None:
    """The run of the evaluation, where there is one."""
    return runs().get(asked.key(known))


def start(asked: Asked, known: QuestionSet) -> Run:
    """Evaluate behind the page."""
    key, cache = asked.key(known), documents.vector_cache()

    def work(tell: Tell) -> Found:
        made = evaluate(known, asked.settings, asked.options, cache, tell)
        shown = summary.as_dict(made, tell=tell)
        about = {"strategies": list(asked.settings), "folder": asked.chosen.folder}
        return Found(key, shown, made, Bench.of(made, cache), retrieval_kept.write(key, shown, about))

    return runs().start("evaluation", key, f"Evaluating {known.name}", work)


# --- causes ----------------------------------------------------------------------------------------------------------


def causes_key(made: Found, within: Within) -> str:
    """Identity of the causes of all misses."""
    return f"{made.key}/causes/{within}"


def start_causes(made: Found, within: Within) -> Run:
    """Find out behind the page what kept each question from its answer, under every row."""

    def work(tell: Tell) -> Causes:
        assert made.evaluation is not None and made.bench is not None
        made.bench.tell = tell
        found = {}
        for number, row in enumerate(made.evaluation.rows):
            tell(WHOLE, number, len(made.evaluation.rows))
            tell(f"answers that {row.name} misses", 0, 0)
            found[row.name] = blame.blame(made.evaluation, row, within, made.bench)
        return found

    return runs().start("causes", causes_key(made, within), "Tracing missed answers", work)


def remedy_key(made: Found, row: Row, within: Within, blamed: Blame) -> str:
    """Identity of what was tried for a question."""
    return f"{made.key}/remedy/{row.name}/{within}/{blamed.question}"


def start_remedy(made: Found, row: Row, within: Within, blamed: Blame) -> Run:
    """Look behind the page for the smallest change that mends a question."""

    def work(tell: Tell) -> tuple[Remedy, ...]:
        assert made.evaluation is not None and made.bench is not None
        made.bench.tell = tell
        tell("trying changes", 0, 0)
        return remedy.remedies(made.evaluation, row, blamed, within, made.bench)

    title = f"The smallest change for question {blamed.question + 1}"
    return runs().start("remedy", remedy_key(made, row, within, blamed), title, work)


# --- asking anything -------------------------------------------------------------------------------------------------

Indexes = Mapping[str, Index]


def index_key(asked: Asked, known: QuestionSet) -> str:
    """Identity of the indexes of a corpus."""
    ways = (tuple(asked.settings), asked.options.tools, asked.options.methods, asked.options.index)
    return hashlib.sha256(repr((retrieval_kept.program(), retrieval_data.identity(known), ways)).encode()).hexdigest()


def start_index(asked: Asked, known: QuestionSet, made: Found | None, query: str) -> Run:
    """Make behind the page what can be asked anything; the query is asked, so that nothing of it is left to make."""
    cache, tools = documents.vector_cache(), asked.options.tools
    evaluation = made.evaluation if made else None
    words = [question.text for question in known.questions]

    def work(tell: Tell) -> Indexes:
        cut = evaluation.passages if evaluation else passages.cut(known.sources, asked.settings, tools, cache, tell)
        indexes = {}
        for number, (name, each) in enumerate(cut.items()):
            tell(WHOLE, number, len(cut))
            tell(f"index of {name}", 0, 0)
            indexes[name] = Index(each, known.sources, tools, cache, tell, asked.options.index, words)
            for method in asked.options.methods:
                indexes[name].ask(query, method)
        return indexes

    return runs().start("index", index_key(asked, known), "Making the passages searchable", work)


def rows(asked: Asked) -> dict[str, tuple[str, Method]]:
    """Strategy and way to search of each row, by the row's name."""
    several = len(asked.options.methods) > 1
    return {
        f"{name} · {method}" if several else name: (name, method)
        for name in asked.settings
        for method in asked.options.methods
    }
