"""The results of a retrieval evaluation: verdict, table, differences, sizes, remarks, and downloads."""

from __future__ import annotations

import shlex
from pathlib import PurePath
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from chunking import ChunkscopeError, embedding, export, samples, tokens
from chunking.report import charts, html
from chunking.report.formatting import percent
from chunking.retrieval.evaluate import uses_encoder
from chunking.retrieval.measures import BUDGETS, Cutoffs
from chunking.retrieval.questions import own
from chunking.retrieval.questions.data import TRUTH_TITLES, QuestionSet
from chunking.retrieval.reports import figures, report, table
from pages.shared import state
from pages.shared.components.figure import figure
from pages.shared.documents import exports
from pages.shared.documents.exports import Download, as_json
from pages.shared.evaluate import passages, question_sets
from pages.shared.evaluate.report_parts import block, notes_block
from pages.shared.evaluate.retrieval_jobs import RetrievalRequest, RetrievalResult
from pages.shared.frame import frame, markup
from pages.shared.settings import controls

_SIZES = {"Mean tokens per chunk": "mean", "Tokens in the index": "tokens"}


_RETIRED_SIZES = {"Mean tokens a passage": "Mean tokens per chunk", "Tokens of the index": "Tokens in the index"}


def ordered(shown: dict[str, Any]) -> dict[str, Any]:
    """Return the results in the selected order."""
    return shown | {"rank": "score" if state.address().text("order") == _SCORE else "measure"}


_MEASURE, _SCORE = "By the main measure", "By one score"


def head(result: RetrievalResult) -> DeltaGenerator:
    """Show the question set and the verdict; return the place of the exports, which depend on controls below."""
    shown, data = result.shown, result.shown["data"]
    line = st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center")
    with line:
        numbers = (
            markup.figure(data["questions"], "question"),
            markup.figure(data["documents"], "document"),
            markup.figure(len(shown["strategies"]), "compared", "compared"),
        )
        about = f'<span class="cs-quiet cs-kind">{TRUTH_TITLES[data["truth"]]}</span>'
        markup.show(
            f'<b>{markup.escape(data["name"])}</b>{about}<div class="cs-figures">{"".join(numbers)}</div>',
            width="content",
        )
    verdict(shown)
    for note in shown.get("language_notes", []):
        st.warning(markup.plain(note))
    if result.unkept:
        frame.show_error(ChunkscopeError(result.unkept, "Free some space in the cache folder."))
    return line


def verdict(shown: dict[str, Any]) -> None:
    """Show what can be said of the best row and the next."""
    words = f"<span>{markup.escape(table.measured_by(shown))}</span> {markup.escape(_sentence(shown['verdict']))}"
    markup.show(f'<p class="cs-r-verdict">{words}</p>')
    for line in table.conclusions(shown):
        st.caption(markup.plain(line))


def _sentence(text: str) -> str:
    return text if text.endswith(".") else f"{text}."


def results(result: RetrievalResult) -> None:
    """Show the table, and the means and differences of a measure."""
    controls.segments("In order", (_MEASURE, _SCORE), name="order", label_visibility="collapsed")
    shown = ordered(result.shown)
    score = f'<p class="legend">{markup.escape(shown["score"])}</p>' if table.scored(shown) else ""
    block(f"{html.table(_heads(shown), table.cells(shown), 'numbers')}{score}{_LEGEND}")
    left, middle, _ = st.columns([3, 3, 3])
    names = table.measures(shown)
    titles = {table.said(name): name for name in names}
    with left:
        name = titles[
            controls.select("Measure", list(titles), name="measure", help="The measure of the figures below.")
        ]
    ranked = table.ranked(shown)
    with middle:
        other = controls.select("Compared with", ranked, name="against", help="The baseline of the differences.")
    entries = [(row, shown["strategies"][row][name], shown["strategies"][row][f"{name}_interval"]) for row in ranked]
    means = charts.dot_chart(entries, None, f"{table.said(name)} of {len(entries)} rows", percent)
    halves = f"<div><b>{markup.escape(table.titled(name))}</b>"
    halves += f'<p class="legend">Mean over questions with its 95 % interval, in %.</p>{means}</div>'
    pairs = table.against(shown, name, other)
    if pairs:
        legend = f"Difference vs. {other} in percentage points: mean with its simultaneous 95 % interval. Right of the "
        legend += "line is better; an interval that crosses the line is inconclusive."
        gaps = charts.dot_chart(
            [(each["row"], each["difference"], each["simultaneous"]) for each in pairs], 0.0,
            f"{table.said(name)}: differences of {len(pairs)} rows vs. {other}", lambda value: percent(value, sign="+"),
        )  # fmt: skip
        halves += f'<div><b>Differences</b><p class="legend">{markup.escape(legend)}</p>{gaps}</div>'
    block(f'<div class="cs-r-halves">{halves}</div>')
    block(_pairs(pairs, other))
    if shown["corpora"]:
        title = f"<p><b>{markup.escape(table.titled(name))} by corpus</b></p>"
        block(f"{title}{report.by_corpus(shown, name)}")


_LEGEND = (
    '<p class="legend">Mean over questions in %, for the main measure with its 95 % interval. s: seconds without '
    "embedding.</p>"
)


def _heads(shown: dict[str, Any]) -> list[str]:
    """Return the column heads of the table; the main measure is spelled out."""
    return [table.said(name) if name == shown["primary"] else name for name in table.columns(shown)]


def _pairs(pairs: list[dict[str, Any]], other: str) -> str:
    if not pairs:
        return ""
    return html.table([f"Difference vs. {other}", *table.DIFFERENCE], table.against_cells(pairs), "numbers")


def sizes(result: RetrievalResult) -> None:
    """Show sizes against the main measure, and their distribution."""
    shown = ordered(result.shown)
    title = controls.segments("Sizes", list(_SIZES), name="size", retired=_RETIRED_SIZES, label_visibility="collapsed")
    front = figures.front(
        {
            name: (float(row["chunks"][_SIZES[title]]), float(row[shown["primary"]]))
            for name, row in shown["strategies"].items()
            if row["chunks"]["number"]
        }
    )
    words = (
        f"Pareto front (dotted): {', '.join(front)}. No other strategy is at least as small and as good on average. "
    )
    st.caption(markup.plain(words + "Bars are 95 % intervals; where they overlap, the front is uncertain."))
    axis = f"{title.lower()} ({shown['tokenizer']})"
    measure = table.said(shown["primary"])
    rows = {name: row for name, row in shown["strategies"].items() if row["chunks"]["number"]}
    intervals = [row[f"{shown['primary']}_interval"] or (None, None) for row in rows.values()]
    values = {
        "strategy": list(rows),
        title.lower(): [float(row["chunks"][_SIZES[title]]) for row in rows.values()],
        f"{measure}, %": [100 * row[shown["primary"]] for row in rows.values()],
        "interval from, %": [low and 100 * low for low, _ in intervals],
        "interval to, %": [high and 100 * high for _, high in intervals],
        "front": ["yes" if name in front else "" for name in rows],
    }
    label = f"{title} against {measure} of {len(rows)} rows, with 95 % intervals and the Pareto front."
    figure("_retrieval_pareto", passages.pareto(shown, _SIZES[title], axis, measure), label, values)
    block(figures.sizes(shown))


def notes(question_set: QuestionSet, result: RetrievalResult) -> None:
    """Show the notes on the results, failures, and remarks on the question set."""
    shown = result.shown
    failures = [[name, each["id"], each["what"]] for name, row in shown["strategies"].items() for each in row["failed"]]
    remarks = [[each.file, str(each.line or ""), each.id, each.what] for each in question_set.remarks[:500]]
    title = f"Corrected in the question set or left out: {len(question_set.remarks):,}"
    sections = (
        ("Failures", failures and html.table(["row", "document", "reason"], failures)),
        (title, remarks and html.table(["file", "line", "id", "remark"], remarks)),
    )
    notes_block(shown["notes"], [(title, body or "") for title, body in sections])


def how(result: RetrievalResult) -> None:
    """Show how the numbers are measured, and how long that took."""
    shown = result.shown
    searched = "".join(f"<p>{markup.escape(line)}</p>" for line in table.searched(shown))
    words = f"{searched}<p>{markup.escape(report.method(shown))}</p><p>Time: {markup.escape(report.spent(shown))}.</p>"
    block(f"{html.definitions(report.definitions(shown))}{words}")


# --- exports ---------------------------------------------------------------------------------------------------------


def show_exports(request: RetrievalRequest, question_set: QuestionSet, result: RetrievalResult) -> None:
    """Show the popover with downloads and the command line; each file is made when its button is pressed."""
    popover = exports.popover("_retrieval_export")
    if not popover.open:
        return
    shown = result.shown
    stem = PurePath(shown["data"]["name"]).stem.replace(" ", "-").lower() or "retrieval"
    line, exact = command_line(request)
    title = _EXACT if exact else _INEXACT
    arranged = ordered(shown)  # a download is made outside the session

    def report_html() -> str:
        return report.page(arranged, line, report.words(question_set), title)

    def questions_csv() -> str:
        return export.table(per_question(question_set, shown), PER_QUESTION)

    files: list[Download] = [
        ("Report, HTML", f"{stem}-report.html", "text/html", report_html),
        ("Results, JSON", f"{stem}-results.json", "application/json", lambda: as_json(shown)),
        ("Per question, CSV", f"{stem}-questions.csv", "text/csv", questions_csv),
    ]
    if request.chosen.name == question_sets.YOURS:
        questions = question_sets.questions()
        files.append(("Questions, JSONL", "questions.jsonl", "application/jsonl", lambda: own.jsonl(questions)))
    with popover:
        exports.downloads(files, "_retrieval")
        st.caption(title)
        st.code(line, "bash", wrap_lines=True)
        if request.chosen.name not in (question_sets.SAMPLES, question_sets.FOLDER):
            st.caption(
                "Replace QUESTIONS by a folder with the files of the set, or with the documents and questions.jsonl."
            )
        _program(request, arranged)


def _program(request: RetrievalRequest, shown: dict[str, Any]) -> None:
    """Show the program that searches with a strategy, with what it embeds and returns."""
    ranked = table.ranked(shown)
    name = st.selectbox("Search with it in Python", ranked, key="_retrieval_program")
    row = shown["strategies"][name or ranked[0]]
    setting = next(each for each in request.settings.values() if each.text == row["setting"])
    st.code(export.retrieval_code(setting, request.options.tools, row["retriever"]), "python", height=240)


_EXACT = "The same on the command line"
_INEXACT = "On the command line, for the main measure only: it takes one context budget"

PER_QUESTION = ("id", "question", "strategy", "retriever")
"""Columns of :func:`per_question` beside the measures."""


def per_question(question_set: QuestionSet, shown: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the measures of each question in each row, one record per question and row."""
    words = {question.id: question.text for question in question_set.questions}
    return [
        {"id": id, "question": words.get(id, ""), "strategy": row["setting"], "retriever": row["retriever"]}
        | {measure: values[place] for measure, values in row["per_question"].items()}
        for place, id in enumerate(shown["questions"])
        for row in shown["strategies"].values()
    ]


def command_line(request: RetrievalRequest) -> tuple[str, bool]:
    """Return the command that runs the same evaluation, and whether it gives all of its measures."""
    chosen, options = request.chosen, request.options
    place = {question_sets.SAMPLES: samples.folder_for_commands(), question_sets.FOLDER: chosen.folder}.get(
        chosen.name, "QUESTIONS"
    )
    place = f"./{place}" if place.startswith("-") else place
    words = ["python", "-m", "chunking", "evaluate", "retrieval", place, "--strategies", ",".join(request.settings)]
    exact = options.kept.budgets == BUDGETS
    if not exact and request.within.tokens:
        words += ["--budget", str(request.within.tokens)]
        exact = len(options.kept.budgets) == 1 and options.kept.passages == Cutoffs.passages
    elif options.kept.passages != Cutoffs.passages:
        words += ["--top-k", str(options.kept.passages)]
    encoder = options.tools.encoder if uses_encoder(request.settings.values(), options.methods) else None
    given = {
        "retriever": (",".join(options.methods), "dense"),
        "split": (chosen.split, None),
        "encoder": (encoder, embedding.DEFAULT_ENCODER),
        "tokenizer": (options.tools.tokenizer, tokens.DEFAULT_TOKENIZER),
        "splitter": (options.tools.splitter, None),
    }
    for name, (value, usual) in given.items():
        if value is not None and value != usual:
            words += [f"--{name}", value]
    return shlex.join(words), exact
