"""A review as tables: of its reviewers, their agreement, and the strategies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from chunking.report.formatting import NOTHING, aligned, harmless, percent
from chunking.runtime.wording import plural

REVIEWERS = ("reviewer", "judgements", "blind", "boundaries", "non-boundaries", "skipped", "notes", "complete")
PAIRS = ("two reviewers", "same", "κ", "boundary similarity", "F1")
STRATEGIES = ("strategy", "cuts", "judged", "correct", "precision", "recall", "F1", "F1 corrected", "B corrected")


def headline(review: dict[str, Any]) -> str:
    """Return a line that says what was reviewed, and what came out."""
    reference = review["reference"]
    complete = "complete" if reference["complete"] else "partial"
    parts = [
        plural(len(review["reviewers"]), "reviewer"),
        plural(sum(each["judgements"] for each in review["reviewers"]), "judgement"),
        f"{complete} reference of {plural(len(reference['boundaries']), 'boundary', 'boundaries')}",
    ]
    kappa = review["agreement"]["kappa"]
    if kappa["value"] is not None:
        parts.append(f"κ {two(kappa)} beyond chance")
    if reference["open"]:
        parts.append(plural(reference["open"], "open disagreement"))
    return f"{review['document']['name']}: {'; '.join(parts)}"


def reviewer_cells(review: dict[str, Any]) -> list[list[str]]:
    """Return a row for each reviewer."""
    counts = ("judgements", "blind", "boundaries", "non_boundaries", "skipped", "notes")
    return [
        [each["name"], *(f"{each[name]:,}" for name in counts), "yes" if each["complete"] else "no"]
        for each in review["reviewers"]
    ]


def pair_cells(review: dict[str, Any]) -> list[list[str]]:
    """Return a row for each two reviewers, and one for all where there are more; ``*`` marks values on all gaps."""
    rows = []
    for pair in review["agreement"]["pairs"]:
        shared, star = (pair["whole"], "*") if pair["whole"] else (pair["judged"], "")
        measured = (_corrected(shared.get(name), star) for name in ("boundary_similarity", "f1"))
        same = f"{pair['agreed']:,} of {pair['kappa']['places']:,}"
        rows.append([f"{pair['left']} · {pair['right']}", same, two(pair["kappa"]), *measured])
    if len(rows) > 1:
        rows.append(["all", "", two(review["agreement"]["kappa"]), "", ""])
    return rows


def strategy_cells(review: dict[str, Any]) -> list[list[str]]:
    """Return a row for each strategy; recall and F1 are those of its blind review, else of a complete reference."""
    return [
        [
            name,
            f"{row['cuts']:,}",
            f"{row['judged']:,}",
            f"{row['correct']:,}",
            percent(row["precision"], row["precision_interval"]),
            *(_blind(row, measure) for measure in ("recall", "f1")),
            *(_of_reference(row, measure) for measure in ("f1", "boundary_similarity")),
        ]
        for name, row in review["strategies"].items()
    ]


def _blind(row: Mapping[str, Any], measure: str) -> str:
    made = row["judged_blind"]
    cells = [percent(each[measure], each[f"{measure}_interval"]) for each in made.values()]
    named = [f"{cell} ({name})" for name, cell in zip(made, cells, strict=True)] if len(made) > 1 else cells
    return "; ".join(named) or NOTHING


def _of_reference(row: Mapping[str, Any], measure: str) -> str:
    return NOTHING if row["reference"] is None else number(row["reference"][measure]["corrected"])


def _corrected(review: Mapping[str, Any] | None, star: str = "") -> str:
    if review is None:
        return NOTHING
    return number(review["corrected"]) + star + _interval(review["corrected_interval"])


def two(review: Mapping[str, Any]) -> str:
    """Return a value with its interval, to two decimals."""
    return NOTHING if review["value"] is None else number(review["value"]) + _interval(review["interval"])


def _interval(ends: Sequence[float] | None) -> str:
    return f" [{', '.join(map(number, ends))}]" if ends else ""


def number(value: float) -> str:
    """Return a number to two decimals."""
    return f"{round(value, 2) + 0.0:.2f}".replace("-", "−")


def text(review: dict[str, Any]) -> str:
    """Return the tables as aligned lines, for a terminal."""
    tables = (
        (REVIEWERS, reviewer_cells(review)),
        (PAIRS, pair_cells(review)),
        (STRATEGIES, strategy_cells(review)),
    )
    parts = [headline(review), *(aligned([list(heads), *rows]) for heads, rows in tables if rows)]
    notes = "\n".join(f"note: {note}" for note in review["notes"])
    return harmless("\n\n".join(filter(None, [*parts, notes]))) + "\n"
