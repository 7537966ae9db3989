"""Results of checks as JSON."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from chunking.checks.findings import CheckReport
from chunking.checks.places import FilePlace
from chunking.checks.reports.contract import CheckedDocument, CheckRun
from chunking.checks.rules import Violation
from chunking.export import encodable


def json_text(run: CheckRun) -> str:
    """Return one object: the findings of all documents together, and each violation with its place in a file."""
    reports = [document.findings for document in run.documents]
    found: dict[str, Any] = {
        "chunks": run.chunks,
        "without_findings": sum(report.without_findings for report in reports),
        "summary": _summary(reports, run.chunks),
        "thresholds": asdict(reports[0].thresholds),
        "unseen": {kind: why for report in reports for kind, why in report.unseen},
        "fail_on": sorted(run.failing),
        "failed": run.failed,
        "documents": [_document_row(document) for document in run.documents],
        "findings": [
            {"file": document.path, **asdict(finding)}
            for document in run.documents
            for finding in document.findings.findings
        ],
        "violations": [
            violation_row(document, each, place) for document in run.documents for each, place in document.violations
        ],
    }
    return encodable(json.dumps(found, ensure_ascii=False, indent=2)) + "\n"


def _document_row(document: CheckedDocument) -> dict[str, Any]:
    return {"file": document.path, "chunks": document.findings.chunks, "unseen": dict(document.unseen)}


def violation_row(document: CheckedDocument, each: Violation, place: FilePlace) -> dict[str, Any]:
    """Return a violation with its place, as JSON can hold it."""
    return {
        "file": document.path,
        "line": place.line,
        "column": place.column,
        "part": place.part,
        "offset": each.offset,
        "rule": each.rule.name,
        "level": each.rule.level,
        "message": each.message,
        "chunk": each.chunk,
        "start": each.start,
        "end": each.end,
    }


def _summary(reports: list[CheckReport], chunks: int) -> dict[str, dict[str, float]]:
    """Return the summaries of all documents together: chunk numbers of two documents are not the same chunk."""
    summaries = [report.summary() for report in reports]
    found: dict[str, dict[str, float]] = {}
    for kind in summaries[0]:
        findings, some = (int(sum(each[kind][name] for each in summaries)) for name in ("findings", "chunks"))
        found[kind] = {"findings": findings, "chunks": some, "share": round(some / chunks, 6) if chunks else 0.0}
    return found
