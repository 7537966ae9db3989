"""Doubtful chunks, found without a question."""

from chunking.checks.checks import check
from chunking.checks.findings import KINDS, CheckReport, CheckThresholds, Finding
from chunking.checks.rules import RULES, Limits, violations

__all__ = [
    "KINDS",
    "RULES",
    "CheckReport",
    "CheckThresholds",
    "Finding",
    "Limits",
    "check",
    "violations",
]
