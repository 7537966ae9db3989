"""Doubtful chunks, found without a question."""

from chunking.checks.checks import KINDS, Finding, Kind, Report, Thresholds, check

__all__ = ["KINDS", "Finding", "Kind", "Report", "Thresholds", "check"]
