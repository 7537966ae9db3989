"""The Answers view: a model answers the questions from what each strategy retrieves, once the user agrees."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import streamlit as st

from chunking import ChunkscopeError
from chunking.isolation.workers import Task
from chunking.jobs.queue import Job
from chunking.report import html
from chunking.retrieval import tasks
from chunking.retrieval.answers import table
from chunking.retrieval.answers.exchanges import Exchanges
from chunking.retrieval.answers.model_calls import ask_model
from chunking.retrieval.answers.plan import AnswerPlan, estimate_cost
from chunking.retrieval.answers.prompting import answer_prompts
from chunking.retrieval.answers.store import AnswerStore
from chunking.retrieval.answers.summary import OUTCOME_TITLES, AnswerSummary, CheckedAnswer
from chunking.retrieval.questions.chat import ChatModel
from chunking.retrieval.questions.data import QuestionSet
from chunking.retrieval.reports.table import DIFFERENCE, pair_cells
from chunking.runtime.progress import Tell
from chunking.runtime.wording import plural
from pages.shared.documents import exports
from pages.shared.documents.exports import as_json
from pages.shared.evaluate import chat_models, question_results
from pages.shared.evaluate.report_parts import block
from pages.shared.evaluate.retrieval_jobs import RetrievalRequest, RetrievalResult
from pages.shared.frame import frame, markup, runs

_QUESTIONS = 30
"""Questions that are offered at first."""

_STORE = AnswerStore()


@dataclass(frozen=True, eq=False)
class _Session:
    """The questions of a run, and the model that answers them.

    Attributes:
        result: the evaluation, with its rankings.
        model: the model.
        plan: the questions and passages.
        key: of the plan.
    """

    result: RetrievalResult
    model: ChatModel
    plan: AnswerPlan
    key: str

    @property
    def run_key(self) -> str:
        """The identity of the results."""
        return f"{self.key}/{self.model.where.base_url}/{self.model.name}/{answer_prompts().digest}"

    @property
    def file_key(self) -> str:
        """The identity of the file of replies, which all strategies and limits have in common."""
        made_of = (sorted(self.result.texts), self.model.where.base_url, self.model.name, answer_prompts().digest)
        return hashlib.sha256(repr(made_of).encode("utf-8", "backslashreplace")).hexdigest()[:32]

    def exchanges(self) -> Exchanges:
        """Return the replies that are kept; of texts of which nothing may be written to disk, none.

        Raises:
            ChunkscopeError: the file cannot be read.
        """
        path = _STORE.path(self.file_key) if self.result.cache is not None else None
        return Exchanges(path, self.model, {"texts": sorted(self.result.texts)})


def show(request: RetrievalRequest, question_set: QuestionSet, result: RetrievalResult) -> None:
    """Show what would be sent and where; once that was confirmed, the progress and then the answers."""
    if question_set.truth == "documents":
        frame.show_empty(
            "Judged documents have no quotes to check answers by.", "Choose a question set with spans of answers."
        )
        return
    st.caption(_ABOUT)
    model, problem = chat_models.choose()
    if problem:
        frame.show_error(problem)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        most = len(question_set.questions)
        number = int(st.number_input("Questions", 1, most, min(_QUESTIONS, most), key="_answers_number", width=120))
        judged = st.toggle("Judged by the model", True, key="_answers_judged", help=_JUDGED)
    if model is None:
        frame.show_empty("No model is named.", _NO_MODEL)
        return
    if not question_results.ready(request, question_set, result):
        return
    key = f"{result.key}/answers/{request.within}/{number}/{judged}"
    plan = _plan(request, result, key, number, judged)
    if plan is not None:
        _show_answers(_Session(result, model, plan, key))


_ABOUT = (
    "Does a model answer rightly from what each strategy retrieves? The questions and the retrieved chunks, within the "
    "context budget, are sent to the model, and its answers are compared with the true ones. Nothing is sent before "
    "you confirm it."
)
_JUDGED = (
    "In a second request the model says whether an answer states what the quote says. Without it the words of both "
    "decide, which takes a paraphrase for wrong."
)
_NO_MODEL = (
    "Enter an address and a model above. On a server for others, its administrator names them: OPENAI_BASE_URL and "
    f"{chat_models.MODEL_VARIABLE}."
)


def _plan(request: RetrievalRequest, result: RetrievalResult, key: str, number: int, judged: bool) -> AnswerPlan | None:
    """Return what would be sent; ``None`` while that is being collected."""
    queue, evaluation = runs.runs(), result.evaluation
    assert evaluation is not None
    task = Task(tasks.plan_checked_answers, (evaluation, request.within, number, judged))

    def start() -> Job:
        return queue.start("answers", key, "Choosing passages", lambda tell: queue.call(task, tell), result.texts)

    run = queue.get(key) or start()
    if not runs.show_unless_done(run, start):
        return None
    plan: AnswerPlan = run.result
    return plan


def _show_answers(session: _Session) -> None:
    """Show the answers, their progress, or what would be sent."""
    queue, model, plan = runs.runs(), session.model, session.plan
    date = datetime.now(UTC).date().isoformat()

    def work(tell: Tell) -> AnswerSummary:
        # In this process, which alone knows the key of the endpoint.
        with _STORE.exclusive(session.file_key, tell):
            exchanges = session.exchanges()
            ask_model(plan, model, exchanges, date, tell)
        summary: AnswerSummary = queue.call(Task(tasks.summarize_checked_answers, (plan, exchanges)), tell)
        return summary

    def start() -> Job:
        return queue.start("answers", session.run_key, f"Answering with {model.name}", work, session.result.texts)

    run = queue.get(session.run_key)
    if run is None:
        try:
            cost = estimate_cost(plan, session.exchanges())
        except ChunkscopeError as error:
            frame.show_error(error)
            return
        if cost.requests:
            kept = f" {plural(cost.kept, 'reply', 'replies')} are kept and not requested again." if cost.kept else ""
            where = "in this server's own network" if model.where.is_local else "on the internet"
            words = (
                f"{plural(len(plan.questions), 'question')} with the chunks of "
                f"{plural(len(plan.rows), 'strategy', 'strategies')} would be sent to {model.where.host}, {where}: at "
                f"most {plural(cost.requests, 'request')}, about {cost.tokens_sent:,} tokens sent and "
                f"{cost.tokens_received:,} received.{kept}"
            )
            st.caption(markup.plain(words))
            runs.button(f"Send to {markup.plain(model.where.host)}", start, "_answers_send", "send", type="primary")
            return
        run = start()  # all replies are kept, so that nothing is sent
    if runs.show_unless_done(run, start):
        _show_summary(run.result)


def _show_summary(summary: AnswerSummary) -> None:
    """Show the table of strategies, the differences, and the answers to each question."""
    block(html.paragraph(f"{table.headline(summary)}.") + html.table(table.COLUMNS, table.cells(summary), "numbers"))
    st.caption(table.LEGEND)
    if summary.differences:
        heads = ("strategy", "less", *DIFFERENCE)
        legend = html.legend("Right answers, difference to the first strategy in percentage points.")
        block(legend + html.table(heads, pair_cells(summary.differences), "pairs"))
    for note in summary.notes:
        st.caption(markup.plain(note))
    number = _select(summary)
    if number is not None:
        _show_question(summary, number)
    content = ("Answers, JSON", "answers.json", "application/json", lambda: as_json(summary.as_dict()))
    exports.downloads([content], "_answers", columns=4)


def _select(summary: AnswerSummary) -> int | None:
    """Show the questions with their quotes and answers; return the place of the selected one."""
    import pandas as pd  # type: ignore[import-untyped]

    columns: dict[str, Sequence[str]] = {
        "question": [question.text[:300] for question in summary.questions],
        "quote": [question.reference[:300] for question in summary.questions],
    }
    columns |= {name: [_cell(answer) for answer in row.answers] for name, row in summary.rows.items()}
    event = st.dataframe(
        pd.DataFrame(columns), key="_answers_questions", on_select="rerun", selection_mode="single-row",
        hide_index=True, height=min(360, 38 + 35 * len(summary.questions)),
        column_config={"question": st.column_config.TextColumn(width="medium", pinned=True)},
    )  # fmt: skip
    selected = event.selection.rows
    return selected[0] if selected and selected[0] < len(summary.questions) else None


def _cell(answer: CheckedAnswer) -> str:
    title = OUTCOME_TITLES[answer.outcome]
    return f"{title}: {answer.answer[:200]}" if answer.answer else title


def _show_question(summary: AnswerSummary, number: int) -> None:
    """Show a question with its quote, and the whole answer from the chunks of each strategy beside it."""
    question = summary.questions[number]
    parts = [
        f"<p><b>{markup.escape(question.text)}</b></p>",
        f'<p class="cs-quiet">Quote</p><div class="cs-side">{markup.escape(question.reference)}</div>',
    ]
    for name, row in summary.rows.items():
        answer = row.answers[number]
        words = f"{name}: {OUTCOME_TITLES[answer.outcome]}"
        if answer.answer:
            words += f" · word F1 {100 * answer.f1:.0f} % · quote words {100 * answer.contained:.0f} %"
        text = answer.answer or "–"
        parts.append(f'<p class="cs-quiet">{markup.escape(words)}</p><div class="cs-side">{markup.escape(text)}</div>')
    markup.show("".join(parts))
