"""Answers as cells of tables, and as a text for a terminal."""

from __future__ import annotations

from chunking.report.formatting import aligned, harmless, percent
from chunking.retrieval.answers.summary import OUTCOME_TITLES, OUTCOMES, AnswerSummary
from chunking.retrieval.reports.table import DIFFERENCE, pair_cells

COLUMNS = ("strategy", *(OUTCOME_TITLES[outcome] for outcome in OUTCOMES), "retrieved", "word F1", "quote words")
"""The heads of the main table."""

LEGEND = (
    "In % of the questions, right ones with their 95 % interval. Not found: the model says that the passages do not "
    "hold the answer, though they hold all of the quote, or where they do not. Retrieved: passages with all of the "
    "quote. Word F1, quote words: shared words of answer and quote, 0 without an answer."
)


def headline(summary: AnswerSummary) -> str:
    """Return a line that says what was answered."""
    checked = "judged by itself" if summary.judged else "checked by their words"
    return (
        f"{summary.name}: {len(summary.questions):,} questions, answered by {summary.model} at {summary.endpoint} from "
        f"{summary.within} of each strategy, and {checked} against the quotes"
    )


def cells(summary: AnswerSummary) -> list[list[str]]:
    """Return the rows of the main table."""
    rows = []
    for name, row in summary.rows.items():
        measures = row.measures
        others = (*OUTCOMES[1:], "retrieved", "f1", "contained")
        rows.append([name, percent(*measures["right"]), *(percent(measures[measure].mean) for measure in others)])
    return rows


def text(summary: AnswerSummary) -> str:
    """Return the tables and notes, for a terminal."""
    pairs = pair_cells(summary.differences)
    parts = [
        headline(summary),
        LEGEND,
        aligned([list(COLUMNS), *cells(summary)]),
        "Differences of right answers in points:\n" + aligned([["strategy", "less", *DIFFERENCE], *pairs])
        if pairs
        else "",
        "\n".join(f"note: {note}" for note in summary.notes),
    ]
    return "\n\n".join(harmless(part) for part in parts if part) + "\n"
