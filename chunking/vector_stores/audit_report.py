"""The report of an audit: for a terminal, and as JSON."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from chunking.checks.rules import LEVELS
from chunking.comparison.chunk_sizes import SizeSummary
from chunking.export import encodable
from chunking.report.formatting import harmless, percent
from chunking.runtime.wording import plural
from chunking.vector_stores.audit import AUDIT_RULES, AuditFinding, DocumentAudit

_EXAMPLES = 3
"""Findings of a rule that are shown on a terminal."""


@dataclass(frozen=True)
class CollectionAudit:
    """A collection, held against its sources.

    Attributes:
        store: in words, without key and password.
        collection: its name.
        chunks: how many chunks it has.
        sizes: tokens of the stored texts.
        tokenizer: what counted them.
        settings, encoders: how many chunks there are of each; an empty name is that of chunks of other programs.
        documents: the sources, in order.
        gone: documents of the collection that are no source, with the number of their chunks.
        findings: what is wrong with the collection as a whole.
        unseen: rules that could not be looked at, and why.
        failing: names of the rules that may not be broken.
    """

    store: str
    collection: str
    chunks: int
    sizes: SizeSummary
    tokenizer: str
    settings: Mapping[str, int]
    encoders: Mapping[str, int]
    documents: Sequence[DocumentAudit]
    gone: Mapping[str, int]
    findings: Sequence[AuditFinding]
    unseen: Mapping[str, str]
    failing: frozenset[str]

    def all_findings(self) -> Iterator[AuditFinding]:
        """Yield what is wrong with the collection, then with each document."""
        yield from self.findings
        for document in self.documents:
            yield from document.findings

    @property
    def failed(self) -> bool:
        """Whether a rule is broken that may not be."""
        return any(finding.rule.name in self.failing for finding in self.all_findings())

    @property
    def lost(self) -> tuple[int, int]:
        """Characters without white space of the sources that are in no chunk, and of all."""
        return sum(one.lost for one in self.documents), sum(one.characters for one in self.documents)


def audit_text(audit: CollectionAudit) -> str:
    """Return the report for a terminal: the figures, then each rule that is broken with its first places."""
    by_rule: dict[str, list[AuditFinding]] = {name: [] for name in AUDIT_RULES}
    for finding in audit.all_findings():
        by_rule[finding.rule.name].append(finding)
    lines = [f"{audit.collection} of {audit.store}", *_figures(audit), ""]
    for name, findings in by_rule.items():
        if findings:
            rule = AUDIT_RULES[name]
            lines.append(f"{rule.level:8}{name:22}{len(findings):>7,}  {rule.text}")
            lines += [f"        {_where(finding)}" for finding in findings[:_EXAMPLES]]
            lines += [f"        … and {len(findings) - _EXAMPLES:,} more"] if len(findings) > _EXAMPLES else []
    lines += [f"not looked at: {name}, {reason}" for name, reason in audit.unseen.items()]
    counts = Counter(finding.rule.level for finding in audit.all_findings())
    words = ", ".join(plural(counts[level], level) for level in reversed(LEVELS) if counts[level])
    lines.append(
        f"{plural(audit.chunks, 'chunk')} of {plural(len(audit.documents), 'document')}: {words or 'no finding'}"
    )
    return harmless("\n".join(lines)) + "\n"


def _figures(audit: CollectionAudit) -> Iterator[str]:
    status = Counter(document.status for document in audit.documents)
    states = [f"{status[name]:,} {name}" for name in ("current", "changed", "missing")]
    yield f"  documents   {', '.join(states)}, {len(audit.gone):,} gone"
    for title, counts in (("settings", audit.settings), ("encoders", audit.encoders)):
        values = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
        yield f"  {title:12}" + ", ".join(f"{name or 'unknown'} ({plural(count, 'chunk')})" for name, count in values)
    size = audit.sizes
    yield (
        f"  tokens      {size.minimum:,} to {size.maximum:,}, median {size.median:,.0f}, mean {size.mean:,.0f}, "
        f"p95 {size.p95:,.0f} ({audit.tokenizer})"
    )
    yield f"  boundaries  {sum(document.boundaries for document in audit.documents):,}"
    lost, characters = audit.lost
    share = percent(lost / characters) if characters else percent(0.0)
    largest = max((document.largest_gap for document in audit.documents), default=0)
    gap = f", the largest gap has {largest:,}" if lost else ""
    yield f"  lost text   {share} % ({lost:,} of {characters:,} characters{gap})"


def _where(finding: AuditFinding) -> str:
    place = ":".join(filter(None, (finding.document, str(finding.place or ""))))
    return f"{place}: {finding.message}" if place else finding.message


def audit_json(audit: CollectionAudit) -> str:
    """Return the report as JSON."""
    lost, characters = audit.lost
    report: dict[str, Any] = {
        "store": audit.store,
        "collection": audit.collection,
        "chunks": audit.chunks,
        "tokens": {"tokenizer": audit.tokenizer, **asdict(audit.sizes)},
        "settings": _named(audit.settings),
        "encoders": _named(audit.encoders),
        "lost_characters": lost,
        "characters": characters,
        "documents": [_document_row(document) for document in audit.documents],
        "gone": dict(audit.gone),
        "failing": sorted(audit.failing),
        "failed": audit.failed,
        "unseen": dict(audit.unseen),
        "rules": {
            name: count
            for name in AUDIT_RULES
            if (count := sum(finding.rule.name == name for finding in audit.all_findings()))
        },
        "findings": [_finding_row(finding) for finding in audit.all_findings()],
    }
    return encodable(json.dumps(report, ensure_ascii=False, indent=2)) + "\n"


def _named(counts: Mapping[str, int]) -> list[dict[str, Any]]:
    """Return counts by name; ``None`` is that of chunks of other programs."""
    return [{"name": name or None, "chunks": count} for name, count in sorted(counts.items())]


def _document_row(document: DocumentAudit) -> dict[str, Any]:
    names = ("document", "stored_as", "status", "chunks", "boundaries", "characters", "lost", "largest_gap")
    return {name: getattr(document, name) for name in names}


def _finding_row(finding: AuditFinding) -> dict[str, Any]:
    place = finding.place
    return {
        "rule": finding.rule.name,
        "level": finding.rule.level,
        "document": finding.document or None,
        "message": finding.message,
        "line": place.line if place else None,
        "column": place.column if place else None,
        "part": place.part if place else "",
        "start": finding.start,
        "end": finding.end,
        "id": finding.id or None,
    }
