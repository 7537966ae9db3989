"""Results of checks for a terminal."""

from __future__ import annotations

from chunking.checks import command
from chunking.checks.reports.contract import CheckedDocument, CheckRun
from chunking.checks.rules import LEVELS
from chunking.report.formatting import harmless
from chunking.runtime.wording import plural


def line_text(run: CheckRun) -> str:
    """Return a line for each violation, as compilers print them, and a summary."""
    lines = [line for document in run.documents for line in lines_of(document)]
    counts = ", ".join(plural(run.counts[level], level) for level in reversed(LEVELS) if run.counts[level])
    about = f"{plural(run.chunks, 'chunk')} in {plural(len(run.documents), 'document')}"
    return "\n".join([*lines, f"{about}: {counts or 'no violation'}"]) + "\n"


def lines_of(document: CheckedDocument) -> list[str]:
    """Return ``PATH:LINE:COLUMN: LEVEL RULE: MESSAGE`` for each violation of a document."""
    return [
        # A name or a word of a document cannot begin a line of its own.
        harmless(
            f"{':'.join(filter(None, (document.path, str(place))))}: {each.rule.level} "
            f"{each.rule.name}: {each.message} (chunk {each.chunk})"
        ).replace("\n", "?")
        for each, place in document.violations
    ]


def table_text(run: CheckRun) -> str:
    """Return the tables of the findings of each document."""
    tables = [command.text(document.findings) for document in run.documents]
    if len(tables) == 1:
        return tables[0]
    return "\n".join(f"{harmless(each.path)}\n\n{table}" for each, table in zip(run.documents, tables, strict=True))
