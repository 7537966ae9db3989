"""The results of a retrieval evaluation: verdict, table, differences, sizes, remarks, and downloads."""

from __future__ import annotations

import shlex
from dataclasses import replace
from functools import partial
from pathlib import PurePath
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from chunking import ChunkscopeError, export, samples
from chunking.report import html
from chunking.retrieval.evaluate import uses_encoder
from chunking.retrieval.measures import BUDGETS, Cutoffs
from chunking.retrieval.questions.data import TRUTH_TITLES, QuestionSet
from chunking.retrieval.reports import figures, report, table
from chunking.retrieval.reports.figures import SizeName
from chunking.retrieval.reports.results import RetrievalSummary
from chunking.retrieval.search.reranking import TOP
from chunking.workspace import Models
from pages.shared import state
from pages.shared.components.figure import figure
from pages.shared.documents import exports
from pages.shared.documents.exports import Download, as_json
from pages.shared.evaluate import passages, question_sets
from pages.shared.evaluate.report_parts import block, notes_block
from pages.shared.evaluate.retrieval_jobs import RetrievalRequest, RetrievalResult
from pages.shared.frame import frame, markup
from pages.shared.settings import controls

_SIZES: dict[str, SizeName] = {"Mean tokens per chunk": "mean", "Tokens in the index": "tokens"}
_RETIRED_SIZES = {"Mean tokens a passage": "Mean tokens per chunk", "Tokens of the index": "Tokens in the index"}
_MEASURE, _SCORE = "By the main measure", "By one score"


def ordered(result: RetrievalResult) -> RetrievalSummary:
    """Return the results in the selected order."""
    return replace(result.summary, rank="score" if state.address().text("order") == _SCORE else "measure")


def head(result: RetrievalResult) -> DeltaGenerator:
    """Show the question set; return the place of the exports, which depend on controls below."""
    summary, data = result.summary, result.summary.data
    line = st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center")
    with line:
        numbers = (
            markup.figure(data.questions, "question"),
            markup.figure(data.documents, "document"),
            markup.figure(len(summary.strategies), "compared", "compared"),
        )
        about = f'<span class="cs-quiet cs-kind">{TRUTH_TITLES[data.truth]}</span>'
        markup.show(
            f'<b>{markup.escape(data.name)}</b>{about}<div class="cs-figures">{"".join(numbers)}</div>',
            width="content",
        )
    if result.unkept:
        frame.show_error(ChunkscopeError(result.unkept, "Free some space in the cache folder."))
    return line


def warn_of_languages(result: RetrievalResult) -> None:
    """Show which documents are in a language that the encoder was not trained on."""
    for note in result.summary.language_notes:
        st.warning(markup.plain(note))


def results(result: RetrievalResult) -> None:
    """Show the verdict on all rows, the table, and the means and differences of a measure."""
    words = f"{markup.escape(result.summary.verdict.removesuffix('.'))}."
    markup.show(f'<p class="cs-r-verdict"><span>{markup.escape(table.measured_by(result.summary))}</span> {words}</p>')
    for conclusion in table.conclusions(result.summary):
        st.caption(markup.plain(conclusion))
    controls.segments("In order", (_MEASURE, _SCORE), name="order", label_visibility="collapsed")
    summary = ordered(result)
    block(report.results(summary, timed=True))
    left, middle, _ = st.columns([3, 3, 3])
    titles = {table.said(name): name for name in summary.measures}
    with left:
        title = controls.select("Measure", list(titles), name="measure", help="The measure of the figures below.")
    name = titles[title]
    with middle:
        other = controls.select(
            "Compared with", summary.ranked, name="against", help="The baseline of the differences."
        )
    means = html.legend("Mean over questions with its 95 % interval, in %.") + report.means_chart(summary, name)
    halves = f"<div><b>{markup.escape(table.titled(name))}</b>{means}</div>"
    if summary.against(name, other):
        words = (
            f"Difference vs. {other} in percentage points: mean with its simultaneous 95 % interval. Right of the "
            "line is better; an interval that crosses the line is inconclusive."
        )
        gaps = html.legend(words) + report.differences_chart(summary, name, other)
        halves += f"<div><b>Differences</b>{gaps}</div>"
    block(f'<div class="cs-r-halves">{halves}</div>')
    if summary.against(name, other):
        block(report.differences_table(summary, name, other))
    if summary.corpora:
        title = f"<p><b>{markup.escape(table.titled(name))} by corpus</b></p>"
        block(f"{title}{report.by_corpus(summary, name)}")


def sizes(result: RetrievalResult) -> None:
    """Show sizes against the main measure, and their distribution."""
    summary = ordered(result)
    title = controls.segments("Sizes", list(_SIZES), name="size", retired=_RETIRED_SIZES, label_visibility="collapsed")
    points = figures.size_and_quality(summary, _SIZES[title], summary.primary)
    front = figures.front(points)
    words = (
        f"Pareto front (dotted): {', '.join(front)}. No other strategy is at least as small and as good on average. "
    )
    st.caption(markup.plain(words + "Bars are 95 % intervals; where they overlap, the front is uncertain."))
    measure = table.said(summary.primary)
    intervals = [summary.main(name).interval or (None, None) for name in points]
    values: dict[str, list[Any]] = {
        "strategy": list(points),
        title.lower(): [size for size, _ in points.values()],
        f"{measure}, %": [100 * value for _, value in points.values()],
        "interval from, %": [low and 100 * low for low, _ in intervals],
        "interval to, %": [high and 100 * high for _, high in intervals],
        "front": ["yes" if name in front else "" for name in points],
    }
    label = f"{title} against {measure} of {len(points)} rows, with 95 % intervals and the Pareto front."
    axis = f"{title.lower()} ({summary.tokenizer})"
    figure("_retrieval_pareto", passages.pareto(summary, _SIZES[title], axis), label, values)
    block(figures.sizes(summary))


def notes(result: RetrievalResult) -> None:
    """Show the notes on the results, failures, and remarks on the question set."""
    summary = result.summary
    corrected = f"Corrected in the question set or left out: {summary.data.remarks_in_all:,}"
    sections = [("Failures", report.failures(summary)), (corrected, report.remarks(summary.data))]
    notes_block(summary.notes, sections)


def how(result: RetrievalResult) -> None:
    """Show how the numbers are measured, and how long that took."""
    summary = result.summary
    lines = [*table.searched(summary), report.method(summary), f"Time: {report.spent(summary)}."]
    block(html.definitions(report.definitions(summary)) + html.join(map(html.paragraph, lines)))


# --- exports ---------------------------------------------------------------------------------------------------------


def show_exports(request: RetrievalRequest, question_set: QuestionSet, result: RetrievalResult) -> None:
    """Show the popover with downloads and the command line; each file is made when its button is pressed."""
    popover = exports.popover("_retrieval_export")
    if not popover.open:
        return
    summary = ordered(result)  # a download is made outside the session
    stem = PurePath(summary.data.name).stem.replace(" ", "-").lower() or "retrieval"
    line, exact = command_line(request)
    title = _EXACT if exact else _INEXACT

    def report_html() -> str:
        return report.page(summary, line, report.words(question_set), title)

    def questions_csv() -> str:
        return export.table(per_question(question_set, summary), PER_QUESTION)

    files: list[Download] = [
        ("Report, HTML", f"{stem}-report.html", "text/html", report_html),
        ("Results, JSON", f"{stem}-results.json", "application/json", lambda: as_json(result.summary.as_dict())),
        ("Per question, CSV", f"{stem}-questions.csv", "text/csv", questions_csv),
    ]
    if request.choice.name == question_sets.YOURS:
        questions_jsonl = partial(question_sets.jsonl, question_sets.questions())
        files.append(("Questions, JSONL", "questions.jsonl", "application/jsonl", questions_jsonl))
    with popover:
        exports.downloads(files, "_retrieval")
        st.caption(title)
        st.code(line, "bash", wrap_lines=True)
        if request.choice.name not in (question_sets.SAMPLES, question_sets.FOLDER):
            st.caption(
                "Replace QUESTIONS by a folder with the files of the set, or with the documents and questions.jsonl."
            )
        _program(request, summary)


def _program(request: RetrievalRequest, summary: RetrievalSummary) -> None:
    """Show the program that searches with a strategy, with what it embeds and returns."""
    name = st.selectbox("Search with it in Python", summary.ranked, key="_retrieval_program")
    row = summary.strategies[name or summary.ranked[0]]
    setting = next(setting for setting in request.settings.values() if setting.text == row.setting)
    rerank = request.options.rerank
    reranker = (rerank.model, rerank.top) if rerank else None
    code = export.retrieval_code(setting, request.options.tools, row.retriever, reranker=reranker)
    st.code(code, "python", height=240)


_EXACT = "The same on the command line"
_INEXACT = "On the command line, for the main measure only: it takes one context budget"

PER_QUESTION = ("id", "question", "strategy", "retriever")
"""Columns of :func:`per_question` beside the measures."""


def per_question(question_set: QuestionSet, summary: RetrievalSummary) -> list[dict[str, Any]]:
    """Return the measures of each question in each row, one record per question and row."""
    words = report.words(question_set)
    return [
        {"id": id, "question": words.get(id, ""), "strategy": row.setting, "retriever": row.retriever}
        | {measure: values[number] for measure, values in row.per_question.items()}
        for number, id in enumerate(summary.questions)
        for row in summary.strategies.values()
    ]


def command_line(request: RetrievalRequest) -> tuple[str, bool]:
    """Return the command that runs the same evaluation, and whether it gives all of its measures."""
    choice, options = request.choice, request.options
    path = {question_sets.SAMPLES: samples.folder_for_commands(), question_sets.FOLDER: choice.folder}.get(
        choice.name, "QUESTIONS"
    )
    path = f"./{path}" if path.startswith("-") else path
    words = ["python", "-m", "chunking", "evaluate", "retrieval", path, "--strategies", ",".join(request.settings)]
    exact = options.kept.budgets == BUDGETS
    if not exact and request.within.tokens:
        words += ["--budget", str(request.within.tokens)]
        exact = len(options.kept.budgets) == 1 and options.kept.passages == Cutoffs.passages
    elif options.kept.passages != Cutoffs.passages:
        words += ["--top-k", str(options.kept.passages)]
    encoder = options.tools.encoder if uses_encoder(request.settings.values(), options.methods) else None
    rerank = options.rerank
    values = {
        "rerank": (rerank.model if rerank else None, None),
        "rerank-top": (str(rerank.top) if rerank else None, str(TOP)),
        "retriever": (",".join(options.methods), "dense"),
        "split": (choice.split, None),
        "encoder": (encoder, None),
        "tokenizer": (options.tools.tokenizer, Models(options.tools.encoder).tokenizer),
        "splitter": (options.tools.splitter, None),
    }
    for name, (value, usual) in values.items():
        if value is not None and value != usual:
            words += [f"--{name}", value]
    return shlex.join(words), exact
