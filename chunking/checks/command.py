"""``python -m chunking check``: the findings of :mod:`chunking.checks` as JSON or as tables."""

from __future__ import annotations

from chunking.checks.findings import KINDS, CheckReport, Kind
from chunking.report.formatting import aligned, harmless

MEANING: dict[Kind, str] = {
    "duplicate": "repeats another chunk",
    "orphan": "depends on the text before it",
    "fragment": "is too short to stand alone",
    "mixed": "has more than one topic",
    "cut": "begins inside a list, a table or code",
    "unread": "is longer than the encoder reads",
}
"""Meaning of each kind of finding."""


def text(report: CheckReport) -> str:
    """Return the report for a terminal."""
    summary, rules = report.summary(), report.thresholds
    rows = [
        [kind, MEANING[kind], f"{summary[kind]['chunks']:,}", f"{100 * summary[kind]['share']:.1f} %"] for kind in KINDS
    ]
    shown = [
        [
            finding.kind,
            str(finding.chunk),
            f"{finding.start}–{finding.end}",
            finding.reason + ("" if finding.other is None else f" with chunk {finding.other}"),
        ]
        for finding in report.findings
    ]
    doubtful = report.chunks - report.without_findings
    parts = [
        f"{report.chunks:,} chunks, {doubtful:,} of them with a finding",
        aligned([["finding", "the chunk", "chunks", "share"], *rows]),
        f"Found from: {100 * rules.duplicate:.0f} % shared runs of {rules.run} words; below {rules.small} tokens; "
        f"{rules.block} sentences a side further apart than at {100 * rules.mixed:.0f} % of the cuts.",
        *(f"note: {kind} was not looked for: {why}" for kind, why in report.unseen),
    ]
    if shown:
        parts.append(aligned([["finding", "chunk", "characters", "reason"], *shown]))
    return "\n\n".join(harmless(part) for part in parts) + "\n"
