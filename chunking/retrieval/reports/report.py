"""An evaluation of retrieval as one HTML file that needs nothing else; see :mod:`chunking.report.html`.

However many strategies and questions there are, the file stays of a size that can be read: what is left out is said,
and is in the results as JSON.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np
from markupsafe import Markup

from chunking.report import charts, html
from chunking.report.definitions import measure_definitions
from chunking.report.formatting import NOTHING, percent
from chunking.retrieval.questions.data import TRUTH_TITLES, QuestionSet
from chunking.retrieval.reports import figures, table
from chunking.strategies import REGISTRY


def definitions(summary: dict[str, Any]) -> dict[str, str]:
    """Return the definitions of the measures of an evaluation, by name, with their sources."""
    judged = "documents" if summary["data"]["truth"] == "documents" else "spans"
    measures = measure_definitions(f"retrieval-{judged}")
    return {**measures, **measure_definitions("retrieval"), "one score": summary["score"]}


_QUESTIONS = 25
"""Questions that are shown one by one."""

_COLUMNS = 8
"""Rows whose values of single questions are shown."""

_PAIRS = 100
"""Pairs up to which all of them are shown; with more, those of the best row."""

_LINES = 100
"""Failures and remarks that are shown one by one."""

_LETTERS = 200
"""Of a question."""

_SHORT = 400
"""Letters of a verdict that is set large."""


def words(known: QuestionSet) -> dict[str, str]:
    """Return the questions in words, by id."""
    return {question.id: question.text for question in known.questions}


def page(
    summary: dict[str, Any],
    command: str,
    texts: Mapping[str, str] | None = None,
    about: str = "The same on the command line:",
) -> str:
    """Return the report of what :func:`chunking.retrieval.reports.summary.as_dict` gives.

    Args:
        summary: the evaluation, with the values of every question or without.
        command: the line that makes it again, shown as it is.
        texts: questions in words by id, where they are known.
        about: what is said before the line.
    """
    main = summary["primary"]
    again = html.paragraph(about) + html.command(command) + html.paragraph(method(summary))
    sections = html.sections(
        [
            ("Data, settings and versions", html.definitions(facts(summary), facts=True)),
            ("Results", results(summary)),
            (table.titled(main), _means(summary)),
            (f"{table.titled(main)} by corpus", by_corpus(summary, main)),
            ("Recall by context budget", _within(summary)),
            ("Size against quality", _pareto(summary)),
            ("Sizes of the passages, in tokens", figures.sizes(summary)),
            (f"Differences of {table.said(main)}", _differences(summary)),
            *_questions(summary, texts or {}),
            ("Cost", _costs(summary)),
            ("Notes", html.bullets(summary["notes"])),
            ("Failures", failures(summary)),
            ("Corrected or excluded data", remarks(summary["data"])),
            ("Make it again", again),
            ("Definitions", html.definitions(definitions(summary))),
        ]
    )
    title = f"Retrieval: {summary['data']['name']}"
    return html.page(title, html.heading(title, 1) + verdict(summary) + sections)


def verdict(summary: dict[str, Any]) -> Markup:
    """Return the verdict on the best row."""
    words = f"{summary['verdict'].removesuffix('.')}."
    first = html.paragraph(words, "verdict" if len(words) < _SHORT else "legend", table.measured_by(summary))
    return first + html.join(map(html.legend, table.conclusions(summary)))


def facts(summary: dict[str, Any]) -> dict[str, str]:
    """Return the facts of the setup, by name."""
    data, rows = summary["data"], summary["strategies"]
    methods = list(dict.fromkeys(row["retriever"] for row in rows.values()))
    entries = {
        "Data set": data["name"],
        **({"SHA-256 of documents and questions": data["sha256"]} if "sha256" in data else {}),
        "Documents": f"{data['documents']:,}",
        "Questions": f"{data['questions']:,}",
        "Truth": TRUTH_TITLES[data["truth"]],
        "Strategies": ", ".join(dict.fromkeys(row["setting"] for row in rows.values())),
        "Search methods": ", ".join(methods),
    }
    if summary["search"]:
        entries["Dense search"] = summary["search"]["dense"]
    if summary["encoder"]:
        entries["Encoder"] = summary["encoder"]
    entries["Tokenizer"] = summary["tokenizer"]
    if data["truth"] != "documents" and summary["budgets"]:
        entries["Context budget (tokens)"] = ", ".join(f"{budget:,}" for budget in summary["budgets"])
    order = "one score of sizes and retrieval" if table.scored(summary) else table.said(summary["primary"])
    return {**entries, "Top k": f"{summary['top_k']:,}", "Rows sorted by": order, **summary["versions"]}


# --- tables and figures ----------------------------------------------------------------------------------------------

LEGEND = "In %: mean over questions, of the main measure with its 95 % interval."


def results(summary: dict[str, Any]) -> Markup:
    """Return the main table with its legend."""
    # How long a row took stands under what it cost.
    heads = [table.said(name) if name == summary["primary"] else name for name in table.columns(summary)[:-1]]
    rows = html.table(heads, [row[:-1] for row in table.cells(summary)], "numbers")
    legends = [summary["score"]] * table.scored(summary) + [LEGEND, *table.named(summary)]
    return rows + html.join(map(html.legend, legends))


def by_corpus(summary: dict[str, Any], measure: str) -> Markup:
    """Return a measure by corpus; empty where there is one corpus."""
    if not summary["corpora"]:
        return html.NOTHING
    heads = ["strategy", "mean", *table.corpus_heads(summary)]
    rows = summary["strategies"]
    cells = [
        [name, percent(rows[name][measure], rows[name][f"{measure}_interval"]), *values]
        for name, *values in table.corpus_cells(summary, measure)
    ]
    return html.table(heads, cells, "numbers") + html.legend(
        "In %, with 95 % intervals; in parentheses the number of questions. The mean is over all questions, and its "
        "interval is for these corpora: questions are resampled within them."
    )


def _intervals(summary: dict[str, Any]) -> Markup:
    """Return every measure with its interval, folded."""
    names, rows = table.measures(summary), summary["strategies"]
    cells = [
        [row, *(percent(rows[row][name], rows[row][f"{name}_interval"]).replace(" [", "\n[") for name in names)]
        for row in table.ranked(summary)
    ]
    return html.folded("Every measure with its 95 % interval", html.table(["strategy", *names], cells, "numbers"))


def baselines(summary: dict[str, Any]) -> frozenset[str]:
    """Return the rows whose strategies go by size alone."""
    families = {name: strategy.family for name, strategy in REGISTRY.items()}
    rows = summary["strategies"].items()
    return frozenset(name for name, row in rows if families.get(row["setting"].partition(":")[0]) == "size")


def _means(summary: dict[str, Any]) -> Markup:
    main, rows, quiet = summary["primary"], summary["strategies"], baselines(summary)
    best = max(quiet, key=lambda name: (rows[name][main], name), default=None)
    words = "Dot: mean over questions, in %; bar: 95 % interval."
    if best is not None:
        words += f" Grey: strategies that go by size alone; dashed: the best of them, {best}."
    entries = [(name, rows[name][main], rows[name][f"{main}_interval"]) for name in table.ranked(summary)]
    mark = None if best is None else rows[best][main]
    chart = charts.dot_chart(entries, mark, f"{table.said(main)} of {len(entries)} rows", percent, quiet)
    return html.legend(words) + chart + _intervals(summary)


def _within(summary: dict[str, Any]) -> Markup:
    chart = figures.within(summary, baselines(summary))
    *fewer, most = (f"{budget:,}" for budget in sorted(summary["budgets"]) or [0])
    words = f"In %, with context budgets of {', '.join(fewer)} and {most} tokens, from the small dot to the large one."
    return html.legend(words) + chart if chart else html.NOTHING


def _pareto(summary: dict[str, Any]) -> Markup:
    words = (
        "Mean tokens per passage against the mean over questions, with its 95 % interval. Filled dots, joined by a "
        "line: no other row is both as small and as good by its mean; where intervals overlap, this is uncertain."
    )
    return html.legend(words) + figures.pareto(summary, summary["primary"], "mean").markup


def _differences(summary: dict[str, Any]) -> Markup:
    """Return the differences of all rows from the best, and of all pairs unless there are too many."""
    main, names = summary["primary"], table.ranked(summary)
    best = names[0]
    against = table.against(summary, main, best)
    if not against:
        return html.NOTHING
    words = (
        f"Difference from {best}, the first row, in points: mean and simultaneous interval. Right of the "
        "line is better; on the line, the difference is not significant."
    )
    pairs = len(names) * (len(names) - 1) // 2
    if pairs <= _PAIRS:
        rows = html.table(["strategy", "vs.", *table.DIFFERENCE], _pairs(summary, names), "pairs")
    else:
        rows = html.table([f"vs. {best}", *table.DIFFERENCE], table.against_cells(against), "numbers")
        rows += _left_out(pairs - len(against), "pairs")
    return html.legend(words) + differences_chart(against, main, best, baselines(summary)) + rows


def differences_chart(
    against: Sequence[Mapping[str, Any]], measure: str, other: str, quiet: Collection[str] = ()
) -> Markup:
    """Return the differences of rows from another one, with their simultaneous intervals.

    Args:
        against: the result of :func:`chunking.retrieval.reports.table.against`.
        measure: its name.
        other: the row that they differ from.
        quiet: names of rows that are quieter.
    """
    entries = [(pair["row"], pair["difference"], pair["simultaneous"]) for pair in against]
    title = f"{table.said(measure)} of {len(entries)} rows vs. {other}"
    return charts.dot_chart(entries, 0.0, title, lambda value: percent(value, sign="+"), quiet)


def _pairs(summary: dict[str, Any], names: Sequence[str]) -> list[list[str]]:
    """Return all pairs, the better row less the other."""
    less = {
        (row, other): cells
        for other in names
        for row, *cells in table.against_cells(table.against(summary, summary["primary"], other))
    }
    return [[one, other, *less[one, other]] for one, other in combinations(names, 2)]


def _left_out(number: int, what: str) -> Markup:
    return html.legend(f"{number:,} more {what} are in the results as JSON.") if number > 0 else html.NOTHING


# --- questions -------------------------------------------------------------------------------------------------------


def _questions(summary: dict[str, Any], texts: Mapping[str, str]) -> list[tuple[str, Markup]]:
    """Return the questions that differ most between rows, the worst first; with one row, those that fare worst."""
    ids, names, main = summary["questions"], table.ranked(summary), summary["primary"]
    if not ids or not names:
        return []
    values = np.array([summary["strategies"][name]["per_question"][main] for name in names])
    spread, mean = values.max(axis=0) - values.min(axis=0), values.mean(axis=0)
    order = np.lexsort((mean, -spread))[:_QUESTIONS].tolist()
    shown, more = names[:_COLUMNS], len(names) > _COLUMNS
    ends = np.stack((values.min(axis=0), values.max(axis=0)))[: 2 * more]
    heads = ["question", *("lowest", "highest")[: 2 * more], *shown]
    columns = np.concatenate((ends, values[: len(shown)]))
    rows = [[_asked(ids[place], texts), *map(percent, columns[:, place].tolist())] for place in order]
    words = f"{table.titled(main)}, in %. Of {values.shape[1]:,} questions, "
    words += f"{int((values == 0).all(axis=0).sum()):,} get 0 under every row"
    if len(values) > 1:
        words += f", and {int((values == values[0]).all(axis=0).sum()):,} the same under all"
    content = html.legend(f"{words}.") + html.table(heads, rows, "words", names=shown)
    content += _left_out(len(ids) - len(order), "questions")
    if more:
        content += html.legend(f"Of {len(names)} rows, the first {len(shown)} have a column.")
    return [("Questions that differ most between rows" if spread.any() else "Questions that fare worst", content)]


def _asked(id: str, texts: Mapping[str, str]) -> str:
    """Return a question in words, else its id."""
    text = " ".join(texts.get(id, "").split()) or id
    return text if len(text) <= _LETTERS else f"{text[: _LETTERS - 1]}…"


# --- what it took ----------------------------------------------------------------------------------------------------

_STEPS = ("cutting", "searching", "measuring")


def _costs(summary: dict[str, Any]) -> Markup:
    heads = ["strategy", "passages", "tokens of the index", "longer than read", *(f"{step}, s" for step in _STEPS)]
    rows = []
    for name in table.ranked(summary):
        row = summary["strategies"][name]
        chunks = row["chunks"]
        steps = (f"{row['seconds'][step]:.2f}" if step in row["seconds"] else NOTHING for step in _STEPS)
        tokens = f"{chunks['tokens']:,}" if chunks["number"] else "0"
        rows.append([name, f"{chunks['number']:,}", tokens, f"{row['truncated']:,}", *steps])
    words = f"In all: {spent(summary)}. Longer than read: passages of which the encoder does not read the end."
    return html.table(heads, rows, "numbers") + html.legend(words)


def spent(summary: dict[str, Any]) -> str:
    """Return the time of each step, in words."""
    return ", ".join(f"{step} {seconds:,.1f} s" for step, seconds in summary["seconds"].items())


def method(summary: dict[str, Any]) -> str:
    """Return how the intervals were computed, in words."""
    settings = summary["method"]
    return (
        f"{settings['resamples']:,} resamples of {settings['resampled']}, seed {settings['seed']}; the first "
        f"{settings['depth']:,} passages of each ranking are evaluated."
    )


# --- remarks and failures --------------------------------------------------------------------------------------------


def failures(summary: dict[str, Any]) -> Markup:
    """Return the documents that a strategy could not cut, with the reason; empty if there are none."""
    rows = [
        [name, remark["id"], remark["what"]] for name, row in summary["strategies"].items() for remark in row["failed"]
    ]
    return _first_lines(["strategy", "document", "why"], rows, len(rows), "failures")


def remarks(data: dict[str, Any]) -> Markup:
    """Return the corrected or excluded data; empty if there is none."""
    rows = [[remark["file"], str(remark["line"] or ""), remark["id"], remark["what"]] for remark in data["remarks"]]
    return _first_lines(["file", "line", "id", "what"], rows, data["remarks_in_all"], "remarks")


def _first_lines(heads: Sequence[str], rows: Sequence[Sequence[str]], total: int, what: str) -> Markup:
    if not rows:
        return html.NOTHING
    more = html.legend(f"{_LINES:,} of {total:,} {what}.") if total > _LINES else html.NOTHING
    return html.table(heads, rows[:_LINES]) + more
