"""Results of checks: for a terminal, as JSON, SARIF and JUnit XML."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from pathlib import PurePath
from typing import Any
from urllib.parse import quote
from xml.etree import ElementTree

from chunking import __version__
from chunking.checks.findings import KINDS, CheckReport, Kind
from chunking.checks.places import FilePlace
from chunking.checks.rules import LEVELS, Level, Rule, Violation
from chunking.export import encodable
from chunking.report.formatting import aligned, harmless
from chunking.runtime.patterns import compile_pattern
from chunking.runtime.wording import plural

MEANING: dict[Kind, str] = {
    "duplicate": "repeats another chunk",
    "orphan": "depends on the text before it",
    "fragment": "is too short to stand alone",
    "mixed": "has more than one topic",
    "cut": "begins inside a list, a table or code",
    "unread": "is longer than the encoder reads",
}
"""Meaning of each kind of finding."""


@dataclass(frozen=True)
class CheckedDocument:
    """A document that was checked.

    Attributes:
        path: its path, with slashes.
        violations: where its chunks break rules, each with the place in the file.
        findings: what they come from.
        unseen: rules that could not be looked at, and why.
    """

    path: str
    violations: tuple[tuple[Violation, FilePlace], ...]
    findings: CheckReport
    unseen: Mapping[str, str]


@dataclass(frozen=True)
class CheckRun:
    """Documents that were checked together.

    Attributes:
        documents: in order.
        rules: those that were looked at.
        failing: names of the rules that may not be broken.
        accepted: how many violations are left out since they are known, see :mod:`chunking.checks.baseline`.
    """

    documents: tuple[CheckedDocument, ...]
    rules: tuple[Rule, ...]
    failing: frozenset[str]
    accepted: int = 0

    def violations(self) -> Iterator[tuple[CheckedDocument, Violation, FilePlace]]:
        """Yield each violation with its document and its place in the file."""
        for document in self.documents:
            for violation, place in document.violations:
                yield document, violation, place

    def failures(self) -> CheckRun:
        """Return the run with the violations alone that may not be."""
        return replace(self, documents=tuple(_only(document, self.failing) for document in self.documents))

    @property
    def failed(self) -> bool:
        """Whether a rule is broken that may not be."""
        return any(violation.rule.name in self.failing for _, violation, _ in self.violations())

    @cached_property
    def counts(self) -> Mapping[Level, int]:
        """How many violations there are of each level."""
        return Counter(violation.rule.level for _, violation, _ in self.violations())

    @property
    def chunks(self) -> int:
        """How many chunks were checked."""
        return sum(document.findings.chunks for document in self.documents)


def _only(document: CheckedDocument, names: frozenset[str]) -> CheckedDocument:
    """Return a document with its violations of some rules alone."""
    kept = tuple(pair for pair in document.violations if pair[0].rule.name in names)
    return replace(document, violations=kept)


# --- for a terminal ------------------------------------------------------------------------------------------------


def line_text(run: CheckRun) -> str:
    """Return a line for each violation, as compilers print them, and a summary."""
    lines = [line for document in run.documents for line in lines_of(document)]
    counts = ", ".join(plural(run.counts[level], level) for level in reversed(LEVELS) if run.counts[level])
    about = f"{plural(run.chunks, 'chunk')} in {plural(len(run.documents), 'document')}"
    accepted = f", {run.accepted:,} accepted" if run.accepted else ""
    return "\n".join([*lines, f"{about}: {counts or 'no violation'}{accepted}"]) + "\n"


def lines_of(document: CheckedDocument) -> list[str]:
    """Return ``PATH:LINE:COLUMN: LEVEL RULE: MESSAGE`` for each violation of a document."""
    return [
        # A name or a word of a document cannot begin a line of its own.
        harmless(
            f"{':'.join(filter(None, (document.path, str(place))))}: {violation.rule.level} "
            f"{violation.rule.name}: {violation.message} (chunk {violation.chunk})"
        ).replace("\n", "?")
        for violation, place in document.violations
    ]


def table_text(run: CheckRun) -> str:
    """Return the tables of the findings of each document."""
    tables = [findings_table(document.findings) for document in run.documents]
    if len(tables) == 1:
        return tables[0]
    tables_by_document = zip(run.documents, tables, strict=True)
    return "\n".join(f"{harmless(document.path)}\n\n{table}" for document, table in tables_by_document)


def findings_table(report: CheckReport) -> str:
    """Return the findings of a document as tables."""
    summary, rules = report.summary(), report.thresholds
    rows = [
        [kind, MEANING[kind], f"{summary[kind]['chunks']:,}", f"{100 * summary[kind]['share']:.1f} %"] for kind in KINDS
    ]
    finding_rows = [
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
    if finding_rows:
        parts.append(aligned([["finding", "chunk", "characters", "reason"], *finding_rows]))
    return "\n\n".join(harmless(part) for part in parts) + "\n"


# --- JSON ----------------------------------------------------------------------------------------------------------


def json_text(run: CheckRun) -> str:
    """Return one object: the findings of all documents together, and each violation with its place in a file."""
    reports = [document.findings for document in run.documents]
    report = {
        "chunks": run.chunks,
        "without_findings": sum(report.without_findings for report in reports),
        "summary": _summary(reports, run.chunks),
        "thresholds": asdict(reports[0].thresholds),
        "unseen": {kind: why for report in reports for kind, why in report.unseen},
        "fail_on": sorted(run.failing),
        "failed": run.failed,
        "documents": [
            {"file": document.path, "chunks": document.findings.chunks, "unseen": dict(document.unseen)}
            for document in run.documents
        ],
        "findings": [
            {"file": document.path, **asdict(finding)}
            for document in run.documents
            for finding in document.findings.findings
        ],
        "violations": [_violation_row(*entry) for entry in run.violations()],
    }
    return encodable(json.dumps(report, ensure_ascii=False, indent=2)) + "\n"


def _violation_row(document: CheckedDocument, violation: Violation, place: FilePlace) -> dict[str, Any]:
    """Return a violation with its place, as JSON can hold it."""
    return {
        "file": document.path,
        "line": place.line,
        "column": place.column,
        "part": place.part,
        "offset": violation.offset,
        "rule": violation.rule.name,
        "level": violation.rule.level,
        "message": violation.message,
        "chunk": violation.chunk,
        "start": violation.start,
        "end": violation.end,
    }


def _summary(reports: list[CheckReport], chunks: int) -> dict[str, dict[str, float]]:
    """Return the summaries of all documents together: chunk numbers of two documents are not the same chunk."""
    sums: dict[str, dict[str, float]] = {}
    for kind in KINDS:
        rows = [report.summary()[kind] for report in reports]
        affected = sum(row["chunks"] for row in rows)
        share = round(affected / chunks, 6) if chunks else 0.0
        sums[kind] = {"findings": sum(row["findings"] for row in rows), "chunks": affected, "share": share}
    return sums


# --- SARIF ---------------------------------------------------------------------------------------------------------

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

_LINK = compile_pattern(r"[\\\[\]]")
"""What begins, ends or escapes a link in a message."""


def sarif_text(run: CheckRun) -> str:
    """Return a log of one run, with a result for each violation."""
    log = {
        "$schema": _SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {"driver": _driver(run)},
                "columnKind": "unicodeCodePoints",
                "artifacts": [{"location": {"uri": _uri(document.path)}} for document in run.documents],
                "results": [_result(run, *entry) for entry in run.violations()],
            }
        ],
    }
    return encodable(json.dumps(log, ensure_ascii=False, indent=2)) + "\n"


def _driver(run: CheckRun) -> dict[str, Any]:
    return {
        "name": "Chunkscope",
        "semanticVersion": __version__,
        "rules": [
            {"id": rule.name, "shortDescription": {"text": rule.text}, "defaultConfiguration": {"level": rule.level}}
            for rule in run.rules
        ],
    }


def _result(run: CheckRun, document: CheckedDocument, violation: Violation, place: FilePlace) -> dict[str, Any]:
    artifact = {"uri": _uri(document.path), "index": run.documents.index(document)}
    where: dict[str, Any] = {"artifactLocation": artifact}
    # A line of a cell is no line of its file.
    if place.line and not place.part:
        where["region"] = {"startLine": place.line, "startColumn": place.column}
    part = f" ({place})" if place.part else ""
    message = f"{violation.rule.text} Chunk {violation.chunk}{part}: {violation.message}."
    # No word of a document makes a link.
    return {
        "ruleId": violation.rule.name,
        "ruleIndex": run.rules.index(violation.rule),
        "level": violation.rule.level,
        "message": {"text": _LINK.sub(lambda match: f"\\{match[0]}", message)},
        "locations": [{"physicalLocation": where}],
        "properties": {name: getattr(violation, name) for name in ("chunk", "start", "end", "offset")},
    }


def _uri(path: str) -> str:
    pure = PurePath(path)
    return pure.as_uri() if pure.is_absolute() else quote(path)


# --- JUnit XML -----------------------------------------------------------------------------------------------------


def junit_xml(run: CheckRun) -> str:
    """Return a suite for each document; a test fails where the rule is broken and may not be."""
    suites = ElementTree.Element("testsuites", name="chunkscope check")
    for document in run.documents:
        suites.append(_suite(document, run))
    for name in ("tests", "failures", "errors"):
        suites.set(name, str(sum(int(suite.get(name, "0")) for suite in suites)))
    ElementTree.indent(suites)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(suites, encoding="unicode") + "\n"


def _suite(document: CheckedDocument, run: CheckRun) -> ElementTree.Element:
    suite = ElementTree.Element("testsuite", name=_xml_text(document.path))
    cases = [_case(document, rule, rule.name in run.failing) for rule in run.rules]
    suite.extend(cases)
    suite.set("tests", str(len(cases)))
    for name, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        suite.set(name, str(sum(case.find(tag) is not None for case in cases)))
    return suite


def _case(document: CheckedDocument, rule: Rule, failing: bool) -> ElementTree.Element:
    path = _xml_text(document.path)
    case = ElementTree.Element("testcase", classname=path, name=rule.name, file=path)
    lines = zip(lines_of(document), document.violations, strict=True)
    messages = [line for line, (violation, _) in lines if violation.rule == rule]
    if rule.name in document.unseen:
        ElementTree.SubElement(case, "skipped", message=_xml_text(document.unseen[rule.name]))
    elif messages and failing:
        message = f"{rule.text} {len(messages):,} in this document."
        ElementTree.SubElement(case, "failure", type=rule.level, message=message).text = _xml_text("\n".join(messages))
    elif messages:
        ElementTree.SubElement(case, "system-out").text = _xml_text("\n".join(messages))
    return case


def _xml_text(text: str) -> str:
    """Return text of characters that XML can hold."""
    return encodable(harmless(text))


FORMATS: Mapping[str, Callable[[CheckRun], str]] = {
    "json": json_text,
    "table": table_text,
    "text": line_text,
    "sarif": sarif_text,
    "junit": junit_xml,
}
"""What makes the report of each format."""
