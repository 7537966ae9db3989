"""A review as one HTML file that needs nothing else; see :mod:`chunking.report.html`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from markupsafe import Markup

from chunking.report import charts, html
from chunking.report.definitions import measure_definitions
from chunking.report.formatting import NOTHING, percent
from chunking.review import table
from chunking.review.agreement import METRICS
from chunking.runtime.wording import plural
from chunking.strategies import setting


def page(review: dict[str, Any], command: str) -> str:
    """Return the report of what :func:`chunking.review.summary.as_dict` gives.

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
            ("Notes", html.bullets(review["notes"])),
            ("Make it again", html.command(command) + html.paragraph(_method(review))),
            ("Definitions", html.definitions(measure_definitions("review"))),
        ]
    )
    title = f"Review: {review['document']['name']}"
    return html.page(title, html.heading(title, 1) + html.paragraph(f"{table.headline(review)}.") + sections)


def _facts(review: dict[str, Any]) -> dict[str, str]:
    document = review["document"]
    return {
        **review["facts"],
        "Size": f"{plural(document['characters'], 'character')}, {plural(document['sentences'], 'sentence')}",
        "SHA-256 of the judgements": review["judgements_sha256"],
        "Order of the judgements": review["order"],
    }


def _reviewers(review: dict[str, Any]) -> Markup:
    names = html.NOTHING if review["names"] else html.legend("Names and notes are left out.")
    return html.table(table.REVIEWERS, table.reviewer_cells(review), "numbers") + names


def _agreement(review: dict[str, Any]) -> Markup:
    agreement = review["agreement"]
    if not agreement["pairs"]:
        return html.paragraph(agreement["why"])
    entries = [
        (f"{pair['left']} · {pair['right']}", pair["kappa"]["value"], pair["kappa"]["interval"])
        for pair in agreement["pairs"]
    ]
    kappa = agreement["kappa"]
    if len(entries) > 1:
        entries.append(("all", kappa["value"], kappa["interval"]))
    reasons = {each["why"] for each in (kappa, *(pair["kappa"] for pair in agreement["pairs"])) if each["why"]}
    return html.join(
        [
            html.table(table.PAIRS, table.pair_cells(review), "numbers"),
            *map(html.legend, sorted(reasons)),
            html.heading("κ"),
            html.paragraph("Dot: value; bar: 95 % interval; dashed: chance level."),
            charts.dot_chart(entries, 0.0, "κ of reviewers", _short),
        ]
    )


def _short(value: float) -> str:
    return table.number(value).rstrip("0").rstrip(".")


def _strategies(review: dict[str, Any]) -> Markup:
    rows = review["strategies"]
    if not rows:
        return html.NOTHING
    entries = [(name, row["precision"], row["precision_interval"]) for name, row in rows.items()]
    return html.join(
        [
            html.table(table.STRATEGIES, table.strategy_cells(review), "numbers"),
            html.legend("In %, with 95 % intervals; corrected values from 0 (chance) to 1."),
            *map(html.legend, setting.named_rows({name: row["setting"] for name, row in rows.items()})),
            html.bullets([f"{name}: {row['caution']}" for name, row in rows.items() if row["caution"]]),
            html.heading("Precision"),
            charts.dot_chart(entries, None, "Precision of strategies", percent),
        ]
    )


def _people(review: dict[str, Any]) -> Markup:
    rows = [
        [name, _TITLES[metric], *(_estimated(row["people"][metric][part]) for part in _PARTS)]
        for name, row in review["strategies"].items()
        for metric in METRICS
        if row["people"].get(metric)
    ]
    if not rows:
        return html.NOTHING
    legend = "Corrected for chance, with 95 % intervals, by reviewers who marked the document as complete."
    return html.table(("strategy", "measure", *_PARTS.values()), rows, "numbers") + html.legend(legend)


_PARTS = {"strategy": "with people", "people": "people with each other", "difference": "difference"}
_TITLES = {"boundary_similarity": "boundary similarity", "f1": "F1"}


def _estimated(review: Mapping[str, Any] | None) -> str:
    if review is None:
        return NOTHING
    return table.two({"value": review["corrected"], "interval": review["corrected_interval"]})


def _reference(review: dict[str, Any]) -> Markup:
    reference = review["reference"]
    complete = (
        "Complete: all other gaps count as non-boundaries."
        if reference["complete"]
        else "Partial: gaps that nobody judged are unknown."
    )
    boundaries, added = reference["boundaries"], set(reference["added"])
    counts = (
        f"{plural(len(boundaries), 'boundary', 'boundaries')}, {len(added):,} of them proposed by no strategy; "
        f"{plural(len(reference['non_boundaries']), 'judged non-boundary', 'judged non-boundaries')}."
    )
    rows = [
        [f"{place['offset']:,}", "added" if place["offset"] in added else "", _context(place)] for place in boundaries
    ]
    every = html.table(("offset", "", "text around it"), rows) if rows else html.NOTHING
    return html.paragraph(f"{complete} {counts}") + html.folded("Every boundary", every)


def _context(place: Mapping[str, Any]) -> str:
    before, after = (" ".join(place[side].split()) for side in ("before", "after"))
    return f"…{before} ┃ {after}…"


def _disagreements(review: dict[str, Any]) -> Markup:
    rows = [
        [f"{place['offset']:,}", _outcome(place), "; ".join(map(_vote, place["votes"])), _context(place)]
        for place in review["disagreements"]
    ]
    return html.table(("offset", "outcome", "votes", "text around it"), rows) if rows else html.NOTHING


def _outcome(disagreement: Mapping[str, Any]) -> str:
    outcome, boundary = disagreement["outcome"], disagreement["boundary"]
    return "open" if boundary is None else f"{outcome}: {'boundary' if boundary else 'no boundary'}"


def _vote(vote: Mapping[str, Any]) -> str:
    verdict = "skipped" if vote["boundary"] is None else "boundary" if vote["boundary"] else "no boundary"
    note = f" ({vote['note']})" if vote.get("note") else ""
    return f"{vote['reviewer']}: {verdict}{note}"


def _method(review: dict[str, Any]) -> str:
    method = review["method"]
    draws = method["random_draws"]
    return (
        f"{method['resamples']:,} resamples of the positions; chance levels from {draws['f1']:,} random segmentations "
        f"for F1 and {draws['boundary_similarity']:,} for boundary similarity; seed {method['seed']}."
    )
