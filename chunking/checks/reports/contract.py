"""What the reports of checks are made of."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from chunking.checks.findings import CheckReport
from chunking.checks.places import FilePlace
from chunking.checks.rules import Level, Rule, Violation


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
    """

    documents: tuple[CheckedDocument, ...]
    rules: tuple[Rule, ...]
    failing: frozenset[str]

    @property
    def failed(self) -> bool:
        """Whether a rule is broken that may not be."""
        return any(each.rule.name in self.failing for document in self.documents for each, _ in document.violations)

    @cached_property
    def counts(self) -> Mapping[Level, int]:
        """How many violations there are of each level."""
        return Counter(each.rule.level for document in self.documents for each, _ in document.violations)

    @property
    def chunks(self) -> int:
        """How many chunks were checked."""
        return sum(document.findings.chunks for document in self.documents)
