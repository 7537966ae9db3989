"""Violations that are known and accepted, so that a check fails for new ones alone.

A violation is known by its file, its rule and the text at its place: it stays the same when lines are added elsewhere.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace

import msgspec

from chunking.checks.reports import CheckedDocument, CheckRun
from chunking.checks.rules import Violation
from chunking.errors import ChunkscopeError
from chunking.runtime import structured

VERSION = 1

LIMIT = structured.SizeLimit(64 * 2**20)
"""Limit of a file."""


class KnownViolation(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Violations of a rule at the same text of a file.

    Attributes:
        file: path of the document, with slashes.
        rule: name of the rule.
        quote: the text at the place.
        count: how many there are.
    """

    file: str
    rule: str
    quote: str
    count: int = 1


class _BaselineFile(msgspec.Struct, forbid_unknown_fields=True):
    version: int
    violations: list[KnownViolation]


_Key = tuple[str, str, str]


@dataclass(frozen=True)
class Baseline:
    """The violations that are accepted, with the number of each.

    Attributes:
        counts: how many are accepted by file, rule and text.
    """

    counts: Counter[_Key] = field(default_factory=Counter)

    def new(self, run: CheckRun) -> CheckRun:
        """Return a run without the violations that are accepted."""
        left = Counter(self.counts)
        documents = tuple(_without(document, left) for document in run.documents)
        return replace(run, documents=documents, accepted=self.counts.total() - left.total())

    def gone(self, run: CheckRun) -> int:
        """Return how many of the accepted violations of the checked documents are not there any more."""
        missing = self.counts - self.updated(run).counts
        return sum(missing.values())

    def updated(self, run: CheckRun) -> Baseline:
        """Return the baseline that accepts all violations of a run, and for documents that it has not what it did."""
        checked = {document.path for document in run.documents}
        counts = Counter(_key(document, violation) for document, violation, _ in run.violations())
        return Baseline(counts + Counter({key: count for key, count in self.counts.items() if key[0] not in checked}))


def read(data: bytes, name: str) -> Baseline:
    """Read a baseline; an empty file accepts nothing.

    Raises:
        ChunkscopeError: it is none.
    """
    if not data.strip():
        return Baseline()
    try:
        file = structured.decode(data, _BaselineFile, LIMIT)
    except structured.StructureError as error:
        raise ChunkscopeError(f"{name:.60} is no baseline: {error}", "Write it anew with --update-baseline.") from None
    if file.version != VERSION:
        raise ChunkscopeError(
            f"{name:.60} is a baseline of version {file.version}, not {VERSION}.",
            "Write it anew with --update-baseline.",
        )
    counts: Counter[_Key] = Counter()
    for violation in file.violations:
        counts[violation.file, violation.rule, violation.quote] += max(violation.count, 0)
    return Baseline(counts)


def as_json(baseline: Baseline) -> bytes:
    """Return a baseline as JSON in an order that makes its changes readable."""
    violations = [KnownViolation(*key, count) for key, count in sorted(baseline.counts.items())]
    return msgspec.json.format(msgspec.json.encode(_BaselineFile(VERSION, violations)), indent=2) + b"\n"


def _without(document: CheckedDocument, left: Counter[_Key]) -> CheckedDocument:
    """Return a document without the violations that are left to accept, and take them from those."""
    new = []
    for violation, place in document.violations:
        key = _key(document, violation)
        if left[key]:
            left[key] -= 1
        else:
            new.append((violation, place))
    return replace(document, violations=tuple(new))


def _key(document: CheckedDocument, violation: Violation) -> _Key:
    return document.path, violation.rule.name, violation.quote
