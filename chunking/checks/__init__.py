"""Doubtful chunks, found without a question."""

from chunking.checks.checks import KINDS, CheckReport, CheckThresholds, Finding, Kind, check

__all__ = ["KINDS", "CheckReport", "CheckThresholds", "Finding", "Kind", "check"]
