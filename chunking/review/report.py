"""A review as tables for a terminal, and as one HTML file that needs nothing else; see :mod:`chunking.report.html`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from markupsafe import Markup

from chunking.reference.precision import Interval
from chunking.report import charts, html
from chunking.report.definitions import measure_definitions
from chunking.report.formatting import NOTHING, aligned, harmless, percent
from chunking.review.agreement import METRICS, AgreementEstimate
from chunking.review.estimates import Estimate
from chunking.review.results import Position, ReviewSummary, StrategySummary
from chunking.review.reviewed import Disagreement, Vote
from chunking.runtime.wording import plural
from chunking.strategies import setting


def text(review: ReviewSummary) -> str:
    """Return the tables as aligned lines, for a terminal."""
    tables = (
        (_REVIEWERS, _reviewer_cells(review)),
        (_PAIRS, _pair_cells(review)),
        (_STRATEGIES, _strategy_cells(review)),
    )
    parts = [_headline(review), *(aligned([list(heads), *rows]) for heads, rows in tables if rows)]
    notes = "\n".join(f"note: {note}" for note in review.notes)
    return harmless("\n\n".join(filter(None, [*parts, notes]))) + "\n"


def page(review: ReviewSummary, command: str) -> str:
    """Return the report of a review.

    Args:
        review: the review.
        command: the line that makes the report again, shown as it is.
    """
    sections = html.sections(
        [
            ("Document, settings and versions", html.definitions(_facts(review), facts=True)),
            ("Reviewers", _reviewers(review)),
            ("Agreement beyond chance", _agreement(review)),
            ("Strategies", _strategies(review)),
            ("Strategies and people", _people(review)),
            ("Reference", _reference(review)),
            ("Disagreements", _disagreements(review)),
            ("Notes", html.bullets(review.notes)),
            ("Make it again", html.command(command) + html.paragraph(_method(review))),
            ("Definitions", html.definitions(measure_definitions("review"))),
        ]
    )
    title = f"Review: {review.document.name}"
    return html.page(title, html.heading(title, 1) + html.paragraph(f"{_headline(review)}.") + sections)


def _facts(review: ReviewSummary) -> dict[str, str]:
    document = review.document
    return {
        **review.facts,
        "Size": f"{plural(document.characters, 'character')}, {plural(document.sentences, 'sentence')}",
        "SHA-256 of the judgements": review.judgements_sha256,
        "Order of the judgements": review.order,
    }


def _reviewers(review: ReviewSummary) -> Markup:
    names = html.NOTHING if review.names else html.legend("Names and notes are left out.")
    return html.table(_REVIEWERS, _reviewer_cells(review), "numbers") + names


def _agreement(review: ReviewSummary) -> Markup:
    agreement = review.agreement
    if not agreement.pairs:
        return html.paragraph(agreement.why)
    kappas = {f"{pair.left} · {pair.right}": pair.kappa for pair in agreement.pairs}
    entries = [(name, kappa.value, kappa.interval) for name, kappa in kappas.items()]
    kappa = agreement.kappa
    if len(entries) > 1:
        entries.append(("all", kappa.value, kappa.interval))
    reasons = {estimate.why for estimate in (kappa, *kappas.values()) if estimate.why}
    return html.join(
        [
            html.table(_PAIRS, _pair_cells(review), "numbers"),
            *map(html.legend, sorted(reasons)),
            html.heading("κ"),
            html.paragraph("Dot: value; bar: 95 % interval; dashed: chance level."),
            charts.dot_chart(entries, 0.0, "κ of reviewers", _short),
        ]
    )


def _short(value: float) -> str:
    return _number(value).rstrip("0").rstrip(".")


def _strategies(review: ReviewSummary) -> Markup:
    rows = review.strategies
    if not rows:
        return html.NOTHING
    entries = [(name, row.precision, row.precision_interval) for name, row in rows.items()]
    return html.join(
        [
            html.table(_STRATEGIES, _strategy_cells(review), "numbers"),
            html.legend("In %, with 95 % intervals; corrected values from 0 (chance) to 1."),
            *map(html.legend, setting.named_rows({name: row.setting for name, row in rows.items()})),
            html.bullets([f"{name}: {row.caution}" for name, row in rows.items() if row.caution]),
            html.heading("Precision"),
            charts.dot_chart(entries, None, "Precision of strategies", percent),
        ]
    )


def _people(review: ReviewSummary) -> Markup:
    rows = [
        [name, _TITLES[metric], *(_corrected_text(getattr(row.people[metric], part)) for part in _PARTS)]
        for name, row in review.strategies.items()
        for metric in METRICS
        if metric in row.people
    ]
    if not rows:
        return html.NOTHING
    legend = "Corrected for chance, with 95 % intervals, by reviewers who marked the document as complete."
    return html.table(("strategy", "measure", *_PARTS.values()), rows, "numbers") + html.legend(legend)


_PARTS = {"strategy": "with people", "people": "people with each other", "difference": "difference"}
_TITLES = {"boundary_similarity": "boundary similarity", "f1": "F1"}


def _reference(review: ReviewSummary) -> Markup:
    reference = review.reference
    complete = (
        "Complete: all other gaps count as non-boundaries."
        if reference.complete
        else "Partial: gaps that nobody judged are unknown."
    )
    boundaries, added = reference.boundaries, set(reference.added)
    counts = (
        f"{plural(len(boundaries), 'boundary', 'boundaries')}, {len(added):,} of them proposed by no strategy; "
        f"{plural(len(reference.non_boundaries), 'judged non-boundary', 'judged non-boundaries')}."
    )
    rows = [
        [f"{boundary.offset:,}", "added" if boundary.offset in added else "", _context(boundary)]
        for boundary in boundaries
    ]
    every = html.table(("offset", "", "text around it"), rows) if rows else html.NOTHING
    return html.paragraph(f"{complete} {counts}") + html.folded("Every boundary", every)


def _context(position: Position | Disagreement) -> str:
    before, after = (" ".join(side.split()) for side in (position.before, position.after))
    return f"…{before} ┃ {after}…"


def _disagreements(review: ReviewSummary) -> Markup:
    rows = [
        [
            f"{disagreement.offset:,}",
            _outcome(disagreement),
            "; ".join(_vote(vote, review.names) for vote in disagreement.votes),
            _context(disagreement),
        ]
        for disagreement in review.disagreements
    ]
    return html.table(("offset", "outcome", "votes", "text around it"), rows) if rows else html.NOTHING


def _outcome(disagreement: Disagreement) -> str:
    if disagreement.boundary is None:
        return "open"
    return f"{disagreement.outcome}: {'boundary' if disagreement.boundary else 'no boundary'}"


def _vote(vote: Vote, notes: bool) -> str:
    verdict = "skipped" if vote.boundary is None else "boundary" if vote.boundary else "no boundary"
    note = f" ({vote.note})" if notes and vote.note else ""
    return f"{vote.reviewer}: {verdict}{note}"


def _method(review: ReviewSummary) -> str:
    method = review.method
    draws = method["random_draws"]
    return (
        f"{method['resamples']:,} resamples of the positions; chance levels from {draws['f1']:,} random segmentations "
        f"for F1 and {draws['boundary_similarity']:,} for boundary similarity; seed {method['seed']}."
    )


# --- the cells of the tables -----------------------------------------------------------------------------------------


_REVIEWERS = ("reviewer", "judgements", "blind", "boundaries", "non-boundaries", "skipped", "notes", "complete")
_PAIRS = ("two reviewers", "same", "κ", "boundary similarity", "F1")
_STRATEGIES = ("strategy", "cuts", "judged", "correct", "precision", "recall", "F1", "F1 corrected", "B corrected")


def _headline(review: ReviewSummary) -> str:
    """Return a line that says what was reviewed, and what came out."""
    reference = review.reference
    complete = "complete" if reference.complete else "partial"
    parts = [
        plural(len(review.reviewers), "reviewer"),
        plural(sum(reviewer.judgements for reviewer in review.reviewers), "judgement"),
        f"{complete} reference of {plural(len(reference.boundaries), 'boundary', 'boundaries')}",
    ]
    kappa = review.agreement.kappa
    if kappa.value is not None:
        parts.append(f"κ {_estimate_text(kappa.value, kappa.interval)} beyond chance")
    if reference.open:
        parts.append(plural(reference.open, "open disagreement"))
    return f"{review.document.name}: {'; '.join(parts)}"


def _reviewer_cells(review: ReviewSummary) -> list[list[str]]:
    """Return a row for each reviewer."""
    counts = ("judgements", "blind", "boundaries", "non_boundaries", "skipped", "notes")
    return [
        [
            reviewer.name,
            *(f"{getattr(reviewer, name):,}" for name in counts),
            "yes" if reviewer.complete else "no",
        ]
        for reviewer in review.reviewers
    ]


def _pair_cells(review: ReviewSummary) -> list[list[str]]:
    """Return a row for each two reviewers, and one for all where there are more; ``*`` marks values on all gaps."""
    rows = []
    for pair in review.agreement.pairs:
        shared, star = (pair.whole, "*") if pair.whole else (pair.judged, "")
        measured = (_corrected_text(shared.get(name), star) for name in ("boundary_similarity", "f1"))
        same = f"{pair.agreed:,} of {pair.kappa.places:,}"
        kappa = _estimate_text(pair.kappa.value, pair.kappa.interval)
        rows.append([f"{pair.left} · {pair.right}", same, kappa, *measured])
    if len(rows) > 1:
        of_all = review.agreement.kappa
        rows.append(["all", "", _estimate_text(of_all.value, of_all.interval), "", ""])
    return rows


def _strategy_cells(review: ReviewSummary) -> list[list[str]]:
    """Return a row for each strategy; recall and F1 are those of its blind review, else of a complete reference."""
    return [
        [
            name,
            f"{row.cuts:,}",
            f"{row.judged:,}",
            f"{row.correct:,}",
            percent(row.precision, row.precision_interval),
            _blind({name: estimates.recall for name, estimates in row.judged_blind.items()}),
            _blind({name: estimates.f1 for name, estimates in row.judged_blind.items()}),
            *(_of_reference(row, measure) for measure in ("f1", "boundary_similarity")),
        ]
        for name, row in review.strategies.items()
    ]


def _blind(estimates: Mapping[str, Estimate]) -> str:
    """Return the estimates by reviewer, with their names where there are several."""
    cells = {name: percent(estimate.value, estimate.interval) for name, estimate in estimates.items()}
    labelled = [f"{cell} ({name})" for name, cell in cells.items()] if len(cells) > 1 else cells.values()
    return "; ".join(labelled) or NOTHING


def _of_reference(row: StrategySummary, measure: str) -> str:
    return NOTHING if row.reference is None else _number(row.reference[measure].corrected)


def _corrected_text(estimate: AgreementEstimate | None, star: str = "") -> str:
    """Return agreement beyond chance with its interval, to two decimals."""
    return NOTHING if estimate is None else _number(estimate.corrected) + star + _interval(estimate.corrected_interval)


def _estimate_text(value: float | None, interval: Interval | None) -> str:
    """Return a value with its interval, to two decimals."""
    return NOTHING if value is None else _number(value) + _interval(interval)


def _interval(ends: Sequence[float] | None) -> str:
    return f" [{', '.join(map(_number, ends))}]" if ends else ""


def _number(value: float) -> str:
    """Return a number to two decimals."""
    return f"{round(value, 2) + 0.0:.2f}".replace("-", "−")
