"""An evaluation of retrieval as one HTML file that needs nothing else; see :mod:`chunking.report.html`.

However many strategies and questions there are, the file stays of a size that can be read: what is left out is said,
and is in the results as JSON. Its tables and figures stand alone as well, for a page.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import combinations

import numpy as np
from markupsafe import Markup

from chunking.report import charts, html
from chunking.report.definitions import measure_definitions
from chunking.report.formatting import NOTHING, percent
from chunking.retrieval.questions.data import TRUTH_TITLES, QuestionSet
from chunking.retrieval.reports import figures, table
from chunking.retrieval.reports.results import DataFacts, RetrievalSummary
from chunking.strategies import REGISTRY

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


def words(question_set: QuestionSet) -> dict[str, str]:
    """Return the questions in words, by id."""
    return {question.id: question.text for question in question_set.questions}


def page(
    summary: RetrievalSummary,
    command: str,
    texts: Mapping[str, str] | None = None,
    about: str = "The same on the command line:",
) -> str:
    """Return the report of an evaluation.

    Args:
        summary: the evaluation.
        command: the line that makes it again, shown as it is.
        texts: questions in words by id, where they are known.
        about: what is said before the line.
    """
    main = summary.primary
    sections = html.sections(
        [
            ("Data, settings and versions", html.definitions(facts(summary), facts=True)),
            ("Results", results(summary)),
            (table.titled(main), _means(summary)),
            (f"{table.titled(main)} by corpus", by_corpus(summary, main)),
            ("Recall by context budget", _within(summary)),
            ("Size against quality", html.legend(_PARETO) + figures.pareto(summary, main, "mean").markup),
            ("Sizes of the passages, in tokens", figures.sizes(summary)),
            (f"Differences of {table.said(main)}", _differences(summary)),
            *_questions(summary, texts or {}),
            ("Cost", _costs(summary)),
            ("Notes", html.bullets(summary.notes)),
            ("Failures", failures(summary)),
            ("Corrected or excluded data", remarks(summary.data)),
            ("Make it again", html.paragraph(about) + html.command(command) + html.paragraph(method(summary))),
            ("Definitions", html.definitions(definitions(summary))),
        ]
    )
    title = f"Retrieval: {summary.data.name}"
    return html.page(title, html.heading(title, 1) + _verdict(summary) + sections)


_PARETO = (
    "Mean tokens per passage against the mean over questions, with its 95 % interval. Filled dots, joined by a "
    "line: no other row is both as small and as good by its mean; where intervals overlap, this is uncertain."
)


def _verdict(summary: RetrievalSummary) -> Markup:
    words = f"{summary.verdict.removesuffix('.')}."
    first = html.paragraph(words, "verdict" if len(words) < _SHORT else "legend", table.measured_by(summary))
    return first + html.join(map(html.legend, table.conclusions(summary)))


def facts(summary: RetrievalSummary) -> dict[str, str]:
    """Return the facts of the setup, by name."""
    data, rows = summary.data, summary.strategies.values()
    budgets = summary.budgets if data.truth != "documents" else ()
    entries = {
        "Data set": data.name,
        "SHA-256 of documents and questions": data.sha256,
        "Documents": f"{data.documents:,}",
        "Questions": f"{data.questions:,}",
        "Truth": TRUTH_TITLES[data.truth],
        "Strategies": ", ".join(dict.fromkeys(row.setting for row in rows)),
        "Search methods": ", ".join(dict.fromkeys(row.retriever for row in rows)),
        "Dense search": summary.search.get("dense"),
        "Encoder": summary.encoder,
        "Encoder of boundaries": ", ".join(summary.boundary_encoders),
        "Tokenizer": summary.tokenizer,
        "Context budget (tokens)": ", ".join(f"{budget:,}" for budget in budgets),
        "Top k": f"{summary.top_k:,}",
        "Rows sorted by": "one score of sizes and retrieval" if summary.scored else table.said(summary.primary),
        **summary.versions,
    }
    return {name: value or "" for name, value in entries.items() if value or name in summary.versions}


def definitions(summary: RetrievalSummary) -> dict[str, str]:
    """Return the definitions of the measures of an evaluation, by name, with their sources."""
    judged = "documents" if summary.data.truth == "documents" else "spans"
    measures = measure_definitions(f"retrieval-{judged}")
    return {**measures, **measure_definitions("retrieval"), "one score": summary.score}


# --- tables and figures ----------------------------------------------------------------------------------------------


def results(summary: RetrievalSummary, timed: bool = False) -> Markup:
    """Return the main table with its legend, with the seconds of each row or without."""
    last = None if timed else -1
    heads = [table.said(name) if name == summary.primary else name for name in table.columns(summary)[:last]]
    rows = html.table(heads, [row[:last] for row in table.cells(summary)], "numbers")
    legend = "In %: mean over questions, of the main measure with its 95 % interval."
    legend += " s: seconds without embedding." * timed
    return rows + html.join(map(html.legend, [summary.score] * summary.scored + [legend, *table.named(summary)]))


def by_corpus(summary: RetrievalSummary, measure: str) -> Markup:
    """Return a measure by corpus; empty where there is one corpus."""
    if not summary.corpora:
        return html.NOTHING
    cells = [
        [name, percent(*summary.strategies[name].measures[measure]), *values]
        for name, *values in table.corpus_cells(summary, measure)
    ]
    return html.table(["strategy", "mean", *table.corpus_heads(summary)], cells, "numbers") + html.legend(
        "In %, with 95 % intervals; in parentheses the number of questions. The mean is over all questions, and its "
        "interval is for these corpora: questions are resampled within them."
    )


def _intervals(summary: RetrievalSummary) -> Markup:
    """Return every measure with its interval, folded."""
    cells = [
        [row, *(percent(*summary.strategies[row].measures[name]).replace(" [", "\n[") for name in summary.measures)]
        for row in summary.ranked
    ]
    rows = html.table(["strategy", *summary.measures], cells, "numbers")
    return html.folded("Every measure with its 95 % interval", rows)


def baselines(summary: RetrievalSummary) -> frozenset[str]:
    """Return the rows whose strategies go by size alone."""
    families = {name: strategy.family for name, strategy in REGISTRY.items()}
    rows = summary.strategies.items()
    return frozenset(name for name, row in rows if families.get(row.setting.partition(":")[0]) == "size")


def means_chart(
    summary: RetrievalSummary, measure: str, mark: float | None = None, quiet: Collection[str] = ()
) -> Markup:
    """Return the mean of every row in a measure, with its interval.

    Args:
        summary: the evaluation.
        measure: its name.
        mark: where a line is; ``None`` for none.
        quiet: names of rows that are quieter.
    """
    entries = [(name, *summary.strategies[name].measures[measure]) for name in summary.ranked]
    return charts.dot_chart(entries, mark, f"{table.said(measure)} of {len(entries)} rows", percent, quiet)


def _means(summary: RetrievalSummary) -> Markup:
    quiet = baselines(summary)
    best = max(quiet, key=lambda name: (summary.main(name).mean, name), default=None)
    words = "Dot: mean over questions, in %; bar: 95 % interval."
    if best is not None:
        words += f" Grey: strategies that go by size alone; dashed: the best of them, {best}."
    mark = None if best is None else summary.main(best).mean
    return html.legend(words) + means_chart(summary, summary.primary, mark, quiet) + _intervals(summary)


def _within(summary: RetrievalSummary) -> Markup:
    chart = figures.within(summary, baselines(summary))
    *fewer, most = (f"{budget:,}" for budget in sorted(summary.budgets) or [0])
    words = f"In %, with context budgets of {', '.join(fewer)} and {most} tokens, from the small dot to the large one."
    return html.legend(words) + chart if chart else html.NOTHING


def _differences(summary: RetrievalSummary) -> Markup:
    """Return the differences of all rows from the best, and of all pairs unless there are too many."""
    main, names = summary.primary, summary.ranked
    best = names[0]
    if not summary.against(main, best):
        return html.NOTHING
    words = (
        f"Difference from {best}, the first row, in points: mean and simultaneous interval. Right of the "
        "line is better; on the line, the difference is not significant."
    )
    pairs = len(names) * (len(names) - 1) // 2
    if pairs <= _PAIRS:
        better = {other: summary.against(main, other) for other in names}  # the better row less the other
        cells = table.pair_cells(better[other][one] for one, other in combinations(names, 2))
        rows = html.table(["strategy", "vs.", *table.DIFFERENCE], cells, "pairs")
    else:
        rows = differences_table(summary, main, best) + _left_out(pairs - len(names) + 1, "pairs")
    return html.legend(words) + differences_chart(summary, main, best, baselines(summary)) + rows


def differences_table(summary: RetrievalSummary, measure: str, other: str) -> Markup:
    """Return the differences of rows from another one, with both intervals."""
    cells = table.against_cells(summary.against(measure, other).values())
    return html.table([f"Difference vs. {other}", *table.DIFFERENCE], cells, "numbers")


def differences_chart(summary: RetrievalSummary, measure: str, other: str, quiet: Collection[str] = ()) -> Markup:
    """Return the differences of rows from another one, with their simultaneous intervals.

    Args:
        summary: the evaluation.
        measure: its name.
        other: the row that they differ from.
        quiet: names of rows that are quieter.
    """
    entries = [(name, pair.mean, pair.simultaneous) for name, pair in summary.against(measure, other).items()]
    title = f"{table.said(measure)} of {len(entries)} rows vs. {other}"
    return charts.dot_chart(entries, 0.0, title, lambda value: percent(value, sign="+"), quiet)


def _left_out(number: int, what: str) -> Markup:
    return html.legend(f"{number:,} more {what} are in the results as JSON.") if number > 0 else html.NOTHING


# --- questions -------------------------------------------------------------------------------------------------------


def _questions(summary: RetrievalSummary, texts: Mapping[str, str]) -> list[tuple[str, Markup]]:
    """Return the questions that differ most between rows, the worst first; with one row, those that fare worst."""
    ids, names, main = summary.questions, summary.ranked, summary.primary
    if not ids or not names:
        return []
    values = np.array([summary.strategies[name].per_question[main] for name in names])
    spread, mean = values.max(axis=0) - values.min(axis=0), values.mean(axis=0)
    order = np.lexsort((mean, -spread))[:_QUESTIONS].tolist()
    shown_rows, has_more = names[:_COLUMNS], len(names) > _COLUMNS
    ends = np.stack((values.min(axis=0), values.max(axis=0)))[: 2 * has_more]
    heads = ["question", *("lowest", "highest")[: 2 * has_more], *shown_rows]
    columns = np.concatenate((ends, values[: len(shown_rows)]))
    rows = [[_question(ids[index], texts), *map(percent, columns[:, index].tolist())] for index in order]
    words = f"{table.titled(main)}, in %. Of {values.shape[1]:,} questions, "
    words += f"{int((values == 0).all(axis=0).sum()):,} get 0 under every row"
    if len(values) > 1:
        words += f", and {int((values == values[0]).all(axis=0).sum()):,} the same under all"
    content = html.legend(f"{words}.") + html.table(heads, rows, "words", names=shown_rows)
    content += _left_out(len(ids) - len(order), "questions")
    if has_more:
        content += html.legend(f"Of {len(names)} rows, the first {len(shown_rows)} have a column.")
    return [("Questions that differ most between rows" if spread.any() else "Questions that fare worst", content)]


def _question(id: str, texts: Mapping[str, str]) -> str:
    """Return a question in words, else its id."""
    text = " ".join(texts.get(id, "").split()) or id
    return text if len(text) <= _LETTERS else f"{text[: _LETTERS - 1]}…"


# --- cost, remarks and failures --------------------------------------------------------------------------------------

_STEPS = ("cutting", "searching", "measuring")


def _costs(summary: RetrievalSummary) -> Markup:
    heads = ["strategy", "passages", "tokens of the index", "longer than read", *(f"{step}, s" for step in _STEPS)]
    rows = []
    for name in summary.ranked:
        row = summary.strategies[name]
        steps = (f"{row.seconds[step]:.2f}" if step in row.seconds else NOTHING for step in _STEPS)
        rows.append([name, f"{row.chunks.number:,}", f"{row.chunks.tokens:,}", f"{row.truncated:,}", *steps])
    words = f"In all: {spent(summary)}. Longer than read: passages of which the encoder does not read the end."
    return html.table(heads, rows, "numbers") + html.legend(words)


def spent(summary: RetrievalSummary) -> str:
    """Return the time of each step, in words."""
    return ", ".join(f"{step} {seconds:,.1f} s" for step, seconds in summary.seconds.items())


def method(summary: RetrievalSummary) -> str:
    """Return how the intervals were computed, in words."""
    settings = summary.method
    return (
        f"{settings['resamples']:,} resamples of {settings['resampled']}, seed {settings['seed']}; the first "
        f"{settings['depth']:,} passages of each ranking are evaluated."
    )


def failures(summary: RetrievalSummary) -> Markup:
    """Return the documents that a strategy could not cut, with the reason; empty if there are none."""
    rows = [[name, remark.id, remark.what] for name, row in summary.strategies.items() for remark in row.failed]
    return _first_lines(["strategy", "document", "why"], rows, len(rows), "failures")


def remarks(data: DataFacts) -> Markup:
    """Return the corrected or excluded data; empty if there is none."""
    rows = [[remark.file, str(remark.line or ""), remark.id, remark.what] for remark in data.remarks]
    return _first_lines(["file", "line", "id", "what"], rows, data.remarks_in_all, "remarks")


def _first_lines(heads: Sequence[str], rows: Sequence[Sequence[str]], total: int, what: str) -> Markup:
    if not rows:
        return html.NOTHING
    note = html.legend(f"{_LINES:,} of {total:,} {what}.") if total > _LINES else html.NOTHING
    return html.table(heads, rows[:_LINES]) + note
