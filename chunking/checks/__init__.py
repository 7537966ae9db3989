"""Doubtful chunks, found without a question."""

from chunking.checks.checks import check
from chunking.checks.findings import KINDS, Cause, CheckReport, CheckThresholds, Finding, Kind
from chunking.checks.rules import RULES, Level, Limits, Rule, RuleReport, Violation, violations

__all__ = [
    "KINDS",
    "RULES",
    "Cause",
    "CheckReport",
    "CheckThresholds",
    "Finding",
    "Kind",
    "Level",
    "Limits",
    "Rule",
    "RuleReport",
    "Violation",
    "check",
    "violations",
]
